package sql

// callTail parses a call's brackets and what may stand behind them.
func (p *parser) callTail(name Name) Expr {
	c := &Call{Name: name}
	p.look(2)
	p.expect("(")
	switch {
	case p.is("*") && p.starCall():
		c.Star = true
	case p.take(")"):
	default:
		if w, ok := p.takeAny("DISTINCT", "ALL"); ok {
			c.Distinct, c.All = w == "DISTINCT", w == "ALL"
		}
		p.callArgs(c)
	}
	p.callClauses(c, name.Start)
	if d := asDescriptor(c); d != nil {
		return d
	}
	return c
}

// starCall takes "*)" .
func (p *parser) starCall() bool {
	p.next()
	p.expect(")")
	return true
}

func (p *parser) callArgs(c *Call) {
	// ORDER BY behind a first argument belongs to ARRAY_AGG alone.
	first := len(c.Name.Parts) != 1 || upperASCII(c.Name.Parts[0].Text) != "ARRAY_AGG" || p.is("SELECT", "WITH", "VALUES", "VALUE", "TABLE")
	c.Args = append(c.Args, p.arg(first))
	for p.take(",") {
		c.Args = append(c.Args, p.arg(false))
	}
	// ARRAY_AGG(x ORDER BY y) and ARRAY_AGG(x IGNORE NULLS) keep their clauses inside the brackets
	if n := len(c.Name.Parts); n == 1 && upperASCII(c.Name.Parts[0].Text) == "ARRAY_AGG" {
		if w, ok := p.takeAny("IGNORE", "RESPECT"); ok {
			p.expect("NULLS")
			c.Nulls = w
		}
		if p.is("ORDER") {
			c.Within, c.Ordered = p.orderBy(), true
			c.Syntax = "SPECIAL"
		}
	}
	p.expect(")")
}

// arg parses one argument: [name =>] DEFAULT, TABLE t, a query (first argument only) or a value.
func (p *parser) arg(first bool) Expr {
	start := p.peek().start
	p.look(1)
	if p.atName() {
		p.look(2)
		if p.tok(1).key == "=>" {
			id := p.ident()
			p.next()
			x := p.argValue(first)
			return &NamedArg{Span: p.spanFrom(start), Name: id, Value: x}
		}
	}
	return p.argValue(first)
}

func (p *parser) argValue(first bool) Expr {
	t := p.peek()
	if t.key == "DEFAULT" {
		p.next()
		return &DefaultExpr{Span{t.start, t.end}}
	}
	if t.key == "TABLE" {
		if first {
			p.look(2)
			if p.tok(1).isName() {
				p.look(3)
			}
		}
		return p.tableArg()
	}
	if !first {
		return p.expr()
	}
	if t.oneOf("SELECT", "WITH", "VALUES", "VALUE") {
		q := p.queryNoOrder()
		return p.tableArgClauses(&TableArg{Query: q}, t.start)
	}
	x := p.expr()
	if s, ok := x.(*Subquery); ok && (p.is("PARTITION", "ORDER") || p.is("UNION", "INTERSECT", "EXCEPT")) {
		q := p.setOps(s.Query)
		return p.tableArgClauses(&TableArg{Query: q, Parens: true}, t.start)
	}
	p.noOrder()
	return x
}

func (p *parser) tableArg() Expr {
	start := p.next().start
	a := &TableArg{}
	a.Name = p.name()
	return p.tableArgClauses(a, start)
}

func (p *parser) tableArgClauses(a *TableArg, start Pos) Expr {
	if p.take("PARTITION") {
		p.expect("BY")
		if p.is("(") {
			p.next()
			a.PartitionBy = p.columnList()
			p.expect(")")
		} else {
			a.PartitionBy = []Expr{p.columnName()}
		}
	}
	if p.take("ORDER") {
		p.expect("BY")
		if p.is("(") {
			p.next()
			a.OrderBy = p.orderItems()
			p.expect(")")
		} else {
			a.OrderBy = []OrderItem{p.orderItem()}
		}
	}
	a.Span = p.spanFrom(start)
	return a
}

func (p *parser) columnName() Expr {
	id := p.ident()
	return &ColumnRef{Span: id.Span, Name: Name{Span: id.Span, Parts: []Ident{id}}}
}

func (p *parser) columnList() []Expr {
	list := []Expr{p.columnName()}
	for p.take(",") {
		list = append(list, p.columnName())
	}
	return list
}

// callClauses parses IGNORE NULLS, WITHIN GROUP, FILTER and OVER.
func (p *parser) callClauses(c *Call, start Pos) {
	if p.is("IGNORE", "RESPECT") {
		if p.look(2); p.tok(1).key == "NULLS" {
			c.Nulls = p.next().key
			p.next()
		}
	}
	if p.is("WITHIN") {
		p.look(2)
		p.next()
		p.expect("GROUP")
		p.expect("(")
		c.Within = p.orderBy()
		p.expect(")")
	}
	if p.take("FILTER") {
		p.expectAll("(", "WHERE")
		c.Filter = p.expr()
		p.expect(")")
	}
	p.over(c)
	c.Span = p.spanFrom(start)
}

func (p *parser) over(c *Call) {
	if !p.take("OVER") {
		return
	}
	if p.is("(") {
		c.Over = p.windowSpec()
		return
	}
	c.OverName = p.ident().Text
}

// asDescriptor recognises DESCRIPTOR(a, b).
func asDescriptor(c *Call) Expr {
	n := c.Name.Parts
	if len(n) != 1 || n[0].Quoted || upperASCII(n[0].Text) != "DESCRIPTOR" || c.Over != nil || c.Filter != nil {
		return nil
	}
	return &Descriptor{Span: c.Span, Columns: c.Args}
}

// windowSpec parses the inside of OVER ( ... ).
func (p *parser) windowSpec() *WindowSpec {
	start := p.expect("(").start
	w := &WindowSpec{}
	if p.atName() {
		w.Ref = p.ident().Text
	}
	if p.take("PARTITION") {
		p.expect("BY")
		w.PartitionBy = p.exprList()
	}
	if p.is("ORDER") {
		w.OrderBy = p.orderBy()
	}
	if k, ok := p.takeAny("ROWS", "RANGE"); ok {
		w.Frame = p.frame(k == "ROWS")
	}
	if _, ok := p.takeAny("ALLOW", "DISALLOW"); ok {
		p.expect("PARTIAL")
	}
	p.expect(")")
	w.Span = p.spanFrom(start)
	return w
}

func (p *parser) frame(rows bool) *Frame {
	f := &Frame{Rows: rows}
	if p.take("BETWEEN") {
		f.Start = p.frameBound()
		p.expect("AND")
		f.End = p.frameBound()
		return f
	}
	f.Start = p.frameBound()
	return f
}

func (p *parser) frameBound() FrameBound {
	if p.seq("CURRENT", "ROW") {
		p.next()
		p.next()
		return FrameBound{Kind: "CURRENT ROW"}
	}
	if p.is("UNBOUNDED") {
		if p.look(2); p.tok(1).oneOf("PRECEDING", "FOLLOWING") {
			p.next()
			return FrameBound{Kind: "UNBOUNDED " + p.next().key}
		}
	}
	x := p.exprPrec(precAnd, false)
	if k, ok := p.takeAny("PRECEDING", "FOLLOWING"); ok {
		return FrameBound{Kind: k, X: x}
	}
	p.fail()
	return FrameBound{}
}
