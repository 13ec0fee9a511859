package plan

import (
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// timeTerm is a time attribute of one side plus a constant: ts + 10000 ms.
type timeTerm struct {
	column int
	offset int64
	typ    value.Type
}

// asTimeTerm reads a time attribute with constants added and subtracted. ok is false
// for anything else.
func asTimeTerm(e rex.Expr) (t timeTerm, ok bool) {
	switch e := e.(type) {
	case *rex.InputRef:
		if e.T.Time == value.NoTimeAttribute {
			return t, false
		}
		return timeTerm{column: e.Index, typ: e.T}, true
	case *rex.Call:
		if len(e.Args) != 2 || e.Op != rex.Plus && e.Op != rex.Minus {
			return t, false
		}
		if t, ok := asTimeTerm(e.Args[0]); ok {
			l, ok := e.Args[1].(*rex.Literal)
			if !ok || l.V.IsNull() || l.T.Kind != value.KindIntervalDayTime {
				return t, false
			}
			if e.Op == rex.Minus {
				t.offset -= l.V.Int()
			} else {
				t.offset += l.V.Int()
			}
			return t, true
		}
		if l, ok := e.Args[0].(*rex.Literal); ok && e.Op == rex.Plus && !l.V.IsNull() && l.T.Kind == value.KindIntervalDayTime {
			if t, ok := asTimeTerm(e.Args[1]); ok {
				t.offset += l.V.Int()
				return t, true
			}
		}
	}
	return t, false
}

// windowBounds are the limits that a join condition sets to the time of the left row
// minus that of the right row, in milliseconds.
type windowBounds struct {
	lower, upper        int64
	leftTime, rightTime int
	rowtime             bool
	// rest are the conditions that are no bound.
	rest []rex.Expr
}

// findWindowBounds is IntervalJoinUtil.extractWindowBounds: a lower and an upper bound
// between one time attribute of each side, of the same kind.
func findWindowBounds(cond []rex.Expr, w int) (b windowBounds, ok bool, err error) {
	var lower, upper []int64
	first := true
	for _, e := range cond {
		c, isCall := e.(*rex.Call)
		if !isCall || len(c.Args) != 2 {
			b.rest = append(b.rest, e)
			continue
		}
		x, okX := asTimeTerm(c.Args[0])
		y, okY := asTimeTerm(c.Args[1])
		if !okX || !okY || (x.column < w) == (y.column < w) || x.typ.Time != y.typ.Time {
			b.rest = append(b.rest, e)
			continue
		}
		op := c.Op
		if x.column >= w {
			x, y = y, x
			switch op {
			case rex.Lt:
				op = rex.Gt
			case rex.Gt:
				op = rex.Lt
			case rex.Le:
				op = rex.Ge
			case rex.Ge:
				op = rex.Le
			}
		}
		// left + x op right + y: left - right op y - x.
		d := y.offset - x.offset
		switch op {
		case rex.Eq:
			lower, upper = append(lower, d), append(upper, d)
		case rex.Ge:
			lower = append(lower, d)
		case rex.Gt:
			lower = append(lower, d+1)
		case rex.Le:
			upper = append(upper, d)
		case rex.Lt:
			upper = append(upper, d-1)
		default:
			b.rest = append(b.rest, e)
			continue
		}
		if x.typ.Kind != y.typ.Kind {
			return b, false, flinkerr.Validation("Interval join with rowtime attribute requires same rowtime types, but the types are %s and %s.",
				rex.TypeText(x.typ.NotNull(), false), rex.TypeText(y.typ.NotNull(), false))
		}
		if !first && (b.leftTime != x.column || b.rightTime != y.column-w) {
			return b, false, nil
		}
		first = false
		b.leftTime, b.rightTime, b.rowtime = x.column, y.column-w, x.typ.Time == value.Rowtime
	}
	if len(lower) == 0 || len(upper) == 0 {
		return b, false, nil
	}
	b.lower, b.upper = lower[0], upper[0]
	for _, l := range lower {
		b.lower = max(b.lower, l)
	}
	for _, u := range upper {
		b.upper = min(b.upper, u)
	}
	return b, true, nil
}

// intervalJoin joins rows whose times are near each other.
func (p *physical) intervalJoin(n *joinNode, j *phys.Join, b windowBounds, l, r phys.Node) phys.Node {
	w := len(l.Schema())
	_, _, _, rest := equiKeys(b.rest, w)
	x := &phys.IntervalJoin{JoinType: j.JoinType, Rowtime: b.rowtime, Lower: b.lower, Upper: b.upper,
		LeftTime: b.leftTime, RightTime: b.rightTime, LeftKeys: j.LeftKeys, RightKeys: j.RightKeys,
		FilterNulls: j.FilterNulls, Cond: j.Cond}
	if len(rest) > 0 {
		x.NonEqui = rex.AndOf(rest)
	}
	x.Fields = j.Fields
	x.In = []phys.Node{distribute(l, j.LeftKeys), distribute(r, j.RightKeys)}
	return x
}
