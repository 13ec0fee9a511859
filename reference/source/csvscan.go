package source

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/labgrade/labgrade/value"
)

// csvScanner cuts a text into records and fields.
type csvScanner struct {
	in      *textInput
	columns int
	delim   byte
	quote   int // -1 for none
	escape  int
	f       *csvFormat

	line   int // number of the line at the read position
	fields [][]byte
	// last is the last field that is wanted; the texts of those behind it do not matter.
	last int
	// plain tells that the window has only plain lines (see plainWindow), as of generation.
	plain      bool
	generation int
	// scratch holds the texts of fields with doubled quotes or escapes.
	scratch []byte
	// fatal is set after an error that even ignore-parse-errors does not survive.
	fatal bool

	// Within a record, positions in in.buf.
	pos      int
	row      int // line number at pos
	rowStart int // where the line of pos begins
	indent   int // blanks skipped at the begin of that line
	ended    bool
	// Where the last field begins; tokenEOF if it is the empty one at the end of the file.
	token    place
	tokenEOF bool
}

// place is a position with the line that it is in.
type place struct {
	pos, row, rowStart, indent int
}

func newCSVScanner(f *csvFormat, columns int, in *textInput) csvScanner {
	return csvScanner{in: in, generation: -1, columns: columns, delim: byte(f.delimiter), quote: int(f.quote), escape: int(f.escape), f: f, line: 1,
		fields: make([][]byte, columns)}
}

// errMore asks for more input; the record is then read again from its start.
var errMore = fmt.Errorf("more input needed")

// skipComments skips, where comments are allowed, lines that begin with #, empty lines, and
// blanks at the begin of a line.
func (s *csvScanner) skipComments() error {
	if !s.f.comments {
		return nil
	}
	for {
		b := s.in.window()
		i := 0
		for i < len(b) && b[i] == ' ' {
			i++
		}
		s.in.consume(i)
		s.indent += i
		b = b[i:]
		if len(b) == 0 {
			if ok, err := s.in.more(); !ok {
				return err
			}
			continue
		}
		switch b[0] {
		case '#':
			end := bytes.IndexAny(b, "\r\n")
			if end < 0 {
				s.in.consume(len(b) - 1)
				s.in.buf[s.in.start] = '#' // the rest of the line is a comment too
				ok, err := s.in.more()
				if err != nil {
					return err
				}
				if !ok {
					s.in.consume(1)
					return nil
				}
				continue
			}
			s.in.consume(end)
		case '\r', '\n':
		default:
			return nil
		}
		if err := s.lineEnd(); err != nil {
			return err
		}
	}
}

// lineEnd consumes the line end at the read position.
func (s *csvScanner) lineEnd() error {
	if s.in.window()[0] == '\r' && len(s.in.window()) == 1 {
		if _, err := s.in.more(); err != nil {
			return err
		}
	}
	b := s.in.window()
	n := 1
	if b[0] == '\r' && len(b) > 1 && b[1] == '\n' {
		n = 2
	}
	s.in.consume(n)
	s.line++
	s.indent = 0
	return nil
}

// record reads a record and returns the number of its fields that have a column.
// io.EOF tells that there is none. On any other error the scanner stands behind
// what it could not read.
func (s *csvScanner) record() (int, error) {
	for {
		if s.in.start == s.in.end {
			ok, err := s.in.more()
			if err != nil {
				s.fatal = true
				return 0, err
			}
			if !ok {
				return 0, io.EOF
			}
		}
		if n := s.plainRecord(); n > 0 {
			return n, nil
		}
		s.pos, s.row, s.rowStart, s.ended = s.in.start, s.line, s.in.start, false
		s.scratch = s.scratch[:0]
		n, err := s.readFields()
		if err == errMore {
			if err = s.refill(); err == nil {
				continue
			}
		}
		if err == nil && s.pos-s.in.start > maxFieldChars {
			for _, b := range s.fields[:n] {
				if utf16Units(b) > maxFieldChars {
					s.fatal = true
					return 0, fieldTooLong()
				}
			}
		}
		if err == nil || !s.f.ignoreErrors {
			s.in.consume(s.pos - s.in.start)
		}
		s.line = s.row
		if s.ended {
			s.indent = 0
		}
		if err == nil && s.in.start == s.in.end && s.in.bad != nil {
			// The reader looks for a further record before it hands on this one.
			s.fatal = true
			return 0, s.in.bad
		}
		return n, err
	}
}

// plainWindow looks whether every line of the window can be cut at its separators: there
// is no quote, no escape, no broken character behind it, and \r stands before \n only.
func (s *csvScanner) plainWindow() {
	s.generation = s.in.generation
	b := s.in.window()
	s.plain = !s.f.trimSpaces && s.in.bad == nil &&
		(s.quote < 0 || bytes.IndexByte(b, byte(s.quote)) < 0) &&
		(s.escape < 0 || bytes.IndexByte(b, byte(s.escape)) < 0) &&
		(bytes.IndexByte(b, '\r') < 0 || bytes.Count(b, []byte{'\r'}) == bytes.Count(b, []byte("\r\n")))
}

// plainRecord reads a record of a plain line that lies within the window and has just the right
// number of fields. 0 means that the line needs the full reader.
func (s *csvScanner) plainRecord() int {
	if s.generation != s.in.generation {
		s.plainWindow()
	}
	if !s.plain {
		return 0
	}
	b := s.in.buf[s.in.start:s.in.end]
	nl := bytes.IndexByte(b, '\n')
	if nl < 0 || nl > maxFieldChars {
		return 0
	}
	line := b[:nl]
	if nl > 0 && line[nl-1] == '\r' {
		line = line[:nl-1]
	}
	k, from := 0, 0
	for i, c := range line {
		if c != s.delim {
			continue
		}
		if k >= s.last {
			if k == s.last {
				s.fields[k] = line[from:i]
			}
			// What follows is only counted.
			k += 1 + bytes.Count(line[i+1:], []byte{s.delim})
			from = -1
			break
		}
		s.fields[k] = line[from:i]
		k++
		from = i + 1
	}
	if k != s.columns-1 {
		return 0
	}
	if from >= 0 {
		s.fields[k] = line[from:]
	}
	s.in.start += nl + 1
	s.line++
	s.indent = 0
	s.ended = true
	return s.columns
}

// refill gets more input for a record that does not end in the buffer.
func (s *csvScanner) refill() error {
	if s.in.end-s.in.start > maxFieldBytes {
		s.fatal = true
		return fieldTooLong()
	}
	_, err := s.in.more()
	if err != nil {
		s.fatal = true
	}
	return err
}

// skipRecord reads on to the end of the line after an error, and leaves the record.
func (s *csvScanner) skipRecord() error {
	for !s.ended {
		saved := *s
		s.scratch = s.scratch[:0]
		_, err := s.field()
		if err == errMore {
			pos, rowStart, row := saved.pos, saved.rowStart, saved.row
			if err = s.refill(); err == nil {
				// The record stays in the buffer, but may have moved.
				s.pos, s.rowStart, s.row, s.ended = pos-s.in.shifted, rowStart-s.in.shifted, row, false
				continue
			}
			return err
		}
		if err != nil {
			return err
		}
	}
	s.in.consume(s.pos - s.in.start)
	s.line = s.row
	return nil
}

// readFields reads fields up to the end of the line.
func (s *csvScanner) readFields() (int, error) {
	n := 0
	for !s.ended {
		b, err := s.field()
		if err != nil {
			return n, err
		}
		if n < s.columns {
			s.fields[n] = b
			n++
			continue
		}
		if s.f.ignoreTrailing {
			for !s.ended {
				if _, err := s.field(); err != nil {
					return n, err
				}
			}
			return n, nil
		}
		text := string(b)
		if s.f.allowTrailingComma {
			text = strings.TrimFunc(text, func(r rune) bool { return r <= ' ' })
			if text == "" {
				if s.ended {
					return n, nil
				}
				if _, err := s.field(); err != nil {
					return n, err
				}
			}
		}
		return n, s.mappingError("Too many entries: expected at most %d (value #%d (%d chars) \"%s\")",
			s.columns, n, value.UTF16Len(text), text)
	}
	if n < s.columns && s.f.failOnMissing {
		return n, s.mappingError("Not enough column values: expected %d, found %d", s.columns, n)
	}
	return n, nil
}

// field reads a field with the separator or line end behind it. s.ended is set at the line end.
func (s *csvScanner) field() ([]byte, error) {
	buf, end := s.in.buf, s.in.end
	p := s.pos
	if s.f.trimSpaces {
		for p < end && buf[p] <= ' ' && buf[p] != s.delim && buf[p] != '\n' && buf[p] != '\r' {
			p++
		}
	}
	if p == end {
		if !s.in.eof {
			return nil, errMore
		}
		s.token, s.tokenEOF = place{p, s.row, s.rowStart, s.indent}, true
		s.pos, s.ended = p, true
		return buf[p:p], nil
	}
	s.token, s.tokenEOF = place{p, s.row, s.rowStart, s.indent}, false
	c := buf[p]
	if int(c) == s.quote {
		return s.quoted(p + 1)
	}
	from := p
	for ; p < end; p++ {
		switch c = buf[p]; c {
		case s.delim:
			s.pos = p + 1
			return s.trimmed(buf[from:p]), nil
		case '\n', '\r':
			b := s.trimmed(buf[from:p])
			return b, s.lineBreak(p)
		default:
			if int(c) == s.escape {
				return s.escaped(from, p)
			}
		}
	}
	if !s.in.eof {
		return nil, errMore
	}
	s.pos, s.ended = end, true
	return s.trimmed(buf[from:end]), nil
}

// lineBreak ends the record at the line end at p.
func (s *csvScanner) lineBreak(p int) error {
	if s.in.buf[p] == '\r' {
		if p+1 == s.in.end && !s.in.eof {
			return errMore
		}
		if p+1 < s.in.end && s.in.buf[p+1] == '\n' {
			p++
		}
	}
	s.pos, s.ended = p+1, true
	s.row++
	s.rowStart = p + 1
	s.indent = 0
	return nil
}

func (s *csvScanner) trimmed(b []byte) []byte {
	if s.f.trimSpaces {
		for len(b) > 0 && b[len(b)-1] <= ' ' {
			b = b[:len(b)-1]
		}
	}
	return b
}
