package checks

import (
	"context"
	"io/fs"
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
