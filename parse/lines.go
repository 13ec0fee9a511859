package parse

import (
	"bytes"
	"io"
)

// lineReader cuts a stream into lines without copying them.
type lineReader struct {
	r          io.Reader
	buf        []byte
	start, end int
	max        int
	eof        bool
	err        error
	n          int  // lines returned
	long       bool // the line returned last was cut at max
	noNewline  bool // the line returned last ends with the file, without \n
	macBreaks  bool // \r alone ends lines
}

// A small file fits into the first buffer; a large one is read in blocks of startBuffer.
const (
	firstBuffer = 16 << 10
	startBuffer = 256 << 10
)

func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{r: r, buf: make([]byte, firstBuffer), max: max}
}

// sample returns the first bytes of the stream without consuming them.
func (l *lineReader) sample() []byte {
	for l.end < 64<<10 && !l.eof {
		l.fill()
	}
	return l.buf[l.start:l.end]
}

// fill reads once more; it moves what is left to the front of the buffer.
func (l *lineReader) fill() {
	if l.start > 0 {
		copy(l.buf, l.buf[l.start:l.end])
		l.end -= l.start
		l.start = 0
	}
	if l.end == len(l.buf) {
		size := min(max(2*len(l.buf), startBuffer), max(l.max, startBuffer)+1)
		b := make([]byte, size)
		copy(b, l.buf[:l.end])
		l.buf = b
	}
	for range 100 {
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		if err != nil {
			l.eof = true
			if err != io.EOF {
				l.err = err
			}
			return
		}
		if n > 0 {
			return
		}
	}
	l.eof, l.err = true, io.ErrNoProgress
}

// next returns the next line without its end; the bytes stay valid until the next call.
func (l *lineReader) next() ([]byte, bool) {
	l.long = false
	seen := 0 // bytes searched already
	for {
		i := bytes.IndexByte(l.buf[l.start+seen:l.end], '\n')
		if l.macBreaks {
			i = bytes.IndexAny(l.buf[l.start+seen:l.end], "\r\n")
		}
		if i >= 0 {
			line := l.buf[l.start : l.start+seen+i]
			l.start += seen + i + 1
			l.n++
			l.noNewline = false
			if k := len(line); k > 0 && line[k-1] == '\r' {
				line = line[:k-1]
			}
			return line, true
		}
		seen = l.end - l.start
		if l.eof {
			if seen == 0 {
				return nil, false
			}
			line := l.buf[l.start:l.end]
			l.start = l.end
			l.n++
			l.noNewline = true
			if k := len(line); line[k-1] == '\r' {
				line = line[:k-1]
			}
			return line, true
		}
		if seen > l.max {
			return l.tooLong(), true
		}
		l.fill()
	}
}

// tooLong returns the first max bytes of a line and skips the rest of it.
func (l *lineReader) tooLong() []byte {
	head := append([]byte(nil), l.buf[l.start:l.start+l.max]...)
	l.start = l.end
	for {
		if i := bytes.IndexByte(l.buf[l.start:l.end], '\n'); i >= 0 {
			l.start += i + 1
			break
		}
		l.start = l.end
		if l.eof {
			break
		}
		l.fill()
	}
	l.n++
	l.long = true
	return head
}
