package sql

// Mentions tells whether an expression names a column: by a column reference whose first
// part has that name.
func Mentions(x Expr, column string) bool {
	found := false
	Walk(x, func(e Expr) {
		if c, ok := e.(*ColumnRef); ok && c.Name.Parts[0].Text == column {
			found = true
		}
	})
	return found
}

// Walk visits an expression and its parts, but not the insides of sub-queries.
func Walk(x Expr, visit func(Expr)) {
	if x == nil {
		return
	}
	visit(x)
	each := func(xs ...Expr) {
		for _, e := range xs {
			if e != nil {
				Walk(e, visit)
			}
		}
	}
	switch x := x.(type) {
	case *IntervalLit:
		each(x.Value)
	case *Unary:
		each(x.X)
	case *Binary:
		each(x.X, x.Y)
	case *Between:
		each(x.X, x.Lo, x.Hi)
	case *Like:
		each(x.X, x.Pattern, x.Escape)
	case *In:
		each(x.X)
		each(x.List...)
	case *Quantified:
		each(x.X)
		each(x.List...)
	case *Case:
		each(x.X)
		for _, w := range x.When {
			each(w.Cond, w.Then)
		}
		each(x.Else)
	case *Cast:
		each(x.X)
	case *Call:
		each(x.Args...)
		each(x.Filter)
		for _, o := range x.Within {
			each(o.X)
		}
		if x.Over != nil {
			each(x.Over.PartitionBy...)
			for _, o := range x.Over.OrderBy {
				each(o.X)
			}
		}
	case *NamedArg:
		each(x.Value)
	case *Descriptor:
		each(x.Columns...)
	case *RowExpr:
		each(x.Items...)
	case *ArrayExpr:
		each(x.Items...)
	case *MapExpr:
		each(x.Items...)
	case *MultisetExpr:
		each(x.Items...)
	case *Index:
		each(x.X, x.I)
	case *FieldAccess:
		each(x.X)
	}
}
