package fn

import (
	"math"
	"math/big"
	"strconv"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// roundType: a DECIMAL loses digits only if the number of digits is a literal.
func roundType(r *resolution) (value.Type, error) {
	t := r.arg(0)
	if t.Kind != value.KindDecimal {
		return t.WithNullable(r.anyNullable()), nil
	}
	digits := int64(0)
	if len(r.args) == 2 {
		n, ok := literalDigits(r.args[1])
		if !ok {
			return t.WithNullable(r.anyNullable()), nil
		}
		digits = n
	}
	return value.RoundType(t, int(max(min(digits, 100), -100))).WithNullable(r.anyNullable()), nil
}

// literalDigits reads 2 and -2: a negative number is a call of unary minus in a plan.
func literalDigits(x rex.Expr) (int64, bool) {
	switch x := x.(type) {
	case *rex.Literal:
		if x.T.IsInteger() && !x.V.IsNull() {
			return x.V.Int(), true
		}
	case *rex.Call:
		if x.Op == rex.UnaryMinus {
			n, ok := literalDigits(x.Args[0])
			return -n, ok
		}
	}
	return 0, false
}

// evalRound: half away from zero at a digit before or behind the point. Whole
// numbers wrap where the rounded one does not fit; DOUBLE is rounded by its shortest text.
func evalRound(c *compiler, call *rex.Call) (Eval, error) {
	return evalDigits(c, call, true, roundFloat)
}

func lowBits(n *big.Int) int64 {
	return int64(decOfBig(n).Lo)
}

func evalTruncate(c *compiler, call *rex.Call) (Eval, error) {
	if k := call.Args[0].Type().Kind; k == value.KindTinyInt || k == value.KindSmallInt {
		return nil, unsupported.New("TRUNCATE of %s (Flink fails to compile its own code)", k)
	}
	return evalDigits(c, call, false, truncateFloat)
}

// evalDigits gives numbers another number of digits; half says that a half goes away from zero.
func evalDigits(c *compiler, call *rex.Call, half bool, float func(c *Ctx, a value.Value, t value.Type, digits int64) value.Value) (Eval, error) {
	t, to := call.Args[0].Type(), call.T
	f := func(c *Ctx, a value.Value, digits int64) value.Value {
		switch {
		case t.IsInteger():
			if digits >= 0 {
				return a
			}
			if digits == math.MinInt32 { // no scale of a BigDecimal
				return c.Fail(unsupported.New("ROUND and TRUNCATE to %d digits", digits))
			}
			return value.Int(wrapInt(t.Kind, lowBits(roundAt(big.NewInt(a.Int()), 0, digits, half))))
		case t.Kind == value.KindDecimal:
			return roundDecimal(c, a, t, digits, to, half)
		}
		return float(c, a, t, digits)
	}
	if len(call.Args) == 1 {
		return strict1(func(c *Ctx, a value.Value) value.Value { return f(c, a, 0) })(c, call)
	}
	if k := call.Args[1].Type().Kind; k == value.KindBigInt {
		return nil, unsupportedCall(call)
	}
	return strict2(func(c *Ctx, a, n value.Value) value.Value { return f(c, a, n.Int()) })(c, call)
}

// roundAt rounds n * 10^-scale at a digit (negative: before the point); the result has the same scale.
func roundAt(n *big.Int, scale int, digits int64, half bool) *big.Int {
	drop := int64(scale) - digits
	if drop <= 0 {
		return n
	}
	if drop > 100 {
		return new(big.Int)
	}
	unit := bigPow10(int(drop))
	if half {
		h := new(big.Int).Quo(unit, big.NewInt(2))
		if n.Sign() < 0 {
			h.Neg(h)
		}
		n = new(big.Int).Add(n, h)
	}
	q := new(big.Int).Quo(n, unit)
	return q.Mul(q, unit)
}

// roundDecimal rounds a DECIMAL. With digits that are no literal the type keeps its
// scale, but Flink's value takes the smaller one and is misread by whoever follows.
func roundDecimal(c *Ctx, a value.Value, t value.Type, digits int64, to value.Type, half bool) value.Value {
	if digits >= int64(t.Scale) {
		return a
	}
	if to.Scale != int(max(digits, 0)) {
		return c.Fail(unsupported.New("ROUND and TRUNCATE of a DECIMAL to a computed number of digits"))
	}
	n := roundAt(bigOf(a.Dec()), t.Scale, digits, half)
	n = new(big.Int).Quo(n, bigPow10(t.Scale-to.Scale))
	if n.CmpAbs(bigPow10(to.Precision)) >= 0 {
		return value.Null
	}
	return value.Decimal(decOfBig(n))
}

// classNumberFormat is what BigDecimal throws for NaN and Infinity.
const classNumberFormat = "java.lang.NumberFormatException"

func notANumber(c *Ctx, f float64) value.Value {
	first := "N"
	if math.IsInf(f, 0) {
		first = "I"
	}
	return c.Fail(flinkerr.Runtime(classNumberFormat, "%s", "Character "+first+" is neither a decimal digit number, decimal point, nor \"e\" notation exponential mark."))
}

// decimalOfFloat is BigDecimal.valueOf: the number that the shortest text denotes.
func decimalOfFloat(f float64) (n *big.Int, scale int) {
	text := string(value.AppendDouble(nil, f))
	exp := 0
	for i := range text {
		if text[i] == 'E' {
			exp, _ = strconv.Atoi(text[i+1:])
			text = text[:i]
			break
		}
	}
	for i := range text {
		if text[i] == '.' {
			scale = len(text) - i - 1
			text = text[:i] + text[i+1:]
			break
		}
	}
	n, _ = new(big.Int).SetString(text, 10)
	scale -= exp
	if scale < 0 {
		n.Mul(n, bigPow10(-scale))
		scale = 0
	}
	return n, scale
}

func floatOfBig(n *big.Int, scale int) float64 {
	r := new(big.Rat).SetFrac(n, bigPow10(scale))
	f, _ := r.Float64()
	return f
}

func roundFloat(c *Ctx, a value.Value, t value.Type, digits int64) value.Value {
	f := toFloat(t)(a)
	if f != f || math.IsInf(f, 0) {
		return notANumber(c, f)
	}
	n, scale := decimalOfFloat(f)
	n = roundAt(n, scale, digits, true)
	if t.Kind == value.KindFloat {
		r, _ := new(big.Rat).SetFrac(n, bigPow10(scale)).Float32()
		return value.Float(r)
	}
	return value.Double(floatOfBig(n, scale))
}

// truncateFloat goes through DECIMAL(38, 18); what does not fit ends in Flink's
// own NullPointerException.
func truncateFloat(c *Ctx, a value.Value, t value.Type, digits int64) value.Value {
	f := toFloat(t)(a)
	if f != f || math.IsInf(f, 0) {
		return notANumber(c, f)
	}
	n, scale := decimalOfFloat(f)
	d := value.Null
	if n.CmpAbs(bigPow10(20+scale)) < 0 {
		n = new(big.Int).Mul(n, bigPow10(max(0, 18-scale)))
		if scale > 18 {
			n = roundAt(n, scale, 18, true)
			n.Quo(n, bigPow10(scale-18))
		}
		d = value.Decimal(decOfBig(n))
	}
	if d.IsNull() || n.CmpAbs(bigPow10(38)) >= 0 {
		return c.Fail(flinkerr.Runtime("java.lang.NullPointerException", "%s", `Cannot invoke "org.apache.flink.table.data.DecimalData.scale()" because "b0" is null`))
	}
	r := floatOfBig(roundAt(bigOf(d.Dec()), 18, digits, false), 18)
	if t.Kind == value.KindFloat {
		return value.Float(float32(r))
	}
	return value.Double(r)
}
