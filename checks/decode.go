package checks

import (
	"bytes"
	"unicode/utf16"
)

// decodeText reads a text file as editors and PowerShell write it: UTF-8, with or
// without a byte order mark, or UTF-16 with one.
func decodeText(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte{0xef, 0xbb, 0xbf}):
		return string(b[3:])
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		return utf16Text(b[2:], 0, 1)
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return utf16Text(b[2:], 1, 0)
	}
	return string(b)
}

func utf16Text(b []byte, lo, hi int) string {
	u := make([]uint16, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		u = append(u, uint16(b[i+lo])|uint16(b[i+hi])<<8)
	}
	return string(utf16.Decode(u))
}
