package sql

import "strings"

// binaryPrec is the binding power of a binary operator.
func binaryPrec(op string) int {
	switch op {
	case "OR":
		return precOr
	case "AND":
		return precAnd
	case "+", "-":
		return precPlus
	case "*", "/", "%", "||":
		return precTimes
	}
	if strings.HasPrefix(op, "MULTISET") {
		return precCompare / 2
	}
	return precCompare
}

// expr prints x where operators must bind tighter than min, else in brackets.
func (p *printer) expr(x Expr, min int) {
	switch x := x.(type) {
	case *ColumnRef:
		p.name(x.Name)
	case *Star:
		if len(x.Qualifier.Parts) > 0 {
			p.name(x.Qualifier)
			p.put(".")
		}
		p.put("*")
	case *NumberLit:
		if p.resolved {
			p.put(normalNumber(x.Text))
			return
		}
		p.put(x.Text)
	case *StringLit:
		p.stringLit(x)
	case *BinaryLit:
		hex := x.Hex
		if p.resolved {
			hex = strings.ToUpper(hex)
		}
		p.put("X'", hex, "'")
	case *BoolLit:
		switch {
		case x.Unknown:
			p.put("UNKNOWN")
		case x.Value:
			p.put("TRUE")
		default:
			p.put("FALSE")
		}
	case *NullLit:
		p.put("NULL")
	case *TemporalLit:
		kind := x.Kind
		if kind == "TIMESTAMP_LTZ" {
			kind = "TIMESTAMP WITH LOCAL TIME ZONE"
		}
		p.put(kind, " ", QuoteText(x.Text))
	case *IntervalLit:
		// with a number it is an operator, which is bracketed as an operand
		p.wrap(p.normal && x.Value != nil && min > 0, func() { p.interval(x) })
	case *Unary:
		p.unary(x, min)
	case *Binary:
		prec := binaryPrec(x.Op)
		p.wrap(prec <= min, func() {
			p.expr(x.X, prec-1)
			p.put(" ", x.Op, " ")
			p.expr(x.Y, prec)
		})
	case *Between:
		p.wrap(precIn <= min, func() {
			p.expr(x.X, precIn-1)
			if x.Not {
				p.put(" NOT")
			}
			p.put(" BETWEEN ")
			if x.Symmetric {
				p.put("SYMMETRIC ")
			} else {
				p.put("ASYMMETRIC ")
			}
			p.expr(x.Lo, precAnd)
			p.put(" AND ")
			p.expr(x.Hi, precIn)
		})
	case *Like:
		p.wrap(precIn <= min, func() {
			p.expr(x.X, precIn-1)
			if x.Not {
				p.put(" NOT")
			}
			p.put(" ", x.Op, " ")
			p.expr(x.Pattern, precIn)
			if x.Escape != nil {
				p.put(" ESCAPE ")
				p.expr(x.Escape, precItem)
			}
		})
	case *In:
		p.wrap(precIn <= min, func() {
			p.expr(x.X, precIn-1)
			if x.Not {
				p.put(" NOT")
			}
			p.put(" IN ")
			p.queryOrList(x.Query, x.List)
		})
	case *Quantified:
		p.wrap(precIn <= min, func() {
			p.expr(x.X, precIn-1)
			q := x.Quant
			if q == "ANY" {
				q = "SOME"
			}
			p.put(" ", x.Op, " ", q, " ")
			p.queryOrList(x.Query, x.List)
		})
	case *Case:
		p.caseExpr(x)
	case *Cast:
		if x.Try {
			p.put("TRY_")
		}
		p.put("CAST(")
		p.expr(x.X, 0)
		p.put(" AS ")
		p.typeName(x.Type)
		p.put(")")
	case *Call:
		p.call(x)
	case *Flag:
		p.put(x.Text)
	case *NamedArg:
		p.put(QuoteName(x.Name.Text), " => ")
		p.expr(x.Value, 0)
	case *TableArg:
		p.tableArg(x)
	case *Descriptor:
		p.put("DESCRIPTOR(")
		p.exprs(x.Columns)
		p.put(")")
	case *Subquery:
		if p.resolved { // an operator around the query, which has brackets of its own
			p.put("((")
			defer p.put("))")
		}
		p.query(x.Query, true)
	case *RowExpr:
		if x.Explicit || p.resolved {
			p.put("ROW")
		}
		p.put("(")
		p.exprs(x.Items)
		p.put(")")
	case *ArrayExpr:
		p.collection("ARRAY", x.Query, x.Items)
	case *MapExpr:
		p.collection("MAP", x.Query, x.Items)
	case *MultisetExpr:
		p.collection("MULTISET", nil, x.Items)
	case *Index:
		p.expr(x.X, precItem-1)
		p.put("[")
		p.expr(x.I, 0)
		p.put("]")
	case *FieldAccess:
		if _, plain := x.X.(*ColumnRef); plain {
			p.put("(")
			p.expr(x.X, 0)
			p.put(")")
		} else {
			p.expr(x.X, precItem-1)
		}
		p.put(".", QuoteName(x.Field.Text))
	case *DefaultExpr:
		p.put("DEFAULT")
	}
}

func (p *printer) wrap(brackets bool, f func()) {
	if brackets {
		p.put("(")
		defer p.put(")")
	}
	f()
}

func (p *printer) queryOrList(q *Query, list []Expr) {
	if q != nil {
		p.query(q, true)
		return
	}
	p.put("(")
	p.exprs(list)
	p.put(")")
}

func (p *printer) collection(kind string, q *Query, items []Expr) {
	p.put(kind)
	if q != nil {
		p.query(q, true)
		return
	}
	p.put("[")
	p.exprs(items)
	p.put("]")
}

func (p *printer) stringLit(x *StringLit) {
	switch {
	case x.Charset != "" && x.Charset != "ISO-8859-1":
		p.put("_", x.Charset)
	case x.Charset == "ISO-8859-1":
		p.put("_ISO-8859-1")
	case p.resolved && x.Unicode:
		p.put("_UTF16", QuoteText(x.Value))
		return
	case p.resolved:
		if text, coded := unicodeText(x.Value); coded {
			p.put(text)
			return
		}
	case x.Unicode:
		// every character is written as itself; only the escape character needs care
		p.put("U&", QuoteText(strings.ReplaceAll(x.Value, `\`, `\\`)))
		return
	}
	p.put(QuoteText(x.Value))
}

func (p *printer) interval(x *IntervalLit) {
	p.put("INTERVAL ")
	if x.Negative {
		p.put("-")
		if p.normal && x.Value != nil {
			p.put(" ")
		}
	}
	switch v := x.Value.(type) {
	case nil:
		p.put(QuoteText(x.Text))
	case *NumberLit, *ColumnRef:
		p.expr(v, 0)
	default:
		p.put("(")
		p.expr(v, 0)
		p.put(")")
	}
	p.put(" ", x.Unit.String())
}

// normalCase writes CASE x WHEN y as CASE WHEN x = y, and the missing ELSE.
func (p *printer) normalCase(x *Case) {
	p.put("CASE")
	for _, w := range x.When {
		cond := w.Cond
		if x.X != nil {
			if r, ok := cond.(*RowExpr); ok && !r.Explicit {
				cond = &In{X: x.X, List: r.Items}
			} else {
				cond = &Binary{Op: "=", X: x.X, Y: cond}
			}
		}
		p.put(" WHEN ")
		p.expr(cond, 0)
		p.put(" THEN ")
		p.expr(w.Then, 0)
	}
	p.put(" ELSE ")
	if x.Else != nil {
		p.expr(x.Else, 0)
	} else {
		p.put("NULL")
	}
	p.put(" END")
}

// signed folds signs before a number, as Calcite does while parsing.
func signed(x *Unary) (string, bool) {
	switch n := x.X.(type) {
	case *NumberLit:
		if x.Op == "-" {
			return "-" + n.Text, true
		}
		return n.Text, true
	case *Unary:
		if s, ok := signed(n); ok && (n.Op == "-" || n.Op == "+") {
			if x.Op == "-" {
				if t, neg := strings.CutPrefix(s, "-"); neg {
					return t, true
				}
				return "-" + s, true
			}
			return s, true
		}
	}
	return "", false
}

func (p *printer) unary(x *Unary, min int) {
	switch x.Op {
	case "+", "-":
		if p.normal {
			if s, ok := signed(x); ok {
				p.put(s)
				return
			}
			p.wrap(precUnary < min, func() {
				p.put(x.Op, " ")
				p.expr(x.X, precUnary)
			})
			return
		}
		p.wrap(precUnary < min, func() {
			p.put(x.Op)
			if u, ok := x.X.(*Unary); ok && (u.Op == "-" || u.Op == "+") {
				p.put(" ") // two signs would begin a comment
			}
			p.expr(x.X, precUnary)
		})
	case "NOT":
		p.wrap(precNot < min, func() {
			p.put("NOT ")
			p.expr(x.X, precNot)
		})
	case "EXISTS", "UNIQUE":
		p.put(x.Op, " ")
		if q, ok := x.X.(*Subquery); ok {
			p.query(q.Query, true)
			return
		}
		p.expr(x.X, precPlus)
	default:
		p.wrap(precIs <= min, func() {
			p.expr(x.X, precIs-1)
			p.put(" ", x.Op)
		})
	}
}

func (p *printer) caseExpr(x *Case) {
	if p.normal {
		p.normalCase(x)
		return
	}
	p.put("CASE")
	if x.X != nil {
		p.put(" ")
		p.expr(x.X, 0)
	}
	for _, w := range x.When {
		p.put(" WHEN ")
		if r, ok := w.Cond.(*RowExpr); ok && !r.Explicit && x.X != nil {
			p.exprs(r.Items)
		} else {
			p.expr(w.Cond, 0)
		}
		p.put(" THEN ")
		p.expr(w.Then, 0)
	}
	if x.Else != nil {
		p.put(" ELSE ")
		p.expr(x.Else, 0)
	}
	p.put(" END")
}

func (p *printer) tableArg(x *TableArg) {
	if x.Query != nil {
		p.query(x.Query, x.Parens)
	} else {
		p.put("TABLE ")
		p.name(x.Name)
	}
	if len(x.PartitionBy) > 0 {
		p.put(" PARTITION BY (")
		p.exprs(x.PartitionBy)
		p.put(")")
	}
	if len(x.OrderBy) > 0 {
		p.put(" ORDER BY (")
		p.orderItems(x.OrderBy)
		p.put(")")
	}
}

// funcName prints a function's name. Names that are keywords, and those of Flink's own
// functions, stand without backquotes.
func (p *printer) funcName(n Name) {
	if len(n.Parts) == 1 && !n.Parts[0].Quoted {
		up := upperASCII(n.Parts[0].Text)
		switch {
		case !p.normal:
			p.put(n.Parts[0].Text)
			return
		case bareFunctions()[up]:
			p.put(up)
			return
		}
	}
	p.name(n)
}

func (p *printer) call(c *Call) {
	if c.Syntax == "SPECIAL" && p.special(c) {
		return
	}
	if part := datePart(c); part != "" && p.resolved {
		p.put("EXTRACT(", part, " FROM ")
		p.expr(c.Args[0], 0)
		p.put(")")
		return
	}
	p.funcName(c.Name)
	if c.Syntax == "BARE" {
		return
	}
	p.put("(")
	switch {
	case c.Star:
		p.put("*")
	case c.Distinct:
		p.put("DISTINCT ")
	case c.All:
		p.put("ALL ")
	}
	p.exprs(c.Args)
	inside := c.Syntax == "SPECIAL" // ARRAY_AGG keeps its order inside
	if inside {
		if c.Nulls != "" {
			p.put(" ", c.Nulls, " NULLS")
		}
		p.orderBy(c.Within, " ")
	}
	p.put(")")
	if !inside && c.Nulls != "" {
		p.put(" ", c.Nulls, " NULLS")
	}
	p.callClauses(c, !inside)
}

func (p *printer) callClauses(c *Call, within bool) {
	if within && len(c.Within) > 0 {
		p.put(" WITHIN GROUP (")
		p.orderBy(c.Within, "")
		p.put(")")
	}
	if c.Filter != nil {
		p.put(" FILTER (WHERE ")
		p.expr(c.Filter, 0)
		p.put(")")
	}
	switch {
	case c.Over != nil:
		p.put(" OVER ")
		p.window(c.Over)
	case c.OverName != "":
		p.put(" OVER ", QuoteName(c.OverName))
	}
}
