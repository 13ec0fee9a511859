package fn

import (
	"math"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// compositeOrder compares arrays, maps and rows for equality.
func compositeOrder(op *rex.Op, a, b value.Type) (order, error) {
	if !a.IsComposite() || a.Kind != b.Kind {
		return nil, nil
	}
	if op != rex.Eq && op != rex.Ne {
		if op == rex.IsDistinctFrom || op == rex.IsNotDistinctFrom {
			return nil, unsupported.New("%s of %s values", op.Name, a)
		}
		return nil, flinkerr.New(classCodeGen, "Comparable type expected, but was '%s'.", a)
	}
	return func(x, y value.Value) int {
		if value.Equal(a, x, y) {
			return 0
		}
		return 1
	}, nil
}

// equalComposite compares arrays, maps and rows; a NULL in an array of plain values equals a NULL.
// What Flink answers where a value holds another NULL, NaN or -0.0 depends on how it stores the
// values, so that is refused.
func equalComposite(ctx *Ctx, op *rex.Op, t value.Type, x, y value.Value) value.Value {
	if t.Kind == value.KindArray && !t.Elem.IsComposite() {
		return value.Bool(equalElements(ctx, t, x.Composite().Elems, y.Composite().Elems) == (op == rex.Eq))
	}
	if isDoubtful(t, x) || isDoubtful(t, y) {
		return doubtful(ctx, t)
	}
	return value.Bool(value.Equal(t, x, y) == (op == rex.Eq))
}

func doubtful(ctx *Ctx, t value.Type) value.Value {
	return ctx.Fail(unsupported.New("comparison of %s values that hold NULL, NaN or -0.0", t))
}

func equalElements(ctx *Ctx, t value.Type, x, y []value.Value) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		a, b := x[i], y[i]
		switch {
		case a.IsNull() || b.IsNull():
			if a.IsNull() != b.IsNull() {
				return false
			}
		case isDoubtful(*t.Elem, a) || isDoubtful(*t.Elem, b):
			doubtful(ctx, t)
			return false
		case !value.Equal(*t.Elem, a, b):
			return false
		}
	}
	return true
}

func isDoubtful(t value.Type, v value.Value) bool {
	switch {
	case v.IsNull():
		return true
	case t.IsApprox():
		f := toFloat(t)(v)
		return math.IsNaN(f) || f == 0 && math.Signbit(f)
	case !t.IsComposite():
		return false
	}
	c := v.Composite()
	for i, e := range c.Elems {
		et := t.Elem
		if t.Kind == value.KindRow {
			et = &t.Fields[i].Type
		}
		if t.Kind != value.KindMultiset && isDoubtful(*et, e) {
			return true
		}
	}
	for _, k := range c.Keys {
		kt := t.Key
		if t.Kind == value.KindMultiset {
			kt = t.Elem
		}
		if isDoubtful(*kt, k) {
			return true
		}
	}
	return false
}
