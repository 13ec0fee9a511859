package value

import (
	"math"
	"strconv"
	"strings"
)

// ParseJavaDouble reads a DOUBLE (or FLOAT, for 32 bits) as Double.parseDouble does:
// blanks around are dropped, NaN and Infinity take this spelling only, a suffix
// d, D, f or F is allowed, and hexadecimal needs a binary exponent.
func ParseJavaDouble(text string, bitSize int) (float64, bool) {
	s := javaTrim(text)
	t := strings.TrimLeft(s, "+-")
	if len(s)-len(t) > 1 || t == "" {
		return 0, false
	}
	neg := s[0] == '-'
	switch {
	case t == "NaN":
		return math.NaN(), true
	case t == "Infinity":
		if neg {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	}
	if !javaNumber(&t) {
		return 0, false
	}
	f, err := strconv.ParseFloat(t, bitSize)
	if err != nil && !isRange(err) {
		return 0, false
	}
	if neg {
		f = -f
	}
	return f, true
}

func isRange(err error) bool {
	e, ok := err.(*strconv.NumError)
	return ok && e.Err == strconv.ErrRange
}

// javaNumber checks the grammar of an unsigned number and drops its type suffix.
func javaNumber(t *string) bool {
	s := *t
	if n := len(s) - 1; n > 0 && strings.IndexByte("dDfF", s[n]) >= 0 {
		s = s[:n]
	}
	hex := len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')
	i, digits := 0, 0
	isDigit := func(c byte) bool {
		return c >= '0' && c <= '9' || hex && (c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F')
	}
	if hex {
		i = 2
	}
	for point := false; i < len(s); i++ {
		if s[i] == '.' && !point {
			point = true
			continue
		}
		if !isDigit(s[i]) {
			break
		}
		digits++
	}
	if digits == 0 {
		return false
	}
	exp := byte('e')
	if hex {
		exp = 'p'
	}
	if i < len(s) && s[i]|0x20 == exp {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		at := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		if i == at {
			return false
		}
	} else if hex {
		return false
	}
	*t = s
	return i == len(s)
}

func parseApproxValue(s string, k Kind) (Value, error) {
	bits := 64
	if k == KindFloat {
		bits = 32
	}
	f, ok := ParseJavaDouble(s, bits)
	if !ok {
		return Null, JavaDoubleError(s)
	}
	if k == KindFloat {
		return Float(float32(f)), nil
	}
	return Double(f), nil
}

// JavaDoubleError is the NumberFormatException of Double.parseDouble and
// Float.parseFloat for a text that ParseJavaDouble refuses.
func JavaDoubleError(text string) error {
	s := javaTrim(text)
	if s == "" {
		return &CastError{classNumberFormat, "empty String"}
	}
	t := s
	if t[0] == '+' || t[0] == '-' {
		t = t[1:]
	}
	hex := len(t) > 1 && t[0] == '0' && t[1]|0x20 == 'x'
	for i, points := 0, 0; !hex && i < len(t) && (t[i] == '.' || t[i] >= '0' && t[i] <= '9'); i++ {
		if t[i] == '.' {
			if points++; points > 1 {
				return &CastError{classNumberFormat, "multiple points"}
			}
		}
	}
	return &CastError{classNumberFormat, "For input string: \"" + s + "\""}
}
