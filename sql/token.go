package sql

// tokenKind is the class of a token as the grammar tells them apart.
type tokenKind uint8

const (
	tokEOF         tokenKind = iota
	tokWord                  // a name that is no keyword
	tokKeyword               // reserved or not; key holds it in upper case
	tokQuotedIdent           // `a b`
	tokInt                   // 12
	tokDecimal               // 1.5 .5 1.
	tokApprox                // 1e3
	tokString                // 'x'
	tokPrefixed              // _UTF16'x' N'x'
	tokUnicode               // U&'x'
	tokCString               // E'x\n'
	tokBinary                // X'CAFE'
	tokOp                    // punctuation and operators; key holds them
	tokHint                  // /*+
	tokHintEnd               // */
	tokLexError              // no token begins here
)

// token is one piece of the text. start and end are inclusive places.
type token struct {
	kind       tokenKind
	class      wordClass
	key        string // upper-case keyword, or the operator
	text       string // as written
	start, end Pos
	err        *Error // of a tokLexError
}
