package client

import (
	"errors"
	"fmt"
	"strings"

	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// The client's colours, written even into files.
const (
	styleInfo  = "\x1b[34;1m"
	styleError = "\x1b[31;1m"
	styleBold  = "\x1b[1m"
	styleUnder = "\x1b[4m"
	styleEnd   = "\x1b[0m"
)

func (s *Session) style(code, text string) string {
	if !s.opt.Color {
		return text
	}
	return code + text + styleEnd
}

func (s *Session) info(text string) {
	fmt.Fprintf(s.out, "%s\n", s.style(styleInfo, "[INFO] "+text))
}

func (s *Session) succeeded() { s.info("Execute statement succeeded.") }

// fail prints an error of Flink's, or a refusal of our own, and our hint beside it.
func (s *Session) fail(r *Result, err error) {
	if unsupported.Is(err) {
		s.note(err)
		return
	}
	text := "[ERROR] Could not execute SQL statement. Reason:\n" + err.Error()
	fmt.Fprintf(s.out, "%s\n", s.style(styleError, text))
	s.hint(r, err)
}

// note prints a refusal. It is no line that Flink could print.
func (s *Session) note(err error) {
	fmt.Fprintf(s.out, "[UNSUPPORTED] %s\n", err)
}

// hint gives our advice, with the line of the script; Flink counts the lines of the statement.
func (s *Session) hint(r *Result, err error) {
	var p *sql.Error
	if s.opt.Hints != nil && errors.As(err, &p) && p.Hint != "" {
		fmt.Fprintf(s.opt.Hints, "hint: line %d, column %d: %s\n", r.Line+r.skipped+p.Pos.Line-1, p.Pos.Col, p.Hint)
	}
}

// echo repeats a statement behind the prompt; lines after the first follow "> ".
func (s *Session) echo(c sql.Chunk) {
	switch s.opt.Echo {
	case EchoClient:
		s.clientEcho(c.Raw)
	case EchoFull:
		fmt.Fprintf(s.out, "%s\n", strings.ReplaceAll(c.Text, "\n", "\n> "))
	}
}

// clientEcho is what the client's line editor leaves in a file: it shows the text up to each
// closing bracket as that is read, since it then shows the matching one; what follows the
// last one is never shown. A tab rings the bell and is dropped.
func (s *Session) clientEcho(raw string) {
	shown := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '\t':
			fmt.Fprint(s.out, "\a")
		case ')', ']', '}':
			text := strings.ReplaceAll(raw[shown:i+1], "\t", "")
			fmt.Fprint(s.out, strings.ReplaceAll(text, "\n", "\n> "))
			shown = i + 1
		}
	}
}

// table prints rows of text as SHOW, DESCRIBE and EXPLAIN do: widths by content, no limit.
func (s *Session) table(r *Result, names []string, rows [][]string) {
	r.Rows = int64(len(rows))
	for _, n := range names {
		r.Columns = append(r.Columns, value.Field{Name: n, Type: value.TString})
	}
	if len(rows) == 0 {
		fmt.Fprintln(s.out, "Empty set")
		return
	}
	opt := value.TableOptions{MaxWidth: -1, NullAsEmpty: true}
	m := value.NewTableMeasure(r.Columns, opt)
	values := make([]value.Row, len(rows))
	for i, cells := range rows {
		row := make(value.Row, len(cells))
		for k, c := range cells {
			row[k] = value.String(c)
		}
		values[i] = row
		m.Add(row)
	}
	w := value.NewTableWriterWidths(s.out, r.Columns, m.Widths(), opt)
	w.Header()
	for _, row := range values {
		w.Row("", row)
	}
	w.Border()
	if err := w.Flush(); err != nil {
		return // the session's own flush reports it again
	}
	fmt.Fprintf(s.out, "%d %s in set\n", len(rows), rowWord(int64(len(rows))))
}

func rowWord(n int64) string {
	if n > 1 {
		return "rows"
	}
	return "row"
}
