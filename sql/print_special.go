package sql

// special prints a call in its keyword form; false when it has none.
func (p *printer) special(c *Call) bool {
	name := upperASCII(c.Name.Parts[0].Text)
	arg := func(i int) { p.expr(c.Args[i], 0) }
	n := len(c.Args)
	switch name {
	case "EXTRACT":
		p.put(c.Name.Parts[0].Text, "(")
		p.flagText(c.Args[0])
		p.put(" FROM ")
		arg(1)
	case "POSITION":
		p.put(c.Name.Parts[0].Text, "(")
		p.expr(c.Args[0], precItem)
		p.put(" IN ")
		arg(1)
		if n > 2 {
			p.put(" FROM ")
			arg(2)
		}
	case "OVERLAY":
		p.put(c.Name.Parts[0].Text, "(")
		arg(0)
		p.put(" PLACING ")
		arg(1)
		p.put(" FROM ")
		arg(2)
		if n > 3 {
			p.put(" FOR ")
			arg(3)
		}
	case "SUBSTRING":
		if p.resolved {
			return false
		}
		p.put(c.Name.Parts[0].Text, "(")
		arg(0)
		p.put(" FROM ")
		arg(1)
		if n > 2 {
			p.put(" FOR ")
			arg(2)
		}
	case "TRIM":
		p.put(c.Name.Parts[0].Text, "(")
		arg(0)
		p.put(" ")
		arg(1)
		p.put(" FROM ")
		arg(2)
	case "FLOOR", "CEIL", "CEILING":
		p.put(c.Name.Parts[0].Text, "(")
		arg(0)
		p.put(" TO ")
		p.flagText(c.Args[1])
	case "TRANSLATE":
		p.put(c.Name.Parts[0].Text, "(")
		arg(0)
		p.put(" USING ")
		arg(1)
	case "TIMESTAMPADD", "TIMESTAMPDIFF":
		p.put(c.Name.Parts[0].Text, "(")
		p.flagText(c.Args[0])
		p.put(", ")
		arg(1)
		p.put(", ")
		arg(2)
	case "RUNNING", "FINAL":
		p.put(name, " ")
		arg(0)
		return true
	case "MINUS_DATE":
		p.put("(")
		p.expr(c.Args[0], precPlus-1)
		p.put(" - ")
		p.expr(c.Args[1], precPlus)
		p.put(") ")
		p.flagText(c.Args[2])
		return true
	case "JSON_EXISTS", "JSON_VALUE", "JSON_QUERY", "JSON_OBJECT", "JSON_OBJECTAGG", "JSON_ARRAY", "JSON_ARRAYAGG":
		p.json(c, name)
	default:
		return false
	}
	p.put(")")
	p.callClauses(c, name == "JSON_ARRAYAGG")
	return true
}

// flagText prints a keyword argument; WEEK_MONDAY is written WEEK(MONDAY).
func (p *printer) flagText(x Expr) {
	f, ok := x.(*Flag)
	if !ok {
		p.expr(x, 0)
		return
	}
	if len(f.Text) > 5 && f.Text[:5] == "WEEK_" {
		p.put("WEEK(", f.Text[5:], ")")
		return
	}
	p.put(f.Text)
}

func (p *printer) json(c *Call, name string) {
	p.put(c.Name.Parts[0].Text, "(")
	pairs := name == "JSON_OBJECT" || name == "JSON_OBJECTAGG"
	returning, defaulted, n := false, "", 0
	for i, a := range c.Args {
		f, flag := a.(*Flag)
		switch {
		case returning:
			p.put(" ")
			p.typeName(a.(*Cast).Type)
			returning = false
		case defaulted != "":
			p.put(" ")
			p.expr(a, 0)
			p.put(defaulted)
			defaulted = ""
		case flag && len(f.Text) > 8 && f.Text[:8] == "DEFAULT ":
			p.put(" DEFAULT")
			defaulted = f.Text[7:]
		case flag:
			if i > 0 {
				p.put(" ")
			}
			p.put(f.Text)
			returning = f.Text == "RETURNING"
		default:
			switch {
			case pairs && n%2 == 1:
				p.put(" VALUE ")
			case n > 0:
				p.put(", ")
			}
			if pairs && n%2 == 0 {
				p.put("KEY ")
			}
			p.expr(a, 0)
			n++
		}
	}
	if p.resolved {
		p.put(nullClause(c, name))
	}
}
