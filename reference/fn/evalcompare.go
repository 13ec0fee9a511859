package fn

import (
	"cmp"
	"strings"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// order compares two values that are not NULL: negative, 0, positive, or unordered
// when a NaN takes part.
type order func(a, b value.Value) int

const unordered = 2

// holds tells whether a comparison operator is true of an order.
func holds(op *rex.Op, o int) bool {
	switch op {
	case rex.Eq, rex.IsNotDistinctFrom:
		return o == 0
	case rex.Ne, rex.IsDistinctFrom:
		return o != 0
	case rex.Lt:
		return o < 0
	case rex.Le:
		return o <= 0
	case rex.Gt:
		return o > 0 && o != unordered
	case rex.Ge:
		return o >= 0 && o != unordered
	}
	return false
}

func floatOrder(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	return unordered
}

// totalFloatOrder is Java's Double.compare, which Flink uses beside a DECIMAL.
func totalFloatOrder(a, b float64) int {
	return value.Compare(value.TDouble, value.Double(a), value.Double(b))
}

// orderOf is how Flink's generated code compares values of two types.
func orderOf(a, b value.Type) (order, error) {
	switch {
	case a.IsCharacter() && b.IsCharacter(), a.IsBinary() && b.IsBinary():
		return func(x, y value.Value) int { return strings.Compare(x.Str(), y.Str()) }, nil
	case isIntegral(a) && isIntegral(b), a.Kind == b.Kind && (a.Kind == value.KindDate || a.Kind == value.KindTime || a.Kind == value.KindBoolean):
		return func(x, y value.Value) int { return cmp.Compare(x.Int(), y.Int()) }, nil
	case a.IsNumeric() && b.IsNumeric():
		return numberOrder(a, b), nil
	case a.Kind == b.Kind && a.IsTimestamp():
		return func(x, y value.Value) int {
			if c := cmp.Compare(x.Millis(), y.Millis()); c != 0 {
				return c
			}
			return cmp.Compare(x.NanoOfMilli(), y.NanoOfMilli())
		}, nil
	}
	return nil, unsupported.New("comparison of %s and %s", a, b)
}

func numberOrder(a, b value.Type) order {
	switch {
	case a.Kind == value.KindDecimal && b.Kind == value.KindDecimal && a.Scale == b.Scale:
		return func(x, y value.Value) int { return x.Dec().Cmp(y.Dec()) }
	case a.Kind == value.KindDecimal && b.IsApprox(), b.Kind == value.KindDecimal && a.IsApprox():
		fa, fb := toFloat(a), toFloat(b)
		return func(x, y value.Value) int { return totalFloatOrder(fa(x), fb(y)) }
	case a.Kind == value.KindDecimal || b.Kind == value.KindDecimal:
		da, db := toDecimal(a), toDecimal(b)
		sa, sb := scaleOf(a), scaleOf(b)
		return func(x, y value.Value) int { return decimalOrder(da(x).Dec(), sa, db(y).Dec(), sb) }
	case a.Kind == value.KindDouble || b.Kind == value.KindDouble:
		fa, fb := toFloat(a), toFloat(b)
		return func(x, y value.Value) int { return floatOrder(fa(x), fb(y)) }
	}
	// Java compares a long with a float as floats.
	fa, fb := toFloat32(a), toFloat32(b)
	return func(x, y value.Value) int { return floatOrder(float64(fa(x)), float64(fb(y))) }
}

func decimalOrder(a value.Dec128, sa int, b value.Dec128, sb int) int {
	x, y := bigOf(a), bigOf(b)
	if sa < sb {
		x.Mul(x, bigPow10(sb-sa))
	} else {
		y.Mul(y, bigPow10(sa-sb))
	}
	return x.Cmp(y)
}

// evalCompare compiles =, <>, <, <=, >, >=.
func evalCompare(c *compiler, call *rex.Call) (Eval, error) {
	if p := comparePredicate(call); p != nil {
		x, y := columnsOf(call)
		return func(ctx *Ctx, row value.Row) value.Value {
			if row[x].IsNull() || y >= 0 && row[y].IsNull() {
				return value.Null
			}
			return value.Bool(p(ctx, row))
		}, nil
	}
	a, b, cmp, err := c.sides(call)
	if err != nil || a == nil {
		return constant(value.Null), err
	}
	op := call.Op
	if t := call.Args[0].Type(); t.IsComposite() {
		if u := call.Args[1].Type(); t.Kind == value.KindArray && u.Kind == value.KindArray && !t.Elem.AsNullable().Equal(u.Elem.AsNullable()) {
			return nil, unsupported.New("comparison of %s and %s", t, u)
		}
		return eval2(a, b, func(ctx *Ctx, x, y value.Value) value.Value { return equalComposite(ctx, op, t, x, y) }), nil
	}
	return eval2(a, b, func(_ *Ctx, x, y value.Value) value.Value { return value.Bool(holds(op, cmp(x, y))) }), nil
}

// sides compiles both operands of a comparison. A text beside a point in time is
// cast to it, NULL where it cannot be; a text beside a BOOLEAN never equals it. The evals are nil where one side is a bare NULL.
func (c *compiler) sides(call *rex.Call) (a, b Eval, o order, err error) {
	x, y := call.Args[0], call.Args[1]
	ta, tb := x.Type(), y.Type()
	if ta.Kind == value.KindNull || tb.Kind == value.KindNull {
		return nil, nil, nil, nil
	}
	if err := refuseImplicit(call.Args); err != nil {
		return nil, nil, nil, err
	}
	equals := call.Op == rex.Eq || call.Op == rex.Ne
	switch {
	case equals && ta.IsDatetime() && tb.IsCharacter():
		err = c.constantTime(y, ta)
	case equals && tb.IsDatetime() && ta.IsCharacter():
		err = c.constantTime(x, tb)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	switch {
	case ta.IsDatetime() && tb.IsCharacter():
		y, tb = &rex.Call{Op: rex.TryCast, Args: []rex.Expr{y}, T: ta.AsNullable()}, ta
	case tb.IsDatetime() && ta.IsCharacter():
		x, ta = &rex.Call{Op: rex.TryCast, Args: []rex.Expr{x}, T: tb.AsNullable()}, tb
	case ta.IsTimestamp() && tb.IsTimestamp() && ta.Kind != tb.Kind:
		if ta.Precision > tb.Precision {
			y, tb = &rex.Call{Op: rex.Cast, Args: []rex.Expr{y}, T: ta.WithNullable(tb.Nullable)}, ta
		} else {
			x, ta = &rex.Call{Op: rex.Cast, Args: []rex.Expr{x}, T: tb.WithNullable(ta.Nullable)}, tb
		}
	}
	if call.Op == rex.Eq || call.Op == rex.Ne {
		if ta.Kind == value.KindBoolean && tb.IsCharacter() || tb.Kind == value.KindBoolean && ta.IsCharacter() {
			o = func(value.Value, value.Value) int { return 1 }
		}
	}
	if o != nil {
	} else if o, err = compositeOrder(call.Op, ta, tb); o == nil && err == nil {
		o, err = orderOf(ta, tb)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if a, err = c.compile(x); err != nil {
		return nil, nil, nil, err
	}
	b, err = c.compile(y)
	return a, b, o, err
}

func evalDistinct(c *compiler, call *rex.Call) (Eval, error) {
	want := call.Op == rex.IsDistinctFrom
	a, b, o, err := c.sides(call)
	if err != nil {
		return nil, err
	}
	if a == nil {
		args, err := c.args(call)
		if err != nil {
			return nil, err
		}
		return func(ctx *Ctx, row value.Row) value.Value {
			return value.Bool((args[0](ctx, row).IsNull() != args[1](ctx, row).IsNull()) == want)
		}, nil
	}
	return func(ctx *Ctx, row value.Row) value.Value {
		x, y := a(ctx, row), b(ctx, row)
		if x.IsNull() || y.IsNull() {
			return value.Bool((x.IsNull() != y.IsNull()) == want)
		}
		return value.Bool((o(x, y) != 0) == want)
	}, nil
}

// columnsOf are the columns of column op column (or -1 for a literal).
func columnsOf(call *rex.Call) (x, y int) {
	x, y = call.Args[0].(*rex.InputRef).Index, -1
	if r, ok := call.Args[1].(*rex.InputRef); ok {
		y = r.Index
	}
	return x, y
}

// comparePredicate is the short form of column op literal and column op column
// for integers, dates and strings; nil for everything else.
func comparePredicate(call *rex.Call) Predicate {
	switch call.Op {
	case rex.Eq, rex.Ne, rex.Lt, rex.Le, rex.Gt, rex.Ge:
	default:
		return nil
	}
	ref, ok := call.Args[0].(*rex.InputRef)
	if !ok {
		return nil
	}
	i := ref.Index
	ta, tb := ref.T, call.Args[1].Type()
	ints := isIntegral(ta) && isIntegral(tb) || ta.Kind == value.KindDate && tb.Kind == value.KindDate
	strs := ta.IsCharacter() && tb.IsCharacter()
	if !ints && !strs {
		return nil
	}
	switch y := call.Args[1].(type) {
	case *rex.Literal:
		if y.V.IsNull() {
			return nil
		}
		if strs {
			return textPredicate(call.Op, i, y.V.Str())
		}
		return intPredicate(call.Op, i, y.V.Int())
	case *rex.InputRef:
		j, op := y.Index, call.Op
		if strs {
			return func(_ *Ctx, row value.Row) bool {
				a, b := &row[i], &row[j]
				return !a.IsNull() && !b.IsNull() && holds(op, strings.Compare(a.Str(), b.Str()))
			}
		}
		return func(_ *Ctx, row value.Row) bool {
			a, b := &row[i], &row[j]
			return !a.IsNull() && !b.IsNull() && holds(op, cmp.Compare(a.Int(), b.Int()))
		}
	}
	return nil
}

func intPredicate(op *rex.Op, i int, k int64) Predicate {
	switch op {
	case rex.Eq:
		return func(_ *Ctx, row value.Row) bool { v := &row[i]; return !v.IsNull() && v.Int() == k }
	case rex.Ne:
		return func(_ *Ctx, row value.Row) bool { v := &row[i]; return !v.IsNull() && v.Int() != k }
	case rex.Lt:
		return func(_ *Ctx, row value.Row) bool { v := &row[i]; return !v.IsNull() && v.Int() < k }
	case rex.Le:
		return func(_ *Ctx, row value.Row) bool { v := &row[i]; return !v.IsNull() && v.Int() <= k }
	case rex.Gt:
		return func(_ *Ctx, row value.Row) bool { v := &row[i]; return !v.IsNull() && v.Int() > k }
	}
	return func(_ *Ctx, row value.Row) bool { v := &row[i]; return !v.IsNull() && v.Int() >= k }
}

func textPredicate(op *rex.Op, i int, k string) Predicate {
	switch op {
	case rex.Eq:
		return func(_ *Ctx, row value.Row) bool { v := &row[i]; return !v.IsNull() && v.Str() == k }
	case rex.Ne:
		return func(_ *Ctx, row value.Row) bool { v := &row[i]; return !v.IsNull() && v.Str() != k }
	}
	return func(_ *Ctx, row value.Row) bool {
		v := &row[i]
		return !v.IsNull() && holds(op, strings.Compare(v.Str(), k))
	}
}

// evalSearch compiles SEARCH(x, Sarg).
func evalSearch(c *compiler, call *rex.Call) (Eval, error) {
	s, ok := call.Args[1].(*rex.Sarg)
	if !ok {
		return nil, unsupported.New("SEARCH without a Sarg")
	}
	o, err := orderOf(call.Args[0].Type(), s.T)
	if err != nil {
		return nil, err
	}
	x, err := c.compile(call.Args[0])
	if err != nil {
		return nil, err
	}
	onNull := value.Null
	switch s.NullAs {
	case "TRUE":
		onNull = value.Bool(true)
	case "FALSE":
		onNull = value.Bool(false)
	}
	ranges := s.Ranges
	return func(ctx *Ctx, row value.Row) value.Value {
		v := x(ctx, row)
		if v.IsNull() {
			return onNull
		}
		for i := range ranges {
			if inRange(&ranges[i], v, o) {
				return value.Bool(true)
			}
		}
		return value.Bool(false)
	}, nil
}

func inRange(r *rex.Range, v value.Value, o order) bool {
	if r.Low != nil {
		if c := o(v, *r.Low); c == unordered || c < 0 || c == 0 && r.LowOpen {
			return false
		}
	}
	if r.High != nil {
		if c := o(v, *r.High); c == unordered || c > 0 || c == 0 && r.HighOpen {
			return false
		}
	}
	return true
}
