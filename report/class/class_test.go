package class

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/labgrade/labgrade/report"
)

// sample is a small class: one right, one wrong, one unreadable, one who handed nothing in.
func sample() *Result {
	step := func(id string, o report.Outcome, points float64, codes ...string) report.Check {
		c := report.Check{ID: id, Title: "Step " + id, Outcome: o, Points: points, Max: 1}
		for _, code := range codes {
			c.Findings = append(c.Findings, report.Finding{Code: code, Severity: report.Error, Message: "Something is wrong."})
		}
		return c
	}
	r := &Result{
		Tool:  report.Tool{Name: "labgrade", Version: "1", Flink: "2.3.0"},
		Lab:   report.Lab{ID: "dynamic", Title: "Dynamic tables", Version: "1"},
		Steps: []Step{{ID: "batch", Title: "Step batch", Max: 1}, {ID: "stream", Title: "Step stream", Max: 1}},
		Submissions: []Submission{
			{ID: "02", Name: "Bo", Path: "02", Outcome: report.Fail, Score: report.Score{Points: 1, Max: 2}, Checks: []report.Check{step("batch", report.Pass, 1), step("stream", report.Fail, 0, "LG-STREAM-006")}},
			{ID: "01", Name: "Ann", Path: "01", Outcome: report.Pass, Score: report.Score{Points: 2, Max: 2}, Checks: []report.Check{step("batch", report.Pass, 1), step("stream", report.Pass, 1)}},
			{ID: "04", Name: "Di", Outcome: Missing},
			{ID: "03", Name: "Cy", Path: "03.zip", Outcome: report.Ungradable, Reason: "The archive is damaged.", Score: report.Score{Max: 2}},
		},
	}
	r.Total()
	return r
}

func TestTotal(t *testing.T) {
	got := sample().Summary
	want := Summary{
		Submissions: 3, Pass: 1, Fail: 1, Ungradable: 1, Missing: 1, Max: 2, Mean: 1.5, Median: 1.5,
		Steps: []StepSummary{{ID: "batch", Pass: 2}, {ID: "stream", Pass: 1, Fail: 1}},
		Codes: []CodeSummary{{Code: "LG-STREAM-006", Submissions: 1, Examples: []string{"02"}}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestOrderDoesNotMatter(t *testing.T) {
	a, b := sample(), sample()
	slices.Reverse(b.Submissions)
	b.Total()
	x, err := a.JSON()
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(x, y) {
		t.Errorf("the order of grading shows:\n%s", cmp.Diff(string(x), string(y)))
	}
}
