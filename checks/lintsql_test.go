package checks

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func TestLintSQL(t *testing.T) {
	const (
		mode  = "SET 'sql-client.execution.result-mode' = 'tableau';\n"
		table = "CREATE TABLE t (a INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'filesystem', 'path' = '/x/t.csv', 'format' = 'csv');\n"
	)
	for _, c := range []struct{ name, text, want string }{
		{"nothing to say", mode + table + "SELECT a, COUNT(*) FROM t GROUP BY a;\n", ""},
		{"no result mode, said once", table + "SELECT a FROM t;\nSELECT a FROM t;\n", "2 error LG-RUN-001"},
		{"syntax", mode + "SELECT a\nFORM t;\n", "3 error LG-RUN-005"},
		{"unknown table", mode + "SELECT a FROM u;\n", "2 error LG-RUN-003"},
		{"unknown column", mode + table + "\nSELECT b FROM t;\n", "4 error LG-RUN-004"},
		{"two on one line", mode + table + "SELECT a FROM t; SELECT a FROM t;\n", "3 error LG-RUN-016"},
		{"what follows a broken table", mode + "CREATE TABLE u (a IMT) WITH ('connector' = 'print');\nSELECT a FROM u;\n", "2 error LG-RUN-013; 3 note LG-RUN-003"},
		{"a file sink and updates", mode + table + "CREATE TABLE s (a INT, n BIGINT) WITH ('connector' = 'filesystem', 'path' = '/x/s', 'format' = 'csv');\nINSERT INTO s SELECT a, COUNT(*) FROM t GROUP BY a;\n", "4 error LG-RUN-020"},
		{"relative path and no delay", strings.Replace(strings.Replace(mode+table, "/x/t.csv", "t.csv", 1), " - INTERVAL '1' SECOND", "", 1) + "SELECT a FROM t;\n", "2 warning LG-RUN-002; 2 note LG-FACT-004"},
		{"empty", "-- nothing\n", "0 error LG-FILE-011"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := LintSQL(context.Background(), "x.sql", c.text)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found {
				got = append(got, fmt.Sprintf("%d %s %s", f.Line, f.Severity, f.Code))
			}
			if s := strings.Join(got, "; "); s != c.want {
				t.Errorf("got  %s\nwant %s\n%v", s, c.want, found)
			}
		})
	}
}
