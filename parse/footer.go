package parse

import (
	"bytes"
	"strconv"
)

// parseFooter reads the line that closes a result, anywhere in b: a prefix may stand
// before it (or ^C before "Query terminated"), notes behind it.
func parseFooter(b []byte) (f Footer, at int, ok bool) {
	b = trimRightSpace(b)
	if i := bytes.Index(b, []byte("eceived a total of ")); i >= 0 && i > 0 && (b[i-1] == 'R' || b[i-1] == 'r') {
		n, rest, ok := number(b[i+len("eceived a total of "):])
		if rest, word := cutPrefix(rest, " row"); ok && word {
			rest, _ = cutPrefix(rest, "s")
			f = Footer{Kind: FooterReceived, Rows: n}
			at = i - 1
			if k := bytes.Index(b, []byte("Query terminated, ")); k >= 0 && k < i {
				f.Kind, at = FooterTerminated, k
			}
			if f.Seconds, f.HasSeconds, ok = seconds(rest); ok {
				f.Text = string(b[at:])
				return f, at, true
			}
		}
	}
	words := " in set"
	if !bytes.Contains(b, []byte(words)) {
		words = " selected" // beeline at the SQL gateway
	}
	if i := bytes.Index(b, []byte(words)); i > 0 {
		j := i
		if word := bytes.HasSuffix(b[:j], []byte(" rows")); word {
			j -= 5
		} else if bytes.HasSuffix(b[:j], []byte(" row")) {
			j -= 4
		} else {
			return f, 0, false
		}
		k := j
		for k > 0 && b[k-1] >= '0' && b[k-1] <= '9' {
			k--
		}
		if k == j || k > 0 && !isBlank(b[k-1]) && b[k-1] != '|' && b[k-1] != '>' && b[k-1] != '#' && b[k-1] != '*' && b[k-1] != '/' && b[k-1] != '-' {
			return f, 0, false
		}
		n, err := strconv.Atoi(string(b[k:j]))
		if err != nil {
			return f, 0, false
		}
		f = Footer{Kind: FooterInSet, Rows: n, Text: string(b[k:])}
		if f.Seconds, f.HasSeconds, ok = seconds(b[i+len(words):]); ok {
			return f, k, true
		}
	}
	return f, 0, false
}

// parseEmptySet reads "Empty set", at the start of b or glued to an echo.
func parseEmptySet(b []byte) (f Footer, at int, ok bool) {
	b = trimRightSpace(b)
	i := bytes.LastIndex(b, []byte("Empty set"))
	if i < 0 {
		return f, 0, false
	}
	f = Footer{Kind: FooterEmptySet, Text: string(b[i:])}
	f.Seconds, f.HasSeconds, ok = seconds(b[i+len("Empty set"):])
	return f, i, ok
}

// seconds reads " (1.97 seconds)" or nothing. Other text may follow the closing
// bracket, or stand behind two blanks: a note of the one who pasted.
func seconds(b []byte) (s float64, has, ok bool) {
	if len(b) == 0 || b[0] == '.' || b[0] == ',' || bytes.HasPrefix(b, []byte("  ")) || b[0] == '\t' {
		return 0, false, true
	}
	rest, ok := cutPrefix(b, " (")
	if !ok {
		// "3 rows in set -- ok"
		return 0, false, len(b) > 2 && b[0] == ' ' && bytes.IndexByte([]byte("-#/<*;"), b[1]) >= 0
	}
	i := bytes.IndexByte(rest, ' ')
	if i < 0 || !bytes.HasPrefix(rest[i:], []byte(" second")) {
		return 0, false, false
	}
	s, err := strconv.ParseFloat(string(bytes.ReplaceAll(rest[:i], []byte(","), []byte("."))), 64)
	return s, err == nil, err == nil
}

// number reads a count, with or without thousands separators.
func number(b []byte) (n int, rest []byte, ok bool) {
	i := 0
	for i < len(b) && (b[i] >= '0' && b[i] <= '9' || b[i] == ',' && i > 0 && i+1 < len(b) && b[i+1] >= '0' && b[i+1] <= '9') {
		if b[i] != ',' {
			if n > 1<<40 {
				return 0, b, false
			}
			n = n*10 + int(b[i]-'0')
		}
		i++
	}
	return n, b[i:], i > 0
}

func cutPrefix(b []byte, p string) ([]byte, bool) {
	if len(b) >= len(p) && string(b[:len(p)]) == p {
		return b[len(p):], true
	}
	return b, false
}
