package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MarkdownLimit is the size in bytes behind which findings are no longer written out: a
// comment on GitHub may have 65,536 characters, a step summary 1 MiB.
const MarkdownLimit = 60_000

// markdown writes GitHub's and GitLab's Markdown: a table of the steps, then the
// findings. Text of a submission is escaped, or stands in a code span, so that it makes
// no links, no mentions, no HTML and no table cells.
func markdown(r *Result) ([]byte, error) {
	var b bytes.Buffer
	title := r.Lab.ID
	if r.Lab.Title != "" {
		title = r.Lab.Title
	}
	fmt.Fprintf(&b, "## %s\n\n**%s**\n\n", mdText(title), mdText(r.Summary()))
	b.WriteString("| | step | points | seen |\n|---|---|---:|---|\n")
	for i := range r.Checks {
		c := &r.Checks[i]
		fmt.Fprintf(&b, "| %s | **%s** %s | %s of %s | %s |\n", mdMark(c.Outcome), mdText(c.ID), mdText(c.Title), points(c.Points), points(c.Max), mdText(c.Facts))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "\nNote: %s\n", mdText(n))
	}
	for i := range r.Checks {
		mdCheck(&b, &r.Checks[i])
	}
	fmt.Fprintf(&b, "\n<sub>%s %s, lab %s %s</sub>\n", mdText(r.Tool.Name), mdText(r.Tool.Version), mdText(r.Lab.ID), mdText(r.Lab.Version))
	return b.Bytes(), nil
}

func mdMark(o Outcome) string {
	if o == Pass {
		return "right"
	}
	return "**" + o.word() + "**"
}

// mdCheck writes a step's findings; those that no longer fit are named by their codes.
func mdCheck(b *bytes.Buffer, c *Check) {
	if len(c.codes()) == 0 && (c.Outcome == Pass || c.Next == "") {
		return
	}
	fmt.Fprintf(b, "\n### %s: %s\n\n", mdText(c.ID), mdText(c.Outcome.word()))
	shown := map[string]bool{}
	for i := range c.Findings {
		f := &c.Findings[i]
		if f.Severity == Note {
			continue
		}
		var part bytes.Buffer
		mdFinding(&part, f)
		switch {
		case b.Len()+part.Len() <= MarkdownLimit:
			b.Write(part.Bytes())
		case !shown[f.Code]:
			fmt.Fprintf(b, "* **%s** %s: too long for this page\n", f.Code, f.Severity)
		}
		shown[f.Code] = true
	}
	if c.Outcome != Pass && c.Next != "" {
		fmt.Fprintf(b, "\nNext: %s\n", mdText(cut(c.Next, 1000)))
	}
}

func mdFinding(b *bytes.Buffer, f *Finding) {
	fmt.Fprintf(b, "* **%s** %s: %s\n", f.Code, f.Severity, mdText(f.Message))
	add := func(name, text string) {
		if text != "" {
			fmt.Fprintf(b, "  * %s: %s\n", name, text)
		}
	}
	add("at", mdCode(f.Place()))
	add("whose", mdCode(f.Key))
	add("expected", mdCode(f.Expected))
	add("found", mdCode(f.Actual))
	if len(f.SourceRows) > 0 {
		add("made by", mdCode(sourceLines(f.SourceRows, true)))
	}
	for _, m := range f.More {
		add("more", mdCode(m))
	}
	add("hint", mdText(f.Hint))
}

// mdText escapes all punctuation that Markdown, GitHub (@mentions, #references, links)
// or HTML could take for its own.
func mdText(s string) string {
	s = Plain(s)
	var b strings.Builder
	for i, r := range s {
		switch {
		case strings.ContainsRune("\\`*_{}[]()<>#+!|~^$=", r), r == '-' && i == 0, r == '.' && mdNumbered(s[:i]):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '&' || r == '@' || r == ':' && strings.HasPrefix(s[i:], "://") || r == '.' && mdHost(s[:i]):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mdNumbered: "1." at the start would begin a list.
func mdNumbered(before string) bool {
	return before != "" && strings.Trim(before, "0123456789") == ""
}

// mdHost: GitHub makes a link of "www." without a scheme.
func mdHost(before string) bool {
	return len(before) >= 3 && strings.EqualFold(before[len(before)-3:], "www")
}

// mdCode is a code span whose fence is longer than any run of backticks inside.
func mdCode(s string) string {
	s = Plain(s)
	if strings.TrimSpace(s) == "" {
		if s == "" {
			return ""
		}
		return fmt.Sprintf("%d blanks", utf8.RuneCountInString(s))
	}
	longest, run := 0, 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if longest > 0 || s[0] == ' ' && s[len(s)-1] == ' ' {
		s = " " + s + " "
	}
	return fence + s + fence
}
