package parse

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// csvReader reads records as Flink's csv format writes and reads them: fields in
// quotes may hold delimiters, quotes (doubled) and line breaks.
type csvReader struct {
	lr      *lineReader
	delim   string
	quote   byte // 0: none
	escape  byte // 0: none
	fields  [][]byte
	quoted  []bool
	mem     []byte // of the fields of a record with quotes
	offsets []int  // of these fields in mem
	line    []byte // the record's first line
}

func newCSVReader(r io.Reader, o SinkOptions) *csvReader {
	max := o.MaxLine
	if max <= 0 {
		max = 64 << 20
	}
	c := &csvReader{lr: newLineReader(r, max), delim: ",", quote: '"'}
	if o.Delimiter != 0 {
		c.delim = string(o.Delimiter)
	}
	if o.Quote != 0 && o.Quote < utf8.RuneSelf {
		c.quote = byte(o.Quote)
	}
	if o.NoQuote {
		c.quote = 0
	}
	if o.Escape != 0 && o.Escape < utf8.RuneSelf {
		c.escape = byte(o.Escape)
	}
	return c
}

// next reads a record; ok is false at the end. reason is not empty when the record is
// faulty; its fields are then a guess.
func (c *csvReader) next() (first, last int, reason string, ok bool) {
	raw, ok := c.lr.next()
	if !ok {
		return 0, 0, "", false
	}
	first, c.line = c.lr.n, raw
	if c.lr.long {
		return first, first, "the line is longer than " + itoa(c.lr.max) + " bytes", true
	}
	c.fields, c.quoted = c.fields[:0], c.quoted[:0]
	if c.quote == 0 || bytes.IndexByte(raw, c.quote) < 0 && (c.escape == 0 || bytes.IndexByte(raw, c.escape) < 0) {
		c.plain(raw)
		return first, first, "", true
	}
	reason = c.full(raw)
	return first, c.lr.n, reason, true
}

// plain cuts a line without quotes.
func (c *csvReader) plain(b []byte) {
	for {
		i := bytes.Index(b, []byte(c.delim))
		if i < 0 {
			c.fields, c.quoted = append(c.fields, b), append(c.quoted, false)
			return
		}
		c.fields, c.quoted = append(c.fields, b[:i]), append(c.quoted, false)
		b = b[i+len(c.delim):]
	}
}

// full reads a record with quotes, over as many lines as its quotes span. Fields go
// to mem, since the next line overwrites the reader's buffer.
func (c *csvReader) full(b []byte) (reason string) {
	c.mem, c.offsets = c.mem[:0], c.offsets[:0]
	i := 0
	for {
		c.offsets = append(c.offsets, len(c.mem))
		isQuoted := i < len(b) && b[i] == c.quote
		if isQuoted {
			i++
			for {
				if i >= len(b) {
					more, ok := c.lr.next()
					if !ok || len(c.mem) > c.lr.max {
						reason = "a quote is not closed"
						break
					}
					c.mem = append(c.mem, '\n')
					b, i = more, 0
					continue
				}
				if c.escape != 0 && b[i] == c.escape && i+1 < len(b) {
					c.mem = append(c.mem, b[i+1])
					i += 2
					continue
				}
				if b[i] != c.quote {
					c.mem = append(c.mem, b[i])
					i++
					continue
				}
				if i+1 < len(b) && b[i+1] == c.quote {
					c.mem = append(c.mem, c.quote)
					i += 2
					continue
				}
				i++
				break
			}
		}
		for i < len(b) && !bytes.HasPrefix(b[i:], []byte(c.delim)) {
			if isQuoted && !isBlank(b[i]) {
				reason = "text behind a closing quote"
			}
			if c.escape != 0 && b[i] == c.escape && i+1 < len(b) {
				i++
			}
			if !isQuoted || !isBlank(b[i]) {
				c.mem = append(c.mem, b[i])
			}
			i++
		}
		c.quoted = append(c.quoted, isQuoted)
		if i >= len(b) {
			break
		}
		i += len(c.delim)
	}
	for k, from := range c.offsets {
		end := len(c.mem)
		if k+1 < len(c.offsets) {
			end = c.offsets[k+1]
		}
		c.fields = append(c.fields, c.mem[from:end:end])
	}
	return reason
}
