package value

import (
	"math"
	"unicode"
	"unicode/utf8"
)

// bigDecimal is what java.math.BigDecimal holds after reading: all its digits
// without leading zeros, and a scale.
type bigDecimal struct {
	digits   []byte
	scale    int64
	negative bool
}

// javaDigit is Character.digit(c, 10) of the Basic Multilingual Plane: the digits of
// every script count.
func javaDigit(r rune) (byte, bool) {
	if r >= '0' && r <= '9' {
		return byte(r), true
	}
	if r < 0x80 || r > 0xffff || !unicode.Is(unicode.Nd, r) {
		return 0, false
	}
	for _, x := range unicode.Nd.R16 {
		if r <= rune(x.Hi) {
			return '0' + byte((r-rune(x.Lo))%10), true
		}
	}
	return 0, false
}

func bigDecimalError(message string) error { return &CastError{classNumberFormat, message} }

const missingExponent = "Character array is missing \"e\" notation exponential mark."

// indexError is what Java reports for reading behind the end of the array; the
// NumberFormatException around it is not the root cause.
func indexError(n int) error {
	s := string(AppendInt(nil, int64(n)))
	return &CastError{"java.lang.ArrayIndexOutOfBoundsException", "Index " + s + " out of bounds for length " + s}
}

// parseBigDecimal reads the grammar of new BigDecimal(String): sign, digits with an
// optional point, optional exponent; no blanks. exact says that the array of
// characters ends with the text (as for a String); Flink's CAST reads from a larger one.
func parseBigDecimal(s string, exact bool) (bigDecimal, error) {
	var d bigDecimal
	total := UTF16Len(s)
	rest := s
	if s == "" {
		if exact {
			return d, indexError(0)
		}
		return d, bigDecimalError("No digits found.")
	}
	if s[0] == '-' || s[0] == '+' {
		d.negative = s[0] == '-'
		rest = s[1:]
	}
	compact := UTF16Len(rest) <= 18
	seen, point := false, false
	for rest != "" {
		r, n := utf8.DecodeRuneInString(rest)
		if c, ok := javaDigit(r); ok {
			seen = true
			if point {
				d.scale++
			}
			if c != '0' || len(d.digits) > 0 {
				d.digits = append(d.digits, c)
			}
			rest = rest[n:]
			continue
		}
		if r == '.' {
			if point {
				return d, bigDecimalError("Character array contains more than one decimal point.")
			}
			point = true
			rest = rest[n:]
			continue
		}
		if r != 'e' && r != 'E' {
			if !compact {
				return d, bigDecimalError(missingExponent)
			}
			c := rest[:n]
			if r > 0xffff {
				c = "?"
			}
			return d, bigDecimalError("Character " + c + " is neither a decimal digit number, decimal point, nor \"e\" notation exponential mark.")
		}
		exp, err := parseExponent(rest[n:], total, exact)
		if err != nil {
			return d, err
		}
		if exp != int64(int32(exp)) {
			return d, bigDecimalError("Exponent overflow.")
		}
		if seen {
			if d.scale -= exp; d.scale > math.MaxInt32 || d.scale < math.MinInt32 {
				return d, bigDecimalError("Scale out of range.")
			}
		}
		break
	}
	if !seen {
		return d, bigDecimalError("No digits found.")
	}
	return d, nil
}

// parseExponent reads what stands behind the mark, up to the end of the text.
func parseExponent(s string, total int, exact bool) (int64, error) {
	if s == "" {
		if exact {
			return 0, indexError(total)
		}
		return 0, bigDecimalError("No exponent digits.")
	}
	neg := s[0] == '-'
	if neg || s[0] == '+' {
		if s = s[1:]; s == "" {
			if exact {
				return 0, indexError(total)
			}
			return 0, bigDecimalError("No exponent digits.")
		}
	}
	runes := []rune(s)
	for len(runes) > 10 {
		if c, ok := javaDigit(runes[0]); !ok || c != '0' {
			return 0, bigDecimalError("Too many nonzero exponent digits.")
		}
		runes = runes[1:]
	}
	var n int64
	for _, r := range runes {
		c, ok := javaDigit(r)
		if !ok {
			return 0, bigDecimalError("Not a digit.")
		}
		n = n*10 + int64(c-'0')
	}
	if neg {
		n = -n
	}
	return n, nil
}

// maxPowerOfTen is the greatest power of ten that java.math.BigInteger can hold.
const maxPowerOfTen = 646456992

// overflow is Java's failure of bringing a number with a huge exponent to a scale.
func (d bigDecimal) overflow(s int) error {
	if len(d.digits) > 0 && int64(s)-d.scale > maxPowerOfTen {
		return &CastError{"java.lang.ArithmeticException", "BigInteger would overflow supported range"}
	}
	return nil
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
		keep := int64(len(digits)) - drop
		w, ok := wideOfDigits(digits[:keep])
		if !ok {
			return Null
		}
		if digits[keep] >= '5' {
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

// ParseBigDecimal reads a DECIMAL(p, s) as new BigDecimal(String) does, rounding half
// up; a number with more digits is NULL. The error is a *CastError.
func ParseBigDecimal(s string, p, scale int) (Value, error) {
	if v, ok := parsePlainDecimal(s, p, scale); ok {
		return v, nil
	}
	d, err := parseBigDecimal(s, true)
	if err == nil {
		err = d.overflow(scale)
	}
	if err != nil {
		return Null, err
	}
	return d.toDecimal(p, scale), nil
}

// parsePlainDecimal reads [-]digits[.digits] of at most 18 digits that needs no rounding; ok is
// false for any other text.
func parsePlainDecimal(s string, p, scale int) (v Value, ok bool) {
	digits := s
	if len(s) > 0 && s[0] == '-' {
		digits = s[1:]
	}
	var n uint64
	point := -1
	for i := 0; i < len(digits); i++ {
		switch c := digits[i]; {
		case c >= '0' && c <= '9':
			n = n*10 + uint64(c-'0')
		case c == '.' && point < 0:
			point = i
		default:
			return Null, false
		}
	}
	count, fraction := len(digits), 0
	if point >= 0 {
		fraction = count - point - 1
		count--
	}
	if count == 0 || fraction > scale || count+scale-fraction > 18 {
		return Null, false
	}
	n *= pow10Low[scale-fraction]
	if p < len(pow10Low) && n >= pow10Low[p] {
		return Null, true
	}
	d := DecOf(int64(n))
	if len(digits) < len(s) {
		d = d.Neg()
	}
	return Decimal(d), true
}

// PlainBigDecimal is BigDecimal(text).stripTrailingZeros().toString(), the form in which
// JSON trees keep exact fractions. The error is a *CastError.
func PlainBigDecimal(text string) (string, error) {
	d, err := parseBigDecimal(text, true)
	if err != nil {
		return "", err
	}
	digits, scale := d.digits, d.scale
	if len(digits) == 0 {
		return "0", nil
	}
	for len(digits) > 1 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
		scale--
	}
	var b []byte
	if d.negative {
		b = append(b, '-')
	}
	adjusted := int64(len(digits)) - 1 - scale
	switch {
	case scale < 0 || adjusted < -6:
		b = append(b, digits[0])
		if len(digits) > 1 {
			b = append(append(b, '.'), digits[1:]...)
		}
		if adjusted != 0 {
			b = append(b, 'E')
			if adjusted > 0 {
				b = append(b, '+')
			}
			b = AppendInt(b, adjusted)
		}
	case scale == 0:
		b = append(b, digits...)
	case int64(len(digits)) > scale:
		k := int64(len(digits)) - scale
		b = append(append(append(b, digits[:k]...), '.'), digits[k:]...)
	default:
		b = append(b, '0', '.')
		for i := int64(len(digits)); i < scale; i++ {
			b = append(b, '0')
		}
		b = append(b, digits...)
	}
	return string(b), nil
}
