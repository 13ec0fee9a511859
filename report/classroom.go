package report

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
)

func decimal(n int) string { return strconv.Itoa(n) }

// classroomResult is what GitHub Classroom's autograding reporter wants from a runner,
// as base64 of JSON in the step's output "result".
type classroomResult struct {
	Version  int             `json:"version"`
	Status   string          `json:"status"`
	MaxScore float64         `json:"max_score"`
	Tests    []classroomTest `json:"tests"`
}

type classroomTest struct {
	Name     string  `json:"name"`
	Status   string  `json:"status"`
	Score    float64 `json:"score"`
	MaxScore float64 `json:"max_score"`
	Message  string  `json:"message"`
	TestCode string  `json:"test_code"`
	Filename string  `json:"filename"`
	// LineNo is printed by the reporter unless it is 0.
	LineNo        int `json:"line_no"`
	ExecutionTime int `json:"execution_time"`
}

// githubClassroom gives the base64 text, on one line. The reporter sends the sum of the
// scores to GitHub; its table in the log counts passed tests and so differs where steps
// weigh differently.
func githubClassroom(r *Result) ([]byte, error) {
	g := classroomResult{Version: 1, Status: reporterStatus(r.Outcome), MaxScore: r.Score.Max, Tests: []classroomTest{}}
	for i := range r.Checks {
		c := &r.Checks[i]
		t := classroomTest{Name: c.label(), Status: reporterStatus(c.Outcome), Score: c.Points, MaxScore: c.Max}
		if c.Outcome != Pass {
			t.Message = cut(c.body(), 1<<14)
		}
		for _, f := range c.Findings {
			if f.Severity != Note && f.File != "" {
				t.Filename, t.LineNo = Plain(f.File), f.Line
				break
			}
		}
		g.Tests = append(g.Tests, t)
	}
	b, err := json.Marshal(g)
	if err != nil {
		return nil, err
	}
	return append([]byte(base64.StdEncoding.EncodeToString(b)), '\n'), nil
}

// reporterStatus: what could not be graded is an error of the run, not a failed test.
func reporterStatus(o Outcome) string {
	switch o {
	case Pass:
		return "pass"
	case Ungradable, Errored:
		return "error"
	}
	return "fail"
}

// classroom50Result is result.json of Classroom 50 ("classroom50/result/v1"). Owner,
// type and time are set by its runner; the other identity comes from the environment.
type classroom50Result struct {
	Schema     string            `json:"schema"`
	Classroom  string            `json:"classroom"`
	Assignment string            `json:"assignment"`
	Type       string            `json:"assignment_type,omitempty"`
	Owner      string            `json:"owner,omitempty"`
	Submission string            `json:"submission"`
	Commit     string            `json:"commit"`
	Release    string            `json:"release"`
	Review     string            `json:"review"`
	Score      int64             `json:"score"`
	MaxScore   int64             `json:"max-score"`
	Tests      []classroom50Test `json:"tests"`
}

type classroom50Test struct {
	Name     string   `json:"test-name"`
	Passed   bool     `json:"passed"`
	Score    int64    `json:"score"`
	MaxScore int64    `json:"max-score"`
	Outcome  Outcome  `json:"outcome"`
	Codes    []string `json:"codes,omitempty"`
	Message  string   `json:"message,omitempty"`
}

func classroom50(r *Result) ([]byte, error) {
	// Scores are whole numbers there. A lab with parts of points is given in tenths,
	// hundredths or thousandths of a point, all of them by the same factor.
	scale := wholeScale(r)
	whole := func(p float64) int64 { return int64(math.Round(p * scale)) }
	review := r.env("REVIEW_URL")
	if review == "" {
		review = r.env("COMMIT_URL")
	}
	owner := r.env("OWNER")
	if owner == "" {
		owner = r.env("USERNAME")
	}
	g := classroom50Result{
		Schema: "classroom50/result/v1", Classroom: r.env("CLASSROOM"), Assignment: r.env("ASSIGNMENT"), Type: r.env("ASSIGNMENT_TYPE"), Owner: owner,
		Submission: r.env("SUBMISSION_TAG"), Commit: r.env("COMMIT_URL"), Release: r.env("RELEASE_URL"), Review: review,
		Score: whole(r.Score.Points), MaxScore: whole(r.Score.Max), Tests: []classroom50Test{},
	}
	for i := range r.Checks {
		c := &r.Checks[i]
		t := classroom50Test{Name: c.label(), Passed: c.Outcome == Pass, Score: whole(c.Points), MaxScore: whole(c.Max), Outcome: c.Outcome, Codes: c.codes()}
		if !t.Passed {
			t.Message = cut(c.body(), 1<<14)
		}
		g.Tests = append(g.Tests, t)
	}
	return indented(g)
}

// wholeScale is the smallest of 1, 10, 100 and 1000 that makes all points whole.
func wholeScale(r *Result) float64 {
	scale := 1.0
	for i := range r.Checks {
		for _, p := range []float64{r.Checks[i].Points, r.Checks[i].Max} {
			for scale < 1000 && math.Abs(p*scale-math.Round(p*scale)) > 1e-9 {
				scale *= 10
			}
		}
	}
	return scale
}
