package sql

func (p *printer) alias(a *Alias) {
	if a == nil {
		return
	}
	p.put(" AS ", QuoteName(a.Name.Text))
	if len(a.Columns) > 0 {
		p.put(" (")
		p.idents(a.Columns)
		p.put(")")
	}
}

func (p *printer) table(t TableExpr) {
	switch t := t.(type) {
	case *TableRef:
		p.name(t.Name)
		if len(t.Hints) > 0 {
			p.put(p.aroundHints())
			p.hints(t.Hints)
		}
		if t.AsOf != nil {
			p.put(" FOR SYSTEM_TIME AS OF ")
			p.expr(t.AsOf, 0)
		}
		p.alias(t.Alias)
	case *Derived:
		if t.Lateral {
			p.put("LATERAL ")
		}
		p.query(t.Query, true)
		p.alias(t.Alias)
	case *TableFunc:
		if t.Lateral {
			p.put("LATERAL ")
		}
		if t.Wrapped {
			p.put("TABLE(")
		}
		p.expr(t.Call, 0)
		if t.Wrapped {
			p.put(")")
		}
		p.alias(t.Alias)
	case *Unnest:
		p.put("UNNEST(")
		p.exprs(t.Args)
		p.put(")")
		if t.Ordinality {
			p.put(" WITH ORDINALITY")
		}
		p.alias(t.Alias)
	case *JoinExpr:
		p.join(t)
	case *MatchRecognize:
		p.match(t)
	}
}

func (p *printer) join(j *JoinExpr) {
	if j.Brackets {
		p.put("(")
		defer p.put(")")
	}
	p.table(j.Left)
	if j.Type == "COMMA" {
		p.put(",", p.nl)
		p.table(j.Right)
		return
	}
	p.put(p.nl)
	if j.Natural {
		p.put("NATURAL ")
	}
	p.put(j.Type, " JOIN ")
	p.table(j.Right)
	switch {
	case j.On != nil:
		p.put(" ON ")
		p.expr(j.On, 0)
	case j.Using != nil:
		p.put(" USING (")
		p.idents(j.Using)
		p.put(")")
	}
}

func (p *printer) match(m *MatchRecognize) {
	p.table(m.Input)
	p.put(" MATCH_RECOGNIZE(")
	sep := ""
	next := func() {
		p.put(sep)
		sep = p.nl
	}
	if len(m.PartitionBy) > 0 {
		next()
		p.put("PARTITION BY ")
		p.exprs(m.PartitionBy)
	}
	if len(m.OrderBy) > 0 {
		next()
		p.orderBy(m.OrderBy, "")
	}
	for i, it := range m.Measures {
		if i == 0 {
			next()
			p.put("MEASURES ")
		} else {
			p.put(", ")
		}
		p.expr(it.X, 0)
		p.put(" AS ", QuoteName(it.Alias.Text))
	}
	if m.OneRow {
		next()
		p.put("ONE ROW PER MATCH")
	}
	if m.AllRows {
		next()
		p.put("ALL ROWS PER MATCH")
	}
	if k := m.After.Kind; k != "" {
		next()
		p.put("AFTER MATCH SKIP ", k)
		if m.After.Var != "" {
			p.put(" ", QuoteName(m.After.Var))
		}
	}
	next()
	p.put("PATTERN (")
	p.pattern(m.Pattern)
	p.put(")")
	if m.Within != nil {
		p.put(" WITHIN ")
		p.expr(m.Within, 0)
	}
	for i, s := range m.Subset {
		if i == 0 {
			next()
			p.put("SUBSET ")
		} else {
			p.put(", ")
		}
		p.put(QuoteName(s.Name.Text), " = (")
		p.idents(s.Vars)
		p.put(")")
	}
	for i, d := range m.Define {
		if i == 0 {
			next()
			p.put("DEFINE ")
		} else {
			p.put(", ")
		}
		p.put(QuoteName(d.Name.Text), " AS ")
		p.expr(d.X, 0)
	}
	p.put(")")
	p.alias(m.Alias)
}

func (p *printer) pattern(f Pattern) {
	switch f.Kind {
	case "VAR":
		p.put(QuoteName(f.Var))
	case "START":
		p.put("^")
	case "END":
		p.put("$")
	case "CONCAT":
		for i, it := range f.Items {
			if i > 0 {
				p.put(" ")
			}
			p.pattern(it)
		}
	case "ALT":
		for i, it := range f.Items {
			if i > 0 {
				p.put(" | ")
			}
			p.pattern(it)
		}
	case "GROUP":
		p.put("(")
		p.pattern(f.Items[0])
		p.put(")")
	case "EXCLUDE":
		p.put("{- ")
		p.pattern(f.Items[0])
		p.put(" -}")
	case "PERMUTE":
		p.put("PERMUTE(")
		for i, it := range f.Items {
			if i > 0 {
				p.put(", ")
			}
			p.pattern(it)
		}
		p.put(")")
	}
	p.put(f.quantifier())
}
