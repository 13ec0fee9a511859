package bind

import "github.com/labgrade/labgrade/sql"

// rewrite copies an expression, giving each node to f first: where f returns an
// expression, that takes the node's place and is not looked into. Sub-queries are
// left alone.
func rewrite(e sql.Expr, f func(sql.Expr) sql.Expr) sql.Expr {
	if e == nil {
		return nil
	}
	if r := f(e); r != nil {
		return r
	}
	sub := func(x sql.Expr) sql.Expr { return rewrite(x, f) }
	list := func(xs []sql.Expr) []sql.Expr {
		if xs == nil {
			return nil
		}
		out := make([]sql.Expr, len(xs))
		for i, x := range xs {
			out[i] = sub(x)
		}
		return out
	}
	items := func(os []sql.OrderItem) []sql.OrderItem {
		out := append([]sql.OrderItem(nil), os...)
		for i := range out {
			out[i].X = sub(out[i].X)
		}
		return out
	}
	switch e := e.(type) {
	case *sql.Unary:
		c := *e
		c.X = sub(e.X)
		return &c
	case *sql.Binary:
		c := *e
		c.X, c.Y = sub(e.X), sub(e.Y)
		return &c
	case *sql.Between:
		c := *e
		c.X, c.Lo, c.Hi = sub(e.X), sub(e.Lo), sub(e.Hi)
		return &c
	case *sql.Like:
		c := *e
		c.X, c.Pattern, c.Escape = sub(e.X), sub(e.Pattern), sub(e.Escape)
		return &c
	case *sql.In:
		c := *e
		c.X, c.List = sub(e.X), list(e.List)
		return &c
	case *sql.Quantified:
		c := *e
		c.X, c.List = sub(e.X), list(e.List)
		return &c
	case *sql.Case:
		c := *e
		c.X, c.Else = sub(e.X), sub(e.Else)
		c.When = append([]sql.When(nil), e.When...)
		for i := range c.When {
			c.When[i].Cond, c.When[i].Then = sub(c.When[i].Cond), sub(c.When[i].Then)
		}
		return &c
	case *sql.Cast:
		c := *e
		c.X = sub(e.X)
		return &c
	case *sql.IntervalLit:
		c := *e
		c.Value = sub(e.Value)
		return &c
	case *sql.Call:
		c := *e
		c.Args, c.Filter, c.Within = list(e.Args), sub(e.Filter), items(e.Within)
		if e.Over != nil {
			w := *e.Over
			w.PartitionBy, w.OrderBy = list(w.PartitionBy), items(w.OrderBy)
			c.Over = &w
		}
		return &c
	case *sql.NamedArg:
		c := *e
		c.Value = sub(e.Value)
		return &c
	case *sql.RowExpr:
		c := *e
		c.Items = list(e.Items)
		return &c
	case *sql.ArrayExpr:
		c := *e
		c.Items = list(e.Items)
		return &c
	case *sql.MapExpr:
		c := *e
		c.Items = list(e.Items)
		return &c
	case *sql.Index:
		c := *e
		c.X, c.I = sub(e.X), sub(e.I)
		return &c
	case *sql.FieldAccess:
		c := *e
		c.X = sub(e.X)
		return &c
	}
	return e
}

// find gives every node of an expression to f, outer before inner, until f returns true.
// It does not look into sub-queries.
func find(e sql.Expr, f func(sql.Expr) bool) bool {
	found := false
	rewrite(e, func(n sql.Expr) sql.Expr {
		if found || f(n) {
			found = true
			return n
		}
		return nil
	})
	return found
}
