package checks

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

// shopLab has one step of each kind whose faults are easily laid to the wrong door.
const shopLab = `lab: shops
version: "1"
flink: 2.3.0
tables:
  - name: orders
    file: orders.csv
    columns: [id INT, shop STRING, amount INT, ts TIMESTAMP(3)]
    watermark: ts AS ts - INTERVAL '5' SECOND
steps:
  - id: peak
    kind: table
    judge: sql
    mode: batch
    sql: peak.sql
    query: SELECT shop, MAX(amount) AS m FROM orders GROUP BY shop
    key: [shop]
  - id: final
    kind: changelog
    out: final.out
    query: SELECT shop, SUM(amount) AS m FROM orders GROUP BY shop
    key: [shop]
    compare: final
  - id: window
    kind: changelog
    out: window.out
    query: SELECT window_start, shop, COUNT(*) AS n FROM TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE) GROUP BY window_start, window_end, shop
    key: [window_start, shop]
`

const shopOrders = "1,a,60,2026-01-01 09:00:00\n2,b,5,2026-01-01 09:00:01\n3,a,70,2026-01-01 09:00:02\n" +
	"4,b,80,2026-01-01 09:01:10\n5,a,90,2026-01-01 09:02:20\n6,a,20,2026-01-01 09:03:30\n"

// shopFindings are the findings of one step about one file, notes left out.
func shopFindings(t *testing.T, step, file, text string) []report.Finding {
	t.Helper()
	lab, err := labs.Parse("lab.yaml", []byte(shopLab))
	if err != nil {
		t.Fatal(err)
	}
	g := New(lab, func(string) (fs.File, error) { return newMemFile([]byte(shopOrders)), nil }, Reference())
	got, err := g.Check(context.Background(), fstest.MapFS{file: {Data: []byte(text)}}, []string{step})
	if err != nil {
		t.Fatal(err)
	}
	var out []report.Finding
	for _, f := range got[0].Findings {
		if f.Severity != report.Note {
			out = append(out, f)
		}
	}
	return out
}

// TestBlamed: of what is unlike the lab's query only that is blamed which the result shows.
func TestBlamed(t *testing.T) {
	for _, c := range []struct{ name, sql, codes string }{
		{"right without SET", "SELECT shop, MAX(amount) AS m FROM orders GROUP BY shop;", ""},
		{"no SET is no wrong mode", "SELECT shop, MIN(amount) AS m FROM orders GROUP BY shop;", "LG-SQL-007"},
		{"the wrong mode is set", "SET 'execution.runtime-mode' = 'streaming';\nSELECT shop, MIN(amount) AS m FROM orders GROUP BY shop;", "LG-TABLE-001 LG-SQL-007"},
		{"WHERE removes nothing", "SELECT shop, MAX(id) AS m FROM orders WHERE amount > 3 GROUP BY shop;", "LG-SQL-008"},
		{"WHERE removes rows", "SELECT shop, MIN(amount) AS m FROM orders WHERE amount > 30 GROUP BY shop;", "LG-SQL-001 LG-SQL-007"},
		{"HAVING removes nothing", "SELECT shop, MAX(id) AS m FROM orders GROUP BY shop HAVING COUNT(*) > 0;", "LG-SQL-008"},
		{"DISTINCT removes nothing", "SELECT DISTINCT shop, MAX(id) AS m FROM orders GROUP BY shop;", "LG-SQL-008"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var codes []string
			for _, f := range shopFindings(t, "peak", "peak.sql", c.sql) {
				codes = append(codes, f.Code)
			}
			if got := strings.Join(codes, " "); got != c.codes {
				t.Errorf("codes %q, want %q", got, c.codes)
			}
		})
	}
}

// savedAs writes a result as the client does, the cells as wide as they must be.
func savedAs(header string, rows ...string) string {
	table := [][]string{strings.Split(strings.Trim(header, "| "), " | ")}
	for _, r := range rows {
		table = append(table, strings.Split(strings.Trim(r, "| "), " | "))
	}
	line, text := "+----+", ""
	for range table[0][1:] {
		line += strings.Repeat("-", 27) + "+"
	}
	for i, r := range table {
		text += "| " + fmt.Sprintf("%2s", r[0]) + " |"
		for _, c := range r[1:] {
			text += fmt.Sprintf(" %25s |", c)
		}
		text += "\n"
		if i == 0 {
			text += line + "\n"
		}
	}
	return line + "\n" + text + line + "\n" + fmt.Sprintf("Received a total of %d rows (0.01 seconds)\n", len(rows))
}

// TestFinalTables: a step that compares the final tables names the row of the table that
// differs, not rows of a log that may be any.
func TestFinalTables(t *testing.T) {
	for _, c := range []struct {
		name, code, expected, actual string
		line                         int
		rows                         []string
	}{
		{"another value", "LG-STREAM-009", "shop a, m 240", "shop a, m 241", 6, []string{"| +I | a | 7 |", "| -U | a | 7 |", "| +U | a | 241 |", "| +I | b | 85 |"}},
		{"a row is gone", "LG-STREAM-006", "shop a, m 240", "no such row", 8, []string{"| +I | a | 7 |", "| -D | a | 7 |", "| +I | b | 85 |"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := shopFindings(t, "final", "final.out", savedAs("| op | shop | m |", c.rows...))
			if len(got) != 1 {
				t.Fatalf("findings %+v", got)
			}
			f := got[0]
			if f.Code != c.code || f.Expected != c.expected || f.Actual != c.actual || f.Line != c.line || len(f.SourceRows) != 4 {
				t.Errorf("%+v", f)
			}
		})
	}
}

const windowHeader = "| op | window_start | shop | n |"

// windowLog is the right log of the step window.
var windowLog = []string{
	"| +I | 2026-01-01 09:00:00.000 | a | 2 |", "| +I | 2026-01-01 09:00:00.000 | b | 1 |",
	"| +I | 2026-01-01 09:01:00.000 | b | 1 |", "| +I | 2026-01-01 09:02:00.000 | a | 1 |",
	"| +I | 2026-01-01 09:03:00.000 | a | 1 |"}

// TestFiredByWatermark: a window's row is made by the rows it counts, not by the one that
// fired it.
func TestFiredByWatermark(t *testing.T) {
	edited := slices.Clone(windowLog)
	edited[0] = strings.Replace(edited[0], "| 2 |", "| 9 |", 1)
	got := shopFindings(t, "window", "window.out", savedAs(windowHeader, edited...))
	if len(got) != 1 {
		t.Fatalf("findings %+v", got)
	}
	var lines []int
	for _, r := range got[0].SourceRows {
		lines = append(lines, r.Line)
	}
	if !slices.Equal(lines, []int{1, 3}) || !strings.Contains(strings.Join(got[0].More, "\n"), "fired by the watermark that orders.csv line 4 brings") {
		t.Errorf("source rows %v, more %q", lines, got[0].More)
	}
	got = shopFindings(t, "window", "window.out", savedAs(windowHeader, windowLog[:4]...))
	if len(got) != 1 || got[0].Code != "LG-DATA-003" {
		t.Errorf("findings %+v", got)
	}
}

// TestShorterSourceOfWindows: windows that are open at the end of a shorter source are
// fired there, so that the log is no beginning of the expected one.
func TestShorterSourceOfWindows(t *testing.T) {
	got := shopFindings(t, "window", "window.out", savedAs(windowHeader, strings.Replace(windowLog[0], "| 2 |", "| 1 |", 1), windowLog[1]))
	if len(got) != 1 || got[0].Code != "LG-DATA-003" || !strings.Contains(got[0].Message, "first 2 lines") {
		t.Errorf("findings %+v", got)
	}
}
