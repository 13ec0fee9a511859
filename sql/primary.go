package sql

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// primary parses an operand without prefix and infix operators.
func (p *parser) primary() Expr {
	p.enter()
	defer p.leave()
	t := p.peek()
	start := t.start
	switch t.kind {
	case tokInt, tokDecimal, tokApprox:
		p.next()
		return &NumberLit{Span{t.start, t.end}, t.text}
	case tokString, tokPrefixed, tokUnicode, tokCString:
		return p.stringLit()
	case tokBinary:
		return p.binaryLit()
	case tokWord, tokQuotedIdent:
		return p.nameOrCall()
	case tokOp:
		if t.key == "(" {
			return p.brackets()
		}
		if t.kind == tokOp && len(t.key) > 1 && t.key[0] == '{' {
			p.failAs(ClassCalcite, start, "write DATE '..', TIME '..', TIMESTAMP '..' or the function itself", "JDBC escapes are not supported")
		}
		if t.key == "?" {
			p.failAs(ClassCalcite, start, "dynamic parameters cannot be used here", "Illegal use of dynamic parameter")
		}
	case tokKeyword:
		if x := p.keywordPrimary(t); x != nil {
			return x
		}
	}
	p.nameAt = p.i
	p.look(1)
	if t.class&wordFunction != 0 || hasWord(specialCallWords, t.key) {
		p.look(2)
	}
	p.failHint(p.hintExpr())
	return nil
}

// keywordPrimary parses an operand that begins with a keyword, or returns nil.
func (p *parser) keywordPrimary(t *token) Expr {
	span := Span{t.start, t.end}
	after := func() *token { return p.tok(1) }
	switch t.key {
	case "TRUE", "FALSE":
		p.next()
		return &BoolLit{Span: span, Value: t.key == "TRUE"}
	case "UNKNOWN":
		p.next()
		return &BoolLit{Span: span, Unknown: true}
	case "NULL":
		p.next()
		return &NullLit{span}
	case "DATE", "TIME", "TIMESTAMP", "DATETIME":
		if x := p.temporalLit(); x != nil {
			return x
		}
		return nil
	case "DECIMAL":
		if after().kind == tokString {
			p.next()
			s := p.next()
			return &NumberLit{p.spanFrom(t.start), strings.TrimSpace(unquote(s.text))}
		}
		return nil
	case "INTERVAL":
		if p.look(2); !intervalGoesOn(after()) {
			return nil
		}
		return p.interval()
	case "CASE":
		return p.caseExpr()
	case "ROW":
		p.next()
		items := p.bracketItems()
		return &RowExpr{Span: p.spanFrom(t.start), Items: items, Explicit: true}
	case "ARRAY":
		if after().oneOf("[", "(") {
			return p.array()
		}
		return nil
	case "MAP":
		if after().oneOf("[", "(") {
			return p.mapExpr()
		}
	case "MULTISET":
		if after().key == "[" {
			p.next()
			items := p.squareItems()
			return &MultisetExpr{p.spanFrom(t.start), items}
		}
		return nil
	}
	if hasWord(specialCallWords, t.key) {
		if p.look(2); after().key == "(" {
			return p.specialCall()
		}
		if t.class&wordFunction == 0 && t.class&wordNonReserved == 0 && !t.oneOf("RUNNING", "FINAL") {
			return nil
		}
	}
	switch {
	case t.oneOf("RUNNING", "FINAL") && after().key != "(" && after().isName():
		return p.runningCall()
	case t.class&wordNonReserved != 0:
		if t.oneOf("TIMESTAMPADD", "TIMESTAMPDIFF") && after().key == "(" {
			return p.timestampCall()
		}
		if t.oneOf("TUMBLE", "HOP", "SESSION") && after().key == "(" {
			return p.nameOrCall()
		}
		return p.nameOrCall()
	case t.class&wordFunction != 0 && after().key == "(":
		p.look(2)
		p.next()
		return p.callTail(Name{Span: span, Parts: []Ident{{Span: span, Text: t.text}}})
	case t.class&wordContext != 0 && !t.oneOf("CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP"):
		p.next() // a value in the grammar, but Flink has no function of that name: then it is a column
		return &ColumnRef{Span: span, Name: Name{Span: span, Parts: []Ident{{Span: span, Text: t.text}}}}
	case t.class&wordContext != 0:
		p.next()
		return &Call{Span: span, Name: Name{Span: span, Parts: []Ident{{Span: span, Text: t.text}}}, Syntax: "BARE"}
	}
	return nil
}

// nameOrCall parses a name, t.* or a function call with a possibly qualified name.
func (p *parser) nameOrCall() Expr {
	// the grammar reads the whole name and the token behind it to tell a call from a column
	n := 0
	for p.tok(n).isName() && p.tok(n+1).key == "." && p.tok(n+2).isName() {
		n += 2
	}
	p.look(n + 2)
	call := p.tok(n+1).key == "("
	name := p.name()
	if call && p.is("(") {
		return p.callTail(name)
	}
	p.look(1)
	if p.is(".") {
		p.look(2)
		if p.tok(1).key == "*" {
			p.next()
			p.next()
			return &Star{Span: p.spanFrom(name.Start), Qualifier: name}
		}
	}
	return &ColumnRef{Span: name.Span, Name: name}
}

// brackets parses (x), (x, y), (query) and (a - b) DAY.
func (p *parser) brackets() Expr {
	start := p.peek().start
	p.next()
	first := p.exprOrQuery()
	items := []Expr{first}
	for p.take(",") {
		items = append(items, p.expr())
	}
	p.expect(")")
	span := p.spanFrom(start)
	if len(items) > 1 {
		return &RowExpr{Span: span, Items: items}
	}
	if s, ok := first.(*Subquery); ok {
		s.Span = span
		return s
	}
	if b, ok := first.(*Binary); ok && b.Op == "-" && p.atIntervalUnit() {
		unit := p.intervalUnit()
		return &Call{Span: p.spanFrom(start), Name: simpleName("MINUS_DATE", span), Syntax: "SPECIAL",
			Args: []Expr{b.X, b.Y, &Flag{span, unit.String()}}}
	}
	return parenthesized(first, span)
}

// parenthesized widens the span over the brackets, as Calcite's positions do for queries only;
// for expressions the tree alone keeps the grouping.
func parenthesized(x Expr, _ Span) Expr { return x }

func simpleName(text string, at Span) Name {
	return Name{Span: at, Parts: []Ident{{Span: at, Text: text}}}
}

// bracketItems parses (x, ...) with queries allowed.
func (p *parser) bracketItems() []Expr {
	p.expect("(")
	items := []Expr{p.defaultOrExpr(true)}
	for p.take(",") {
		items = append(items, p.defaultOrExpr(false))
	}
	p.expect(")")
	return items
}

func (p *parser) defaultOrExpr(query bool) Expr {
	if p.is("DEFAULT") {
		t := p.next()
		return &DefaultExpr{Span{t.start, t.end}}
	}
	if query {
		return p.exprOrQuery()
	}
	return p.expr()
}

// squareItems parses [x, ...], possibly empty.
func (p *parser) squareItems() []Expr {
	p.expect("[")
	var items []Expr
	if !p.is("]") {
		items = p.exprList()
	}
	p.expect("]")
	return items
}

func (p *parser) array() Expr {
	start := p.next().start
	if p.is("[") {
		items := p.squareItems()
		return &ArrayExpr{Span: p.spanFrom(start), Items: items}
	}
	if p.tok(1).key == ")" {
		p.next()
		p.next()
		return &ArrayExpr{Span: p.spanFrom(start)}
	}
	q, items := p.queryOrList()
	return &ArrayExpr{Span: p.spanFrom(start), Items: items, Query: q}
}

func (p *parser) mapExpr() Expr {
	start := p.next().start
	if p.is("[") {
		items := p.squareItems()
		return &MapExpr{Span: p.spanFrom(start), Items: items}
	}
	if p.tok(1).key == ")" {
		p.next()
		p.next()
		return &MapExpr{Span: p.spanFrom(start)}
	}
	q, items := p.queryOrList()
	return &MapExpr{Span: p.spanFrom(start), Items: items, Query: q}
}

func (p *parser) caseExpr() Expr {
	c := &Case{}
	start := p.next().start
	if !p.is("WHEN") {
		c.X = p.expr()
	}
	for first := true; first || p.is("WHEN"); first = false {
		p.expect("WHEN")
		at := p.peek().start
		conds := p.exprList()
		cond := conds[0]
		if len(conds) > 1 {
			cond = &RowExpr{Span: p.spanFrom(at), Items: conds}
		}
		p.expect("THEN")
		c.When = append(c.When, When{cond, p.expr()})
	}
	if p.take("ELSE") {
		c.Else = p.expr()
	}
	p.expect("END")
	c.Span = p.spanFrom(start)
	return c
}

// stringLit parses a text; further texts behind it continue it.
func (p *parser) stringLit() Expr {
	t := p.next()
	s := &StringLit{}
	switch t.kind {
	case tokString:
		s.Value = unquote(t.text)
	case tokPrefixed:
		q := strings.IndexByte(t.text, '\'')
		s.Charset = strings.TrimPrefix(t.text[:q], "_")
		if strings.EqualFold(s.Charset, "N") {
			s.Charset = "ISO-8859-1"
		}
		s.Value = unquote(t.text[q:])
	case tokUnicode:
		s.Unicode = true
		s.Value = unquote(t.text[2:])
	case tokCString:
		s.Unicode = true
		s.Value = p.cString(t)
	}
	for p.peek().kind == tokString && t.kind != tokCString {
		s.Value += unquote(p.next().text)
	}
	esc := `\`
	if t.kind != tokCString && p.take("UESCAPE") {
		esc = p.stringText()
	}
	if t.kind == tokUnicode {
		s.Value = p.unescapeUnicode(t, s.Value, esc)
	}
	s.Span = p.spanFrom(t.start)
	return s
}

// unescapeUnicode replaces \xxxx and doubled escape characters.
func (p *parser) unescapeUnicode(t *token, v, esc string) string {
	if len(esc) != 1 {
		p.failAs(ClassCalcite, t.start, "", "UESCAPE value must be a single character")
	}
	var units []uint16
	for i := 0; i < len(v); {
		if v[i] != esc[0] {
			j := i
			for j < len(v) && v[j] != esc[0] {
				j++
			}
			units = append(units, utf16.Encode([]rune(v[i:j]))...)
			i = j
			continue
		}
		if i+1 < len(v) && v[i+1] == esc[0] {
			units = append(units, uint16(esc[0]))
			i += 2
			continue
		}
		if i+5 > len(v) {
			p.failAs(ClassCalcite, t.start, "", "Unicode escape sequence starting at character %d is not exactly four hex digits", i)
		}
		n, err := strconv.ParseUint(v[i+1:i+5], 16, 16)
		if err != nil {
			p.failAs(ClassCalcite, t.start, "", "Unicode escape sequence starting at character %d is not exactly four hex digits", i)
		}
		units = append(units, uint16(n))
		i += 5
	}
	return string(utf16.Decode(units))
}

// cString decodes E'..' with C's escapes.
func (p *parser) cString(t *token) string {
	v := t.text[2 : len(t.text)-1]
	var b strings.Builder
	for i := 0; i < len(v); i++ {
		c := v[i]
		if c == '\'' && i+1 < len(v) {
			i++
		}
		if c != '\\' || i+1 >= len(v) {
			b.WriteByte(c)
			continue
		}
		i++
		switch v[i] {
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'x', 'u', 'U':
			max := map[byte]int{'x': 2, 'u': 4, 'U': 8}[v[i]]
			j := i + 1
			for j < len(v) && j < i+1+max && strings.IndexByte("0123456789abcdefABCDEF", v[j]) >= 0 {
				j++
			}
			n, _ := strconv.ParseUint(v[i+1:j], 16, 32)
			b.WriteRune(rune(n))
			i = j - 1
		default:
			if v[i] >= '0' && v[i] <= '7' {
				j := i
				for j < len(v) && j < i+3 && v[j] >= '0' && v[j] <= '7' {
					j++
				}
				n, _ := strconv.ParseUint(v[i:j], 8, 32)
				b.WriteRune(rune(n))
				i = j - 1
				continue
			}
			b.WriteByte(v[i])
		}
	}
	return b.String()
}

func (p *parser) binaryLit() Expr {
	t := p.next()
	hex := t.text[2 : len(t.text)-1]
	for p.peek().kind == tokString {
		hex += unquote(p.next().text)
	}
	for i := 0; i < len(hex); i++ {
		if strings.IndexByte("0123456789abcdefABCDEF", hex[i]) < 0 {
			p.failAs(ClassValidator, t.start, "only the digits 0-9 and A-F may stand in X'..'",
				"Binary literal string must contain only characters '0' - '9', 'A' - 'F'")
		}
	}
	if len(hex)%2 != 0 {
		p.failAs(ClassValidator, t.start, "two digits make a byte", "Binary literal string must contain an even number of hexits")
	}
	return &BinaryLit{p.spanFrom(t.start), hex}
}

// temporalLit parses DATE '..' and friends; nil when no text follows.
func (p *parser) temporalLit() Expr {
	t := p.peek()
	n := 1
	kind := t.key
	if t.key == "TIMESTAMP" && p.tok(1).key == "WITH" {
		if p.tok(2).key == "LOCAL" && p.tok(3).key == "TIME" && p.tok(4).key == "ZONE" {
			n, kind = 5, "TIMESTAMP_LTZ"
		}
	}
	p.look(n + 1)
	if p.tok(n).kind != tokString {
		if n == 1 && p.tok(1).key == "(" {
			p.next()
			return p.callTail(Name{Span: Span{t.start, t.end}, Parts: []Ident{{Span: Span{t.start, t.end}, Text: t.text}}})
		}
		return nil
	}
	p.i += n
	s := p.next()
	return &TemporalLit{Span: p.spanFrom(t.start), Kind: kind, Text: unquote(s.text)}
}
