package sql

// queryStmt parses a query with its ORDER BY and LIMIT.
func (p *parser) queryStmt() *Query {
	p.enter()
	defer p.leave()
	q := p.queryNoOrder()
	return p.orderLimit(q)
}

// queryNoOrder parses [WITH ...] body, without ORDER BY.
func (p *parser) queryNoOrder() *Query {
	start := p.peek().start
	q := &Query{}
	if p.take("WITH") {
		if p.take("RECURSIVE") {
			p.failAs(ClassCalcite, start, "Flink has no recursive queries", "WITH RECURSIVE is not supported")
		}
		q.With = append(q.With, p.cte())
		for p.take(",") {
			q.With = append(q.With, p.cte())
		}
	}
	q.Body = p.setOpBody(0)
	q.Span = p.spanFrom(start)
	return q
}

func (p *parser) cte() CTE {
	c := CTE{Name: p.ident()}
	if p.is("(") {
		c.Columns = p.identList()
	}
	p.expect("AS")
	at := p.expect("(").start
	if p.bracketHoldsQuery() {
		c.Query = p.queryStmt()
		p.expect(")")
		return c
	}
	t := p.joins(p.tableRef())
	d, ok := t.(*Derived)
	if !ok || d.Lateral || d.Alias != nil {
		p.expect(")")
		p.failAs(ClassCalcite, at, "a query must stand in the brackets", "Expected query or join")
	}
	c.Query = p.setOps(d.Query)
	p.expect(")")
	return c
}

// nonQuery is Calcite's complaint where an expression stands in a query's place.
func (p *parser) nonQuery(at Pos) {
	p.failAs(ClassCalcite, at, "a query (SELECT, VALUES, WITH ...) must stand here", "Non-query expression encountered in illegal context")
}

// setOpPrec: INTERSECT binds tighter than UNION and EXCEPT.
func setOpPrec(t *token) int {
	switch t.key {
	case "UNION", "EXCEPT":
		return 1
	case "INTERSECT":
		return 2
	}
	return 0
}

func (p *parser) setOpBody(min int) QueryBody {
	return p.setOpRest(p.queryLeaf(), min)
}

func (p *parser) setOpRest(left QueryBody, min int) QueryBody {
	for {
		p.look(1)
		t := p.peek()
		if t.key == "MINUS" && min == 0 {
			p.failAs(ClassCalcite, t.start, "write EXCEPT", "MINUS is not allowed under the current SQL conformance level")
		}
		prec := setOpPrec(t)
		if prec == 0 || prec <= min {
			return left
		}
		op := &SetOp{Op: p.next().key, Left: left}
		if k, ok := p.takeAny("ALL", "DISTINCT"); ok {
			op.All = k == "ALL"
		}
		op.Right = p.setOpBody(prec)
		op.Span = p.spanFrom(left.At().Start)
		left = op
	}
}

// setOps goes on behind a query in brackets that turned out to be the left side.
func (p *parser) setOps(q *Query) *Query {
	if setOpPrec(p.peek()) == 0 {
		return q
	}
	return &Query{Span: q.Span, Body: p.setOpRest(q, 0)}
}

// queryTail parses set operators and ORDER BY behind a query in brackets.
func (p *parser) queryTail(q *Query) *Query {
	out := p.setOps(q)
	if p.is("ORDER", "LIMIT", "OFFSET", "FETCH") {
		if out == q {
			out = &Query{Span: q.Span, Body: q}
		}
		out = p.orderLimit(out)
	}
	out.End = p.prev().end
	return out
}

func (p *parser) queryLeaf() QueryBody {
	t := p.peek()
	switch t.key {
	case "SELECT":
		return p.selectBlock()
	case "VALUES", "VALUE":
		return p.values()
	case "TABLE":
		p.next()
		n := p.name()
		return &ExplicitTable{Span: p.spanFrom(t.start), Name: n}
	case "(":
		p.next()
		q := p.queryStmt()
		if p.is(",") || !p.is(")") {
			p.fail()
		}
		p.expect(")")
		q.Span = p.spanFrom(t.start)
		return q
	}
	p.exprInQueryPlace()
	p.nameAt = p.i
	p.failHint(p.hintQuery())
	return nil
}

// exprInQueryPlace refuses an expression where a query must stand. Flink's parser does so as
// soon as it has read the first operand, or a prefix operator.
func (p *parser) exprInQueryPlace() {
	t := p.peek()
	if !p.startsExpr(t) || t.key == "(" {
		return
	}
	at := t.start
	if t.oneOf("+", "-", "NOT", "EXISTS", "UNIQUE") {
		p.nonQuery(at)
	}
	if p.operandAhead(0) {
		p.primary()
		p.nonQuery(at)
	}
}

// orderLimit parses ORDER BY, LIMIT, OFFSET and FETCH.
func (p *parser) orderLimit(q *Query) *Query {
	if p.is("ORDER") {
		q.OrderBy = p.orderBy()
	}
	switch {
	case p.is("LIMIT"):
		p.limit(q)
		if p.is("OFFSET") {
			p.offset(q)
		}
	case p.is("OFFSET"):
		p.offset(q)
		if p.is("LIMIT") {
			at := p.peek().start
			p.limit(q)
			p.failAs(ClassCalcite, at, "write LIMIT before OFFSET", "'OFFSET start LIMIT count' is not allowed under the current SQL conformance level")
		} else if p.is("FETCH") {
			p.fetch(q)
		}
	case p.is("FETCH"):
		p.fetch(q)
	}
	if p.i > 0 {
		q.End = p.prev().end
	}
	return q
}

func (p *parser) limit(q *Query) {
	at := p.next().start
	p.look(1)
	if p.take("ALL") {
		return
	}
	n := p.count()
	if p.look(1); p.is(",") {
		p.next()
		what := "count"
		if p.take("ALL") {
			what = "ALL"
		} else {
			p.count()
		}
		p.failAs(ClassCalcite, at, "write LIMIT count OFFSET start", "'LIMIT start, %s' is not allowed under the current SQL conformance level", what)
	}
	q.Fetch = n
}

func (p *parser) offset(q *Query) {
	p.next()
	q.Offset = p.count()
	p.takeAny("ROW", "ROWS")
}

func (p *parser) fetch(q *Query) {
	p.next()
	if _, ok := p.takeAny("FIRST", "NEXT"); !ok {
		p.fail()
	}
	q.Fetch = p.count()
	if _, ok := p.takeAny("ROW", "ROWS"); !ok {
		p.fail()
	}
	p.expect("ONLY")
}

// count parses the number of LIMIT, OFFSET and FETCH.
func (p *parser) count() Expr {
	t := p.peek()
	if t.kind == tokInt || t.kind == tokDecimal || t.kind == tokApprox {
		p.next()
		return &NumberLit{Span{t.start, t.end}, t.text}
	}
	if t.key == "?" {
		p.failAs(ClassCalcite, t.start, "write the number itself", "Illegal use of dynamic parameter")
	}
	p.fail()
	return nil
}

func (p *parser) orderBy() []OrderItem {
	p.expect("ORDER")
	p.expect("BY")
	return p.orderItems()
}

func (p *parser) orderItems() []OrderItem {
	items := []OrderItem{p.orderItem()}
	for p.commaThenExpr() {
		p.next()
		items = append(items, p.orderItem())
	}
	return items
}

func (p *parser) orderItem() OrderItem {
	o := OrderItem{X: p.expr()}
	if k, ok := p.takeAny("ASC", "DESC"); ok {
		o.Desc = k == "DESC"
	}
	if p.is("NULLS") {
		p.look(2)
		p.next()
		k, ok := p.takeAny("FIRST", "LAST")
		if !ok {
			p.fail()
		}
		o.Nulls = k
	}
	return o
}

func (p *parser) values() QueryBody {
	v := &Values{}
	start := p.next().start
	v.Rows = append(v.Rows, p.valuesRow())
	for {
		p.look(1)
		if !p.is(",") {
			break
		}
		p.look(2)
		if !p.startsExpr(p.tok(1)) && p.tok(1).key != "ROW" {
			break
		}
		p.next()
		v.Rows = append(v.Rows, p.valuesRow())
	}
	v.Span = p.spanFrom(start)
	return v
}

// valuesRow parses (a, b), ROW(a, b) or a bare value.
func (p *parser) valuesRow() Expr {
	t := p.peek()
	switch {
	case t.key == "(":
		p.look(2)
		if p.tok(1).key == "ROW" && p.tok(2).key == "(" { // ((ROW(..))) is taken for ROW(..)
			x := p.brackets()
			return x
		}
		items := p.bracketItems()
		return &RowExpr{Span: p.spanFrom(t.start), Items: items}
	case t.key == "ROW" && p.tok(1).key == "(":
		p.next()
		items := p.bracketItems()
		return &RowExpr{Span: p.spanFrom(t.start), Items: items, Explicit: true}
	}
	x := p.expr()
	return &RowExpr{Span: x.At(), Items: []Expr{x}}
}
