package sql

// startStatement forgets the lookahead of the statement before.
func (p *parser) startStatement() { p.nameAt = -1 }

// statement parses one statement of any kind.
func (p *parser) statement() Statement {
	t := p.peek()
	start := t.start
	span := func() Span { return p.spanFrom(start) }
	p.look(1)
	switch t.key {
	case "EXPLAIN":
		return p.explain()
	case "INSERT", "UPSERT":
		return p.insert()
	case "CREATE":
		return p.create()
	case "REPLACE":
		if p.tok(1).key == "TABLE" {
			p.i += 2
			c, _ := p.createTable(start, false, true).(*CreateTable)
			c.MustExist = true
			if c.AsQuery != nil {
				return c
			}
			return &Other{Span: c.Span, Name: "REPLACE TABLE without AS"}
		}
	case "DROP":
		return p.drop()
	case "ALTER":
		return p.alter()
	case "USE":
		return p.use()
	case "SHOW":
		return p.show()
	case "DESCRIBE", "DESC":
		return p.describe()
	case "SET":
		return p.set()
	case "RESET":
		p.next()
		r := &Reset{All: true}
		if p.peek().kind == tokString {
			r.All, r.Key = false, p.longText()
		}
		r.Span = span()
		return r
	case "BEGIN":
		if p.look(2); p.tok(1).key != "STATEMENT" {
			p.nameAt = p.i
			p.fail()
		}
		p.next()
		p.expectAll("STATEMENT", "SET")
		return &BeginStatementSet{span()}
	case "END":
		p.next()
		return &EndStatementSet{span()}
	case "EXECUTE":
		return p.execute()
	case "DELETE", "UPDATE":
		return p.deleteUpdate()
	case "TRUNCATE":
		if p.look(2); p.tok(1).key != "TABLE" {
			p.nameAt = p.i
			p.fail()
		}
		p.next()
		p.expect("TABLE")
		tr := &Truncate{Table: p.name()}
		tr.Span = span()
		return tr
	case "LOAD", "UNLOAD", "ADD", "REMOVE", "CALL", "ANALYZE", "COMPILE", "STOP":
		if s := p.other(); s != nil {
			return s
		}
	case "MERGE":
		return p.merge()
	}
	q := p.queryStmt()
	return &QueryStmt{Span: q.Span, Query: q}
}

// explain parses EXPLAIN [PLAN FOR | details] statement.
func (p *parser) explain() Statement {
	start := p.next().start
	e := &Explain{}
	p.look(1)
	if p.is("PLAN") && p.tok(1).key == "FOR" {
		p.look(2)
		p.next()
		p.next()
		e.PlanFor = true
	} else if p.is(explainDetails...) {
		for {
			d := p.peek()
			if !d.oneOf(explainDetails...) {
				p.fail()
			}
			for _, have := range e.Details {
				if have == d.key {
					p.failAs(ClassParse, d.start, "name each detail once", "Duplicate EXPLAIN DETAIL is not allowed.")
				}
			}
			p.next()
			e.Details = append(e.Details, d.key)
			if !p.take(",") {
				break
			}
		}
	}
	if p.take("EXECUTE") && p.is("PLAN") {
		p.failAs("org.apache.calcite.runtime.CalciteException", p.peek().start, "EXPLAIN shows the plan of a query", "Non-query expression encountered in illegal context")
	}
	switch {
	case p.is("STATEMENT"):
		e.Stmt = p.statementSet(p.peek().start)
	case p.is("INSERT", "UPSERT"):
		e.Stmt = p.insert()
	case p.is("CREATE"):
		at := p.peek().start
		s := p.create()
		ct, ok := s.(*CreateTable)
		if !ok || ct.AsQuery == nil {
			p.failAs(ClassParse, at, "EXPLAIN shows the plan of a query", "Unsupported CREATE OR REPLACE statement for EXPLAIN. The statement must define a query using the AS clause (i.e. CTAS/RTAS statements).")
		}
		e.Stmt = s
	default:
		q := p.queryStmt()
		e.Stmt = &QueryStmt{Span: q.Span, Query: q}
	}
	e.Span = p.spanFrom(start)
	return e
}

var explainDetails = []string{"ESTIMATED_COST", "CHANGELOG_MODE", "JSON_EXECUTION_PLAN", "PLAN_ADVICE"}

func (p *parser) insert() *Insert {
	upsert := p.is("UPSERT")
	start := p.next().start
	in := &Insert{}
	switch {
	case p.take("INTO"):
	case p.take("OVERWRITE"):
		in.Overwrite = true
	default:
		p.failHint("write INSERT INTO")
	}
	in.Table = p.name()
	if p.is("/*+") {
		in.Hints = p.hints()
	}
	if p.take("PARTITION") {
		in.Partition = p.partitionSpec()
	}
	if p.is("(") {
		p.look(2)
		if p.tok(1).isName() {
			in.Columns = p.insertColumns()
		}
	}
	in.Query = p.queryStmt()
	if p.take("ON") {
		p.expectAll("CONFLICT", "DO")
		k, ok := p.takeAny("ERROR", "DEDUPLICATE", "NOTHING")
		if !ok {
			p.fail()
		}
		in.OnConflict = k
	}
	if upsert {
		p.failAs(ClassValidation, start, "write INSERT INTO: a sink with a PRIMARY KEY takes the rows as upserts", "UPSERT INTO statement is not supported. Please use INSERT INTO instead.")
	}
	in.Span = p.spanFrom(start)
	return in
}

func (p *parser) insertColumns() []Ident {
	p.expect("(")
	var ids []Ident
	for {
		n := p.name()
		p.nameAt = p.i // a type may follow in the grammar
		ids = append(ids, n.Parts[len(n.Parts)-1])
		if !p.take(",") {
			break
		}
	}
	p.expect(")")
	return ids
}

// partitionSpec parses (col = literal, ...).
func (p *parser) partitionSpec() []Option {
	p.expect("(")
	var opts []Option
	for {
		id := p.ident()
		o := Option{Key: id.Text}
		if p.take("=") {
			o.Value = p.literalText()
		}
		o.Span = p.spanFrom(id.Start)
		opts = append(opts, o)
		if !p.take(",") {
			break
		}
	}
	p.expect(")")
	return opts
}

func (p *parser) literalText() string {
	switch x := p.primary().(type) {
	case *StringLit:
		return x.Value
	case *NumberLit:
		return x.Text
	case *TemporalLit:
		return x.Text
	case *BoolLit:
		if x.Value {
			return "TRUE"
		}
		return "FALSE"
	}
	p.fail()
	return ""
}

// statementSet parses STATEMENT SET BEGIN insert; ... END.
func (p *parser) statementSet(start Pos) *StatementSet {
	p.expectAll("STATEMENT", "SET", "BEGIN")
	s := &StatementSet{}
	for {
		if !p.is("INSERT", "UPSERT") {
			p.fail()
		}
		s.Inserts = append(s.Inserts, p.insert())
		p.expect(";")
		if p.is("END") {
			break
		}
	}
	p.expect("END")
	s.Span = p.spanFrom(start)
	return s
}

func (p *parser) execute() Statement {
	start := p.next().start
	switch {
	case p.is("STATEMENT"):
		return p.statementSet(start)
	case p.is("PLAN"):
		p.next()
		file := p.stringText()
		return p.otherAbout(start, "EXECUTE PLAN", file)
	case p.is("INSERT"):
		return p.insert()
	}
	q := p.queryStmt()
	return &QueryStmt{Span: p.spanFrom(start), Query: q}
}

func (p *parser) deleteUpdate() Statement {
	t := p.next()
	if t.key == "DELETE" {
		p.expect("FROM")
	}
	name := p.name()
	if p.is("/*+") {
		p.hints()
	}
	as := p.take("AS")
	if as || p.atName() {
		p.ident()
	}
	if t.key == "UPDATE" {
		p.expect("SET")
		for {
			p.name()
			p.expect("=")
			p.expr()
			if !p.take(",") {
				break
			}
		}
	}
	var where Expr
	if p.take("WHERE") {
		where = p.expr()
	}
	if t.key == "DELETE" {
		return &Delete{p.spanFrom(t.start), name, where}
	}
	return &Update{p.spanFrom(t.start), name, where}
}

// merge parses MERGE up to its WHEN clauses, so that it can be refused in Flink's words.
func (p *parser) merge() Statement {
	start := p.next().start
	p.expect("INTO")
	p.name()
	if p.is("/*+") {
		p.hints()
	}
	if p.take("AS") || p.atName() {
		p.ident()
	}
	p.expect("USING")
	p.tableRef()
	p.expect("ON")
	p.expr()
	if !p.is("WHEN") {
		p.fail()
	}
	return p.rest(start, "MERGE")
}

// set parses SET and SET 'key' = 'value'.
func (p *parser) set() Statement {
	start := p.next().start
	s := &Set{All: true}
	if p.peek().kind == tokString {
		s.All, s.Key = false, p.longText()
		p.expect("=")
		s.Value = p.longText()
	}
	s.Span = p.spanFrom(start)
	return s
}

func (p *parser) use() Statement {
	start := p.next().start
	u := &Use{}
	p.look(1)
	if !p.peek().isName() && !p.is("MODULES") {
		p.i--
		p.nameAt = p.i
		p.fail()
	}
	switch {
	case p.is("CATALOG") && p.tok(1).isName():
		p.next()
		u.Kind = "CATALOG"
		id := p.ident()
		u.Names = []Name{{Span: id.Span, Parts: []Ident{id}}}
	case p.is("MODULES"):
		p.next()
		u.Kind = "MODULES"
		for {
			id := p.ident()
			u.Names = append(u.Names, Name{Span: id.Span, Parts: []Ident{id}})
			if !p.take(",") {
				break
			}
		}
	default:
		u.Names = []Name{p.name()}
	}
	u.Span = p.spanFrom(start)
	return u
}

// otherAbout is a statement that the engine does not run, about something with one name.
func (p *parser) otherAbout(start Pos, name, object string) *Other {
	o := &Other{Name: name, Object: Name{Parts: []Ident{{Text: object}}}}
	o.Span = p.spanFrom(start)
	return o
}

// other parses statements that the engine does not run, up to their end.
func (p *parser) other() Statement {
	t := p.peek()
	name := t.key
	switch t.key {
	case "LOAD", "UNLOAD":
		if p.tok(1).key != "MODULE" {
			return nil
		}
		p.i += 2
		module := p.ident()
		if t.key == "LOAD" && p.take("WITH") {
			p.options()
		}
		return p.otherAbout(t.start, name+" MODULE", module.Text)
	case "ADD", "REMOVE":
		if p.tok(1).key != "JAR" {
			return nil
		}
		p.i += 2
		file := p.stringText()
		return p.otherAbout(t.start, name+" JAR", file)
	case "STOP":
		if p.tok(1).key != "JOB" {
			return nil
		}
		name += " JOB"
		p.i += 2
		p.stringText()
		if p.take("WITH") {
			if _, ok := p.takeAny("SAVEPOINT", "DRAIN"); !ok {
				p.fail()
			}
			if p.take("WITH") {
				p.expect("DRAIN")
			}
		}
	case "CALL":
		p.next()
		n := p.name()
		p.callTailPlain(n)
	case "ANALYZE":
		p.next()
		p.expect("TABLE")
		table := p.name()
		if p.take("PARTITION") {
			p.partitionSpec()
		}
		p.expectAll("COMPUTE", "STATISTICS")
		if p.take("FOR") {
			if p.take("ALL") {
				p.expect("COLUMNS")
			} else {
				p.expect("COLUMNS")
				p.ident()
				for p.take(",") {
					p.ident()
				}
			}
		}
		return &Other{p.spanFrom(t.start), name, table}
	case "COMPILE":
		p.next()
		if p.take("AND") {
			p.expectAll("EXECUTE", "PLAN")
		} else {
			p.expect("PLAN")
		}
		p.stringText()
		p.ifNotExists()
		p.expect("FOR")
		if p.is("STATEMENT") {
			p.statementSet(p.peek().start)
		} else {
			if !p.is("INSERT", "UPSERT") {
				p.fail()
			}
			p.insert()
		}
	}
	return &Other{Span: p.spanFrom(t.start), Name: name}
}
