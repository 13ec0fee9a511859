package checks

import (
	"context"
	"strings"
	"testing"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

// wrongNamed is one of the lab's wrong submissions.
func wrongNamed(t *testing.T, lab *labs.Lab, name string) labs.Wrong {
	t.Helper()
	list, err := lab.Wrongs()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range list {
		if w.Name == name {
			return w
		}
	}
	t.Fatalf("there is no wrong submission %s", name)
	return labs.Wrong{}
}

func stepCheck(t *testing.T, list []report.Check, id string) report.Check {
	t.Helper()
	for _, c := range list {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("no check %s", id)
	return report.Check{}
}

// TestDisclosure: what a lab does not show is in no field of a finding.
func TestDisclosure(t *testing.T) {
	for _, c := range []struct {
		level                  labs.Disclosure
		expected, actual, line bool
	}{
		{labs.DiscloseAll, true, true, true},
		{labs.DiscloseWhere, false, true, true},
		{labs.DiscloseVerdict, false, false, false},
	} {
		lab := *dynamicLab(t)
		lab.Disclose = c.level
		g := shippedGrader(&lab)
		for _, name := range []string{"batch-edited", "stream-edited", "report-wrong", "explain-threshold", "stream-where"} {
			got, err := g.Check(context.Background(), wrongNamed(t, &lab, name).FS, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, check := range got {
				for _, f := range check.Findings {
					if (f.Expected != "") != c.expected || (f.Actual != "") != c.actual || (f.Line > 0) != c.line {
						t.Errorf("%s, %s: %+v", c.level, name, f)
					}
					if c.level != labs.DiscloseAll && (len(f.SourceRows) > 0 || len(f.More) > 0 || strings.ContainsAny(f.Message, "0123456789")) {
						t.Errorf("%s, %s: hidden text in %+v", c.level, name, f)
					}
				}
			}
		}
	}
}

// TestNeeds: a step whose needs did not pass is skipped; asking for it alone judges them, too.
func TestNeeds(t *testing.T) {
	lab := *dynamicLab(t)
	lab.Steps = append([]labs.Step{}, lab.Steps...)
	lab.Steps[2].Needs = []string{"stream"}
	g := shippedGrader(&lab)
	got, err := g.Check(context.Background(), wrongNamed(t, &lab, "stream-edited").FS, []string{"nested"})
	if err != nil {
		t.Fatal(err)
	}
	if c := got[0]; len(got) != 1 || c.ID != "nested" || c.Outcome != report.Skip || c.Points != 0 {
		t.Errorf("%+v", got)
	}
}

// TestSourceRowsMakeTheValue: the rows that a finding names are those of its key, and
// they add up to the expected value.
func TestSourceRowsMakeTheValue(t *testing.T) {
	lab := dynamicLab(t)
	got, err := shippedGrader(lab).Check(context.Background(), wrongNamed(t, lab, "stream-kind").FS, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := stepCheck(t, got, "stream").Findings[0]
	if f.Key != "user_id u08" || f.Expected != "update before (the old row): user_id u08, clicks 3, dwell 198" {
		t.Errorf("%+v", f)
	}
	for _, r := range f.SourceRows {
		if !strings.Contains(r.Text, ",u08,") {
			t.Errorf("%+v is no row of u08", r)
		}
	}
	if len(f.SourceRows) != 3 || len(f.More) != 1 || !strings.HasPrefix(f.More[0], "taken back when line 49 arrives") {
		t.Errorf("%d source rows, %q", len(f.SourceRows), f.More)
	}
}

// TestCancelledCheck: an interrupted check returns the context's error.
func TestCancelledCheck(t *testing.T) {
	lab := dynamicLab(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := shippedGrader(lab).Check(ctx, wrongNamed(t, lab, "stream-edited").FS, nil); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

// TestGraderIsReused: a grader gives the same answers again, also at the same time.
func TestGraderIsReused(t *testing.T) {
	lab := dynamicLab(t)
	g := shippedGrader(lab)
	done := make(chan []string)
	names := []string{"stream-where", "batch-max", "nested-thrice", "to-changelog-by-url"}
	for _, name := range names {
		w := wrongNamed(t, lab, name)
		go func() {
			got, err := g.Check(context.Background(), w.FS, nil)
			if err != nil {
				t.Error(err)
			}
			done <- codesOf(got)
		}()
	}
	for range names {
		if c := <-done; len(c) != 1 {
			t.Errorf("%v", c)
		}
	}
}
