package checks

import (
	"context"
	"fmt"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
	"github.com/labgrade/labgrade/value"
)

// lineage runs the step's query once more and asks for the source rows behind one of its rows.
func (s *submission) lineage(ctx context.Context, step *labs.Step, row int) ([]Cause, error) {
	list, _, err := s.lineageOf(ctx, step, func(n int, _ *Answer, _ changelog.RowKind, _ value.Row) bool { return n == row })
	return list, err
}

// lineageOf asks for the source rows behind the last row that is meant, and whether a
// watermark fired it.
func (s *submission) lineageOf(ctx context.Context, step *labs.Step, meant func(n int, a *Answer, kind changelog.RowKind, vals value.Row) bool) (found []Cause, byWatermark bool, err error) {
	var now []Cause
	fired := false
	var of *Answer
	n := 0
	err = s.g.engine.Execute(ctx, labScript(s.g.lab, step)+ended(step.Query), &graderFiles{g: s.g}, Handler{
		Sources: func(list []Cause, by bool) { now, fired = list, by },
		Row: func(a *Answer, kind changelog.RowKind, vals value.Row, _ Cause) error {
			if a != of {
				of, n, found, byWatermark = a, 0, nil, false
			}
			if meant(n, a, kind, vals) {
				found, byWatermark = now, fired
			}
			n++
			return nil
		},
		End: func(*Answer) error { return nil },
	})
	return found, byWatermark, err
}

// firedBy tells a row that a watermark fired (a window's, or a NULL row of a join) from
// one that the source row read at that time made: it names the rows that it was made from,
// and says when it came; "" for all others.
func (d *diagnosis) firedBy(ctx context.Context, r *row) (made []report.SourceRow, fired string) {
	if !d.want.streaming || !d.want.stored || d.whole != nil || !r.kind.Adds() || d.step.Mode == "batch" {
		return nil, ""
	}
	var w *cellWriter
	list, by, err := d.s.lineageOf(ctx, d.step, func(_ int, a *Answer, kind changelog.RowKind, vals value.Row) bool {
		if w == nil {
			w = newCellWriter(a.Columns, styleTable)
		}
		return kind == r.kind && w.row(kind, vals, Cause{}).sameCells(r)
	})
	if err != nil || !by || len(list) == 0 {
		return nil, ""
	}
	made = d.s.g.sourceRows(list)
	if len(made) == 0 {
		return nil, ""
	}
	if r.cause.Line == 0 {
		return made, "fired by the end of the input"
	}
	t := d.s.g.sourceRows([]Cause{r.cause})
	if len(t) == 0 {
		return nil, ""
	}
	return made, fmt.Sprintf("fired by the watermark that %s line %d brings: %s", t[0].File, t[0].Line, t[0].Text)
}
