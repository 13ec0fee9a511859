package sql

// flag takes words that must follow and keeps them as one keyword argument.
func (p *parser) flag(words ...string) *Flag {
	start := p.peek().start
	text := ""
	for _, w := range words {
		p.expect(w)
		if text != "" {
			text += " "
		}
		text += w
	}
	return &Flag{p.spanFrom(start), text}
}

// jsonCall parses the arguments and clauses of the SQL/JSON functions. Clauses become Flags:
// "NULL ON EMPTY", "DEFAULT ON ERROR" (followed by its value), "RETURNING" (followed by a
// Cast of NULL that carries the type), "WITH WRAPPER", "KEY" before a key-value pair, ...
func (p *parser) jsonCall(c *Call, fn string) {
	switch fn {
	case "JSON_EXISTS":
		p.jsonPath(c)
		if p.is("TRUE", "FALSE", "UNKNOWN", "ERROR") {
			c.Args = append(c.Args, p.flag(p.peek().key, "ON", "ERROR"))
		}
	case "JSON_VALUE":
		p.jsonPath(c)
		p.jsonReturning(c)
		for p.is("NULL", "ERROR", "DEFAULT") {
			p.jsonBehaviour(c)
		}
	case "JSON_QUERY":
		p.jsonPath(c)
		p.jsonReturning(c)
		if p.is("WITH", "WITHOUT") {
			p.jsonWrapper(c)
		}
		for p.is("NULL", "ERROR", "EMPTY") {
			p.jsonBehaviour(c)
		}
	case "JSON_OBJECT":
		if !p.is(")") && !p.jsonNullClauseAhead() {
			p.jsonPair(c)
			for p.take(",") {
				p.jsonPair(c)
			}
		}
		p.jsonNullClause(c)
	case "JSON_OBJECTAGG":
		p.jsonPair(c)
		p.jsonNullClause(c)
	case "JSON_ARRAY":
		if !p.is(")") && !p.jsonNullClauseAhead() {
			c.Args = append(c.Args, p.expr())
			for p.take(",") {
				c.Args = append(c.Args, p.expr())
			}
		}
		p.jsonNullClause(c)
	case "JSON_ARRAYAGG":
		c.Args = append(c.Args, p.expr())
		if p.is("ORDER") {
			c.Within, c.Ordered = p.orderBy(), true
		}
		p.jsonNullClause(c)
	}
	p.expect(")")
	if fn == "JSON_ARRAYAGG" && p.is("WITHIN") {
		p.next()
		p.expectAll("GROUP", "(")
		c.Within = p.orderBy()
		p.expect(")")
	}
	if fn == "JSON_OBJECTAGG" || fn == "JSON_ARRAYAGG" {
		if p.take("FILTER") {
			p.expectAll("(", "WHERE")
			c.Filter = p.expr()
			p.expect(")")
		}
	}
}

func (p *parser) jsonPath(c *Call) {
	c.Args = append(c.Args, p.expr())
	p.expect(",")
	c.Args = append(c.Args, p.expr())
}

func (p *parser) jsonReturning(c *Call) {
	if !p.is("RETURNING") {
		return
	}
	f := p.flag("RETURNING")
	t := p.dataType()
	c.Args = append(c.Args, f, &Cast{Span: t.Span, X: &NullLit{t.Span}, Type: t})
}

func (p *parser) jsonBehaviour(c *Call) {
	start := p.peek().start
	text := p.next().key
	var value Expr
	switch text {
	case "DEFAULT":
		value = p.expr()
	case "EMPTY":
		k, ok := p.takeAny("ARRAY", "OBJECT")
		if !ok {
			p.fail()
		}
		text += " " + k
	}
	p.expect("ON")
	k, ok := p.takeAny("EMPTY", "ERROR")
	if !ok {
		p.fail()
	}
	c.Args = append(c.Args, &Flag{p.spanFrom(start), text + " ON " + k})
	if value != nil {
		c.Args = append(c.Args, value)
	}
}

func (p *parser) jsonWrapper(c *Call) {
	start := p.peek().start
	text := p.next().key
	for p.is("CONDITIONAL", "UNCONDITIONAL", "ARRAY") {
		text += " " + p.next().key
	}
	p.expect("WRAPPER")
	c.Args = append(c.Args, &Flag{p.spanFrom(start), text + " WRAPPER"})
}

func (p *parser) jsonPair(c *Call) {
	if p.is("KEY") && !p.tok(1).oneOf("VALUE", ":", ",", ")", ".", "(") {
		p.next()
	}
	c.Args = append(c.Args, p.expr())
	if _, ok := p.takeAny("VALUE", ":"); !ok {
		p.fail()
	}
	c.Args = append(c.Args, p.expr())
}

func (p *parser) jsonNullClauseAhead() bool {
	return p.is("NULL", "ABSENT") && p.tok(1).key == "ON"
}

func (p *parser) jsonNullClause(c *Call) {
	if p.is("NULL", "ABSENT") {
		c.Args = append(c.Args, p.flag(p.peek().key, "ON", "NULL"))
	}
}
