package sql

func (p *parser) selectBlock() QueryBody {
	start := p.next().start
	s := &Select{}
	if p.is("/*+") {
		s.Hints = p.hints()
	}
	if p.take("STREAM") {
		s.Stream = true
	}
	if k, ok := p.takeAny("ALL", "DISTINCT"); ok {
		s.Distinct = k == "DISTINCT"
	}
	s.Items = append(s.Items, p.selectItem())
	for p.take(",") {
		s.Items = append(s.Items, p.selectItem())
	}
	if p.take("FROM") {
		s.From = p.from()
		if p.take("WHERE") {
			s.Where = p.expr()
		}
		p.groupBy(s)
		if p.take("HAVING") {
			s.Having = p.expr()
		}
		if p.take("WINDOW") {
			p.windows(s)
		}
		if p.take("QUALIFY") {
			s.Qualify = p.expr()
		}
	}
	s.Span = p.spanFrom(start)
	return s
}

func (p *parser) selectItem() SelectItem {
	it := SelectItem{}
	t := p.peek()
	if t.key == "*" {
		p.next()
		it.X = &Star{Span: Span{t.start, t.end}}
	} else {
		it.X = p.expr()
	}
	as := p.take("AS")
	if !as && p.is("MEASURE") {
		return it
	}
	if p.atName() {
		id := p.ident()
		it.Alias = &id
		return it
	}
	if p.peek().kind == tokString {
		p.failAs(ClassValidator, p.peek().start, "put the alias in backquotes `", "Expecting alias, found character literal")
	}
	if as {
		p.failHint(p.hintName())
	}
	return it
}

func (p *parser) groupBy(s *Select) {
	if !p.take("GROUP") {
		return
	}
	p.expect("BY")
	p.takeAny("DISTINCT", "ALL")
	s.Grouped = true
	s.GroupBy = p.groupItems()
}

func (p *parser) groupItems() []GroupItem {
	items := []GroupItem{p.groupItem()}
	for {
		p.look(1)
		if !p.is(",") {
			return items
		}
		p.look(2)
		if t := p.tok(1); !p.startsExpr(t) && !t.oneOf("GROUPING", "ROLLUP", "CUBE") {
			return items
		}
		p.next()
		items = append(items, p.groupItem())
	}
}

func (p *parser) groupItem() GroupItem {
	start := p.peek().start
	g := GroupItem{}
	p.look(1)
	switch {
	case p.is("GROUPING") && p.tok(1).key == "SETS":
		p.look(2)
		p.next()
		p.next()
		g.Kind = "GROUPING SETS"
		p.expect("(")
		g.Items = p.groupItems()
		p.expect(")")
	case p.is("ROLLUP", "CUBE"):
		g.Kind = p.next().key
		p.expect("(")
		for _, x := range p.exprList() {
			g.Items = append(g.Items, groupTuple(x))
		}
		p.expect(")")
	case p.is("(") && p.tok(1).key == ")":
		p.next()
		p.next()
		g.Kind = "()"
	default:
		g = groupTuple(p.expr())
	}
	g.Span = p.spanFrom(start)
	return g
}

// groupTuple makes (a, b) a tuple and everything else a plain item.
func groupTuple(x Expr) GroupItem {
	r, ok := x.(*RowExpr)
	if !ok || r.Explicit {
		return GroupItem{Span: x.At(), X: x}
	}
	g := GroupItem{Span: r.Span, Kind: "TUPLE"}
	for _, it := range r.Items {
		g.Items = append(g.Items, GroupItem{Span: it.At(), X: it})
	}
	return g
}

func (p *parser) windows(s *Select) {
	for {
		w := NamedWindow{Name: p.ident()}
		p.expect("AS")
		w.Spec = p.windowSpec()
		s.Windows = append(s.Windows, w)
		p.look(1)
		if !p.is(",") {
			return
		}
		if p.look(2); !p.tok(1).isName() {
			return
		}
		p.next()
	}
}

// hints parses /*+ NAME('k'='v'), NAME2(a, b) */.
func (p *parser) hints() []Hint {
	p.expect("/*+")
	hs := []Hint{p.hint()}
	for p.take(",") {
		hs = append(hs, p.hint())
	}
	p.expect("*/")
	return hs
}

func (p *parser) hint() Hint {
	h := Hint{Name: p.ident()}
	start := h.Name.Start
	if p.is("(") {
		p.look(3)
		p.next()
		if p.take(")") {
			h.Span = p.spanFrom(start)
			return h
		}
		for {
			p.hintItem(&h)
			if !p.take(",") {
				break
			}
		}
		p.expect(")")
	}
	h.Span = p.spanFrom(start)
	return h
}

func (p *parser) hintItem(h *Hint) {
	t := p.peek()
	var text string
	switch {
	case t.kind == tokString:
		text = unquote(p.next().text)
	case t.kind == tokInt, t.kind == tokDecimal, t.kind == tokApprox:
		text = p.next().text
	default:
		text = p.ident().Text
	}
	if !p.take("=") {
		h.Args = append(h.Args, text)
		return
	}
	v := p.peek()
	var value string
	switch {
	case v.kind == tokString:
		value = unquote(p.next().text)
	case v.kind == tokInt, v.kind == tokDecimal, v.kind == tokApprox:
		value = p.next().text
	default:
		value = p.ident().Text
	}
	h.Options = append(h.Options, Option{Span: p.spanFrom(t.start), Key: text, Value: value})
}
