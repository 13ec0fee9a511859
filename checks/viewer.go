package checks

import (
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
