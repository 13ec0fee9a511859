package sql

import (
	"fmt"
	"strings"
)

// parser is a recursive-descent parser over Flink 2.3's grammar. It keeps what is needed to
// word errors as Flink's generated parser does: how far the grammar's lookahead had read
// (far), and whether a name was among what could stand at the current token (nameAt).
type parser struct {
	src  string
	lex  *lexer
	toks []token
	i    int
	// far is the index of the last token that a lookahead of more than one token has read:
	// the error message repeats the tokens from the current one up to it.
	far int
	// nameAt is the last token index at which a name was tried.
	nameAt int
	depth  int
}

// maxDepth bounds nesting, so that no text can exhaust the stack.
const maxDepth = 1000

func newParser(src string) *parser {
	return &parser{src: src, lex: newLexer(src), far: -1, nameAt: -1}
}

// bail carries an *Error up to the entry points; it never leaves the package.
type bail struct{ err *Error }

func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case bail:
		*err = r.err
	default:
		panic(r)
	}
}

// Parse parses one statement; a semicolon may end it. The error is an *Error.
func Parse(text string) (s Statement, err error) {
	list, err := ParseList(text)
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, &Error{Class: ClassIllegalArg, Message: "only single statement supported", Pos: Pos{Line: 1, Col: 1},
			Hint: "two statements reached Flink as one: end each with a semicolon at the end of its own line"}
	}
	return list[0], nil
}

// ParseList parses statements that semicolons part.
func ParseList(text string) (list []Statement, err error) {
	defer catch(&err)
	p := newParser(text)
	if p.peek().kind != tokEOF {
		list = append(list, p.statement())
		for p.take(";") {
			if p.peek().kind != tokEOF {
				p.startStatement()
				list = append(list, p.statement())
			}
		}
	}
	if p.peek().kind != tokEOF {
		p.fail()
	}
	return list, nil
}

// ParseQuery parses a query alone, as it stands behind CREATE VIEW ... AS.
func ParseQuery(text string) (q *Query, err error) {
	defer catch(&err)
	p := newParser(text)
	q = p.queryStmt()
	p.take(";")
	if p.peek().kind != tokEOF {
		p.fail()
	}
	return q, nil
}

// ParseExpr parses one scalar expression.
func ParseExpr(text string) (x Expr, err error) {
	defer catch(&err)
	p := newParser(text)
	x = p.expr()
	if p.peek().kind != tokEOF {
		p.fail()
	}
	return x, nil
}

// ParseType parses a type name as it stands in CREATE TABLE or CAST.
func ParseType(text string) (t TypeName, err error) {
	defer catch(&err)
	p := newParser(text)
	t = p.extendedType()
	if p.peek().kind != tokEOF {
		p.fail()
	}
	return t, nil
}

// tok returns the token n places ahead. Reading a text that is no token fails at once, as
// the token manager does when the parser asks for it.
func (p *parser) tok(n int) *token {
	for len(p.toks) <= p.i+n {
		if k := len(p.toks); k > 0 && p.toks[k-1].kind == tokEOF {
			p.toks = append(p.toks, p.toks[k-1])
			continue
		}
		t := p.lex.next()
		if t.kind == tokLexError {
			panic(bail{t.err})
		}
		p.toks = append(p.toks, t)
	}
	return &p.toks[p.i+n]
}

func (p *parser) peek() *token { return p.tok(0) }

func (p *parser) next() *token {
	t := p.tok(0)
	p.i++
	return t
}

// prev is the token just taken.
func (p *parser) prev() *token { return &p.toks[p.i-1] }

// is tells whether the current token is one of these keywords or operators.
func (p *parser) is(keys ...string) bool { return p.peek().oneOf(keys...) }

func (t *token) oneOf(keys ...string) bool {
	if t.key == "" {
		return false
	}
	for _, k := range keys {
		if t.key == k {
			return true
		}
	}
	return false
}

// take takes the current token if it is key.
func (p *parser) take(key string) bool {
	if p.peek().key == key {
		p.i++
		return true
	}
	return false
}

func (p *parser) takeAny(keys ...string) (string, bool) {
	if p.is(keys...) {
		return p.next().key, true
	}
	return "", false
}

// expect takes key or fails.
func (p *parser) expect(key string) *token {
	if p.peek().key != key {
		p.failHint(p.hintExpected(key))
	}
	return p.next()
}

func (p *parser) expectAll(keys ...string) {
	for _, k := range keys {
		p.expect(k)
	}
}

// look notes that the grammar reads n tokens ahead here. When it finds the wrong token at
// place k < n it has read only k+1; callers pass what was read.
func (p *parser) look(n int) {
	if f := p.i + n - 1; f > p.far {
		p.far = f
	}
	p.tok(n - 1)
}

// seq tells whether the next tokens are these keys, with the lookahead that implies.
func (p *parser) seq(keys ...string) bool {
	for n, k := range keys {
		p.look(n + 1)
		if p.tok(n).key != k {
			return false
		}
	}
	return true
}

func (t *token) isName() bool {
	return t.kind == tokWord || t.kind == tokQuotedIdent || t.kind == tokKeyword && t.class&wordNonReserved != 0
}

// atName tells whether a name stands here, and notes that one was tried.
func (p *parser) atName() bool {
	p.nameAt = p.i
	return p.peek().isName()
}

func (p *parser) ident() Ident {
	if !p.atName() {
		p.failHint(p.hintName())
	}
	return identOf(p.next())
}

func identOf(t *token) Ident {
	id := Ident{Span: Span{t.start, t.end}, Text: t.text}
	if t.kind == tokQuotedIdent {
		id.Quoted = true
		id.Text = strings.ReplaceAll(t.text[1:len(t.text)-1], "``", "`")
	}
	return id
}

// name parses a.b.c.
func (p *parser) name() Name {
	id := p.ident()
	n := Name{Span: id.Span, Parts: []Ident{id}}
	for p.dotName() {
		p.next()
		id = p.ident()
		n.Parts = append(n.Parts, id)
		n.End = id.End
	}
	return n
}

// dotName tells whether ". name" follows; the grammar looks at both tokens.
func (p *parser) dotName() bool {
	p.look(1)
	if p.peek().key != "." {
		return false
	}
	p.look(2)
	return p.tok(1).isName()
}

func (p *parser) identList() []Ident {
	p.expect("(")
	ids := []Ident{p.ident()}
	for p.take(",") {
		ids = append(ids, p.ident())
	}
	p.expect(")")
	return ids
}

func (p *parser) stringText() string {
	if p.peek().kind != tokString {
		p.failHint(p.hintString())
	}
	return unquote(p.next().text)
}

// longText parses a string literal that further literals may continue.
func (p *parser) longText() string {
	switch p.peek().kind {
	case tokString, tokPrefixed, tokUnicode, tokCString:
		return p.stringLit().(*StringLit).Value
	}
	p.failHint(p.hintString())
	return ""
}

func unquote(s string) string {
	return strings.ReplaceAll(s[1:len(s)-1], "''", "'")
}

func (p *parser) spanFrom(start Pos) Span {
	if p.i == 0 {
		return Span{start, start}
	}
	return Span{start, p.prev().end}
}

// fail reports the current token in Flink's words.
func (p *parser) fail() { p.failHint("") }

func (p *parser) failHint(hint string) {
	t := p.peek()
	if hint == "" {
		hint = p.hintGeneral()
	}
	e := &Error{Class: ClassParse, Pos: t.start, Hint: hint}
	// Calcite rewords the message when the token is a keyword written in capitals and a
	// name would have been possible.
	if t.kind == tokKeyword && t.text == t.key && p.nameAt == p.i {
		e.Message = fmt.Sprintf("Incorrect syntax near the keyword '%s' at line %d, column %d.", t.text, t.start.Line, t.start.Col)
		panic(bail{e})
	}
	var met []string
	for n := 0; n == 0 || p.i+n <= p.far; n++ {
		x := p.tok(n)
		if x.kind == tokEOF {
			met = append(met, "<EOF>")
			break
		}
		met = append(met, escapeText(x.text))
	}
	e.Message = fmt.Sprintf("Encountered \"%s\" at line %d, column %d.", strings.Join(met, " "), t.start.Line, t.start.Col)
	panic(bail{e})
}

// failHere fails at the next token alone, whatever was looked at behind it, and not as a name.
func (p *parser) failHere() {
	p.far, p.nameAt = p.i, -1
	p.fail()
}

// failAs reports an error of Calcite's or Flink's own checks while parsing.
func (p *parser) failAs(class string, at Pos, hint, format string, a ...any) {
	panic(bail{&Error{Class: class, Message: fmt.Sprintf(format, a...), Pos: at, Hint: hint}})
}

// enter bounds the nesting depth; leave undoes it.
func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.failAs(ClassParse, p.peek().start, "the text is nested too deeply", "nesting is deeper than %d", maxDepth)
	}
}

func (p *parser) leave() { p.depth-- }
