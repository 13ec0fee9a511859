package parse

import (
	"bytes"
	"encoding/json"
)

// A prefix is what a tool put before every line: a log's timestamp, the name of a
// container, a quotation or comment sign, a line number. cut returns the line without
// it; false when the line has none.
type prefix struct {
	name string
	cut  func([]byte) ([]byte, bool)
	// all: every line of the sample must have it, since the lines of plans and echoes
	// may begin so too.
	all bool
}

// prefixes are tried in this order, again after each hit: signs may be nested.
func prefixes() []prefix {
	return []prefix{
		{"container log in JSON", cutJSONLog, false},
		{"timestamp", cutTimestamp, false},
		{"container name", cutContainer, false},
		{"syslog header", cutSyslog, false},
		{"line number", cutLineNumber, false},
		{"quotation sign", cutQuote, false},
		{"comment sign", cutComment, false},
		{"diff sign", cutDiff, false},
		{"indentation", cutIndent, true},
	}
}

// detectPrefixes finds the prefixes that four of five lines of the sample carry. The
// lines of a bare transcript share none: its borders, bars, prompts and messages
// begin differently.
func detectPrefixes(sample []byte, complete bool) []prefix {
	lines := bytes.Split(sample, []byte("\n"))
	if !complete && len(lines) > 1 {
		lines = lines[:len(lines)-1]
	}
	if len(lines) > 400 {
		lines = lines[:400]
	}
	kept := lines[:0]
	for _, l := range lines {
		l = bytes.TrimSuffix(l, []byte("\r"))
		if hasControl(l) {
			_, c := clean(nil, l)
			l = c.b
		}
		if len(trimSpace(l)) > 0 && !bytes.HasPrefix(trimSpace(l), []byte("```")) {
			kept = append(kept, l)
		}
	}
	var out []prefix
	for range 12 {
		p, rest := commonPrefix(kept)
		if p == nil {
			break
		}
		out = append(out, *p)
		kept = rest
	}
	return out
}

func commonPrefix(lines [][]byte) (*prefix, [][]byte) {
	if len(lines) < 3 {
		return nil, nil
	}
	for _, p := range prefixes() {
		hits := 0
		for i, l := range lines {
			if _, ok := p.cut(l); ok {
				hits++
			}
			if 5*(i+1-hits) > len(lines) { // more than a fifth without it
				break
			}
		}
		if 5*hits < 4*len(lines) || p.all && hits < len(lines) {
			continue
		}
		rest := make([][]byte, 0, len(lines))
		for _, l := range lines {
			if r, ok := p.cut(l); ok {
				l = r
			}
			if len(trimSpace(l)) > 0 {
				rest = append(rest, l)
			}
		}
		if p.name == "quotation sign" && hasPrompt(lines) {
			continue
		}
		// The signs of quotations, comments and diffs also begin lines of their own kind of
		// text: demand that something of a transcript comes out.
		if !looksLikeTranscript(rest) {
			continue
		}
		return &p, rest
	}
	return nil, nil
}

// hasPrompt: the "> " of continued statements stand among prompts.
func hasPrompt(lines [][]byte) bool {
	for _, l := range lines {
		if bytes.HasPrefix(l, []byte("Flink SQL>")) {
			return true
		}
	}
	return false
}

func looksLikeTranscript(lines [][]byte) bool {
	for _, l := range lines {
		if len(l) == 0 {
			continue
		}
		switch {
		case l[0] == '+' && bytes.HasPrefix(l, []byte("+--")), l[0] == '|' && bytes.HasPrefix(l, []byte("| ")),
			bytes.HasPrefix(l, []byte("== ")), bytes.HasPrefix(l, []byte("Flink SQL>")),
			bytes.Contains(l, []byte("[ERROR] ")), bytes.Contains(l, []byte("[INFO] ")),
			bytes.Contains(l, []byte("Exception in thread ")), bytes.Contains(l, []byte("Shutting down the session")):
			return true
		}
		if _, ok := printKindAt(l); ok {
			return true
		}
	}
	return false
}

func digits(b []byte) int {
	i := 0
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}

// cutTimestamp: "2026-11-30T05:17:05.123456789Z " of docker, kubectl and CI logs, also
// with a blank for the T, in brackets, without a date; then CRI's "stdout F ".
func cutTimestamp(b []byte) ([]byte, bool) {
	s := b
	bracket := false
	if len(s) > 0 && s[0] == '[' {
		s, bracket = s[1:], true
	}
	if digits(s) == 4 && len(s) > 10 && (s[4] == '-' || s[4] == '/') && digits(s[5:]) == 2 && s[7] == s[4] && digits(s[8:]) == 2 {
		s = s[10:]
		if len(s) > 0 && (s[0] == 'T' || s[0] == ' ' || s[0] == '_') {
			s = s[1:]
		}
	}
	if digits(s) != 2 || len(s) < 8 || s[2] != ':' || digits(s[3:]) != 2 || s[5] != ':' || digits(s[6:]) != 2 {
		return b, false
	}
	s = s[8:]
	if len(s) > 1 && (s[0] == '.' || s[0] == ',') && digits(s[1:]) > 0 {
		s = s[1+digits(s[1:]):]
	}
	if len(s) > 0 && s[0] == 'Z' {
		s = s[1:]
	} else if len(s) > 4 && (s[0] == '+' || s[0] == '-') && digits(s[1:]) >= 2 {
		s = s[3:]
		if len(s) > 0 && s[0] == ':' {
			s = s[1:]
		}
		s = s[digits(s):]
	}
	if bracket {
		if len(s) == 0 || s[0] != ']' {
			return b, false
		}
		s = s[1:]
	}
	for _, stream := range [...]string{" stdout ", " stderr "} {
		if r, ok := cutPrefix(s, stream); ok {
			if len(r) > 1 && (r[0] == 'F' || r[0] == 'P') && r[1] == ' ' {
				r = r[2:]
			} else if len(r) == 1 && r[0] == 'F' {
				r = r[1:]
			}
			return r, true
		}
	}
	switch {
	case len(s) == 0:
		return s, true
	case s[0] == ' ' || s[0] == '\t':
		return s[1:], true
	case s[0] == ':' && len(s) > 1 && s[1] == ' ':
		return s[2:], true
	}
	return b, false
}

// cutContainer: "taskmanager-1  | " of docker compose, "[pod/x/y] " of kubectl.
func cutContainer(b []byte) ([]byte, bool) {
	if bytes.HasPrefix(b, []byte("[pod/")) {
		if i := bytes.IndexByte(b, ']'); i > 0 {
			return bytes.TrimPrefix(b[i+1:], []byte(" ")), true
		}
	}
	i := 0
	for i < len(b) && (b[i] >= 'a' && b[i] <= 'z' || b[i] >= 'A' && b[i] <= 'Z' || b[i] >= '0' && b[i] <= '9' || b[i] == '_' || b[i] == '-' || b[i] == '.') {
		i++
	}
	if i == 0 || digits(b[:i]) == i || b[0] == '-' || b[0] == '.' || b[0] == '_' {
		return b, false
	}
	j := i
	for j < len(b) && b[j] == ' ' {
		j++
	}
	if j == i || j >= len(b) || b[j] != '|' {
		return b, false
	}
	return bytes.TrimPrefix(b[j+1:], []byte(" ")), true
}

// cutSyslog: "Nov 30 05:17:05 host flink[12]: ".
func cutSyslog(b []byte) ([]byte, bool) {
	if len(b) < 20 || b[0] < 'A' || b[0] > 'Z' || b[3] != ' ' || b[9] != ':' || b[12] != ':' || digits(b[13:]) != 2 || b[15] != ' ' {
		return b, false
	}
	s := b[16:]
	i := bytes.IndexByte(s, ' ')
	if i < 0 {
		return b, false
	}
	j := bytes.Index(s[i:], []byte(": "))
	if j < 0 || bytes.IndexByte(s[i+1:i+j], ' ') >= 0 {
		if bytes.HasSuffix(s, []byte(":")) {
			return nil, true
		}
		return b, false
	}
	return s[i+j+2:], true
}

// cutLineNumber: cat -n, nl, grep -n, editors: "    12\t", "12:", "12 | ", "file.out:12:".
func cutLineNumber(b []byte) ([]byte, bool) {
	s := trimLeftSpace(b)
	n := digits(s)
	if n == 0 { // file.out:12:
		i := bytes.IndexByte(s, ':')
		if i <= 0 || i > 200 || bytes.IndexByte(s[:i], ' ') >= 0 || s[0] == '+' || s[0] == '|' {
			return b, false
		}
		k := digits(s[i+1:])
		if k == 0 || i+1+k >= len(s) || s[i+1+k] != ':' && s[i+1+k] != '-' {
			return b, false
		}
		return s[i+1+k+1:], true
	}
	if n > 8 || n == len(s) {
		return nil, n <= 8 && n > 0
	}
	switch s[n] {
	case '\t', ':':
		return s[n+1:], true
	case ' ':
		t := trimLeftSpace(s[n:])
		for _, bar := range [...]string{"| ", "│ ", "┃ "} {
			if r, ok := cutPrefix(t, bar); ok {
				return r, true
			}
		}
		if string(t) == "|" || string(t) == "│" {
			return nil, true
		}
		if len(t) > 0 && (t[0] == '|' || t[0] == '+') {
			return t, true
		}
	}
	return b, false
}

// cutQuote: "> " of mail and Markdown. The client's own "> " of continued statements
// never stands before most lines.
func cutQuote(b []byte) ([]byte, bool) {
	if len(b) == 0 || b[0] != '>' {
		return b, false
	}
	return bytes.TrimPrefix(b[1:], []byte(" ")), true
}

// cutComment: the signs that begin a comment line in SQL, shells, C, TeX, Lisp, BASIC.
func cutComment(b []byte) ([]byte, bool) {
	s := trimLeftSpace(b)
	for _, sign := range [...]string{"--", "///", "//", "##", "#", ";;", ";", "%%", "%", "**", "*", "'", "REM", "rem", "dnl"} {
		if r, ok := cutPrefix(s, sign); ok {
			if len(r) > 0 && !isBlank(r[0]) && r[0] != '+' && r[0] != '|' && r[0] != '=' && r[0] != '[' {
				continue
			}
			return bytes.TrimPrefix(r, []byte(" ")), true
		}
	}
	return b, false
}

// cutDiff: the + before every line that a patch adds.
func cutDiff(b []byte) ([]byte, bool) {
	if len(b) > 0 && b[0] == '+' {
		if k, ok := printKindAt(b); ok && k == 0 {
			return b, false
		}
		return b[1:], true
	}
	return b, false
}

func cutIndent(b []byte) ([]byte, bool) {
	if len(b) > 0 && isBlank(b[0]) {
		if b[0] == ' ' && len(b) > 1 && b[1] == ' ' {
			return b[2:], true
		}
		return b[1:], true
	}
	return b, false
}

// cutJSONLog: {"log":"...\n","stream":"stdout","time":"..."} of docker's json-file.
func cutJSONLog(b []byte) ([]byte, bool) {
	if len(b) < 10 || b[0] != '{' || b[len(b)-1] != '}' || !bytes.Contains(b, []byte(`"log":`)) {
		return b, false
	}
	var l struct{ Log *string }
	if json.Unmarshal(b, &l) != nil || l.Log == nil {
		return b, false
	}
	text := bytes.TrimRight([]byte(*l.Log), "\r\n")
	if hasControl(text) {
		_, c := clean(nil, text)
		text = c.b
	}
	return text, true
}
