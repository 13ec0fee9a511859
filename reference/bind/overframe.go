package bind

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// noOverInside refuses OVER in what partitions or orders a window.
func noOverInside(spec *sql.WindowSpec) error {
	isOver := func(n sql.Expr) bool { c, ok := n.(*sql.Call); return ok && (c.Over != nil || c.OverName != "") }
	for _, e := range spec.PartitionBy {
		if find(e, isOver) {
			return flinkerr.Validator("PARTITION BY expression should not contain OVER clause")
		}
	}
	for _, k := range spec.OrderBy {
		if find(k.X, isOver) {
			return flinkerr.Validator("ORDER BY expression should not contain OVER clause")
		}
	}
	return nil
}

// checkFrame is SqlWindow.validateFrameBoundary, for bounds with a distance: ROWS count, RANGE measures
// the order column.
func (x *exprs) checkFrame(f *sql.Frame, keys []rex.OrderKey) error {
	for _, b := range []sql.FrameBound{f.Start, f.End} {
		if b.X == nil {
			continue
		}
		if f.Rows {
			n, ok := b.X.(*sql.NumberLit)
			if !ok || strings.ContainsAny(n.Text, ".eE-") {
				return flinkerr.Validator("ROWS value must be a non-negative integral constant")
			}
			continue
		}
		e, err := x.bind(b.X)
		if err != nil {
			return err
		}
		if len(keys) != 1 {
			continue
		}
		order, bound := keys[0].X.Type(), e.Type()
		switch {
		case order.IsNumeric():
			if !bound.IsNumeric() {
				return flinkerr.Validator("Data Type mismatch between ORDER BY and RANGE clause")
			}
		case order.IsTimestamp(), order.Kind == value.KindDate, order.Kind == value.KindTime:
			if !bound.IsInterval() {
				return flinkerr.Validator("Data Type mismatch between ORDER BY and RANGE clause")
			}
			if bound.Kind == value.KindIntervalYearMonth {
				return flinkerr.Validation("INTERVAL_YEAR_MONTH type is not allowed for window boundary")
			}
		}
	}
	return nil
}
