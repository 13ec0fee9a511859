package source

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// textInput is a window on a UTF-8 file: buf[start:end] is read and not yet used.
type textInput struct {
	in         io.ReadCloser
	closers    []io.Closer
	buf        []byte
	start, end int
	eof        bool
	// limit is the end of what has been read; bytes between end and limit wait for the rest of
	// their character, or follow a broken one.
	limit int
	bad   error
	// chars and bytes before buf[0], for the text about a broken character.
	chars, bytes int
	begun        bool
	// raw takes bytes as they are, valid UTF-8 or not.
	raw bool
	// generation counts the calls of more that changed the window.
	generation int
	// shifted is how far the last call of more moved the window towards the begin of buf.
	shifted int
}

const (
	bufferSize = 1 << 18
	// maxFieldChars: Flink's csv and json readers refuse longer texts.
	maxFieldChars = 20_000_000
	maxFieldBytes = 4 * maxFieldChars
)

func fieldTooLong() error { return unsupported.New("a field of more than 20,000,000 characters") }

// openText opens a file, unpacking it by the extension of its name as Flink does.
func openText(d dataFile, fsys FS) (*textInput, error) {
	f, err := fsys.Open(d.path)
	if err != nil {
		return nil, err
	}
	t := &textInput{in: f, closers: []io.Closer{f}}
	var z io.Reader
	switch name := strings.ToLower(d.info.Name); {
	case strings.HasSuffix(name, ".gz"), strings.HasSuffix(name, ".gzip"):
		z, err = gzip.NewReader(f)
	case strings.HasSuffix(name, ".deflate"):
		z, err = zlib.NewReader(f)
	case strings.HasSuffix(name, ".bz2"):
		z = bzip2.NewReader(f)
	case strings.HasSuffix(name, ".xz"), strings.HasSuffix(name, ".zst"):
		err = unsupported.New("reading the packed file %s", d.path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	if z != nil {
		t.in = io.NopCloser(z)
	}
	t.buf = make([]byte, min(bufferSize, int(max(d.info.Size, 0))+4096))
	return t, nil
}

func (t *textInput) window() []byte { return t.buf[t.start:t.end] }
func (t *textInput) consume(n int)  { t.start += n }

// Close closes the file.
func (t *textInput) Close() error {
	var err error
	for _, c := range t.closers {
		if e := c.Close(); err == nil {
			err = e
		}
	}
	t.closers = nil
	return err
}

// more reads further bytes behind the window; false at the end of the file. The window may
// move in buf.
func (t *textInput) more() (bool, error) {
	if t.bad != nil {
		return false, t.bad
	}
	if t.eof {
		return false, nil
	}
	t.shifted = t.start
	t.generation++
	if t.start > 0 {
		if t.raw || isASCII(t.buf[:t.start]) {
			t.chars += t.start
		} else {
			t.chars += utf16Units(t.buf[:t.start])
		}
		t.bytes += t.start
		n := copy(t.buf, t.buf[t.start:t.limit])
		t.end -= t.start
		t.limit, t.start = n, 0
	}
	if t.limit == len(t.buf) {
		t.buf = append(t.buf, make([]byte, len(t.buf))...)
	}
	before := t.end
	for t.end == before {
		n, err := t.in.Read(t.buf[t.limit:])
		t.limit += n
		if t.raw {
			t.end = t.limit
			if err == io.EOF {
				t.eof = true
				return t.end > before, nil
			}
			if err != nil {
				return false, err
			}
			continue
		}
		if !t.begun && (t.limit >= 4 || err != nil) {
			if e := t.begin(); e != nil {
				return false, e
			}
			before = t.end
		}
		if t.begun {
			t.advance(err == io.EOF)
		}
		if t.bad != nil && t.end == before {
			return false, t.bad
		}
		if err == io.EOF {
			t.eof = t.bad == nil
			return t.end > before, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// begin drops a byte order mark.
func (t *textInput) begin() error {
	t.begun = true
	b := t.buf[:t.limit]
	switch {
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		t.start, t.end = 3, 3
		t.chars = -1
	case bytes.HasPrefix(b, []byte("\xfe\xff")), bytes.HasPrefix(b, []byte("\xff\xfe")),
		len(b) >= 4 && (b[0] == 0 || b[1] == 0):
		return unsupported.New("a file in UTF-16 or UTF-32")
	}
	return nil
}

// advance moves end over whole characters, and notes a broken one.
func (t *textInput) advance(atEOF bool) {
	b := t.buf[t.end:t.limit]
	if utf8.Valid(b) {
		t.end = t.limit
		return
	}
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r != utf8.RuneError || n > 1 {
			i += n
			continue
		}
		t.end += i
		if !utf8.FullRune(b[i:]) && !atEOF {
			return
		}
		t.bad = t.badUTF8(b[i:])
		return
	}
	t.end = t.limit
}

// badUTF8 is the error of Jackson's decoder for the broken character at end. Its byte
// number is that of the byte before.
func (t *textInput) badUTF8(b []byte) error {
	char := t.chars + utf16Units(t.buf[:t.end])
	at := t.bytes + t.end
	const advice = ": check content encoding, does not look like UTF-8"
	need := 0
	switch c := b[0]; {
	case c&0xe0 == 0xc0:
		need = 2
	case c&0xf0 == 0xe0:
		need = 3
	case c&0xf8 == 0xf0:
		need = 4
	default:
		return charConversion("Invalid UTF-8 start byte 0x%x (at char #%d, byte #%d)"+advice, c, char+1, at-1)
	}
	if len(b) < need {
		return charConversion("Unexpected EOF in the middle of a multi-byte UTF-8 character: got %d, needed %d, at char #%d, byte #%d)", len(b), need, char, at+len(b))
	}
	for i := 1; i < need; i++ {
		if b[i]&0xc0 != 0x80 {
			return charConversion("Invalid UTF-8 middle byte 0x%x (at char #%d, byte #%d)"+advice, b[i], char+1, at+i-1)
		}
	}
	return unsupported.New("an overlong or surrogate character in UTF-8, at byte %d", at)
}

func charConversion(format string, a ...any) error {
	return &flinkerr.Error{Class: "java.io.CharConversionException", Message: fmt.Sprintf(format, a...), AtRuntime: true}
}

// isASCII looks at eight bytes at a time.
func isASCII(b []byte) bool {
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b)&0x8080808080808080 != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// utf16Units is the length in UTF-16 units.
func utf16Units(b []byte) int {
	n := 0
	for _, c := range b {
		switch {
		case c < 0x80 || c >= 0xc0 && c < 0xf0:
			n++
		case c >= 0xf0:
			n += 2
		}
	}
	return n
}
