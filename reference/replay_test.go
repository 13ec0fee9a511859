package reference_test

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/value"
)

// The stream's log, replayed, is the batch result: the two evaluators share no operator,
// so that a fault in one shows here. Queries are random; they avoid what lets the two
// differ in Flink, too: ties of a Top-N, the first row by several columns (Flink 2.3 takes
// it for final when it is not), late rows, floating sums, and global aggregates of nothing
// (no row in streaming, one row in batch).
func TestReplayedLogIsBatchResult(t *testing.T) {
	ran := 0
	refused := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		g := generator{t}
		data := fstest.MapFS{
			"t.csv": {Data: []byte(g.rowsOfT())},
			"u.csv": {Data: []byte(g.rowsOfU())},
		}
		query := g.query()
		batch, err := result(data, "batch", nil, query)
		if reference.IsUnsupported(err) {
			refused[err.Error()]++
			return
		}
		if err != nil {
			t.Fatalf("batch: %v\n%s", err, query)
		}
		for _, settings := range streamSettings {
			log, err := result(data, "streaming", settings, query)
			if reference.IsUnsupported(err) {
				refused[err.Error()]++
				continue
			}
			if err != nil {
				t.Fatalf("stream: %v\n%s\n%v", err, query, settings)
			}
			ran++
			if log != batch {
				t.Fatalf("%s\n%v\nbatch\n%s\nstream\n%s\nt\n%s\nu\n%s", query, settings, batch, log, data["t.csv"].Data, data["u.csv"].Data)
			}
		}
	})
	t.Logf("%d runs compared", ran)
	for why, n := range refused {
		t.Logf("%d refused: %s", n, why)
	}
}

// streamSettings are the ways in which a stream may run.
var streamSettings = []map[string]string{
	nil,
	{"table.exec.mini-batch.enabled": "true", "table.exec.mini-batch.size": "3", "table.exec.mini-batch.allow-latency": "1 s"},
	{"table.exec.mini-batch.enabled": "true", "table.exec.mini-batch.size": "3", "table.exec.mini-batch.allow-latency": "1 s", "table.optimizer.agg-phase-strategy": "ONE_PHASE"},
	{"table.exec.mini-batch.enabled": "true", "table.exec.mini-batch.size": "3", "table.exec.mini-batch.allow-latency": "1 s", "table.optimizer.distinct-agg.split.enabled": "true"},
}

const ddl = `
CREATE TABLE t (id INT, k STRING, i INT, d DECIMAL(5, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '3' SECOND)
WITH ('connector' = 'filesystem', 'path' = '/t.csv', 'format' = 'csv', 'csv.null-literal' = '-');
CREATE TABLE u (k STRING, j INT, w STRING)
WITH ('connector' = 'filesystem', 'path' = '/u.csv', 'format' = 'csv', 'csv.null-literal' = '-');
`

// result runs a query and returns its final rows as sorted text.
func result(data fstest.MapFS, mode string, settings map[string]string, query string) (string, error) {
	rows := map[string]int{}
	failed := error(nil)
	all := map[string]string{"execution.runtime-mode": mode, "sql-client.execution.result-mode": "tableau"}
	for k, v := range settings {
		all[k] = v
	}
	s := reference.NewSession(reference.Options{
		Files:    reference.ReadOnly(data, nil),
		Settings: all,
		Events: reference.Events{
			Row: func(r *reference.Result, kind changelog.RowKind, row value.Row, _ stream.Cause) error {
				var b []byte
				for i, v := range row {
					b = append(value.AppendCell(b, &r.Columns[i].Type, v, nil), '|')
				}
				if kind.Adds() {
					rows[string(b)]++
				} else {
					rows[string(b)]--
				}
				return nil
			},
			End: func(r *reference.Result) { failed = errors.Join(failed, r.Err) },
		},
	})
	err := s.Run(ddl+query+";", true)
	if failed != nil {
		return "", failed
	}
	if err != nil {
		return "", err
	}
	var lines []string
	for row, n := range rows {
		if n != 0 {
			lines = append(lines, fmt.Sprintf("%d x %s", n, row))
		}
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n"), nil
}

type generator struct{ *rapid.T }

func (g generator) one(of ...string) string { return rapid.SampledFrom(of).Draw(g.T, "choice") }
func (g generator) chance(n int) bool       { return rapid.IntRange(1, n).Draw(g.T, "chance") == 1 }

// rowsOfT has unique ids and times, of which none is late.
func (g generator) rowsOfT() string {
	var b strings.Builder
	n := rapid.IntRange(1, 24).Draw(g.T, "rows")
	for id := 1; id <= n; id++ {
		at := id*700 + rapid.IntRange(0, 2).Draw(g.T, "jitter")*900 + id%100
		fmt.Fprintf(&b, "%d,%s,%s,%s,2026-01-01 00:00:%02d.%03d\n", id, g.one("a", "b", "c", "-"), g.one("1", "2", "3", "7", "-"),
			g.one("0.50", "1.25", "-2.00", "-"), at/1000, at%1000)
	}
	return b.String()
}

func (g generator) rowsOfU() string {
	var b strings.Builder
	for range rapid.IntRange(1, 12).Draw(g.T, "rows") {
		fmt.Fprintf(&b, "%s,%s,%s\n", g.one("a", "b", "c", "d", "-"), g.one("1", "2", "3", "-"), g.one("x", "y", "a"))
	}
	return b.String()
}

// query is a query over t and u. Tables inside have the columns k, v, n.
func (g generator) query() string {
	switch rapid.IntRange(0, 9).Draw(g.T, "shape") {
	case 0:
		return g.window()
	case 1:
		return g.topN()
	case 2:
		return g.over()
	case 3:
		return fmt.Sprintf("SELECT k, v, n FROM (%s) %s SELECT k, v, n FROM (%s)", g.table(1), g.one("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"), g.table(1))
	case 4:
		return g.join()
	}
	return g.table(3)
}

func (g generator) table(depth int) string {
	if depth == 0 {
		return g.one(
			"SELECT k, i AS v, id AS n FROM t", "SELECT k, j AS v, j AS n FROM u", "SELECT w AS k, j AS v, CHAR_LENGTH(k) AS n FROM u",
			"SELECT k, i AS v, i + 1 AS n FROM t WHERE i > 1 OR k = 'a'", "SELECT k, CASE WHEN i > 2 THEN 0 ELSE id END AS v, i AS n FROM t WHERE k IS NOT NULL")
	}
	in := g.table(rapid.IntRange(0, depth-1).Draw(g.T, "depth"))
	switch rapid.IntRange(0, 5).Draw(g.T, "kind") {
	case 0:
		return fmt.Sprintf("SELECT DISTINCT k, v, n FROM (%s)", in)
	case 1:
		return fmt.Sprintf("SELECT k, v, n FROM (%s) WHERE %s", in, g.one("v > 1", "v IS NULL OR n < 3", "k <> 'b'", "k IN ('a', 'b') AND n >= 0"))
	case 2:
		return fmt.Sprintf("SELECT k, v, n FROM (%s) UNION ALL SELECT k, v, n FROM (%s)", in, g.table(0))
	}
	keys, key := " GROUP BY k", "k"
	if g.chance(3) {
		keys, key = " GROUP BY v", "CAST(v AS STRING)"
	}
	having := ""
	if g.chance(4) {
		having = g.one(" HAVING COUNT(*) > 1", " HAVING SUM(n) > 3", " HAVING MAX(v) IS NOT NULL")
	}
	return fmt.Sprintf("SELECT %s AS k, CAST(%s AS INT) AS v, CAST(%s AS INT) AS n FROM (%s)%s%s", key, g.aggregate(), g.aggregate(), in, keys, having)
}

func (g generator) aggregate() string {
	arg := g.one("v", "n")
	call := strings.ReplaceAll(g.one("COUNT(*)", "COUNT(x)", "SUM(x)", "AVG(x)", "MIN(x)", "MAX(x)", "COUNT(DISTINCT x)", "SUM(DISTINCT x)", "COUNT(DISTINCT k)"), "x", arg)
	if g.chance(4) {
		call += " FILTER (WHERE " + g.one("v > 1", "n < 5", "k = 'a'") + ")"
	}
	return call
}

func (g generator) window() string {
	if g.chance(3) {
		return g.groupWindow()
	}
	of := g.one("TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '2' SECOND)", "HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '4' SECOND)",
		"CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' SECOND, INTERVAL '3' SECOND)", "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '1' SECOND)")
	if g.chance(3) {
		return fmt.Sprintf("SELECT window_start, window_end, COUNT(*) AS n, SUM(d) AS s, COUNT(DISTINCT i) AS c FROM TABLE(%s) GROUP BY window_start, window_end", of)
	}
	q := fmt.Sprintf("SELECT window_start, window_end, k, COUNT(*) AS n, SUM(d) AS s, MAX(i) AS m FROM TABLE(%s) GROUP BY window_start, window_end, k", of)
	if g.chance(3) {
		return "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY n DESC, k) AS r FROM (" + q + ")) WHERE r <= 2"
	}
	return q
}

// groupWindow is a window in GROUP BY. HOP of texts is left out: Flink's batch loses windows there.
func (g generator) groupWindow() string {
	of, args := g.one("TUMBLE", "HOP"), "ts, INTERVAL '2' SECOND"
	calls := g.one("COUNT(*) AS n, SUM(d) AS s", "MAX(i) AS m, COUNT(i) AS n", "AVG(i) AS a")
	if of == "HOP" {
		args += ", INTERVAL '4' SECOND"
	} else if g.chance(3) {
		calls = "MIN(k) AS m, COUNT(*) AS n"
	}
	key := g.one("k, ", "", "i, ")
	where := g.one("", " WHERE i > 1", " WHERE k IS NOT NULL")
	return fmt.Sprintf("SELECT %s%s_START(%s) AS ws, %s_END(%s) AS we, %s FROM t%s GROUP BY %s%s(%s)", key, of, args, of, args, calls, where, key, of, args)
}

func (g generator) topN() string {
	if g.chance(5) {
		return "SELECT k, id, i FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY i DESC, id) AS r2 FROM (SELECT k, id, i FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY i DESC, id) AS r FROM t) WHERE r <= 2)) WHERE r2 <= 3"
	}
	switch rapid.IntRange(0, 2).Draw(g.T, "kind") {
	case 0:
		return "SELECT k, id, i, r FROM (SELECT k, id, i, ROW_NUMBER() OVER (PARTITION BY k ORDER BY i " + g.one("", "DESC") + ", id " + g.one("", "DESC") + ") AS r FROM t) WHERE r <= " + g.one("2", "3", "5")
	case 1:
		return "SELECT k, id, i FROM (SELECT k, id, i, ROW_NUMBER() OVER (PARTITION BY k ORDER BY " + g.one("ts", "ts DESC", "id DESC") + ") AS r FROM t) WHERE r = 1"
	}
	return "SELECT k, v, r FROM (SELECT k, v, ROW_NUMBER() OVER (ORDER BY v " + g.one("", "DESC") + ", k) AS r FROM (SELECT k, SUM(i) AS v FROM t GROUP BY k)) WHERE r <= " + g.one("1", "2", "3")
}

func (g generator) over() string {
	frame := g.one("", " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW", " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW")
	by := g.one("PARTITION BY k ", "")
	return fmt.Sprintf("SELECT id, k, %s OVER (%sORDER BY ts%s) AS x, SUM(i) OVER (%sORDER BY ts%s) AS y FROM t",
		g.one("COUNT(*)", "COUNT(i)", "AVG(i)", "MIN(i)", "MAX(d)", "LAST_VALUE(k)", "FIRST_VALUE(i)"), by, frame, by, frame)
}

func (g generator) join() string {
	switch rapid.IntRange(0, 3).Draw(g.T, "kind") {
	case 0:
		return "SELECT t.id, t.k, u.j FROM t " + g.one("", "LEFT", "RIGHT", "FULL") + " JOIN u ON t.k = u.k" + g.one("", " AND t.i < u.j", " AND t.i = u.j")
	case 1:
		return "SELECT id, k FROM t WHERE " + g.one("", "NOT ") + "EXISTS (SELECT 1 FROM u WHERE u.k = t.k" + g.one("", " AND u.j > t.i") + ")"
	case 2:
		return "SELECT t.id, t.k FROM t WHERE t.k " + g.one("", "NOT ") + "IN (SELECT w FROM u)"
	}
	return fmt.Sprintf("SELECT a.k, a.v, b.n FROM (%s) a %s JOIN (%s) b ON a.k = b.k", g.table(2), g.one("", "LEFT", "FULL"), g.table(2))
}
