package parse

import (
	"bytes"
	"strings"
)

const prompt = "Flink SQL>"

// top reads from a line that stands between answers.
func (s *Scanner) top(l line) {
	b := trimRightSpace(l.b)
	if l.long {
		o := s.newBlock(KindOther, l.n)
		o.What = WhatText
		s.problem(o, l.n, ProblemLongLine, "the line is longer than "+itoa(s.opts.MaxLine)+" bytes; the rest of it is not read", b)
		s.done(o)
		return
	}
	if s.other != nil && len(b) > 0 {
		if what, _ := s.answerAt(b); what.answers() || s.promptAt(b) >= 0 {
			// Rows are handed on while a table is read, so what stands before it must have
			// been returned by then.
			s.flushOther()
			s.unread(l)
			return
		}
	}
	if len(b) > 20 && (b[len(b)-1] == '-' || b[len(b)-1] == '+') {
		// Looking at the next lines overwrites the memory of this one.
		l.b = bytes.Clone(l.b)
		if b = trimRightSpace(l.b); s.wrapped(l, b) {
			return
		}
	}
	switch {
	case len(b) == 0:
		s.blank(l)
	case s.promptAt(b) >= 0:
		s.statement(l, b[s.promptAt(b)+len(prompt):])
	case isExit(b):
		s.exit(l, b)
	case s.echo.open && b[0] == '>' && (len(b) == 1 || b[1] == ' '):
		s.continued(l, l.b[min(2, len(l.b)):])
	case s.echo.open && numberedPrompt(b) > 0:
		s.continued(l, l.b[min(numberedPrompt(b), len(l.b)):])
	default:
		s.text(l, l.b, false)
	}
}

func (s *Scanner) promptAt(b []byte) int {
	i := bytes.Index(b, []byte(prompt))
	if i < 0 {
		return -1
	}
	// A prompt stands at the start of a line, or behind something short that a tool or a
	// shell put there; in prose it is quoted.
	if i == 0 || len(bytes.TrimLeft(b[:i], " \t>#*-/|^CDM$%")) == 0 {
		return i
	}
	return -1
}

// numberedPrompt: " 2> " of sql-client.display.show-line-numbers.
func numberedPrompt(b []byte) int {
	t := trimLeftSpace(b)
	if n := digits(t); n > 0 && n < 5 && n < len(t) && t[n] == '>' && (n+1 == len(t) || t[n+1] == ' ') {
		return len(b) - len(t) + n + 2
	}
	return 0
}

func (s *Scanner) blank(l line) {
	switch {
	case s.echo.open:
		s.echo.text = append(s.echo.text, '\n')
	case s.other != nil:
		s.addText(s.other, nil)
	}
}

// statement begins a new echo.
func (s *Scanner) statement(l line, rest []byte) {
	if s.closeEcho(); len(s.queue) > 0 {
		s.unread(l)
		return
	}
	if s.ended {
		s.nextRun(l.n)
	}
	s.content = true
	s.echo = echo{open: true, line: l.n, text: s.echo.text[:0], bell: l.bell}
	s.text(l, bytes.TrimPrefix(rest, []byte(" ")), true)
}

func (s *Scanner) continued(l line, rest []byte) {
	s.echo.text = append(s.echo.text, '\n')
	s.echo.bell = s.echo.bell || l.bell
	s.text(l, rest, true)
}

func (s *Scanner) addEcho(n int, b []byte) {
	if len(b) > 0 {
		s.echo.last = n
	}
	if len(s.echo.text)+len(b) < s.opts.MaxText {
		s.echo.text = append(s.echo.text, b...)
	}
}

// text reads a line, or what is left of it behind a prompt: an answer may begin at its
// start or be glued to the echo.
func (s *Scanner) text(l line, b []byte, echoed bool) {
	b = trimRightSpace(b)
	switch what, at := s.answerAt(b); what {
	case startInfo:
		s.gluedEcho(l.n, b[:at], echoed)
		if isExit(b[at:]) {
			s.exit(l, b[at:])
			return
		}
		s.info(l, b[at:])
	case startError:
		s.gluedEcho(l.n, b[:at], echoed)
		s.errorBlock(l, b[at:], true)
	case startException:
		s.gluedEcho(l.n, b[:at], echoed)
		s.errorBlock(l, b[at:], false)
	case startBorder:
		s.tableAt(l, b, echoed)
	case startEmptySet:
		s.gluedEcho(l.n, b[:at], echoed)
		f, _, _ := parseEmptySet(b[at:])
		f.Line = l.n
		o := s.answer(KindEmpty, l.n)
		o.Footer, o.Style, o.What = &f, StyleTable, WhatQuery
		s.done(o)
	case startPlan:
		s.rawPlan(l, b, at, echoed)
	case startFooter:
		s.gluedEcho(l.n, b[:at], echoed)
		s.loneFooter(l, b)
	case startPrint:
		s.printLines(l)
	case startBar:
		s.barLines(l, b)
	case startWarning:
		s.gluedEcho(l.n, b[:at], echoed)
		if !echoed {
			// The statement's answer is still to come.
			s.gather(WhatWarning, l.n, b[at:])
			return
		}
		s.gather(WhatWarning, l.n, b[at:])
	case startBanner:
		s.banner(l, b)
	case startFence:
		s.fence(l, b)
	default:
		if echoed {
			s.addEcho(l.n, b)
			return
		}
		s.plain(l, b)
	}
}

func (s *Scanner) gluedEcho(n int, b []byte, echoed bool) {
	if echoed {
		s.addEcho(n, b)
		return
	}
	if t := trimSpace(b); len(t) > 0 {
		if s.echo.open {
			// A statement pasted without the "> " of its later lines.
			s.echo.text = append(s.echo.text, '\n')
			s.addEcho(n, b)
			return
		}
		s.echo = echo{open: true, line: n, text: append(s.echo.text[:0], t...)}
	}
}

// plain is a line that begins no answer.
func (s *Scanner) plain(l line, b []byte) {
	if s.echo.open {
		t := bytes.TrimRight(s.echo.text, "\n\t ")
		if (len(t) == 0 || t[len(t)-1] != ';') && s.other == nil {
			s.echo.text = append(s.echo.text, '\n')
			s.addEcho(l.n, b)
			return
		}
		s.closeEcho()
	}
	w := WhatText
	if bytes.Contains(b, []byte("SQL Query Result (Table)")) || bytes.Contains(b, []byte("SQL Query Result (Changelog)")) {
		// Its columns are cut and drawn over one another; nothing can be read from it.
		w = WhatView
	}
	s.gather(w, l.n, b)
}

// fence is the ``` line around a paste.
func (s *Scanner) fence(l line, _ []byte) {
	s.closeEcho()
	s.flushOther()
}

// loneFooter is a footer whose rows are not in the file.
func (s *Scanner) loneFooter(l line, b []byte) {
	f, _, _ := parseFooter(b)
	f.Line = l.n
	o := s.answer(KindTable, l.n)
	o.What, o.Footer = WhatRows, &f
	o.HasOp = f.Kind != FooterInSet
	switch {
	case f.Kind == FooterTerminated:
		o.Kind = KindCancelled
	case f.Rows == 0:
		o.Kind = KindEmpty
	}
	o.Style = StyleTable
	s.finishTable(o)
}

func (s *Scanner) banner(l line, b []byte) {
	if s.content {
		s.nextRun(l.n)
	}
	if s.echo.open && len(trimBlankLines(s.echo.text)) == 0 {
		s.echo.open = false
	}
	s.ended = false
	s.gather(WhatBanner, l.n, b)
}

func isExit(b []byte) bool {
	t := string(trimSpace(b))
	return t == "Shutting down the session..." || t == "done." || strings.HasSuffix(t, "[INFO] Exiting Flink SQL CLI Client...") || strings.HasPrefix(t, "Shutting down the session...")
}

func (s *Scanner) exit(l line, b []byte) {
	if s.echo.open && len(trimBlankLines(s.echo.text)) == 0 {
		s.echo = echo{text: s.echo.text[:0]}
	}
	s.closeEcho()
	s.ended = true
	s.content = true
	s.gather(WhatExit, l.n, b)
}
