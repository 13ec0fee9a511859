package value

import (
	"sort"
	"unicode/utf8"
)

// DisplayWidth is the width by which Flink's tables count: the UTF-16 length plus one
// for each wide code point. An emoji is 3 wide, though terminals draw 2 cells.
func DisplayWidth(s []byte) int {
	w := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			w++
			i++
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		w += runeWidth(r)
		i += n
	}
	return w
}

// UTF16Len is the length in UTF-16 units, as Java's String.length.
func UTF16Len(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

func runeWidth(r rune) int {
	w := 1
	if r > 0xffff {
		w = 2
	}
	if IsWide(r) {
		w++
	}
	return w
}

// IsWide reports East Asian wide and full-width code points.
func IsWide(r rune) bool {
	if r < wideRanges[0][0] {
		return false
	}
	i := sort.Search(len(wideRanges), func(i int) bool { return wideRanges[i][1] >= r })
	return i < len(wideRanges) && wideRanges[i][0] <= r
}

// cutWidth returns the longest prefix of s at most max wide, and its width.
func cutWidth(s []byte, max int) (prefix []byte, width int) {
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(s[i:])
		}
		rw := runeWidth(r)
		if width+rw > max {
			return s[:i], width
		}
		width += rw
		i += n
	}
	return s, width
}
