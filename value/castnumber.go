package value

import (
	"math"
	"strconv"
)

// wrapInteger keeps the low bits that the integer type has, as Java's narrowing.
func wrapInteger(k Kind, n int64) int64 {
	switch k {
	case KindTinyInt:
		return int64(int8(n))
	case KindSmallInt:
		return int64(int16(n))
	case KindInt:
		return int64(int32(n))
	}
	return n
}

// truncToLong is Java's (long) of a double: toward zero, saturating, NaN is 0.
func truncToLong(f float64) int64 {
	switch {
	case f != f:
		return 0
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// FloatToInteger is Java's narrowing of a double to an integer type: BIGINT
// saturates, INT saturates, the smaller ones keep the low bits of the INT.
func FloatToInteger(k Kind, f float64) int64 {
	n := truncToLong(f)
	if k == KindBigInt {
		return n
	}
	return wrapInteger(k, min(max(n, math.MinInt32), math.MaxInt32))
}

func toIntegerCaster(from, to Type) CastFunc {
	k := to.Kind
	switch {
	case from.IsCharacter():
		return func(v Value) (Value, error) {
			n, err := ParseCastInteger(v.s, k)
			if err != nil {
				return Null, err
			}
			return Int(n), nil
		}
	case from.Kind == KindDecimal:
		return func(v Value) (Value, error) {
			d := v.Dec()
			w := wideOf(d.Abs())
			for s := from.Scale; s > 0; s -= 19 {
				w, _ = w.divWord(pow10Low[min(s, 19)])
			}
			n := int64(w[0])
			if d.Hi < 0 {
				n = -n
			}
			return Int(wrapInteger(k, n)), nil
		}
	case from.Kind == KindDouble:
		return func(v Value) (Value, error) { return Int(FloatToInteger(k, v.Double())), nil }
	case from.Kind == KindFloat:
		return func(v Value) (Value, error) { return Int(FloatToInteger(k, float64(v.Float()))), nil }
	}
	return func(v Value) (Value, error) { return Int(wrapInteger(k, v.n)), nil }
}

// DecimalToDouble is the nearest double of a DECIMAL.
func DecimalToDouble(d Dec128, scale int) float64 {
	if d.IsInt64() && scale <= 22 {
		if n := int64(d.Lo); n > -(1<<53) && n < 1<<53 {
			return float64(n) / math.Pow10(scale)
		}
	}
	var buf [48]byte
	f, _ := strconv.ParseFloat(string(AppendDecimal(buf[:0], d, scale)), 64)
	return f
}

func toApproxCaster(from, to Type) CastFunc {
	make := Double
	if to.Kind == KindFloat {
		make = func(f float64) Value { return Float(float32(f)) }
	}
	switch {
	case from.IsCharacter():
		return func(v Value) (Value, error) { return parseApproxValue(v.s, to.Kind) }
	case from.Kind == KindDecimal:
		return func(v Value) (Value, error) { return make(DecimalToDouble(v.Dec(), from.Scale)), nil }
	case from.Kind == KindFloat:
		return func(v Value) (Value, error) { return make(float64(v.Float())), nil }
	case from.Kind == KindDouble:
		return func(v Value) (Value, error) { return make(v.Double()), nil }
	}
	if to.Kind == KindFloat {
		// (float) of a long rounds once.
		return func(v Value) (Value, error) { return Float(float32(v.n)), nil }
	}
	return func(v Value) (Value, error) { return Double(float64(v.n)), nil }
}

func toDecimalCaster(from, to Type) CastFunc {
	p, s := to.Precision, to.Scale
	switch {
	case from.Kind == KindDecimal:
		return func(v Value) (Value, error) { return DecimalRescale(v, from.Scale, p, s), nil }
	case from.IsCharacter():
		return func(v Value) (Value, error) { return ParseCastDecimal(v.s, p, s) }
	case from.IsApprox():
		return func(v Value) (Value, error) {
			f := v.Double()
			if from.Kind == KindFloat {
				f = float64(v.Float())
			}
			return DoubleToDecimal(f, p, s)
		}
	}
	return func(v Value) (Value, error) {
		d := DecOf(v.n)
		return rescale(wideOf(d.Abs()), d.Hi < 0, 0, p, s), nil
	}
}

// DoubleToDecimal rounds the text form of the double half up, as BigDecimal.valueOf does.
func DoubleToDecimal(f float64, p, s int) (Value, error) {
	var buf [32]byte
	d, err := parseBigDecimal(string(AppendDouble(buf[:0], f)), true)
	if err != nil {
		return Null, err
	}
	return d.toDecimal(p, s), nil
}
