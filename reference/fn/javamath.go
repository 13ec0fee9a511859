package fn

import (
	"math"
	"math/big"
)

// Flink computes EXP, LN, POWER, SIN, ... with java.lang.Math, whose results on the
// JVMs in use are the exact value rounded to the nearest double, except where that
// value lies within a few thousandths of a unit from the middle of two doubles (seen
// in 200,000 results of JDK 17: at most 0.004, for EXP 0.008, for the tangent 0.022). Go's own
// functions are a unit in the last place off much more often. So these compute with
// about 100 bits, round once, and report the cases in which the JVM may round the
// other way: they are refused.

// double2 is an unevaluated sum of two doubles: about 106 bits.
type double2 struct{ hi, lo float64 }

func twoSum(a, b float64) double2 {
	s := a + b
	v := s - a
	return double2{s, (a - (s - v)) + (b - v)}
}

func twoProd(a, b float64) double2 {
	p := a * b
	return double2{p, math.FMA(a, b, -p)}
}

func (a double2) renorm() double2 {
	s := a.hi + a.lo
	return double2{s, a.lo - (s - a.hi)}
}

func (a double2) add(b double2) double2 {
	s, t := twoSum(a.hi, b.hi), twoSum(a.lo, b.lo)
	s.lo += t.hi
	s = s.renorm()
	s.lo += t.lo
	return s.renorm()
}

func (a double2) neg() double2          { return double2{-a.hi, -a.lo} }
func (a double2) sub(b double2) double2 { return a.add(b.neg()) }

func (a double2) mul(b double2) double2 {
	p := twoProd(a.hi, b.hi)
	p.lo += a.hi*b.lo + a.lo*b.hi
	return p.renorm()
}

func (a double2) times(f float64) double2 {
	p := twoProd(a.hi, f)
	p.lo += a.lo * f
	return p.renorm()
}

func (a double2) scale(f float64) double2 { return double2{a.hi * f, a.lo * f} }

func (a double2) div(b double2) double2 {
	q1 := a.hi / b.hi
	r := a.sub(b.times(q1))
	q2 := r.hi / b.hi
	r = r.sub(b.times(q2))
	q3 := r.hi / b.hi
	return twoSum(q1, q2).renorm().add(double2{q3, 0})
}

// round gives the nearest double, and whether the value is far enough from the
// middle of two doubles, in units of the last place.
func (a double2) round(margin float64) (float64, bool) {
	a = a.renorm()
	ax := math.Abs(a.hi)
	ulp := math.Nextafter(ax, math.Inf(1)) - ax
	if ax <= math.SmallestNonzeroFloat64*2 || a.lo == 0 {
		return a.hi, true
	}
	off := math.Abs(a.lo)
	return a.hi, math.Abs(off/ulp-0.5) > margin && !(isPowerOfTwo(ax) && (a.lo < 0) == (a.hi > 0) && math.Abs(off/ulp-0.25) <= margin)
}

func isPowerOfTwo(x float64) bool { m, _ := math.Frexp(x); return m == 0.5 }

const (
	margin    = 0.006
	sinMargin = 0.015
	expMargin = 0.02
	tanMargin = 0.03
)

var (
	ln2d     = double2{0.6931471805599453, 2.3190468138462996e-17}
	invLn10d = double2{0.4342944819032518, 1.098319650216765e-17}
	// piHalf are three parts of pi/2.
	piHalf = [3]float64{1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33}
)

// exp2d gives e^x as m * 2^k with m about 1.
func exp2d(x double2) (m double2, k int) {
	n := math.RoundToEven(x.hi / ln2d.hi)
	r := x.sub(ln2d.times(n)).scale(1.0 / 256)
	// s = e^r - 1 by its series, then squared eight times as (1 + s)^2 - 1.
	s, term := r, r
	for i := 2; i <= 12; i++ {
		term = term.mul(r).div(double2{float64(i), 0})
		s = s.add(term)
	}
	for range 8 {
		s = s.scale(2).add(s.mul(s))
	}
	return double2{1, 0}.add(s), int(n)
}

// ldexp rounds m * 2^k once, also where the result is subnormal.
func (a double2) ldexp(k int, margin float64) (float64, bool) {
	if k > -1000 && k < 1000 {
		f, ok := a.round(margin)
		return math.Ldexp(f, k), ok
	}
	f := new(big.Float).SetPrec(200).SetFloat64(a.hi)
	f.Add(f, new(big.Float).SetPrec(200).SetFloat64(a.lo))
	f.SetMantExp(f, k)
	r, _ := f.Float64()
	return r, false
}

// log2d is the natural logarithm of a positive finite number.
func log2d(x float64) double2 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = m*2, e-1
	}
	// log m = 2 artanh s with s = (m - 1) / (m + 1).
	s := twoSum(m, -1).renorm().div(twoSum(m, 1).renorm())
	sq := s.mul(s)
	sum, pow := s, s
	for i := 3; i < 60; i += 2 {
		pow = pow.mul(sq)
		t := pow.div(double2{float64(i), 0})
		sum = sum.add(t)
		if math.Abs(t.hi) < math.Abs(sum.hi)*1e-34 {
			break
		}
	}
	return ln2d.times(float64(e)).add(sum.scale(2))
}

// mathFunction is a function of java.lang.Math; false tells that the last digit is uncertain.
type mathFunction func(x float64) (float64, bool)

// certain wraps a function whose every digit is known.
func certain(f func(float64) float64) mathFunction {
	return func(x float64) (float64, bool) { return f(x), true }
}

// JavaExp, JavaLog and JavaPow are the functions of java.lang.Math for what the planner computes;
// false tells that the last digit is uncertain.
func JavaExp(x float64) (float64, bool) { return javaExp(x) }

// JavaLog is Math.log, see JavaExp.
func JavaLog(x float64) (float64, bool) { return javaLog(x) }

// JavaPow is Math.pow, see JavaExp.
func JavaPow(x, y float64) (float64, bool) { return javaPow(x, y) }

func javaExp(x float64) (float64, bool) {
	switch {
	case x != x:
		return x, true
	case x > 709.9:
		return math.Inf(1), true
	case x < -746:
		return 0, true
	case x == 0:
		return 1, true
	}
	m, k := exp2d(double2{x, 0})
	return m.ldexp(k, expMargin)
}

func javaLog(x float64) (float64, bool) {
	switch {
	case x != x || x < 0:
		return math.NaN(), true
	case x == 0:
		return math.Inf(-1), true
	case math.IsInf(x, 1) || x == 1:
		return x - 1, true
	}
	return log2d(x).round(margin)
}

func javaLog10(x float64) (float64, bool) {
	if x > 0 && x != 1 && !math.IsInf(x, 1) {
		return log2d(x).mul(invLn10d).round(margin)
	}
	return javaLog(x)
}

// javaPow is Math.pow, which differs from C in that 1^NaN and (-1)^Infinity are NaN.
func javaPow(x, y float64) (float64, bool) {
	switch {
	case y == 0:
		return 1, true
	case y == 1:
		return x, true
	case x != x || y != y, math.IsInf(y, 0) && math.Abs(x) == 1:
		return math.NaN(), true
	case x == 0 || math.IsInf(x, 0) || math.IsInf(y, 0), x < 0 && y != math.Trunc(y):
		return math.Pow(x, y), true
	}
	if f, ok := exactPower(x, y); ok {
		return f, true
	}
	negative := x < 0 && math.Mod(y, 2) != 0
	l := log2d(math.Abs(x)).times(y)
	r, ok := 0.0, true
	switch {
	case l.hi > 709.9:
		r = math.Inf(1)
	case l.hi < -746:
	default:
		m, k := exp2d(l)
		r, ok = m.ldexp(k, margin)
	}
	if negative {
		r = -r
	}
	return r, ok
}

// exactPower are powers of whole numbers that a double holds exactly.
func exactPower(x, y float64) (float64, bool) {
	if x != math.Trunc(x) || y != math.Trunc(y) || y < 0 || y > 64 || math.Abs(x) > 1<<53 {
		return 0, false
	}
	p := 1.0
	for range int(y) {
		if p *= x; math.Abs(p) > 1<<53 {
			return 0, false
		}
	}
	return p, true
}

// reduce gives x modulo pi/2, between -pi/4 and pi/4, and the quadrant.
func reduce(x float64) (r double2, quadrant int) {
	if math.Abs(x) < 1<<20 {
		k := math.RoundToEven(x / piHalf[0])
		p1, p2 := twoProd(k, piHalf[0]), twoProd(k, piHalf[1])
		r = twoSum(x, -p1.hi)
		r = r.add(double2{-p1.lo, 0}).add(p2.neg()).add(double2{-k * piHalf[2], 0})
		return r, int(k) & 3
	}
	// Pi to more bits than the exponent of x has.
	const prec = 1300
	half := new(big.Float).SetPrec(prec).Quo(pi(prec), big.NewFloat(2))
	q := new(big.Float).SetPrec(prec).Quo(new(big.Float).SetPrec(prec).SetFloat64(x), half)
	half1 := big.NewFloat(0.5)
	if x < 0 {
		half1 = big.NewFloat(-0.5)
	}
	n, _ := new(big.Float).SetPrec(prec).Add(q, half1).Int(nil)
	rest := new(big.Float).SetPrec(prec).SetFloat64(x)
	rest.Sub(rest, new(big.Float).SetPrec(prec).Mul(half, new(big.Float).SetPrec(prec).SetInt(n)))
	hi, _ := rest.Float64()
	lo, _ := rest.Sub(rest, new(big.Float).SetFloat64(hi)).Float64()
	return double2{hi, lo}, int(new(big.Int).And(n, big.NewInt(3)).Int64())
}

// pi by Machin's formula.
func pi(prec uint) *big.Float {
	one := new(big.Int).Lsh(big.NewInt(1), prec+32)
	arctan := func(n int64) *big.Int {
		sum, term := new(big.Int), new(big.Int).Quo(one, big.NewInt(n))
		for i := int64(1); term.Sign() != 0; i += 2 {
			t := new(big.Int).Quo(term, big.NewInt(i))
			if i%4 == 1 {
				sum.Add(sum, t)
			} else {
				sum.Sub(sum, t)
			}
			term.Quo(term, big.NewInt(n*n))
		}
		return sum
	}
	p := new(big.Int).Mul(arctan(5), big.NewInt(16))
	p.Sub(p, new(big.Int).Mul(arctan(239), big.NewInt(4)))
	return new(big.Float).SetPrec(prec).Quo(new(big.Float).SetPrec(prec).SetInt(p), new(big.Float).SetPrec(prec).SetInt(one))
}

// sinCos2d are sine and cosine of a reduced argument.
func sinCos2d(r double2) (sin, cos double2) {
	sq := r.mul(r).neg()
	sin, cos = r, double2{1, 0}
	st, ct := r, double2{1, 0}
	for i := 2; i < 32; i += 2 {
		ct = ct.mul(sq).div(double2{float64((i - 1) * i), 0})
		st = st.mul(sq).div(double2{float64(i * (i + 1)), 0})
		sin, cos = sin.add(st), cos.add(ct)
	}
	return sin, cos
}

func javaSin(x float64) (float64, bool) {
	if x == 0 || x != x || math.IsInf(x, 0) {
		return zeroOrNaN(x), true
	}
	r, q := reduce(x)
	s, c := sinCos2d(r)
	return pick(q, s, c)
}

func zeroOrNaN(x float64) float64 {
	if x == 0 {
		return x
	}
	return math.NaN()
}

func javaCos(x float64) (float64, bool) {
	if x != x || math.IsInf(x, 0) {
		return math.NaN(), true
	}
	r, q := reduce(x)
	s, c := sinCos2d(r)
	return pick(q+1, s, c)
}

// pick is the sine in a quadrant.
func pick(quadrant int, s, c double2) (float64, bool) {
	switch quadrant & 3 {
	case 0:
		return s.round(sinMargin)
	case 1:
		return c.round(sinMargin)
	case 2:
		return s.neg().round(sinMargin)
	}
	return c.neg().round(sinMargin)
}

func javaTan(x float64) (float64, bool) {
	if x == 0 || x != x || math.IsInf(x, 0) {
		return zeroOrNaN(x), true
	}
	r, q := reduce(x)
	s, c := sinCos2d(r)
	if q&1 == 0 {
		return s.div(c).round(tanMargin)
	}
	return c.div(s).neg().round(tanMargin)
}
