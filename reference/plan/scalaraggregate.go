package plan

import (
	"slices"

	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// scalarAggregate joins an expression of an aggregate first and groups by the whole left row
// then, where the outer columns that are compared are a key of the left side
// (RemoveCorrelationForScalarAggregateRule); nil where the rule does not apply.
func (d *decorrelator) scalarAggregate(c *rel.Correlate) rel.Node {
	top, ok := c.In[1].(*rel.Project)
	if !ok || len(top.Exprs) != 1 {
		return nil
	}
	a, ok := top.In[0].(*rel.Aggregate)
	if !ok || len(a.Keys) > 0 || len(a.Sets) > 0 {
		return nil
	}
	p, ok := a.In[0].(*rel.Project)
	if !ok {
		return nil
	}
	left := c.In[0]
	f, ok := p.In[0].(*rel.Filter)
	if !ok || !hasOwnCorrelVar(f.Cond) {
		all := map[int]bool{}
		for i := range left.Schema() {
			all[i] = true
		}
		if exprsHaveCorrelVar(p.Exprs) && !treeHasCorrelVar(p.In[0]) && rel.ColumnsUnique(left, all) {
			d.b.fail(unsupported.New("an aggregate of the outer row in a sub-query"))
		}
		return nil
	}
	if treeHasCorrelVar(f.In[0]) {
		return nil
	}
	keys, joined := map[int]bool{}, map[outerColumn]bool{}
	for _, e := range rex.Conjunctions(f.Cond) {
		x, ok := e.(*rex.Call)
		if !ok || x.Op != rex.Eq {
			continue
		}
		for i, arg := range x.Args {
			o := outerColumns(arg)
			if _, field := arg.(*rex.Field); field && len(o) == 1 && !hasCorrelVar(x.Args[1-i]) {
				keys[o[0].field], joined[o[0]] = true, true
				break
			}
		}
	}
	if len(keys) == 0 || !rel.ColumnsUnique(left, keys) {
		return nil
	}
	if !readsJoined(c, f.Cond, p.Exprs, joined) {
		return nil
	}
	if hasCorrelVar(top.Exprs[0]) || exprsHaveCorrelVar(p.Exprs) {
		d.b.fail(unsupported.New("an aggregate of the outer row in a sub-query"))
		return nil
	}
	return groupedLeft(left, f, p, a, top)
}

// groupedLeft builds the join, the aggregate and the projection. A column that is TRUE on
// the right side tells which rows the outer join has padded.
func groupedLeft(left rel.Node, f *rel.Filter, p *rel.Project, a *rel.Aggregate, top *rel.Project) rel.Node {
	w := len(left.Schema())
	right := projectOf(f.In[0], append(refsTo(f.In[0]), rex.BoolLiteral(true)), append(slices.Clone(namesOf(f.In[0])), "nullIndicator")...)
	j := joinOf(left, right, "left", outerToLeft(f.Cond, w))
	there := refTo(j, len(j.Fields)-1)
	exprs := refsTo(j)[:w:w]
	for _, e := range p.Exprs {
		x := rex.Transform(shift(e, w), func(x rex.Expr) rex.Expr {
			if r, ok := x.(*rex.InputRef); ok {
				return refTo(j, r.Index)
			}
			return x
		})
		if _, ref := x.(*rex.InputRef); !ref && !rex.IsLiteralNull(x) {
			t := x.Type().AsNullable()
			x = &rex.Call{Op: rex.Case, Args: []rex.Expr{rex.IsOf(rex.IsNull, there), rex.NullLiteral(t), x}, T: t}
		}
		exprs = append(exprs, x)
	}
	below := projectOf(j, append(exprs, there))
	var calls []rel.AggCall
	for _, call := range a.Calls {
		args := slices.Clone(call.Args)
		for i := range args {
			args[i] += w
		}
		if call.Fn.Name == "COUNT" && len(args) == 0 {
			args = []int{len(exprs)}
		}
		call.Args = args
		if call.Filter >= 0 {
			call.Filter += w
		}
		calls = append(calls, call)
	}
	g := aggregateOf(below, sequence(w), calls...)
	out := shift(top.Exprs[0], w)
	if t := out.Type(); !t.Nullable {
		out = &rex.Call{Op: rex.Cast, Args: []rex.Expr{out}, T: t.AsNullable()}
	}
	return projectOf(g, append(refsTo(g)[:w:w], out))
}
