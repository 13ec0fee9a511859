package authoring

import (
	"context"
	"testing"
	"time"

	"github.com/labgrade/labgrade/labs"
)

// TestShippedLabs: every lab that comes with labgrade proves itself.
func TestShippedLabs(t *testing.T) {
	for _, id := range labs.Shipped() {
		t.Run(id, func(t *testing.T) {
			lab, err := labs.Open(id)
			if err != nil {
				t.Fatal(err)
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
				t.Errorf("no mistake exercises %s", u)
			}
			t.Logf("%d wrong, %d right, %d mutants, %d of them unseen, %v", got.Wrong, got.Right, got.Mutants, got.Same, time.Since(start))
		})
	}
}
