package class

import (
	"fmt"
	"io"
	"strings"

	"github.com/labgrade/labgrade/report"
)

// How many lines the text gives to each part; the whole lists are in the JSON.
const (
	maxTextCodes   = 8
	maxTextAlike   = 10
	maxTextChanges = 20
	maxTextReasons = 20
)

// Text writes the result for a reader: with report.Quiet one line, with report.Verbose a
// line for each submission.
func Text(w io.Writer, r *Result, style report.Style, v report.Verbosity) error {
	t := &textWriter{s: style.Complete(), v: v}
	if v > report.Quiet {
		t.head(r)
		t.steps(r)
		t.mistakes(r)
		if v >= report.Verbose {
			t.all(r)
		}
		t.notGraded(r)
		t.alike(r)
		t.fits(r)
		t.against(r)
	}
	t.total(r)
	_, err := io.WriteString(w, t.b.String())
	return err
}

type textWriter struct {
	b strings.Builder
	s report.Style
	v report.Verbosity
}

func (t *textWriter) line(format string, args ...any) {
	t.b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " "))
	t.b.WriteByte('\n')
}

func (t *textWriter) head(r *Result) {
	t.line("%s", t.s.Bold(r.Lab.ID)+"  "+r.Lab.Title)
	for _, src := range r.Sources {
		p := t.s.Safe(src.Path)
		if src.Shipped {
			p = "the data that ship with the lab (--source FILE takes others)"
		}
		t.line("%s", t.s.Dim("source  "+p))
	}
	if r.PerStudent {
		t.line("%s", t.s.Dim("source  data for each student"))
	}
	for _, n := range r.Notes {
		t.line("%s", t.s.Dim("note    "+t.s.Safe(n)))
	}
	t.line("")
}

func (t *textWriter) steps(r *Result) {
	width := 0
	for _, s := range r.Steps {
		width = max(width, len(s.ID))
	}
	for i, s := range r.Steps {
		n := r.Summary.Steps[i]
		line := fmt.Sprintf("%-*s  %s right", width, s.ID, count(n.Pass))
		for _, x := range []struct {
			n    int
			word string
		}{{n.Fail, "wrong"}, {n.Skip, "skipped"}, {n.Ungradable, "not graded"}, {n.Errored, "error"}} {
			if x.n > 0 {
				line += fmt.Sprintf("  %s %s", count(x.n), x.word)
			}
		}
		t.line("%s", line)
	}
}

func count(n int) string { return fmt.Sprintf("%4d", n) }

func (t *textWriter) mistakes(r *Result) {
	if len(r.Summary.Codes) == 0 {
		return
	}
	t.line("")
	t.line("%s", t.s.Bold("most frequent mistakes"))
	for i, c := range r.Summary.Codes {
		if i >= maxTextCodes && t.v < report.Verbose {
			t.line("%s", t.s.Dim(fmt.Sprintf("  and %d more kinds", len(r.Summary.Codes)-i)))
			break
		}
		t.line("  %s  %-14s %s", count(c.Submissions), c.Code, t.s.Dim(t.s.Safe(strings.Join(c.Examples, ", "))))
	}
}

func (t *textWriter) all(r *Result) {
	t.line("")
	for i := range r.Submissions {
		s := &r.Submissions[i]
		points := grade(s)
		if points == "" {
			points = "-"
		}
		t.line("%s  %5s  %s  %s", t.mark(s.Outcome), points, t.s.Safe(who(s)), t.s.Dim(strings.Join(s.Codes, " ")))
		for _, n := range s.Notes {
			t.line("%s", t.s.Dim("       note   "+t.s.Safe(n)))
		}
	}
}

func (t *textWriter) mark(o report.Outcome) string {
	switch o {
	case report.Pass:
		return t.s.Good("ok   ")
	case report.Fail:
		return t.s.Bad("WRONG")
	case report.Errored:
		return t.s.Bad("ERROR")
	}
	return t.s.Warn("?    ")
}

// who is a submission's id with the name.
func who(s *Submission) string {
	if s.Name == "" || s.Name == s.ID {
		return s.ID
	}
	return s.ID + " (" + s.Name + ")"
}

// notGraded lists submissions that were not judged at all, and why.
func (t *textWriter) notGraded(r *Result) {
	n := 0
	for i := range r.Submissions {
		s := &r.Submissions[i]
		if s.Reason == "" && s.Outcome != report.Errored {
			continue
		}
		if n++; n == 1 {
			t.line("")
			t.line("%s", t.s.Bold("not graded"))
		}
		if n > maxTextReasons && t.v < report.Verbose {
			continue
		}
		reason := s.Reason
		if reason == "" {
			reason = "A step could not be judged, and that is the lab's or labgrade's fault."
		}
		t.line("  %s  %s", t.s.Safe(who(s)), t.s.Safe(reason))
	}
	if n > maxTextReasons && t.v < report.Verbose {
		t.line("%s", t.s.Dim(fmt.Sprintf("  and %d more", n-maxTextReasons)))
	}
}

func (t *textWriter) alike(r *Result) {
	if len(r.Alike) == 0 {
		return
	}
	t.line("")
	t.line("%s", t.s.Bold("submissions that agree too closely"))
	for i, a := range r.Alike {
		if i >= maxTextAlike && t.v < report.Verbose {
			t.line("%s", t.s.Dim(fmt.Sprintf("  and %d more groups", len(r.Alike)-i)))
			break
		}
		t.line("  %s  %s", t.s.Safe(few(a.IDs)), t.s.Dim(t.s.Safe(fmt.Sprintf("%.0f%% in %s: %s", a.Similarity*100, few(a.Files), a.Why))))
	}
}

// few joins the first of a list.
func few(list []string) string {
	const most = 6
	if len(list) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}

func (t *textWriter) fits(r *Result) {
	first := true
	for i := range r.Submissions {
		s := &r.Submissions[i]
		for _, f := range s.Fits {
			if first {
				t.line("")
				t.line("%s", t.s.Bold("outputs that are right for somebody else's data"))
				first = false
			}
			t.line("  %s  fits the data of %s  %s", t.s.Safe(who(s)), t.s.Safe(f.ID), t.s.Dim(few(f.Steps)))
		}
	}
}

func (t *textWriter) against(r *Result) {
	a := r.Against
	if a == nil {
		return
	}
	t.line("")
	t.line("%s", t.s.Bold("since the earlier result"))
	if a.Lab {
		t.line("  the lab has changed")
	}
	if a.Tool {
		t.line("  labgrade has changed")
	}
	for i := range a.Changes {
		if i >= maxTextChanges && t.v < report.Verbose {
			t.line("%s", t.s.Dim(fmt.Sprintf("  and %d more", len(a.Changes)-i)))
			break
		}
		t.line("  %s", t.s.Safe(a.Changes[i].Words()))
	}
	t.line("  %d as before, %d changed", a.Same, len(a.Changes))
}

func (t *textWriter) total(r *Result) {
	s := r.Summary
	var parts []string
	for _, x := range []struct {
		n    int
		word string
	}{{s.Pass, "right"}, {s.Fail, "wrong"}, {s.Ungradable, "not graded"}, {s.Errored, "with an error of the lab or labgrade"}, {s.Missing, "missing"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.word))
		}
	}
	noun := "submissions"
	if s.Submissions == 1 {
		noun = "submission"
	}
	line := fmt.Sprintf("%d %s: %s", s.Submissions, noun, strings.Join(parts, ", "))
	if s.Pass+s.Fail+s.Ungradable > 0 {
		line += fmt.Sprintf("; mean %s, median %s of %s points", round(s.Mean), round(s.Median), round(s.Max))
	}
	if t.v > report.Quiet {
		t.line("")
	}
	t.line("%s", t.s.Bold(line))
}

func round(p float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", p), "0"), ".")
}
