package checks

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/labgrade/labgrade/labs"
)

const clausesLab = `lab: clauses
version: "1"
flink: 2.3.0
tables:
  - {name: o, file: o.csv, columns: [id INT, cur STRING, price INT, ts TIMESTAMP(3)], watermark: ts AS ts - INTERVAL '5' SECOND}
  - {name: r, file: r.csv, columns: [cur STRING, rate INT, ts TIMESTAMP(3)], watermark: ts AS ts - INTERVAL '5' SECOND, primary_key: [cur]}
steps:
  - {id: s, kind: changelog, sql: s.sql, out: s.out, query: SELECT id FROM o}
`

// TestClauseFaults: a learner's statement, the lab's statement, and what is wrong.
func TestClauseFaults(t *testing.T) {
	lab, err := labs.Parse("lab.yaml", []byte(clausesLab))
	if err != nil {
		t.Fatal(err)
	}
	const (
		window = "SELECT cur, window_start, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY cur, window_start, window_end"
		join   = "SELECT o.id, r.rate FROM o LEFT JOIN r ON o.cur = r.cur AND r.ts BETWEEN o.ts - INTERVAL '10' SECOND AND o.ts"
		asOf   = "SELECT o.id, r.rate FROM o JOIN r FOR SYSTEM_TIME AS OF o.ts ON o.cur = r.cur"
		match  = "SELECT * FROM o MATCH_RECOGNIZE (PARTITION BY cur ORDER BY ts MEASURES A.id AS a ONE ROW PER MATCH AFTER MATCH SKIP TO NEXT ROW PATTERN (A B+ C) WITHIN INTERVAL '10' SECOND DEFINE B AS B.price < A.price, C AS C.price > LAST(B.price))"
		rank   = "SELECT id, price FROM (SELECT id, price, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY ts DESC) AS n FROM o) WHERE n = 1"
	)
	for _, c := range []struct{ name, query, old, new, want string }{
		{"the same", window, "'1' MINUTE", "'60' SECOND", ""},
		{"window kind", window, "TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '1' MINUTE)", "HOP(TABLE o, DESCRIPTOR(ts), INTERVAL '30' SECOND, INTERVAL '1' MINUTE)", "LG-SQL-033"},
		{"named arguments", window, "TABLE o, DESCRIPTOR(ts), INTERVAL", "DATA => TABLE o, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL", ""},
		{"named arguments, with WHERE", window, "TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '1' MINUTE))", "TABLE(TUMBLE(DATA => TABLE o, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '1' MINUTE)) WHERE price > 2", "LG-SQL-001"},
		{"named arguments, other size", window, "TABLE o, DESCRIPTOR(ts), INTERVAL '1' MINUTE", "DATA => TABLE o, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '2' MINUTE", "LG-SQL-034"},
		{"window size", window, "'1' MINUTE", "'2' MINUTE", "LG-SQL-034"},
		{"no window", window, window, "SELECT cur, COUNT(*) AS n FROM o GROUP BY cur", "LG-SQL-029"},
		{"window group", window, "GROUP BY cur, window_start, window_end", "GROUP BY cur, window_start", "LG-SQL-004"},
		{"join kind", join, "LEFT JOIN", "JOIN", "LG-SQL-035"},
		{"no join", join, join, "SELECT id, price FROM o", "LG-SQL-035"},
		{"time bound", join, "'10' SECOND", "'20' SECOND", "LG-SQL-042"},
		{"time bound left out", join, " AND r.ts BETWEEN o.ts - INTERVAL '10' SECOND AND o.ts", "", "LG-SQL-042"},
		{"sides exchanged", join, "o.cur = r.cur", "r.cur = o.cur", ""},
		{"aliases", asOf, asOf, "SELECT a.id, b.rate FROM o AS a JOIN r FOR SYSTEM_TIME AS OF a.ts AS b ON a.cur = b.cur", ""},
		{"no version", asOf, " FOR SYSTEM_TIME AS OF o.ts", "", "LG-SQL-036"},
		{"skip", match, "TO NEXT ROW", "PAST LAST ROW", "LG-SQL-037"},
		{"skip left out is the same", match, "AFTER MATCH SKIP TO NEXT ROW ", "", ""},
		{"pattern", match, "B+", "B*", "LG-SQL-038"},
		{"within", match, " WITHIN INTERVAL '10' SECOND", "", "LG-SQL-039"},
		{"define", match, "B.price < A.price", "B.price <= A.price", "LG-SQL-040"},
		{"partition", match, "PARTITION BY cur ", "", "LG-SQL-041"},
		{"no pattern", match, match, "SELECT cur, id AS a FROM o", "LG-SQL-029"},
		{"order of ranks", rank, "ts DESC", "ts", "LG-SQL-044"},
		{"rank condition", rank, "n = 1", "n <= 2", "LG-SQL-003"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(c.query, c.old, c.new, 1)
			got := faultCodes(t, lab, c.query, tablesText(lab)+text+";\n")
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	t.Run("watermark", func(t *testing.T) {
		script := strings.Replace(tablesText(lab), " - INTERVAL '5' SECOND", "", 1) + window + ";\n"
		if got := faultCodes(t, lab, window, script); got != "LG-SQL-045" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("through a view", func(t *testing.T) {
		script := tablesText(lab) + "CREATE VIEW v AS SELECT * FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '2' MINUTE));\nSELECT cur, window_start, COUNT(*) AS n FROM v GROUP BY cur, window_start, window_end;\n"
		if got := faultCodes(t, lab, window, script); got != "LG-SQL-034" {
			t.Errorf("got %q", got)
		}
	})
}

func tablesText(lab *labs.Lab) string {
	return lab.Tables[0].Statement() + lab.Tables[1].Statement()
}

// faultCodes are the codes that comparing the last statement of a script gives.
func faultCodes(t *testing.T, lab *labs.Lab, query, script string) string {
	t.Helper()
	g := New(lab, func(string) (fs.File, error) { return newMemFile(nil), nil }, Reference())
	list, err := g.execute(context.Background(), "SET 'sql-client.execution.result-mode' = 'tableau';\n"+script, styleTable, forLearner, nil)
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	last := list[len(list)-1]
	if last.stmt == nil {
		t.Fatal(last.err)
	}
	var codes []string
	for _, f := range sqlFaults(lab, &lab.Steps[0], query, list, len(list)-1) {
		codes = append(codes, f.code)
	}
	return strings.Join(codes, " ")
}

func TestReads(t *testing.T) {
	lab, err := labs.Parse("lab.yaml", []byte(clausesLab))
	if err != nil {
		t.Fatal(err)
	}
	g := New(lab, nil, Reference())
	for _, c := range []struct{ name, setup, query, want string }{
		{"one", "", "SELECT r AS x FROM o", "o"}, // a column that is called like a table
		{"join", "", "SELECT 1 FROM o JOIN r ON o.cur = r.cur", "o r"},
		{"through a view", "CREATE VIEW v AS SELECT * FROM r;", "SELECT * FROM v", "r"},
		{"CTE", "", "WITH w AS (SELECT * FROM r) SELECT * FROM w", "r"},
		{"sub-query", "", "SELECT id FROM o WHERE cur IN (SELECT cur FROM r)", "o r"},
		{"window", "", "SELECT * FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '1' MINUTE))", "o"},
		{"INSERT", "", "INSERT INTO s SELECT * FROM o", "o"},
	} {
		if got := strings.Join(g.reads(&labs.Step{Setup: c.setup, Query: c.query}), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
