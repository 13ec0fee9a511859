package parse

import (
	"bytes"
	"encoding/binary"
)

// table is a result while it is read.
type table struct {
	b *Block
	// grid are the column borders; zero when the text has none (a Markdown table, rows
	// without header).
	grid    border
	hasGrid bool
	// cols is the number of cells a row has, op column included; 0 until known.
	cols int
	// prefix is what stood before the second border, such as "-- ".
	prefix []byte
	// opHeader: the first header is "op" (or "+/-"), so the first row decides.
	opHeader bool
	opKnown  bool
	// foreign are lines that are no rows, not yet known to lie between rows.
	foreign []line
	headers []byte // the header line
	realign int    // rows read without the help of the borders
	trail   int    // rows with text behind the last bar
	marks   int    // rows that lost characters to a POSIX locale
	// failedJoins counts rows with a line break that could not be put together: after
	// some of them trying again would only cost time.
	failedJoins int
	multiline   bool
	// leftAligned: the header shows that someone aligned the table otherwise than Flink,
	// which puts all padding on the left: blanks at the end of a cell are padding.
	leftAligned bool
}

// maxForeign lines without a row end a table that has no closing border.
const maxForeign = 200

// tableAt reads a table from the line of its first border on.
func (s *Scanner) tableAt(l line, b []byte, echoed bool) {
	g, at, _, _ := findBorder(b)
	first := l
	first.b = bytes.Clone(b)
	if at > 0 {
		pre := first.b[:at]
		s.headerAfter(first, g, pre, echoed)
		return
	}
	s.headerAfter(first, g, nil, echoed)
}

// headerAfter reads the header behind the first border. pre is what stood before the
// border on its line: an echo, or a prefix that the next lines carry too.
func (s *Scanner) headerAfter(first line, g border, pre []byte, echoed bool) {
	h, ok := s.nextFilled()
	if !ok || (len(h.b) == 0 || bytes.IndexByte(h.b, '|') < 0) {
		s.strayBorder(first, pre, echoed)
		if ok {
			s.unread(h)
		}
		return
	}
	h.b = bytes.Clone(trimRightSpace(h.b))
	t := &table{grid: g, hasGrid: true}
	b2, ok := s.nextFilled()
	if ok {
		if g2, at2, _, isBorder := findBorder(trimRightSpace(b2.b)); isBorder {
			t.grid = g2
			t.prefix = bytes.Clone(b2.b[:at2])
		} else {
			s.unread(b2)
			ok = false
		}
	}
	if len(trimSpace(pre)) > 0 && !sameShape(trimSpace(pre), trimSpace(t.prefix)) {
		s.gluedEcho(first.n, pre, echoed)
	} else if echoed && len(t.prefix) == 0 {
		s.gluedEcho(first.n, nil, echoed)
	}
	t.b = s.answer(KindTable, first.n)
	t.b.Style, t.b.HeaderLine, t.b.LastLine = StyleTable, h.n, h.n
	if len(trimSpace(t.prefix)) > 0 {
		t.b.note(first.n, NotePrefix, "every line begins with %q", trimSpace(t.prefix))
	}
	if !ok {
		s.problem(t.b, h.n, ProblemHeader, "the border below the header is missing", h.b)
	} else {
		t.b.LastLine = b2.n
	}
	t.header(h.b)
	s.rows(t)
}

// sameShape: the two are the same but for their digits, as a log's times are.
func sameShape(a, b []byte) bool {
	for len(a) > 0 && len(b) > 0 {
		n, m := digits(a), digits(b)
		switch {
		case n > 0 && m > 0:
			a, b = a[n:], b[m:]
		case a[0] != b[0]:
			return false
		default:
			a, b = a[1:], b[1:]
		}
	}
	return len(a) == len(b)
}

// strayBorder is a border that begins no table, such as the end of one whose rows are
// not in the file.
func (s *Scanner) strayBorder(first line, pre []byte, echoed bool) {
	s.gluedEcho(first.n, pre, echoed)
	o := s.newBlock(KindOther, first.n)
	o.What = WhatText
	s.addText(o, first.b)
	s.problem(o, first.n, ProblemHeader, "a table border without a header below it", first.b)
	s.done(o)
}

// nextFilled is the next line that is not blank, with the blanks at its end.
func (s *Scanner) nextFilled() (line, bool) {
	for {
		l, ok := s.next()
		if !ok || len(trimSpace(l.b)) > 0 {
			return l, ok
		}
	}
}

// header takes the column names from the header line.
func (t *table) header(b []byte) {
	b = t.withoutPrefix(b)
	t.headers = bytes.Clone(b)
	t.cols = t.grid.cols()
	cells, _, exact := t.slice(nil, b)
	if !exact {
		cells = splitBars(nil, b)
	}
	for i, c := range cells {
		if exact && i < t.cols && len(trimRightBlanks(c)) < len(c) {
			t.leftAligned = true
		}
	}
	if t.leftAligned {
		t.b.note(t.b.HeaderLine, NoteRealigned, "the cells are not aligned as Flink does: blanks at their ends are taken for padding")
	}
	for len(cells) < t.cols {
		cells = append(cells, nil)
	}
	for i := range t.cols {
		c := Column{Name: string(trimSpace(cells[i])), Width: t.grid.cell(i)}
		c.Cut = c.Width > 3 && bytes.HasSuffix(cells[i], []byte("...")) && displayWidth(trimLeftBlanks(cells[i])) >= c.Width-2
		t.b.Columns = append(t.b.Columns, c)
	}
	t.firstColumn()
}

// firstColumn looks whether the first column may be the op column: it is called "op"
// (1.13 and later; "+/-" before) and two cells wide. Only a row shows whether it
// holds row kinds, since a data column may have that name.
func (t *table) firstColumn() {
	if len(t.b.Columns) == 0 {
		return
	}
	c := t.b.Columns[0]
	if c.Name == "+/-" {
		t.b.Style = StyleOldTable
	}
	t.opHeader = c.Name == "+/-" || c.Name == "op" && (!t.hasGrid || c.Width == 2 || t.b.Style == StyleMarkdown)
	if t.opHeader {
		t.b.HasOp = true
		t.b.Columns = t.b.Columns[1:]
	}
}

// dropOp takes the op column for data.
func (t *table) dropOp() {
	t.b.HasOp = false
	w := 2
	if t.hasGrid {
		w = t.grid.cell(0)
	}
	t.b.Columns = append([]Column{{Name: "op", Width: w}}, t.b.Columns...)
}

// withoutPrefix cuts what stands before the first bar in every line of the table.
func (t *table) withoutPrefix(b []byte) []byte {
	if len(t.prefix) == 0 {
		return b
	}
	if bytes.HasPrefix(b, t.prefix) {
		return b[len(t.prefix):]
	}
	// A prefix whose length varies: it ends at the first bar.
	if i := bytes.IndexAny(b, "|+"); i >= 0 && i <= len(t.prefix)+16 && b[i] == '|' {
		return b[i:]
	}
	if _, at, _, ok := findBorder(b); ok {
		return b[at:]
	}
	p := trimSpace(t.prefix)
	if r := trimLeftSpace(b); bytes.HasPrefix(r, p) {
		return bytes.TrimPrefix(r[len(p):], []byte(" "))
	}
	return b
}

// rows reads rows, up to and with the footer.
func (s *Scanner) rows(t *table) {
	if t.cols == 1 && s.planInTable(t) {
		return
	}
	for s.err == nil {
		// The fast path: a line that fits the borders byte by byte.
		if len(s.pushed) == 0 && len(s.layers) == 0 && s.wrap.width == 0 && len(t.prefix) == 0 && t.hasGrid && len(t.foreign) == 0 {
			raw, ok := s.lr.next()
			if !ok {
				break
			}
			if t.fits(raw) && !s.lr.long {
				s.fitting(t, raw, s.lr.n)
				continue
			}
			if s.slow(t, s.cleaned(raw)) {
				return
			}
			continue
		}
		l, ok := s.next()
		if !ok {
			break
		}
		if s.slow(t, l) {
			return
		}
	}
	if s.lr.err != nil && s.err == nil {
		s.err = s.lr.err
	}
	s.endTable(t)
}

// fits reports that b is a row of ASCII characters whose bars stand exactly at the
// borders.
func (t *table) fits(b []byte) bool {
	if len(b) != t.grid.width() {
		return false
	}
	for _, i := range t.grid.bars {
		if b[i] != '|' {
			return false
		}
	}
	for _, i := range t.grid.bars[1:] {
		if b[i-1] != ' ' {
			return false
		}
	}
	return isASCII(b)
}

// isASCII looks at eight bytes at a time.
func isASCII(b []byte) bool {
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b)&0x8080808080808080 != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// fitting delivers a row for which fits holds.
func (s *Scanner) fitting(t *table, b []byte, n int) {
	r := &s.row
	cells, cut := s.cellMem[:0], s.cutMem[:0]
	bars := t.grid.bars
	for i := 1; i < len(bars); i++ {
		lo, hi := bars[i-1]+2, bars[i]-1
		c := b[lo:hi]
		k := blanks(c)
		c = c[k:]
		if t.leftAligned {
			c = trimRightBlanks(c)
		}
		cells = append(cells, c)
		cut = append(cut, k <= 2 && len(c) > 3 && c[len(c)-1] == '.' && c[len(c)-2] == '.' && c[len(c)-3] == '.')
	}
	s.cellMem, s.cutMem = cells, cut
	r.Cells, r.cut = cells, cut
	r.Line, r.LastLine = n, n
	if elided(r.Cells, t.b.HasOp) {
		s.elision(t, Elision{Line: r.Line, Text: string(b)})
		return
	}
	s.deliver(t, r, b)
}

// elided: every cell is made of dots, or every cell behind the op column. In a table of
// one column "..." may be a value.
func elided(cells [][]byte, op bool) bool {
	if op {
		cells = cells[1:]
	}
	if len(cells) < 2 {
		return false
	}
	some := false
	for _, c := range cells {
		for _, x := range c {
			if x != '.' {
				return false
			}
			some = true
		}
	}
	return some
}

// blanks counts the blanks at the start of b, eight at a time.
func blanks(b []byte) int {
	n := 0
	for len(b)-n >= 8 && string(b[n:n+8]) == "        " {
		n += 8
	}
	for n < len(b) && b[n] == ' ' {
		n++
	}
	return n
}

// deliver hands a row on; its first cell is the op column where there is one.
func (s *Scanner) deliver(t *table, r *Row, text []byte) {
	b := t.b
	if t.opHeader && !t.opKnown {
		t.opKnown = true
		if _, ok := rowKind(r.Cells[0]); !ok && !looksLikeKind(r.Cells[0]) {
			t.dropOp()
		}
	}
	r.HasKind = false
	if b.HasOp {
		k, ok := rowKind(r.Cells[0])
		if !ok {
			s.problem(b, r.Line, ProblemRowKind, "the op column holds no row kind (+I, -U, +U or -D)", text)
			b.unreadable++
			b.LastLine = r.LastLine
			return
		}
		r.Kind, r.HasKind = k, true
		r.Cells = r.Cells[1:]
		if len(r.cut) > 0 {
			r.cut = r.cut[1:]
		}
		b.Counts[k]++
	}
	b.NRows++
	b.LastLine = r.LastLine
	r.N = b.NRows
	for _, c := range r.cut {
		if c {
			b.CutCells++
		}
	}
	s.hand(b, r)
}

// looksLikeKind: something in the op column that was a row kind before it was edited.
func looksLikeKind(c []byte) bool {
	return len(c) > 0 && len(c) <= 3 && (c[0] == '+' || c[0] == '-')
}

// hand gives the row to the callback and keeps it where asked.
func (s *Scanner) hand(b *Block, r *Row) {
	if s.opts.OnRow != nil {
		if err := s.opts.OnRow(b, r); err != nil {
			s.err = err
			return
		}
	}
	if s.opts.KeepRows {
		b.Rows = append(b.Rows, s.keep.row(r))
	}
}

func (s *Scanner) elision(t *table, e Elision) {
	if len(t.b.Elided) < s.opts.MaxProblems {
		t.b.Elided = append(t.b.Elided, e)
	}
	t.b.LastLine = e.Line
}
