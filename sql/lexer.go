package sql

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// lexer cuts a text into tokens as Flink's token manager does in its back-quote state:
// longest match, keywords in any letter case, columns in UTF-16 units, a tab counts one.
type lexer struct {
	src      string
	off      int
	line     int
	col      int
	keywords map[string]wordClass
}

func newLexer(src string) *lexer {
	return &lexer{src: src, line: 1, col: 1, keywords: keywords()}
}

// isLetter follows the letter set of Flink's token table. Hangul syllables are not in it.
func isLetter(r rune) bool {
	switch {
	case r < 0x80:
		return r == '$' || r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	case r >= 0xc0 && r <= 0x1fff:
		return r != 0xd7 && r != 0xf7
	}
	return r >= 0x2d00 && r <= 0x2d25 || r >= 0x3040 && r <= 0x318f || r >= 0x3300 && r <= 0x337f ||
		r >= 0x3400 && r <= 0x3d2d || r >= 0x4e00 && r <= 0x9fff || r >= 0xf900 && r <= 0xfaff
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (l *lexer) pos() Pos { return Pos{Offset: l.off, Line: l.line, Col: l.col} }

func (l *lexer) byteAt(i int) byte {
	if i < len(l.src) {
		return l.src[i]
	}
	return 0
}

// advance moves to byte offset end and counts lines: \n, \r and \r\n end one.
func (l *lexer) advance(end int) {
	for l.off < end {
		c := l.src[l.off]
		switch {
		case c == '\n', c == '\r' && l.byteAt(l.off+1) != '\n':
			l.line++
			l.col = 1
			l.off++
		case c < utf8.RuneSelf:
			l.col++
			l.off++
		default:
			r, n := utf8.DecodeRuneInString(l.src[l.off:])
			l.col += utf16Width(r)
			l.off += n
		}
	}
}

func utf16Width(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}

// skip passes blanks and comments. An unclosed block comment is a lexical error.
func (l *lexer) skip() *Error {
	for l.off < len(l.src) {
		rest := l.src[l.off:]
		switch {
		case strings.IndexByte(" \t\n\r\f", rest[0]) >= 0:
			l.advance(l.off + 1)
		case strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "//"):
			n := strings.IndexAny(rest, "\n\r")
			if n < 0 {
				n = len(rest)
			}
			l.advance(l.off + n)
		case strings.HasPrefix(rest, "/*+"):
			return nil
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				l.advance(len(l.src))
				return l.lexError(l.pos(), 0, true, "", "the comment that begins with /* is never closed by */")
			}
			l.advance(l.off + 2 + n + 2)
		default:
			return nil
		}
	}
	return nil
}

// lexError words the error as the token manager does: two blanks stand before "Encountered".
func (l *lexer) lexError(at Pos, r rune, eof bool, after, hint string) *Error {
	met := "<EOF> "
	if !eof {
		if r > 0xffff { // the first half of a surrogate pair is met first
			r = 0xd800 + (r-0x10000)>>10
		}
		met = fmt.Sprintf("\"%s\" (%d), ", escapeChar(r), r)
	}
	return &Error{
		Class:   ClassTokenMgr,
		Message: fmt.Sprintf("Lexical error at line %d, column %d.  Encountered: %safter : \"%s\"", at.Line, at.Col, met, escapeText(after)),
		Pos:     at,
		Hint:    hint,
	}
}

// escapeChar prints a character as JavaCC's messages do.
func escapeChar(r rune) string {
	switch r {
	case '\b':
		return `\b`
	case '\t':
		return `\t`
	case '\n':
		return `\n`
	case '\f':
		return `\f`
	case '\r':
		return `\r`
	case '"':
		return `\"`
	case '\'':
		return `\'`
	case '\\':
		return `\\`
	}
	if r < 0x20 || r > 0x7e {
		return fmt.Sprintf(`\u%04x`, r)
	}
	return string(r)
}

func escapeText(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r > 0xffff {
			r -= 0x10000
			b.WriteString(escapeChar(0xd800 + r>>10))
			b.WriteString(escapeChar(0xdc00 + r&0x3ff))
			continue
		}
		b.WriteString(escapeChar(r))
	}
	return b.String()
}

// operators in the order of longest match.
var operators = [...]string{"<=", ">=", "<>", "!=", "||", "=>", "..",
	"(", ")", "{", "}", "[", "]", ";", ".", ",", "=", ">", "<", "?", ":", "+", "-", "*", "/", "%", "'", "\"", "|", "^"}

// next returns the next token; a text that is no token gives a tokLexError.
func (l *lexer) next() token {
	if err := l.skip(); err != nil {
		return token{kind: tokLexError, start: err.Pos, end: err.Pos, err: err}
	}
	start := l.pos()
	if l.off >= len(l.src) {
		return token{kind: tokEOF, start: l.eofPos(), end: l.eofPos(), text: "<EOF>"}
	}
	kind, end := l.scan()
	if kind == tokLexError {
		r, n := utf8.DecodeRuneInString(l.src[l.off:])
		hint := hintForChar(r)
		if r == '!' || r == '`' {
			return l.partial(start, hint)
		}
		if l.off+n == len(l.src) { // the token manager has read past the bad character
			at := start
			at.Col += utf16Width(r)
			return token{kind: tokLexError, start: start, end: start, err: l.lexError(at, r, true, "", hint)}
		}
		return token{kind: tokLexError, start: start, end: start, err: l.lexError(start, r, false, "", hint)}
	}
	t := token{kind: kind, text: l.src[l.off:end], start: start}
	switch kind {
	case tokWord:
		up := upperASCII(t.text)
		if c, ok := l.keywords[up]; ok {
			t.kind, t.class, t.key = tokKeyword, c, up
		}
	case tokOp, tokHint, tokHintEnd:
		t.key = t.text
	}
	// the end place is the last character's own
	last := end - 1
	for last > l.off && !utf8.RuneStart(l.src[last]) {
		last--
	}
	l.advance(last)
	t.end = l.pos()
	l.advance(end)
	return t
}

// eofPos is where JavaCC sees the end of the text: the column of the last character read.
func (l *lexer) eofPos() Pos {
	p := l.pos()
	if p.Col > 1 {
		p.Col--
	} else if p.Line > 1 {
		p.Col = 0
	}
	return p
}

// partial is a token that began well and did not end: "!" without "=", or an open backquote.
func (l *lexer) partial(start Pos, hint string) token {
	end := l.off + 1
	if l.src[l.off] == '`' {
		for end < len(l.src) && l.src[end] != '\n' && l.src[end] != '\r' && l.src[end] != '`' {
			end++
		}
	}
	after := l.src[l.off:end]
	if after == "`" { // the token manager forgets a single backquote
		after = ""
	}
	l.advance(end)
	at := l.pos()
	if l.off >= len(l.src) {
		return token{kind: tokLexError, start: start, end: start, err: l.lexError(at, 0, true, after, hint)}
	}
	r, _ := utf8.DecodeRuneInString(l.src[l.off:])
	return token{kind: tokLexError, start: start, end: start, err: l.lexError(at, r, false, after, hint)}
}

func upperASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 32
		}
		return r
	}, s)
}

// scan finds the longest token at the current place and its end.
func (l *lexer) scan() (tokenKind, int) {
	s, i := l.src, l.off
	c := s[i]
	switch c {
	case 'x', 'X':
		if end := quotedEnd(s, i+1, '\''); end > 0 {
			return tokBinary, end
		}
	case 'n', 'N':
		if end := quotedEnd(s, i+1, '\''); end > 0 {
			return tokPrefixed, end
		}
	case 'e', 'E':
		if end := cStringEnd(s, i+1); end > 0 {
			return tokCString, end
		}
	case 'u', 'U':
		if l.byteAt(i+1) == '&' {
			if end := quotedEnd(s, i+2, '\''); end > 0 {
				return tokUnicode, end
			}
		}
	case '_':
		j := i + 1
		for j < len(s) && (isAlnum(s[j]) || j > i+1 && strings.IndexByte(":.-_", s[j]) >= 0) {
			j++
		}
		if j > i+1 {
			if end := quotedEnd(s, j, '\''); end > 0 {
				return tokPrefixed, end
			}
		}
	case '\'':
		if end := quotedEnd(s, i, '\''); end > 0 {
			return tokString, end
		}
		if i+2 < len(s) && s[i+2] == '\'' && strings.IndexByte("0123456789abcdefABCDEF+\" \t\n\r\f", s[i+1]) < 0 {
			return tokOp, i + 3 // a quoted escape character
		}
		return tokOp, i + 1 // an open quote is a token of its own
	case '{':
		if end := escapeEnd(s, i+1); end > 0 {
			return tokOp, end
		}
	case '`':
		if end := identEnd(s, i); end > 0 {
			return tokQuotedIdent, end
		}
		return tokLexError, i
	case '/':
		if strings.HasPrefix(s[i:], "/*+") {
			return tokHint, i + 3
		}
	case '*':
		if l.byteAt(i+1) == '/' {
			return tokHintEnd, i + 2
		}
	}
	if isDigit(c) || c == '.' && isDigit(l.byteAt(i+1)) {
		return numberEnd(s, i)
	}
	if r, _ := utf8.DecodeRuneInString(s[i:]); isLetter(r) {
		j := i
		for j < len(s) {
			r, n := utf8.DecodeRuneInString(s[j:])
			if !isLetter(r) && !isDigit(s[j]) {
				break
			}
			j += n
		}
		return tokWord, j
	}
	for _, op := range operators {
		if strings.HasPrefix(s[i:], op) {
			return tokOp, i + len(op)
		}
	}
	return tokLexError, i
}

// escapeEnd finds the end of {d, {t, {ts or {fn, which are one token each.
func escapeEnd(s string, i int) int {
	for i < len(s) && s[i] == ' ' {
		i++
	}
	rest := upperASCII(s[i:min(len(s), i+2)])
	switch {
	case rest == "TS", rest == "FN":
		return i + 2
	case strings.HasPrefix(rest, "T"), strings.HasPrefix(rest, "D"):
		return i + 1
	}
	return 0
}

func isAlnum(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// quotedEnd returns the end of a text in quotes (a doubled quote is a quote), or 0.
func quotedEnd(s string, i int, q byte) int {
	if i >= len(s) || s[i] != q {
		return 0
	}
	for i++; i < len(s); i++ {
		if s[i] == q {
			if i+1 < len(s) && s[i+1] == q {
				i++
				continue
			}
			return i + 1
		}
	}
	return 0
}

// identEnd is quotedEnd for a name in backquotes: not empty, on one line.
func identEnd(s string, i int) int {
	for j := i + 1; j < len(s) && s[j] != '\n' && s[j] != '\r'; j++ {
		if s[j] != '`' {
			continue
		}
		if j+1 < len(s) && s[j+1] == '`' {
			j++
			continue
		}
		if j == i+1 {
			return 0
		}
		return j + 1
	}
	return 0
}

// cStringEnd is quotedEnd for E'..' where a backslash escapes.
func cStringEnd(s string, i int) int {
	if i >= len(s) || s[i] != '\'' {
		return 0
	}
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\'':
			if i+1 < len(s) && s[i+1] == '\'' {
				i++
				continue
			}
			return i + 1
		}
	}
	return 0
}

func numberEnd(s string, i int) (tokenKind, int) {
	kind := tokInt
	j := i
	digits := func() {
		for j < len(s) && isDigit(s[j]) {
			j++
		}
	}
	digits()
	if j < len(s) && s[j] == '.' {
		kind = tokDecimal
		j++
		digits()
	}
	if j < len(s) && (s[j] == 'e' || s[j] == 'E') {
		k := j + 1
		if k < len(s) && (s[k] == '+' || s[k] == '-') {
			k++
		}
		if k < len(s) && isDigit(s[k]) {
			j = k
			digits()
			kind = tokApprox
		}
	}
	return kind, j
}
