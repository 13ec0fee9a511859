package sql

import (
	"strconv"
	"strings"
)

// Print is the statement's query or expression in Calcite's normal form: all names in
// backquotes, clauses on lines of their own. Parsing the text gives the same tree again.
func Print(q *Query) string {
	p := &printer{nl: "\n"}
	p.query(q, false)
	return p.b.String()
}

// PrintLine is Print on one line.
func PrintLine(q *Query) string {
	p := &printer{nl: " "}
	p.query(q, false)
	return p.b.String()
}

// PrintExpr prints an expression on one line.
func PrintExpr(x Expr) string {
	p := &printer{nl: " "}
	p.expr(x, 0)
	return p.b.String()
}

// Normal is the expression as Flink keeps it in a table: as PrintExpr, with functions'
// own names, and with CASE and signs as Calcite rewrites them.
func Normal(x Expr) string {
	p := &printer{nl: " ", normal: true}
	p.expr(x, 0)
	return p.b.String()
}

// NormalQuery is a query as Flink keeps it in a view, if its names are already resolved.
func NormalQuery(q *Query) string {
	p := &printer{nl: "\n", normal: true, resolved: true}
	p.query(q, false)
	return p.b.String()
}

// PrintType prints a type name as it can be parsed again.
func PrintType(t TypeName) string {
	p := &printer{nl: " "}
	p.typeName(t)
	return p.b.String()
}

// QuoteName puts a name in backquotes.
func QuoteName(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }

// QuoteText makes a text literal.
func QuoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

type printer struct {
	b  strings.Builder
	nl string
	// normal rewrites as Calcite does; without it the text parses back to the same tree.
	normal bool
	// resolved: the operators are those that Calcite's validator has found for the names.
	resolved bool
}

func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.b.WriteString(s)
	}
}

func (p *printer) name(n Name) {
	for i, id := range n.Parts {
		if i > 0 {
			p.put(".")
		}
		p.put(QuoteName(id.Text))
	}
}

func (p *printer) idents(ids []Ident) {
	for i, id := range ids {
		if i > 0 {
			p.put(", ")
		}
		p.put(QuoteName(id.Text))
	}
}

func (p *printer) exprs(xs []Expr) {
	for i, x := range xs {
		if i > 0 {
			p.put(", ")
		}
		p.expr(x, 0)
	}
}

// query prints a query; inner ones that have an order or a WITH stand in brackets.
func (p *printer) query(q *Query, brackets bool) {
	if brackets {
		p.put("(")
		defer p.put(")")
	}
	for i, c := range q.With {
		if i == 0 {
			p.put("WITH ")
		} else {
			p.put(", ")
		}
		p.put(QuoteName(c.Name.Text))
		if len(c.Columns) > 0 {
			p.put(" (")
			p.idents(c.Columns)
			p.put(")")
		}
		p.put(" AS ")
		p.query(c.Query, true)
	}
	switch {
	case len(q.With) == 0:
	case p.resolved && (len(q.OrderBy) > 0 || q.Offset != nil || q.Fetch != nil):
		p.put(" (")
		defer p.put(")")
	case p.resolved:
		p.put(" ")
	default:
		p.put(p.nl)
	}
	p.body(q.Body)
	p.orderBy(q.OrderBy, p.nl)
	if q.Offset != nil {
		p.put(p.nl, "OFFSET ")
		p.expr(q.Offset, 0)
		p.put(" ROWS")
	}
	if q.Fetch != nil {
		p.put(p.nl, "FETCH NEXT ")
		p.expr(q.Fetch, 0)
		p.put(" ROWS ONLY")
	}
}

func (p *printer) orderBy(items []OrderItem, before string) {
	if len(items) == 0 {
		return
	}
	p.put(before, "ORDER BY ")
	p.orderItems(items)
}

func (p *printer) orderItems(items []OrderItem) {
	for i, o := range items {
		if i > 0 {
			p.put(", ")
		}
		p.expr(o.X, 0)
		if o.Desc {
			p.put(" DESC")
		}
		if o.Nulls != "" {
			p.put(" NULLS ", o.Nulls)
		}
	}
}

func (p *printer) body(b QueryBody) {
	switch b := b.(type) {
	case *Select:
		p.selectBlock(b)
	case *SetOp:
		p.operand(b.Left, b, false)
		p.put(p.nl, b.Op)
		if b.All {
			p.put(" ALL")
		}
		p.put(p.nl)
		p.operand(b.Right, b, true)
	case *Values:
		p.put("VALUES ")
		for i, r := range b.Rows {
			switch {
			case i > 0 && p.resolved:
				p.put(",", p.nl)
			case i > 0:
				p.put(", ")
			}
			if x, ok := r.(*RowExpr); ok {
				p.put("ROW(")
				p.exprs(x.Items)
				p.put(")")
				continue
			}
			p.put("ROW(")
			p.expr(r, 0)
			p.put(")")
		}
	case *Query:
		p.query(b, true)
	case *ExplicitTable:
		p.put("TABLE ")
		p.name(b.Name)
	}
}

// operand prints one side of a set operation, in brackets where the grouping asks for it.
func (p *printer) operand(b QueryBody, parent *SetOp, right bool) {
	if s, ok := b.(*SetOp); ok {
		prec, own := setOpPrec(&token{key: parent.Op}), setOpPrec(&token{key: s.Op})
		if own < prec || own == prec && right {
			p.put("(")
			p.body(s)
			p.put(")")
			return
		}
	}
	p.body(b)
}

func (p *printer) hints(hs []Hint) {
	p.put("/*+ ")
	for i, h := range hs {
		if i > 0 {
			p.put(", ")
		}
		p.put(QuoteName(h.Name.Text))
		if len(h.Options)+len(h.Args) == 0 {
			continue
		}
		p.put("(")
		for k, o := range h.Options {
			if k > 0 {
				p.put(", ")
			}
			p.put(QuoteText(o.Key), " = ", QuoteText(o.Value))
		}
		for k, a := range h.Args {
			if k > 0 {
				p.put(", ")
			}
			p.put(QuoteName(a))
		}
		p.put(")")
	}
	p.put(" */")
}

// aroundHints separates hints from what stands before them.
func (p *printer) aroundHints() string {
	if p.resolved {
		return p.nl
	}
	return " "
}

func (p *printer) selectBlock(s *Select) {
	p.put("SELECT")
	if len(s.Hints) > 0 {
		p.put(p.aroundHints())
		p.hints(s.Hints)
		p.put(p.aroundHints())
	} else {
		p.put(" ")
	}
	if s.Stream {
		p.put("STREAM ")
	}
	if s.Distinct {
		p.put("DISTINCT ")
	}
	for i, it := range s.Items {
		if i > 0 {
			p.put(", ")
		}
		p.expr(it.X, 0)
		switch {
		case it.Alias == nil:
		case it.Alias.Bare:
			p.put(" AS ", it.Alias.Text)
		default:
			p.put(" AS ", QuoteName(it.Alias.Text))
		}
	}
	if s.From == nil {
		return
	}
	p.put(p.nl, "FROM ")
	p.table(s.From)
	if s.Where != nil {
		p.put(p.nl, "WHERE ")
		p.expr(s.Where, 0)
	}
	if s.Grouped {
		p.put(p.nl, "GROUP BY ")
		p.groups(s.GroupBy)
	}
	if s.Having != nil {
		p.put(p.nl, "HAVING ")
		p.expr(s.Having, 0)
	}
	for i, w := range s.Windows {
		if i == 0 {
			p.put(p.nl, "WINDOW ")
		} else {
			p.put(", ")
		}
		p.put(QuoteName(w.Name.Text), " AS ")
		p.window(w.Spec)
	}
	if s.Qualify != nil {
		p.put(p.nl, "QUALIFY ")
		p.expr(s.Qualify, 0)
	}
}

func (p *printer) groups(items []GroupItem) {
	for i, g := range items {
		if i > 0 {
			p.put(", ")
		}
		switch g.Kind {
		case "":
			if c, ok := g.X.(*Call); ok && p.resolved && groupWindow(c) {
				p.put("$") // the operator beside the function of the same name
			}
			p.expr(g.X, 0)
		case "TUPLE":
			p.put("(")
			p.groups(g.Items)
			p.put(")")
		case "()":
			p.put("()")
		default:
			p.put(g.Kind, "(")
			p.groups(g.Items)
			p.put(")")
		}
	}
}

// groupWindow tells whether a group key is TUMBLE(...), HOP(...) or SESSION(...).
func groupWindow(c *Call) bool {
	switch upperASCII(c.Name.Parts[0].Text) {
	case "TUMBLE", "HOP", "SESSION":
		return len(c.Name.Parts) == 1
	}
	return false
}

func (p *printer) window(w *WindowSpec) {
	p.put("(")
	sep := ""
	if w.Ref != "" {
		p.put(QuoteName(w.Ref))
		sep = " "
	}
	if len(w.PartitionBy) > 0 {
		p.put(sep, "PARTITION BY ")
		p.exprs(w.PartitionBy)
		sep = " "
	}
	if len(w.OrderBy) > 0 {
		p.orderBy(w.OrderBy, sep)
		sep = " "
	}
	if f := w.Frame; f != nil {
		p.put(sep)
		if f.Rows {
			p.put("ROWS ")
		} else {
			p.put("RANGE ")
		}
		if f.End.Kind != "" {
			p.put("BETWEEN ")
			p.bound(f.Start)
			p.put(" AND ")
			p.bound(f.End)
		} else {
			p.bound(f.Start)
		}
	}
	p.put(")")
}

func (p *printer) bound(f FrameBound) {
	if f.X != nil {
		p.expr(f.X, precAnd)
		p.put(" ")
	}
	p.put(f.Kind)
}

func (p *printer) typeName(t TypeName) {
	blank := ""
	if p.normal {
		blank = " "
	}
	switch {
	case t.Name == "ROW":
		p.put("ROW<", blank)
		for i, f := range t.Fields {
			if i > 0 {
				p.put(", ")
			}
			p.put(QuoteName(f.Name.Text), " ")
			p.typeName(f.Type)
			if f.Comment != "" {
				p.put(" ", QuoteText(f.Comment))
			}
		}
		p.put(blank, ">")
	case len(t.Elems) > 0:
		p.put(t.Name, "<", blank)
		for i, e := range t.Elems {
			if i > 0 {
				p.put(", ")
			}
			p.typeName(e)
		}
		p.put(blank, ">")
	case t.Name == "INTERVAL":
		p.put("INTERVAL ", t.Unit.String())
	case t.Name == "INT":
		p.put("INTEGER")
	case t.User:
		for i, part := range strings.Split(t.Name, ".") {
			if i > 0 {
				p.put(".")
			}
			p.put(QuoteName(part))
		}
	default:
		long := p.normal && t.Long
		if long {
			p.put("TIMESTAMP")
		} else {
			p.put(t.Name)
		}
		for i, n := range t.Params {
			if i == 0 {
				p.put("(")
			} else {
				p.put(", ")
			}
			p.put(strconv.Itoa(n))
		}
		if len(t.Params) > 0 {
			p.put(")")
		}
		if long {
			p.put(" WITH LOCAL TIME ZONE")
		}
	}
	switch {
	case t.NotNull:
		p.put(" NOT NULL")
	case t.Null:
		p.put(" NULL")
	}
}
