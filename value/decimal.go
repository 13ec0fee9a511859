package value

import (
	"math/bits"
)

// Dec128 is the unscaled value of a DECIMAL: a 128-bit two's-complement integer. The
// scale stands in the type. Every DECIMAL has at most MaxDecimalPrecision digits.
type Dec128 struct {
	Hi int64
	Lo uint64
}

// MaxDecimalPrecision is the number of digits that DECIMAL holds at most.
const MaxDecimalPrecision = 38

// Dec is the unscaled value of a DECIMAL.
func (v Value) Dec() Dec128 { return Dec128{v.hi, uint64(v.n)} }

// Decimal makes a DECIMAL from its unscaled value.
func Decimal(d Dec128) Value { return Value{set: true, n: int64(d.Lo), hi: d.Hi} }

// DecOf makes an unscaled value from an int64.
func DecOf(n int64) Dec128 { return Dec128{n >> 63, uint64(n)} }

// IsInt64 reports that the value fits an int64.
func (a Dec128) IsInt64() bool { return a.Hi == int64(a.Lo)>>63 }

// Sign is -1, 0 or 1.
func (a Dec128) Sign() int {
	switch {
	case a.Hi < 0:
		return -1
	case a.Hi == 0 && a.Lo == 0:
		return 0
	}
	return 1
}

// Neg is -a.
func (a Dec128) Neg() Dec128 {
	lo, borrow := bits.Sub64(0, a.Lo, 0)
	hi, _ := bits.Sub64(0, uint64(a.Hi), borrow)
	return Dec128{int64(hi), lo}
}

// Abs is the magnitude.
func (a Dec128) Abs() Dec128 {
	if a.Hi < 0 {
		return a.Neg()
	}
	return a
}

// Add is a + b; numbers of 38 digits cannot overflow 127 bits when added once.
func (a Dec128) Add(b Dec128) Dec128 {
	lo, carry := bits.Add64(a.Lo, b.Lo, 0)
	hi, _ := bits.Add64(uint64(a.Hi), uint64(b.Hi), carry)
	return Dec128{int64(hi), lo}
}

// Sub is a - b.
func (a Dec128) Sub(b Dec128) Dec128 { return a.Add(b.Neg()) }

// Cmp is -1, 0 or 1.
func (a Dec128) Cmp(b Dec128) int {
	switch {
	case a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo:
		return -1
	case a == b:
		return 0
	}
	return 1
}

// Digits is the number of decimal digits of the magnitude; 1 for zero, as
// java.math.BigDecimal.precision.
func (a Dec128) Digits() int {
	m := wideOf(a.Abs())
	return max(1, m.digits())
}

// FitsPrecision reports |a| < 10^p.
func (a Dec128) FitsPrecision(p int) bool {
	m := a.Abs()
	if p > MaxDecimalPrecision {
		return m.Hi >= 0
	}
	return m.Cmp(pow10(p)) < 0
}

// pow10 is 10^n for n in 0..38.
func pow10(n int) Dec128 {
	if n < len(pow10Low) {
		return Dec128{0, pow10Low[n]}
	}
	hi, lo := bits.Mul64(pow10Low[19], pow10Low[n-19])
	return Dec128{int64(hi), lo}
}

// pow10Low holds the powers of ten that fit 64 bits.
var pow10Low = [20]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
	1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// wide is an unsigned 320-bit integer, little-endian: enough for a product of two
// DECIMALs, and for a dividend of 38 digits scaled up by 10^57.
type wide [5]uint64

func wideOf(d Dec128) wide { return wide{d.Lo, uint64(d.Hi)} }

func (w wide) isZero() bool { return w == wide{} }

func (w wide) cmp(o wide) int {
	for i := len(w) - 1; i >= 0; i-- {
		if w[i] != o[i] {
			if w[i] < o[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

func (w wide) add(o wide) wide {
	var c uint64
	for i := range w {
		w[i], c = bits.Add64(w[i], o[i], c)
	}
	return w
}

func (w wide) sub(o wide) wide {
	var c uint64
	for i := range w {
		w[i], c = bits.Sub64(w[i], o[i], c)
	}
	return w
}

func (w wide) mulWord(m uint64) wide {
	var carry uint64
	for i := range w {
		hi, lo := bits.Mul64(w[i], m)
		var c uint64
		w[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	return w
}

// divWord divides by a word; r is the remainder.
func (w wide) divWord(d uint64) (q wide, r uint64) {
	for i := len(w) - 1; i >= 0; i-- {
		q[i], r = bits.Div64(r, w[i], d)
	}
	return q, r
}

// mul is the product of two magnitudes below 2^128.
func (w wide) mul(o wide) wide {
	var out wide
	for i := 0; i < 2; i++ {
		var carry uint64
		for j := 0; j < 2; j++ {
			hi, lo := bits.Mul64(w[i], o[j])
			var c uint64
			lo, c = bits.Add64(lo, out[i+j], 0)
			hi += c
			lo, c = bits.Add64(lo, carry, 0)
			out[i+j] = lo
			carry = hi + c
		}
		out[i+2] = carry
	}
	return out
}

// scaleUp multiplies by 10^n.
func (w wide) scaleUp(n int) wide {
	for ; n > 19; n -= 19 {
		w = w.mulWord(pow10Low[19])
	}
	return w.mulWord(pow10Low[n])
}

// bitLen is the position of the highest set bit, plus one.
func (w wide) bitLen() int {
	for i := len(w) - 1; i >= 0; i-- {
		if w[i] != 0 {
			return i*64 + bits.Len64(w[i])
		}
	}
	return 0
}

func (w wide) shl1() wide {
	var c uint64
	for i := range w {
		w[i], c = w[i]<<1|c, w[i]>>63
	}
	return w
}

// div divides by a magnitude below 2^127.
func (w wide) div(d wide) (q, r wide) {
	if d[1] == 0 && d[2] == 0 && d[3] == 0 && d[4] == 0 {
		q, rem := w.divWord(d[0])
		return q, wide{rem}
	}
	for i := w.bitLen() - 1; i >= 0; i-- {
		r = r.shl1()
		r[0] |= w[i/64] >> (i % 64) & 1
		q = q.shl1()
		if r.cmp(d) >= 0 {
			r = r.sub(d)
			q[0] |= 1
		}
	}
	return q, r
}

// digits is the number of decimal digits, 0 for zero.
func (w wide) digits() int {
	n := 0
	for w[1]|w[2]|w[3]|w[4] != 0 {
		w, _ = w.divWord(pow10Low[19])
		n += 19
	}
	for x := w[0]; x != 0; x /= 10 {
		n++
	}
	return n
}

// scaleDown divides by 10^n, rounding half up.
func (w wide) scaleDown(n int) wide {
	if n <= 0 {
		return w
	}
	for ; n > 19; n -= 19 {
		// Cutting all but the last digits is safe: what is cut cannot make up a half.
		w, _ = w.divWord(pow10Low[19])
	}
	q, r := w.divWord(pow10Low[n])
	if r >= pow10Low[n]-r {
		q = q.add(wide{1})
	}
	return q
}

// decimal makes the DECIMAL(p, ..) of a sign and a magnitude; NULL when it has more digits.
func (w wide) decimal(negative bool, p int) Value {
	if w[2]|w[3]|w[4] != 0 || w[1]>>63 != 0 {
		return Null
	}
	d := Dec128{int64(w[1]), w[0]}
	if !d.FitsPrecision(p) {
		return Null
	}
	if negative {
		d = d.Neg()
	}
	return Decimal(d)
}
