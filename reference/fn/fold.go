package fn

import (
	"math"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// Fold evaluates a constant expression to the literal that Flink's ExpressionReducer
// puts in its place. ok is false where Flink leaves the expression as it is, as it
// does with one that fails. err is an error with which planning ends.
func Fold(e rex.Expr, env *Env) (lit *rex.Literal, ok bool, err error) {
	t := e.Type()
	switch {
	case t.IsComposite(), t.Kind == value.KindRaw, t.Kind == value.KindNull, t.Kind == value.KindSymbol,
		!rex.Constant(e), !rex.Deterministic(e):
		return nil, false, nil
	}
	if call, is := e.(*rex.Call); is {
		switch call.Op.Name {
		case "JSON_OBJECT", "JSON_ARRAY", "JSON":
			return nil, false, nil
		}
		if err := checkDivisor(call); err != nil {
			return nil, false, err
		}
	}
	f, err := Compile(e, env)
	if err != nil {
		return nil, false, nil
	}
	var c Ctx
	v := f(&c, nil)
	switch {
	case c.Err != nil:
		return nil, false, nil
	case v.IsNull():
		return nullLiteral(t), t.Nullable, nil
	}
	return foldedLiteral(v, t.NotNull())
}

// Fails is the error with which the evaluation of a constant expression ends, or nil.
// One failure keeps Flink's ExpressionReducer from folding everything else in the same
// node, since it evaluates all constants of a node in one generated function.
func Fails(e rex.Expr, env *Env) error {
	switch t := e.Type(); {
	case t.IsComposite(), t.Kind == value.KindRaw, t.Kind == value.KindNull, t.Kind == value.KindSymbol, t.Kind == value.KindDescriptor:
		return nil
	}
	if call, is := e.(*rex.Call); is && (call.Op.Name == "JSON_OBJECT" || call.Op.Name == "JSON_ARRAY" || call.Op.Name == "JSON") {
		return nil
	}
	f, err := Compile(e, env)
	if err != nil {
		return err
	}
	var c Ctx
	f(&c, nil)
	return c.Err
}

// checkDivisor gives the error with which planning ends for a constant division:
// Flink looks at the divisor as a literal.
func checkDivisor(call *rex.Call) error {
	if call.Op != rex.Divide {
		return nil
	}
	lit, ok := call.Args[1].(*rex.Literal)
	if !ok {
		const have, want = "org.apache.calcite.rex.RexCall", "org.apache.calcite.rex.RexLiteral"
		return flinkerr.New("java.lang.ClassCastException", "class %[1]s cannot be cast to class %[2]s (%[1]s and %[2]s are in unnamed module of loader 'app')", have, want)
	}
	zero := false
	switch {
	case lit.V.IsNull():
	case lit.T.Kind == value.KindDecimal:
		zero = lit.V.Dec().Sign() == 0
	case lit.T.IsNumeric():
		zero = toFloat(lit.T)(lit.V) == 0
	}
	if zero {
		return flinkerr.New(classArithmetic, "Division by zero")
	}
	return nil
}

// foldedLiteral makes the literal; what no literal can hold stays unreduced, or ends planning.
func foldedLiteral(v value.Value, t value.Type) (*rex.Literal, bool, error) {
	lit := &rex.Literal{V: v, T: t}
	switch t.Kind {
	case value.KindDouble:
		f := v.Double()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, false, nil
		}
		if f == 0 {
			lit.V = value.Double(0)
		}
	case value.KindFloat:
		f := float64(v.Float())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, false, flinkerr.New("java.lang.NumberFormatException", "Infinite or NaN")
		}
		// A FLOAT literal keeps seven digits.
		text := strconv.FormatFloat(f, 'e', 6, 32)
		mantissa, exp, _ := strings.Cut(text, "e")
		if strings.Contains(mantissa, ".") {
			mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
		}
		n, _ := strconv.Atoi(exp)
		short, _ := strconv.ParseFloat(text, 32)
		lit.V, lit.Text = value.Float(float32(short)), mantissa+"E"+strconv.Itoa(n)
		if short == 0 {
			lit.V, lit.Text = value.Float(0), "0E0"
		}
	case value.KindDate:
		if y, _, _ := value.CivilOf(v.Int()); y < 1 || y > 9999 {
			return nil, false, flinkerr.New("java.lang.IllegalArgumentException", "Year out of range: [%d]", y)
		}
	}
	return lit, true, nil
}
