package replay

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/labgrade/labgrade/changelog"
)

// log reads lines like "+I a 1" as changes; the line number is the row number plus 10.
func log(t testing.TB, text string) []Change {
	t.Helper()
	var out []Change
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		f := strings.Fields(line)
		k, ok := changelog.ParseRowKind(f[0])
		if !ok {
			t.Fatalf("bad kind %q", f[0])
		}
		c := Change{Line: i + 11, Kind: k}
		for _, x := range f[1:] {
			c.Cells = append(c.Cells, []byte(x))
		}
		out = append(out, c)
	}
	return out
}

func run(o Options, changes []Change) *Result {
	r := New(o)
	for _, c := range changes {
		r.Add(c)
	}
	return r.Finish()
}

func tableText(t *Table) string {
	var b strings.Builder
	for r := range t.Rows() {
		for i := range r.Cells {
			b.Write(r.Cells[i])
			b.WriteByte(' ')
		}
		if r.Count != 1 {
			fmt.Fprintf(&b, "x%d ", r.Count)
		}
		b.WriteString("| ")
	}
	return strings.TrimSuffix(b.String(), " | ")
}

func violationText(vs []Violation) string {
	var b strings.Builder
	for _, v := range vs {
		fmt.Fprintf(&b, "%d %s: %s\n", v.Line, v.Code, v.Text)
	}
	return b.String()
}

func TestReplay(t *testing.T) {
	for _, c := range []struct {
		name       string
		opts       Options
		log        string
		table      string
		violations string
	}{
		{name: "a right retract log", log: "+I a 1\n+I b 1\n-U a 1\n+U a 2\n-D b 1", table: "a 2"},
		{name: "an update keeps the place", log: "+I a 1\n+I b 1\n-U a 1\n+U a 2", table: "a 2 | b 1"},
		{name: "a bag counts", log: "+I a\n+I a\n-D a\n+I b\n+I a", table: "a x2 | b"},
		{name: "absent row", log: "+I a 1\n-U a 2\n+U a 3", table: "a 1 | a 3",
			violations: "12 absent-row: -U takes (a, 2) out of the table, but the table does not hold it\n"},
		{name: "absent row of a key", opts: Options{Key: []int{0}}, log: "+I a 1\n-U a 2\n+U a 3\n-D b 1", table: "a 3",
			violations: "12 absent-row: -U takes (a, 2) out of the table, but the table holds (a, 1) for this key (line 11)\n" +
				"14 absent-row: -D takes (b, 1) out of the table, but the table holds no row for this key\n"},
		{name: "lone update after", log: "+I a 1\n+U a 2", table: "a 1 | a 2",
			violations: "12 update-after-without-before: +U (a, 2) has no -U before it\n"},
		{name: "lone update after of a key", opts: Options{Key: []int{0}}, log: "+I a 1\n+U a 2", table: "a 2",
			violations: "12 update-after-without-before: +U (a, 2) has no -U before it\n"},
		{name: "pair not adjacent", opts: Options{Key: []int{0}}, log: "+I a 1\n+I b 1\n-U a 1\n-U b 1\n+U a 2\n+U b 2", table: "a 2 | b 2",
			violations: "15 pair-not-adjacent: +U (a, 2) does not stand directly behind its -U (a, 1) (line 13)\n" +
				"16 pair-not-adjacent: +U (b, 2) does not stand directly behind its -U (b, 1) (line 14)\n"},
		{name: "pair of two keys", opts: Options{Key: []int{0}}, log: "+I a 1\n-U a 1\n+U b 2", table: "b 2",
			violations: "13 pair-of-two-keys: +U (b, 2) stands behind the -U (a, 1) of another key (line 12)\n"},
		{name: "pair with a row between", log: "+I a 1\n-U a 1\n+I b 1\n+U a 2", table: "b 1 | a 2",
			violations: "14 pair-not-adjacent: +U (a, 2) does not stand directly behind its -U (a, 1) (line 12)\n"},
		{name: "ends inside a pair", log: "+I a 1\n-U a 1", table: "",
			violations: "12 ends-inside-pair: the log ends with -U (a, 1); its +U is missing\n"},
		{name: "half a pair", log: "+I a 1\n-U a 1\n+I a 2", table: "a 2",
			violations: "12 update-before-without-after: -U (a, 1) is followed by no +U\n"},
		{name: "halves are right under a filter", opts: Options{LonePairs: true}, log: "+I a 1\n-U a 1\n+U b 2\n+U c 1\n-U c 1", table: "b 2"},
		{name: "duplicate insert", opts: Options{Key: []int{0}}, log: "+I a 1\n+I a 2", table: "a 2",
			violations: "12 duplicate-insert: +I (a, 2) inserts a key that is in the table already as (a, 1) (line 11)\n"},
		{name: "kind outside the mode", opts: Options{Mode: changelog.Retract}, log: "+I a 1\n-D a 1", table: "",
			violations: "12 kind-outside-mode: -D (a, 1): the changelog mode is [I,UB,UA]\n"},
		{name: "upsert log", opts: Options{Key: []int{0}, Upsert: true, Mode: changelog.ModeI | changelog.ModeUA | changelog.ModeD},
			log: "+I a 1\n+U a 2\n+I b 1\n-D b <NULL>", table: "a 2"},
		{name: "a cell lost", log: "+I a 1\n+I b", table: "a 1",
			violations: "12 wrong-number-of-cells: the row has 1 cells, the first one has 2\n"},
		{name: "upsert log whose key is found", opts: Options{InferKey: true}, log: "+I a 1\n+I b 1\n+U a 2\n-D b 1\n+I b 3", table: "a 2 | b 3"},
		{name: "upsert log with a key of two columns", opts: Options{InferKey: true}, log: "+I a x 1\n+I a y 1\n+I b x 1\n+U a y 2", table: "a x 1 | a y 2 | b x 1"},
		{name: "no key can be found", opts: Options{InferKey: true}, log: "+I a 1\n+I a 1\n+U a 2", table: "a 1 x2 | a 2",
			violations: "13 update-after-without-before: +U (a, 2) has no -U before it\n"},
		{name: "stop", opts: Options{StopAfter: 3}, log: "+I a 1\n+I b 1\n-U a 1\n+U a 2", table: "b 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := run(c.opts, log(t, c.log))
			if got := tableText(res.Table); got != c.table {
				t.Errorf("table %q, want %q", got, c.table)
			}
			got := violationText(res.Violations)
			want := sortLines(c.violations)
			if d := cmp.Diff(want, sortLines(got)); d != "" {
				t.Error(d)
			}
			if res.NViolations != len(res.Violations) {
				t.Errorf("%d violations counted, %d kept", res.NViolations, len(res.Violations))
			}
		})
	}
}

func sortLines(s string) []string {
	l := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i := range l {
		for j := i; j > 0 && l[j] < l[j-1]; j-- {
			l[j], l[j-1] = l[j-1], l[j]
		}
	}
	return l
}

func TestViolationsAreBoundedAndCounted(t *testing.T) {
	r := New(Options{MaxViolations: 3})
	for i := range 5000 {
		r.Add(Change{Line: i, Kind: changelog.UpdateBefore, Cells: [][]byte{[]byte(fmt.Sprint(i))}})
	}
	res := r.Finish()
	if len(res.Violations) != 3 || res.ByCode[AbsentRow] != 5000 || res.ByCode[LoneUpdateBefore] != 4999 || res.ByCode[EndsInsidePair] != 1 {
		t.Errorf("%d kept, by code %v", len(res.Violations), res.ByCode)
	}
}

// TestAgainstMap compares the hash table with Go's map on random bags and keyed tables.
func TestAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keyed := rapid.Bool().Draw(t, "keyed")
		o := Options{LonePairs: true}
		if keyed {
			o.Key = []int{0}
		}
		r := New(o)
		bag := map[string]int{}
		byKey := map[string]string{}
		for range rapid.IntRange(0, 200).Draw(t, "n") {
			k, v := rapid.StringMatching("[a-h]?").Draw(t, "k"), rapid.StringMatching("[0-3]").Draw(t, "v")
			kind := changelog.RowKind(rapid.IntRange(0, 3).Draw(t, "kind"))
			r.Add(Change{Kind: kind, Cells: [][]byte{[]byte(k), []byte(v)}})
			id := k + "," + v
			switch {
			case kind.Adds() && keyed:
				byKey[k] = id
			case kind.Adds():
				bag[id]++
			case keyed && byKey[k] == id:
				delete(byKey, k)
			case !keyed && bag[id] > 0:
				bag[id]--
			}
		}
		if keyed {
			for _, id := range byKey {
				bag[id]++
			}
		}
		got := map[string]int{}
		n := 0
		for row := range r.Table().Rows() {
			got[string(row.Cells[0])+","+string(row.Cells[1])] = row.Count
			n += row.Count
			if r.Table().Count(row.Cells) != row.Count {
				t.Fatalf("Count(%s) is not %d", row.Cells, row.Count)
			}
		}
		for id, c := range bag {
			if c == 0 {
				delete(bag, id)
			}
		}
		if d := cmp.Diff(bag, got); d != "" || n != r.Table().Len() || len(got) != r.Table().Distinct() {
			t.Fatalf("%s len %d, counted %d", d, r.Table().Len(), n)
		}
	})
}

// counts makes the retract log of a COUNT per user, as row generator.
func counts(users int) func(i int, c *Change) {
	n := make([]int, users)
	key, val := make([]byte, 0, 16), make([]byte, 0, 16)
	cells := make([][]byte, 2)
	return func(i int, c *Change) {
		u := (i / 2 * 7919) % users
		c.Line, c.Kind = i+1, changelog.UpdateBefore
		if i%2 == 1 {
			n[u]++
			c.Kind = changelog.UpdateAfter
		}
		key = strconv.AppendInt(append(key[:0], 'u'), int64(u), 10)
		val = strconv.AppendInt(val[:0], int64(n[u]), 10)
		cells[0], cells[1] = key, val
		c.Cells = cells
	}
}

func TestNoAllocationPerRow(t *testing.T) {
	const users = 50
	r := New(Options{})
	next := counts(users)
	var c Change
	for u := range users {
		r.Add(Change{Kind: changelog.Insert, Cells: [][]byte{fmt.Appendf(nil, "u%d", u), []byte("0")}})
	}
	i := 0
	step := func() {
		for range 1000 {
			next(i, &c)
			r.Add(c)
			i++
		}
	}
	step()
	if a := testing.AllocsPerRun(10, step); a > 10 { // the counter's own growth; one allocation a row would be 1000
		t.Errorf("%v allocations in 1000 rows", a)
	}
	if res := r.Finish(); res.NViolations != 0 {
		t.Fatalf("%d violations, first: %s", res.NViolations, res.Violations[0].Text)
	}
}

func BenchmarkReplay(b *testing.B) {
	for _, users := range []int{300, 50_000} {
		b.Run(fmt.Sprint(users), func(b *testing.B) {
			r := New(Options{LonePairs: true})
			cells := make([][]Change, 1)
			next := counts(users)
			for i := range 200_000 {
				var c Change
				next(i, &c)
				c.Cells = [][]byte{append([]byte(nil), c.Cells[0]...), append([]byte(nil), c.Cells[1]...)}
				cells[0] = append(cells[0], c)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				r.Add(cells[0][i%len(cells[0])])
			}
		})
	}
}
