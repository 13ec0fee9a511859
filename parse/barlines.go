package parse

import "bytes"

// barLines reads lines that begin with a bar where no border stands above: a Markdown
// table, a result whose first lines are cut off, or rows pasted alone.
func (s *Scanner) barLines(l line, b []byte) {
	i := bytes.IndexByte(b, '|')
	first := line{n: l.n, b: bytes.Clone(b), last: l.last}
	t := &table{prefix: first.b[:i]}
	n, ok := s.next()
	if ok {
		n.b = bytes.Clone(n.b)
		nb := trimRightSpace(t.withoutPrefix(n.b))
		if g, at, _, isBorder := findBorder(nb); isBorder && at == 0 && !s.rowLooks(first.b[i:]) {
			// The first border is cut off.
			t.b = s.answer(KindTable, l.n)
			t.b.Style, t.b.HeaderLine, t.b.LastLine = StyleTable, l.n, n.n
			t.b.note(l.n, NoteNoHeader, "the border above the header is not in the file")
			t.grid, t.hasGrid = g, true
			t.header(first.b)
			s.rows(t)
			return
		}
		if cols, md := isMarkdownRule(nb); md {
			t.b = s.answer(KindTable, l.n)
			t.b.Style, t.b.HeaderLine, t.b.LastLine = StyleMarkdown, l.n, n.n
			t.cols = cols
			for _, c := range splitBars(nil, unescapeMarkdown(first.b[i:])) {
				t.b.Columns = append(t.b.Columns, Column{Name: string(c)})
			}
			t.firstColumn()
			s.rows(t)
			return
		}
		s.unread(n)
		if cells := splitBars(nil, first.b[i:]); (string(cells[0]) == "op" || string(cells[0]) == "+/-") && len(nb) > 0 && nb[0] == '|' && s.rowLooks(nb) {
			// A header and rows without any border.
			t.b = s.answer(KindTable, l.n)
			t.b.Style, t.b.HeaderLine = StyleTable, l.n
			t.b.note(l.n, NoteNoHeader, "the borders of the table are not in the file")
			t.cols = len(cells)
			for _, c := range cells {
				t.b.Columns = append(t.b.Columns, Column{Name: string(c)})
			}
			t.firstColumn()
			s.rows(t)
			return
		}
	}
	t.b = s.answer(KindTable, l.n)
	t.b.Style, t.b.What = StyleTable, WhatRows
	t.b.note(l.n, NoteNoHeader, "the header is not in the file: columns have no names")
	if cells := splitBars(nil, first.b[i:]); len(cells) > 0 {
		if _, ok := rowKind(cells[0]); ok {
			t.opHeader, t.b.HasOp = true, true
		}
	}
	s.unread(first)
	done := len(s.queue)
	s.rows(t)
	if n := len(s.pushed); n > 0 && s.pushed[n-1].n == first.n {
		// Not even its first line is a row: it is text that begins with a bar.
		s.pushed = s.pushed[:n-1]
		s.queue = s.queue[:done]
		s.gather(WhatText, l.n, first.b)
	}
}

// rowLooks: the cells of a row rather than a header.
func (s *Scanner) rowLooks(b []byte) bool {
	cells := splitBars(nil, b)
	_, ok := rowKind(cells[0])
	return ok && len(cells) > 1
}

// unescapeMarkdown undoes what Markdown needs inside a table.
func unescapeMarkdown(b []byte) []byte {
	if bytes.IndexByte(b, '\\') < 0 && bytes.IndexByte(b, '&') < 0 && bytes.IndexByte(b, '`') < 0 {
		return b
	}
	for _, x := range [...][2]string{{`\<`, "<"}, {`\>`, ">"}, {`\_`, "_"}, {`\*`, "*"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"`", ""}} {
		b = bytes.ReplaceAll(b, []byte(x[0]), []byte(x[1]))
	}
	return b
}
