package sql

// from parses the FROM clause: tables parted by commas and joins, all left to right.
func (p *parser) from() TableExpr {
	left := p.joins(p.tableRef())
	for p.commaThenTable() {
		p.next()
		j := &JoinExpr{Type: "COMMA", Left: left, Right: p.joins(p.tableRef())}
		j.Span = p.spanFrom(left.At().Start)
		left = j
	}
	return left
}

func (p *parser) commaThenTable() bool {
	p.look(1)
	if !p.is(",") {
		return false
	}
	p.look(2)
	return p.tok(1).startsTable()
}

// joins parses all "JOIN t ..." behind left. A comma binds weaker than they do.
func (p *parser) joins(left TableExpr) TableExpr {
	for {
		next := p.joinStep(left)
		if next == nil {
			return left
		}
		left = next
	}
}

// joinStep parses one "JOIN t ..." behind left, or returns nil. The grammar looks three
// tokens ahead, so that a short join with a wrong token behind it is refused at its first word.
func (p *parser) joinStep(left TableExpr) TableExpr {
	p.look(1)
	if p.is("OUTER") { // only OUTER APPLY begins so
		p.next()
		p.apply()
		p.failHere()
	}
	kind, natural, n := p.joinType()
	if n == 0 {
		return nil
	}
	if n < 3 {
		p.look(n + 1)
		if !p.tok(n).startsTable() {
			if kind == "CROSS" { // the grammar goes on to CROSS APPLY
				p.next()
				p.apply()
			}
			p.nameAt = p.i
			if kind == "CROSS" {
				p.fail()
			}
			return nil
		}
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
		if t.key == "CROSS" && n == 0 {
			p.next()
			p.apply()
			p.fail()
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

// apply refuses CROSS APPLY and OUTER APPLY, which Calcite knows and Flink does not allow.
func (p *parser) apply() {
	if p.is("APPLY") {
		p.failAs(ClassCalcite, p.peek().start, "write CROSS JOIN LATERAL or LEFT JOIN LATERAL", "APPLY operator is not allowed under the current SQL conformance level")
	}
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
		p.next()
		lateral = true
		if !p.is("(") {
			if !p.is("TABLE") {
				p.fail()
			}
			return p.tableFunc(t.start, true)
		}
	}
	switch p.peek().key {
	case "(":
		if s := p.tok(1); !s.startsTable() && !s.isQueryWord() {
			p.look(2)
			p.fail()
		}
		return p.bracketTable(t.start, lateral)
	case "UNNEST":
		if p.look(2); p.tok(1).key != "(" {
			p.fail()
		}
		return p.unnest(t.start)
	case "TABLE":
		return p.tableFunc(t.start, lateral)
	}
	if !p.peek().isName() {
		p.failHint(p.hintTable())
	}
	return p.namedTable()
}

// startsTable tells whether an item of FROM can begin with t.
func (t *token) startsTable() bool { return t.isName() || t.oneOf("(", "LATERAL", "UNNEST", "TABLE") }

func (p *parser) namedTable() TableExpr {
	name := p.name()
	start := name.Start
	if p.is("(") {
		p.look(2)
		if p.tok(1).isName() {
			p.look(3)
		}
		if p.tok(1).oneOf("SELECT", "WITH", "VALUES", "VALUE") || p.tok(1).isName() && !p.argGoesOn(p.tok(2)) {
			p.extendList()
		}
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
	if p.matchAhead() {
		r.Span = p.spanFrom(start)
		return p.matchRecognize(r)
	}
	r.Alias = p.alias()
	p.tableSample()
	r.Span = p.spanFrom(start)
	return r
}

// argGoesOn tells whether t may follow the first word of a call's first argument.
func (p *parser) argGoesOn(t *token) bool {
	return t.kind == tokOp || t.oneOf("PARTITION", "ORDER", "AND", "OR", "NOT", "IN", "IS", "LIKE", "BETWEEN", "SIMILAR", "UNION", "EXCEPT", "INTERSECT", "MULTISET")
}

// extendList reads "(name type": two words behind a table's bracket are Calcite's column
// extension, which Flink's grammar has but its validator refuses.
func (p *parser) extendList() {
	p.next()
	for {
		p.name()
		p.dataType()
		if p.take("NOT") {
			p.expect("NULL")
		}
		if !p.take(",") {
			break
		}
	}
	at := p.expect(")").start
	p.failAs(ClassValidator, at, "", "Extended columns not allowed under the current SQL conformance level")
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
		if p.matchAhead() {
			return p.matchRecognize(d)
		}
		d.Alias = p.alias()
		p.tableSample()
		d.Span = p.spanFrom(start)
		return d
	}
	t := p.joins(p.tableRef())
	if d, ok := t.(*Derived); ok && !d.Lateral && d.Alias == nil && (setOpPrec(p.peek()) > 0 || p.is(")")) {
		// ((query) UNION query): the brackets held the left side
		q := p.setOps(d.Query)
		p.expect(")")
		out := &Derived{Span: p.spanFrom(start), Query: q, Lateral: lateral}
		out.Alias = p.alias()
		out.Span = p.spanFrom(start)
		return out
	}
	p.expect(")")
	j, ok := t.(*JoinExpr)
	if !ok {
		p.failAs(ClassCalcite, start, "leave out the brackets", "Expected query or join")
	}
	j.Brackets = true
	if p.is("AS") || p.atName() {
		p.alias()
		p.failAs(ClassCalcite, j.Start, "name the tables inside the brackets", "Join expression encountered in illegal context")
	}
	return j
}

// bracketHoldsQuery tells a query from a join in brackets by its first word.
func (p *parser) bracketHoldsQuery() bool {
	t := p.peek()
	if !t.isQueryWord() {
		return false
	}
	p.look(2)
	s := p.tok(1)
	switch t.key {
	case "SELECT":
		return true
	case "WITH":
		return s.isName() || s.key == "RECURSIVE"
	case "TABLE":
		return s.isName()
	}
	return p.startsExpr(s) || s.key == "ROW"
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
