package value

import (
	"math"
	"math/big"
	"math/bits"
)

// AppendDouble appends the text of f as Double.toString of the JDK 17 gives it. That
// is not always the shortest text that reads back as f: 2.0E22, but
// 9.999999999999999E22 for 1e23; Flink prints what its JVM prints.
func AppendDouble(dst []byte, f float64) []byte {
	b := math.Float64bits(f)
	fract := b & (1<<52 - 1)
	exp := int(b >> 52 & 0x7ff)
	return appendJavaFloat(dst, b>>63 != 0, exp, fract, 0x7ff, 1023, 53)
}

// AppendFloat appends the text of f as Float.toString of the JDK 17 gives it.
func AppendFloat(dst []byte, f float32) []byte {
	b := math.Float32bits(f)
	fract := uint64(b&(1<<23-1)) << 29
	exp := int(b >> 23 & 0xff)
	return appendJavaFloat(dst, b>>31 != 0, exp, fract, 0xff, 127, 24)
}

// appendJavaFloat takes the fields of the number; fract is aligned to 52 bits,
// significant is the number of significant bits of a normal number.
func appendJavaFloat(dst []byte, negative bool, exp int, fract uint64, expMax, bias, significant int) []byte {
	if exp == expMax && fract != 0 {
		return append(dst, "NaN"...)
	}
	if negative {
		dst = append(dst, '-')
	}
	if exp == expMax {
		return append(dst, "Infinity"...)
	}
	if exp == 0 {
		if fract == 0 {
			return append(dst, "0.0"...)
		}
		// A subnormal number: normalise, with as many significant bits as remain.
		shift := bits.LeadingZeros64(fract) - 11
		fract <<= shift
		exp = 1 - shift
		significant -= shift
	} else {
		fract |= 1 << 52
	}
	var d floatDigits
	d.develop(exp-bias, fract, significant)
	return d.append(dst)
}

// floatDigits holds decimal digits d1 d2 d3... meaning 0.d1d2d3 * 10^exp.
type floatDigits struct {
	buf [24]byte
	n   int
	exp int
}

func (d *floatDigits) put(q byte) { d.buf[d.n] = '0' + q; d.n++ }

// develop finds the digits of fract * 2^(binExp-52), where fract has its highest bit
// at 52. It follows the method of the old JDK (Steele and White's, with shortcuts),
// because its shortcuts and stop rules are visible in the digits.
func (d *floatDigits) develop(binExp int, fract uint64, significant int) {
	tail := bits.TrailingZeros64(fract)
	nFract := 53 - tail
	nTiny := max(0, nFract-binExp-1)
	if binExp <= 62 && binExp >= -21 && nTiny == 0 {
		// An integer below 2^63: all its digits, but for those beyond the precision.
		insignificant := 0
		if binExp > significant {
			insignificant = insignificantDigits(binExp - significant - 1)
		}
		if binExp >= 52 {
			fract <<= binExp - 52
		} else {
			fract >>= 52 - binExp
		}
		d.integer(fract, insignificant)
		return
	}
	decExp := estimateDecExp(fract, binExp)
	b5 := max(0, -decExp)
	b2 := b5 + nTiny + binExp
	s5 := max(0, decExp)
	s2 := s5 + nTiny
	m5 := b5
	m2 := b2 - significant
	fract >>= tail
	b2 -= nFract - 1
	common := min(b2, s2)
	b2 -= common
	s2 -= common
	m2 -= common
	if nFract == 1 {
		// A power of two: its lower neighbour is only half as far.
		m2--
	}
	if m2 < 0 {
		b2 -= m2
		s2 -= m2
		m2 = 0
	}
	bBits := nFract + b2 + bitsOf5(b5)
	tenSBits := s2 + 1 + bitsOf5(s5+1)
	switch {
	case bBits < 64 && tenSBits < 64:
		d.small(fract, b2, b5, s2, s5, m2, m5, decExp, bBits < 32 && tenSBits < 32)
	default:
		d.big(fract, b2, b5, s2, s5, m2, m5, decExp)
	}
}

// small runs the digit loop in 64 bits, or in 32 bits where the JDK does: the
// scaled unit overflows there, which ends the loop.
func (d *floatDigits) small(fract uint64, b2, b5, s2, s5, m2, m5, decExp int, narrow bool) {
	b := int64(fract) * pow5(b5) << b2
	s := pow5(s5) << s2
	m := pow5(m5) << m2
	tens := s * 10
	positive := func(m int64) (int64, bool) {
		if narrow {
			m = int64(int32(m))
		}
		return m, m > 0
	}
	q := b / s
	b = 10 * (b % s)
	m *= 10
	m, _ = positive(m)
	low, high := b < m, b+m > tens
	if q == 0 && !high {
		decExp--
	} else {
		d.put(byte(q))
	}
	if decExp < -3 || decExp >= 8 {
		// The exponent form has at least two digits.
		low, high = false, false
	}
	for !low && !high {
		q = b / s
		b = 10 * (b % s)
		m *= 10
		var ok bool
		if m, ok = positive(m); ok {
			low, high = b < m, b+m > tens
		} else {
			low, high = true, true
		}
		d.put(byte(q))
	}
	d.exp = decExp + 1
	d.finish(low, high, (b<<1)-tens)
}

// big is the digit loop for numbers that need more than 64 bits.
func (d *floatDigits) big(fract uint64, b2, b5, s2, s5, m2, m5, decExp int) {
	var b, s, m, tens, q, t big.Int
	five := big.NewInt(5)
	p5 := func(z *big.Int, n int) { z.Exp(five, t.SetInt64(int64(n)), nil) }
	p5(&b, b5)
	b.Mul(&b, t.SetUint64(fract)).Lsh(&b, uint(b2))
	p5(&s, s5)
	s.Lsh(&s, uint(s2))
	p5(&m, m5)
	m.Lsh(&m, uint(m2))
	ten := big.NewInt(10)
	tens.Mul(&s, ten)
	step := func() byte {
		q.QuoRem(&b, &s, &b)
		b.Mul(&b, ten)
		m.Mul(&m, ten)
		return byte(q.Int64())
	}
	stop := func() (low, high bool) { return b.Cmp(&m) < 0, t.Add(&b, &m).Cmp(&tens) >= 0 }
	first := step()
	low, high := stop()
	if first == 0 && !high {
		decExp--
	} else {
		d.put(first)
	}
	if decExp < -3 || decExp >= 8 {
		low, high = false, false
	}
	for !low && !high {
		digit := step()
		low, high = stop()
		d.put(digit)
	}
	d.exp = decExp + 1
	d.finish(low, high, int64(b.Lsh(&b, 1).Cmp(&tens)))
}

// finish rounds the last digit; diff compares twice the rest with one unit.
func (d *floatDigits) finish(low, high bool, diff int64) {
	if !high {
		return
	}
	if low {
		if diff < 0 || diff == 0 && (d.buf[d.n-1]-'0')&1 == 0 {
			return
		}
	}
	d.roundUp()
}

func (d *floatDigits) roundUp() {
	i := d.n - 1
	for ; i > 0 && d.buf[i] == '9'; i-- {
		d.buf[i] = '0'
	}
	if d.buf[i] == '9' {
		// 99..9: becomes 10..0
		d.exp++
		d.buf[0] = '1'
		return
	}
	d.buf[i]++
}

// integer sets the digits of an integer without its trailing zeros, first rounding
// away the digits beyond the precision.
func (d *floatDigits) integer(n uint64, insignificant int) {
	if insignificant > 0 {
		p := pow10Low[insignificant]
		rest := n % p
		n /= p
		if rest >= p>>1 {
			n++
		}
	}
	exp := insignificant
	for n%10 == 0 {
		n /= 10
		exp++
	}
	var rev [20]byte
	k := 0
	for ; n > 0; n /= 10 {
		rev[k] = byte(n % 10)
		k++
	}
	for i := k - 1; i >= 0; i-- {
		d.put(rev[i])
	}
	d.exp = exp + k
}

// append writes the digits in plain form from 10^-3 up to 10^7, else with an exponent.
func (d *floatDigits) append(dst []byte) []byte {
	digits := d.buf[:d.n]
	switch e := d.exp; {
	case e > 0 && e < 8:
		if d.n <= e {
			dst = append(dst, digits...)
			for i := d.n; i < e; i++ {
				dst = append(dst, '0')
			}
			return append(dst, '.', '0')
		}
		dst = append(dst, digits[:e]...)
		dst = append(dst, '.')
		return append(dst, digits[e:]...)
	case e <= 0 && e > -3:
		dst = append(dst, '0', '.')
		for i := e; i < 0; i++ {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	default:
		dst = append(dst, digits[0], '.')
		if d.n > 1 {
			dst = append(dst, digits[1:]...)
		} else {
			dst = append(dst, '0')
		}
		dst = append(dst, 'E')
		return AppendInt(dst, int64(e-1))
	}
}

// estimateDecExp is the JDK's estimate of floor(log10); it may be one too small or
// too large, and the digits depend on it.
func estimateDecExp(fract uint64, binExp int) int {
	d2 := math.Float64frombits(1023<<52 | fract&(1<<52-1))
	x := float64((d2 - 1.5) * 0.289529654)
	y := float64(float64(binExp) * 0.301029995663981)
	return int(math.Floor(float64(float64(x+0.176091259) + y)))
}

// insignificantDigits is how many decimal digits 2^p covers: floor(p * log10(2)).
func insignificantDigits(p int) int {
	if p <= 1 {
		return 0
	}
	return p * 30103 / 100000
}

// bitsOf5 is the bit length of 5^n as the JDK estimates it.
func bitsOf5(n int) int {
	if n < 27 {
		return bits.Len64(uint64(pow5(n)))
	}
	return n * 3
}

func pow5(n int) int64 {
	p := int64(1)
	for ; n > 0; n-- {
		p *= 5
	}
	return p
}
