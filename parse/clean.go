package parse

import "bytes"

// line is one line of the text after cleaning.
type line struct {
	n int
	b []byte
	// red: the colour code of an [ERROR] stood before it. reset: the line ends with
	// the code that ends a colour; the last line of an error's message has it.
	red, reset bool
	// bell: TABs of the statement were eaten by the client's line editor, which left a BEL.
	bell bool
	// long: the line was cut at Options.MaxLine.
	long bool
	// last: the file ends here, without a line break.
	last bool
}

// hasControl reports bytes that cleaning takes out.
func hasControl(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\t' {
			return true
		}
	}
	return false
}

// plainBlanks makes ordinary blanks of no-break spaces, which text copied from web
// pages and chats has, and drops zero-width ones. It returns b itself when there are none.
func plainBlanks(b []byte) []byte {
	if !bytes.Contains(b, []byte("\u00a0")) && !bytes.Contains(b, []byte("\u200b")) && !bytes.Contains(b, []byte("\u202f")) {
		return b
	}
	b = bytes.ReplaceAll(b, []byte("\u00a0"), []byte(" "))
	b = bytes.ReplaceAll(b, []byte("\u202f"), []byte(" "))
	return bytes.ReplaceAll(b, []byte("\u200b"), nil)
}

// unescapeHTML undoes the entities that web pages need: &lt;NULL&gt;.
func unescapeHTML(b []byte) []byte {
	for _, x := range [...][2]string{{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&nbsp;", " "}, {"&amp;", "&"}} {
		b = bytes.ReplaceAll(b, []byte(x[0]), []byte(x[1]))
	}
	return b
}

// clean appends raw without terminal control: colour codes, window titles and bells go;
// cursor movements, backspaces and carriage returns move within the line, as on a
// terminal, so that what is left is what was to be seen. (The client's line editor
// jumps back to show which bracket a closing one belongs to.)
func clean(dst, raw []byte) (out []byte, l line) {
	cur := 0 // where the next byte is written
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case c == 0x1b:
			end := escapeEnd(raw, i)
			seq := raw[i:end]
			switch n, final := cursorCode(seq); final {
			case 'C':
				cur = min(cur+n, len(dst))
			case 'D':
				cur = max(cur-n, 0)
			case 'K':
				if len(seq) == 3 || seq[2] == '0' {
					dst = dst[:cur]
				}
			case 'm':
				switch {
				case bytes.HasPrefix(seq, []byte("\x1b[31")):
					l.red = true
				case string(seq) == "\x1b[0m" || string(seq) == "\x1b[m":
					l.reset = len(trimRightSpace(raw[end:])) == 0
				}
			}
			i = end - 1
		case c == 0x07:
			l.bell = true
		case c == 0x08:
			cur = max(cur-1, 0)
		case c == '\r':
			// In a row it belongs to a value.
			if len(dst) == 0 || dst[0] != '|' {
				cur = 0
			}
		case c < ' ' && c != '\t' || c == 0x7f:
		case cur < len(dst):
			dst[cur] = c
			cur++
		default:
			dst = append(dst, c)
			cur++
		}
	}
	l.b = dst
	return dst, l
}

// cursorCode reads a CSI sequence with at most one number: "ESC [ 3 C" is 3, 'C'.
func cursorCode(seq []byte) (n int, final byte) {
	if len(seq) < 3 || seq[1] != '[' {
		return 0, 0
	}
	final = seq[len(seq)-1]
	n, _, ok := number(seq[2 : len(seq)-1])
	if !ok {
		n = 1
	}
	return n, final
}

// escapeEnd is the index behind the escape sequence that begins at i.
func escapeEnd(b []byte, i int) int {
	if i+1 >= len(b) {
		return len(b)
	}
	switch b[i+1] {
	case '[': // CSI: parameters and intermediates up to a final byte @..~
		for j := i + 2; j < len(b); j++ {
			if b[j] >= 0x40 && b[j] <= 0x7e {
				return j + 1
			}
			if b[j] < 0x20 || b[j] > 0x7e {
				return j
			}
		}
		return len(b)
	case ']', 'P', '_', '^', 'X': // OSC and the like, up to BEL or ESC \
		for j := i + 2; j < len(b); j++ {
			if b[j] == 0x07 {
				return j + 1
			}
			if b[j] == 0x1b && j+1 < len(b) && b[j+1] == '\\' {
				return j + 2
			}
		}
		return len(b)
	case '(', ')', '*', '+': // character sets
		return min(i+3, len(b))
	}
	return i + 2
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func trimRightSpace(b []byte) []byte {
	for len(b) > 0 && (isBlank(b[len(b)-1]) || b[len(b)-1] == '\r') {
		b = b[:len(b)-1]
	}
	return b
}

func trimLeftSpace(b []byte) []byte {
	for len(b) > 0 && isBlank(b[0]) {
		b = b[1:]
	}
	return b
}

func trimSpace(b []byte) []byte { return trimLeftSpace(trimRightSpace(b)) }
