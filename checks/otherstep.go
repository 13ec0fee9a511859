package checks

import (
	"context"
	"fmt"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

// mixedUp is otherStep for a result that has not even the columns of the task, before its
// form is looked at.
func (d *diagnosis) mixedUp(ctx context.Context) (bool, error) {
	if d.saved != nil {
		return false, nil
	}
	return d.otherStep(ctx)
}

// otherStep: the output is the right one of another step of the lab, so the files were
// mixed up. A step that is hidden from the viewer is never named.
func (d *diagnosis) otherStep(ctx context.Context) (bool, error) {
	lab := d.s.g.lab
	for i := range lab.Steps {
		other := &lab.Steps[i]
		if other.ID == d.step.ID || other.Kind != labs.KindTable && other.Kind != labs.KindChangelog || d.s.hides(other.ID) {
			continue
		}
		is, err := d.answersStep(ctx, other)
		if err != nil {
			return false, err
		}
		if is {
			d.v.add("LG-FILE-012", report.Finding{File: d.out.name, Line: d.res.block.FirstLine,
				Message: fmt.Sprintf("%s holds the output of the step %s, not of %s.", d.out.name, other.ID, d.step.ID)})
			return true, nil
		}
	}
	return false, nil
}

// answersStep reports whether the saved result, judged as that of another step, is right.
func (d *diagnosis) answersStep(ctx context.Context, other *labs.Step) (bool, error) {
	if d.step.Kind == labs.KindPrint || d.res.counts.total() == 0 {
		return false, nil
	}
	a, err := d.s.labAnswer(ctx, d.s.g.script(other)+ended(other.Query), styleOf(other))
	if err = oursOnly(err); err != nil || a == nil || a.err != nil || !a.isRows {
		return false, err
	}
	if a.streaming != d.res.hasOp || len(a.columns) != len(d.res.columns) || indexByName(a.columns, d.res.columns) == nil {
		return false, nil
	}
	again, bad, err := d.s.readOutput(ctx, d.out.name, a, other)
	if err != nil || bad != nil {
		return false, err
	}
	for _, r := range again.results {
		if r.block.FirstLine == d.res.block.FirstLine {
			return d.s.isRight(ctx, r, a, other)
		}
	}
	return false, nil
}
