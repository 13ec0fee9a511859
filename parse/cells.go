package parse

import (
	"bytes"

	"github.com/labgrade/labgrade/changelog"
)

// slice cuts b at the borders, counting display widths. end is the byte behind the
// last bar; exact is false when a bar is not where it should be.
func (t *table) slice(dst [][]byte, b []byte) (cells [][]byte, end int, exact bool) {
	if !t.hasGrid {
		return dst, 0, false
	}
	off, w := 0, 0
	start := 0
	for i, bar := range t.grid.bars {
		k := offsetAt(b[off:], bar-w)
		if k < 0 || off+k >= len(b) || b[off+k] != '|' {
			return dst, 0, false
		}
		at := off + k
		if i > 0 {
			c := b[start:at]
			if len(c) < 2 || c[0] != ' ' || c[len(c)-1] != ' ' {
				return dst, 0, false
			}
			dst = append(dst, c[1:len(c)-1])
		}
		start = at + 1
		off, w = at+1, bar+1
	}
	return dst, off, true
}

// splitBars cuts a row at its bars, wherever they stand. b begins with a bar.
func splitBars(dst [][]byte, b []byte) [][]byte {
	b = trimSpace(b)
	b = bytes.TrimPrefix(b, []byte("|"))
	b = bytes.TrimSuffix(b, []byte("|"))
	for {
		i := bytes.IndexByte(b, '|')
		if i < 0 || len(dst) > maxCells {
			return append(dst, trimSpace(b))
		}
		dst = append(dst, trimSpace(b[:i]))
		b = b[i+1:]
	}
}

// maxCells bounds the cells of a row that no border describes.
const maxCells = 10_000

// splitSpacedBars cuts at " | " only, so that a bar inside a value without blanks
// around it stays in the value.
func splitSpacedBars(dst [][]byte, b []byte) [][]byte {
	b = trimSpace(b)
	b = bytes.TrimPrefix(b, []byte("|"))
	b = bytes.TrimSuffix(b, []byte("|"))
	for {
		i := bytes.Index(b, []byte(" | "))
		if i < 0 {
			return append(dst, trimSpace(b))
		}
		dst = append(dst, trimSpace(b[:i]))
		b = b[i+2:]
	}
}

// rowKind reads the op column: the four kinds, and the + and - of 1.11 and 1.12, which
// only say whether a row enters or leaves.
func rowKind(c []byte) (changelog.RowKind, bool) {
	switch string(trimSpace(c)) {
	case "+I", "+":
		return changelog.Insert, true
	case "-U":
		return changelog.UpdateBefore, true
	case "+U":
		return changelog.UpdateAfter, true
	case "-D", "-":
		return changelog.Delete, true
	}
	return 0, false
}
