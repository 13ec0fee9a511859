package client

import (
	"strings"
	"testing"
	"testing/fstest"
)

// The source rows behind each row, and the watermark that let a window fire.
func TestTrace(t *testing.T) {
	const data = `1,a,5,2026-03-01 08:00:01
2,b,7,2026-03-01 08:00:02
3,a,1,2026-03-01 08:00:03
4,a,2,2026-03-01 08:00:12
5,a,9,2026-03-01 08:00:00
6,b,3,2026-03-01 08:00:13
`
	const table = `SET 'sql-client.execution.result-mode' = 'tableau';
CREATE TABLE t (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = '/t.csv', 'format' = 'csv');
`
	for _, c := range []struct{ name, query, want string }{
		{"group", "SELECT k, SUM(v) AS s FROM t WHERE id < 4 GROUP BY k", `
+I a 5: line 1; made by line 1
+I b 7: line 2; made by line 2
-U a 5: line 3; made by line 1
+U a 6: line 3; made by lines 1, 3`},
		{"window, with a late row", "SELECT k, window_start, window_end, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end", `
+I a 2026-03-01 08:00:00.000 2026-03-01 08:00:10.000 2: watermark 2026-03-01 08:00:12.000, after line 4; made by lines 1, 3
+I b 2026-03-01 08:00:00.000 2026-03-01 08:00:10.000 1: watermark 2026-03-01 08:00:12.000, after line 4; made by line 2
+I a 2026-03-01 08:00:10.000 2026-03-01 08:00:20.000 1: the end of the input; made by line 4
+I b 2026-03-01 08:00:10.000 2026-03-01 08:00:20.000 1: the end of the input; made by line 6`},
		{"ranking", "SELECT id, k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS rn FROM t) WHERE rn <= 1 AND k = 'a'", `
+I 1 a: line 1; made by line 1
-U 1 a: line 5; made by line 1
+U 5 a: line 5; made by line 5`},
		{"join", "SELECT x.id, y.id AS z FROM t AS x JOIN t AS y ON x.k = y.k AND x.v < y.v AND y.k = 'b'", `
+I 6 2: line 6; made by lines 2, 6`},
		{"over", "SELECT id, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM t WHERE k = 'b'", `
+I 2 7: watermark 2026-03-01 08:00:02.000, after line 2; made by line 2
+I 6 10: watermark 2026-03-01 08:00:13.000, after line 6; made by lines 2, 6`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			s := New(Options{Out: &out, Trace: true, Files: oneFile{fs: fstest.MapFS{"t.csv": {Data: []byte(data)}}}})
			if err := s.RunFile(table + c.query + ";"); err != nil {
				t.Fatal(err, out.String())
			}
			if got := traced(out.String()); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

// traced brings each row and its cause onto one line.
func traced(text string) string {
	var b strings.Builder
	row := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "| +") || strings.HasPrefix(line, "| -"):
			row = strings.Join(strings.Fields(strings.ReplaceAll(line, "|", " ")), " ")
		case strings.HasPrefix(line, "^ "):
			b.WriteString("\n" + row + ": " + strings.ReplaceAll(line[2:], " of default_catalog.default_database.t", ""))
		}
	}
	return b.String()
}
