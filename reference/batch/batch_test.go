package batch_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/labgrade/labgrade/reference/batch"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

var (
	tString = value.Type{Kind: value.KindVarchar, Length: value.MaxLength, Nullable: true}
	tInt    = value.Type{Kind: value.KindInt, Nullable: true}
	tBigint = value.Type{Kind: value.KindBigInt}
)

func field(name string, t value.Type) value.Field { return value.Field{Name: name, Type: t} }

var clicks = []value.Field{field("u", tString), field("n", tInt)}

type table struct {
	rows []value.Row
	i    int
}

func (t *table) Next(row value.Row) error {
	if t.i == len(t.rows) {
		return io.EOF
	}
	copy(row, t.rows[t.i])
	t.i++
	return nil
}

func (t *table) Close() error { return nil }

// scan reads rows given as "a 1; b 2", "-" for NULL.
func scan(lines string) (*phys.TableSourceScan, []value.Row) {
	var rows []value.Row
	for _, l := range strings.Split(lines, ";") {
		p := strings.Fields(l)
		if len(p) == 0 {
			continue
		}
		r := value.Row{value.String(p[0]), value.Null}
		if p[0] == "-" {
			r[0] = value.Null
		}
		if p[1] != "-" {
			var n int64
			fmt.Sscan(p[1], &n)
			r[1] = value.Int(n)
		}
		rows = append(rows, r)
	}
	return &phys.TableSourceScan{Base: phys.Base{Fields: clicks}, Limit: -1}, rows
}

func base(in phys.Node, fields ...value.Field) phys.Base {
	return phys.Base{In: []phys.Node{in}, Fields: fields}
}

func run(t *testing.T, root phys.Node, rows []value.Row) string {
	t.Helper()
	rt := &batch.Runtime{
		Compile: func(e rex.Expr) (fn.Eval, error) {
			ref, ok := e.(*rex.InputRef)
			if !ok {
				return nil, fmt.Errorf("no test meaning for %T", e)
			}
			return func(_ *fn.Ctx, row value.Row) value.Value { return row[ref.Index] }, nil
		},
		Open: func(*phys.TableSourceScan) (batch.Reader, error) { return &table{rows: rows}, nil },
	}
	var out []string
	err := batch.Run(root, rt, func(row value.Row) error {
		var cells []string
		for i, v := range row {
			switch {
			case v.IsNull():
				cells = append(cells, "-")
			case root.Schema()[i].Type.Kind == value.KindVarchar:
				cells = append(cells, v.Str())
			default:
				cells = append(cells, fmt.Sprint(v.Int()))
			}
		}
		out = append(out, strings.Join(cells, " "))
		return nil
	})
	if err != nil {
		out = append(out, "error: "+err.Error())
	}
	return strings.Join(out, "; ")
}

func call(name string, t value.Type, args ...int) phys.AggCall {
	c := phys.AggCall{Fn: &rex.Op{Name: name, Aggregate: true}, Args: args, Filter: -1, T: t}
	for range args {
		c.ArgTypes = append(c.ArgTypes, tInt)
	}
	return c
}

// twoPhase is a local and a merging aggregate by column 0.
func twoPhase(in phys.Node, sorted bool, calls ...phys.AggCall) *phys.BatchAggregate {
	local := &phys.BatchAggregate{Base: base(in, clicks[0]), Local: true, Sorted: sorted, Keys: []int{0}, Calls: calls}
	for range calls {
		local.Fields = append(local.Fields, field("acc", tInt))
	}
	var below phys.Node = &phys.Exchange{Base: base(local, local.Fields...), Distribution: "hash", Keys: []int{0}}
	if sorted {
		below = &phys.Sort{Base: base(below, local.Fields...), Keys: []phys.SortKey{{Column: 0}}}
	}
	final := &phys.BatchAggregate{Base: base(below, clicks[0]), Merge: true, Sorted: sorted, Keys: []int{0}, Calls: calls, Partial: local}
	for _, c := range calls {
		final.Fields = append(final.Fields, field(c.Fn.Name, c.T))
	}
	return final
}

func TestAggregates(t *testing.T) {
	const rows = "b 1; a 2; b 3; - 4; a -; - 5"
	calls := []phys.AggCall{call("COUNT", tBigint), call("COUNT", tBigint, 1), call("SUM", tInt, 1), call("AVG", tInt, 1), call("MAX", tInt, 1)}
	in, data := scan(rows)
	for _, c := range []struct {
		name string
		node phys.Node
		want string
	}{
		{"hash: first seen", twoPhase(in, false, calls...), "b 2 2 4 2 3; a 2 1 2 2 2; - 2 2 9 4 5"},
		{"sort: by key, NULL first", twoPhase(&phys.Sort{Base: base(in, clicks...), Keys: []phys.SortKey{{Column: 0}}}, true, calls...),
			"- 2 2 9 4 5; a 2 1 2 2 2; b 2 2 4 2 3"},
		{"global", &phys.BatchAggregate{Base: base(in, field("c", tBigint), field("s", tInt)), Calls: calls[1:3]}, "5 15"},
	} {
		if d := cmp.Diff(c.want, run(t, c.node, data)); d != "" {
			t.Errorf("%s:\n%s", c.name, d)
		}
	}
	g := &phys.BatchAggregate{Base: base(in, field("c", tBigint), field("s", tInt)), Calls: calls[1:3]}
	if d := cmp.Diff("0 -", run(t, g, nil)); d != "" {
		t.Errorf("a global aggregate of nothing:\n%s", d)
	}
}

// TestSortLeavesTiesAsFlinkDoes compares with the recorded batch run of the case, whose
// statements all leave ties.
func TestSortLeavesTiesAsFlinkDoes(t *testing.T) {
	dir := "../../fixtures/recorded/corpus/agg/order-by-ties-batch-sixty-rows/"
	fields := []value.Field{field("id", tInt), field("g", tString), field("n", tInt)}
	load := func(name string) []value.Row {
		t.Helper()
		b, err := os.ReadFile(dir + name)
		if err != nil {
			t.Fatal(err)
		}
		var rows []value.Row
		for _, l := range strings.Fields(string(b)) {
			p := strings.Split(l, ",")
			var id, n int64
			fmt.Sscan(p[0], &id)
			fmt.Sscan(p[2], &n)
			rows = append(rows, value.Row{value.Int(id), value.String(p[1]), value.Int(n)})
		}
		return rows
	}
	text, err := os.ReadFile(dir + "batch.txt")
	if err != nil {
		t.Fatal(err)
	}
	var want []string // a statement's rows
	for _, block := range strings.Split(string(text), " in set") {
		var rows []string
		for _, l := range strings.Split(block, "\n") {
			if strings.HasPrefix(l, "|") {
				rows = append(rows, strings.Join(strings.Fields(strings.ReplaceAll(l, "|", " ")), " "))
			}
		}
		if len(rows) > 0 {
			want = append(want, strings.Join(rows[1:], "; "))
		}
	}
	in := &phys.TableSourceScan{Base: phys.Base{Fields: fields}, Limit: -1}
	sort := func(keys ...phys.SortKey) phys.Node {
		return &phys.Sort{Base: base(in, fields...), Keys: keys}
	}
	top := func(offset, fetch int64, keys ...phys.SortKey) phys.Node {
		local := &phys.SortLimit{Base: base(in, fields...), Keys: keys, Fetch: offset + fetch, Batch: true}
		return &phys.SortLimit{Base: base(local, fields...), Keys: keys, Offset: offset, Fetch: fetch, Global: true, Batch: true}
	}
	byG, byN := phys.SortKey{Column: 1, Desc: true, NullsLast: true}, phys.SortKey{Column: 2}
	for i, c := range []struct {
		file string
		node phys.Node
	}{
		{"t.csv", sort(byN)},
		{"t.csv", sort(byG)},
		{"t.csv", sort(byN, phys.SortKey{Column: 1})},
		{"t.csv", top(0, 20, byN)},
		{"t.csv", top(5, 15, byG)},
		{"t12.csv", sort(byN)},
		{"t13.csv", sort(byN)},
	} {
		if d := cmp.Diff(want[i], run(t, c.node, load(c.file))); d != "" {
			t.Errorf("statement %d:\n%s", i+1, d)
		}
	}
}

func TestLimits(t *testing.T) {
	in, data := scan("a 3; b 1; c 2; d 1")
	local := &phys.Limit{Base: base(in, clicks...), Fetch: 3, Batch: true}
	for _, c := range []struct {
		name string
		node phys.Node
		want string
	}{
		{"limit", &phys.Limit{Base: base(local, clicks...), Offset: 1, Fetch: 2, Global: true, Batch: true}, "b 1; c 2"},
		{"offset alone", &phys.Limit{Base: base(in, clicks...), Offset: 3, Fetch: -1, Global: true, Batch: true}, "d 1"},
		{"sort limit", &phys.SortLimit{Base: base(in, clicks...), Keys: []phys.SortKey{{Column: 1}}, Offset: 1, Fetch: 2, Global: true, Batch: true}, "d 1; c 2"},
		{"limit stops a union", &phys.Limit{Base: base(&phys.Union{Base: phys.Base{In: []phys.Node{in, in}, Fields: clicks}}, clicks...), Fetch: 2, Batch: true}, "a 3; b 1"},
	} {
		if got := run(t, c.node, data); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
