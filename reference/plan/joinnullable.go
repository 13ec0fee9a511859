package plan

import (
	"slices"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// columnType is the type of a column of a join: nullable where the join pads with NULLs.
func (n *joinNode) columnType(i int) value.Type {
	w := len(n.left.exprs)
	if i < w {
		t := n.left.exprs[i].Type()
		t.Nullable = t.Nullable || n.typ == "right" || n.typ == "full"
		return t
	}
	t := n.right.exprs[i-w].Type()
	t.Nullable = t.Nullable || n.typ == "left" || n.typ == "full"
	return t
}

// retyped gives conditions from above the types of a join that has become a stronger one.
func (n *joinNode) retyped(list []rex.Expr) []rex.Expr {
	out := make([]rex.Expr, len(list))
	for i, e := range list {
		out[i] = rex.Transform(e, func(x rex.Expr) rex.Expr {
			if r, ok := x.(*rex.InputRef); ok {
				if t := n.columnType(r.Index); t.Nullable != r.T.Nullable {
					c := *r
					c.T.Nullable = t.Nullable
					return &c
				}
			}
			return x
		})
	}
	return out
}

// keepNullable casts the columns that are NOT NULL since a join has become a stronger
// one: what stands above it was made for nullable columns.
func (b *builder) keepNullable(c *calc, n *joinNode) {
	if n.single || n.typ == "semi" || n.typ == "anti" {
		return
	}
	was := map[int]value.Type{}
	for i, f := range n.fields {
		if t := n.columnType(i); f.Type.Nullable && !t.Nullable {
			was[i] = f.Type
		}
	}
	if len(was) == 0 {
		return
	}
	n.fields = slices.Clone(n.fields)
	for i := range was {
		n.fields[i].Type.Nullable = false
	}
	changed := func(r int) bool { _, ok := was[r]; return ok }
	for _, e := range c.cond {
		if slices.ContainsFunc(rex.Refs(e), changed) {
			b.fail(unsupported.New("a filter that makes an outer join inner, beside one over a NOT NULL column"))
			return
		}
	}
	for i, e := range c.exprs {
		if !slices.ContainsFunc(rex.Refs(e), changed) {
			continue
		}
		r, ok := e.(*rex.InputRef)
		if !ok {
			b.fail(unsupported.New("a filter that makes an outer join inner below a computed NOT NULL column"))
			return
		}
		ref := *r
		ref.T.Nullable = false
		c.exprs[i] = &rex.Call{Op: rex.Cast, Args: []rex.Expr{&ref}, T: was[r.Index]}
		c.projected = true
	}
}
