package merge_test

import (
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/client"
	"github.com/labgrade/labgrade/reference/merge"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/value"
)

// files are the source files of a test.
type files fstest.MapFS

func (f files) Open(p string) (fs.File, error) {
	return fstest.MapFS(f).Open(strings.TrimPrefix(p, "/"))
}
func (f files) ReadDir(p string) ([]fs.DirEntry, error) {
	return fstest.MapFS(f).ReadDir(strings.TrimPrefix(p, "/"))
}
func (files) Create(string) (io.WriteCloser, error) { return nil, fs.ErrPermission }
func (files) MkdirAll(string) error                 { return fs.ErrPermission }
func (files) RemoveAll(string) error                { return fs.ErrPermission }

const tables = `
CREATE TABLE a (id INT, k STRING, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND)
  WITH ('connector' = 'filesystem', 'path' = 'file:///a.csv', 'format' = 'csv');
CREATE TABLE b (id INT, k STRING, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (k) NOT ENFORCED)
  WITH ('connector' = 'filesystem', 'path' = 'file:///b.csv', 'format' = 'csv');
CREATE TABLE c (id INT, k STRING, n INT, ts TIMESTAMP(3))
  WITH ('connector' = 'filesystem', 'path' = 'file:///c.csv', 'format' = 'csv');
SET 'sql-client.execution.result-mode' = 'tableau';
`

// queries are one of each kind of merge.
var queries = map[string]string{
	"inner":             "SELECT a.id, c.id AS d FROM a JOIN c ON a.k = c.k",
	"left":              "SELECT a.id, c.id AS d FROM a LEFT JOIN c ON a.k = c.k",
	"full":              "SELECT a.id, c.id AS d FROM a FULL JOIN c ON a.k = c.k AND a.n <= c.n",
	"key":               "SELECT a.id, b.id AS d FROM a LEFT JOIN b ON a.k = b.k",
	"semi":              "SELECT id FROM a WHERE k IN (SELECT k FROM c)",
	"anti":              "SELECT id FROM a WHERE NOT EXISTS (SELECT 1 FROM c WHERE c.k = a.k)",
	"self":              "SELECT x.id, y.id AS d FROM c x LEFT JOIN c y ON x.n = y.n",
	"aggregate below":   "SELECT x.k, x.m, a.id FROM (SELECT k, COUNT(*) AS m FROM c GROUP BY k) x JOIN a ON a.k = x.k",
	"aggregate above":   "SELECT a.k, COUNT(*) AS m, SUM(c.n) AS s FROM a LEFT JOIN c ON a.k = c.k GROUP BY a.k",
	"list above":        "SELECT a.k, LISTAGG(c.k) AS s FROM a JOIN c ON a.n = c.n GROUP BY a.k",
	"union":             "SELECT id FROM a UNION ALL SELECT -id FROM c",
	"union, aggregate":  "SELECT k, SUM(n) AS s, FIRST_VALUE(id) AS f FROM (SELECT k, n, id FROM a UNION ALL SELECT k, n, id FROM c) GROUP BY k",
	"union of three":    "SELECT DISTINCT k FROM (SELECT k FROM a UNION ALL SELECT k FROM b UNION ALL SELECT k FROM c)",
	"three":             "SELECT a.id, c.id AS d, b.id AS e FROM a JOIN c ON a.k = c.k LEFT JOIN b ON a.k = b.k",
	"interval":          "SELECT a.id, b.id AS d FROM a LEFT JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts - INTERVAL '2' SECOND AND a.ts + INTERVAL '1' SECOND",
	"interval, full":    "SELECT a.id, b.id AS d FROM a FULL JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts - INTERVAL '1' SECOND AND a.ts",
	"temporal":          "SELECT a.id, b.id AS d FROM a LEFT JOIN b FOR SYSTEM_TIME AS OF a.ts ON a.k = b.k",
	"windows of a join": "SELECT window_start, COUNT(*) AS m FROM TABLE(TUMBLE(TABLE u, DESCRIPTOR(ts), INTERVAL '3' SECOND)) GROUP BY window_start, window_end",
}

// run is a query that can be run again.
type run struct {
	cols  []value.Field
	again merge.Run
}

// withRun calls f for a query over the data.
func withRun(t testing.TB, data files, query string, f func(run)) {
	called := false
	s := client.New(client.Options{Files: data, Events: client.Events{
		Again: func(r *client.Result, again func(stream.Order, stream.Out) error) error {
			called = true
			f(run{r.Columns, again})
			return nil
		},
	}})
	view := "CREATE VIEW u AS SELECT a.ts, a.id FROM a JOIN b ON a.k = b.k AND b.ts BETWEEN a.ts - INTERVAL '2' SECOND AND a.ts;\n"
	if err := s.Run(tables+view+query+";\n", true); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	if !called {
		t.Fatalf("%s was not offered to be run again", query)
	}
}

// text is a log as text.
func text(kind changelog.RowKind, row value.Row) string {
	var b strings.Builder
	b.WriteString(kind.String())
	for _, v := range row {
		if v.IsNull() {
			b.WriteString(",NULL")
			continue
		}
		fmt.Fprintf(&b, ",%d%s", v.Int(), v.Str())
	}
	return b.String()
}

type textLog []string

func (l textLog) Len() int { return len(l) }
func (l textLog) Equal(i int, kind changelog.RowKind, row value.Row) bool {
	return l[i] == text(kind, row)
}

// all runs a query in every order there is, without any memory of states.
func all(t testing.TB, r run, most int) (logs [][]string, complete bool) {
	seen := map[string]bool{}
	var path, width []int
	for n := 0; n < most; n++ {
		var log []string
		step := 0
		err := r.again(func(m *stream.Merge) (int, error) {
			var open []int
			for i, o := range m.Open {
				if o {
					open = append(open, i)
				}
			}
			if step == len(path) {
				path, width = append(path, 0), append(width, len(open))
			}
			step++
			return open[path[step-1]], nil
		}, func(k changelog.RowKind, row value.Row, _ stream.Cause) error {
			log = append(log, text(k, row))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if id := strings.Join(log, "\n"); !seen[id] {
			seen[id] = true
			logs = append(logs, log)
		}
		for len(path) > 0 && path[len(path)-1] == width[len(width)-1]-1 {
			path, width = path[:len(path)-1], width[:len(width)-1]
		}
		if len(path) == 0 {
			return logs, true
		}
		path[len(path)-1]++
	}
	return logs, false
}

// mutants are logs that differ a little from log.
func mutants(rnd *rand.Rand, log []string, others [][]string) [][]string {
	if len(log) == 0 {
		return [][]string{{"+I,1,2"}}
	}
	i := rnd.IntN(len(log))
	out := [][]string{slices.Delete(slices.Clone(log), i, i+1), slices.Insert(slices.Clone(log), i, log[i])}
	if i+1 < len(log) {
		s := slices.Clone(log)
		s[i], s[i+1] = s[i+1], s[i]
		out = append(out, s)
	}
	edited := slices.Clone(log)
	edited[i] = edited[i][:len(edited[i])-1] + "9"
	// the head of one right log and the tail of another
	o := others[rnd.IntN(len(others))]
	mixed := append(slices.Clone(log[:i]), o[min(i, len(o)):]...)
	return append(out, edited, mixed)
}

func randomTable(rnd *rand.Rand, unique bool) *fstest.MapFile {
	var b strings.Builder
	for i := range 1 + rnd.IntN(3) {
		k := "xy"[rnd.IntN(2)]
		if unique {
			k = "xyz"[i]
		}
		fmt.Fprintf(&b, "%d,%c,%d,2026-03-01 09:00:0%d\n", i+1, k, 1+rnd.IntN(2), rnd.IntN(8))
	}
	return &fstest.MapFile{Data: []byte(b.String())}
}

// TestSearchIsExact compares the search with running every order there is.
func TestSearchIsExact(t *testing.T) {
	for name, query := range queries {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(4) {
				rnd := rand.New(rand.NewPCG(seed, 6))
				data := files{"a.csv": randomTable(rnd, false), "b.csv": randomTable(rnd, name == "key"), "c.csv": randomTable(rnd, false)}
				withRun(t, data, query, func(r run) { checkExact(t, r, rnd) })
			}
		})
	}
}

func checkExact(t *testing.T, r run, rnd *rand.Rand) {
	logs, complete := all(t, r, 800)
	right := map[string]bool{}
	for _, l := range logs {
		right[strings.Join(l, "\n")] = true
	}
	for range 4 {
		l := logs[rnd.IntN(len(logs))]
		got, err := merge.Search(r.again, textLog(l), merge.Limits{})
		if err != nil || !got.Found {
			t.Fatalf("not found (%v), got up to row %d:\n%s", err, got.At, strings.Join(l, "\n"))
		}
		if again := follow(t, r, got.Path); !slices.Equal(again, l) {
			t.Fatalf("the path leads to another log:\n%s\nnot\n%s", strings.Join(again, "\n"), strings.Join(l, "\n"))
		}
		if !complete {
			continue
		}
		for _, m := range mutants(rnd, l, logs) {
			got, err := merge.Search(r.again, textLog(m), merge.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if want := right[strings.Join(m, "\n")]; got.Found != want {
				t.Fatalf("found is %v, not %v:\n%s", got.Found, want, strings.Join(m, "\n"))
			}
			if !got.Found && got.At != furthest(logs, m) {
				t.Fatalf("the first unexplained row is %d, not %d:\n%s", got.At, furthest(logs, m), strings.Join(m, "\n"))
			}
		}
	}
}

// follow runs a query in the order of a path.
func follow(t testing.TB, r run, path []int) (log []string) {
	err := r.again(merge.Follow(path), func(k changelog.RowKind, row value.Row, _ stream.Cause) error {
		log = append(log, text(k, row))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// furthest is the longest beginning that a log shares with a right one.
func furthest(logs [][]string, log []string) int {
	far := 0
	for _, l := range logs {
		n := 0
		for n < len(l) && n < len(log) && l[n] == log[n] {
			n++
		}
		far = max(far, n)
	}
	return far
}

// TestSearchGivesUp: a search that would take too long says so.
func TestSearchGivesUp(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 6))
	data := files{"a.csv": randomTable(rnd, false), "b.csv": randomTable(rnd, false), "c.csv": randomTable(rnd, false)}
	for name, lim := range map[string]merge.Limits{"elements": {Elements: 3}, "states": {States: 2}} {
		t.Run(name, func(t *testing.T) {
			withRun(t, data, queries["inner"], func(r run) {
				got, err := merge.Search(r.again, textLog{"+I,1,2", "+I,9,9"}, lim)
				if err != nil || !got.GaveUp || got.Found {
					t.Errorf("got %+v, %v", got, err)
				}
			})
		})
	}
}
