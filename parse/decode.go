package parse

import (
	"bytes"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// decoded makes UTF-8 of what Windows tools write: a byte order mark, UTF-16 of
// either order with or without a mark. It returns the encoding's name and a reader.
func decoded(r io.Reader) (io.Reader, string, error) {
	head := make([]byte, 512)
	n, err := io.ReadFull(r, head)
	head = head[:n]
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	rest := io.MultiReader(bytes.NewReader(head), r)
	switch {
	case err != nil:
		return rest, "", err
	case bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}):
		return io.MultiReader(bytes.NewReader(head[3:]), r), "UTF-8 with a byte order mark", nil
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		return &utf16Reader{r: io.MultiReader(bytes.NewReader(head[2:]), r)}, "UTF-16LE", nil
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return &utf16Reader{r: io.MultiReader(bytes.NewReader(head[2:]), r), big: true}, "UTF-16BE", nil
	}
	if big, ok := utf16WithoutMark(head); ok {
		name := "UTF-16LE"
		if big {
			name = "UTF-16BE"
		}
		return &utf16Reader{r: rest, big: big}, name + " without a byte order mark", nil
	}
	return rest, "UTF-8", nil
}

// utf16WithoutMark: in text that is mostly ASCII nearly every other byte is zero.
func utf16WithoutMark(head []byte) (big, ok bool) {
	if len(head) < 16 {
		return false, false
	}
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	most := len(head) / 2 * 6 / 10
	switch {
	case zeros[1] > most && zeros[0] == 0:
		return false, true
	case zeros[0] > most && zeros[1] == 0:
		return true, true
	}
	return false, false
}

// utf16Reader reads UTF-16 and gives UTF-8. A unit without its partner becomes U+FFFD.
type utf16Reader struct {
	r    io.Reader
	big  bool
	in   [8192]byte
	n    int // bytes of in that wait for more
	out  []byte
	high rune // a first surrogate that waits for its second
	err  error
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		u.fill()
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

func (u *utf16Reader) fill() {
	k, err := u.r.Read(u.in[u.n:])
	u.n += k
	out := make([]byte, 0, u.n*2)
	i := 0
	for ; i+1 < u.n; i += 2 {
		c := rune(u.in[i]) | rune(u.in[i+1])<<8
		if u.big {
			c = rune(u.in[i])<<8 | rune(u.in[i+1])
		}
		if u.high != 0 {
			if r := utf16.DecodeRune(u.high, c); r != utf8.RuneError {
				out, u.high = utf8.AppendRune(out, r), 0
				continue
			}
			out, u.high = utf8.AppendRune(out, utf8.RuneError), 0
		}
		if utf16.IsSurrogate(c) && c < 0xdc00 {
			u.high = c
			continue
		}
		out = utf8.AppendRune(out, c)
	}
	copy(u.in[:], u.in[i:u.n])
	u.n -= i
	if err != nil {
		if u.high != 0 || u.n > 0 {
			out = utf8.AppendRune(out, utf8.RuneError)
			u.high, u.n = 0, 0
		}
		u.err = err
	}
	u.out = out
}
