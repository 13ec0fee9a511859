package value

// The arithmetic of DECIMAL. Operands come with their scales, the result with the
// precision and scale of its type; a result of too many digits is NULL, rounding is
// half up (away from zero at .5), as Flink does both with java.math.BigDecimal.

// DecimalRescale brings a DECIMAL of scale s to DECIMAL(p, s2).
func DecimalRescale(v Value, s, p, s2 int) Value {
	if !v.set {
		return Null
	}
	d := v.Dec()
	if s == s2 {
		if d.FitsPrecision(p) {
			return v
		}
		return Null
	}
	return rescale(wideOf(d.Abs()), d.Hi < 0, s, p, s2)
}

func rescale(w wide, negative bool, s, p, s2 int) Value {
	if s2 > s {
		if w.digits()+s2-s > MaxDecimalPrecision {
			if w.isZero() {
				return Decimal(Dec128{})
			}
			return Null
		}
		w = w.scaleUp(s2 - s)
	} else {
		w = w.scaleDown(s - s2)
	}
	return w.decimal(negative, p)
}

// DecimalAdd is a + b as DECIMAL(p, s).
func DecimalAdd(a Value, sa int, b Value, sb int, p, s int) Value {
	return addScaled(a.Dec(), sa, b.Dec(), sb, p, s)
}

// DecimalSub is a - b as DECIMAL(p, s).
func DecimalSub(a Value, sa int, b Value, sb int, p, s int) Value {
	return addScaled(a.Dec(), sa, b.Dec().Neg(), sb, p, s)
}

func addScaled(x Dec128, sa int, y Dec128, sb int, p, s int) Value {
	if sa == sb && sa == s {
		// Two numbers below 10^38 add up to less than 2^127.
		d := x.Add(y)
		if d.FitsPrecision(p) {
			return Decimal(d)
		}
		return Null
	}
	common := max(sa, sb)
	wx, wy := wideOf(x.Abs()).scaleUp(common-sa), wideOf(y.Abs()).scaleUp(common-sb)
	nx, ny := x.Hi < 0, y.Hi < 0
	var sum wide
	switch {
	case nx == ny:
		sum = wx.add(wy)
	case wx.cmp(wy) >= 0:
		sum = wx.sub(wy)
	default:
		sum, nx = wy.sub(wx), ny
	}
	return rescale(sum, nx, common, p, s)
}

// DecimalMul is a * b as DECIMAL(p, s).
func DecimalMul(a Value, sa int, b Value, sb int, p, s int) Value {
	x, y := a.Dec(), b.Dec()
	return rescale(wideOf(x.Abs()).mul(wideOf(y.Abs())), (x.Hi < 0) != (y.Hi < 0), sa+sb, p, s)
}

// DecimalDiv is a / b as DECIMAL(p, s); ok is false when b is zero. Flink first
// rounds the quotient to 38 significant digits and then to the scale.
func DecimalDiv(a Value, sa int, b Value, sb int, p, s int) (q Value, ok bool) {
	x, y := a.Dec(), b.Dec()
	if y.Sign() == 0 {
		return Null, false
	}
	if x.Sign() == 0 {
		return Decimal(Dec128{}), true
	}
	n, d := wideOf(x.Abs()), wideOf(y.Abs())
	// Scale the dividend so that the quotient has at least 39 digits. What lies behind them
	// cannot turn a rest below a half into a half.
	up := max(0, MaxDecimalPrecision+1+d.digits()-n.digits())
	quo, _ := n.scaleUp(up).div(d)
	scale := up + sa - sb
	if over := quo.digits() - MaxDecimalPrecision; over > 0 {
		quo = quo.scaleDown(over)
		scale -= over
	}
	if scale-s > 60 {
		return Decimal(Dec128{}), true
	}
	return rescale(quo, (x.Hi < 0) != (y.Hi < 0), scale, p, s), true
}

// DecimalMod is the remainder of a / b with the sign of a, as DECIMAL(p, s). ok is
// false when b is zero, and when the integer quotient cannot be written with 38 significant
// digits, where Flink fails with "Division impossible".
func DecimalMod(a Value, sa int, b Value, sb int, p, s int) (m Value, ok bool) {
	x, y := a.Dec(), b.Dec()
	if y.Sign() == 0 {
		return Null, false
	}
	common := max(sa, sb)
	wx, wy := wideOf(x.Abs()).scaleUp(common-sa), wideOf(y.Abs()).scaleUp(common-sb)
	quo, r := divWide(wx, wy)
	if over := quo.digits() - MaxDecimalPrecision; over > 0 {
		if _, low := divWide(quo, wide{1}.scaleUp(over)); !low.isZero() {
			return Null, false
		}
	}
	return rescale(r, x.Hi < 0, common, p, s), true
}

// divWide divides by any magnitude.
func divWide(w, d wide) (q, r wide) {
	if d[1]|d[2]|d[3]|d[4] == 0 {
		q, rem := w.divWord(d[0])
		return q, wide{rem}
	}
	return w.div(d)
}

// AddType is the type of a + b and a - b of two DECIMALs.
func AddType(a, b Type) Type {
	s := max(a.Scale, b.Scale)
	return adjustDecimal(max(a.Precision-a.Scale, b.Precision-b.Scale)+s+1, s)
}

// MulType is the type of a * b.
func MulType(a, b Type) Type { return adjustDecimal(a.Precision+b.Precision+1, a.Scale+b.Scale) }

// DivType is the type of a / b.
func DivType(a, b Type) Type {
	s := max(6, a.Scale+b.Precision+1)
	return adjustDecimal(a.Precision-a.Scale+b.Scale+s, s)
}

// ModType is the type of a % b.
func ModType(a, b Type) Type {
	s := max(a.Scale, b.Scale)
	return adjustDecimal(min(a.Precision-a.Scale, b.Precision-b.Scale)+s, s)
}

// SumType is the type of SUM over a DECIMAL.
func SumType(a Type) Type { return DecimalType(MaxDecimalPrecision, a.Scale) }

// RoundType is the type of ROUND(a, r) for a literal r.
func RoundType(a Type, r int) Type {
	switch {
	case r >= a.Scale:
		return DecimalType(a.Precision, a.Scale)
	case r < 0:
		return DecimalType(min(MaxDecimalPrecision, 1+a.Precision-a.Scale), 0)
	}
	return DecimalType(1+a.Precision-a.Scale+r, r)
}

// adjustDecimal fits a derived precision into 38 digits: the integer digits are
// kept, the scale is cut, but not below 6.
func adjustDecimal(p, s int) Type {
	if p <= MaxDecimalPrecision {
		return DecimalType(p, s)
	}
	digits := p - s
	return DecimalType(MaxDecimalPrecision, max(MaxDecimalPrecision-digits, min(s, 6)))
}

// DecimalOfInteger is the DECIMAL type in which an integer type takes part in DECIMAL arithmetic.
func DecimalOfInteger(t Type) Type {
	p := 0
	switch t.Kind {
	case KindTinyInt:
		p = 3
	case KindSmallInt:
		p = 5
	case KindInt:
		p = 10
	case KindBigInt:
		p = 19
	}
	return DecimalType(p, 0).WithNullable(t.Nullable)
}
