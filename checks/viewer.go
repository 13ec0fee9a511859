package checks

import (
	"slices"
	"time"

	"github.com/labgrade/labgrade/checks/codes"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

// Viewer is who will read what is found.
type Viewer struct {
	// Staff are shown everything: hidden steps, expected rows.
	Staff bool
	// Now is when a learner looks. The zero time is before every date of a lab.
	Now time.Time
}

// sees reports whether the step exists for the viewer.
func (v Viewer) sees(lab *labs.Lab, step *labs.Step) bool {
	return v.Staff || lab.Disclosed(step, v.Now) != labs.DiscloseNothing
}

// Visible lists the ids of the steps that exist for the viewer.
func (v Viewer) Visible(lab *labs.Lab) []string {
	var ids []string
	for i := range lab.Steps {
		if v.sees(lab, &lab.Steps[i]) {
			ids = append(ids, lab.Steps[i].ID)
		}
	}
	return ids
}

// Shown is what the viewer is shown of checks that were made for staff: without the steps
// that are hidden, and of the others what the lab discloses. The given checks stay as they are.
func (v Viewer) Shown(lab *labs.Lab, list []report.Check) []report.Check {
	if v.Staff {
		return list
	}
	var out []report.Check
	for _, c := range list {
		for i := range lab.Steps {
			step := &lab.Steps[i]
			if step.ID != c.ID || !v.sees(lab, step) {
				continue
			}
			c.Findings = slices.Clone(c.Findings)
			disclose(&c, lab.Disclosed(step, v.Now))
			c.Needs = slices.DeleteFunc(slices.Clone(c.Needs), func(id string) bool { return !slices.Contains(v.Visible(lab), id) })
			if c.Outcome == report.Skip && len(c.Needs) == 0 {
				c.Next = "" // it names a hidden step
			}
			out = append(out, c)
		}
	}
	return out
}

// hides reports whether a step is hidden from the viewer.
func (s *submission) hides(id string) bool {
	for i := range s.g.lab.Steps {
		if s.g.lab.Steps[i].ID == id {
			return !s.viewer.sees(s.g.lab, &s.g.lab.Steps[i])
		}
	}
	return false
}

// disclose removes what the lab does not show. It knows no exceptions for findings that
// are harmless: what is not shown is in no field.
func disclose(c *report.Check, d labs.Disclosure) {
	if d == labs.DiscloseAll {
		return
	}
	for i := range c.Findings {
		f := &c.Findings[i]
		f.Expected, f.SourceRows, f.More = "", nil, nil
		if d == labs.DiscloseMessage {
			f.Actual = ""
			continue
		}
		if f.Severity == report.Note {
			continue // remarks on files, such as a missing .sql
		}
		// Message and hint may say what was expected; the code's own never do.
		f.Message, f.Hint = "Something is wrong.", ""
		f.Key = "" // of a missing row it tells what is expected
		if code, ok := codes.Find(f.Code); ok {
			f.Message, f.Hint = code.Title, code.Hint
		}
		if d == labs.DiscloseVerdict {
			f.Actual, f.File, f.Line = "", "", 0
		}
	}
}
