package parse

import (
	"bytes"
	"strings"
)

// errorBlock reads an [ERROR] (marked) or a bare Java exception, with its message, its
// causes and its stack frames.
func (s *Scanner) errorBlock(l line, b []byte, marked bool) {
	var blk *Block
	if marked {
		blk = s.answer(KindError, l.n)
	} else {
		// The client's own failure comes after the session's end, too.
		ended, content := s.ended, s.content
		s.ended = false
		blk = s.answer(KindError, l.n)
		s.ended, s.content = ended, content || s.content
	}
	lines := []string{string(b)}
	numbers := []int{l.n}
	coloured := l.red
	size := 0
	var blank []line
	done := l.reset && marked && coloured
	for !done {
		n, ok := s.next()
		if !ok {
			break
		}
		c := trimRightSpace(n.b)
		if len(c) == 0 {
			if n.reset && coloured {
				done = true
				continue
			}
			blank = append(blank, line{n: n.n})
			continue
		}
		if s.errorEnds(n, c, len(blank) > 0, coloured) {
			s.unread(n)
			break
		}
		for _, x := range blank {
			lines, numbers = append(lines, ""), append(numbers, x.n)
		}
		blank = blank[:0]
		if size += len(c); size < s.opts.MaxText && len(lines) < 100_000 {
			lines, numbers = append(lines, string(c)), append(numbers, n.n)
		}
		blk.LastLine = n.n
		done = n.reset && coloured
	}
	blk.Err = parseErr(lines, numbers, marked)
	blk.Text = strings.Join(lines, "\n")
	s.done(blk)
}

// errorEnds: the line belongs to what comes after the error. In colour its end is
// marked; without, it ends where something else begins.
func (s *Scanner) errorEnds(l line, b []byte, afterBlank, coloured bool) bool {
	if s.promptAt(b) >= 0 || isExit(b) {
		return true
	}
	if coloured {
		return false
	}
	what, at := s.answerAt(b)
	switch what {
	case startInfo, startError, startBorder, startPlan, startBanner, startFence, startFooter, startPrint:
		return at == 0
	case startEmptySet, startBar:
		return at == 0 && afterBlank
	}
	return false
}

// exceptionAt: a Java exception that stands without [ERROR].
func exceptionAt(b []byte) int {
	if i := bytes.Index(b, []byte("Exception in thread \"")); i >= 0 {
		return i
	}
	if bytes.HasPrefix(b, []byte("Caused by: ")) {
		return 0
	}
	if c, _ := exceptionLine(string(b)); c != "" && (strings.HasSuffix(c, "Exception") || strings.HasSuffix(c, "Error")) {
		return 0
	}
	return -1
}

// exceptionLine splits "a.b.SomeException: message"; class is empty when the line does
// not begin with a Java class.
func exceptionLine(t string) (class, message string) {
	i, dots, upper := 0, 0, false
	start := true
	for ; i < len(t); i++ {
		c := t[i]
		switch {
		case c == '.':
			if start {
				return "", t
			}
			dots++
			start, upper = true, false
			continue
		case c >= 'A' && c <= 'Z':
			if start {
				upper = true
			}
		case c >= 'a' && c <= 'z', c == '_', c == '$':
		case c >= '0' && c <= '9':
			if start {
				return "", t
			}
		default:
			goto end
		}
		start = false
	}
end:
	if dots == 0 || !upper || start {
		return "", t
	}
	switch rest := t[i:]; {
	case rest == "" || rest == ":":
		return t[:i], ""
	case strings.HasPrefix(rest, ": "):
		return t[:i], rest[2:]
	}
	return "", t
}

// parseErr reads an error's lines. Without stack frames the client prints the root
// cause alone; with them (sql-client.verbose, a Java stack trace) the root is the last
// cause that has a message.
func parseErr(lines []string, numbers []int, marked bool) *Err {
	e := &Err{Line: numbers[0]}
	rest, nums := lines, numbers
	if marked {
		h := lines[0]
		i := strings.IndexByte(h, '[')
		j := strings.Index(h, "] ")
		e.Header = h[j+2:]
		if h[i:j+1] == "[UNSUPPORTED]" {
			e.Message, e.Header = e.Header, "[UNSUPPORTED]"
			return e
		}
		rest, nums = lines[1:], numbers[1:]
		if len(rest) == 0 {
			// "[ERROR] Could not parse: ..." with the message on the same line.
			if c, m := exceptionLine(e.Header); c != "" {
				e.Class, e.Message = c, m
			} else if _, m, ok := strings.Cut(e.Header, "Reason: "); ok {
				e.Class, e.Message = exceptionLine(m)
			}
			return e
		}
	}
	var cur *Cause
	var text []string
	push := func() {
		if cur != nil {
			cur.Message = strings.TrimRight(strings.Join(text, "\n"), "\n ")
			e.Causes = append(e.Causes, *cur)
		}
		cur, text = nil, nil
	}
	begin := func(n int, t string) {
		push()
		c, m := exceptionLine(t)
		cur = &Cause{Line: n, Class: c}
		text = []string{m}
	}
	frames := false
	for i, t := range rest {
		trimmed := strings.TrimLeft(t, " \t")
		switch {
		case cur == nil && e.Causes == nil:
			if i == 0 || trimmed != "" {
				if r, ok := strings.CutPrefix(t, "Exception in thread \""); ok {
					_, r, _ = strings.Cut(r, "\" ")
					t = r
				}
				begin(nums[i], strings.TrimPrefix(t, "Caused by: "))
			}
		case isFrame(t):
			frames = true
			push()
		case strings.HasPrefix(trimmed, "Caused by: "):
			frames = true
			begin(nums[i], strings.TrimPrefix(trimmed, "Caused by: "))
		case strings.HasPrefix(trimmed, "End of exception on server side"):
			push()
		case cur != nil && strings.HasSuffix(text[len(text)-1], "<Exception on server side:"):
			begin(nums[i], t)
		case cur != nil:
			text = append(text, t)
		case trimmed != "":
			if c, _ := exceptionLine(t); c != "" {
				begin(nums[i], t)
			}
		}
	}
	push()
	e.Verbose = frames
	for i := len(e.Causes) - 1; i >= 0; i-- {
		if c := e.Causes[i]; c.Message != "" || i == 0 || !frames {
			e.Class, e.Message = c.Class, c.Message
			break
		}
	}
	return e
}

// isFrame: a stack frame, or "... 20 more".
func isFrame(t string) bool {
	r := strings.TrimLeft(t, " \t")
	if len(r) == len(t) {
		return false
	}
	return strings.HasPrefix(r, "at ") && strings.HasSuffix(r, ")") || strings.HasPrefix(r, "... ") && strings.HasSuffix(r, " more")
}
