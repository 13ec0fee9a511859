package checks

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/labgrade/labgrade/report"
)

func TestShorten(t *testing.T) {
	long := "begin " + strings.Repeat("é", 2_000_000) + " end"
	c := report.Check{Facts: long}
	for range 10_000 {
		c.Findings = append(c.Findings, report.Finding{Severity: report.Note, Message: "note"})
	}
	c.Findings = append(c.Findings, report.Finding{Severity: report.Error, Message: long, Expected: long, Actual: long, Key: long, SourceRows: []report.SourceRow{{Text: long}}, More: []string{long, "short"}})
	shorten(&c)
	if len(c.Findings) != maxFindings || c.Findings[0].Severity != report.Error {
		t.Fatalf("%d findings, the first is a %s", len(c.Findings), c.Findings[0].Severity)
	}
	f := c.Findings[0]
	for _, s := range []string{c.Facts, f.Message, f.Expected, f.Actual, f.Key, f.SourceRows[0].Text, f.More[0]} {
		if len(s) > maxText+100 || !strings.HasPrefix(s, "begin ") || !strings.HasSuffix(s, " end") || !strings.Contains(s, "bytes left out") || !utf8.ValidString(s) {
			t.Errorf("%d bytes: %.40q", len(s), s)
		}
	}
	if f.More[1] != "short" {
		t.Error(f.More[1])
	}
}
