package checks

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

// kindsLab is a lab with steps of the kinds and options that no shipped lab need have.
const kindsLab = `lab: orders
version: "1"
flink: 2.3.0
tables:
  - name: orders
    file: orders.csv
    columns: [id INT, shop STRING, amount INT, ts TIMESTAMP(3), big AS amount > 50]
    watermark: ts AS ts - INTERVAL '5' SECOND
  - ddl: |
      CREATE TABLE shops (shop STRING, city STRING, PRIMARY KEY (shop) NOT ENFORCED) WITH (
        'connector' = 'filesystem', 'path' = 'file:///data/shops.csv', 'format' = 'csv')
setup: CREATE VIEW big_orders AS SELECT * FROM orders WHERE big;
steps:
  - id: run
    kind: changelog
    judge: sql
    sql: run.sql
    query: SELECT shop, COUNT(*) AS n FROM orders GROUP BY shop
    key: [shop]
    facts:
      - uses: GROUP BY
      - avoids: DISTINCT
        says: Count without DISTINCT.
      - {table: orders, watermark: delayed}
      - {setting: execution.runtime-mode, value: streaming}
      - order: [SET, CREATE TABLE, SELECT]
  - id: facts
    kind: facts
    sql: run.sql
    facts: [{table: orders, option: format, value: csv}]
  - id: print
    kind: print
    sql: print.sql
    out: print.log
    setup: CREATE TABLE p (shop STRING, n BIGINT) WITH ('connector' = 'print', 'print-identifier' = 'a');
    query: INSERT INTO p SELECT shop, COUNT(*) FROM orders GROUP BY shop
    key: [shop]
  - id: running
    kind: changelog
    out: running.out
    query: SELECT shop, COUNT(*) AS n FROM orders GROUP BY shop
    key: [shop]
    compare: prefix
    at_least: 3
  - id: files
    kind: sink
    judge: sql
    sql: files.sql
    setup: |
      CREATE TABLE out_fs (city STRING, n BIGINT) WITH ('connector' = 'filesystem', 'path' = 'file:///x/out', 'format' = 'csv');
    mode: batch
    query: INSERT INTO out_fs SELECT shop, COUNT(*) FROM big_orders GROUP BY shop
  - id: numbers
    kind: report
    file: numbers.json
    numbers:
      - {name: updates, value: "count(run, '+U', shop = 'b')"}
      - {name: shops, value: final(run)}
      - {name: kinds, value: "distinct(run, shop) + max(run, n)"}
      - {name: late, query: "SELECT COUNT(*) FROM orders WHERE amount < 10"}
`

const (
	ordersCSV = "1,a,60,2026-01-01 09:00:00\n2,b,5,2026-01-01 09:00:01\n3,a,70,2026-01-01 09:00:02\n4,b,80,2026-01-01 09:00:03\n5,\"c, d\",90,2026-01-01 09:00:04\n"
	shopsCSV  = "a,Rome\nb,Oslo\n\"c, d\",Rome\n"

	kindsDDL = "SET 'execution.runtime-mode' = 'streaming';\nCREATE TABLE orders (id INT, shop STRING, amount INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path' = '/my/orders.csv', 'format' = 'csv');\n"
	runSQL   = kindsDDL + "SELECT shop, COUNT(*) AS n FROM orders GROUP BY shop;\n"
	filesSQL = "SET 'execution.runtime-mode' = 'batch';\nINSERT INTO out_fs SELECT shop, COUNT(*) FROM orders WHERE amount > 50 GROUP BY shop;\n"

	printLog  = "a> +I[a, 1]\nother> +I[x]\na> +I[b, 1]\na> -U[a, 1]\na> +U[a, 2]\na> -U[b, 1]\na> +U[b, 2]\na> +I[c, d, 1]\n"
	runningUp = "+----+--------------------------------+----------------------+\n| op |                           shop |                    n |\n+----+--------------------------------+----------------------+\n" +
		"| +I |                              a |                    1 |\n| +I |                              b |                    1 |\n| -U |                              a |                    1 |\n| +U |                              a |                    2 |\n"
	numbersJSON = `{"updates": 1, "shops": 3, "kinds": 5, "late": 1}`
)

func rightKinds() fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range map[string]string{
		"run.sql": runSQL, "files.sql": filesSQL, "print.log": printLog, "running.out": runningUp, "numbers.json": numbersJSON,
		"print.sql": "INSERT INTO p SELECT shop, COUNT(*) FROM orders GROUP BY shop;",
	} {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func kindsGrader(t testing.TB) *Grader {
	t.Helper()
	lab, err := labs.Parse("lab.yaml", []byte(kindsLab))
	if err != nil {
		t.Fatal(err)
	}
	return New(lab, func(table string) (fs.File, error) {
		if table == "orders" {
			return newMemFile([]byte(ordersCSV)), nil
		}
		return newMemFile([]byte(shopsCSV)), nil
	}, Reference())
}

func TestKindsRight(t *testing.T) {
	got, err := kindsGrader(t).Check(context.Background(), rightKinds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range got {
		if c.Outcome != report.Pass {
			t.Errorf("%s is %s", c.ID, c.Outcome)
		}
	}
	if s := wrongOnly(got); s != "" {
		t.Error(s)
	}
}

func TestKindsWrong(t *testing.T) {
	g := kindsGrader(t)
	for _, c := range []struct {
		name, file, old, new string
		step, code, place    string
		outcome              report.Outcome
	}{
		{"judged SQL with another group", "run.sql", "GROUP BY shop", "GROUP BY shop, id", "run", "LG-SQL-005", "run.sql:3", report.Fail},
		{"judged SQL with a syntax error", "run.sql", "FROM orders", "FORM orders", "run", "LG-RUN-005", "run.sql", report.Fail},
		{"judged SQL in batch mode", "run.sql", "'streaming'", "'batch'", "run", "LG-STREAM-001", "run.sql:1", report.Fail},
		{"judged SQL is empty", "run.sql", runSQL, "-- SELECT 1;\n", "run", "LG-FILE-011", "run.sql", report.Ungradable},
		{"what the engine does not do", "run.sql", "COUNT(*) AS n", "LISTAGG(DISTINCT shop, MY_UDF('x')) AS n", "run", "LG-RUN-018", "run.sql", report.Fail},
		{"fact: forbidden word", "run.sql", "SELECT shop, COUNT(*)", "SELECT shop, COUNT(DISTINCT id)", "run", "LG-FACT-002", "run.sql:3", report.Fail},
		{"fact: missing word", "run.sql", "GROUP BY shop", "", "run", "LG-FACT-001", "run.sql", report.Fail},
		{"fact: no watermark", "run.sql", ", WATERMARK FOR ts AS ts - INTERVAL '5' SECOND", "", "run", "LG-FACT-003", "run.sql:2", report.Fail},
		{"fact: no delay", "run.sql", "AS ts - INTERVAL '5' SECOND", "AS ts", "run", "LG-FACT-004", "run.sql:2", report.Fail},
		{"fact: order", "run.sql", "SET 'execution.runtime-mode' = 'streaming';\n" + strings.Split(kindsDDL, "\n")[1], strings.Split(kindsDDL, "\n")[1] + "\nSET 'execution.runtime-mode' = 'streaming';", "run", "LG-FACT-005", "run.sql:1", report.Fail},
		{"fact: setting", "run.sql", "SET 'execution.runtime-mode' = 'streaming';\n", "SET 'parallelism.default' = '1';\n", "run", "LG-FACT-006", "run.sql", report.Fail},
		{"fact: option", "run.sql", "'format' = 'csv'", "'format' = 'json'", "facts", "LG-FACT-007", "run.sql:2", report.Fail},
		{"print log: a line lost", "print.log", "a> -U[a, 1]\n", "", "print", "LG-STREAM-006", "print.log:4", report.Fail},
		{"print log: a value", "print.log", "+I[c, d, 1]", "+I[c, d, 2]", "print", "LG-STREAM-009", "print.log:8", report.Fail},
		{"print log: only the lines of another sink", "print.log", printLog, "other> +I[x]\n", "print", "LG-STREAM-005", "print.log:1", report.Fail},
		{"prefix too short", "running.out", runningUp[strings.Index(runningUp, "| -U"):], "", "running", "LG-STREAM-017", "running.out:5", report.Fail},
		{"prefix wrong", "running.out", "| +U |                              a |                    2 |", "| +U |                              a |                    3 |", "running", "LG-STREAM-009", "running.out:7", report.Fail},
		{"judged files", "files.sql", "amount > 50", "amount > 80", "files", "LG-SQL-003", "files.sql:2", report.Fail},
		{"number with a condition", "numbers.json", `"updates": 1`, `"updates": 2`, "numbers", "LG-REPORT-003", "numbers.json:1", report.Fail},
		{"number of a final table", "numbers.json", `"shops": 3`, `"shops": 7`, "numbers", "LG-REPORT-003", "numbers.json:1", report.Fail},
		{"number of a query", "numbers.json", `"late": 1`, `"late": 4`, "numbers", "LG-REPORT-003", "numbers.json:1", report.Fail},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := rightKinds()
			text := strings.Replace(string(base[c.file].Data), c.old, c.new, 1)
			if text == string(base[c.file].Data) {
				t.Fatal("nothing was replaced")
			}
			got, err := g.Check(context.Background(), with(base, c.file, text), []string{c.step})
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 1 || got[0].Outcome != c.outcome {
				t.Fatalf("outcome %s, want %s\n%s", got[0].Outcome, c.outcome, wrongOnly(got))
			}
			at := slices.IndexFunc(got[0].Findings, func(f report.Finding) bool { return f.Code == c.code })
			if at < 0 {
				t.Fatalf("no %s in\n%s", c.code, wrongOnly(got))
			}
			if p := got[0].Findings[at].Place(); p != c.place {
				t.Errorf("place %s, want %s\n%s", p, c.place, wrongOnly(got))
			}
		})
	}
}
