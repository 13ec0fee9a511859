package checks

import (
	"fmt"

	"github.com/labgrade/labgrade/checks/codes"
	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/report"
)

// add adds a finding, with the severity and the hint of its code.
func (v *verdict) add(code string, f report.Finding) *report.Finding {
	c, ok := codes.Find(code)
	if !ok {
		c = codes.Code{ID: code, Severity: report.Error}
	}
	f.Code = c.ID
	if f.Severity == "" {
		f.Severity = c.Severity
	}
	if f.Hint == "" && f.Severity != report.Note {
		f.Hint = c.Hint
	}
	if f.Message == "" {
		f.Message = c.Title + "."
	}
	v.findings = append(v.findings, f)
	return &v.findings[len(v.findings)-1]
}

// unreadable records a file without which the step cannot be graded.
func (v *verdict) unreadable(name string, bad *unreadable) {
	v.ungradable = true
	if bad.missing {
		v.add("LG-FILE-001", report.Finding{File: name, Message: fmt.Sprintf("%s is missing.", name)})
		return
	}
	v.add("LG-FILE-002", report.Finding{File: name, Message: fmt.Sprintf("%s cannot be read: %s.", name, bad.reason)})
}

// fileNotes passes on what a reader of the file should know.
func (v *verdict) fileNotes(o *savedOutput) {
	if o.runs > 1 {
		v.add("LG-FILE-006", report.Finding{File: o.name, Message: fmt.Sprintf("%s holds %d runs; the last one is judged.", o.name, o.runs)})
	}
}

// cutNote says that cells were compared as far as they can be seen.
func (v *verdict) cutNote(o *savedOutput, b *parse.Block) {
	if b.CutCells > 0 {
		v.add("LG-FILE-007", report.Finding{File: o.name, Line: b.FirstLine,
			Message: fmt.Sprintf("%s cut by the column width; compared as far as they can be seen.", plural(b.CutCells, "cell"))})
	}
}

// noteSQL remarks a missing .sql file.
func (v *verdict) noteSQL(name string, bad *unreadable) {
	if bad == nil || name == "" {
		return
	}
	if bad.missing {
		v.add("LG-FILE-003", report.Finding{File: name, Message: fmt.Sprintf("%s is missing; the output was judged by itself.", name)})
		return
	}
	v.add("LG-FILE-008", report.Finding{File: name, Message: fmt.Sprintf("%s cannot be read (%s); the output was judged by itself.", name, bad.reason)})
}
