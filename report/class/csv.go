package class

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/report"
)

// cell makes a text harmless for spreadsheets, which run a cell that begins with = + - @
// (or their wide forms, or a control character before them) as a formula: an apostrophe
// in front makes it text. Line ends and other control characters become blanks.
func cell(s string) string {
	s = report.Plain(s)
	t := strings.TrimLeft(s, " \u00a0\u3000")
	if t != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(t)[0]) {
		return "'" + s
	}
	return s
}

// table writes rows as CSV; every cell passes through cell.
func table(rows [][]string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for _, r := range rows {
		out := make([]string, len(r))
		for i, c := range r {
			out[i] = cell(c)
		}
		if err := w.Write(out); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// grade is the points of a submission, "" for one that was not graded: labgrade makes no
// zero of what it could not read, nor of who handed nothing in.
func grade(s *Submission) string {
	if !s.Graded() || s.Outcome == report.Errored {
		return ""
	}
	return number(s.Score.Points)
}

// wide has a row for each submission and a column for the points of each step.
func wide(r *Result) ([]byte, error) {
	head := []string{"id", "name", "email", "section", "outcome", "points", "max"}
	for _, s := range r.Steps {
		head = append(head, s.ID)
	}
	rows := [][]string{append(head, "codes", "reason", "path", "digest")}
	for i := range r.Submissions {
		s := &r.Submissions[i]
		row := []string{s.ID, s.Name, s.Person.Email, s.Person.Section, string(s.Outcome), grade(s), number(s.Score.Max)}
		for _, step := range r.Steps {
			points := ""
			if c := s.Check(step.ID); c != nil && c.Outcome != report.Errored {
				points = number(c.Points)
			}
			row = append(row, points)
		}
		rows = append(rows, append(row, strings.Join(s.Codes, " "), s.Reason, s.Path, s.Digest))
	}
	return table(rows)
}

// long has a row for each submission and step; one for a submission without checks.
func long(r *Result) ([]byte, error) {
	rows := [][]string{{"id", "name", "section", "step", "outcome", "points", "max", "codes", "digest"}}
	for i := range r.Submissions {
		s := &r.Submissions[i]
		if !s.Graded() {
			rows = append(rows, []string{s.ID, s.Name, s.Person.Section, "", string(s.Outcome), "", number(s.Score.Max), "", s.Digest})
			continue
		}
		for _, c := range s.Checks {
			points := number(c.Points)
			if c.Outcome == report.Errored {
				points = ""
			}
			codes := (&report.Result{Checks: []report.Check{c}}).Codes()
			rows = append(rows, []string{s.ID, s.Name, s.Person.Section, c.ID, string(c.Outcome), points, number(c.Max), strings.Join(codes, " "), s.Digest})
		}
	}
	return table(rows)
}

// several are the ids that more than one submission has: a platform takes one grade, and
// which one is for a person to say.
func several(r *Result) map[string]bool {
	n := map[string]int{}
	out := map[string]bool{}
	for _, s := range r.Submissions {
		if n[s.ID]++; n[s.ID] > 1 {
			out[s.ID] = true
		}
	}
	return out
}

// canvas is what Canvas takes into its gradebook: students are found by ID or the SIS
// columns, an empty cell changes nothing. The second row says the points of the assignment.
func canvas(r *Result) ([]byte, error) {
	rows := [][]string{
		{"Student", "ID", "SIS User ID", "SIS Login ID", "Section", assignment(r)},
		{"    Points Possible", "", "", "", "", number(r.Summary.Max)},
	}
	twice := several(r)
	seen := map[string]bool{}
	for i := range r.Submissions {
		s := &r.Submissions[i]
		if seen[s.ID] {
			continue
		}
		seen[s.ID] = true
		points := grade(s)
		if twice[s.ID] {
			points = ""
		}
		// An id that is nothing but Canvas's own is no number of the school.
		sis := s.ID
		if sis == s.Person.CanvasID {
			sis = ""
		}
		rows = append(rows, []string{s.Name, s.Person.CanvasID, sis, s.Person.Login, s.Person.Section, points})
	}
	return table(rows)
}

// assignment is the name of the grade's column: the lab's title, since ids may be alike.
func assignment(r *Result) string {
	if r.Lab.Title != "" {
		return r.Lab.Title
	}
	return r.Lab.ID
}

// moodle is Moodle's offline grading worksheet: "Upload grading worksheet" finds a
// participant by the Identifier and needs the columns Identifier, Grade and Last modified
// (grade); the last is empty, since nothing here knows a time.
func moodle(r *Result) ([]byte, error) {
	rows := [][]string{{"Identifier", "Full name", "ID number", "Email address", "Status", "Grade", "Maximum Grade", "Last modified (grade)", "Feedback comments"}}
	twice := several(r)
	seen := map[string]bool{}
	for i := range r.Submissions {
		s := &r.Submissions[i]
		if seen[s.ID] {
			continue
		}
		seen[s.ID] = true
		identifier, id := "", s.ID
		if s.Person.MoodleID != "" {
			identifier = "Participant " + s.Person.MoodleID
		}
		if id == s.Person.MoodleID {
			id = ""
		}
		points, comment := grade(s), comments(r, s)
		if twice[s.ID] {
			points, comment = "", "There are several submissions."
		}
		rows = append(rows, []string{identifier, s.Name, id, s.Person.Email, string(s.Outcome), points, number(s.Score.Max), "", comment})
	}
	return table(rows)
}

// comments says in one line how a submission came out, without what was expected and
// without the steps that learners do not know of: Moodle shows it to them.
func comments(r *Result, s *Submission) string {
	if s.Outcome == Missing {
		return ""
	}
	if s.Reason != "" {
		return s.Reason
	}
	var parts []string
	for _, c := range s.Checks {
		if slices.ContainsFunc(r.Steps, func(x Step) bool { return x.ID == c.ID && x.Hidden }) {
			continue
		}
		part := c.ID + ": " + outcomeWord(c.Outcome)
		if codes := (&report.Result{Checks: []report.Check{c}}).Codes(); len(codes) > 0 {
			part += fmt.Sprintf(" (%s)", strings.Join(codes, ", "))
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// outcomeWord is the outcome as people read it.
func outcomeWord(o report.Outcome) string {
	switch o {
	case report.Pass:
		return "right"
	case report.Fail:
		return "wrong"
	case report.Skip:
		return "skipped"
	case report.Ungradable:
		return "not graded"
	case Missing:
		return "nothing handed in"
	}
	return "error"
}
