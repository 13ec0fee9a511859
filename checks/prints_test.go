package checks

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/labgrade/labgrade/report"
)

// TestPrints: a saved output has the print of the data that it was made from, and no other.
func TestPrints(t *testing.T) {
	ctx := context.Background()
	a, b := recordedGrader(t, "right-120"), recordedGrader(t, "right-one-user")
	truthA, err := a.Prints(ctx)
	if err != nil {
		t.Fatal(err)
	}
	truthB, err := b.Prints(ctx)
	if err != nil {
		t.Fatal(err)
	}
	// The grader of other data reads the file: the print is that of the file's rows.
	saved, err := b.SavedPrints(ctx, memoryOf(t, recorded+"right-120/submission"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(truthA, saved); d != "" || len(saved) != 3 {
		t.Errorf("the prints of a right submission are not those of its data:\n%s", d)
	}
	for step, p := range truthB {
		if saved[step] == p {
			t.Errorf("step %s has the print of other data", step)
		}
	}
}

// panicking is an engine with a fault.
type panicking struct{ Engine }

func (panicking) Execute(context.Context, string, Files, Handler) error { panic("a fault of ours") }

// TestPanicIsOurFault: a panic is the outcome error of every step that meets it, for those
// who wait for the same computation, too, and never a failure of the learner.
func TestPanicIsOurFault(t *testing.T) {
	g := recordedGrader(t, "right-one-user")
	g.engine = panicking{}
	for range 2 {
		list, err := g.Check(context.Background(), memoryOf(t, recorded+"right-one-user/submission"), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if c.Outcome != report.Errored || c.Points != 0 {
				t.Errorf("step %s: outcome %s, %g points", c.ID, c.Outcome, c.Points)
			}
		}
	}
}

// waiting is an engine that ends only when its context does, until it is let go.
type waiting struct {
	Engine
	started chan struct{}
	free    *bool
}

func (w waiting) Execute(ctx context.Context, script string, f Files, h Handler) error {
	if *w.free {
		return w.Engine.Execute(ctx, script, f, h)
	}
	w.started <- struct{}{}
	<-ctx.Done()
	return ctx.Err()
}

// TestTimeLimitOfAnother: the time limit of one submission does not become the answer of
// the next one that asks for the same.
func TestTimeLimitOfAnother(t *testing.T) {
	g := recordedGrader(t, "right-one-user")
	free := false
	w := waiting{g.engine, make(chan struct{}, 16), &free}
	g.engine = w
	files := memoryOf(t, recorded+"right-one-user/submission")
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-w.started
		cancel()
	}()
	if _, err := g.Check(ctx, files, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("the first check ended with %v", err)
	}
	free = true
	list, err := g.Check(context.Background(), files, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if c.Outcome != report.Pass {
			t.Errorf("step %s: %s %v", c.ID, c.Outcome, c.Findings)
		}
	}
}
