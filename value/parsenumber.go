package value

import (
	"math"
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

// ParseCastDecimal reads a DECIMAL as CAST does.
func ParseCastDecimal(text string, p, s int) (Value, error) {
	var v Value
	if p > 18 || len(text) > 18 {
		t := strings.Trim(text, " \n\t")
		if t == "" {
			// Flink's trimming leaves a text of blanks alone.
			t = text
		}
		d, err := parseBigDecimal(t, false)
		if err == nil {
			err = d.overflow(s)
		}
		if err != nil {
			return Null, err
		}
		v = d.toDecimal(p, s)
	} else {
		var err error
		if v, err = parseShortDecimal(text, p, s); err != nil {
			return Null, err
		}
	}
	if !v.set {
		return Null, numberFormat(text, "Overflow.")
	}
	return v, nil
}

// parseShortDecimal is Flink's own reader for short texts. It has a fault that shows:
// the first character that is no digit ends the number and is itself not looked at, so
// that 'T' is 0 and '12x' is 12. NULL means that the text is refused.
func parseShortDecimal(s string, p, scale int) (Value, error) {
	i := 0
	var b byte
	for ; i < len(s); i++ {
		if b = s[i]; b != ' ' && b != '\n' && b != '\t' {
			break
		}
	}
	if i == len(s) {
		return Null, nil
	}
	neg := b == '-'
	if neg || b == '+' {
		i++
		if i == len(s) {
			return Null, nil
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
				return Null, nil
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
				return Null, nil
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
			return Null, nil
		}
	}
	change := exp + scale
	if digits+change > p {
		return Null, nil
	}
	if change >= 0 {
		n *= int64(pow10Low[change])
	} else {
		// Flink's table of powers ends here.
		if i := -change - 1; i > 18 {
			return Null, powerIndexError(i)
		} else if i == 18 {
			return Null, powerIndexError(19)
		}
		k := int64(5)
		if neg {
			k = -5
		}
		n = (n + k*int64(pow10Low[-change-1])) / int64(pow10Low[-change])
	}
	return Decimal(DecOf(n)), nil
}

func powerIndexError(i int) error {
	return &CastError{"java.lang.ArrayIndexOutOfBoundsException",
		"Index " + string(AppendInt(nil, int64(i))) + " out of bounds for length 19"}
}
