package fn

import (
	"math"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// ensure casts x to t where it is of another type; matchNull keeps the nullability of x.
// It is Calcite's RexBuilder.ensureType, which adds the implicit casts seen in plans.
func ensure(t value.Type, x rex.Expr, matchNull bool) rex.Expr {
	if matchNull {
		t = t.WithNullable(x.Type().Nullable)
	}
	if x.Type().Equal(t) {
		return x
	}
	return makeCast(t, x)
}

// makeCast is Calcite's RexBuilder.makeCast: a literal that fits takes the type
// itself, and BOOLEAN and exact numbers turn into each other by CASE and <>.
func makeCast(t value.Type, x rex.Expr) rex.Expr {
	from := x.Type()
	switch l, isLit := x.(*rex.Literal); {
	case from.Kind == value.KindBoolean && isExact(t):
		return booleanToNumber(t, x)
	case isLit && literalFits(t, l):
		return retype(l, t)
	case !isLit && t.Kind == value.KindBoolean && isExact(from):
		return &rex.Call{Op: rex.Ne, Args: []rex.Expr{x, retype(intLiteral(0), from.NotNull())}, T: t}
	}
	return &rex.Call{Op: rex.Cast, Args: []rex.Expr{x}, T: t}
}

func isExact(t value.Type) bool { return t.IsInteger() || t.Kind == value.KindDecimal }

func intLiteral(n int64) *rex.Literal {
	return &rex.Literal{V: value.Int(n), T: value.TInt.NotNull()}
}

func nullLiteral(t value.Type) *rex.Literal { return &rex.Literal{T: t.AsNullable()} }

func booleanToNumber(t value.Type, x rex.Expr) rex.Expr {
	t = t.WithNullable(x.Type().Nullable)
	pick := &rex.Call{Op: rex.Case, Args: []rex.Expr{x, makeCast(t.NotNull(), intLiteral(1)), makeCast(t.NotNull(), intLiteral(0))}, T: t.NotNull()}
	if !t.Nullable {
		return pick
	}
	isSet := &rex.Call{Op: rex.IsNotNull, Args: []rex.Expr{x}, T: value.TBoolean.NotNull()}
	return &rex.Call{Op: rex.Case, Args: []rex.Expr{isSet, pick, nullLiteral(t)}, T: t}
}

// literalFits is Calcite's RexBuilder.canRemoveCastFromLiteral.
func literalFits(t value.Type, l *rex.Literal) bool {
	if l.V.IsNull() {
		return true
	}
	switch {
	case l.T.IsNumeric():
		switch {
		case t.IsApprox():
			return true
		case t.Kind == value.KindDecimal:
			d, ok := literalDecimal(l)
			if !ok {
				return false
			}
			// Digits behind the point may get lost: 2.5 prints as 2.5:DECIMAL(3, 0).
			return max(d.v.Digits(), 1)-d.s <= t.Precision-t.Scale
		case t.IsInteger():
			n, ok := literalInt(l)
			return ok && wrapInt(t.Kind, n) == n
		}
		return false
	case l.T.IsCharacter():
		n := value.UTF16Len(l.V.Str())
		return t.Kind == value.KindChar && t.Length == n || t.Kind == value.KindVarchar && t.Length >= n
	case l.T.IsBinary():
		n := len(l.V.Str())
		return t.Kind == value.KindBinary && t.Length == n || t.Kind == value.KindVarbinary && t.Length >= n
	case l.T.IsTimestamp():
		return t.Kind == l.T.Kind
	}
	return t.Kind == l.T.Kind
}

// decimalText is a number literal as an unscaled value and a scale.
type decimalText struct {
	v value.Dec128
	s int
}

// literalDecimal reads an exact number literal, or an approximate one that was
// made from an exact one and so keeps its text.
func literalDecimal(l *rex.Literal) (decimalText, bool) {
	switch {
	case l.T.IsInteger():
		return decimalText{value.DecOf(l.V.Int()), 0}, true
	case l.T.Kind == value.KindDecimal:
		return decimalText{l.V.Dec(), l.T.Scale}, true
	case l.T.IsApprox():
		f := literalFloat(l)
		if f == math.Trunc(f) && math.Abs(f) < 1e15 {
			return decimalText{value.DecOf(int64(f)), 0}, true
		}
		if whole, fraction, ok := strings.Cut(l.Text, "."); ok && len(l.Text) <= 18 {
			if n, err := strconv.ParseInt(whole+fraction, 10, 64); err == nil {
				return decimalText{value.DecOf(n), len(fraction)}, true
			}
		}
	}
	return decimalText{}, false
}

// literalInt reads a number literal without fraction digits.
func literalInt(l *rex.Literal) (int64, bool) {
	switch {
	case l.T.IsInteger():
		return l.V.Int(), true
	case l.T.Kind == value.KindDecimal && l.T.Scale == 0:
		return int64(l.V.Dec().Lo), l.V.Dec().IsInt64()
	case l.T.IsApprox():
		f := literalFloat(l)
		if f == math.Trunc(f) && math.Abs(f) < 1<<62 {
			return int64(f), true
		}
	}
	return 0, false
}

// literalFloat reads a number literal as it was written: a FLOAT literal made of
// 123456.789 still has all its digits.
func literalFloat(l *rex.Literal) float64 {
	if l.Text != "" {
		if f, err := strconv.ParseFloat(l.Text, 64); err == nil {
			return f
		}
	}
	switch l.T.Kind {
	case value.KindFloat:
		return float64(l.V.Float())
	case value.KindDouble:
		return l.V.Double()
	case value.KindDecimal:
		return value.DecimalToDouble(l.V.Dec(), l.T.Scale)
	}
	return float64(l.V.Int())
}

// numberText is the value part of a number literal's digest.
func numberText(l *rex.Literal) string {
	switch {
	case l.Text != "":
		return l.Text
	case l.T.IsInteger():
		return strconv.FormatInt(l.V.Int(), 10)
	case l.T.Kind == value.KindDecimal:
		return string(value.AppendBigDecimal(nil, l.V.Dec(), l.T.Scale))
	}
	return ""
}

// retype gives a literal that fits another type. Calcite keeps the number as it
// was written: CAST(1.5 AS DOUBLE) prints 1.5:DOUBLE, 0 as DECIMAL(12, 2) prints 0.
func retype(l *rex.Literal, t value.Type) *rex.Literal {
	r := &rex.Literal{V: l.V, T: t, Text: l.Text}
	if l.V.IsNull() {
		r.T.Nullable = true
		return r
	}
	r.T.Nullable = false
	switch {
	case t.Kind == l.T.Kind && (t.IsTimestamp() || t.Kind == value.KindTime):
		if f, err := value.Caster(l.T, t, value.CastOptions{}); err == nil {
			if v, err := f(l.V); err == nil {
				r.V = v // cut to the precision
			}
		}
	case !l.T.IsNumeric():
	case t.IsInteger():
		n, _ := literalInt(l)
		r.V, r.Text = value.Int(n), ""
	case t.Kind == value.KindDecimal:
		d, _ := literalDecimal(l)
		r.V = value.DecimalRescale(value.Decimal(d.v), d.s, t.Precision, t.Scale)
		r.Text = numberText(l)
		if d.s == t.Scale && l.Text == "" {
			r.Text = ""
		}
	case t.Kind == value.KindDouble:
		r.V, r.Text = value.Double(literalFloat(l)), numberText(l)
	case t.Kind == value.KindFloat:
		r.V, r.Text = value.Float(float32(literalFloat(l))), numberText(l)
	}
	return r
}

// wrapInt keeps the low bits that an integer type has, as Java's casts do.
func wrapInt(k value.Kind, n int64) int64 {
	switch k {
	case value.KindTinyInt:
		return int64(int8(n))
	case value.KindSmallInt:
		return int64(int16(n))
	case value.KindInt:
		return int64(int32(n))
	}
	return n
}
