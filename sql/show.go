package sql

import "strings"

// show parses the SHOW statements.
func (p *parser) show() Statement {
	start := p.next().start
	s := &Show{}
	p.look(2)
	words := func(ks ...string) bool {
		for n, k := range ks {
			if p.tok(n).key != k {
				return false
			}
		}
		p.i += len(ks)
		for n, k := range ks {
			if n > 0 {
				s.What += " "
			}
			s.What += k
		}
		return true
	}
	switch {
	case words("CURRENT", "CATALOG"), words("CURRENT", "DATABASE"), words("JARS"), words("JOBS"), words("MODULES"), words("FULL", "MODULES"):
	case words("CATALOGS"):
		p.showLike(s, true)
	case words("DATABASES"), words("FUNCTIONS"), words("USER", "FUNCTIONS"), words("PROCEDURES"):
		p.showFrom(s, false)
		p.showLike(s, true)
		if s.What == "DATABASES" && len(s.Name.Parts) > 1 {
			p.failAs(ClassParse, s.Name.Start, "", "Show databases from/in identifier [ %s ] format error, catalog must be a single part identifier.", s.Name.dotted())
		}
	case words("TABLES"), words("VIEWS"), words("MODELS"), words("CONNECTIONS"), words("MATERIALIZED", "TABLES"):
		p.showFrom(s, false)
		p.showLike(s, false)
	case words("COLUMNS"):
		p.showFrom(s, true)
		p.showLike(s, false)
	case words("PARTITIONS"):
		s.Name = p.name()
		if p.take("PARTITION") {
			p.partitionSpec()
		}
	case words("CREATE", "TABLE"), words("CREATE", "VIEW"), words("CREATE", "CATALOG"), words("CREATE", "MODEL"),
		words("CREATE", "CONNECTION"), words("CREATE", "MATERIALIZED", "TABLE"):
		s.Name = p.name()
	case p.is("CREATE", "CURRENT", "FULL", "USER", "MATERIALIZED"):
		p.next()
		p.fail()
	default:
		p.i--
		p.nameAt = p.i
		p.look(2)
		p.fail()
	}
	s.Span = p.spanFrom(start)
	return s
}

// dotted is the name's parts with dots between them, as messages about its shape write it.
func (n Name) dotted() string {
	parts := make([]string, len(n.Parts))
	for i, id := range n.Parts {
		parts[i] = id.Text
	}
	return strings.Join(parts, ".")
}

func (p *parser) showFrom(s *Show, must bool) {
	if _, ok := p.takeAny("FROM", "IN"); ok {
		s.Name = p.name()
	} else if must {
		p.fail()
	}
}

// showLike parses [NOT] LIKE 'pattern'; ILIKE only some of the statements know.
func (p *parser) showLike(s *Show, ilike bool) {
	not := p.take("NOT")
	words := []string{"LIKE"}
	if ilike {
		words = append(words, "ILIKE")
	}
	k, ok := p.takeAny(words...)
	if !ok {
		if not {
			p.fail()
		}
		return
	}
	s.Not, s.ILike = not, k == "ILIKE"
	text := p.stringText()
	s.Like = &text
}

func (p *parser) describe() Statement {
	start := p.next().start
	d := &Describe{}
	p.look(1)
	if t := p.peek(); !t.isName() && !t.oneOf("EXTENDED", "FUNCTION") {
		if d := p.prev(); d.key == "DESC" { // a name by itself
			p.nonQuery(d.start)
		}
		if p.take("TABLE") { // Calcite's own DESCRIBE TABLE t: Flink takes the name for a column's
			n := p.name()
			if len(n.Parts) > 1 {
				p.failAs(ClassValidator, n.Start, "write DESCRIBE "+n.Parts[len(n.Parts)-1].Text, "Table '%s' not found", n.Parts[0].Text)
			}
			p.failAs(ClassValidator, n.Start, "write DESCRIBE "+n.Parts[0].Text, "Column '%s' not found in any table", n.Parts[0].Text)
		}
		p.take("STATEMENT")
		// the generic DESCRIBE of Calcite takes queries, which Flink cannot run
		q := p.queryStmt()
		return &Other{Span: q.Span, Name: "DESCRIBE of a query"}
	}
	switch {
	case p.is("FUNCTION", "TABLE"):
		d.Kind = p.next().key
	case p.is("CATALOG", "DATABASE", "MODEL", "CONNECTION") && (p.tok(1).isName() || p.tok(1).key == "EXTENDED"):
		d.Kind = p.next().key
	case p.is("JOB") && p.tok(1).kind == tokString:
		p.next()
		p.next()
		return &Other{Span: p.spanFrom(start), Name: "DESCRIBE JOB"}
	}
	d.Extended = p.take("EXTENDED")
	d.Name = p.name()
	d.Span = p.spanFrom(start)
	return d
}
