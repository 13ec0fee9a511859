package value

import (
	"strings"
	"unicode/utf8"
)

// toStringCaster prints the value, then cuts it to n characters; CHAR(n) is padded.
func toStringCaster(from, to Type, opt CastOptions) CastFunc {
	return func(v Value) (Value, error) {
		if from.IsCharacter() {
			return String(fitChars(v.s, to)), nil
		}
		if from.IsBinary() {
			// Invalid bytes become replacement characters, as new String(bytes, UTF_8).
			return String(fitChars(strings.ToValidUTF8(v.s, "�"), to)), nil
		}
		var buf [64]byte
		return String(fitChars(string(AppendString(buf[:0], &from, v, opt.Zone)), to)), nil
	}
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

// CharLength is the number of code points.
func CharLength(s string) int { return utf8.RuneCountInString(s) }

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
