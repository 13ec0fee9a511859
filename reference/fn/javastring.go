package fn

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// Some functions of Flink work on Java strings, whose unit is the UTF-16 code unit:
// an emoji counts two there, and cutting one in half leaves a '?'.

func units(s string) []uint16 { return utf16.Encode([]rune(s)) }

// fromUnits turns code units into text; half of a surrogate pair becomes '?'.
func fromUnits(u []uint16) string {
	var b strings.Builder
	for i := 0; i < len(u); i++ {
		r := rune(u[i])
		switch {
		case !utf16.IsSurrogate(r):
			b.WriteRune(r)
		case i+1 < len(u) && utf16.DecodeRune(r, rune(u[i+1])) != utf8.RuneError:
			b.WriteRune(utf16.DecodeRune(r, rune(u[i+1])))
			i++
		default:
			b.WriteByte('?')
		}
	}
	return b.String()
}

// splitAt cuts a text behind n code points.
func splitAt(s string, n int) (head, tail string) {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, w := utf8.DecodeRuneInString(s[i:])
		i += w
	}
	return s[:i], s[i:]
}

// foldsOddly are code points whose upper or lower case Java's Unicode tables give in
// another way than Go's: several characters, or newer than the tables of JDK 17.
func foldsOddly(r rune) bool {
	switch {
	case r == 0x130 || r == 0x149 || r == 0x1F0 || r == 0x390 || r == 0x3B0 || r == 0x587 || r == 0x3A3:
		return true
	case r >= 0x1E96 && r <= 0x1E9A, r >= 0x1F50 && r <= 0x1F56, r >= 0x1F80 && r <= 0x1FFC:
		return true
	case r == 0x2C2F || r == 0x2C5F || r >= 0xA7B0 && r <= 0xA7FF || r >= 0xFB00 && r <= 0xFB17 || r >= 0x10500 && r <= 0x1FFFF && unicode.IsLetter(r):
		return true
	}
	return false
}

func fold(c *Ctx, s string, up bool) value.Value {
	if isASCII(s) {
		if up {
			return value.String(strings.ToUpper(s))
		}
		return value.String(strings.ToLower(s))
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case foldsOddly(r):
			return c.Fail(unsupported.New("upper and lower case of %q", r))
		case up && r == 'ß':
			b.WriteString("SS")
		case up:
			b.WriteRune(unicode.ToUpper(r))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return value.String(b.String())
}
