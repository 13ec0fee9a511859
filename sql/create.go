package sql

import "strings"

func (p *parser) ifNotExists() bool {
	if p.seq("IF", "NOT", "EXISTS") {
		p.i += 3
		return true
	}
	return false
}

func (p *parser) ifExists() bool {
	if p.seq("IF", "EXISTS") {
		p.i += 2
		return true
	}
	return false
}

func (p *parser) create() Statement {
	start := p.next().start
	replace, temporary, system := false, false, false
	if p.is("OR") {
		p.next()
		if p.is("ALTER") {
			p.next()
			p.expectAll("MATERIALIZED", "TABLE")
			return p.rest(start, "CREATE OR ALTER MATERIALIZED TABLE")
		}
		p.expect("REPLACE")
		replace = true
	}
	if p.take("TEMPORARY") {
		temporary = true
	}
	if p.is("SYSTEM") {
		at := p.next().start
		if !temporary {
			p.failAs(ClassParse, at, "", "CREATE SYSTEM FUNCTION is not supported, system functions can only be registered as temporary functions, you can use CREATE TEMPORARY SYSTEM FUNCTION instead.")
		}
		system = true
		if !p.is("FUNCTION") {
			p.fail()
		}
	}
	switch {
	case p.take("TABLE"):
		return p.createTable(start, temporary, replace)
	case p.take("VIEW"):
		return p.createView(start, temporary)
	case p.take("CATALOG"):
		c := &CreateCatalog{IfNotExists: p.ifNotExists(), Name: p.ident()}
		c.Comment = p.comment()
		if p.take("WITH") {
			c.Options = p.options()
		}
		c.Span = p.spanFrom(start)
		return c
	case p.take("DATABASE"):
		c := &CreateDatabase{IfNotExists: p.ifNotExists(), Name: p.name()}
		c.Comment = p.comment()
		if p.take("WITH") {
			c.Options = p.options()
		}
		c.Span = p.spanFrom(start)
		return c
	case p.take("FUNCTION"):
		return p.createFunction(start, temporary, system)
	case p.is("MATERIALIZED"):
		p.next()
		p.expect("TABLE")
		return p.rest(start, "CREATE MATERIALIZED TABLE")
	case p.is("MODEL", "CONNECTION"):
		return p.rest(start, "CREATE "+p.next().key)
	}
	p.nameAt = -1
	p.failHint(p.hintCreate())
	return nil
}

func (p *parser) hintCreate() string {
	if w := closest(p.peek().text, "TABLE", "VIEW", "TEMPORARY", "DATABASE", "CATALOG", "FUNCTION"); w != "" {
		return "did you mean " + w + "?"
	}
	return ""
}

// rest reads a statement that is outside the engine's scope up to its end.
func (p *parser) rest(start Pos, name string) Statement {
	for p.peek().kind != tokEOF && !p.is(";") {
		p.next()
	}
	return &Other{Span: p.spanFrom(start), Name: name}
}

// restAbout is rest, of a statement about an object.
func (p *parser) restAbout(start Pos, name string, object Name) Statement {
	o := p.rest(start, name).(*Other)
	o.Object = object
	return o
}

func (p *parser) createFunction(start Pos, temporary, system bool) Statement {
	f := &CreateFunction{Temporary: temporary, System: system, IfNotExists: p.ifNotExists(), Name: p.name()}
	p.expect("AS")
	f.Class = p.stringText()
	if p.take("LANGUAGE") {
		k, ok := p.takeAny("JAVA", "SCALA", "SQL", "PYTHON")
		if !ok {
			p.fail()
		}
		f.Language = k
	}
	if p.take("USING") {
		f.Using = true
		for {
			if _, ok := p.takeAny("JAR", "ARTIFACT"); !ok {
				p.fail()
			}
			p.stringText()
			if !p.take(",") {
				break
			}
		}
	}
	f.Span = p.spanFrom(start)
	return f
}

func (p *parser) comment() *string {
	if !p.take("COMMENT") {
		return nil
	}
	s := p.stringText()
	return &s
}

// options parses ('key' = 'value', ...), possibly empty.
func (p *parser) options() []Option {
	p.expect("(")
	var opts []Option
	if !p.is(")") {
		for {
			start := p.peek().start
			o := Option{Key: p.longText()}
			p.expect("=")
			o.Value = p.longText()
			o.Span = p.spanFrom(start)
			opts = append(opts, o)
			if !p.take(",") {
				break
			}
		}
	}
	p.expect(")")
	return opts
}

func (p *parser) createView(start Pos, temporary bool) Statement {
	v := &CreateView{Temporary: temporary, IfNotExists: p.ifNotExists(), Name: p.name()}
	if p.is("(") {
		v.Columns = p.identList()
	}
	v.Comment = p.comment()
	p.expect("AS")
	at := p.peek().start.Offset
	v.Query = p.queryStmt()
	v.QueryText = p.text(at, p.prev())
	v.Span = p.spanFrom(start)
	return v
}

// text is the written text from an offset to the end of a token.
func (p *parser) text(from int, last *token) string {
	return strings.TrimSpace(p.src[from : last.start.Offset+len(last.text)])
}

func (p *parser) createTable(start Pos, temporary, replace bool) Statement {
	c := &CreateTable{Temporary: temporary, OrReplace: replace, IfNotExists: p.ifNotExists(), Name: p.name()}
	if p.is("(") && p.tok(1).isName() && p.tok(2).oneOf(",", ")") {
		c.Names = p.identList() // names alone: for CREATE TABLE ... AS
	} else if p.take("(") {
		for {
			p.tableColumn(c)
			if !p.take(",") {
				break
			}
		}
		p.expect(")")
	}
	c.Comment = p.comment()
	if p.is("DISTRIBUTED") {
		c.Distribution = p.distribution()
	}
	if p.take("PARTITIONED") {
		p.expect("BY")
		c.PartitionedBy = p.identList()
	}
	if p.take("WITH") {
		c.Options = p.options()
	}
	switch {
	case p.take("LIKE"):
		c.Like = p.likeClause()
	case p.take("AS"):
		at := p.peek().start.Offset
		c.AsQuery = p.queryStmt()
		c.AsText = p.text(at, p.prev())
		if temporary {
			p.failAs(ClassSqlValidate, start, "", "CREATE TABLE AS SELECT syntax does not support to create temporary table yet.")
		}
	}
	c.Span = p.spanFrom(start)
	p.checkTable(c)
	return c
}

func (p *parser) distribution() string {
	p.next()
	s := ""
	if p.take("INTO") {
		s = "INTO " + p.bucketCount()
		p.expect("BUCKETS")
		return s + " BUCKETS"
	}
	p.expect("BY")
	if k, ok := p.takeAny("HASH", "RANGE"); ok {
		s = k
	}
	at := p.peek().start.Offset
	p.identList()
	s += p.text(at, p.prev())
	if p.take("INTO") {
		s += " INTO " + p.bucketCount()
		p.expect("BUCKETS")
		s += " BUCKETS"
	}
	return s
}

func (p *parser) bucketCount() string {
	if p.peek().kind != tokInt {
		p.fail()
	}
	return p.next().text
}

func (p *parser) likeClause() *LikeClause {
	l := &LikeClause{Name: p.name()}
	if !p.take("(") {
		return l
	}
	for {
		k, ok := p.takeAny("INCLUDING", "EXCLUDING", "OVERWRITING")
		if !ok {
			p.fail()
		}
		at := p.peek().start
		w, ok := p.takeAny("ALL", "CONSTRAINTS", "DISTRIBUTION", "GENERATED", "METADATA", "OPTIONS", "PARTITIONS", "WATERMARKS")
		if !ok {
			p.fail()
		}
		for _, o := range l.Options {
			if strings.HasSuffix(o, " "+w) {
				p.failAs(ClassSqlValidate, at, "", "Each like option feature can be declared only once.")
			}
		}
		l.Options = append(l.Options, k+" "+w)
		if p.is(")") {
			break
		}
	}
	p.expect(")")
	return l
}

// tableColumn parses a column, a constraint or a watermark of CREATE TABLE.
func (p *parser) tableColumn(c *CreateTable) {
	t := p.peek()
	p.look(1)
	switch {
	case t.oneOf("PRIMARY", "UNIQUE", "CONSTRAINT"):
		c.Constraints = append(c.Constraints, p.tableConstraint())
	case t.key == "WATERMARK":
		w := p.watermark()
		c.Watermarks++
		if c.Watermarks > 1 {
			p.failAs(ClassParse, t.start, "", "Multiple WATERMARK declarations are not supported yet.")
		}
		c.Watermark = w
	default:
		if p.atName() {
			p.look(2)
		}
		c.Columns = append(c.Columns, p.columnDef())
		if c.Columns[len(c.Columns)-1].InlineKey != nil {
			k := *c.Columns[len(c.Columns)-1].InlineKey
			c.Constraints = append(c.Constraints, k)
		}
	}
}

func (p *parser) watermark() *WatermarkDef {
	start := p.next().start
	p.expect("FOR")
	w := &WatermarkDef{Column: p.name()}
	p.expect("AS")
	at := p.peek().start.Offset
	w.X = p.expr()
	w.Text = p.text(at, p.prev())
	w.Span = p.spanFrom(start)
	return w
}

func (p *parser) columnDef() ColumnDef {
	c := ColumnDef{Name: p.ident()}
	switch {
	case p.take("AS"):
		at := p.peek().start.Offset
		c.Computed = p.expr()
		c.ComputedText = p.text(at, p.prev())
		c.Comment = p.comment()
	default:
		c.Type = p.extendedType()
		if p.take("METADATA") {
			c.Metadata = true
			if p.take("FROM") {
				s := p.stringText()
				c.From = &s
			}
			c.Virtual = p.take("VIRTUAL")
		} else if p.is("PRIMARY", "UNIQUE", "CONSTRAINT") {
			k := p.constraintHead()
			k.Columns = []Ident{c.Name}
			p.enforcement(&k)
			k.Span = p.spanFrom(k.Start)
			c.InlineKey = &k
		}
		c.Comment = p.comment()
	}
	c.Span = p.spanFrom(c.Name.Start)
	return c
}

func (p *parser) constraintHead() Constraint {
	k := Constraint{}
	k.Start = p.peek().start
	if p.take("CONSTRAINT") {
		id := p.ident()
		k.Name = &id
	}
	switch {
	case p.is("PRIMARY"):
		if p.look(2); p.tok(1).key != "KEY" {
			p.nameAt = p.i
			p.fail()
		}
		p.next()
		p.next()
	case p.take("UNIQUE"):
		k.Unique = true
	default:
		p.fail()
	}
	return k
}

func (p *parser) enforcement(k *Constraint) {
	switch {
	case p.take("ENFORCED"):
		k.Enforced = "ENFORCED"
	case p.take("NOT"):
		p.expect("ENFORCED")
		k.Enforced = "NOT ENFORCED"
	}
}

func (p *parser) tableConstraint() Constraint {
	k := p.constraintHead()
	if !p.is("(") {
		p.failHint("the key columns go in brackets: PRIMARY KEY (id) NOT ENFORCED")
	}
	k.Columns = p.identList()
	p.enforcement(&k)
	k.Span = p.spanFrom(k.Start)
	return k
}
