package checks

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/report"
)

// maxReport bounds a report in bytes.
const maxReport = 1 << 20

// checkReport judges a JSON file of numbers against the truth, and says where a wrong
// number agrees with the learner's own file.
func (s *submission) checkReport(ctx context.Context, step *labs.Step, v *verdict) error {
	f, err := s.files.Open(step.File)
	if err != nil {
		v.unreadable(step.File, opened(err))
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxReport+1))
	if err != nil {
		v.unreadable(step.File, opened(err))
		return nil
	}
	if len(data) > maxReport {
		v.unreadable(step.File, &unreadable{reason: "it is larger than any report"})
		return nil
	}
	doc := parse.ReadJSON(step.File, data)
	if bad := brokenReport(doc); bad != nil {
		v.ungradable = true
		bad.File = step.File
		v.add(bad.Code, *bad)
		return nil
	}
	truth, err := s.numbers(ctx, step)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	right := 0
	for i := range step.Numbers {
		known[step.Numbers[i].Name] = true
		ok, err := s.number(step, i, truth, doc, v)
		if err != nil {
			return err
		}
		if ok {
			right++
		}
	}
	for _, m := range doc.Root.Members {
		if !known[m.Name] {
			v.add("LG-REPORT-009", report.Finding{File: step.File, Line: m.Line, Message: fmt.Sprintf("The task knows no number %q.", m.Name)})
		}
	}
	v.facts = fmt.Sprintf("%d of %d numbers", right, len(step.Numbers))
	return nil
}

// brokenReport is a finding for a file that is no JSON object with single names.
func brokenReport(doc *parse.JSONDoc) *report.Finding {
	for _, p := range doc.Problems {
		if p.Code == parse.ProblemDuplicateKey {
			return &report.Finding{Code: "LG-REPORT-008", File: p.File, Line: p.Line, Message: sentence(p.Reason)}
		}
	}
	if doc.Root == nil {
		f := &report.Finding{Code: "LG-REPORT-007", Message: "The report is no JSON."}
		for _, p := range doc.Problems {
			f.File, f.Line, f.Message = p.File, p.Line, "The report is no readable JSON: "+p.Reason+"."
			break
		}
		return f
	}
	if doc.Root.Kind != parse.JSONObject {
		return &report.Finding{Code: "LG-REPORT-007", Line: doc.Root.Line, Message: "The report must be a JSON object, not " + doc.Root.Kind.String() + "."}
	}
	return nil
}

func sentence(s string) string {
	if s == "" {
		return s
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// of adds up the kinds; none means all.
func (c *kindCounts) of(kinds []changelog.RowKind) int64 {
	if len(kinds) == 0 {
		return c.total()
	}
	var n int64
	for _, k := range kinds {
		n += c[k]
	}
	return n
}

// number judges one number.
func (s *submission) number(step *labs.Step, i int, truth []int64, doc *parse.JSONDoc, v *verdict) (bool, error) {
	n := step.Numbers[i]
	got, state, val := doc.Int(n.Name)
	f := report.Finding{File: step.File, Key: n.Name, Expected: fmt.Sprintf("%s %d", n.Name, truth[i])}
	if val != nil {
		f.Line = val.Line
		f.Actual = n.Name + " " + val.Text
	}
	if n.Says != "" {
		f.More = append(f.More, n.Name+": "+n.Says)
	}
	switch state {
	case parse.IntOK:
		if got == truth[i] {
			return true, nil
		}
	case parse.IntMissing:
		f.Message = fmt.Sprintf("The number %s is missing.", n.Name)
		f.Actual = "no such name"
		if w := misspelt(n.Name, step, doc); w != "" {
			f.Message = fmt.Sprintf("The number %s is missing; the report has %q instead.", n.Name, w)
		}
		v.add("LG-REPORT-001", f)
		return false, nil
	case parse.IntText, parse.IntFraction:
		f.Message = fmt.Sprintf("%s is not written as an integer.", n.Name)
		if state == parse.IntText {
			f.Actual = fmt.Sprintf("%s %q, a text", n.Name, val.Text)
		}
		v.add("LG-REPORT-002", f)
		return false, nil
	default:
		f.Message = fmt.Sprintf("%s is %s, not an integer.", n.Name, val.Kind)
		v.add("LG-REPORT-002", f)
		return false, nil
	}
	code := "LG-REPORT-003"
	f.Message = fmt.Sprintf("%s is wrong.", n.Name)
	own, known, err := s.ownNumber(n)
	if err != nil {
		return false, err
	}
	switch {
	case known && own == got:
		code = "LG-REPORT-004"
		f.Message = fmt.Sprintf("%s is wrong, but it agrees with your own output, which is wrong, too.", n.Name)
	case s.withBefore(n) == got && got != 0:
		code = "LG-REPORT-005"
		f.Message = fmt.Sprintf("%s counts the update-before rows, too.", n.Name)
	case s.withoutBefore(n) == got && got != 0:
		code = "LG-REPORT-010"
		f.Message = fmt.Sprintf("%s leaves the update-before rows out.", n.Name)
	default:
		if j := slices.Index(truth, got); j >= 0 && j != i {
			code = "LG-REPORT-006"
			f.Message = fmt.Sprintf("%s has the value of %s.", n.Name, step.Numbers[j].Name)
		}
	}
	v.add(code, f)
	return false, nil
}

// misspelt finds a member that is no known number but looks like this one.
func misspelt(name string, step *labs.Step, doc *parse.JSONDoc) string {
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '_' || r == '-' || r == ' ' {
				return -1
			}
			return r
		}, strings.ToLower(s))
	}
	for _, m := range doc.Root.Members {
		known := slices.ContainsFunc(step.Numbers, func(n labs.Number) bool { return n.Name == m.Name })
		if !known && (plain(m.Name) == plain(name) || strings.HasPrefix(plain(name), plain(m.Name)) || strings.HasPrefix(plain(m.Name), plain(name))) {
			return m.Name
		}
	}
	return ""
}
