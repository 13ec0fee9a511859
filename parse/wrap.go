package parse

import "bytes"

// wrap undoes a terminal's line breaks: text copied out of a window that is narrower
// than the table has each line in several pieces.
type wrap struct {
	width int // columns of the terminal; 0: nothing is wrapped
	lines int // pieces of a row
	// failed counts borders that only looked broken; some are enough to stop looking.
	failed int
	// plan: the table holds a plan, whose lines are as long as they are.
	plan bool
}

// wrapped looks whether b is a border that a terminal broke: it ends in dashes, and the
// next lines hold nothing but the rest of it. It gives the joined line back.
func (s *Scanner) wrapped(l line, b []byte) bool {
	if s.wrap.failed > 20 {
		return false
	}
	run := len(b) - len(bytes.TrimRight(b, "+-"))
	from := bytes.IndexByte(b[len(b)-run:], '+')
	if from < 0 {
		return false
	}
	first := line{n: l.n, b: bytes.Clone(b)}
	joined := bytes.Clone(b)
	width := displayWidth(b)
	var pieces []line
	for len(pieces) < 200 {
		p, ok := s.next()
		if !ok {
			break
		}
		p.b = bytes.Clone(trimRightSpace(p.b))
		pieces = append(pieces, p)
		if len(p.b) == 0 || p.b[0] != '-' && len(pieces) == 1 && b[len(b)-1] == '+' || len(bytes.Trim(p.b, "+-")) > 0 || len(p.b) > width {
			break
		}
		joined = append(joined, p.b...)
		if len(p.b) == width && p.b[width-1] != '+' {
			continue
		}
		if g, ok := parseBorder(joined[len(b)-run+from:]); ok {
			s.wrap = wrap{failed: s.wrap.failed, width: width, lines: (g.width() + width - 1) / width}
			s.note(l.n, NoteWrapped, "lines were broken at "+itoa(width)+" columns, as in a terminal")
			first.b = joined
			s.unread(first)
			return true
		}
		break
	}
	if len(pieces) > 1 {
		s.wrap.failed++
	}
	s.unreadAll(pieces)
	return false
}

// join puts the pieces of a row or border together. Blanks at the ends of pieces may
// have been lost.
func (s *Scanner) join(l line) line {
	isBorder := len(bytes.Trim(trimRightSpace(l.b), "+-")) == 0
	if len(l.b) == 0 || l.b[0] != '|' && l.b[0] != '+' && !s.wrap.plan {
		return l
	}
	out := line{n: l.n, b: bytes.Clone(l.b)}
	for i := 1; ; i++ {
		if s.wrap.plan && !isBorder {
			// A blank at the end of a piece may be lost; an operator's brackets close.
			if n := i*s.wrap.width - displayWidth(out.b); n > 2 || balanced(out.b) && (n > 0 || bytes.IndexByte(out.b, '(') >= 0) {
				break
			}
		} else if i >= s.wrap.lines {
			break
		}
		for displayWidth(out.b) < i*s.wrap.width {
			out.b = append(out.b, ' ')
		}
		raw, ok := s.lr.next()
		if !ok {
			break
		}
		p := s.cleaned(raw)
		out.b = append(out.b, p.b...)
	}
	out.last = s.lr.noNewline
	return out
}
