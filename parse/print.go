package parse

import "bytes"

// printLines reads the lines of a print sink, with text of a log between them.
func (s *Scanner) printLines(l line) {
	b := s.answer(KindTable, l.n)
	b.Style, b.What, b.HasOp = StylePrint, WhatPrint, true
	var foreign []line
	for s.err == nil {
		text := trimRightSpace(l.b)
		p, ok := ParsePrintLine(text, s.cellMem)
		switch {
		case ok:
			s.cellMem = p.Fields
			foreign = s.betweenPrints(b, foreign)
			s.printRow(b, l.n, l.n, &p)
		case len(text) == 0:
		case s.brokenPrint(b, l):
			foreign = s.betweenPrints(b, foreign)
		case s.endsPrint(text) || len(foreign) >= maxForeign:
			s.unread(l)
			s.unreadAll(foreign)
			s.finishTable(b)
			return
		default:
			foreign = append(foreign, line{n: l.n, b: bytes.Clone(l.b)})
		}
		if l, ok = s.next(); !ok {
			break
		}
	}
	s.unreadAll(foreign)
	s.finishTable(b)
}

// betweenPrints notes the lines that turned out to stand between rows; those that look
// like a damaged row are problems.
func (s *Scanner) betweenPrints(b *Block, foreign []line) []line {
	if len(foreign) == 0 {
		return foreign
	}
	b.note(foreign[0].n, NoteForeignText, "%d lines between the rows are no rows, the first at line %d", len(foreign), foreign[0].n)
	for _, l := range foreign {
		if _, ok := printKindAt(l.b); ok {
			s.problem(b, l.n, ProblemRow, "this line looks like a row of a print sink, but its start or its end does not", l.b)
			b.unreadable++
		}
	}
	return foreign[:0]
}

func (s *Scanner) unreadAll(ls []line) {
	for i := len(ls) - 1; i >= 0; i-- {
		s.unread(ls[i])
	}
}

// endsPrint: something of a transcript begins.
func (s *Scanner) endsPrint(b []byte) bool {
	if s.promptAt(b) >= 0 || isExit(b) {
		return true
	}
	switch what, _ := s.answerAt(b); what {
	case startInfo, startError, startBorder, startEmptySet, startPlan, startBanner, startFence, startBar, startFooter:
		return true
	}
	return false
}

func (s *Scanner) printRow(b *Block, first, last int, p *PrintLine) {
	r := &s.row
	*r = Row{Line: first, LastLine: last, Kind: p.Kind, HasKind: true, Cells: p.Fields, Sink: p.Sink, Subtask: p.Subtask, Body: p.Body}
	if p.Note != nil && !hasNote(b, NoteTrailingText) {
		b.note(first, NoteTrailingText, "text behind the closing bracket is not part of the row")
	}
	b.NRows++
	b.Counts[p.Kind]++
	b.LastLine = last
	r.N = b.NRows
	s.hand(b, r)
}

// brokenPrint reads a row whose strings hold line breaks: it begins as a print line
// and its bracket closes on a later one.
func (s *Scanner) brokenPrint(b *Block, l line) bool {
	text := l.b
	at, ok := printKindAt(text)
	if !ok || !new(PrintLine).prefix(text[:at]) {
		return false
	}
	text = bytes.Clone(text) // the next lines overwrite it
	joined := bytes.Clone(text)
	var extra []line
	for len(extra) < 1000 {
		n, ok := s.next()
		if !ok {
			break
		}
		n.b = bytes.Clone(n.b)
		extra = append(extra, n)
		if k, is := printKindAt(n.b); is && new(PrintLine).prefix(n.b[:k]) {
			break
		}
		joined = append(append(joined, '\n'), n.b...)
		if p, ok := ParsePrintLine(joined, s.cellMem); ok {
			s.cellMem = p.Fields
			b.note(l.n, NoteMultiline, "a value of this row holds line breaks")
			s.printRow(b, l.n, n.n, &p)
			return true
		}
	}
	s.unreadAll(extra)
	code, reason := ProblemRow, "the row's bracket does not close"
	if l.last {
		code, reason = ProblemUnclosed, "the file ends inside this row"
	}
	s.problem(b, l.n, code, reason, text)
	b.unreadable++
	return true
}

func hasNote(b *Block, code string) bool {
	for _, n := range b.Notes {
		if n.Code == code {
			return true
		}
	}
	return false
}
