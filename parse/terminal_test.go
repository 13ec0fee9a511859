package parse

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTerminal reads what a terminal recorder such as script(1) keeps of an interactive
// session: the line editor colours its prompt, switches modes and jumps back to show
// which bracket a closing one belongs to.
func TestTerminal(t *testing.T) {
	text := "\x1b[?1h\x1b=\x1b[?2004h\x1b[32mFlink SQL\x1b[0m> SELECT name,\r\r\n" +
		">   SUM(n)\b\b\b\x1b[3C AS s\r\r\n" +
		"> FROM (VALUES ('Bob', 1)\x1b[10D\x1b[10C, ('Bob', 2)\x1b[10D\x1b[10C)\x1b[31D\x1b[31C AS t(name, n)\x1b[9D\x1b[9C;\r\r\n" +
		"\x1b[?1l\x1b>\x1b[?1000l\x1b[?2004l+----+------+---+\r\n" +
		"| op | name | s |\r\n" +
		"+----+------+---+\r\n" +
		"| +I |  Bob | 1 |\r\n" +
		"^CQuery terminated, received a total of 1 row\r\n" +
		"\r\n" +
		"\x1b[32mFlink SQL\x1b[0m> SELEKT\b\b \x1b[K\bCT 1;\r\n" +
		"\x1b[31;1m[ERROR] Could not execute SQL statement. Reason:\r\n" +
		"a.b.ParseException: Encountered \"SELECT\"\x1b[0m\r\n"
	want := `4-8 cancelled/query rows=1 counts=[1 0 0 0] columns=name,s footer=terminated:1
  echo@1 "SELECT name,\n  SUM(n) AS s\nFROM (VALUES ('Bob', 1), ('Bob', 2)) AS t(name, n);"
  7 +I Bob; 1
11-12 error
  echo@10 "SELECT 1;"
  error "Could not execute SQL statement. Reason:" class=a.b.ParseException message="Encountered \"SELECT\""
`
	if d := cmp.Diff(want, facts(readText(t, text), true)); d != "" {
		t.Error(d)
	}
}
