package rex

import (
	"math/big"

	"github.com/labgrade/labgrade/value"
)

// convertConstant gives a constant the representation of another type, without
// loss; ok is false where that cannot be.
func convertConstant(v value.Value, from, to value.Type) (value.Value, bool) {
	if from.Kind == to.Kind && (from.Kind != value.KindDecimal || from.Scale == to.Scale) {
		return v, true
	}
	if from.IsCharacter() && to.IsCharacter() {
		return v, true
	}
	r, ok := rational(v, from)
	if !ok {
		return v, false
	}
	switch to.Kind {
	case value.KindTinyInt, value.KindSmallInt, value.KindInt, value.KindBigInt:
		if !r.IsInt() || !r.Num().IsInt64() {
			return v, false
		}
		return value.Int(r.Num().Int64()), true
	case value.KindDouble:
		f, _ := r.Float64()
		return value.Double(f), true
	case value.KindFloat:
		f, _ := r.Float32()
		return value.Float(f), true
	case value.KindDecimal:
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(to.Scale)), nil)
		r.Mul(r, new(big.Rat).SetInt(scale))
		if !r.IsInt() {
			return v, false
		}
		return decimalOf(r.Num()), true
	}
	return v, false
}

// decimalOf makes the 128-bit two's complement of an unscaled number.
func decimalOf(n *big.Int) value.Value {
	m := new(big.Int).Set(n)
	if m.Sign() < 0 {
		m.Add(m, new(big.Int).Lsh(big.NewInt(1), 128))
	}
	lo := new(big.Int).And(m, new(big.Int).SetUint64(^uint64(0))).Uint64()
	hi := new(big.Int).Rsh(m, 64).Uint64()
	return value.Decimal128(int64(hi), lo)
}

// commonType is the least restrictive type of constants that meet in one Sarg.
func commonType(types []value.Type) (value.Type, bool) {
	t := types[0].NotNull()
	for _, o := range types[1:] {
		o = o.NotNull()
		if SameType(t, o) {
			continue
		}
		switch {
		case t.IsCharacter() && o.IsCharacter():
			n := max(t.Length, o.Length)
			t = value.VarcharType(n).NotNull()
		case t.IsApprox() || o.IsApprox():
			if !t.IsNumeric() || !o.IsNumeric() {
				return t, false
			}
			t = value.Type{Kind: value.KindDouble}
		case t.IsInteger() && o.IsInteger():
			if o.Kind > t.Kind {
				t = o
			}
		case t.IsNumeric() && o.IsNumeric():
			a, b := asDecimal(t), asDecimal(o)
			s := max(a.Scale, b.Scale)
			p := max(a.Precision-a.Scale, b.Precision-b.Scale) + s
			if p > 38 {
				return t, false
			}
			t = value.DecimalType(p, s).NotNull()
		case t.Kind == o.Kind && (t.Kind == value.KindTimestamp || t.Kind == value.KindTimestampLTZ || t.Kind == value.KindTime):
			if o.Precision > t.Precision {
				t = o
			}
		default:
			return t, false
		}
	}
	return t, true
}

func asDecimal(t value.Type) value.Type {
	switch t.Kind {
	case value.KindTinyInt:
		return value.DecimalType(3, 0)
	case value.KindSmallInt:
		return value.DecimalType(5, 0)
	case value.KindInt:
		return value.DecimalType(10, 0)
	case value.KindBigInt:
		return value.DecimalType(19, 0)
	}
	return t
}

// RetypeLiteral gives a literal another type where that changes neither its value
// nor, for CHAR, its padding; ok is false where a CAST must stay.
func RetypeLiteral(l *Literal, t value.Type) (*Literal, bool) {
	if l.V.IsNull() {
		return NullLiteral(t), true
	}
	if t.Kind == value.KindChar && utf16Len(l.V.Str()) != t.Length {
		return nil, false
	}
	if t.Kind == value.KindVarchar && (!l.T.IsCharacter() || utf16Len(l.V.Str()) > t.Length) {
		return nil, false
	}
	v, ok := convertConstant(l.V, l.T, t)
	if !ok {
		return nil, false
	}
	return &Literal{V: v, T: t}, true
}
