package stream

import (
	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// defaultWatermarkInterval is pipeline.auto-watermark-interval.
const defaultWatermarkInterval = 200

// watermarkAssigner follows each row by a watermark as soon as event time has advanced
// by more than the interval since the last one; both count from 0, so nothing is
// emitted for times before 1970 (window.md 21). Flink also emits what is held back every
// 200 ms of wall clock, which a small file never lives to see. Watermarks from above
// are dropped but for the last.
type watermarkAssigner struct {
	next          operator
	job           *job
	column        int
	expr          fn.Eval
	interval      int64
	current, last int64
}

func (j *job) newWatermarkAssigner(n *phys.WatermarkAssigner, next operator) (operator, error) {
	e, err := j.compile(n.Expr)
	if err != nil {
		return nil, err
	}
	w := &watermarkAssigner{next: next, job: j, column: n.Column, expr: e, interval: j.rt.WatermarkInterval}
	switch {
	case w.interval == 0:
		w.interval = defaultWatermarkInterval
	case w.interval < 0:
		w.interval = 0
	}
	return w, nil
}

func (w *watermarkAssigner) row(kind changelog.RowKind, row value.Row) error {
	if row[w.column].IsNull() {
		return flinkerr.Runtime("java.lang.RuntimeException",
			"RowTime field should not be null, please convert it to a non-null long value.")
	}
	v := w.expr(&w.job.ctx, row)
	if err := w.job.ctx.Err; err != nil {
		return err
	}
	if !v.IsNull() {
		w.current = max(w.current, v.Millis())
	}
	if err := w.next.row(kind, row); err != nil {
		return err
	}
	if w.current-w.last > w.interval {
		w.last = w.current
		w.job.byWatermark(w.current)
		return w.next.watermark(w.current)
	}
	return nil
}

func (w *watermarkAssigner) watermark(m int64) error {
	if m != MaxWatermark {
		return nil
	}
	return w.next.watermark(m)
}

func (w *watermarkAssigner) end() error { return w.next.end() }
