package plan

import (
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

func emptyValues(fields []value.Field) *calc { return identity(&valuesNode{fields: fields}) }

func isEmpty(c *calc) bool {
	v, ok := c.in.(*valuesNode)
	return ok && len(v.rows) == 0
}

// pruneEmpty is Calcite's PruneEmptyRules: operators over nothing give nothing.
// LIMIT 0 is nothing, too.
func (b *builder) pruneEmpty(c *calc) *calc {
	switch n := c.in.(type) {
	case *valuesNode:
		if len(n.rows) == 0 && !c.trivial() {
			return emptyValues(c.fields)
		}
	case *aggNode:
		if len(n.keys) > 0 && len(n.sets) == 0 && isEmpty(n.in) {
			return emptyValues(c.fields)
		}
		if len(n.keys) == 0 && len(n.sets) == 0 && isEmpty(n.in) {
			c.in = b.aggregateOfNothing(n)
		}
	case *sortNode:
		if n.fetch == 0 || isEmpty(n.in) {
			return emptyValues(c.fields)
		}
	case *unionNode:
		var keep []*calc
		for _, in := range n.in {
			if !isEmpty(in) {
				keep = append(keep, in)
			}
		}
		if len(keep) == len(n.in) {
			return nil
		}
		if len(keep) == 0 {
			return emptyValues(c.fields)
		}
		if len(keep) == 1 {
			out := &calc{in: keep[0].in, cond: append([]rex.Expr(nil), keep[0].cond...), fields: c.fields}
			for _, e := range c.exprs {
				out.exprs = append(out.exprs, rex.Substitute(e, keep[0].exprs))
			}
			for _, e := range c.cond {
				out.cond = append(out.cond, rex.Substitute(e, keep[0].exprs))
			}
			return out
		}
		n.in = keep
	case *joinNode:
		l, r := isEmpty(n.left), isEmpty(n.right)
		if n.typ == "inner" && (l || r) || n.typ == "left" && l || n.typ == "right" && r || n.typ == "semi" && (l || r) || n.typ == "anti" && l {
			return emptyValues(c.fields)
		}
		if l || r {
			if len(c.cond) > 0 {
				b.fail(unsupported.New("a condition above an outer join with an empty side"))
			}
			return c.padded(n, l)
		}
	}
	return nil
}

// padded takes a join with an empty side for its other side and NULLs.
func (c *calc) padded(n *joinNode, emptyLeft bool) *calc {
	rest, w := n.left, len(n.left.exprs)
	if emptyLeft {
		rest = n.right
	}
	row := make([]rex.Expr, len(n.fields))
	for i, f := range n.fields {
		switch {
		case i < w == emptyLeft:
			row[i] = &rex.Literal{T: f.Type}
		case emptyLeft:
			row[i] = rest.exprs[i-w]
		default:
			row[i] = rest.exprs[i]
		}
	}
	out := &calc{in: rest.in, fields: c.fields, projected: true, cond: append([]rex.Expr(nil), rest.cond...)}
	for _, e := range c.exprs {
		out.exprs = append(out.exprs, rex.Substitute(e, row))
	}
	for _, e := range c.cond {
		out.cond = append(out.cond, rex.Substitute(e, row))
	}
	return out
}

// aggregateOfNothing is AggregateValuesRule: without groups, nothing has the count 0
// and no minimum, maximum or sum.
func (b *builder) aggregateOfNothing(n *aggNode) node {
	row := make([]*rex.Literal, len(n.calls))
	for i, call := range n.calls {
		switch call.Fn.Name {
		case "COUNT", "$SUM0":
			row[i] = &rex.Literal{V: value.Int(0), T: call.T}
		case "SUM", "MIN", "MAX":
			row[i] = &rex.Literal{T: call.T}
		}
		if row[i] == nil || call.Fn.Name == "$SUM0" && (call.T.IsApprox() || call.T.Kind == value.KindDecimal) {
			b.fail(unsupported.New("%s over an empty input", call.Fn.Name))
			return n
		}
	}
	return &valuesNode{rows: [][]*rex.Literal{row}, fields: n.fields}
}
