package sql

// dataType parses a type as CAST has it; fields of ROW and elements may carry NOT NULL.
func (p *parser) dataType() TypeName {
	t := p.typeName()
	for p.is("ARRAY", "MULTISET") {
		k := p.next().key
		t = TypeName{Span: p.spanFrom(t.Start), Name: k, Elems: []TypeName{t}}
	}
	return t
}

// extendedType parses a type with [NOT] NULL behind it, as CREATE TABLE has it.
func (p *parser) extendedType() TypeName {
	t := p.typeName()
	for {
		n := 0
		p.look(1)
		switch {
		case p.is("NOT") && p.tok(1).key == "NULL":
			p.look(2)
			n = 2
		case p.is("NULL"):
			n = 1
		}
		if n > 0 {
			p.look(n + 1)
		}
		if !p.tok(n).oneOf("ARRAY", "MULTISET") {
			break
		}
		t.NotNull, t.Null = n == 2, n == 1
		p.i += n
		k := p.next().key
		t = TypeName{Span: p.spanFrom(t.Start), Name: k, Elems: []TypeName{t}}
	}
	p.nullOpt(&t)
	return t
}

func (p *parser) nullOpt(t *TypeName) {
	switch {
	case p.take("NULL"):
		t.Null = true
	case p.is("NOT") && p.tok(1).key == "ENFORCED":
	case p.take("NOT"):
		p.expect("NULL")
		t.NotNull = true
	default:
		return
	}
	t.End = p.prev().end
}

// typeName parses a type without [NOT] NULL and without a trailing ARRAY.
func (p *parser) typeName() TypeName {
	p.enter()
	defer p.leave()
	t := p.peek()
	start := t.start
	p.look(1)
	n := TypeName{Name: t.key}
	switch t.key {
	case "BOOLEAN", "TINYINT", "SMALLINT", "BIGINT", "FLOAT", "REAL", "DATE", "STRING", "BYTES", "VARIANT", "BITMAP":
		p.next()
	case "INT", "INTEGER":
		p.next()
		n.Name = "INT"
	case "DOUBLE":
		p.next()
		p.take("PRECISION")
	case "DECIMAL", "DEC", "NUMERIC":
		p.next()
		n.Name = "DECIMAL"
		if p.take("(") {
			n.Params = append(n.Params, p.intText())
			if p.take(",") {
				n.Params = append(n.Params, p.intText())
			}
			p.expect(")")
		}
	case "BINARY", "VARBINARY":
		p.next()
		if t.key == "BINARY" && p.take("VARYING") {
			n.Name = "VARBINARY"
		}
		p.precision(&n)
	case "CHAR", "CHARACTER", "VARCHAR":
		p.next()
		if t.key != "VARCHAR" {
			n.Name = "CHAR"
			if p.take("VARYING") {
				n.Name = "VARCHAR"
			}
		}
		p.precision(&n)
		if p.take("CHARACTER") {
			p.expect("SET")
			p.ident()
		}
	case "TIMESTAMP_LTZ":
		p.next()
		p.precision(&n)
	case "TIME", "TIMESTAMP":
		p.next()
		p.precision(&n)
		p.timeZone(&n)
	case "ROW":
		return p.rowType()
	case "MAP":
		if p.tok(1).key == "<" {
			p.next()
			p.next()
			n.Elems = append(n.Elems, p.extendedType())
			p.expect(",")
			n.Elems = append(n.Elems, p.extendedType())
			p.expect(">")
			break
		}
		return p.userType()
	case "ARRAY", "MULTISET":
		if p.look(2); p.tok(1).key != "<" {
			p.nameAt = p.i
			p.fail()
		}
		p.next()
		p.expect("<")
		e := p.typeName()
		p.nullOpt(&e)
		n.Elems = []TypeName{e}
		p.expect(">")
	case "RAW":
		p.next()
		p.expect("(")
		p.stringText()
		p.expect(",")
		p.stringText()
		p.expect(")")
	default:
		return p.userType()
	}
	n.Span = p.spanFrom(start)
	return n
}

// userType keeps an unknown type's name as written.
func (p *parser) userType() TypeName {
	if !p.peek().isName() {
		p.nameAt = p.i
		p.failHint(p.hintType())
	}
	nm := p.name()
	text := ""
	for i, id := range nm.Parts {
		if i > 0 {
			text += "."
		}
		text += id.Text
	}
	return TypeName{Span: nm.Span, Name: text, User: true}
}

func (p *parser) precision(n *TypeName) {
	if p.take("(") {
		n.Params = append(n.Params, p.intText())
		p.expect(")")
	}
}

func (p *parser) timeZone(n *TypeName) {
	switch {
	case p.is("WITHOUT"):
		if p.look(3); p.tok(1).key == "TIME" && p.tok(2).key == "ZONE" {
			p.i += 3
		}
	case p.take("WITH"):
		p.expectAll("LOCAL", "TIME", "ZONE")
		if n.Name == "TIMESTAMP" {
			n.Name, n.Long = "TIMESTAMP_LTZ", true
		} else {
			n.Name = "TIME_LTZ"
		}
	}
}

// rowType parses ROW<a INT, b STRING 'comment'> and ROW(a INT, b STRING).
func (p *parser) rowType() TypeName {
	t := p.next()
	n := TypeName{Name: "ROW"}
	if p.take("<>") {
		n.Span = p.spanFrom(t.start)
		return n
	}
	open, ok := p.takeAny("<", "(")
	if !ok {
		p.fail()
	}
	end := ">"
	if open == "(" {
		end = ")"
	}
	for !p.is(end) {
		f := TypeField{Name: p.ident()}
		f.Type = p.extendedType()
		if p.peek().kind == tokString {
			f.Comment = p.stringText()
		}
		n.Fields = append(n.Fields, f)
		n.Elems = append(n.Elems, f.Type)
		if !p.take(",") {
			break
		}
	}
	p.expect(end)
	n.Span = p.spanFrom(t.start)
	return n
}
