package checks

import (
	"context"
	"encoding/base64"
	"html"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

// TestHiddenSteps: a hidden step is neither judged nor named for a learner before its
// date; staff and the time after see it. Steps that need it do not wait for it.
func TestHiddenSteps(t *testing.T) {
	lab := *dynamicLab(t)
	lab.Steps = slices.Clone(lab.Steps)
	const hidden = 2 // nested
	lab.Steps[hidden].Disclose, lab.Steps[hidden].Until = labs.DiscloseNothing, "2026-12-24T00:00:00+09:00"
	lab.Steps[hidden].Query = "SELECT broken" // judging it would be an internal error
	lab.Steps[3].Needs = []string{"nested"}
	g := shippedGrader(&lab)
	files := wrongNamed(t, &lab, "stream-edited").FS
	date := time.Date(2026, 12, 23, 15, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name   string
		viewer Viewer
		seen   bool
	}{
		{"before", Viewer{Now: date.Add(-time.Second)}, false},
		{"no clock", Viewer{}, false},
		{"on the date", Viewer{Now: date}, true},
		{"staff", Viewer{Staff: true}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := g.CheckFor(context.Background(), files, []string{"stream", "nested", "explain"}, c.viewer)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(got, func(c report.Check) bool { return c.ID == "nested" })
			if (i >= 0) != c.seen || c.seen && got[i].Outcome != report.Errored {
				t.Errorf("%+v", got)
			}
			want := report.Pass
			if c.seen {
				want = report.Skip
			}
			if o := stepCheck(t, got, "explain").Outcome; o != want {
				t.Errorf("the step that needs it: %s", o)
			}
		})
	}
}

// TestNothingHiddenIsEmitted: no format shows a learner what the lab does not disclose.
// What is hidden is what staff are shown and learners with everything disclosed are.
func TestNothingHiddenIsEmitted(t *testing.T) {
	base := *dynamicLab(t)
	for _, name := range []string{"stream-edited", "report-wrong", "explain-threshold"} {
		files := wrongNamed(t, &base, name).FS
		for _, level := range labs.Disclosures() {
			if level == labs.DiscloseAll {
				continue
			}
			lab := base
			lab.Steps = slices.Clone(base.Steps)
			for i := range lab.Steps {
				lab.Steps[i].Title = "Secret of " + lab.Steps[i].ID
				lab.Steps[i].Disclose = level
			}
			g := shippedGrader(&lab)
			staff, err := g.CheckFor(context.Background(), files, nil, Viewer{Staff: true})
			if err != nil {
				t.Fatal(err)
			}
			learner, err := g.CheckFor(context.Background(), files, nil, Viewer{})
			if err != nil {
				t.Fatal(err)
			}
			secrets := secretsOf(staff, level)
			if len(secrets) == 0 {
				t.Fatalf("%s, %s: nothing is hidden", name, level)
			}
			r := &report.Result{Tool: report.Tool{Name: "labgrade", Version: "1"}, Lab: report.Lab{ID: lab.ID}, Checks: learner}
			r.Total()
			for _, format := range report.Formats() {
				b, err := report.Emit(format, r)
				if err != nil {
					t.Fatal(err)
				}
				if raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(b))); err == nil {
					b = raw
				}
				text := letters(string(b))
				for _, s := range secrets {
					if strings.Contains(text, letters(s)) {
						t.Errorf("%s, %s: %s shows %q", name, level, format, s)
					}
				}
			}
		}
	}
}

// letters leaves letters and digits, so that the escapes of a format do not matter.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return -1
		}
		return r
	}, html.UnescapeString(s))
}

// secretsOf lists texts of the full findings that a level must not show.
func secretsOf(full []report.Check, level labs.Disclosure) []string {
	var out []string
	add := func(s string) {
		if len(letters(s)) > 5 {
			out = append(out, s)
		}
	}
	for _, c := range full {
		if level == labs.DiscloseNothing {
			add(c.Title)
			add(c.Next)
		}
		for _, f := range c.Findings {
			if f.Severity == report.Note {
				continue
			}
			if level != labs.DiscloseWhere || !strings.Contains(letters(f.Actual), letters(f.Expected)) {
				add(f.Expected) // else what was found shows it: "dwell > 600" holds "dwell > 60"
			}
			for _, s := range f.SourceRows {
				add(s.Text)
			}
			for _, m := range f.More {
				add(m)
			}
			if level != labs.DiscloseMessage {
				add(f.Message)
			}
			if level != labs.DiscloseWhere {
				add(f.Actual)
			}
			if level == labs.DiscloseVerdict {
				add(f.Place())
			}
		}
	}
	return out
}
