package sql

// from parses the FROM clause: tables parted by commas and joins, all left to right.
func (p *parser) from() TableExpr {
	left := p.tableRef()
	for {
		next := p.joinStep(left)
		if next == nil {
			return left
		}
		left = next
	}
}

// joinStep parses one ", t" or "JOIN t ..." behind left, or returns nil.
func (p *parser) joinStep(left TableExpr) TableExpr {
	p.look(1)
	if p.is(",") {
		p.look(2)
		if t := p.tok(1); !t.isName() && !t.oneOf("(", "LATERAL", "UNNEST", "TABLE") {
			return nil
		}
		p.next()
		j := &JoinExpr{Type: "COMMA", Left: left, Right: p.tableRef()}
		j.Span = p.spanFrom(left.At().Start)
		return j
	}
	kind, natural, n := p.joinType()
	if n == 0 {
		return nil
	}
	for k := 0; k < n; k++ {
		p.next()
	}
	j := &JoinExpr{Type: kind, Natural: natural, Left: left}
	j.Right = p.tableRef()
	switch {
	case p.take("ON"):
		j.On = p.expr()
	case p.take("USING"):
		j.Using = p.identList()
	}
	j.Span = p.spanFrom(left.At().Start)
	return j
}

// joinType recognises the words of a join; n counts them.
func (p *parser) joinType() (kind string, natural bool, n int) {
	if p.peek().key == "NATURAL" {
		p.look(2)
		natural, n = true, 1
	}
	t := p.tok(n)
	switch t.key {
	case "JOIN":
		p.look(n + 1)
		return "INNER", natural, n + 1
	case "INNER", "CROSS":
		p.look(n + 2)
		if p.tok(n+1).key == "JOIN" {
			return t.key, natural, n + 2
		}
	case "LEFT", "RIGHT", "FULL":
		p.look(n + 2)
		k := n + 1
		if p.tok(k).key == "OUTER" {
			k++
			p.look(k + 1)
		}
		if p.tok(k).key == "JOIN" {
			return t.key, natural, k + 1
		}
	}
	return "", false, 0
}

func (p *parser) tableRef() TableExpr {
	p.enter()
	defer p.leave()
	t := p.peek()
	p.nameAt = p.i
	p.look(1)
	lateral := false
	if t.key == "LATERAL" {
		p.look(2)
		if k := p.tok(1); !k.oneOf("(", "TABLE", "UNNEST") {
			p.fail()
		}
		p.next()
		lateral = true
	}
	switch p.peek().key {
	case "(":
		return p.bracketTable(t.start, lateral)
	case "UNNEST":
		return p.unnest(t.start)
	case "TABLE":
		return p.tableFunc(t.start, lateral)
	}
	if !p.peek().isName() {
		p.failHint(p.hintTable())
	}
	return p.namedTable()
}

func (p *parser) namedTable() TableExpr {
	name := p.name()
	start := name.Start
	if p.is("(") {
		p.look(2)
		call := p.callTailPlain(name)
		f := &TableFunc{Call: call}
		f.Alias = p.alias()
		f.Span = p.spanFrom(start)
		return f
	}
	r := &TableRef{Name: name}
	if p.is("/*+") {
		r.Hints = p.hints()
	}
	if p.is("FOR") {
		p.next()
		p.expectAll("SYSTEM_TIME", "AS", "OF")
		r.AsOf = p.expr()
	}
	if p.is("MATCH_RECOGNIZE") {
		r.Span = p.spanFrom(start)
		return p.matchRecognize(r)
	}
	r.Alias = p.alias()
	p.tableSample()
	r.Span = p.spanFrom(start)
	return r
}

func (p *parser) callTailPlain(name Name) *Call {
	c := &Call{Name: name}
	p.expect("(")
	if !p.take(")") {
		c.Args = append(c.Args, p.arg(true))
		for p.take(",") {
			c.Args = append(c.Args, p.arg(false))
		}
		p.expect(")")
	}
	c.Span = p.spanFrom(name.Start)
	return c
}

func (p *parser) tableSample() {
	if p.is("TABLESAMPLE") {
		p.failAs(ClassCalcite, p.peek().start, "", "TABLESAMPLE is not supported")
	}
}

// bracketTable parses (query) and (a JOIN b ...).
func (p *parser) bracketTable(start Pos, lateral bool) TableExpr {
	p.next()
	if p.bracketHoldsQuery() {
		q := p.queryStmt()
		p.expect(")")
		d := &Derived{Span: p.spanFrom(start), Query: q, Lateral: lateral}
		if p.is("MATCH_RECOGNIZE") {
			return p.matchRecognize(d)
		}
		d.Alias = p.alias()
		p.tableSample()
		d.Span = p.spanFrom(start)
		return d
	}
	t := p.tableRef()
	for {
		next := p.joinStep(t)
		if next == nil {
			break
		}
		t = next
	}
	p.expect(")")
	if j, ok := t.(*JoinExpr); ok {
		j.Brackets = true
		if p.is("AS") || p.atName() {
			p.failAs(ClassCalcite, j.Start, "name the tables inside the brackets", "Join expression encountered in illegal context")
		}
		return j
	}
	if r, ok := t.(*TableRef); ok && r.Alias == nil {
		r.Alias = p.alias()
	}
	return t
}

// bracketHoldsQuery looks past brackets for the word that begins a query.
func (p *parser) bracketHoldsQuery() bool {
	n := 0
	for p.tok(n).key == "(" {
		n++
	}
	t := p.tok(n)
	if n == 0 {
		return t.isQueryWord() && !(t.key == "TABLE" && p.tok(1).key == "(")
	}
	return t.isQueryWord()
}

func (p *parser) unnest(start Pos) TableExpr {
	p.next()
	u := &Unnest{}
	q, items := p.queryOrList()
	if q != nil {
		items = []Expr{&Subquery{Span: q.Span, Query: q}}
	}
	u.Args = items
	if p.is("WITH") {
		p.next()
		p.expect("ORDINALITY")
		u.Ordinality = true
	}
	u.Alias = p.alias()
	u.Span = p.spanFrom(start)
	return u
}

func (p *parser) tableFunc(start Pos, lateral bool) TableExpr {
	p.next()
	p.expect("(")
	f := &TableFunc{Lateral: lateral, Wrapped: true}
	name := p.name()
	if !p.is("(") {
		p.expect("(")
	}
	f.Call = p.callTailPlain(name)
	p.expect(")")
	f.Alias = p.alias()
	f.Span = p.spanFrom(start)
	return f
}

// alias parses [AS] a [(c1, c2)].
func (p *parser) alias() *Alias {
	as := p.take("AS")
	if !p.atName() {
		if as {
			p.failHint(p.hintName())
		}
		return nil
	}
	a := &Alias{Name: p.ident()}
	if p.is("(") {
		a.Columns = p.identList()
	}
	return a
}
