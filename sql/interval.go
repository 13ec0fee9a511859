package sql

import (
	"strconv"
)

// String is DAY(3) TO SECOND(2) as written.
func (u IntervalUnit) String() string {
	s := u.From
	if u.Precision >= 0 {
		s += "(" + strconv.Itoa(u.Precision)
		if u.To == "" && u.ToPrecision >= 0 {
			s += ", " + strconv.Itoa(u.ToPrecision)
		}
		s += ")"
	}
	if u.To != "" {
		s += " TO " + u.To
		if u.ToPrecision >= 0 {
			s += "(" + strconv.Itoa(u.ToPrecision) + ")"
		}
	}
	return s
}

// intervalFrom maps the unit words, with the plural forms that Calcite takes too.
func intervalFrom(w string) string {
	switch w {
	case "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND":
		return w
	case "YEARS", "QUARTERS", "MONTHS", "WEEKS", "DAYS", "HOURS", "MINUTES", "SECONDS":
		return w[:len(w)-1]
	}
	return ""
}

func (p *parser) atIntervalUnit() bool {
	p.look(1)
	if intervalFrom(p.peek().key) == "" {
		return false
	}
	p.look(2)
	return true
}

// intervalEnds are the units that may follow TO.
func intervalEnds(from string) []string {
	switch from {
	case "YEAR":
		return []string{"MONTH"}
	case "DAY":
		return []string{"HOUR", "MINUTE", "SECOND"}
	case "HOUR":
		return []string{"MINUTE", "SECOND"}
	case "MINUTE":
		return []string{"SECOND"}
	}
	return nil
}

func (p *parser) intervalUnit() IntervalUnit { return p.intervalUnitTo(true) }

func (p *parser) intervalUnitTo(to bool) IntervalUnit {
	u := IntervalUnit{Precision: -1, ToPrecision: -1}
	u.From = intervalFrom(p.peek().key)
	if u.From == "" {
		p.fail()
	}
	p.next()
	if p.take("(") {
		u.Precision = p.intText()
		if u.From == "SECOND" && p.take(",") {
			u.ToPrecision = p.intText()
		}
		p.expect(")")
	}
	if !to || !p.is("TO") {
		return u
	}
	ends := intervalEnds(u.From)
	p.look(2)
	end := intervalFrom(p.tok(1).key)
	for _, e := range ends {
		if e == end {
			p.next()
			p.next()
			u.To = end
			if p.take("(") {
				u.ToPrecision = p.intText()
				p.expect(")")
			}
			return u
		}
	}
	return u
}

func (p *parser) intText() int {
	t := p.peek()
	if t.kind != tokInt {
		p.fail()
	}
	p.next()
	n, err := strconv.Atoi(t.text)
	if err != nil || n > 2147483647 {
		p.failAs(ClassCalcite, t.start, "", "Literal '%s' can not be parsed to type 'java.lang.Integer'", t.text)
	}
	return n
}

// interval parses INTERVAL '1' DAY, INTERVAL 5 SECOND, INTERVAL (a + b) MINUTE, INTERVAL c HOUR.
func (p *parser) interval() Expr {
	start := p.next().start
	iv := &IntervalLit{}
	if s, ok := p.takeAny("-", "+"); ok {
		iv.Negative = s == "-"
	}
	t := p.peek()
	switch {
	case t.kind == tokString:
		p.next()
		iv.Text = unquote(t.text)
		iv.Unit = p.intervalUnit()
		iv.Span = p.spanFrom(start)
		return iv
	case t.key == "(":
		p.next()
		iv.Value = p.expr()
		p.expect(")")
	case t.kind == tokInt, t.kind == tokDecimal, t.kind == tokApprox:
		p.next()
		iv.Value = &NumberLit{Span{t.start, t.end}, t.text}
	default:
		n := p.name()
		iv.Value = &ColumnRef{Span: n.Span, Name: n}
	}
	iv.Unit = p.intervalUnitTo(false)
	iv.Span = p.spanFrom(start)
	return iv
}
