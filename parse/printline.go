package parse

import (
	"bytes"

	"github.com/labgrade/labgrade/changelog"
)

// PrintLine is one line of a print sink: "id:3> +I[a, 1]". Borrowed from its line.
type PrintLine struct {
	Sink    []byte // the identifier, may be empty
	Subtask int    // 1-based, 0 when not shown
	Kind    changelog.RowKind
	// Body is the text between the outer brackets. Fields is Body split at ", "
	// outside nested brackets; a string that holds ", " cannot be told from two fields.
	Body   []byte
	Fields [][]byte
	// Note is text behind the closing bracket.
	Note []byte
}

// ParsePrintLine reads a line of a print sink: square or round brackets, with or
// without prefix, also the (true,a,1) and (true,+I[a, 1]) of retract streams.
// fields is memory for Fields, may be nil.
func ParsePrintLine(line []byte, fields [][]byte) (PrintLine, bool) {
	line = trimRightSpace(line)
	at, ok := printKindAt(line)
	if !ok {
		return PrintLine{}, false
	}
	var p PrintLine
	if !p.prefix(line[:at]) {
		return PrintLine{}, false
	}
	body, round, closed := p.body(line[at:])
	if !closed {
		// A note behind the bracket.
		end := bytes.LastIndexAny(line, ")]}")
		if end < at || end+1 >= len(line) || !isBlank(line[end+1]) {
			return PrintLine{}, false
		}
		if body, round, closed = p.body(line[at : end+1]); !closed {
			return PrintLine{}, false
		}
		p.Note = trimSpace(line[end+1:])
	}
	p.Body = body
	p.Fields = splitFields(fields[:0], body, round)
	return p, true
}

// printKindAt finds where the row begins: at "+I[", "+I(", "(true,", "(false,".
func printKindAt(b []byte) (int, bool) {
	for i := 0; i+2 < len(b); i++ {
		switch c := b[i]; c {
		case '+', '-':
			k := b[i+1]
			if (k == 'I' || k == 'U' || k == 'D') && (b[i+2] == '[' || b[i+2] == '(' || b[i+2] == '{') && (i == 0 || isBlank(b[i-1]) || b[i-1] == '>') {
				return i, true
			}
		case '(':
			if (bytes.HasPrefix(b[i:], []byte("(true,")) || bytes.HasPrefix(b[i:], []byte("(false,"))) && (i == 0 || isBlank(b[i-1]) || b[i-1] == '>') {
				return i, true
			}
		case '|': // only behind the name of a container
			if _, ok := cutContainer(b[:i+1]); !ok {
				return 0, false
			}
		case '[': // only around a timestamp or the name of a pod
			j := bytes.Index(b[i:], []byte("] "))
			if i > 0 || j < 0 {
				return 0, false
			}
			i += j
		case '{', '"':
			return 0, false
		}
	}
	return 0, false
}

// prefix reads "", "id> ", "3> ", "id:3> "; before it a log's or a comment's own.
func (p *PrintLine) prefix(b []byte) bool {
	for range 4 {
		cut := false
		for _, f := range [...]func([]byte) ([]byte, bool){cutTimestamp, cutContainer, cutSyslog, cutComment} {
			if len(b) == 0 {
				break
			}
			if r, ok := f(b); ok {
				b, cut = r, true
			}
		}
		if !cut {
			break
		}
	}
	t := trimSpace(b)
	if len(t) == 0 || string(t) == ">" {
		return true
	}
	if t[len(t)-1] != '>' {
		return false
	}
	t = trimLeftSpace(t[:len(t)-1])
	// Quotation and comment signs without a blank behind them: "//R2:4> +I[a, 1]".
	for _, sign := range [...]string{">", "//", "--", "#", "*"} {
		if r, ok := cutPrefix(t, sign); ok {
			t = trimLeftSpace(r)
		}
	}
	if digits(t) == len(t) && len(t) < 7 {
		p.Subtask, _, _ = number(t)
		return true
	}
	if i := bytes.LastIndexByte(t, ':'); i >= 0 && i+1 < len(t) && digits(t[i+1:]) == len(t)-i-1 && len(t)-i < 8 {
		p.Subtask, _, _ = number(t[i+1:])
		t = t[:i]
	}
	p.Sink = t
	return true
}

// body reads the row from its kind on. closed: the outer bracket closes at the end.
func (p *PrintLine) body(b []byte) (body []byte, round, closed bool) {
	if b[0] == '(' { // (true,...)
		if b[len(b)-1] != ')' {
			return nil, false, false
		}
		p.Kind = changelog.Insert
		inner := b[len("(true,") : len(b)-1]
		if b[1] == 'f' {
			p.Kind = changelog.Delete
			inner = b[len("(false,") : len(b)-1]
		}
		adds := p.Kind.Adds()
		inner = trimLeftSpace(inner)
		if len(inner) > 3 && (inner[0] == '+' || inner[0] == '-') {
			if k, ok := changelog.ParseRowKind(string(inner[:2])); ok && (inner[2] == '[' || inner[2] == '(') {
				body, round, closed = p.body(inner)
				if p.Kind = k; k.Adds() != adds {
					// 1.12 and earlier wrap every row as +I: the flag is what counts.
					p.Kind = changelog.Insert
					if !adds {
						p.Kind = changelog.Delete
					}
				}
				return body, round, closed
			}
		}
		return inner, true, true
	}
	p.Kind, _ = changelog.ParseRowKind(string(b[:2]))
	last := b[len(b)-1]
	switch {
	case b[2] == '[' && last == ']':
		return b[3 : len(b)-1], false, true
	case b[2] == '(' && last == ')':
		return b[3 : len(b)-1], true, true
	case b[2] == '{' && last == '}': // a Row with field names: +I{name=Bob, cnt=1}
		return b[3 : len(b)-1], false, true
	}
	return nil, false, false
}

// splitFields cuts a row at ", " outside brackets; in round brackets, which old
// versions print without blanks, at ",". Where brackets do not match (a string holds
// one) every separator counts.
func splitFields(dst [][]byte, b []byte, round bool) [][]byte {
	sep := ", "
	if round && !bytes.Contains(b, []byte(sep)) {
		sep = ","
	}
	if !bytes.ContainsAny(b, "[({") {
		return splitAll(dst, b, sep)
	}
	depth, from := 0, 0
	base := len(dst)
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '[', '(', '{':
			depth++
		case ']', ')', '}':
			depth--
		case ',':
			if depth == 0 && (len(sep) == 1 || i+1 < len(b) && b[i+1] == ' ') {
				dst = append(dst, b[from:i])
				i += len(sep) - 1
				from = i + 1
			}
		}
		if depth < 0 {
			return splitAll(dst[:base], b, sep)
		}
	}
	if depth != 0 {
		return splitAll(dst[:base], b, sep)
	}
	return append(dst, b[min(from, len(b)):])
}

func splitAll(dst [][]byte, b []byte, sep string) [][]byte {
	for {
		i := bytes.Index(b, []byte(sep))
		if i < 0 {
			return append(dst, b)
		}
		dst = append(dst, b[:i])
		b = b[i+len(sep):]
	}
}
