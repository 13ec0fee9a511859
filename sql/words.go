package sql

// Word is a piece of a text: a name, keyword, literal, operator or bracket.
type Word struct {
	// Text is in upper case unless Quoted.
	Text string
	// Line counts from 1, Offset is the byte where the word begins.
	Line, Offset int
	// Quoted marks what stands in quotes or back quotes; Text has them.
	Quoted bool
}

// Words cuts a text into its words, without comments. It ends at a character that begins
// no word.
func Words(text string) []Word {
	l := newLexer(text)
	var out []Word
	for {
		t := l.next()
		switch t.kind {
		case tokEOF, tokLexError:
			return out
		case tokString, tokPrefixed, tokUnicode, tokCString, tokBinary, tokQuotedIdent:
			out = append(out, Word{Text: t.text, Line: t.start.Line, Offset: t.start.Offset, Quoted: true})
		default:
			out = append(out, Word{Text: upperASCII(t.text), Line: t.start.Line, Offset: t.start.Offset})
		}
	}
}
