package parse

import "bytes"

// border is the column grid of a table: the offsets of its bars, counted in character
// cells. The first is 0.
type border struct {
	bars []int
}

func (g border) width() int { return g.bars[len(g.bars)-1] + 1 }
func (g border) cols() int  { return len(g.bars) - 1 }

// cell is the width of column i's text: Flink keeps a blank on both sides.
func (g border) cell(i int) int { return g.bars[i+1] - g.bars[i] - 3 }

// parseBorder reads "+----+-----+"; b must be nothing else. The narrowest column has
// three dashes.
func parseBorder(b []byte) (border, bool) {
	if len(b) < 5 || b[0] != '+' || b[len(b)-1] != '+' {
		return border{}, false
	}
	g := border{bars: []int{0}}
	for i := 1; i < len(b); {
		j := i
		for b[j] == '-' {
			j++
		}
		if b[j] != '+' || j-i < 3 {
			return border{}, false
		}
		g.bars = append(g.bars, j)
		i = j + 1
	}
	return g, true
}

// findBorder finds a border in a line: at its start, behind a prefix, or glued to the
// echo of a statement ("SELECT COUNT(*)+----+"). Behind it only a note may stand.
func findBorder(b []byte) (g border, at, end int, ok bool) {
	for from := 0; ; {
		i := bytes.Index(b[from:], []byte("+--"))
		if i < 0 {
			return border{}, 0, 0, false
		}
		i += from
		j := i
		for j < len(b) && (b[j] == '-' || b[j] == '+') {
			j++
		}
		from = j
		for j > i && b[j-1] != '+' {
			j--
		}
		if from > j && from < len(b) { // "+---+--x" is no border
			continue
		}
		// "a+--+----+" in an echo: the border begins at the first + that makes one.
		for k := i; k < j; k++ {
			if b[k] == '+' {
				if g, ok = parseBorder(b[k:j]); ok {
					if j < len(b) && !isBlank(b[j]) {
						break
					}
					return g, k, j, true
				}
			}
		}
	}
}

// unfinishedBorder reports a border that the end of the file or line cut off.
func unfinishedBorder(b []byte) bool {
	return len(b) > 2 && b[0] == '+' && len(bytes.Trim(b, "+-")) == 0
}

// isMarkdownRule reads the second line of a Markdown table: | --- | :-: |.
func isMarkdownRule(b []byte) (cols int, ok bool) {
	b = trimSpace(b)
	if len(b) < 3 || b[0] != '|' || len(bytes.Trim(b, "|-: \t")) != 0 || !bytes.Contains(b, []byte("-")) {
		return 0, false
	}
	b = bytes.TrimSuffix(b, []byte("|"))
	return bytes.Count(b, []byte("|")), true
}
