package bind

import (
	"strings"
	"testing"

	"github.com/labgrade/labgrade/fixtures"
)

const shop = `CREATE TABLE t (a INT, b BIGINT, c STRING, ts TIMESTAMP(3), PRIMARY KEY (a) NOT ENFORCED, WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = '/t', 'format' = 'csv');
CREATE TABLE u (a INT, x STRING) WITH ('connector' = 'filesystem', 'path' = '/u', 'format' = 'csv');
CREATE VIEW v AS SELECT a, COUNT(*) AS n FROM u GROUP BY a;
CREATE TABLE snk (a BIGINT, c STRING) WITH ('connector' = 'blackhole')`

func shopSession(t *testing.T, batch bool) *session {
	t.Helper()
	s := newSession(batch)
	for _, d := range fixtures.Statements(shop) {
		if err := s.ddl(d); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestTrees(t *testing.T) {
	s := shopSession(t, true)
	scan := "LogicalTableScan(table=[[default_catalog, default_database, "
	for _, c := range []struct{ query, want string }{
		{"SELECT a, b * 2 FROM t", "LogicalProject(a=[$0], EXPR$1=[*($1, 2)])\n+- " + scan + "t]])"},
		{"SELECT CURRENT_DATE, a AS b, a AS b FROM u", "LogicalProject(CURRENT_DATE=[CURRENT_DATE], b=[$0], b0=[$0])\n+- " + scan + "u]])"},
		{"SELECT n FROM v WHERE n > 1", "LogicalProject(n=[$1])\n+- LogicalFilter(condition=[>($1, 1)])\n   +- LogicalAggregate(group=[{0}], n=[COUNT()])\n      +- LogicalProject(a=[$0])\n         +- " + scan + "u]])"},
		{"SELECT DISTINCT a, c FROM t", "LogicalProject(a=[$0], c=[$2])\n+- " + scan + "t]])"},
		{"SELECT DISTINCT a FROM u", "LogicalAggregate(group=[{0}])\n+- LogicalProject(a=[$0])\n   +- " + scan + "u]])"},
		{"SELECT a FROM u WHERE x IN ('p', 'q')", "LogicalProject(a=[$0])\n+- LogicalFilter(condition=[OR(=($1, _UTF-16LE'p'), =($1, _UTF-16LE'q'))])\n   +- " + scan + "u]])"},
		{"SELECT a FROM u ORDER BY x DESC LIMIT 3", "LogicalProject(a=[$0])\n+- LogicalSort(sort0=[$1], dir0=[DESC-nulls-last], fetch=[3])\n   +- LogicalProject(a=[$0], x=[$1])\n      +- " + scan + "u]])"},
		{"INSERT INTO snk (c) SELECT x FROM u", "LogicalSink(table=[default_catalog.default_database.snk], targetColumns=[[1]], fields=[EXPR$0, x])\n+- LogicalProject(EXPR$0=[null:BIGINT], x=[$1])\n   +- " + scan + "u]])"},
		{"SELECT x FROM u QUALIFY ROW_NUMBER() OVER (PARTITION BY a ORDER BY x) = 1", "LogicalProject(x=[$0])\n+- LogicalFilter(condition=[$1])\n   +- LogicalProject(x=[$1], QualifyExpression=[=(ROW_NUMBER() OVER (PARTITION BY $0 ORDER BY $1 NULLS FIRST), 1)])\n      +- " + scan + "u]])"},
	} {
		got, err := s.ast(c.query)
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		if strings.TrimSpace(got) != c.want {
			t.Errorf("%s\n%s\nwant\n%s", c.query, got, c.want)
		}
	}
}

func TestErrorsOfFlink(t *testing.T) {
	s := shopSession(t, false)
	for _, c := range []struct{ query, want string }{
		{"SELECT z FROM t", "Column 'z' not found in any table"},
		{"SELECT a FROM t, u", "Column 'a' is ambiguous"},
		{"SELECT a FROM nope", "Object 'nope' not found"},
		{"SELECT a, b FROM t GROUP BY a", "Expression 'b' is not being grouped"},
		{"SELECT a FROM t WHERE a AND TRUE", "Cannot apply 'AND' to arguments of type '<INTEGER> AND <BOOLEAN>'. Supported form(s): '<BOOLEAN> AND <BOOLEAN>'"},
		{"SELECT a FROM t WHERE a > 1 AND NULL", "Illegal use of 'NULL'"},
		{"SELECT DATE '2020-02-30' FROM t", "Illegal DATE literal '2020-02-30': not in format 'yyyy-MM-dd'"},
		{"INSERT INTO snk SELECT x, a FROM u", "Column types of query result and sink for 'default_catalog.default_database.snk' do not match.\nCause: Incompatible types for sink column 'a' at position 1.\n\nQuery schema: [x: STRING, a: INT]\nSink schema:  [a: BIGINT, c: STRING]"},
	} {
		got, err := s.ast(c.query)
		if err == nil {
			t.Errorf("%s is accepted:\n%s", c.query, got)
			continue
		}
		if _, msg, _ := strings.Cut(err.Error(), ": "); msg != c.want {
			t.Errorf("%s\n%s\nwant\n%s", c.query, msg, c.want)
		}
	}
}
