package client

import (
	"bytes"
	"strings"
	"testing"
)

// TestRefusedStatements: on standard input the run goes on behind a statement that is refused,
// but what may depend on it is refused as well.
func TestRefusedStatements(t *testing.T) {
	const refused = "CREATE MATERIALIZED TABLE mt AS SELECT 1 AS x"
	create := "CREATE TABLE t (a INT) WITH ('connector' = 'print')"
	for _, test := range []struct {
		name  string
		stmts []string
		want  []bool // refused
	}{
		{"a refused SHOW changes nothing", []string{"DESCRIBE JOB 'x'", create, "DESCRIBE t"}, []bool{true, false, false}},
		{"a refused query changes nothing", []string{create, "SELECT RAND()", "SHOW TABLES"}, []bool{false, true, false}},
		{"unknown session", []string{create, refused, "DESCRIBE t", "SELECT 1"}, []bool{false, true, true, true}},
		{"an altered table", []string{create, "CREATE VIEW v AS SELECT 1 AS t", "ALTER TABLE t ADD DISTRIBUTION BY (a)", "SELECT 1", "SHOW TABLES", "DROP VIEW v", "DROP VIEW v"},
			[]bool{false, false, true, false, true, true, true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var buf bytes.Buffer
			s := New(Options{Out: &buf, NoTimeCost: true, Echo: EchoNone})
			if err := s.RunInput("SET 'sql-client.execution.result-mode' = 'tableau';\n" + strings.Join(test.stmts, ";\n") + ";\n"); err == nil {
				t.Error("no statement was refused")
			}
			answers := strings.Split(buf.String(), "\nFlink SQL> ")[2:]
			for i, want := range test.want {
				if got := strings.Contains(answers[i], "[UNSUPPORTED]"); got != want {
					t.Errorf("%s: refused %t, want %t: %s", test.stmts[i], got, want, answers[i])
				}
			}
		})
	}
}

// TestRefusedNames: what names an object that was refused, or a view over it, is refused.
func TestRefusedNames(t *testing.T) {
	s := New(Options{NoTimeCost: true})
	run := func(text string) bool {
		_, err := s.Exec(text)
		return err != nil && strings.Contains(err.Error(), "comes after one that was refused")
	}
	for _, stmt := range []string{"CREATE TABLE f (a INT) WITH ('connector' = 'filesystem', 'path' = 'file:///d/x', 'format' = 'csv')",
		"CREATE TABLE g (a INT) WITH ('connector' = 'filesystem', 'path' = '/d', 'format' = 'csv')",
		"CREATE TABLE h (a INT) WITH ('connector' = 'filesystem', 'path' = '/e', 'format' = 'csv')",
		"CREATE VIEW v AS SELECT a FROM f", "CREATE VIEW w AS SELECT a FROM v"} {
		if run(stmt) {
			t.Fatal(stmt)
		}
	}
	if _, err := s.Exec("INSERT INTO f SELECT RAND_INTEGER(5)"); err == nil {
		t.Fatal("the INSERT was to be refused")
	}
	for name, want := range map[string]bool{"f": true, "F": true, "g": true, "h": false, "v": true, "w": true, "`w`": true} {
		if got := run("DESCRIBE " + name); got != want {
			t.Errorf("%s: refused %t, want %t", name, got, want)
		}
	}
	if run("SHOW TABLES") {
		t.Error("an INSERT adds no table")
	}
}
