package checks

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"github.com/labgrade/labgrade/checks/codes"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

// shippedGrader grades over the data that ship with a lab.
func shippedGrader(lab *labs.Lab) *Grader {
	return New(lab, func(table string) (fs.File, error) {
		for _, t := range lab.Tables {
			if t.Name == table {
				return lab.FS.Open("data/" + t.File)
			}
		}
		return nil, fs.ErrNotExist
	}, Reference())
}

func codesOf(list []report.Check) []string {
	r := report.Result{Checks: list}
	c := r.Codes()
	slices.Sort(c)
	return c
}

// TestWrongSubmissions: each wrong submission that a lab keeps gets exactly its codes.
func TestWrongSubmissions(t *testing.T) {
	for _, id := range labs.Shipped() {
		lab, err := labs.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		g := shippedGrader(lab)
		solution, err := lab.Solution()
		if err != nil {
			t.Fatal(err)
		}
		right, err := g.Check(context.Background(), solution, nil)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(right, func(c report.Check) bool { return c.Outcome == report.Errored }) {
			t.Skip("the engine does not run every step yet")
		}
		if c := codesOf(right); len(c) > 0 {
			t.Fatalf("the solution gets %v\n%s", c, wrongOnly(right))
		}
		wrongs, err := lab.Wrongs()
		if err != nil {
			t.Fatal(err)
		}
		rights, err := lab.Rights()
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range rights {
			got, err := g.Check(context.Background(), w.FS, nil)
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(got, func(c report.Check) bool { return c.Outcome != report.Pass }) || len(codesOf(got)) > 0 {
				t.Errorf("%s is right (%s), but gets %v\n%s", w.Name, w.Says, codesOf(got), wrongOnly(got))
			}
		}
		found := map[string]bool{}
		for _, w := range wrongs {
			t.Run(id+"/"+w.Name, func(t *testing.T) {
				got, err := g.Check(context.Background(), w.FS, nil)
				if err != nil {
					t.Fatal(err)
				}
				slices.Sort(w.Codes)
				if c := codesOf(got); !slices.Equal(c, w.Codes) {
					t.Errorf("%s: got %v, want %v\n%s", w.Says, c, w.Codes, wrongOnly(got))
				}
			})
			for _, c := range w.Codes {
				found[c] = true
				if _, ok := codes.Find(c); !ok {
					t.Errorf("%s: there is no code %s", w.Name, c)
				}
			}
		}
		t.Logf("%s: %d wrong submissions, %d different codes", id, len(wrongs), len(found))
	}
}

// wrongOnly prints the findings of checks that are not right.
func wrongOnly(list []report.Check) string {
	s := ""
	for _, c := range list {
		for _, f := range c.Findings {
			if f.Severity != report.Note {
				s += fmt.Sprintf("%s: %s %s %s (expected %s; found %s)\n", c.ID, f.Place(), f.Code, f.Message, f.Expected, f.Actual)
			}
		}
	}
	return s
}
