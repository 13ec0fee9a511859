package report

import (
	"fmt"
	"io"
	"strings"
)

// Style decorates the text of a terminal; the zero value leaves it plain. Safe makes
// text of a submission harmless for a terminal; it must not be nil where a terminal reads.
type Style struct {
	Good, Bad, Warn, Dim, Bold func(string) string
	Safe                       func(string) string
}

// Complete fills what is not set with functions that change nothing, and Safe with Plain.
func (s Style) Complete() Style {
	same := func(t string) string { return t }
	for _, f := range []*func(string) string{&s.Good, &s.Bad, &s.Warn, &s.Dim, &s.Bold} {
		if *f == nil {
			*f = same
		}
	}
	if s.Safe == nil {
		s.Safe = Plain
	}
	return s
}

// Verbosity is how much the text says.
type Verbosity int

// The verbosities.
const (
	Quiet   Verbosity = iota - 1 // the total alone
	Normal                       // a line a step, findings, total
	Verbose                      // also notes, further details and all source rows
)

// Text writes the result for a reader.
func Text(w io.Writer, r *Result, style Style, v Verbosity) error {
	t := &textWriter{s: style.Complete(), v: v}
	if v > Quiet {
		t.head(r)
		width := 0
		for _, c := range r.Checks {
			width = max(width, len(c.ID))
		}
		for i := range r.Checks {
			t.check(&r.Checks[i], width)
		}
	}
	t.total(r)
	_, err := io.WriteString(w, t.b.String())
	return err
}

type textWriter struct {
	b strings.Builder
	s Style
	v Verbosity
}

func (t *textWriter) line(format string, args ...any) {
	t.b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " "))
	t.b.WriteByte('\n')
}

func (t *textWriter) head(r *Result) {
	t.line("%s", t.s.Bold(r.Lab.ID)+"  "+t.s.Safe(r.Lab.Title))
	t.line("%s", t.s.Dim("submission  "+t.s.Safe(r.Submission.Root)))
	shipped := false
	for _, src := range r.Submission.Sources {
		p := src.Path
		switch {
		case src.Shipped && shipped:
			continue
		case src.Shipped && len(r.Submission.Sources) > 1:
			p = "the data that ships with the lab (--source TABLE=FILE takes another)"
		case src.Shipped:
			p = "the data that ships with the lab (--source FILE takes another)"
		case len(r.Submission.Sources) > 1:
			p = src.Table + ": " + src.Path
		}
		shipped = shipped || src.Shipped
		t.line("%s", t.s.Dim("source      "+t.s.Safe(p)))
	}
	for _, n := range r.Notes {
		t.line("%s", t.s.Dim("note        "+t.s.Safe(n)))
	}
	t.line("")
}

// mark is the word at the start of a step's line.
func (t *textWriter) mark(o Outcome) string {
	switch o {
	case Pass:
		return t.s.Good("ok   ")
	case Fail:
		return t.s.Bad("WRONG")
	case Skip:
		return t.s.Warn("skip ")
	case Ungradable:
		return t.s.Warn("?    ")
	}
	return t.s.Bad("ERROR")
}

func (t *textWriter) check(c *Check, width int) {
	facts := c.Facts
	switch c.Outcome {
	case Ungradable:
		facts = "not graded"
	case Skip:
		facts = "skipped"
	}
	t.line("%s  %-*s  %s", t.mark(c.Outcome), width, c.ID, t.pair(t.s.Safe(c.Title), facts))
	for i := range c.Findings {
		f := &c.Findings[i]
		if f.Severity == Note && t.v < Verbose {
			continue
		}
		t.finding(f)
	}
	if c.Outcome != Pass && c.Next != "" && t.v >= Normal && len(c.Findings) == 0 {
		t.line("       next: %s", t.s.Safe(c.Next))
	}
}

func (t *textWriter) pair(title, facts string) string {
	if facts == "" {
		return title
	}
	return fmt.Sprintf("%-42s %s", title, t.s.Dim(t.s.Safe(facts)))
}

// Place is "file:line" of a finding.
func (f *Finding) Place() string {
	switch {
	case f.File == "":
		return ""
	case f.Line > 0:
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return f.File
}

func (t *textWriter) finding(f *Finding) {
	word := t.s.Bad("error")
	switch f.Severity {
	case Note:
		word = t.s.Dim("note ")
	case Warning:
		word = t.s.Warn("warn ")
	}
	place := f.Place()
	if place != "" {
		place = t.s.Bold(t.s.Safe(place)) + "  "
	}
	t.line("       %s  %s%s", word, place, t.s.Safe(f.Message))
	field := func(name, text string) {
		if text != "" {
			t.line("              %-9s %s", name, t.s.Safe(text))
		}
	}
	field("expected", f.Expected)
	field("found", f.Actual)
	if len(f.SourceRows) > 0 {
		field("made by", sourceLines(f.SourceRows, t.v < Verbose))
		if t.v >= Verbose {
			for _, r := range f.SourceRows {
				t.line("                        %s", t.s.Dim(t.s.Safe(fmt.Sprintf("%5d  %s", r.Line, r.Text))))
			}
		}
	}
	for i, m := range f.More {
		if i >= 3 && t.v < Verbose {
			break
		}
		field("more", m)
	}
	if f.Severity != Note {
		field("hint", f.Hint)
		t.line("              %s", t.s.Dim("labgrade explain "+f.Code))
	}
}

// sourceLines writes "dynamic_clicks.csv lines 3, 5, 9 (9: the last row)".
func sourceLines(rows []SourceRow, last bool) string {
	var parts []string
	for _, r := range rows {
		parts = append(parts, fmt.Sprint(r.Line))
	}
	noun := "line "
	if len(rows) > 1 {
		noun = "lines "
	}
	s := rows[0].File + " " + noun + strings.Join(parts, ", ")
	if r := rows[len(rows)-1]; r.Text != "" && last {
		s += fmt.Sprintf(" (%d: %s)", r.Line, r.Text)
	}
	return s
}

func (t *textWriter) total(r *Result) {
	next := ""
	for _, c := range r.Checks {
		if c.Outcome != Pass && next == "" && c.Next != "" {
			next = c.ID + ": " + c.Next
		}
	}
	if t.v > Quiet {
		t.line("")
	}
	s := r.Summary()
	if r.Outcome == Pass {
		s = t.s.Good(s)
	} else {
		s = t.s.Bold(s)
	}
	t.line("%s", s)
	if next != "" && t.v > Quiet {
		t.line("next  %s", t.s.Safe(next))
	}
}

func points(p float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", p), "0"), ".")
}
