package plan

import (
	"math/big"
	"strings"

	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
)

// countsToExists makes EXISTS of (SELECT COUNT(*) ...) > 0 and its like in a filter
// (FlinkRewriteSubQueryRule).
func countsToExists(f *rel.Filter) *rel.Filter {
	changed := false
	cond := rex.Transform(f.Cond, func(x rex.Expr) rex.Expr {
		c, ok := x.(*rex.Call)
		if !ok || len(c.Args) != 2 {
			return x
		}
		count, limit := c.Args[0], c.Args[1]
		if c.Op == rex.Lt || c.Op == rex.Le {
			count, limit = limit, count
		}
		var rows rel.Node
		switch c.Op {
		case rex.Gt, rex.Lt:
			rows = countedRows(count, limit, true)
		case rex.Ge, rex.Le:
			rows = countedRows(count, limit, false)
		}
		if rows == nil {
			return x
		}
		changed = true
		return &rex.SubQuery{Op: rex.Exists, Rel: rows, Text: rel.PlainText(rows), T: rex.BoolType(false)}
	})
	if !changed {
		return f
	}
	out := *f
	out.Cond = cond
	return &out
}

// countedRows is what a scalar COUNT(*) counts, if the limit that it is compared with lies
// between 0 and 1: 0 included or 1 included.
func countedRows(count, limit rex.Expr, zero bool) rel.Node {
	q, ok := count.(*rex.SubQuery)
	if !ok || q.Op != rex.ScalarQuery {
		return nil
	}
	a, ok := q.Rel.(*rel.Aggregate)
	if !ok || len(a.Keys) > 0 || len(a.Sets) > 0 || len(a.Calls) != 1 {
		return nil
	}
	if c := a.Calls[0]; c.Fn.Name != "COUNT" || c.Distinct || c.Filter >= 0 || len(c.Args) > 0 {
		return nil
	}
	l, ok := limit.(*rex.Literal)
	if !ok || !l.T.IsNumeric() || l.V.IsNull() {
		return nil
	}
	v, ok := new(big.Rat).SetString(strings.SplitN(rex.LiteralText(l), ":", 2)[0])
	if !ok {
		return nil
	}
	one := big.NewRat(1, 1)
	if v.Sign() > 0 && v.Cmp(one) < 0 || zero && v.Sign() == 0 || !zero && v.Cmp(one) == 0 {
		return a.In[0]
	}
	return nil
}
