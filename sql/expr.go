package sql

import "strings"

// Binding powers of the operators, as Calcite's operator table has them.
const (
	precOr      = 22
	precAnd     = 24
	precNot     = 26
	precIs      = 28
	precCompare = 30
	precIn      = 32
	precPlus    = 40
	precTimes   = 60
	precUnary   = 80
	precItem    = 100
)

// oper is an infix or postfix operator found at the current token. form tells its grammar:
// 'b' binary, 'i' IN, 'q' comparison with SOME/ANY/ALL, 't' BETWEEN, 'l' LIKE and friends,
// 'x' [index], '.' field access, 'p' postfix.
type oper struct {
	text string
	prec int
	n    int // tokens of the operator itself
	form byte
	not  bool
}

// expr parses a scalar expression.
func (p *parser) expr() Expr { return p.exprPrec(0, false) }

// exprPrec parses operators that bind tighter than min. stopAnd ends it at an AND, for the
// lower bound of BETWEEN.
func (p *parser) exprPrec(min int, stopAnd bool) Expr {
	p.enter()
	defer p.leave()
	x := p.prefix()
	for {
		op, ok := p.operator()
		if !ok || op.prec <= min || stopAnd && op.text == "AND" {
			return x
		}
		x = p.infix(x, op)
	}
}

func (p *parser) prefix() Expr {
	t := p.peek()
	start := t.start
	switch t.key {
	case "+", "-":
		p.next()
		p.enter()
		defer p.leave()
		x := p.exprPrec(precUnary, false)
		return &Unary{Span: p.spanFrom(start), Op: t.key, X: x}
	case "NOT":
		p.next()
		x := p.exprPrec(precNot, false)
		return &Unary{Span: p.spanFrom(start), Op: "NOT", X: x}
	case "EXISTS", "UNIQUE":
		p.next()
		x := p.exprPrec(precPlus, false)
		return &Unary{Span: p.spanFrom(start), Op: t.key, X: x}
	}
	return p.primary()
}

var isTests = []string{"NULL", "TRUE", "FALSE", "UNKNOWN"}

// operator recognises the operator at the current token. Flink's grammar looks two tokens
// ahead (three for plain binary operators): an operator with a wrong token behind it is no
// operator, and the error is then reported at the operator itself.
func (p *parser) operator() (oper, bool) {
	none := oper{}
	p.look(1)
	t := p.peek()
	if t.key == "" {
		return none, false
	}
	if t.oneOf("=", "<>", "<", "<=", ">", ">=", "!=", "+", "-", "*", "/", "%", "||", "AND", "OR") &&
		p.startsExpr(p.tok(1)) && !p.operandAhead(1) {
		// two tokens fit and the third does not: the grammar fails here at once
		p.fail()
	}
	switch t.key {
	case "NOT":
		p.look(2)
		switch s := p.tok(1); s.key {
		case "IN":
			return oper{"IN", precIn, 2, 'i', true}, true
		case "BETWEEN":
			return oper{"BETWEEN", precIn, 2, 't', true}, true
		case "LIKE", "ILIKE", "RLIKE":
			return oper{s.key, precIn, 2, 'l', true}, true
		case "SIMILAR":
			return oper{"SIMILAR TO", precIn, 3, 'l', true}, true
		case "SUBMULTISET":
			return oper{"NOT SUBMULTISET OF", precCompare, 3, 'b', false}, true
		}
	case "IN":
		if p.look(2); p.tok(1).key == "(" {
			return oper{"IN", precIn, 1, 'i', false}, true
		}
	case "BETWEEN":
		p.look(2)
		if p.tok(1).oneOf("SYMMETRIC", "ASYMMETRIC") || p.startsExpr(p.tok(1)) {
			return oper{"BETWEEN", precIn, 1, 't', false}, true
		}
		p.nameAt = p.i
	case "LIKE", "ILIKE", "RLIKE":
		if p.look(2); p.startsExpr(p.tok(1)) {
			return oper{t.key, precIn, 1, 'l', false}, true
		}
		p.nameAt = p.i
	case "SIMILAR":
		if p.look(2); p.tok(1).key == "TO" {
			return oper{"SIMILAR TO", precIn, 2, 'l', false}, true
		}
	case "=", "<>", "<", "<=", ">", ">=", "!=":
		p.look(2)
		if p.tok(1).oneOf("SOME", "ANY", "ALL") {
			p.look(3)
			if p.tok(2).key == "(" || p.tok(1).key != "SOME" {
				return oper{t.key, precIn, 1, 'q', false}, true
			}
		}
		if p.operandAhead(1) {
			return oper{t.key, precCompare, 1, 'b', false}, true
		}
	case "+", "-":
		return oper{t.key, precPlus, 1, 'b', false}, p.operandAhead(1)
	case "*", "/", "%", "||":
		return oper{t.key, precTimes, 1, 'b', false}, p.operandAhead(1)
	case "AND":
		return oper{"AND", precAnd, 1, 'b', false}, p.operandAhead(1)
	case "OR":
		return oper{"OR", precOr, 1, 'b', false}, p.operandAhead(1)
	case "CONTAINS", "OVERLAPS", "EQUALS", "PRECEDES", "SUCCEEDS":
		return oper{t.key, precCompare, 1, 'b', false}, p.operandAhead(1)
	case "IMMEDIATELY":
		if p.look(2); p.tok(1).oneOf("PRECEDES", "SUCCEEDS") {
			return oper{"IMMEDIATELY " + p.tok(1).key, precCompare, 2, 'b', false}, true
		}
	case "MEMBER", "SUBMULTISET":
		if p.look(2); p.tok(1).key == "OF" {
			return oper{t.key + " OF", precCompare, 2, 'b', false}, true
		}
	case "MULTISET":
		return p.multisetOperator()
	case "IS":
		return p.isOperator()
	case "[":
		p.look(2)
		return oper{"[", precItem, 1, 'x', false}, true
	case ".":
		p.look(2)
		return oper{".", precItem, 1, '.', false}, p.tok(1).isName()
	case "FORMAT":
		if p.look(2); p.tok(1).key == "JSON" {
			return oper{"FORMAT JSON", precIs, 2, 'p', false}, true
		}
	}
	return none, false
}

func (p *parser) multisetOperator() (oper, bool) {
	p.look(2)
	s := p.tok(1)
	if !s.oneOf("UNION", "INTERSECT", "EXCEPT") {
		return oper{}, false
	}
	op := oper{"MULTISET " + s.key, precCompare / 2, 2, 'b', false}
	if x := p.tok(2); x.oneOf("ALL", "DISTINCT") {
		op.n = 3
		if x.key == "DISTINCT" {
			op.text += " DISTINCT"
		}
	}
	return op, true
}

func (p *parser) isOperator() (oper, bool) {
	p.look(2)
	n, text := 1, "IS"
	if p.tok(1).key == "NOT" {
		p.look(3)
		n, text = 2, "IS NOT"
	}
	t := p.tok(n)
	switch {
	case t.oneOf(isTests...):
		return oper{text + " " + t.key, precIs, n + 1, 'p', false}, true
	case t.key == "DISTINCT":
		p.look(n + 2)
		if n == 1 && p.tok(2).key != "FROM" {
			p.i++
			p.fail()
		}
		return oper{text + " DISTINCT FROM", precCompare, n + 2, 'b', false}, true
	case t.key == "A":
		return oper{text + " A SET", precIs, n + 2, 'p', false}, true
	case t.key == "EMPTY":
		return oper{text + " EMPTY", precIs, n + 1, 'p', false}, true
	case t.key == "JSON":
		if k := p.tok(n + 1); k.oneOf("VALUE", "OBJECT", "ARRAY", "SCALAR") {
			return oper{text + " JSON " + k.key, precIs, n + 2, 'p', false}, true
		}
		return oper{text + " JSON VALUE", precIs, n + 1, 'p', false}, true
	}
	if n == 2 { // the grammar has taken IS NOT and wants one of the words above
		p.i += 2
		p.failHere()
	}
	return oper{}, false
}

func (p *parser) infix(x Expr, op oper) Expr {
	start := x.At().Start
	at := p.peek().start
	switch op.form {
	case 'b':
		p.takeOperator(op)
		y := p.exprPrec(op.prec, false)
		return &Binary{Span: p.spanFrom(start), Op: op.text, X: x, Y: y, OpPos: at}
	case 'p':
		p.takeOperator(op)
		return &Unary{Span: p.spanFrom(start), Op: op.text, X: x}
	case 'i':
		p.takeOperator(op)
		in := &In{X: x, Not: op.not}
		in.Query, in.List = p.queryOrList()
		in.Span = p.spanFrom(start)
		return in
	case 'q':
		p.next()
		q := &Quantified{X: x, Op: op.text, Quant: p.next().key}
		if op.text == "!=" {
			p.bangEqual(at)
		}
		q.Query, q.List = p.queryOrList()
		q.Span = p.spanFrom(start)
		return q
	case 't':
		return p.between(x, op)
	case 'l':
		p.takeOperator(op)
		l := &Like{Op: op.text, X: x, Not: op.not}
		l.Pattern = p.exprPrec(precIn, false)
		if p.is("ESCAPE") {
			p.next()
			l.Escape = p.primary()
		}
		l.Span = p.spanFrom(start)
		return l
	case 'x':
		p.next()
		i := p.expr()
		p.expect("]")
		return &Index{Span: p.spanFrom(start), X: x, I: i}
	default: // '.'
		p.next()
		if fn := p.tok(1); fn.key == "(" { // x.f(..) is no field, and no function of Flink's
			p.next()
			p.fail()
		}
		id := p.ident()
		return &FieldAccess{Span: p.spanFrom(start), X: x, Field: id}
	}
}

// takeOperator takes the operator's words; later ones are taken as the grammar would.
func (p *parser) takeOperator(op oper) {
	at := p.peek().start
	words := strings.Fields(op.text)
	if op.not {
		words = append([]string{"NOT"}, words...)
	}
	if op.text == "!=" {
		p.next()
		p.bangEqual(at)
	}
	for k := 0; k < op.n; k++ {
		if k < len(words) && p.peek().key != words[k] {
			p.fail()
		}
		p.next()
	}
}

func (p *parser) bangEqual(at Pos) {
	p.failAs(ClassCalcite, at, "write <> for not equal", "Bang equal '!=' is not allowed under the current SQL conformance level")
}

func (p *parser) between(x Expr, op oper) Expr {
	p.takeOperator(op)
	at := p.prev().start
	b := &Between{X: x, Not: op.not}
	if w, ok := p.takeAny("SYMMETRIC", "ASYMMETRIC"); ok {
		b.Symmetric = w == "SYMMETRIC"
	}
	b.Lo = p.exprPrec(0, true)
	if p.peek().key != "AND" {
		p.failAs(ClassValidator, at, "write BETWEEN low AND high", "BETWEEN operator has no terminating AND")
	}
	p.next()
	b.Hi = p.exprPrec(precIn, false)
	b.Span = p.spanFrom(x.At().Start)
	return b
}

// queryOrList parses (query) or (expr, ...).
func (p *parser) queryOrList() (*Query, []Expr) {
	p.expect("(")
	var list []Expr
	var query *Query
	x := p.exprOrQuery()
	if s, ok := x.(*Subquery); ok && !p.is(",") {
		query = s.Query
	} else {
		list = append(list, x)
	}
	for p.is(",") {
		p.next()
		list = append(list, p.expr())
	}
	p.expect(")")
	return query, list
}

// exprOrQuery parses an expression, or a query without brackets of its own as a Subquery.
// A query in brackets may go on with UNION, ORDER BY, ...: then it was the left side.
func (p *parser) exprOrQuery() Expr {
	if p.startsQuery() {
		q := p.queryStmt()
		return &Subquery{Span: q.Span, Query: q}
	}
	x := p.expr()
	s, ok := x.(*Subquery)
	if !ok {
		p.noOrder()
		return x
	}
	q := p.queryTail(s.Query)
	if q == s.Query {
		return x
	}
	return &Subquery{Span: q.Span, Query: q}
}

// noOrder refuses ORDER BY behind a value.
func (p *parser) noOrder() {
	if p.is("ORDER") {
		p.failAs(ClassCalcite, p.peek().start, "", "ORDER BY unexpected")
	}
}

// exprList parses a comma list as GROUP BY and ORDER BY have it: the grammar looks behind
// each comma before it takes it.
func (p *parser) exprList() []Expr {
	list := []Expr{p.expr()}
	for p.commaThenExpr() {
		p.next()
		list = append(list, p.expr())
	}
	return list
}

func (p *parser) commaThenExpr() bool {
	p.look(1)
	if p.peek().key != "," {
		return false
	}
	p.look(2)
	return p.startsExpr(p.tok(1))
}
