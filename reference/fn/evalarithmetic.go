package fn

import (
	"math"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

const classArithmetic = "java.lang.ArithmeticException"

func divisionByZero(c *Ctx) value.Value {
	return c.Fail(flinkerr.Runtime(classArithmetic, "/ by zero"))
}

// decimalByZero is the failure of BigDecimal, which tells 0 / 0 from the rest.
func decimalByZero(c *Ctx, dividend value.Value) value.Value {
	if dividend.Dec().Sign() == 0 {
		return c.Fail(flinkerr.Runtime(classArithmetic, "Division undefined"))
	}
	return c.Fail(flinkerr.Runtime(classArithmetic, "Division by zero"))
}

// toFloat reads a number of type t as a double, as Java's casts do.
func toFloat(t value.Type) func(value.Value) float64 {
	switch t.Kind {
	case value.KindFloat:
		return func(v value.Value) float64 { return float64(v.Float()) }
	case value.KindDouble:
		return value.Value.Double
	case value.KindDecimal:
		s := t.Scale
		return func(v value.Value) float64 { return value.DecimalToDouble(v.Dec(), s) }
	}
	return func(v value.Value) float64 { return float64(v.Int()) }
}

// scaleOf is the scale with which an exact number enters decimal arithmetic.
func scaleOf(t value.Type) int {
	if t.Kind == value.KindDecimal {
		return t.Scale
	}
	return 0
}

// truncateDecimal drops the digits behind the point.
func truncateDecimal(d value.Dec128, scale int) value.Dec128 {
	if scale == 0 {
		return d
	}
	n := bigOf(d)
	return decOfBig(n.Quo(n, bigPow10(scale)))
}

// toFloat32 reads a number of type t as a float.
func toFloat32(t value.Type) func(value.Value) float32 {
	switch t.Kind {
	case value.KindFloat:
		return value.Value.Float
	case value.KindDouble, value.KindDecimal:
		f := toFloat(t)
		return func(v value.Value) float32 { return float32(f(v)) }
	}
	return func(v value.Value) float32 { return float32(v.Int()) }
}

// toDecimal reads an exact number as a DECIMAL; the scale is that of DecimalOfInteger(t).
func toDecimal(t value.Type) func(value.Value) value.Value {
	if t.Kind == value.KindDecimal {
		return func(v value.Value) value.Value { return v }
	}
	return func(v value.Value) value.Value { return value.Decimal(value.DecOf(v.Int())) }
}

// binaryMath compiles an arithmetic operator over numbers by the type of its result.
type binaryMath struct {
	ints    func(c *Ctx, a, b int64) (int64, bool)
	floats  func(a, b float64) float64
	singles func(a, b float32) float32
	decimal func(c *Ctx, a value.Value, sa int, b value.Value, sb int, p, s int) value.Value
}

func (m binaryMath) build(c *compiler, call *rex.Call) (Eval, error) {
	ta, tb := call.Args[0].Type(), call.Args[1].Type()
	t := call.T
	if t.Kind != value.KindDecimal && !t.IsApprox() && isIntegral(ta) && isIntegral(tb) {
		if e := m.fastInts(call); e != nil {
			return e, nil
		}
	}
	args, err := c.args(call)
	if err != nil {
		return nil, err
	}
	switch {
	case t.Kind == value.KindDecimal:
		da, db := toDecimal(ta), toDecimal(tb)
		sa, sb := scaleOf(ta), scaleOf(tb)
		return eval2(args[0], args[1], func(c *Ctx, a, b value.Value) value.Value {
			return m.decimal(c, da(a), sa, db(b), sb, t.Precision, t.Scale)
		}), nil
	case t.Kind == value.KindDouble:
		fa, fb := toFloat(ta), toFloat(tb)
		return eval2(args[0], args[1], func(_ *Ctx, a, b value.Value) value.Value {
			return value.Double(m.floats(fa(a), fb(b)))
		}), nil
	case t.Kind == value.KindFloat:
		fa, fb := toFloat32(ta), toFloat32(tb)
		return eval2(args[0], args[1], func(_ *Ctx, a, b value.Value) value.Value {
			return value.Float(m.singles(fa(a), fb(b)))
		}), nil
	}
	k := t.Kind
	ia, ib := toInt(ta), toInt(tb)
	return eval2(args[0], args[1], func(c *Ctx, a, b value.Value) value.Value {
		n, ok := m.ints(c, ia(a), ib(b))
		if !ok {
			return value.Null
		}
		return value.Int(wrapInt(k, n))
	}), nil
}

// fastInts avoids calls for column op literal and column op column.
func (m binaryMath) fastInts(call *rex.Call) Eval {
	k, f := call.T.Kind, m.ints
	x, ok := call.Args[0].(*rex.InputRef)
	if !ok {
		return nil
	}
	i := x.Index
	switch y := call.Args[1].(type) {
	case *rex.Literal:
		if y.V.IsNull() {
			return nil
		}
		b := y.V.Int()
		return func(c *Ctx, row value.Row) value.Value {
			if row[i].IsNull() {
				return value.Null
			}
			n, ok := f(c, row[i].Int(), b)
			if !ok {
				return value.Null
			}
			return value.Int(wrapInt(k, n))
		}
	case *rex.InputRef:
		j := y.Index
		return func(c *Ctx, row value.Row) value.Value {
			if row[i].IsNull() || row[j].IsNull() {
				return value.Null
			}
			n, ok := f(c, row[i].Int(), row[j].Int())
			if !ok {
				return value.Null
			}
			return value.Int(wrapInt(k, n))
		}
	}
	return nil
}

func isIntegral(t value.Type) bool { return t.IsInteger() || t.IsInterval() }

// toInt reads a number as Java's cast to long does.
func toInt(t value.Type) func(value.Value) int64 {
	switch t.Kind {
	case value.KindFloat, value.KindDouble:
		f := toFloat(t)
		return func(v value.Value) int64 { return javaLong(f(v)) }
	case value.KindDecimal:
		s := t.Scale
		return func(v value.Value) int64 { return int64(truncateDecimal(v.Dec(), s).Lo) }
	}
	return value.Value.Int
}

// javaLong is Java's (long) of a double: truncated, saturated, NaN is 0.
func javaLong(f float64) int64 {
	switch {
	case f != f:
		return 0
	case f >= 1<<63:
		return math.MaxInt64
	case f <= -1<<63:
		return math.MinInt64
	}
	return int64(f)
}

var (
	plusMath = binaryMath{
		ints:    func(_ *Ctx, a, b int64) (int64, bool) { return a + b, true },
		floats:  func(a, b float64) float64 { return a + b },
		singles: func(a, b float32) float32 { return a + b },
		decimal: func(_ *Ctx, a value.Value, sa int, b value.Value, sb int, p, s int) value.Value {
			return value.DecimalAdd(a, sa, b, sb, p, s)
		},
	}
	minusMath = binaryMath{
		ints:    func(_ *Ctx, a, b int64) (int64, bool) { return a - b, true },
		floats:  func(a, b float64) float64 { return a - b },
		singles: func(a, b float32) float32 { return a - b },
		decimal: func(_ *Ctx, a value.Value, sa int, b value.Value, sb int, p, s int) value.Value {
			return value.DecimalSub(a, sa, b, sb, p, s)
		},
	}
	timesMath = binaryMath{
		ints:    func(_ *Ctx, a, b int64) (int64, bool) { return a * b, true },
		floats:  func(a, b float64) float64 { return a * b },
		singles: func(a, b float32) float32 { return a * b },
		decimal: func(_ *Ctx, a value.Value, sa int, b value.Value, sb int, p, s int) value.Value {
			return value.DecimalMul(a, sa, b, sb, p, s)
		},
	}
	divideMath = binaryMath{
		ints: func(c *Ctx, a, b int64) (int64, bool) {
			if b == 0 {
				divisionByZero(c)
				return 0, false
			}
			if b == -1 {
				return -a, true
			}
			return a / b, true
		},
		floats:  func(a, b float64) float64 { return a / b },
		singles: func(a, b float32) float32 { return a / b },
		decimal: func(c *Ctx, a value.Value, sa int, b value.Value, sb int, p, s int) value.Value {
			q, ok := value.DecimalDiv(a, sa, b, sb, p, s)
			if !ok {
				return decimalByZero(c, a)
			}
			return q
		},
	}
	modMath = binaryMath{
		ints: func(c *Ctx, a, b int64) (int64, bool) {
			if b == 0 {
				divisionByZero(c)
				return 0, false
			}
			if b == -1 {
				return 0, true
			}
			return a % b, true
		},
		floats:  math.Mod,
		singles: func(a, b float32) float32 { return float32(math.Mod(float64(a), float64(b))) },
		decimal: func(c *Ctx, a value.Value, sa int, b value.Value, sb int, p, s int) value.Value {
			m, ok := value.DecimalMod(a, sa, b, sb, p, s)
			if !ok {
				if b.Dec().Sign() != 0 {
					return c.Fail(flinkerr.Runtime(classArithmetic, "Division impossible"))
				}
				return decimalByZero(c, a)
			}
			return m
		},
	}
)

func evalPlus(c *compiler, call *rex.Call) (Eval, error) {
	if a, b := call.Args[0].Type(), call.Args[1].Type(); a.IsDatetime() || b.IsDatetime() {
		return evalShift(c, call, false)
	}
	return plusMath.build(c, call)
}

func evalMinus(c *compiler, call *rex.Call) (Eval, error) {
	if a, b := call.Args[0].Type(), call.Args[1].Type(); a.IsDatetime() && b.IsDatetime() {
		return evalDifference(c, call)
	} else if a.IsDatetime() {
		return evalShift(c, call, true)
	}
	return minusMath.build(c, call)
}

func evalTimes(c *compiler, call *rex.Call) (Eval, error)  { return timesMath.build(c, call) }
func evalDivide(c *compiler, call *rex.Call) (Eval, error) { return divideMath.build(c, call) }
func evalMod(c *compiler, call *rex.Call) (Eval, error)    { return modMath.build(c, call) }

func evalDivideInt(c *compiler, call *rex.Call) (Eval, error) { return divideMath.build(c, call) }

func evalNegate(c *compiler, call *rex.Call) (Eval, error) {
	t := call.Args[0].Type()
	return strict1(func(_ *Ctx, a value.Value) value.Value {
		switch t.Kind {
		case value.KindDecimal:
			return value.Decimal(a.Dec().Neg())
		case value.KindDouble:
			return value.Double(-a.Double())
		case value.KindFloat:
			return value.Float(-a.Float())
		}
		return value.Int(wrapInt(t.Kind, -a.Int()))
	})(c, call)
}

// evalReinterpret reads the milliseconds or months of an interval.
func evalReinterpret(c *compiler, call *rex.Call) (Eval, error) { return c.compile(call.Args[0]) }
