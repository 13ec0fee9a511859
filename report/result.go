// Package report has the one result model of a graded submission and the emitters
// that print it. Emitters are pure functions of a Result: the score is computed
// once, by Total, and copied by all of them. How a result was found is not known here.
package report

import "encoding/json"

// SchemaVersion is the version of the JSON form (docs/schema/result.schema.json).
// It grows when a field changes its meaning or goes away, not when one is added.
const SchemaVersion = 1

// Outcome is what became of a check, or of the whole submission.
type Outcome string

// The outcomes. Skip is for checks alone.
const (
	Pass       Outcome = "pass"
	Fail       Outcome = "fail"
	Skip       Outcome = "skip"       // not judged: a check that it needs did not pass
	Ungradable Outcome = "ungradable" // a file is missing or unreadable: not judged, not wrong
	Errored    Outcome = "error"      // the lab or labgrade is at fault
)

// Severity says how much a finding weighs.
type Severity string

// The severities, from light to heavy. A right submission gets notes at most.
const (
	Note    Severity = "note"
	Warning Severity = "warning"
	Error   Severity = "error"
)

// Result is one graded submission.
type Result struct {
	SchemaVersion int        `json:"schema_version"`
	Tool          Tool       `json:"tool"`
	Lab           Lab        `json:"lab"`
	Submission    Submission `json:"submission"`
	Outcome       Outcome    `json:"outcome"`
	Score         Score      `json:"score"`
	Checks        []Check    `json:"checks"`
	// Notes are facts about the whole run: which source and folder were taken by default.
	Notes []string `json:"notes,omitempty"`

	// Context is what some platforms want to read besides; nil is fine.
	Context *Context `json:"-"`
}

// Context is knowledge from outside that some formats need. It changes no points and
// no outcome.
type Context struct {
	// Env gives what a platform's runner says in its environment (classroom50: CLASSROOM,
	// ASSIGNMENT, SUBMISSION_TAG, ...).
	Env func(name string) string
	// Title gives the title of a finding's code.
	Title func(code string) string
}

func (r *Result) env(name string) string {
	if r.Context == nil || r.Context.Env == nil {
		return ""
	}
	return Plain(r.Context.Env(name))
}

func (r *Result) title(code string) string {
	if r.Context != nil && r.Context.Title != nil {
		if t := r.Context.Title(code); t != "" {
			return t
		}
	}
	return code
}

// Tool names the program that graded.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Flink is the version whose answers are the truth.
	Flink string `json:"flink"`
}

// Lab names the lab and the exact content of its lab file.
type Lab struct {
	ID      string `json:"id"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
	// Digest is "sha256:" and the hash of the lab file and its data.
	Digest string `json:"digest"`
}

// Submission says what was graded.
type Submission struct {
	Root string `json:"root"`
	// Sources are the data files that the truth was computed from.
	Sources []Source `json:"sources,omitempty"`
}

// Source is a data file of the truth.
type Source struct {
	Table string `json:"table"`
	Path  string `json:"path"`
	// Shipped: the data that comes with the lab was taken.
	Shipped bool   `json:"shipped"`
	Digest  string `json:"digest,omitempty"`
}

// Score is a number of points.
type Score struct {
	Points float64 `json:"points"`
	Max    float64 `json:"max"`
}

// Check is the result of one step of the lab.
type Check struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Outcome  Outcome   `json:"outcome"`
	Points   float64   `json:"points"`
	Max      float64   `json:"max"`
	Needs    []string  `json:"needs,omitempty"`
	Findings []Finding `json:"findings"`
	// Facts is one line that says what was seen, for a reader ("229 rows, 11 users").
	Facts string `json:"facts,omitempty"`
	// Next is what to do next where the check did not pass.
	Next string `json:"next,omitempty"`
}

// Finding is one thing to say about a submission.
type Finding struct {
	// Code is stable; "labgrade explain CODE" teaches about it.
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint,omitempty"`
	// File is relative to the submission; Line counts from 1, 0 for the whole file.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Key says whose rows they are: "user_id u07".
	Key string `json:"key,omitempty"`
	// Expected and Actual are rows in words, without changelog signs.
	Expected string `json:"expected,omitempty"`
	Actual   string `json:"actual,omitempty"`
	// SourceRows are the lines of the source data that make the expected value.
	SourceRows []SourceRow `json:"source_rows,omitempty"`
	// More are further lines of detail.
	More []string `json:"more,omitempty"`
}

// SourceRow is a line of a source file; lines count from 1.
type SourceRow struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text,omitempty"`
}

// Worst is the heaviest severity among the findings, "" without findings.
func (c *Check) Worst() Severity {
	worst, rank := Severity(""), 0
	for _, f := range c.Findings {
		if r := f.Severity.rank(); r > rank {
			worst, rank = f.Severity, r
		}
	}
	return worst
}

func (s Severity) rank() int {
	switch s {
	case Note:
		return 1
	case Warning:
		return 2
	case Error:
		return 3
	}
	return 0
}

// Total computes score and outcome from the checks: an error of ours outweighs
// everything, then something ungradable, then a failure. A submission fails when
// any check was graded and failed, even if others could not be graded.
func (r *Result) Total() {
	r.SchemaVersion = SchemaVersion
	r.Score = Score{}
	var fails, ungradable, errored int
	for _, c := range r.Checks {
		r.Score.Points += c.Points
		r.Score.Max += c.Max
		switch c.Outcome {
		case Fail:
			fails++
		case Ungradable, Skip:
			ungradable++
		case Errored:
			errored++
		}
	}
	switch {
	case errored > 0:
		r.Outcome = Errored
	case fails > 0:
		r.Outcome = Fail
	case ungradable > 0:
		r.Outcome = Ungradable
	default:
		r.Outcome = Pass
	}
}

// Codes lists the codes of all findings above note level, in order, each once.
func (r *Result) Codes() []string {
	var out []string
	seen := map[string]bool{}
	for _, c := range r.Checks {
		for _, f := range c.Findings {
			if f.Severity != Note && !seen[f.Code] {
				seen[f.Code] = true
				out = append(out, f.Code)
			}
		}
	}
	return out
}

// JSON is the result as indented JSON with a final newline.
func (r *Result) JSON() ([]byte, error) {
	c := *r
	c.Checks = append([]Check{}, r.Checks...)
	for i := range c.Checks {
		if c.Checks[i].Findings == nil {
			c.Checks[i].Findings = []Finding{}
		}
	}
	b, err := json.MarshalIndent(&c, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}
