package source

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/value"
)

// escaped reads an unquoted field that has an escape at p.
func (s *csvScanner) escaped(from, p int) ([]byte, error) {
	buf, end := s.in.buf, s.in.end
	at := len(s.scratch)
	s.scratch = append(s.scratch, buf[from:p]...)
	for p < end {
		c := buf[p]
		switch {
		case int(c) == s.escape && c != s.delim && c != '\n' && c != '\r':
			next, err := s.unescape(p + 1)
			if err != nil {
				return nil, err
			}
			p = next
		case c == s.delim:
			s.pos = p + 1
			return s.trimmed(s.scratch[at:]), nil
		case c == '\n' || c == '\r':
			b := s.trimmed(s.scratch[at:])
			return b, s.lineBreak(p)
		default:
			s.scratch = append(s.scratch, c)
			p++
		}
	}
	if !s.in.eof {
		return nil, errMore
	}
	s.pos, s.ended = end, true
	return s.trimmed(s.scratch[at:]), nil
}

// unescape appends the character behind an escape and returns the place behind it.
func (s *csvScanner) unescape(p int) (int, error) {
	if p >= s.in.end {
		if !s.in.eof {
			return 0, errMore
		}
		s.pos, s.ended = p, true
		return 0, s.parseError("Unexpected EOF in escaped character", s.row, s.column(p))
	}
	c := s.in.buf[p]
	switch c {
	case '0':
		c = 0
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	}
	s.scratch = append(s.scratch, c)
	return p + 1, nil
}

// quoted reads a field from behind its opening quote.
func (s *csvScanner) quoted(p int) ([]byte, error) {
	buf, end := s.in.buf, s.in.end
	from := p
	at := -1 // where the text begins in scratch, if it is there
	for {
		if p >= end {
			if !s.in.eof {
				return nil, errMore
			}
			s.pos, s.ended = end, true
			return nil, s.parseError("Missing closing quote for value", s.row, s.column(end))
		}
		c := buf[p]
		switch {
		case int(c) == s.quote:
			if p+1 >= end && !s.in.eof {
				return nil, errMore
			}
			if p+1 < end && int(buf[p+1]) == s.quote {
				if at < 0 {
					at = len(s.scratch)
					s.scratch = append(s.scratch, buf[from:p]...)
				}
				s.scratch = append(s.scratch, c)
				p += 2
				continue
			}
			b := buf[from:p]
			if at >= 0 {
				b = s.scratch[at:]
			}
			return b, s.afterQuote(p + 1)
		case c == '\r':
			if p+1 >= end && !s.in.eof {
				return nil, errMore
			}
			if p+1 >= end || buf[p+1] != '\n' {
				s.row++
				s.rowStart, s.indent = p+1, 0
			}
		case c == '\n':
			s.row++
			s.rowStart, s.indent = p+1, 0
		case int(c) == s.escape:
			if at < 0 {
				at = len(s.scratch)
				s.scratch = append(s.scratch, buf[from:p]...)
			}
			next, err := s.unescape(p + 1)
			if err != nil {
				return nil, err
			}
			p = next
			continue
		}
		if at >= 0 {
			s.scratch = append(s.scratch, c)
		}
		p++
	}
}

// afterQuote reads on to the separator; only blanks may stand before it.
func (s *csvScanner) afterQuote(p int) error {
	buf, end := s.in.buf, s.in.end
	for ; p < end; p++ {
		c := buf[p]
		switch {
		case c == s.delim:
			s.pos = p + 1
			return nil
		case c == '\n' || c == '\r':
			return s.lineBreak(p)
		case c > ' ':
			r, n := utf8.DecodeRune(buf[p:])
			s.pos = p + n
			return s.parseError(fmt.Sprintf("Unexpected character (%s): Expected column separator character (%s) or end-of-line",
				describeChar(r), describeChar(rune(s.delim))), s.row, s.column(p)+1)
		}
	}
	if !s.in.eof {
		return errMore
	}
	s.pos, s.ended = end, true
	return nil
}

// describeChar is Jackson's description of a character.
func describeChar(r rune) string {
	switch {
	case r > 0xffff:
		r = 0xd800 + (r-0x10000)>>10
		return fmt.Sprintf("'?' (code %d / 0x%x)", r, r)
	case unicode.IsControl(r):
		return fmt.Sprintf("(CTRL-CHAR, code %d)", r)
	case r > 255:
		return fmt.Sprintf("'%c' (code %d / 0x%x)", r, r, r)
	}
	return fmt.Sprintf("'%c' (code %d)", r, r)
}

// column counts from 1, in UTF-16 units, within the line.
func (s *csvScanner) column(p int) int {
	return s.indent + value.UTF16Len(string(s.in.buf[s.rowStart:p])) + 1
}

const (
	classCSVRead   = "org.apache.flink.shaded.jackson2.com.fasterxml.jackson.dataformat.csv.CsvReadException"
	classJSONParse = "org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParseException"
)

func (s *csvScanner) parseError(message string, row, col int) error {
	return &flinkerr.Error{Class: classJSONParse, AtRuntime: true,
		Message: fmt.Sprintf("%s\n at [Source: UNKNOWN; line: %d, column: %d]", message, row, col)}
}

func (s *csvScanner) mappingError(format string, a ...any) error {
	t := s.token
	col := t.indent + value.UTF16Len(string(s.in.buf[t.rowStart:t.pos]))
	if !s.tokenEOF {
		col++
	}
	return &flinkerr.Error{Class: classCSVRead, AtRuntime: true,
		Message: fmt.Sprintf(format, a...) + fmt.Sprintf("\n at [Source: UNKNOWN; line: %d, column: %d]", t.row, col)}
}
