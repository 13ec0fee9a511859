package sql

// specialCall parses a function whose arguments are parted by keywords.
func (p *parser) specialCall() Expr {
	t := p.next()
	at := Span{t.start, t.end}
	c := &Call{Name: Name{Span: at, Parts: []Ident{{Span: at, Text: t.text}}}, Syntax: "SPECIAL"}
	switch t.key {
	case "CAST", "TRY_CAST", "SAFE_CAST":
		return p.cast(t)
	case "PREV", "CLASSIFIER", "MATCH_NUMBER", "NEXT":
		return p.matchCall(c, t)
	case "JSON_EXISTS", "JSON_VALUE", "JSON_QUERY", "JSON_OBJECT", "JSON_OBJECTAGG", "JSON_ARRAY", "JSON_ARRAYAGG":
		p.expect("(")
		p.jsonCall(c, t.key)
	case "EXTRACT":
		p.expect("(")
		c.Args = append(c.Args, p.timeUnitFlag())
		p.expect("FROM")
		c.Args = append(c.Args, p.expr())
		p.expect(")")
	case "POSITION":
		p.expect("(")
		c.Args = append(c.Args, p.primary())
		p.expect("IN")
		c.Args = append(c.Args, p.expr())
		if p.take("FROM") {
			c.Args = append(c.Args, p.expr())
		}
		p.expect(")")
	case "OVERLAY":
		p.expect("(")
		c.Args = append(c.Args, p.expr())
		p.expect("PLACING")
		c.Args = append(c.Args, p.expr())
		p.expect("FROM")
		c.Args = append(c.Args, p.expr())
		if p.take("FOR") {
			c.Args = append(c.Args, p.expr())
		}
		p.expect(")")
	case "SUBSTRING":
		p.substring(c)
	case "TRIM":
		p.trim(c)
	case "FLOOR", "CEIL", "CEILING":
		p.expect("(")
		c.Args = append(c.Args, p.expr())
		if p.take("TO") {
			c.Args = append(c.Args, p.timeUnitFlag())
		} else {
			c.Syntax = ""
		}
		p.expect(")")
		p.over(c)
	case "CONVERT":
		if t := p.tok(1); t.class&wordNonReserved == 0 && isTypeWord(t.key) {
			return p.convert(t.start)
		}
		c.Syntax = ""
		p.expect("(")
		c.Args = append(c.Args, p.expr())
		for p.take(",") {
			c.Args = append(c.Args, p.expr())
		}
		p.expect(")")
	case "TRANSLATE":
		c.Syntax = ""
		p.expect("(")
		c.Args = append(c.Args, p.expr())
		if p.take("USING") {
			c.Syntax = "SPECIAL"
			c.Args = append(c.Args, p.columnName())
		} else {
			for p.take(",") {
				c.Args = append(c.Args, p.expr())
			}
		}
		p.expect(")")
	default: // functions of other engines, with plain arguments
		c.Syntax = ""
		p.expect("(")
		c.Args = append(c.Args, p.expr())
		for p.take(",") {
			c.Args = append(c.Args, p.expr())
		}
		p.expect(")")
	}
	c.Span = p.spanFrom(t.start)
	return c
}

func (p *parser) cast(t *token) Expr {
	c := &Cast{Try: t.key == "TRY_CAST"}
	p.expect("(")
	c.X = p.expr()
	p.expect("AS")
	c.Type = p.castType(t.key == "TRY_CAST")
	p.expect(")")
	c.Span = p.spanFrom(t.start)
	return c
}

// convert parses CONVERT(type, x), which is CAST(x AS type).
func (p *parser) convert(start Pos) Expr {
	c := &Cast{}
	p.expect("(")
	c.Type = p.castType(false)
	p.expect(",")
	c.X = p.expr()
	p.expect(")")
	c.Span = p.spanFrom(start)
	return c
}

// isTypeWord tells whether a keyword begins a type.
func isTypeWord(key string) bool {
	switch key {
	case "BOOLEAN", "TINYINT", "SMALLINT", "INT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "NUMERIC", "STRING", "VARCHAR", "CHAR", "BYTES", "DATE", "TIMESTAMP":
		return true
	}
	return false
}

func (p *parser) castType(bool) TypeName {
	if p.is("INTERVAL") {
		start := p.next().start
		u := p.intervalUnit()
		return TypeName{Span: p.spanFrom(start), Name: "INTERVAL", Unit: u}
	}
	return p.dataType()
}

func (p *parser) substring(c *Call) {
	p.expect("(")
	c.Args = append(c.Args, p.expr())
	k, ok := p.takeAny("FROM", ",")
	if !ok {
		p.fail()
	}
	if k == "," {
		c.Syntax = ""
	}
	c.Args = append(c.Args, p.expr())
	if _, ok := p.takeAny("FOR", ","); ok {
		c.Args = append(c.Args, p.expr())
	}
	p.expect(")")
}

// trim parses TRIM([BOTH|LEADING|TRAILING] [chars] FROM x) and TRIM(x); the arguments
// become Flag, chars (NullLit-free: a blank text when absent), x.
func (p *parser) trim(c *Call) {
	p.expect("(")
	at := p.peek()
	flag := &Flag{Span{at.start, at.end}, "BOTH"}
	written := false
	if k, ok := p.takeAny("BOTH", "LEADING", "TRAILING"); ok {
		flag.Text = k
		written = true
	}
	var chars Expr
	if !p.is("FROM") {
		chars = p.expr()
	} else if !written {
		p.failAs(ClassCalcite, p.peek().start, "", "'FROM' without operands preceding it is illegal")
	}
	blank := &StringLit{Span: flag.Span, Value: " "}
	if p.take("FROM") {
		x := p.expr()
		if chars == nil {
			chars = blank
		}
		c.Args = []Expr{flag, chars, x}
	} else {
		c.Args = []Expr{flag, blank, chars}
	}
	p.expect(")")
}

// timeUnitFlag parses YEAR, WEEK(MONDAY), ... as an argument.
func (p *parser) timeUnitFlag() Expr {
	t := p.peek()
	if t.key == "" && t.isName() {
		p.next()
		return &Flag{Span{t.start, t.end}, upperASCII(t.text)}
	}
	if !hasWord(timeUnits, t.key) && !t.isName() {
		p.nameAt = p.i
		p.fail()
	}
	p.next()
	f := &Flag{Span{t.start, t.end}, t.key}
	if t.key == "WEEK" && p.is("(") && hasWord(weekDays, p.tok(1).key) {
		p.next()
		f.Text = "WEEK_" + p.next().key
		p.expect(")")
	}
	f.Span = p.spanFrom(t.start)
	return f
}

const timeUnits = " NANOSECOND MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY DAYOFWEEK DAYOFYEAR DOW DOY ISODOW ISOYEAR WEEK MONTH QUARTER YEAR EPOCH DECADE CENTURY MILLENNIUM "
const weekDays = " SUNDAY MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY "

// timestampCall parses TIMESTAMPADD(unit, n, t) and TIMESTAMPDIFF(unit, a, b).
func (p *parser) timestampCall() Expr {
	t := p.next()
	at := Span{t.start, t.end}
	c := &Call{Name: Name{Span: at, Parts: []Ident{{Span: at, Text: t.text}}}, Syntax: "SPECIAL"}
	p.expect("(")
	c.Args = append(c.Args, p.timeUnitFlag())
	p.expect(",")
	c.Args = append(c.Args, p.expr())
	p.expect(",")
	c.Args = append(c.Args, p.expr())
	p.expect(")")
	c.Span = p.spanFrom(t.start)
	return c
}

// matchCall parses PREV(x, n), CLASSIFIER(), MATCH_NUMBER().
func (p *parser) matchCall(c *Call, t *token) Expr {
	p.expect("(")
	if t.key == "PREV" || t.key == "NEXT" {
		c.Syntax = ""
		c.Args = append(c.Args, p.expr())
		if p.take(",") {
			c.Args = append(c.Args, p.number())
		}
	}
	p.expect(")")
	c.Span = p.spanFrom(t.start)
	return c
}

func (p *parser) number() Expr {
	start := p.peek().start
	sign, signed := p.takeAny("+", "-")
	t := p.peek()
	if t.kind != tokInt && t.kind != tokDecimal && t.kind != tokApprox {
		p.fail()
	}
	p.next()
	n := &NumberLit{Span{t.start, t.end}, t.text}
	if signed && sign == "-" {
		return &Unary{Span: p.spanFrom(start), Op: "-", X: n}
	}
	return n
}

// runningCall parses RUNNING f(x) and FINAL f(x).
func (p *parser) runningCall() Expr {
	t := p.next()
	x := p.primary()
	c, ok := x.(*Call)
	if !ok {
		p.fail()
	}
	at := Span{t.start, t.end}
	return &Call{Span: p.spanFrom(t.start), Name: Name{Span: at, Parts: []Ident{{Span: at, Text: t.text}}}, Args: []Expr{c}, Syntax: "SPECIAL"}
}
