package plan

import (
	"slices"

	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// inputsOf rewrites the inputs of a node.
func inputsOf(n rel.Node, f func(rel.Node) rel.Node) rel.Node {
	in := make([]rel.Node, len(n.Inputs()))
	for i, x := range n.Inputs() {
		in[i] = f(x)
	}
	return rel.WithInputs(n, in)
}

// scalarProjects joins scalar sub-queries of one row by a unique key without SINGLE_VALUE
// (RemoveCorrelationForScalarProjectRule).
func (d *decorrelator) scalarProjects(n rel.Node) rel.Node {
	n = inputsOf(n, d.scalarProjects)
	c, ok := n.(*rel.Correlate)
	if !ok || c.Type != "left" {
		return n
	}
	if out := d.scalarProject(c); out != nil {
		return out
	}
	if out := d.scalarAggregate(c); out != nil {
		return out
	}
	return n
}

func (d *decorrelator) scalarProject(c *rel.Correlate) rel.Node {
	a, ok := c.In[1].(*rel.Aggregate)
	if !ok || len(a.Keys) > 0 || len(a.Calls) != 1 || a.Calls[0].Fn.Name != "SINGLE_VALUE" {
		return nil
	}
	p, ok := a.In[0].(*rel.Project)
	if !ok || len(p.Exprs) != 1 {
		return nil
	}
	f, ok := p.In[0].(*rel.Filter)
	if !ok || !hasOwnCorrelVar(f.Cond) {
		if exprsHaveCorrelVar(p.Exprs) && !treeHasCorrelVar(p.In[0]) {
			d.b.fail(unsupported.New("a scalar sub-query whose columns read the outer row"))
		}
		return nil
	}
	right := f.In[0]
	if treeHasCorrelVar(right) {
		return nil
	}
	keys := map[int]bool{}
	joined := map[outerColumn]bool{}
	for _, e := range rex.Conjunctions(f.Cond) {
		x, ok := e.(*rex.Call)
		if !ok || x.Op != rex.Eq {
			continue
		}
		for i, arg := range x.Args {
			r, ok := arg.(*rex.InputRef)
			if ok && len(rex.Refs(x.Args[1-i])) == 0 {
				keys[r.Index] = true
				for _, o := range outerColumns(x.Args[1-i]) {
					joined[o] = true
				}
				break
			}
		}
	}
	if len(keys) == 0 || !rel.ColumnsUnique(right, keys) {
		return nil
	}
	if !readsJoined(c, f.Cond, p.Exprs, joined) {
		return nil
	}
	if exprsHaveCorrelVar(p.Exprs) {
		d.b.fail(unsupported.New("a scalar sub-query whose columns read the outer row"))
		return nil
	}
	ref, ok := p.Exprs[0].(*rex.InputRef)
	if !ok {
		d.b.fail(unsupported.New("a computed scalar sub-query over a table with a primary key"))
		return nil
	}
	left := c.In[0]
	w := len(left.Schema())
	j := joinOf(left, right, "left", outerToLeft(f.Cond, w))
	return projectOf(j, append(refsTo(j)[:w:w], refTo(j, w+ref.Index)), append(namesOf(left), p.Fields[0].Name)...)
}

// readsJoined: a sub-query reads the row of its own Correlate alone, and its condition only
// those columns that an equality joins.
func readsJoined(c *rel.Correlate, cond rex.Expr, exprs []rex.Expr, joined map[outerColumn]bool) bool {
	for _, o := range outerColumns(cond) {
		if o.id != c.ID || !joined[o] {
			return false
		}
	}
	return !slices.ContainsFunc(outerColumns(exprs...), func(o outerColumn) bool { return o.id != c.ID })
}

// adjustCounts puts 0 for the NULL of a count that the outer join pads with, above the
// join (AdjustProjectForCountAggregateRule).
func (d *decorrelator) adjustCounts(n rel.Node) rel.Node {
	n = inputsOf(n, d.adjustCounts)
	c, ok := n.(*rel.Correlate)
	if !ok || c.Type != "left" {
		return n
	}
	var a *rel.Aggregate
	expr, name := rex.Expr(nil), ""
	switch r := c.In[1].(type) {
	case *rel.Aggregate:
		a = r
		if len(r.Fields) == 1 {
			expr, name = refTo(r, 0), r.Fields[0].Name
		}
	case *rel.Project:
		if x, ok := r.In[0].(*rel.Aggregate); ok && len(r.Exprs) == 1 {
			a, expr, name = x, r.Exprs[0], r.Fields[0].Name
		}
	}
	if a == nil || expr == nil || len(a.Keys) > 0 || len(a.Sets) > 0 {
		return n
	}
	if hasCorrelVar(expr) {
		d.b.fail(unsupported.New("an aggregate and the outer row in one expression of a sub-query"))
		return n
	}
	w := len(c.In[0].Schema())
	j := correlateOf(c.In[0], a, "left", c.ID)
	e := rex.Transform(expr, func(x rex.Expr) rex.Expr {
		r, ok := x.(*rex.InputRef)
		if !ok {
			return x
		}
		ref := refTo(j, w+r.Index)
		if call := a.Calls[r.Index]; call.Fn.Name == "COUNT" {
			return &rex.Call{Op: rex.Case, Args: []rex.Expr{rex.IsOf(rex.IsNull, ref), bigintLiteral(0), ref}, T: call.T}
		}
		return ref
	})
	return projectOf(j, append(refsTo(j)[:w:w], e), append(namesOf(c.In[0]), name)...)
}

// pushFilters moves conditions that only read the left side of a Correlate below it
// (FilterProjectTransposeRule, FilterCorrelateRule).
func (d *decorrelator) pushFilters(n rel.Node) rel.Node {
	if f, ok := n.(*rel.Filter); ok && !hasCorrelVar(f.Cond) {
		if moved, ok := pushFilter(f.In[0], rex.Conjunctions(f.Cond)); ok {
			n = moved
		}
	}
	return inputsOf(n, d.pushFilters)
}

// pushFilter puts conditions on a node, as deep as they go; ok is false where that is on top.
func pushFilter(n rel.Node, conds []rex.Expr) (rel.Node, bool) {
	switch n := n.(type) {
	case *rel.Project:
		if hasOver(n.Exprs) || exprsHaveCorrelVar(n.Exprs) {
			break
		}
		var below []rex.Expr
		for _, e := range conds {
			below = append(below, rex.Substitute(e, n.Exprs))
		}
		if in, ok := pushFilter(n.In[0], below); ok {
			return rel.WithInputs(n, []rel.Node{in}), true
		}
	case *rel.Filter:
		if in, ok := pushFilter(n.In[0], append(slices.Clone(conds), rex.Conjunctions(n.Cond)...)); ok && !hasCorrelVar(n.Cond) {
			return in, true
		}
	case *rel.Correlate:
		w := len(n.In[0].Schema())
		var left, rest []rex.Expr
		for _, e := range conds {
			if l, r := sides(e, w); l && !r {
				left = append(left, e)
			} else {
				rest = append(rest, e)
			}
		}
		if len(left) == 0 {
			break
		}
		in, ok := pushFilter(n.In[0], left)
		if !ok {
			in = filterOf(n.In[0], rex.AndOf(left))
		}
		out := rel.WithInputs(n, []rel.Node{in, n.In[1]})
		if len(rest) > 0 {
			out = filterOf(out, rex.AndOf(rest))
		}
		return out, true
	}
	return n, false
}
