package sql

import (
	"strings"
	"testing"
)

func TestParseErrorFirstLines(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"reserved alias", "SELECT 1 AS one FROM t", `Encountered "one" at line 1, column 13.`},
		{"keyword in capitals where a name could be", "SELECT a COUNT(*) FROM t", `Incorrect syntax near the keyword 'COUNT' at line 1, column 10.`},
		{"trailing comma", "SELECT a, FROM t", `Incorrect syntax near the keyword 'FROM' at line 1, column 11.`},
		{"double equals", "SELECT a FROM t WHERE a == 1", `Encountered "= =" at line 1, column 25.`},
		{"bang equal", "SELECT a FROM t WHERE a != 1", `Bang equal '!=' is not allowed under the current SQL conformance level`},
		{"curly quote", "SELECT a FROM t WHERE a = \u2018x\u2019", `Lexical error at line 1, column 27.  Encountered: "\u2018" (8216), after : ""`},
		{"map with a comma too many", "SELECT MAP['a', 'b', ]", `Encountered ", ]" at line 1, column 20.`},
		{"two statements", "SELECT 1;\nSELECT 2", "only single statement supported"},
		{"missing semicolon", "SELECT 1\nSELECT 2", `Incorrect syntax near the keyword 'SELECT' at line 2, column 1.`},
		{"explain of show", "EXPLAIN SHOW TABLES", `Incorrect syntax near the keyword 'SHOW' at line 1, column 9.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.text)
			if err == nil {
				t.Fatal("no error")
			}
			if got := err.(*Error).Message; got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestDeepNestingIsAnError(t *testing.T) {
	for _, text := range []string{
		"SELECT " + strings.Repeat("(", 100000) + "1",
		"SELECT " + strings.Repeat("-", 1) + strings.Repeat("+ -", 100000) + "1",
		strings.Repeat("(", 100000) + "SELECT 1",
		"SELECT " + strings.Repeat("NOT ", 100000) + "TRUE",
	} {
		if _, err := Parse(text); err == nil {
			t.Error("no error for deep nesting")
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"SELECT a, COUNT(*) FROM t GROUP BY a", "CREATE TABLE t (a INT, WATERMARK FOR a AS a - INTERVAL '1' SECOND) WITH ('k'='v')", "EXPLAIN PLAN FOR SELECT `x` FROM y /*+ OPTIONS('a'='b') */"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, err := Parse(s)
		if _, ok := err.(*Error); err != nil && !ok {
			t.Errorf("error of type %T", err)
		}
	})
}
