package authoring

import (
	"context"
	"testing"
	"time"

	"github.com/labgrade/labgrade/labs"
)

// TestShippedLabs: every lab that comes with labgrade is without faults and proves itself:
// its solution, its wrong and other right submissions, and mutants.
func TestShippedLabs(t *testing.T) {
	for i, id := range labs.Shipped() {
		t.Run(id, func(t *testing.T) {
			if testing.Short() && i > 0 {
				t.Skip("one lab shows what the race detector can find")
			}
			t.Parallel()
			lab, err := labs.Open(id)
			if err != nil {
				t.Fatal(err)
			}
			problems, err := Lint(context.Background(), lab)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range problems {
				if p.Weight == Error {
					t.Error(p)
				}
			}
			start := time.Now()
			got, err := Test(context.Background(), lab)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range got.Faults {
				t.Error(f)
			}
			for _, u := range got.Unproved {
				t.Logf("no mistake exercises %s", u) // advice to the author, no fault
			}
			t.Logf("%d wrong, %d right, %d mutants, %d of them unseen, %v", got.Wrong, got.Right, got.Mutants, got.Same, time.Since(start))
		})
	}
}

// TestFaultsAreFound: a lab whose parts do not fit together is no lab for learners.
func TestFaultsAreFound(t *testing.T) {
	lab, err := labs.Open("dynamic")
	if err != nil {
		t.Fatal(err)
	}
	// The solution is judged by another query than its own.
	for i := range lab.Steps {
		if lab.Steps[i].Kind == labs.KindTable {
			lab.Steps[i].Query = "SELECT user_id, COUNT(*) AS clicks, MAX(dwell) AS dwell FROM clicks GROUP BY user_id"
		}
	}
	got, err := Test(context.Background(), lab)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Faults) == 0 {
		t.Error("no fault was found")
	}
}
