package stream

import (
	"math/big"
	"math/bits"

	"github.com/labgrade/labgrade/value"
)

// number is arithmetic in the accumulator type of SUM and AVG.
type number struct {
	// in is the argument's type, sum the accumulator's.
	in, sum value.Type
}

func newNumber(in, sum value.Type) number { return number{in, sum} }

// convert brings an argument to the accumulator type.
func (n *number) convert(v value.Value) value.Value {
	switch n.sum.Kind {
	case value.KindDouble:
		if n.in.Kind == value.KindFloat {
			return value.Double(float64(v.Float()))
		}
	case value.KindDecimal:
		// The scale of a DECIMAL sum is its argument's (agg.md 20).
	}
	return v
}

func (n *number) zero() value.Value {
	switch n.sum.Kind {
	case value.KindDouble:
		return value.Double(0)
	case value.KindFloat:
		return value.Float(0)
	case value.KindDecimal:
		return value.Decimal128(0, 0)
	}
	return value.Int(0)
}

// add is a + b, or a - b if minus. Integers wrap silently at the width of the type
// (agg.md 20), FLOAT is added in single precision, DECIMAL beyond 38 digits is NULL
// (agg.md 26).
func (n *number) add(a, b value.Value, minus bool) value.Value {
	switch n.sum.Kind {
	case value.KindDouble:
		if minus {
			return value.Double(a.Double() - b.Double())
		}
		return value.Double(a.Double() + b.Double())
	case value.KindFloat:
		if minus {
			return value.Float(a.Float() - b.Float())
		}
		return value.Float(a.Float() + b.Float())
	case value.KindDecimal:
		return addDecimal(a, b, minus)
	}
	x := a.Int() + b.Int()
	if minus {
		x = a.Int() - b.Int()
	}
	switch n.sum.Kind {
	case value.KindTinyInt:
		x = int64(int8(x))
	case value.KindSmallInt:
		x = int64(int16(x))
	case value.KindInt:
		x = int64(int32(x))
	}
	return value.Int(x)
}

// The first integer with 39 digits, 10^38, in two words.
const (
	tenTo38Hi = 0x4B3B4CA85A86C47A
	tenTo38Lo = 0x098A224000000000
)

// addDecimal adds unscaled values of one scale.
func addDecimal(a, b value.Value, minus bool) value.Value {
	ah, al := a.Decimal128()
	bh, bl := b.Decimal128()
	var lo, hi, c uint64
	if minus {
		lo, c = bits.Sub64(al, bl, 0)
		hi, _ = bits.Sub64(uint64(ah), uint64(bh), c)
	} else {
		lo, c = bits.Add64(al, bl, 0)
		hi, _ = bits.Add64(uint64(ah), uint64(bh), c)
	}
	// Two 38-digit numbers add up to less than 2^127 only if neither is near the bound;
	// their sum's true sign follows from the operands when the words overflow.
	sh := int64(hi)
	neg := ah < 0
	negB := bh < 0
	if minus {
		negB = !negB && (bh != 0 || bl != 0)
	}
	if neg == negB && (sh < 0) != neg && (hi != 0 || lo != 0) {
		return value.Null
	}
	mh, ml := hi, lo
	if sh < 0 {
		ml, c = bits.Sub64(0, lo, 0)
		mh, _ = bits.Sub64(0, hi, c)
	}
	if mh > tenTo38Hi || mh == tenTo38Hi && ml >= tenTo38Lo {
		return value.Null
	}
	return value.Decimal128(sh, lo)
}

// divideDecimal is sum / count as a DECIMAL(38, to) of a sum with scale from: Flink
// rounds half up to 38 significant digits, then to the scale; NULL beyond 38 digits
// (agg.md 21, 26).
func divideDecimal(sum value.Value, from int, count int64, precision, to int) value.Value {
	num := bigOf(sum)
	neg := num.Sign() < 0
	num.Abs(num)
	den := big.NewInt(count)
	// The quotient is num/den * 10^-from. Find its 38-digit rounding: scale the numerator
	// until the integer quotient has 38 digits or the division is exact.
	shift := 0
	q, r := new(big.Int), new(big.Int)
	q.QuoRem(num, den, r)
	if r.Sign() != 0 {
		shift = 38 - len(q.String())
		if q.Sign() == 0 {
			shift = 38 + len(den.String())
		}
		for {
			q.QuoRem(new(big.Int).Mul(num, pow10(shift)), den, r)
			if n := len(q.String()); n > 38 {
				shift -= n - 38
				continue
			}
			break
		}
		roundHalfUp(q, r, den)
	}
	scale := from + shift
	if scale > to {
		d := pow10(scale - to)
		q.QuoRem(q, d, r)
		roundHalfUp(q, r, d)
	} else if scale < to {
		q.Mul(q, pow10(to-scale))
	}
	if q.CmpAbs(pow10(precision)) >= 0 {
		return value.Null
	}
	if neg {
		q.Neg(q)
	}
	return decimalOf(q)
}

// roundHalfUp adds 1 to q if the rest r of a division by d is at least a half.
func roundHalfUp(q, r, d *big.Int) {
	if new(big.Int).Lsh(r, 1).Cmp(d) >= 0 {
		q.Add(q, big.NewInt(1))
	}
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

func bigOf(v value.Value) *big.Int {
	hi, lo := v.Decimal128()
	b := new(big.Int).Lsh(big.NewInt(hi), 64)
	return b.Add(b, new(big.Int).SetUint64(lo))
}

func decimalOf(b *big.Int) value.Value {
	lo := new(big.Int).And(b, new(big.Int).SetUint64(^uint64(0))).Uint64()
	return value.Decimal128(new(big.Int).Rsh(b, 64).Int64(), lo)
}

// decimalFloat is the nearest double of a DECIMAL.
func decimalFloat(v value.Value, scale int) float64 {
	f, _ := new(big.Rat).SetFrac(bigOf(v), pow10(scale)).Float64()
	return f
}

// numberFloat reads any number as a double, as Java's Number.doubleValue does.
func numberFloat(t *value.Type, v value.Value) float64 {
	switch t.Kind {
	case value.KindDouble:
		return v.Double()
	case value.KindFloat:
		return float64(v.Float())
	case value.KindDecimal:
		return decimalFloat(v, t.Scale)
	}
	return float64(v.Int())
}
