package parse

import (
	"unicode/utf8"

	"github.com/labgrade/labgrade/value"
)

// displayWidth is the width of text as Flink's tables count it.
func displayWidth(b []byte) int { return value.DisplayWidth(b) }

func runeWidth(r rune) int {
	w := 1
	if r > 0xffff {
		w = 2
	}
	if value.IsWide(r) {
		w++
	}
	return w
}

// offsetAt is the byte offset at which the display width of b reaches w, -1 when no
// character begins there.
func offsetAt(b []byte, w int) int {
	i := 0
	for ; w > 0 && i < len(b); w-- {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		w -= runeWidth(r) - 1
		i += n
	}
	if w != 0 {
		return -1
	}
	return i
}
