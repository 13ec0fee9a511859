package parse

import (
	"bytes"
	"fmt"
)

// broken reads a row whose cells hold line breaks: lines are joined until bars stand
// at all borders, a line break counting one character as in Flink's own width. It
// reports whether it dealt with the row.
func (s *Scanner) broken(t *table, l line, b []byte) bool {
	if !t.hasGrid || t.b.Style == StyleMarkdown {
		return false
	}
	width := t.grid.width()
	have := displayWidth(b)
	if have >= width || !t.bordersUpTo(b) {
		return s.cutShort(t, l, b)
	}
	if t.failedJoins > 20 {
		return s.cutShort(t, l, b)
	}
	joined := append([]byte(nil), b...)
	b = bytes.Clone(b) // the next lines overwrite it
	// The same without blanks at the ends of lines, which editors add.
	trimmed := append([]byte(nil), trimRightSpace(b)...)
	haveTrimmed := displayWidth(trimmed)
	var extra []line
	for len(extra) < 10_000 && len(joined) < s.opts.MaxText {
		n, ok := s.next()
		if !ok {
			break
		}
		n.b = bytes.Clone(n.b)
		extra = append(extra, n)
		nb := t.withoutPrefix(n.b)
		tb := trimRightSpace(nb)
		if t.fits(tb) || s.promptAt(tb) >= 0 || isExit(tb) {
			break
		} else if _, at, _, is := findBorder(tb); is && at == 0 {
			break
		}
		joined = append(append(joined, '\n'), nb...)
		have += 1 + displayWidth(nb)
		trimmed = append(append(trimmed, '\n'), tb...)
		haveTrimmed += 1 + displayWidth(tb)
		for _, x := range [...]struct {
			width int
			text  []byte
		}{{have, joined}, {haveTrimmed, trimmed}} {
			if x.width < width || x.width > width+8 {
				continue
			}
			if cells, end, exact := t.slice(s.cellMem[:0], x.text); exact && len(trimSpace(x.text[end:])) == 0 {
				s.cellMem = cells
				s.cutCells(t, cells)
				s.joinedRow(t, l.n, n.n, x.text)
				return true
			}
		}
		// A cell whose width is not Flink's (a path in it was replaced): it ends at the bar
		// before a border or before the next row.
		if t.cols == 1 && len(tb) > 0 && tb[len(tb)-1] == '|' && (len(tb) == 1 || tb[len(tb)-2] == ' ') {
			if p, ok := s.peek(); !ok || rowOrBorder(t.withoutPrefix(p.b)) {
				j := trimRightSpace(joined)
				s.cellMem = append(s.cellMem[:0], trimOneBlank(j[1:len(j)-1]))
				s.cutMem = append(s.cutMem[:0], false)
				s.joinedRow(t, l.n, n.n, joined)
				return true
			}
		}
		if haveTrimmed > width+8 && t.cols > 1 {
			break
		}
	}
	t.failedJoins++
	s.unreadAll(extra)
	return s.cutShort(t, l, b)
}

// joinedRow delivers a row of several lines whose cells are in cellMem and cutMem.
func (s *Scanner) joinedRow(t *table, first, last int, text []byte) {
	r := &s.row
	r.Cells, r.cut, r.Line, r.LastLine = s.cellMem, s.cutMem, first, last
	if !t.multiline {
		t.multiline = true
		t.b.note(first, NoteMultiline, "a cell of this row holds line breaks")
	}
	s.deliver(t, r, text)
}

func rowOrBorder(b []byte) bool {
	if len(b) > 0 && b[0] == '|' {
		return true
	}
	_, at, _, ok := findBorder(b)
	return ok && at == 0
}

// trimOneBlank takes the padding on the left and the one blank on the right.
func trimOneBlank(b []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimLeft(b, " "), []byte(" "))
}

// bordersUpTo: every border inside the row's width so far has its bar.
func (t *table) bordersUpTo(b []byte) bool {
	off, w := 0, 0
	for _, bar := range t.grid.bars {
		k := offsetAt(b[off:], bar-w)
		if k < 0 || off+k >= len(b) {
			return true
		}
		if b[off+k] != '|' {
			return false
		}
		off, w = off+k+1, bar+1
	}
	return true
}

// cutShort reports a row that lacks its end; false when it has as many bars as a row
// needs, for loose to try.
func (s *Scanner) cutShort(t *table, l line, b []byte) bool {
	tb := trimRightSpace(b)
	if bytes.Count(tb, []byte("|")) >= t.cols+1 {
		return false
	}
	code, reason := ProblemRow, fmt.Sprintf("the row ends before its last cell: %d of %d cells", max(bytes.Count(tb, []byte("|"))-1, 0), t.cols)
	if l.last {
		code, reason = ProblemUnclosed, "the file ends inside this row"
	}
	s.problem(t.b, l.n, code, reason, b)
	t.b.unreadable++
	t.b.LastLine = l.n
	return true
}
