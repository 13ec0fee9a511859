package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Plain makes text of a submission fit for one line of any format: line breaks and tabs
// become blanks; control characters, characters that turn the direction of writing or
// are not seen, and bytes that are no UTF-8 become U+FFFD.
func Plain(s string) string {
	clean := utf8.ValidString(s)
	for _, r := range s {
		if !clean {
			break
		}
		clean = r != '\n' && !isControl(r) && !isFormat(r)
	}
	if clean {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case isControl(r) || isFormat(r):
			return '\ufffd'
		}
		return r
	}, s)
}

func isControl(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }

// isFormat are the characters that turn the direction of text, break lines or are not
// seen. The joiner U+200D stays out of it: emoji are made with it. U+FFFE and U+FFFF are
// not allowed in XML.
func isFormat(r rune) bool {
	return r == 0xad || r == 0x61c || r == 0x180e || r >= 0x200b && r <= 0x200f && r != 0x200d || r >= 0x2028 && r <= 0x202e ||
		r >= 0x2060 && r <= 0x206f || r == 0xfeff || r >= 0xfff9 && r <= 0xfffb || r&0xfffe == 0xfffe || r >= 0xe0000 && r <= 0xe0fff
}

// cut shortens a text to at most n bytes, at a character, and says so.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const mark = " (cut)"
	n -= len(mark)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + mark
}

// label is how a check is called where a format has one name for it.
func (c *Check) label() string {
	title := strings.TrimSpace(Plain(c.Title))
	if title == "" {
		return c.ID
	}
	return c.ID + ": " + title
}

// word says the outcome in a word.
func (o Outcome) word() string {
	switch o {
	case Pass:
		return "right"
	case Fail:
		return "wrong"
	case Skip:
		return "skipped"
	case Ungradable:
		return "not graded"
	}
	return "internal error"
}

// headline is the first thing to say about a check that did not pass.
func (c *Check) headline() string {
	for _, want := range []Severity{Error, Warning} {
		for _, f := range c.Findings {
			if f.Severity == want {
				return Plain(f.Message)
			}
		}
	}
	if c.Next != "" {
		return Plain(c.Next)
	}
	return c.Outcome.word()
}

// lines describes a finding. Every line begins with a word of ours, never with text of
// the submission, so that no line can be taken for a command of the reader of a log.
func (f *Finding) lines() []string {
	out := []string{f.Code + "  " + string(f.Severity) + ": "}
	if p := f.Place(); p != "" {
		out[0] += Plain(p) + "  "
	}
	out[0] += Plain(f.Message)
	add := func(name, text string) {
		if text != "" {
			out = append(out, fmt.Sprintf("  %-9s %s", name+":", Plain(text)))
		}
	}
	add("whose", f.Key)
	add("expected", f.Expected)
	add("found", f.Actual)
	if len(f.SourceRows) > 0 {
		add("made by", sourceLines(f.SourceRows, true))
	}
	for _, m := range f.More {
		add("more", m)
	}
	if f.Severity != Note {
		add("hint", f.Hint)
	}
	return out
}

// body describes a check in lines: points, facts, all findings above note, what to do.
func (c *Check) body() string {
	lines := []string{fmt.Sprintf("%s, %s of %s points", c.Outcome.word(), points(c.Points), points(c.Max))}
	if c.Facts != "" {
		lines = append(lines, "seen: "+Plain(c.Facts))
	}
	for i := range c.Findings {
		if c.Findings[i].Severity != Note {
			lines = append(lines, c.Findings[i].lines()...)
		}
	}
	if c.Outcome != Pass && c.Next != "" {
		lines = append(lines, "next: "+Plain(c.Next))
	}
	return strings.Join(lines, "\n")
}

// codes lists the codes of a check above note level, each once.
func (c *Check) codes() []string {
	r := Result{Checks: []Check{*c}}
	return r.Codes()
}

// Summary is the total in one line: "7 of 8 steps right, 1 wrong; 7 of 8 points".
func (r *Result) Summary() string {
	var pass, fail, open int
	for _, c := range r.Checks {
		switch c.Outcome {
		case Pass:
			pass++
		case Fail:
			fail++
		default:
			open++
		}
	}
	s := fmt.Sprintf("%d of %d steps right", pass, len(r.Checks))
	if fail > 0 {
		s += fmt.Sprintf(", %d wrong", fail)
	}
	if open > 0 {
		s += fmt.Sprintf(", %d not graded", open)
	}
	return s + fmt.Sprintf("; %s of %s points", points(r.Score.Points), points(r.Score.Max))
}

// fraction is the score between 0 and 1, for platforms that want it so.
func (s Score) fraction() float64 {
	if s.Max <= 0 {
		return 0
	}
	return min(1, max(0, s.Points/s.Max))
}

// repositoryPath is the finding's file as CI systems want it: relative to the folder in
// which labgrade ran, with slashes. A submission elsewhere gives the file's own name.
func (r *Result) repositoryPath(file string) string {
	root := strings.TrimPrefix(r.Submission.Root, "./")
	if root == "" || root == "." || strings.HasPrefix(root, "/") || strings.HasPrefix(root, "..") || strings.Contains(root, ":") {
		return file
	}
	return strings.TrimSuffix(root, "/") + "/" + file
}
