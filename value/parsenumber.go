package value

import (
	"math"
	"strconv"
	"strings"
)

func numberFormat(s, reason string) error {
	return &CastError{classNumberFormat, "For input string: '" + s + "'. " + reason}
}

// ParseCastInteger reads an integer as CAST does: blanks around it are dropped, a
// fraction is allowed and cut.
func ParseCastInteger(text string, k Kind) (int64, error) {
	s := strings.Trim(text, " ")
	if s == "" {
		return 0, numberFormat(s, "Input is empty.")
	}
	neg := s[0] == '-'
	i := 0
	if neg || s[0] == '+' {
		i = 1
		if len(s) == 1 {
			return 0, numberFormat(s, "Input has only positive or negative symbol.")
		}
	}
	limit := int64(math.MinInt64)
	if k != KindBigInt {
		limit = math.MinInt32
	}
	// Negative accumulation: the least value has no positive counterpart.
	var n int64
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' {
			i++
			break
		}
		if c < '0' || c > '9' {
			return 0, numberFormat(s, "Invalid character found.")
		}
		d := int64(c - '0')
		if n < limit/10 || n*10 < limit+d {
			return 0, numberFormat(s, "Overflow.")
		}
		n = n*10 - d
	}
	for ; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, numberFormat(s, "Invalid character found.")
		}
	}
	if !neg {
		if n == limit {
			return 0, numberFormat(s, "Overflow.")
		}
		n = -n
	}
	if w := wrapInteger(k, n); w != n {
		return 0, numberFormat(s, "Overflow.")
	}
	return n, nil
}

// bigDecimal is what java.math.BigDecimal holds after reading: all its digits
// without leading zeros, and a scale. It keeps up to maxDigits digits exactly; more
// are dropped only behind the 60th, where no DECIMAL can see them.
type bigDecimal struct {
	digits   []byte
	scale    int64
	negative bool
}

// parseBigDecimal reads the grammar of BigDecimal(String): sign, digits with an
// optional point, optional exponent. Nothing else, no blanks.
func parseBigDecimal(s string) (bigDecimal, bool) {
	var d bigDecimal
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		d.negative = s[i] == '-'
		i++
	}
	seen, point := false, false
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			seen = true
			if point {
				d.scale++
			}
			if c != '0' || len(d.digits) > 0 {
				d.digits = append(d.digits, c)
			}
			continue
		case c == '.' && !point:
			point = true
			continue
		}
		break
	}
	if !seen {
		return d, false
	}
	if i == len(s) {
		return d, true
	}
	if s[i] != 'e' && s[i] != 'E' {
		return d, false
	}
	i++
	e := s[i:]
	if e == "" {
		return d, false
	}
	digits := strings.TrimPrefix(strings.TrimPrefix(e, "+"), "-")
	if len(e)-len(digits) > 1 || digits == "" || len(strings.TrimLeft(digits, "0")) > 10 {
		return d, false
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(e, "+"), 10, 64)
	if err != nil {
		return d, false
	}
	d.scale -= n
	return d, d.scale <= math.MaxInt32 && d.scale >= math.MinInt32
}

// toDecimal rounds half up to DECIMAL(p, s); NULL on overflow.
func (d bigDecimal) toDecimal(p, s int) Value {
	digits := d.digits
	// Keep digits up to the scale; the first dropped one decides the rounding.
	drop := d.scale - int64(s)
	switch {
	case len(digits) == 0 || drop > int64(len(digits)):
		return Decimal(Dec128{})
	case drop > 0:
		up := digits[int64(len(digits))-drop] >= '5'
		digits = digits[:int64(len(digits))-drop]
		w, ok := wideOfDigits(digits)
		if !ok {
			return Null
		}
		if up {
			w = w.add(wide{1})
		}
		return w.decimal(d.negative, p)
	}
	if int64(len(digits))-drop > MaxDecimalPrecision {
		return Null
	}
	w, _ := wideOfDigits(digits)
	return w.scaleUp(int(-drop)).decimal(d.negative, p)
}

// wideOfDigits reads at most 38 digits.
func wideOfDigits(digits []byte) (wide, bool) {
	if len(digits) > MaxDecimalPrecision {
		return wide{}, false
	}
	var w wide
	for _, c := range digits {
		w = w.mulWord(10).add(wide{uint64(c - '0')})
	}
	return w, true
}

// ParseCastDecimal reads a DECIMAL as CAST does.
func ParseCastDecimal(text string, p, s int) (Value, error) {
	t := strings.Trim(text, " ")
	var v Value
	if p > 18 || len(t) > 18 {
		u := strings.Trim(t, " \n\t")
		d, ok := parseBigDecimal(u)
		if !ok {
			return Null, &CastError{Class: classNumberFormat}
		}
		v = d.toDecimal(p, s)
	} else {
		v = parseShortDecimal(t, p, s)
	}
	if !v.set {
		return Null, numberFormat(t, "Overflow.")
	}
	return v, nil
}

// parseShortDecimal is Flink's own reader for short texts. It has a fault that shows:
// the first character that is no digit ends the number and is itself not looked at, so
// that 'T' is 0 and '12x' is 12. NULL means that the text is refused.
func parseShortDecimal(s string, p, scale int) Value {
	i := 0
	var b byte
	for ; i < len(s); i++ {
		if b = s[i]; b != ' ' && b != '\n' && b != '\t' {
			break
		}
	}
	if i == len(s) {
		return Null
	}
	neg := b == '-'
	if neg || b == '+' {
		i++
		if i == len(s) {
			return Null
		}
	}
	var n int64
	exp, digits, point := 0, 0, -1
loop:
	for i < len(s) {
		b = s[i]
		i++
		switch {
		case b >= '0' && b <= '9':
			n = n*10 + int64(b-'0')
			digits++
		case b == '.':
			if point >= 0 {
				return Null
			}
			point = digits
		default:
			break loop
		}
	}
	if point < 0 {
		point = digits
	}
	if neg {
		n = -n
	}
	if (b == 'e' || b == 'E') && i < len(s) {
		b = s[i]
		expNeg := b == '-'
		if expNeg || b == '+' {
			i++
			if i == len(s) {
				return Null
			}
		}
		e := 0
		for i < len(s) {
			b = s[i]
			i++
			if b < '0' || b > '9' {
				break
			}
			if e < 40 {
				e = e*10 + int(b-'0')
			}
		}
		if expNeg {
			e = -e
		}
		exp += e
	}
	exp -= digits - point
	for ; i < len(s); i++ {
		if b = s[i]; b != ' ' && b != '\n' && b != '\t' {
			return Null
		}
	}
	change := exp + scale
	if digits+change > p {
		return Null
	}
	if change >= 0 {
		n *= longPow10(change)
	} else {
		k := int64(5)
		if neg {
			k = -5
		}
		d := longPow10(-change)
		if d == 0 {
			return Null
		}
		n = (n + k*longPow10(-change-1)) / d
	}
	return Decimal(DecOf(n))
}

func longPow10(n int) int64 {
	if n > 18 {
		return 0
	}
	return int64(pow10Low[n])
}
