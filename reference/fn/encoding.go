package fn

import (
	"unicode/utf16"
	"unicode/utf8"

	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// encode and decode know the character sets that every JVM has.
func encode(c *Ctx, a, charset value.Value) value.Value {
	s := a.Str()
	switch upper(charset.Str()) {
	case "UTF-8", "UTF8":
		return value.Bytes([]byte(s))
	case "US-ASCII", "ASCII":
		return value.Bytes(oneByte(s, 127))
	case "ISO-8859-1", "LATIN1":
		return value.Bytes(oneByte(s, 255))
	case "UTF-16BE":
		return value.Bytes(wide(s, nil, true))
	case "UTF-16LE":
		return value.Bytes(wide(s, nil, false))
	case "UTF-16":
		if s == "" {
			return value.Bytes(nil)
		}
		return value.Bytes(wide(s, []byte{0xfe, 0xff}, true))
	}
	return c.Fail(unsupported.New("ENCODE with the character set %s", charset.Str()))
}

// oneByte writes '?' for what the character set does not have.
func oneByte(s string, last rune) []byte {
	var b []byte
	for _, r := range s {
		if r > last {
			r = '?'
		}
		b = append(b, byte(r))
	}
	return b
}

func wide(s string, b []byte, bigEndian bool) []byte {
	for _, u := range units(s) {
		if bigEndian {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return b
}

func decode(c *Ctx, a, charset value.Value) value.Value {
	s := a.Str()
	switch upper(charset.Str()) {
	case "UTF-8", "UTF8":
		if !utf8.ValidString(s) {
			return c.Fail(unsupported.New("DECODE of bytes that are not UTF-8"))
		}
		return value.String(s)
	case "US-ASCII", "ASCII":
		r := make([]rune, len(s))
		for i := range len(s) {
			if r[i] = rune(s[i]); s[i] > 127 {
				r[i] = utf8.RuneError
			}
		}
		return value.String(string(r))
	case "ISO-8859-1", "LATIN1":
		r := make([]rune, len(s))
		for i := range len(s) {
			r[i] = rune(s[i])
		}
		return value.String(string(r))
	case "UTF-16BE", "UTF-16LE", "UTF-16":
		if len(s)%2 != 0 {
			return c.Fail(unsupported.New("DECODE of half a UTF-16 unit"))
		}
		little := upper(charset.Str()) == "UTF-16LE"
		if upper(charset.Str()) == "UTF-16" && len(s) >= 2 {
			if s[:2] == "\xfe\xff" || s[:2] == "\xff\xfe" {
				little = s[0] == 0xff
				s = s[2:]
			}
		}
		u := make([]uint16, len(s)/2)
		for i := range u {
			hi, lo := s[2*i], s[2*i+1]
			if little {
				hi, lo = lo, hi
			}
			u[i] = uint16(hi)<<8 | uint16(lo)
			if utf16.IsSurrogate(rune(u[i])) {
				return c.Fail(unsupported.New("DECODE of UTF-16 surrogates"))
			}
		}
		return value.String(fromUnits(u))
	}
	return c.Fail(unsupported.New("DECODE with the character set %s", charset.Str()))
}
