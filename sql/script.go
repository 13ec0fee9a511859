package sql

import (
	"strings"
)

// Script cuts text into statements as sql-client reads them: line by line, until a line
// ends with a semicolon that is outside quotes and comments.
type Script struct {
	lines []string
	next  int
	raw   strings.Builder
	begin int
}

// Chunk is one statement as the client hands it on: the lines since the statement before,
// blank lines and comments included, joined by \n.
type Chunk struct {
	Text string
	// Raw is the text with the tabs that the client's line editor swallows.
	Raw string
	// Line is the line of the script, from 1, on which Text begins.
	Line int
	// Err is a lexical error that the client itself finds before it sends the text, or nil.
	Err error
}

// NewScript reads the text of a file as "sql-client.sh -f" does: surrounding blanks are
// dropped and a last semicolon is added where it is missing.
func NewScript(text string) *Script {
	trimmed := javaTrim(text)
	skipped := strings.Count(text[:strings.Index(text, trimmed)], "\n")
	if !strings.HasSuffix(trimmed, ";") {
		trimmed += ";"
	}
	s := NewInput(trimmed + "\n")
	s.begin += skipped
	return s
}

// NewInput reads text as it comes on standard input: nothing is added, and what follows the
// last complete statement is never run.
func NewInput(text string) *Script {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	lines := strings.Split(text, "\n")
	if n := len(lines); lines[n-1] == "" {
		lines = lines[:n-1]
	}
	return &Script{lines: lines, begin: 1}
}

// javaTrim drops characters up to the blank at both ends, as String.trim does.
func javaTrim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}

// Next returns the next complete statement, or false at the end of the text.
func (s *Script) Next() (Chunk, bool) {
	s.raw.Reset()
	return s.more(s.next)
}

// More goes on reading behind a chunk that turned out to be incomplete (Flink's parser met
// the end of the text, as between BEGIN and END of a statement set).
func (s *Script) More(c Chunk) (Chunk, bool) {
	s.raw.Reset()
	s.raw.WriteString(c.Raw)
	return s.more(c.Line - s.begin)
}

func (s *Script) more(first int) (Chunk, bool) {
	for s.next < len(s.lines) {
		if s.raw.Len() > 0 || s.next > first {
			s.raw.WriteByte('\n')
		}
		s.raw.WriteString(s.lines[s.next])
		s.next++
		text := strings.ReplaceAll(s.raw.String(), "\t", "")
		if !closed(text) || !strings.HasSuffix(javaTrim(text), ";") {
			continue
		}
		if t := javaTrim(text); t == "" || t == ";" {
			continue
		}
		done, err := complete(javaTrim(text))
		if done || err != nil {
			return Chunk{Text: text, Raw: s.raw.String(), Line: first + s.begin, Err: err}, true
		}
	}
	return Chunk{}, false
}

// closed tells whether no quote or comment is open at the end of text. The client knows
// '..', `..`, -- and /* */ only.
func closed(text string) bool {
	for i := 0; i < len(text); {
		var open, end string
		switch {
		case text[i] == '\'', text[i] == '`':
			open, end = text[i:i+1], text[i:i+1]
		case strings.HasPrefix(text[i:], "--"):
			open, end = "--", "\n"
		case strings.HasPrefix(text[i:], "/*+"):
			open, end = "/*+", "*/"
		case strings.HasPrefix(text[i:], "/*"):
			open, end = "/*", "*/"
		default:
			i++
			continue
		}
		i += len(open)
		n := strings.Index(text[i:], end)
		if n < 0 {
			return false
		}
		// the client moves on by one character from the end marker's first, so that the
		// rest of a two-character marker is read again
		i += n + 1
	}
	return true
}

// complete tells whether the last token is a semicolon: one inside a comment is none.
func complete(text string) (bool, error) {
	l := newLexer(text)
	last := token{}
	for {
		t := l.next()
		switch t.kind {
		case tokLexError:
			return false, t.err
		case tokEOF:
			return last.key == ";", nil
		}
		last = t
	}
}
