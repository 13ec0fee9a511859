package sql

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestScript: sql-client reads line by line, and a statement ends with a line that ends
// with a semicolon.
func TestScript(t *testing.T) {
	type chunk struct {
		Line int
		Text string
	}
	cases := []struct {
		name, text string
		file       bool
		want       []chunk
	}{
		{"two lines", "SELECT 1;\nSELECT 2;\n", true, []chunk{{1, "SELECT 1;"}, {2, "SELECT 2;"}}},
		{"two on a line are one", "SELECT 1; SELECT 2;\n", true, []chunk{{1, "SELECT 1; SELECT 2;"}}},
		{"a semicolon inside a line", "SELECT 1; SELECT\n2;\n", true, []chunk{{1, "SELECT 1; SELECT\n2;"}}},
		{"a file gets its last semicolon", "SELECT 1\n", true, []chunk{{1, "SELECT 1;"}}},
		{"standard input does not", "SELECT 1\n", false, nil},
		{"quoted semicolons", "SELECT ';\n', `a;\n`;\n", true, []chunk{{1, "SELECT ';\n', `a;\n`;"}}},
		{"a semicolon in a comment", "SELECT 1 -- one;\n, 2;\n", true, []chunk{{1, "SELECT 1 -- one;\n, 2;"}}},
		{"a block comment", "SELECT /* a;\nb; */ 1;\n", true, []chunk{{1, "SELECT /* a;\nb; */ 1;"}}},
		{"blank lines and comments go with the next", "SELECT 1;\n\n-- two\nSELECT 2;\n", true, []chunk{{1, "SELECT 1;"}, {2, "\n-- two\nSELECT 2;"}}},
		{"leading blank lines of a file", "\n\nSELECT 1;\n", true, []chunk{{3, "SELECT 1;"}}},
		{"a lone semicolon is skipped", ";\nSELECT 1;\n", true, []chunk{{1, ";\nSELECT 1;"}}},
		{"tabs are dropped", "SELECT\t1;\n", true, []chunk{{1, "SELECT1;"}}},
		{"line ends of Windows", "SELECT 1;\r\nSELECT 2;\r\n", true, []chunk{{1, "SELECT 1;"}, {2, "SELECT 2;"}}},
		{"blanks behind the semicolon", "SELECT 1;  \nSELECT 2;\n", true, []chunk{{1, "SELECT 1;  "}, {2, "SELECT 2;"}}},
		{"an open quote swallows the rest", "SELECT 'a;\nSELECT 2;\n", true, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := NewInput(c.text)
			if c.file {
				s = NewScript(c.text)
			}
			var got []chunk
			for {
				x, ok := s.Next()
				if !ok {
					break
				}
				got = append(got, chunk{x.Line, x.Text})
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestMore: a chunk that Flink's parser finds incomplete is read on.
func TestMore(t *testing.T) {
	s := NewScript("EXECUTE STATEMENT SET BEGIN\nINSERT INTO a SELECT 1;\nINSERT INTO b SELECT 2;\nEND;\nSELECT 3;\n")
	c, _ := s.Next()
	for range 2 {
		var ok bool
		if c, ok = s.More(c); !ok {
			t.Fatal("nothing more")
		}
	}
	if c.Line != 1 || !strings.HasSuffix(c.Text, "INSERT INTO b SELECT 2;\nEND;") {
		t.Errorf("line %d: %q", c.Line, c.Text)
	}
	if c, _ = s.Next(); c.Line != 5 || c.Text != "SELECT 3;" {
		t.Errorf("line %d: %q", c.Line, c.Text)
	}
}

// TestLexicalErrorOfTheClient: the client's own tokenizer refuses a character before
// anything is sent.
func TestLexicalErrorOfTheClient(t *testing.T) {
	c, ok := NewScript("SELECT ‘a’;\n").Next()
	if !ok || c.Err == nil || !strings.Contains(c.Err.Error(), `Lexical error at line 1, column 8.  Encountered: "\u2018" (8216)`) {
		t.Errorf("%v %v", ok, c.Err)
	}
}

func TestFirstWord(t *testing.T) {
	for text, want := range map[string]string{
		"quit;": "quit", " /* a */ HELP now;": "HELP", "-- c\nExit;": "Exit", "": "", "'x'": "", "`q`": "",
	} {
		if got := FirstWord(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestCommands: SET, RESET and the client's words are found before the grammar is asked.
func TestCommands(t *testing.T) {
	for _, text := range []string{
		"SET", "SET 'a.b' = 'c'", "SET a.b=c", "set 'a' = 'it''s'", "RESET", "RESET 'a.b'", "QUIT", "exit", "HELP", "CLEAR",
	} {
		if _, err := ParseStatement(text + ";"); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	st, err := ParseStatement("SET 'table.exec.state.ttl' = '1 h';")
	set, ok := st.(*Set)
	if err != nil || !ok || set.Key != "table.exec.state.ttl" || set.Value != "1 h" {
		t.Errorf("%#v %v", st, err)
	}
}
