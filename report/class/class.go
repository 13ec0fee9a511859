// Package class has the one result model of a graded class and the emitters that print
// it: gradebooks, JSON, text. They are pure functions of a Result, which holds no time,
// no duration and nothing that depends on the order or the number of workers: the same
// submissions give the same bytes.
//
// A submission's checks are those of package report, so that Result.Of gives the result
// of one submission for every emitter of that package.
package class

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/report"
)

// SchemaVersion is the version of the JSON form (docs/schema/class.schema.json). It
// grows when a field changes its meaning or goes away, not when one is added.
const SchemaVersion = 1

// Missing is the outcome of somebody on the roster who handed nothing in. The other
// outcomes of a submission are report.Pass, Fail, Ungradable and Errored.
const Missing report.Outcome = "missing"

// Result is one graded class.
type Result struct {
	SchemaVersion int         `json:"schema_version"`
	Tool          report.Tool `json:"tool"`
	Lab           report.Lab  `json:"lab"`
	// Sources are the data that all submissions were graded over; without them each
	// submission has its own (PerStudent).
	Sources    []report.Source `json:"sources,omitempty"`
	PerStudent bool            `json:"per_student,omitempty"`
	// Steps are the lab's steps in order: the columns of a gradebook.
	Steps   []Step  `json:"steps"`
	Summary Summary `json:"summary"`
	// Submissions are sorted by ID, then by Path.
	Submissions []Submission `json:"submissions"`
	// Alike are groups of submissions that agree too closely to be independent.
	Alike []Alike `json:"alike,omitempty"`
	// Against is the comparison with an earlier result, nil without one.
	Against *Against `json:"against,omitempty"`
	// Notes are facts about the whole run, such as files that were passed over.
	Notes []string `json:"notes,omitempty"`

	// Title gives the title of a finding's code, for people; nil is fine.
	Title func(code string) string `json:"-"`
}

// Step is a step of the lab.
type Step struct {
	ID    string  `json:"id"`
	Title string  `json:"title"`
	Max   float64 `json:"max"`
	// Hidden steps are for staff: nothing that learners read may tell of them.
	Hidden bool `json:"hidden,omitempty"`
}

// Submission is what one person handed in, and what became of it.
type Submission struct {
	// ID is the roster's id, else what the name of the folder or archive says. It is
	// text: leading zeros count. Two submissions of one person share it.
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	// Person has what the roster or the platform's own names say beyond that.
	Person Person `json:"person,omitzero"`
	// Path is where the submission was found, with slashes, from the path that was named:
	// "class.zip/ann_1.zip". Empty when Missing. It comes from a stranger: emitters make
	// it safe.
	Path string `json:"path,omitempty"`
	// Outcome is Pass, Fail, Ungradable, Errored or Missing. Reason says in a sentence why
	// the whole submission was Ungradable or Errored; Checks are then empty.
	Outcome report.Outcome `json:"outcome"`
	Reason  string         `json:"reason,omitempty"`
	Score   report.Score   `json:"score"`
	Checks  []report.Check `json:"checks"`
	// Codes are the codes of all findings above the level of notes, in order, each once.
	Codes []string `json:"codes,omitempty"`
	// Digest is "sha256:" and the hash of the files that the lab asks for; the same files
	// have the same digest in a folder, a zip or a tar. Empty when they could not be read.
	Digest string `json:"digest,omitempty"`
	// Sources are the submission's own data where the result is PerStudent.
	Sources []report.Source `json:"sources,omitempty"`
	// Fits names others whose data the outputs were made from (PerStudent).
	Fits []Fit `json:"fits,omitempty"`
	// Notes are facts about this submission: ignored files, a nested folder, a second
	// submission of the same person.
	Notes []string `json:"notes,omitempty"`
}

// Person is what is known of a person beyond id and name. All fields are text as the
// roster or the platform has them.
type Person struct {
	Email    string `json:"email,omitempty"`
	Login    string `json:"login,omitempty"`
	Section  string `json:"section,omitempty"`
	CanvasID string `json:"canvas_id,omitempty"`
	MoodleID string `json:"moodle_id,omitempty"`
}

// Fit says that outputs are right for another person's data.
type Fit struct {
	ID    string   `json:"id"`
	Steps []string `json:"steps"`
}

// Alike is a group of submissions that agree too closely.
type Alike struct {
	// IDs and Paths name the members, sorted by ID, then by Path; they have equal lengths.
	IDs   []string `json:"ids"`
	Paths []string `json:"paths"`
	// Similarity is the share of what is particular to a submission that its nearest
	// neighbour in the group shares, from 0 to 1: the least over the members.
	Similarity float64 `json:"similarity"`
	// Files are the files that agree, and Why says how ("the same run of Flink: ...").
	Files []string `json:"files"`
	Why   string   `json:"why"`
}

// Summary counts the class.
type Summary struct {
	Submissions int `json:"submissions"` // without those that are missing
	Pass        int `json:"pass"`
	Fail        int `json:"fail"`
	Ungradable  int `json:"ungradable"`
	Errored     int `json:"error"`
	Missing     int `json:"missing"`
	// Max is the most points of the lab. Mean and Median are over the submissions that
	// have checks, 0 without any.
	Max    float64 `json:"max"`
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	// Steps counts the outcomes of each step, in the order of Result.Steps.
	Steps []StepSummary `json:"steps"`
	// Codes are the mistakes, the most frequent first, then by code.
	Codes []CodeSummary `json:"codes,omitempty"`
}

// StepSummary counts the outcomes of one step over the submissions that have checks.
type StepSummary struct {
	ID         string `json:"id"`
	Pass       int    `json:"pass"`
	Fail       int    `json:"fail"`
	Skip       int    `json:"skip"`
	Ungradable int    `json:"ungradable"`
	Errored    int    `json:"error"`
}

// CodeSummary counts the submissions that have a finding of the code above the level of notes.
type CodeSummary struct {
	Code        string `json:"code"`
	Submissions int    `json:"submissions"`
	// Examples are up to three ids, in the order of Submissions.
	Examples []string `json:"examples"`
}

// Against is the comparison with an earlier result.
type Against struct {
	// Lab tells that the lab file has changed since; Tool that labgrade has.
	Lab  bool `json:"lab_changed,omitempty"`
	Tool bool `json:"tool_changed,omitempty"`
	// Same counts the submissions that came out as before.
	Same    int      `json:"same"`
	Changes []Change `json:"changes"`
}

// Change is a submission that came out otherwise than before.
type Change struct {
	ID   string `json:"id"`
	Path string `json:"path,omitempty"`
	// What is "new", "gone", or what differs first of "outcome", "score", "codes", "files".
	What   string         `json:"what"`
	Before report.Outcome `json:"before,omitempty"`
	After  report.Outcome `json:"after,omitempty"`
	// PointsBefore and PointsAfter are the scores.
	PointsBefore float64 `json:"points_before"`
	PointsAfter  float64 `json:"points_after"`
	// Files tells that the files of the submission are others than before.
	Files bool `json:"files_changed,omitempty"`
	// Fixed and Broken are the steps that pass now and did not, and the reverse.
	Fixed  []string `json:"fixed,omitempty"`
	Broken []string `json:"broken,omitempty"`
}

// Graded reports that the submission has checks: it was judged, in part at least.
func (s *Submission) Graded() bool { return len(s.Checks) > 0 }

// Check finds the check of a step, nil without one.
func (s *Submission) Check(step string) *report.Check {
	for i := range s.Checks {
		if s.Checks[i].ID == step {
			return &s.Checks[i]
		}
	}
	return nil
}

// Of is the result of one submission, for the emitters of package report.
func (r *Result) Of(s *Submission) *report.Result {
	out := &report.Result{
		SchemaVersion: report.SchemaVersion, Tool: r.Tool, Lab: r.Lab,
		Submission: report.Submission{Root: s.Path, Sources: s.Sources},
		Outcome:    s.Outcome, Score: s.Score, Checks: s.Checks,
	}
	if len(s.Sources) == 0 {
		out.Submission.Sources = r.Sources
	}
	if s.Reason != "" {
		out.Notes = append(out.Notes, s.Reason)
	}
	out.Notes = append(out.Notes, s.Notes...)
	return out
}

// Total sorts the submissions and computes Summary, Codes and the versions from them. It
// is called once, by whoever made the result.
func (r *Result) Total() {
	r.SchemaVersion = SchemaVersion
	slices.SortStableFunc(r.Submissions, func(a, b Submission) int {
		if c := strings.Compare(a.ID, b.ID); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	r.Summary = summarize(r)
}

// JSON is the result as indented JSON with a final newline.
func (r *Result) JSON() ([]byte, error) {
	c := *r
	c.Steps = append([]Step{}, r.Steps...)
	c.Submissions = make([]Submission, len(r.Submissions))
	for i, s := range r.Submissions {
		s.Checks = append([]report.Check{}, s.Checks...)
		for j := range s.Checks {
			if s.Checks[j].Findings == nil {
				s.Checks[j].Findings = []report.Finding{}
			}
		}
		c.Submissions[i] = s
	}
	b, err := json.MarshalIndent(&c, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}
