package client

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// A job that fails after many rows shows all rows before the failure; one that fails early shows none.
func TestFailedJobShowsRows(t *testing.T) {
	for _, c := range []struct {
		name string
		bad  int
		last string
	}{
		{name: "late", bad: 190_000, last: "| +I |      189999 |                             k9 |"},
		{name: "early", bad: 9_000, last: "+----+-------------+--------------------------------+"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			for i := range 200_000 {
				if i == c.bad {
					b.WriteString("x,y\n")
					continue
				}
				fmt.Fprintf(&b, "%d,k%d\n", i, i%10)
			}
			var out strings.Builder
			s := New(Options{Out: &out, Files: oneFile{fs: fstest.MapFS{"t.csv": {Data: []byte(b.String())}}}})
			_ = s.RunFile("SET 'sql-client.execution.result-mode' = 'tableau';\nCREATE TABLE t (id INT, k STRING) WITH ('connector' = 'filesystem', 'path' = '/t.csv', 'format' = 'csv');\nSELECT id, k FROM t;\n")
			shown, failure, ok := strings.Cut(out.String(), "[ERROR]")
			if !ok || !strings.Contains(failure, `For input string: "x"`) {
				t.Fatalf("no failure: %.400s", failure)
			}
			lines := strings.Split(strings.TrimSpace(shown), "\n")
			if last := lines[len(lines)-1]; last != c.last {
				t.Errorf("the last line before the failure is\n%s\nwant\n%s\n%.300s", last, c.last, failure)
			}
		})
	}
}
