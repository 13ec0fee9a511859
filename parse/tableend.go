package parse

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
