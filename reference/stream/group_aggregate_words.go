package stream

import (
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// wordCall is COUNT, or SUM of integers. These two, by far the most frequent, are computed in the
// cells themselves, without a call through an interface and without a copy of the accumulator.
type wordCall struct {
	args []int
	// Of a sum: the kind whose width it wraps at; KindNull for COUNT.
	sum      value.Kind
	zero     bool // $SUM0
	retracts bool
}

// wordCalls is nil if a call needs the general way.
func wordCalls(calls []phys.AggCall) []wordCall {
	out := make([]wordCall, 0, len(calls))
	for i := range calls {
		c := &calls[i]
		w := wordCall{args: c.Args}
		switch {
		case c.Filter >= 0:
			return nil
		case c.Fn.Name == "COUNT":
		case (c.Fn.Name == "SUM" || c.Fn.Name == "$SUM0") && c.T.IsInteger():
			w.sum, w.zero, w.retracts = c.T.Kind, c.Fn.Name == "$SUM0", c.Retract && c.Fn.Name == "SUM"
		default:
			return nil
		}
		out = append(out, w)
	}
	return out
}

// words updates the cells of a group with a row and writes the results before and after
// to the two rows.
func (o *denseAggregate) words(cells []cell, adds bool, row, before, after value.Row) {
	set := cells[0].v
	sign := int64(1)
	if !adds {
		sign = -1
	}
next:
	for i := range o.fast {
		w, c, bit := &o.fast[i], &cells[1+i], int64(1)<<i
		if w.sum == value.KindNull {
			before[i].SetInt(c.n)
			for _, a := range w.args {
				if row[a].IsNull() {
					after[i].SetInt(c.n)
					continue next
				}
			}
			c.n += sign
			after[i].SetInt(c.n)
			continue
		}
		w.result(c, set&bit != 0, &before[i])
		if a := &row[w.args[0]]; !a.IsNull() && (adds || w.zero || w.retracts) {
			if w.retracts {
				c.n += sign
			}
			c.v = w.wrap(c.v + sign*a.Int())
			set |= bit
		}
		w.result(c, set&bit != 0, &after[i])
	}
	cells[0].v = set
}

func (w *wordCall) result(c *cell, set bool, v *value.Value) {
	if !set || w.retracts && c.n == 0 {
		*v = value.Null
		return
	}
	v.SetInt(c.v)
}

func (w *wordCall) wrap(n int64) int64 {
	switch w.sum {
	case value.KindTinyInt:
		return int64(int8(n))
	case value.KindSmallInt:
		return int64(int16(n))
	case value.KindInt:
		return int64(int32(n))
	}
	return n
}

// sameWords compares results of wordCalls.
func sameWords(a, b value.Row) bool {
	for i := range a {
		if a[i].IsNull() != b[i].IsNull() || a[i].Int() != b[i].Int() {
			return false
		}
	}
	return true
}
