package value

import (
	"strings"
	"unicode/utf8"
)

// toStringCaster prints the value, then cuts it to n characters; CHAR(n) is padded.
func toStringCaster(from, to Type, opt CastOptions) CastFunc {
	return func(v Value) (Value, error) {
		switch {
		case from.IsCharacter():
			return String(fitChars(v.s, to)), nil
		case from.IsBinary():
			// Invalid bytes become replacement characters, as in new String(bytes, UTF_8).
			return String(fitUTF16(decodeUTF8(v.s), to)), nil
		}
		var buf [64]byte
		s := string(AppendString(buf[:0], &from, v, opt.Zone))
		if from.IsComposite() {
			return String(fitUTF16(s, to)), nil
		}
		return String(fitChars(s, to)), nil
	}
}

// fitUTF16 is fitChars counting UTF-16 units, as Flink does for texts that it builds
// in a StringBuilder. Half of a surrogate pair becomes a question mark.
func fitUTF16(s string, t Type) string {
	if t.Length == MaxLength {
		return s
	}
	n := 0
	for i, r := range s {
		if n == t.Length {
			return s[:i]
		}
		n++
		if r > 0xffff {
			if n == t.Length {
				return s[:i] + "?"
			}
			n++
		}
	}
	if t.Kind == KindChar && n < t.Length {
		return s + strings.Repeat(" ", t.Length-n)
	}
	return s
}

// decodeUTF8 replaces what is no UTF-8 by U+FFFD, one for each maximal piece of a
// broken sequence, as Java's decoder does.
func decodeUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n <= 1 {
			n = brokenLength(s[i:])
		}
		b.WriteRune(r)
		i += n
	}
	return b.String()
}

// brokenLength is the length of the maximal broken piece at the head of s.
func brokenLength(s string) int {
	lo, hi, need := byte(0x80), byte(0xbf), 0
	switch c := s[0]; {
	case c >= 0xc2 && c <= 0xdf:
		need = 1
	case c == 0xe0:
		lo, need = 0xa0, 2
	case c == 0xed:
		hi, need = 0x9f, 2
	case c >= 0xe1 && c <= 0xef:
		need = 2
	case c == 0xf0:
		lo, need = 0x90, 3
	case c >= 0xf1 && c <= 0xf3:
		need = 3
	case c == 0xf4:
		hi, need = 0x8f, 3
	}
	n := 1
	for ; n <= need && n < len(s) && s[n] >= lo && s[n] <= hi; n++ {
		lo, hi = 0x80, 0xbf
	}
	return n
}

// fitChars cuts s to the length of the type in code points, and pads it for CHAR.
func fitChars(s string, t Type) string {
	if t.Length == MaxLength {
		return s
	}
	n := 0
	for i := range s {
		if n == t.Length {
			return s[:i]
		}
		n++
	}
	if t.Kind == KindChar && n < t.Length {
		return s + strings.Repeat(" ", t.Length-n)
	}
	return s
}

func toBooleanCaster(from Type) CastFunc {
	if from.IsCharacter() {
		return func(v Value) (Value, error) {
			switch strings.ToLower(v.s) {
			case "t", "true", "y", "yes", "1":
				return Bool(true), nil
			case "f", "false", "n", "no", "0":
				return Bool(false), nil
			}
			return Null, &CastError{classTable, "Cannot parse '" + v.s + "' as BOOLEAN."}
		}
	}
	switch from.Kind {
	case KindDouble:
		return func(v Value) (Value, error) { return Bool(v.Double() != 0), nil }
	case KindFloat:
		return func(v Value) (Value, error) { return Bool(v.Float() != 0), nil }
	case KindDecimal:
		return func(v Value) (Value, error) { return Bool(v.Dec().Sign() != 0), nil }
	}
	return func(v Value) (Value, error) { return Bool(v.n != 0), nil }
}

// toBinaryCaster cuts or, for BINARY, pads with zero bytes.
func toBinaryCaster(from, to Type) CastFunc {
	return func(v Value) (Value, error) {
		s := v.s
		if to.Length != MaxLength && len(s) > to.Length {
			s = s[:to.Length]
		}
		if to.Kind == KindBinary && len(s) < to.Length {
			s += strings.Repeat("\x00", to.Length-len(s))
		}
		return String(s), nil
	}
}
