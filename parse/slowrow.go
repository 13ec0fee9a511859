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
	if s.broken(t, l, b) {
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
	if t.hasGrid && t.b.Style != StyleMarkdown {
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

// flushForeign marks gathered lines as standing between rows.
func (s *Scanner) flushForeign(t *table) {
	if len(t.foreign) == 0 {
		return
	}
	f := t.foreign
	t.foreign = nil
	t.b.note(f[0].n, NoteForeignText, "%d lines between the rows are no rows, the first at line %d", len(f), f[0].n)
	if t.b.NRows == 0 && t.b.unreadable == 0 {
		return
	}
	for _, l := range f {
		s.problem(t.b, l.n, ProblemRow, "this line between rows is no row", l.b)
	}
}

func (t *table) foreignText() {
	if len(t.foreign) > 0 {
		t.b.note(t.foreign[0].n, NoteForeignText, "%d lines before the footer are no rows", len(t.foreign))
		t.foreign = nil
	}
}

// endTable completes the block; lines behind its last row go back.
func (s *Scanner) endTable(t *table) {
	s.wrap = wrap{failed: s.wrap.failed}
	for i := len(t.foreign) - 1; i >= 0; i-- {
		s.unread(t.foreign[i])
	}
	// Given back in front of a line that ended the table, they come first again.
	t.foreign = nil
	if t.realign > 1 {
		t.b.note(0, NoteRealigned, "%d rows do not stand at the borders", t.realign)
	}
	s.finishTable(t.b)
}

// finishTable says what the footer and the rows come to.
func (s *Scanner) finishTable(b *Block) {
	if f := b.Footer; f != nil {
		b.LastLine = f.Line
		if f.Kind == FooterTerminated {
			b.Kind = KindCancelled
		}
		if f.Kind == FooterInSet && b.HasOp && b.NRows > 0 {
			b.note(f.Line, NoteOpIsData, "the footer is that of a batch result: the column op may hold data")
		}
		if f.Kind == FooterInSet && b.NRows == 0 && b.HasOp {
			b.HasOp = false
		}
		if b.Kind == KindTable && b.NRows == 0 && b.unreadable == 0 && f.Rows == 0 {
			b.Kind = KindEmpty
		}
		switch n := b.NRows + b.unreadable; {
		case n < f.Rows:
			b.note(f.Line, NoteFooterCount, "%d of the %d rows that the footer counts are not in the file", f.Rows-n, f.Rows)
		case n > f.Rows:
			b.note(f.Line, NoteFooterCount, "the footer counts %d, but the file holds %d rows", f.Rows, n)
		}
	} else if b.Style != StylePrint && b.Style != StyleMarkdown && b.Kind == KindTable {
		b.note(b.LastLine, NoteNoFooter, "the result has no closing line: it was cut off, or its job failed or was stopped")
	}
	if len(b.Elided) > 0 {
		b.note(b.Elided[0].Line, NoteElided, "rows were left out here")
	}
	if b.CutCells > 0 {
		b.note(0, NoteCutCells, "%d cells end in ... because the column is narrower than the value", b.CutCells)
	}
	if b.What == "" && (b.HasOp || b.Footer != nil && (b.Footer.HasSeconds || b.Footer.Kind == FooterReceived || b.Footer.Kind == FooterTerminated)) {
		b.What = WhatQuery
	}
	s.done(b)
}
