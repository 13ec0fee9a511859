package bind

import (
	"strings"

	"github.com/labgrade/labgrade/sql"
)

func (x *expander) exprs(es []sql.Expr, sc *expandScope) []sql.Expr {
	if es == nil {
		return nil
	}
	out := make([]sql.Expr, len(es))
	for i, e := range es {
		out[i] = x.expr(e, sc)
	}
	return out
}

// expr expands the names of an expression, in sub-queries, too.
func (x *expander) expr(e sql.Expr, sc *expandScope) sql.Expr {
	if e == nil {
		return nil
	}
	return rewrite(e, func(n sql.Expr) sql.Expr {
		switch n := n.(type) {
		case *sql.ColumnRef:
			return x.column(n, sc)
		case *sql.Star: // t.* of COUNT(*) is none
			return n
		case *sql.Subquery:
			out := *n
			out.Query = x.inner(n.Query, sc)
			return &out
		case *sql.In:
			if n.Query == nil {
				return nil
			}
			out := *n
			out.X, out.Query = x.expr(n.X, sc), x.inner(n.Query, sc)
			return &out
		case *sql.Quantified:
			if n.Query == nil {
				return nil
			}
			out := *n
			out.X, out.Query = x.expr(n.X, sc), x.inner(n.Query, sc)
			return &out
		case *sql.ArrayExpr:
			if n.Query != nil {
				x.refuse("ARRAY(query)")
			}
		case *sql.MapExpr:
			if n.Query != nil {
				x.refuse("MAP(query)")
			}
		case *sql.MultisetExpr:
			x.refuse("MULTISET")
		case *sql.Call:
			switch name := strings.ToUpper(callName(n)); name {
			case "JSON_QUERY", "NULLIF":
				x.refuse("the function " + name)
			}
		case *sql.Descriptor:
			return n
		case *sql.TableArg:
			return x.tableArg(n, sc)
		}
		return nil
	})
}

func (x *expander) inner(q *sql.Query, sc *expandScope) *sql.Query {
	out, _, err := x.query(q, sc)
	if err != nil {
		x.refuse("this sub-query")
		return q
	}
	return out
}

// tableArg writes TABLE t as the query that it stands for.
func (x *expander) tableArg(t *sql.TableArg, sc *expandScope) sql.Expr {
	if len(t.PartitionBy)+len(t.OrderBy) > 0 {
		x.refuse("PARTITION BY of a table argument")
		return t
	}
	q := t.Query
	if q == nil {
		q = &sql.Query{Body: tableSelect(&sql.ExplicitTable{Span: t.Span, Name: t.Name})}
	}
	return &sql.TableArg{Span: t.Span, Query: x.inner(q, sc), Parens: true}
}
