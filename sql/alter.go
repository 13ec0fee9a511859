package sql

func (p *parser) drop() Statement {
	start := p.next().start
	d := &Drop{Temporary: p.take("TEMPORARY")}
	if p.is("SYSTEM") && p.tok(1).key == "FUNCTION" {
		p.next()
		d.System = true
	}
	if p.is("MATERIALIZED") {
		p.next()
		p.expect("TABLE")
		return p.rest(start, "DROP MATERIALIZED TABLE")
	}
	if p.is("MODEL", "CONNECTION") {
		return p.rest(start, "DROP "+p.next().key)
	}
	k, ok := p.takeAny("TABLE", "VIEW", "CATALOG", "DATABASE", "FUNCTION")
	if !ok {
		p.failHint(p.hintCreate())
	}
	d.Kind = k
	d.IfExists = p.ifExists()
	d.Name = p.name()
	if k == "DATABASE" {
		d.Restrict = p.take("RESTRICT")
		if !d.Restrict {
			d.Cascade = p.take("CASCADE")
		}
	}
	d.Span = p.spanFrom(start)
	return d
}

func (p *parser) alter() Statement {
	start := p.next().start
	switch {
	case p.take("TABLE"):
		return p.alterTable(start)
	case p.take("VIEW"):
		v := &AlterView{Name: p.name()}
		switch {
		case p.take("RENAME"):
			p.expect("TO")
			n := p.name()
			v.NewName = &n
		case p.take("AS"):
			at := p.peek().start.Offset
			v.Query = p.queryStmt()
			v.QueryText = p.text(at, p.prev())
		default:
			p.fail()
		}
		v.Span = p.spanFrom(start)
		return v
	case p.take("DATABASE"):
		d := &AlterDatabase{Name: p.name()}
		p.expect("SET")
		d.Options = p.options()
		d.Span = p.spanFrom(start)
		return d
	case p.take("CATALOG"):
		return p.alterCatalog(start)
	case p.is("FUNCTION", "TEMPORARY"):
		return p.alterFunction(start)
	case p.is("MODEL", "CONNECTION"):
		return p.rest(start, "ALTER "+p.next().key)
	case p.is("MATERIALIZED"):
		p.next()
		p.expect("TABLE")
		return p.rest(start, "ALTER MATERIALIZED TABLE")
	}
	p.fail()
	return nil
}

func (p *parser) alterTable(start Pos) Statement {
	a := &AlterTable{IfExists: p.ifExists(), Name: p.name()}
	switch {
	case p.take("RENAME"):
		if p.take("TO") {
			a.Action, a.NewName = "RENAME", p.name()
			break
		}
		a.Action, a.From = "RENAME COLUMN", p.ident()
		p.expect("TO")
		a.To = p.ident()
	case p.take("SET"):
		a.Action, a.Options = "SET", p.options()
	case p.take("RESET"):
		a.Action, a.Keys = "RESET", p.optionKeys()
	case p.is("ADD", "MODIFY"):
		a.Action = p.next().key
		if a.Action == "ADD" && p.is("PARTITION") {
			p.next()
			a.Action, a.Options = "ADD PARTITION", p.partitionSpec()
			break
		}
		if p.is("PARTITION", "IF", "DISTRIBUTION") {
			return p.restAbout(start, "ALTER TABLE "+a.Action+" "+p.peek().key, a.Name)
		}
		p.alterSchema(a)
	case p.take("DROP"):
		a.Action = "DROP"
		if p.take("PARTITION") {
			a.Action, a.Options = "DROP PARTITION", p.partitionSpec()
			break
		}
		if p.is("PARTITION", "IF", "DISTRIBUTION") {
			return p.restAbout(start, "ALTER TABLE DROP "+p.peek().key, a.Name)
		}
		p.alterDrop(a)
	default:
		p.fail()
	}
	a.Span = p.spanFrom(start)
	p.checkConstraints(a.Constraints)
	return a
}

func (p *parser) alterCatalog(start Pos) Statement {
	a := &AlterCatalog{Name: p.ident()}
	switch {
	case p.take("SET"):
		a.Action, a.Options = "SET", p.options()
	case p.take("RESET"):
		a.Action, a.Keys = "RESET", p.optionKeys()
	case p.take("COMMENT"):
		a.Action, a.Comment = "COMMENT", p.stringText()
	default:
		p.fail()
	}
	a.Span = p.spanFrom(start)
	return a
}

func (p *parser) alterFunction(start Pos) Statement {
	a := &AlterFunction{Temporary: p.take("TEMPORARY")}
	a.System = a.Temporary && p.take("SYSTEM")
	p.expect("FUNCTION")
	a.IfExists, a.Name = p.ifExists(), p.name()
	p.expect("AS")
	a.Class = p.stringText()
	if p.take("LANGUAGE") {
		if _, ok := p.takeAny("JAVA", "SCALA", "SQL", "PYTHON"); !ok {
			p.fail()
		}
	}
	a.Span = p.spanFrom(start)
	return a
}

// optionKeys parses ('key', ...), which may be empty.
func (p *parser) optionKeys() []string {
	var keys []string
	p.expect("(")
	if !p.is(")") {
		for {
			keys = append(keys, p.stringText())
			if !p.take(",") {
				break
			}
		}
	}
	p.expect(")")
	return keys
}

func (p *parser) alterSchema(a *AlterTable) {
	if !p.take("(") {
		p.alterSchemaItem(a)
		return
	}
	for {
		p.alterSchemaItem(a)
		if !p.take(",") {
			break
		}
	}
	p.expect(")")
}

func (p *parser) alterSchemaItem(a *AlterTable) {
	switch {
	case p.is("PRIMARY", "UNIQUE", "CONSTRAINT"):
		a.Constraints = append(a.Constraints, p.tableConstraint())
	case p.is("WATERMARK"):
		a.Watermark = p.watermark()
	default:
		c := p.columnDef()
		switch {
		case p.take("FIRST"):
			c.First = true
		case p.take("AFTER"):
			id := p.ident()
			c.After = &id
		}
		a.Columns = append(a.Columns, c)
	}
}

func (p *parser) alterDrop(a *AlterTable) {
	switch {
	case p.take("PRIMARY"):
		p.expect("KEY")
		a.Drops = []string{"PRIMARY KEY"}
	case p.take("CONSTRAINT"):
		a.Drops = []string{"CONSTRAINT " + p.ident().Text}
	case p.take("WATERMARK"):
		a.Drops = []string{"WATERMARK"}
	case p.is("("):
		for _, id := range p.identList() {
			a.Drops = append(a.Drops, id.Text)
		}
	default:
		a.Drops = []string{p.ident().Text}
	}
}
