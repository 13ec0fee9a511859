package parse

import (
	"strings"
	"testing"
	"time"
)

// TestHostileText reads texts that begin something again and again and never end it.
// Each took minutes, or for ever, while a look at the lines ahead was not bounded.
func TestHostileText(t *testing.T) {
	const n = 4000
	header := "+----+--------------------------------+\n| op |                           name |\n+----+--------------------------------+\n"
	wide := "+" + strings.Repeat("-", 50_000) + "+\n"
	for name, text := range map[string]string{
		"rows cut short":         header + strings.Repeat("| +I | x\n", n),
		"bars":                   strings.Repeat("|\n", n),
		"bars in pairs":          strings.Repeat("| |\n", n),
		"bars in a line":         header + strings.Repeat("|", 200*n),
		"bar art":                strings.Repeat("   | __|_|_|_\n", n),
		"borders":                strings.Repeat("+---+\n", n),
		"broken borders":         strings.Repeat("+--------------------------\n", n),
		"headers":                strings.Repeat("+---+\n| a |\n+---+\n", n),
		"one wide column":        wide + "| a |\n" + wide + strings.Repeat("| x\n", n),
		"other text in a table":  header + strings.Repeat("hello\n", n),
		"an echo":                "Flink SQL> \n" + strings.Repeat("> SELECT (\n", n),
		"prompts":                strings.Repeat("Flink SQL> SELECT\n", n),
		"runs":                   strings.Repeat("[INFO] Executing SQL from file.\nFlink SQL> [INFO] x\n", n),
		"causes":                 "[ERROR] x\n" + strings.Repeat("Caused by: a.B: x\n", n),
		"a coloured error":       "\x1b[31;1m[ERROR] x\n" + strings.Repeat("\n", n),
		"operators left open":    "== Abstract Syntax Tree ==\n" + strings.Repeat("A(\n", n),
		"operators below others": "== Abstract Syntax Tree ==\n" + strings.Repeat("   ", 300) + strings.Repeat("+- A()\n", n),
		"sections":               strings.Repeat("== Abstract Syntax Tree ==\n", n),
		"print rows left open":   strings.Repeat("+I[a\n", n),
		"escape sequences":       strings.Repeat("\x1b[", 100*n),
		"dots":                   header + strings.Repeat("...\n", n),
	} {
		start := time.Now()
		tr := readText(t, text)
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s: %v", name, d)
		}
		for _, b := range tr.Blocks {
			if len(b.Problems) > 1000 || len(b.Notes) > 100 {
				t.Errorf("%s: a block with %d problems and %d notes", name, len(b.Problems), len(b.Notes))
			}
		}
	}
}
