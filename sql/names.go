package sql

// Names lists the words and the names in backquotes of a text: whatever in it could name a
// table. It ends at the first place that is no SQL.
func Names(text string) []string {
	var out []string
	l := newLexer(text)
	for {
		switch t := l.next(); t.kind {
		case tokLexError, tokEOF:
			return out
		case tokWord, tokKeyword, tokQuotedIdent:
			out = append(out, identOf(&t).Text)
		}
	}
}
