package report

import "strings"

// exercismResult is results.json of an Exercism test runner, version 3.
type exercismResult struct {
	Version int            `json:"version"`
	Status  string         `json:"status"`
	Message *string        `json:"message"`
	Tests   []exercismTest `json:"tests"`
}

type exercismTest struct {
	Name     string  `json:"name"`
	TestCode string  `json:"test_code"`
	Status   string  `json:"status"`
	Message  *string `json:"message"`
	TaskID   int     `json:"task_id"`
}

// exercismMessage bounds a message, in bytes.
const exercismMessage = 65535

func exercism(r *Result) ([]byte, error) {
	e := exercismResult{Version: 3, Status: "pass", Tests: []exercismTest{}}
	errored := 0
	var all []string
	for i := range r.Checks {
		c := &r.Checks[i]
		t := exercismTest{Name: c.label(), TestCode: "labgrade check " + r.Lab.ID + " --step " + c.ID, Status: reporterStatus(c.Outcome), TaskID: i + 1}
		if t.Status != "pass" {
			m := cut(c.body(), exercismMessage)
			t.Message = &m
			e.Status = "fail"
			all = append(all, c.label()+"\n"+m)
		}
		if t.Status == "error" {
			errored++
		}
		e.Tests = append(e.Tests, t)
	}
	// "error" is for runs in which no test was executed.
	if errored == len(r.Checks) {
		e.Status = "error"
		m := cut(r.Summary()+"\n"+strings.Join(all, "\n"), exercismMessage)
		e.Message = &m
	}
	return indented(e)
}
