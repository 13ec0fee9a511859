package sql

import "strconv"

// matchAhead tells whether MATCH_RECOGNIZE ( follows; the grammar looks three tokens ahead.
func (p *parser) matchAhead() bool {
	if !p.is("MATCH_RECOGNIZE") {
		return false
	}
	p.look(2)
	ok := p.tok(1).key == "("
	if ok {
		p.look(3)
		ok = p.tok(2).oneOf("PARTITION", "ORDER", "MEASURES", "ONE", "ALL", "AFTER", "PATTERN")
	}
	if !ok {
		p.nameAt = p.i
		p.fail()
	}
	return true
}

func (p *parser) matchRecognize(input TableExpr) TableExpr {
	m := &MatchRecognize{Input: input}
	p.next()
	p.expect("(")
	if p.take("PARTITION") {
		p.expect("BY")
		m.PartitionBy = p.exprList()
	}
	if p.is("ORDER") {
		m.OrderBy = p.orderBy()
	}
	if p.take("MEASURES") {
		for {
			x := p.expr()
			p.expect("AS")
			id := p.ident()
			m.Measures = append(m.Measures, SelectItem{X: x, Alias: &id})
			if !p.take(",") {
				break
			}
		}
	}
	if p.take("ONE") {
		p.expectAll("ROW", "PER", "MATCH")
		m.OneRow = true
	} else if p.take("ALL") {
		p.expectAll("ROWS", "PER", "MATCH")
		m.AllRows = true
	}
	if p.take("AFTER") {
		m.After = p.matchSkip()
	}
	p.expect("PATTERN")
	p.expect("(")
	m.Pattern = p.fullPattern()
	p.expect(")")
	if p.take("WITHIN") {
		if !p.is("INTERVAL") {
			p.fail()
		}
		m.Within = p.interval()
	}
	if p.take("SUBSET") {
		for {
			s := MatchSubset{Name: p.ident()}
			p.expect("=")
			s.Vars = p.identList()
			m.Subset = append(m.Subset, s)
			if !p.take(",") {
				break
			}
		}
	}
	p.expect("DEFINE")
	for {
		d := MatchDefine{Name: p.ident()}
		p.expect("AS")
		d.X = p.expr()
		m.Define = append(m.Define, d)
		if !p.take(",") {
			break
		}
	}
	p.expect(")")
	m.Alias = p.alias()
	m.Span = p.spanFrom(input.At().Start)
	return m
}

func (p *parser) matchSkip() MatchSkip {
	p.expectAll("MATCH", "SKIP")
	if p.take("PAST") {
		p.expectAll("LAST", "ROW")
		return MatchSkip{Kind: "PAST LAST ROW"}
	}
	p.expect("TO")
	switch {
	case p.seq("NEXT", "ROW"):
		p.next()
		p.next()
		return MatchSkip{Kind: "TO NEXT ROW"}
	case p.is("FIRST") && p.tok(1).isName():
		p.look(2)
		p.next()
		return MatchSkip{Kind: "TO FIRST", Var: p.ident().Text}
	case p.is("LAST") && p.tok(1).isName():
		p.look(2)
		p.next()
	}
	return MatchSkip{Kind: "TO LAST", Var: p.ident().Text}
}

// fullPattern parses a pattern with its optional anchors ^ and $.
func (p *parser) fullPattern() Pattern {
	start := p.peek().start
	caret := p.take("^")
	pat := p.patternAlt()
	if !caret && !p.is("$") {
		return pat
	}
	items := []Pattern{}
	if caret {
		items = append(items, Pattern{Kind: "START"})
	}
	items = append(items, pat)
	if p.peek().text == "$" {
		p.next()
		items = append(items, Pattern{Kind: "END"})
	}
	return Pattern{Span: p.spanFrom(start), Kind: "CONCAT", Items: items}
}

func (p *parser) patternAlt() Pattern {
	p.enter()
	defer p.leave()
	start := p.peek().start
	items := []Pattern{p.patternConcat()}
	for p.take("|") {
		items = append(items, p.patternConcat())
	}
	if len(items) == 1 {
		return items[0]
	}
	return Pattern{Span: p.spanFrom(start), Kind: "ALT", Items: items}
}

func (p *parser) patternConcat() Pattern {
	start := p.peek().start
	items := []Pattern{p.patternFactor()}
	for p.patternStarts() {
		items = append(items, p.patternFactor())
	}
	if len(items) == 1 {
		return items[0]
	}
	return Pattern{Span: p.spanFrom(start), Kind: "CONCAT", Items: items}
}

func (p *parser) patternStarts() bool {
	return p.peek().text != "$" && (p.atName() || p.is("(", "PERMUTE") || p.is("{") && p.tok(1).key == "-")
}

func (p *parser) patternFactor() Pattern {
	f := p.patternPrimary()
	switch {
	case p.take("*"):
		f.Quantified, f.Min, f.Max = true, 0, -1
	case p.take("+"):
		f.Quantified, f.Min, f.Max = true, 1, -1
	case p.take("?"):
		f.Quantified, f.Min, f.Max = true, 0, 1
	case p.is("{") && p.tok(1).key != "-":
		p.next()
		p.patternBounds(&f)
	default:
		return f
	}
	f.Reluctant = p.take("?")
	f.End = p.prev().end
	return f
}

func (p *parser) patternBounds(f *Pattern) {
	f.Quantified, f.Max = true, -1
	if p.take(",") {
		f.Min = 0
		f.OpenMin = true
		f.Max = p.intText()
	} else {
		f.Min = p.intText()
		f.Max = f.Min
		if p.take(",") {
			f.Max = -1
			if p.peek().kind == tokInt {
				f.Max = p.intText()
			}
		}
	}
	p.expect("}")
}

func (p *parser) patternPrimary() Pattern {
	t := p.peek()
	switch {
	case t.key == "(":
		p.next()
		in := p.patternAlt()
		p.expect(")")
		return Pattern{Span: p.spanFrom(t.start), Kind: "GROUP", Items: []Pattern{in}}
	case t.key == "{":
		p.next()
		p.expect("-")
		in := p.patternAlt()
		p.expect("-")
		p.expect("}")
		return Pattern{Span: p.spanFrom(t.start), Kind: "EXCLUDE", Items: []Pattern{in}}
	case t.key == "PERMUTE":
		p.next()
		p.expect("(")
		f := Pattern{Kind: "PERMUTE", Items: []Pattern{p.patternAlt()}}
		for p.take(",") {
			f.Items = append(f.Items, p.patternAlt())
		}
		p.expect(")")
		f.Span = p.spanFrom(t.start)
		return f
	}
	id := p.ident()
	return Pattern{Span: id.Span, Kind: "VAR", Var: id.Text}
}

// String is the quantifier as SQL writes it, or "".
func (f Pattern) quantifier() string {
	if !f.Quantified {
		return ""
	}
	var s string
	switch {
	case f.OpenMin:
		s = "{," + strconv.Itoa(f.Max) + "}"
	case f.Min == 0 && f.Max == -1:
		s = "*"
	case f.Min == 1 && f.Max == -1:
		s = "+"
	case f.Min == 0 && f.Max == 1:
		s = "?"
	case f.Max == -1:
		s = "{" + strconv.Itoa(f.Min) + ",}"
	case f.Min == f.Max:
		s = "{" + strconv.Itoa(f.Min) + "}"
	default:
		s = "{" + strconv.Itoa(f.Min) + "," + strconv.Itoa(f.Max) + "}"
	}
	if f.Reluctant {
		s += "?"
	}
	return s
}
