// Package term writes to terminals: text from outside is made harmless, colours and
// widths follow the writer.
package term

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Safe makes text from a submission fit to be shown on one line of a terminal: control
// characters, escape sequences, characters that turn the direction of writing or have
// no width, and bytes that are no UTF-8 become visible escapes such as \x1b and \u202e.
// A tab becomes a blank.
func Safe(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n <= 1:
			writeHex(&b, uint32(s[i]), 2, 'x')
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteByte(' ')
		case r < 0x20 || r == 0x7f:
			writeHex(&b, uint32(r), 2, 'x')
		case hidden(r) && r <= 0xffff:
			writeHex(&b, uint32(r), 4, 'u')
		case hidden(r):
			writeHex(&b, uint32(r), 8, 'U')
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// SafeLines is Safe for text of several lines, whose line breaks stay.
func SafeLines(s string) string {
	if !strings.Contains(s, "\n") {
		return Safe(s)
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = Safe(strings.TrimSuffix(l, "\r"))
	}
	return strings.Join(lines, "\n")
}

func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f {
			return false
		}
	}
	return true
}

// hidden: characters that are not seen themselves but change what is seen: C1 controls,
// direction marks, separators, zero-width characters, tags, noncharacters, private use.
// The joiner U+200D stays, since emoji are made with it.
func hidden(r rune) bool {
	switch {
	case r >= 0x80 && r <= 0x9f, r == 0xad, r == 0x061c, r == 0x180e,
		r == 0x200b, r == 0x200c, r == 0x200e, r == 0x200f,
		r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f,
		r == 0xfeff, r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return r > 0xff && !unicode.IsPrint(r) && r != 0x200d && r != utf8.RuneError && !unicode.Is(unicode.Zs, r)
}

func writeHex(b *strings.Builder, v uint32, digits int, letter byte) {
	h := strconv.FormatUint(uint64(v), 16)
	b.WriteByte('\\')
	b.WriteByte(letter)
	for range digits - len(h) {
		b.WriteByte('0')
	}
	b.WriteString(h)
}

// SafeJSON makes JSON text fit for a terminal without changing what it means: the
// characters that Safe would show as escapes become \u escapes. JSON encoders escape
// the control characters below U+0020 only.
func SafeJSON(b []byte) []byte {
	ok := true
	for _, r := range string(b) {
		if r >= 0x7f && (r == 0x7f || hidden(r)) {
			ok = false
			break
		}
	}
	if ok {
		return b
	}
	out := make([]byte, 0, len(b)+64)
	for _, r := range string(b) {
		switch {
		case r < 0x7f || r != 0x7f && !hidden(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			a, z := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, a, z)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
