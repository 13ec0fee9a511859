package sql

import (
	"regexp"
	"strings"
	"sync"
)

// clientPatterns are the statements that Flink recognises by their text, before its grammar:
// SET k = v without quotes is one, and double quotes are part of what they quote.
type clientPatterns struct{ help, quit, clear, set, reset *regexp.Regexp }

var patterns = sync.OnceValue(func() clientPatterns {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?is)^(?:` + s + `)$`) }
	return clientPatterns{
		help:  re(`HELP\s*;?`),
		quit:  re(`(?:EXIT|QUIT)\s*;?`),
		clear: re(`CLEAR\s*;?`),
		set:   re(`SET(?:\s+(?P<key>[^'\s]+)\s*=\s*(?:'(?P<quoted>[^']*)'|(?P<val>[^;\s]+)))?\s*;?`),
		reset: re(`RESET(?:\s+(?P<key>[^'\s]+)\s*)?\s*;?`),
	}
})

// ParseStatement parses one statement as a session takes it: the client's own commands and
// the loose forms of SET and RESET first, then Flink's grammar. The error is an *Error.
func ParseStatement(text string) (Statement, error) {
	if s := clientStatement(text); s != nil {
		return s, nil
	}
	return Parse(text)
}

func clientStatement(text string) Statement {
	t := javaTrim(text)
	if len(t) > 4096 || t == "" || !strings.ContainsRune("hHqQeEcCsSrR", rune(t[0])) {
		return nil
	}
	span := Span{Start: Pos{Line: 1, Col: 1}, End: Pos{Offset: len(text), Line: 1, Col: 1}}
	p := patterns()
	switch {
	case p.help.MatchString(t):
		return &ClientCommand{span, "HELP"}
	case p.quit.MatchString(t):
		return &ClientCommand{span, "QUIT"}
	case p.clear.MatchString(t):
		return &ClientCommand{span, "CLEAR"}
	}
	if m := p.set.FindStringSubmatch(t); m != nil {
		if m[1] == "" {
			return &Set{Span: span, All: true}
		}
		v := m[3]
		if v == "" {
			v = m[2]
		}
		return &Set{Span: span, Key: m[1], Value: v}
	}
	if m := p.reset.FindStringSubmatch(t); m != nil {
		return &Reset{Span: span, All: m[1] == "", Key: m[1]}
	}
	return nil
}

// FirstWord is the first token of a statement if it is a plain name, else "".
func FirstWord(text string) string {
	if t := newLexer(javaTrim(text)).next(); t.kind == tokWord {
		return t.text
	}
	return ""
}
