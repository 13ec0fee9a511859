package parse

import (
	"bytes"
	"fmt"
)

// slow reads a line of a table that does not fit the borders byte by byte: wide
// characters, cells with line breaks, prefixes, notes, footers, or the end. It
// reports that the table has ended; its block is then complete.
func (s *Scanner) slow(t *table, l line) (ended bool) {
	if l.long {
		s.problem(t.b, l.n, ProblemLongLine, "the line is longer than "+itoa(s.opts.MaxLine)+" bytes; the rest of it is not read", l.b)
		t.b.unreadable++
		return false
	}
	b := t.withoutPrefix(l.b)
	tb := trimRightSpace(b)
	switch {
	case len(trimSpace(tb)) == 0:
		return false // blank lines between rows are an accident of pasting
	case t.b.Style == StyleMarkdown && tb[0] != '|':
		s.unread(l)
		s.endTable(t)
		return true
	case t.hasGrid && t.fits(tb):
		s.flushForeign(t)
		s.fitting(t, tb, l.n)
		return false
	case tb[0] == '|' && s.wideRow(t, l, b):
		return false
	}
	if x := plainBlanks(b); len(x) != len(b) {
		b, tb = x, trimRightSpace(x)
		if len(trimSpace(tb)) == 0 {
			return false
		}
	}
	if e, ok := parseElision(tb, l.n); ok {
		s.flushForeign(t)
		s.elision(t, e)
		return false
	}
	if tb[0] == '+' {
		if _, at, _, ok := findBorder(tb); ok && at == 0 {
			return s.borderInside(t, l)
		}
		if l.last && unfinishedBorder(tb) {
			s.problem(t.b, l.n, ProblemUnclosed, "the file ends inside the closing border", tb)
			return false
		}
	}
	if f, _, ok := parseFooter(tb); ok && (tb[0] != '|' || f.Kind == FooterTerminated) {
		f.Line = l.n
		t.b.Footer = &f
		t.foreignText()
		s.endTable(t)
		return true
	}
	if i := bytes.IndexByte(tb, '|'); i >= 0 && (i == 0 || onlySigns(tb[:i]) || t.rowAt(tb, i)) && !s.endsTable(tb) {
		s.flushForeign(t)
		s.rowFrom(t, l, b[i:])
		return false
	}
	if s.endsTable(tb) {
		s.unread(l)
		if isExit(tb) && !t.b.Closed && t.b.HasOp {
			t.b.Kind = KindCancelled
			t.b.note(l.n, NoteNoFooter, "the session was shut down while the query ran")
		}
		s.endTable(t)
		return true
	}
	t.foreign = append(t.foreign, line{n: l.n, b: bytes.Clone(l.b)})
	if len(t.foreign) > maxForeign {
		s.endTable(t)
		return true
	}
	return false
}

// rowAt: behind a prefix of any kind a row stands that fits the borders.
func (t *table) rowAt(b []byte, i int) bool {
	_, _, exact := t.slice(nil, b[i:])
	return exact
}

// endsTable: the line belongs to what comes after a table.
func (s *Scanner) endsTable(b []byte) bool {
	if s.promptAt(b) >= 0 || isExit(b) {
		return true
	}
	switch what, _ := s.answerAt(b); what {
	case startInfo, startError, startException, startEmptySet, startPlan, startBanner, startFence, startPrint:
		return true
	}
	return false
}

// borderInside meets a border behind rows: the closing one, the first of another
// table, or a line that someone drew between rows.
func (s *Scanner) borderInside(t *table, l line) (ended bool) {
	l.b = bytes.Clone(l.b)
	n, ok := s.nextFilled()
	if ok {
		n.b = bytes.Clone(n.b)
		nb := t.withoutPrefix(n.b)
		if bytes.Equal(trimRightSpace(nb), trimRightSpace(t.headers)) || s.headerFollows(n, nb) {
			s.unread(n)
			s.unread(l)
			s.endTable(t)
			return true
		}
		if len(nb) > 0 && nb[0] == '|' {
			s.unread(n)
			return false // a line between rows
		}
	}
	s.flushForeign(t)
	t.b.Closed = true
	t.b.LastLine = l.n
	if ok {
		if f, _, is := parseFooter(t.withoutPrefix(n.b)); is {
			f.Line = n.n
			t.b.Footer = &f
		} else {
			s.unread(n)
		}
	}
	s.endTable(t)
	return true
}

// headerFollows: the line behind a border is the header of another table, since a
// border follows it.
func (s *Scanner) headerFollows(n line, nb []byte) bool {
	if len(nb) == 0 || nb[0] != '|' {
		return false
	}
	p, ok := s.peek()
	if !ok {
		return false
	}
	_, _, _, is := findBorder(p.b)
	return is
}

// rowFrom reads a row that begins at b[0] == '|' and may go on over the next lines.
func (s *Scanner) rowFrom(t *table, l line, b []byte) {
	if s.wideRow(t, l, b) {
		return
	}
	if bytes.IndexByte(b, '&') >= 0 {
		if x := unescapeHTML(b); len(x) != len(b) {
			if b = x; s.wideRow(t, l, b) {
				return
			}
		}
	}
	marks := t.questionMarks(b)
	if !marks && s.broken(t, l, b) {
		return
	}
	r := &s.row
	r.Line, r.LastLine = l.n, l.n
	cells := s.loose(t, b)
	if cells == nil {
		s.problem(t.b, l.n, ProblemRow, fmt.Sprintf("the row cannot be cut into the %d cells of the header", t.cols), b)
		t.b.unreadable++
		t.b.LastLine = l.n
		return
	}
	if marks {
		if t.marks++; t.marks == 1 {
			t.b.note(l.n, NoteQuestionMarks, "characters outside ASCII were printed as ?: the client ran in a POSIX locale")
		}
	} else if t.hasGrid && t.b.Style != StyleMarkdown {
		if t.realign == 0 {
			t.b.note(l.n, NoteRealigned, "the bars of this row do not stand at the borders; it was cut at its bars")
		}
		t.realign++
	}
	s.cellMem = cells
	s.cutLoose(cells)
	r.Cells, r.cut = cells, s.cutMem
	if elided(cells, t.b.HasOp) {
		s.elision(t, Elision{Line: l.n, Text: string(b)})
		return
	}
	s.deliver(t, r, b)
}

// wideRow delivers a row whose bars stand at the borders when display widths are
// counted; text may follow it.
func (s *Scanner) wideRow(t *table, l line, b []byte) bool {
	cells, end, exact := t.slice(s.cellMem[:0], b)
	if !exact {
		return false
	}
	s.flushForeign(t)
	s.cellMem = cells
	if rest := trimSpace(b[end:]); len(rest) > 0 && rest[len(rest)-1] == '|' {
		s.problem(t.b, l.n, ProblemRow, fmt.Sprintf("the row has more than the %d cells of the header", t.cols), b)
		t.b.unreadable++
		t.b.LastLine = l.n
		return true
	} else if len(rest) > 0 {
		if t.trail == 0 {
			t.b.note(l.n, NoteTrailingText, "text behind the last bar is not part of the row")
		}
		t.trail++
	}
	s.cutCells(t, cells)
	r := &s.row
	r.Cells, r.cut, r.Line, r.LastLine = cells, s.cutMem, l.n, l.n
	if elided(cells, t.b.HasOp) {
		s.elision(t, Elision{Line: l.n, Text: string(b)})
		return true
	}
	s.deliver(t, r, b)
	return true
}

// questionMarks: the row is short by no more cells than it has question marks. In a
// POSIX locale the client pads for wide characters, but prints one ? for each.
func (t *table) questionMarks(b []byte) bool {
	b = trimRightSpace(b)
	n := bytes.Count(b, []byte("?"))
	if !t.hasGrid || n == 0 || !isASCII(b) || b[len(b)-1] != '|' || bytes.Count(b, []byte("|")) != t.cols+1 {
		return false
	}
	short := t.grid.width() - len(b)
	return short > 0 && short <= n
}

// loose cuts a row at its bars: as many as the header has, or, where values hold bars,
// at the bars between blanks.
func (s *Scanner) loose(t *table, b []byte) [][]byte {
	if t.b.Style == StyleMarkdown {
		b = unescapeMarkdown(b)
	}
	if len(b) < 2 || b[len(trimRightSpace(b))-1] != '|' {
		// A note behind the last bar.
		if i := bytes.LastIndexByte(b, '|'); i > 0 && bytes.Count(b[:i+1], []byte("|")) == t.cols+1 {
			if t.trail == 0 {
				t.b.note(s.row.Line, NoteTrailingText, "text behind the last bar is not part of the row")
			}
			t.trail++
			b = b[:i+1]
		} else if t.b.Style != StyleMarkdown {
			return nil
		}
	}
	cells := splitBars(s.cellMem[:0], b)
	if t.cols == 0 {
		t.cols = len(cells)
	}
	if len(cells) == t.cols {
		return cells
	}
	if cells = splitSpacedBars(s.cellMem[:0], b); len(cells) == t.cols {
		return cells
	}
	return nil
}

// cutCells trims the padding of cells that were cut out at the borders and finds those
// that are cut: they fill the column and end in dots. A wide character that did not
// fit leaves a blank before, an emoji two.
func (s *Scanner) cutCells(t *table, cells [][]byte) {
	cut := s.cutMem[:0]
	for i, c := range cells {
		x := trimLeftBlanks(c)
		is := len(x) > 3 && bytes.HasSuffix(x, []byte("...")) && displayWidth(x) >= t.grid.cell(i)-2
		if t.leftAligned {
			x = trimSpace(x)
		}
		cells[i] = x
		cut = append(cut, is)
	}
	s.cutMem = cut
}

// cutLoose does the same where widths say nothing: every cell that ends in dots may be cut.
func (s *Scanner) cutLoose(cells [][]byte) {
	cut := s.cutMem[:0]
	for _, c := range cells {
		cut = append(cut, len(c) > 3 && bytes.HasSuffix(c, []byte("...")))
	}
	s.cutMem = cut
}
