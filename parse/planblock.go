package parse

import "bytes"

// planInTable reads a plan that is the one cell of a table. It reports false, with
// nothing consumed, when the table is no plan.
func (s *Scanner) planInTable(t *table) bool {
	wrapped := s.wrap
	s.wrap.plan = wrapped.width > 0
	l, ok := s.nextFilled()
	if !ok {
		return false
	}
	b := t.withoutPrefix(l.b)
	first, isCell := cutPrefix(b, "|")
	if !isCell || !bytes.HasPrefix(trimLeftSpace(first), []byte("== ")) {
		s.unread(l)
		s.wrap = wrapped
		return false
	}
	defer func() { s.wrap = wrap{failed: wrapped.failed} }()
	blk := t.b
	blk.Kind, blk.Columns, blk.HasOp = KindPlan, nil, false
	p := newPlanReader()
	first = trimLeftSpace(first)
	for {
		end := false
		if len(first) > 0 && first[len(first)-1] == '|' && (len(first) == 1 || isBlank(first[len(first)-2])) {
			// The bar that closes the cell: on its own line, or behind JSON without a line end.
			first = trimRightSpace(first[:len(first)-1])
			end = true
		}
		if len(first) > 0 || !end {
			p.add(l.n, first)
			s.addText(blk, first)
		}
		blk.LastLine = l.n
		l, ok = s.next()
		if !ok {
			break
		}
		first = trimRightSpace(t.withoutPrefix(l.b))
		if end || s.planEnds(first, l) {
			break
		}
	}
	blk.Plan, blk.Problems = p.finish()
	blk.NProblems = len(blk.Problems)
	s.filed(blk)
	if ok {
		s.planTail(t, l)
	}
	if blk.Footer == nil {
		blk.note(blk.LastLine, NoteNoFooter, "the plan has no closing line")
	}
	s.done(blk)
	return true
}

// planTail reads the closing border and the footer of a plan's table.
func (s *Scanner) planTail(t *table, l line) {
	for {
		b := trimRightSpace(t.withoutPrefix(l.b))
		if _, at, _, ok := findBorder(b); ok && at == 0 && !t.b.Closed {
			t.b.Closed = true
			t.b.LastLine = l.n
		} else if f, _, ok := parseFooter(b); ok {
			f.Line = l.n
			t.b.Footer = &f
			t.b.LastLine = l.n
			return
		} else if len(b) > 0 {
			s.unread(l)
			return
		}
		var ok bool
		if l, ok = s.next(); !ok {
			return
		}
	}
}

// planEnds: a line that cannot be part of a plan, seen where the closing bar is missing.
func (s *Scanner) planEnds(b []byte, l line) bool {
	if len(b) == 0 {
		return false
	}
	if s.promptAt(b) >= 0 || isExit(b) || bytes.HasPrefix(b, []byte("```")) {
		return true
	}
	if _, at, _, ok := findBorder(b); ok && at == 0 {
		return true
	}
	if _, at, ok := parseFooter(b); ok && at == 0 {
		return true
	}
	return bytes.HasPrefix(b, []byte("[INFO] ")) || bytes.HasPrefix(b, []byte("[ERROR] "))
}

func (s *Scanner) filed(b *Block) {
	for i := range b.Problems {
		b.Problems[i].File = s.opts.File
	}
}

// rawPlan reads a plan outside a table (1.16 and earlier, the Table API, a paste).
func (s *Scanner) rawPlan(l line, b []byte, at int, echoed bool) {
	pre := bytes.Clone(b[:at])
	n := l.n
	text := bytes.Clone(b[at:])
	var prefix []byte
	if len(pre) > 0 {
		if p, ok := s.peek(); ok && len(trimSpace(pre)) > 0 && bytes.HasPrefix(p.b, pre) && (!echoed || s.planLine(p.b[len(pre):])) {
			prefix = pre
		} else if ok && onlySigns(pre) && len(trimSpace(pre)) > 0 && !echoed {
			prefix = pre
		} else {
			s.gluedEcho(n, pre, echoed)
		}
	}
	blk := s.answer(KindPlan, n)
	if len(prefix) > 0 {
		blk.note(n, NotePrefix, "every line begins with %q", trimSpace(prefix))
	}
	t := &table{prefix: prefix}
	p := newPlanReader()
	p.add(n, text)
	s.addText(blk, text)
	var blank []line
	for {
		l, ok := s.next()
		if !ok {
			break
		}
		c := trimRightSpace(t.withoutPrefix(l.b))
		if len(c) == 0 {
			blank = append(blank, line{n: l.n})
			continue
		}
		if s.planEnds(c, l) || len(blank) > 0 && !s.planLine(c) {
			s.unread(l)
			break
		}
		if !s.planLine(c) && p.pending == nil && !p.json && !p.advice {
			// A damaged line, if the plan goes on below it; else what comes after the plan.
			l.b, c = bytes.Clone(l.b), bytes.Clone(c)
			if n, ok := s.peek(); !ok || !s.planLine(trimRightSpace(t.withoutPrefix(n.b))) {
				s.unread(l)
				break
			}
		}
		for _, x := range blank {
			p.add(x.n, nil)
			s.addText(blk, nil)
		}
		blank = blank[:0]
		p.add(l.n, c)
		s.addText(blk, c)
		blk.LastLine = l.n
	}
	blk.Plan, blk.Problems = p.finish()
	blk.NProblems = len(blk.Problems)
	s.filed(blk)
	s.done(blk)
}

// planLine: a section title, an operator, an advice or a line of the JSON plan.
func (s *Scanner) planLine(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	if _, ok := planTitle(b); ok {
		return true
	}
	if _, m, rest := planIndent(b); nodeStart(rest) && (m != 0 || bytes.IndexByte(rest, '(') > 0) {
		return true
	}
	return bytes.HasPrefix(b, []byte("advice[")) || bytes.HasPrefix(b, []byte("No available advice")) || b[0] == '{' || b[0] == '}'
}
