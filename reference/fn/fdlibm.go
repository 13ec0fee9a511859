package fn

import "math"

// The functions that java.lang.Math computes by the algorithms of fdlibm, a public
// library whose results depend on each step; they are followed operation by operation.

// polynomial evaluates c[0] + z*(c[1] + z*(...)).
func polynomial(z float64, c ...float64) float64 {
	p := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		p = float64(z*p) + c[i]
	}
	return p
}

func asinRatio(t float64) float64 {
	p := t * polynomial(t, 1.66666666666666657415e-01, -3.25565818622400915405e-01, 2.01212532134862925881e-01,
		-4.00555345006794114027e-02, 7.91534994289814532176e-04, 3.47933107596021167570e-05)
	q := polynomial(t, 1, -2.40339491173441421878e+00, 2.02094576023350569471e+00,
		-6.88283971605453293030e-01, 7.70381505559019352791e-02)
	return p / q
}

const (
	halfPiHi    = 1.57079632679489655800e+00
	halfPiLo    = 6.12323399573676603587e-17
	quarterPiHi = 7.85398163397448278999e-01
	piLo        = 1.2246467991473531772e-16
)

// clearLow drops the low 32 bits of a double.
func clearLow(x float64) float64 {
	return math.Float64frombits(math.Float64bits(x) &^ 0xffffffff)
}

func javaAsin(x float64) float64 {
	ax := math.Abs(x)
	switch {
	case x != x || ax > 1:
		return math.NaN()
	case ax == 1:
		return float64(x*halfPiHi) + float64(x*halfPiLo)
	case ax < 0.5:
		if ax < 0x1p-27 {
			return x
		}
		return x + float64(x*asinRatio(float64(x*x)))
	}
	t := (1 - ax) * 0.5
	r := asinRatio(t)
	s := math.Sqrt(t)
	var res float64
	if highWord(ax) >= 0x3FEF3333 {
		res = halfPiHi - (float64(2.0*(s+float64(s*r))) - halfPiLo)
	} else {
		w := clearLow(s)
		c := (t - float64(w*w)) / (s + w)
		p := float64(2.0*s*r) - (halfPiLo - float64(2.0*c))
		q := quarterPiHi - float64(2.0*w)
		res = quarterPiHi - (p - q)
	}
	if x < 0 {
		return -res
	}
	return res
}

func highWord(x float64) uint32 { return uint32(math.Float64bits(x) >> 32) }

func javaAcos(x float64) float64 {
	ax := math.Abs(x)
	switch {
	case x != x || ax > 1:
		return math.NaN()
	case x == 1:
		return 0
	case x == -1:
		return math.Pi + 2*halfPiLo
	case ax < 0.5:
		if highWord(ax) <= 0x3c600000 {
			return halfPiHi + halfPiLo
		}
		r := asinRatio(float64(x * x))
		return halfPiHi - (x - (halfPiLo - float64(x*r)))
	case x < 0:
		z := (1 + x) * 0.5
		s := math.Sqrt(z)
		w := float64(asinRatio(z)*s) - halfPiLo
		return math.Pi - float64(2.0*(s+w))
	}
	z := (1 - x) * 0.5
	s := math.Sqrt(z)
	df := clearLow(s)
	c := (z - float64(df*df)) / (s + df)
	w := float64(asinRatio(z)*s) + c
	return 2.0 * (df + w)
}

var (
	atanHi = [4]float64{4.63647609000806093515e-01, 7.85398163397448278999e-01, 9.82793723247329054082e-01, 1.57079632679489655800e+00}
	atanLo = [4]float64{2.26987774529616870924e-17, 3.06161699786838301793e-17, 1.39033110312309984516e-17, 6.12323399573676603587e-17}
)

func javaAtan(x float64) float64 {
	if x != x {
		return x
	}
	ax := math.Abs(x)
	if ax >= 0x1p66 {
		return math.Copysign(atanHi[3]+atanLo[3], x)
	}
	id, t := -1, x
	switch h := highWord(ax); {
	case h < 0x3e200000:
		return x
	case h < 0x3fdc0000:
	case h < 0x3fe60000:
		id, t = 0, (2.0*ax-1.0)/(2.0+ax)
	case h < 0x3ff30000:
		id, t = 1, (ax-1.0)/(ax+1.0)
	case h < 0x40038000:
		id, t = 2, (ax-1.5)/(1.0+float64(1.5*ax))
	default:
		id, t = 3, -1.0/ax
	}
	z := float64(t * t)
	w := float64(z * z)
	s1 := z * polynomial(w, 3.33333333333329318027e-01, 1.42857142725034663711e-01, 9.09088713343650656196e-02,
		6.66107313738753120669e-02, 4.97687799461593236017e-02, 1.62858201153657823623e-02)
	s2 := w * polynomial(w, -1.99999999998764832476e-01, -1.11111104054623557880e-01, -7.69187620504482999495e-02,
		-5.83357013379057348645e-02, -3.65315727442169155270e-02)
	if id < 0 {
		return t - float64(t*(s1+s2))
	}
	return math.Copysign(atanHi[id]-((float64(t*(s1+s2))-atanLo[id])-t), x)
}

func javaAtan2(y, x float64) float64 {
	switch {
	case x != x || y != y:
		return x + y
	case x == 1:
		return javaAtan(y)
	case y == 0:
		if math.Signbit(x) {
			return math.Copysign(math.Pi, y)
		}
		return y
	case x == 0:
		return math.Copysign(halfPiHi, y)
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return math.Atan2(y, x)
	}
	var z float64
	switch k := int(highWord(math.Abs(y))>>20) - int(highWord(math.Abs(x))>>20); {
	case k > 60:
		z = halfPiHi + 0.5*piLo
	case x < 0 && k < -60:
		z = 0
	default:
		z = javaAtan(math.Abs(y / x))
	}
	switch {
	case x > 0 && y > 0:
		return z
	case x > 0:
		return -z
	case y > 0:
		return math.Pi - (z - piLo)
	}
	return (z - piLo) - math.Pi
}

// strictExp is fdlibm's exp, on which sinh and cosh are built.
func strictExp(x float64) float64 {
	const (
		ln2Hi = 6.93147180369123816490e-01
		ln2Lo = 1.90821492927058770002e-10
	)
	ax := math.Abs(x)
	switch {
	case x != x:
		return x
	case x > 7.09782712893383973096e+02:
		return math.Inf(1)
	case x < -7.45133219101941108420e+02:
		return 0
	}
	hi, lo, k := 0.0, 0.0, 0
	switch h := highWord(ax); {
	case h > 0x3fd62e42:
		if h < 0x3FF0A2B2 {
			sign := math.Copysign(1, x)
			hi, lo, k = x-sign*ln2Hi, sign*ln2Lo, int(sign)
		} else {
			k = int(float64(math.Log2E*x) + math.Copysign(0.5, x))
			hi, lo = x-float64(float64(k)*ln2Hi), float64(float64(k)*ln2Lo)
		}
		x = hi - lo
	case h < 0x3e300000:
		return 1 + x
	}
	t := float64(x * x)
	c := x - float64(t*polynomial(t, 1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05,
		-1.65339022054652515390e-06, 4.13813679705723846039e-08))
	if k == 0 {
		return 1 - (float64(x*c)/(c-2.0) - x)
	}
	y := 1 - ((lo - float64(x*c)/(2.0-c)) - hi)
	return math.Ldexp(y, k)
}

func javaSinh(x float64) float64 {
	h := 0.5
	if x < 0 {
		h = -h
	}
	ax := math.Abs(x)
	switch {
	case x != x || math.IsInf(x, 0):
		return x
	case ax < 22:
		if ax < 0x1p-28 {
			return x
		}
		t := math.Expm1(ax)
		if ax < 1 {
			return h * (2.0*t - float64(t*t)/(t+1.0))
		}
		return h * (t + t/(t+1.0))
	case highWord(ax) < 0x40862E42:
		return h * strictExp(ax)
	case ax <= 710.4758600739439:
		w := strictExp(0.5 * ax)
		return float64(h*w) * w
	}
	return x * 1.0e307 * 1.0e307
}

func javaCosh(x float64) float64 {
	ax := math.Abs(x)
	switch {
	case x != x || math.IsInf(x, 0):
		return x * x
	case highWord(ax) < 0x3fd62e43:
		t := math.Expm1(ax)
		w := 1 + t
		if highWord(ax) < 0x3c800000 {
			return w
		}
		return 1 + float64(t*t)/(w+w)
	case ax < 22:
		t := strictExp(ax)
		return float64(0.5*t) + 0.5/t
	case highWord(ax) < 0x40862E42:
		return 0.5 * strictExp(ax)
	case ax <= 710.4758600739439:
		w := strictExp(0.5 * ax)
		return float64(0.5*w) * w
	}
	return math.Inf(1)
}

func javaTanh(x float64) float64 {
	ax := math.Abs(x)
	var z float64
	switch {
	case x != x:
		return x
	case ax >= 22:
		z = 1
	case ax < 0x1p-55:
		return x * (1 + x)
	case ax >= 1:
		z = 1 - 2/(math.Expm1(2*ax)+2)
	default:
		t := math.Expm1(-2 * ax)
		z = -t / (t + 2)
	}
	return math.Copysign(z, x)
}
