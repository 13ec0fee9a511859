package checks

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/labgrade/labgrade/report"
)

// maxText bounds a text of a finding in bytes: a cell of a submission may have megabytes,
// and one finding must not fill a terminal, or the result of a class.
const maxText = 1000

// maxMore bounds the further lines of a finding, maxFindings the findings of a step: a
// report may have ten thousand numbers that nobody asked for.
const (
	maxMore     = 100
	maxFindings = 100
)

// shorten cuts what is too long to be read anyway.
func shorten(c *report.Check) {
	c.Facts = short(c.Facts)
	if len(c.Findings) > maxFindings {
		weight := map[report.Severity]int{report.Error: 0, report.Warning: 1, report.Note: 2}
		slices.SortStableFunc(c.Findings, func(a, b report.Finding) int { return weight[a.Severity] - weight[b.Severity] })
		c.Findings = c.Findings[:maxFindings]
	}
	for i := range c.Findings {
		f := &c.Findings[i]
		for _, s := range []*string{&f.Message, &f.Hint, &f.File, &f.Key, &f.Expected, &f.Actual} {
			*s = short(*s)
		}
		for j := range f.SourceRows {
			f.SourceRows[j].Text = short(f.SourceRows[j].Text)
		}
		f.More = f.More[:min(len(f.More), maxMore)]
		for j := range f.More {
			f.More[j] = short(f.More[j])
		}
	}
}

// short keeps the beginning and the end of a long text, and says how much is left out.
func short(s string) string {
	if len(s) <= maxText {
		return s
	}
	head, tail := maxText*3/4, len(s)-maxText/8
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return fmt.Sprintf("%s ... (%d bytes left out) ... %s", s[:head], tail-head, s[tail:])
}
