package plan

import (
	"slices"

	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
)

// correlationCheck finds what keeps Flink from making semi-joins of a filter's sub-queries,
// so that they are left to Calcite's rules (SubQueryDecorrelator's CorelMapBuilder).
type correlationCheck struct {
	// agg and over: an aggregate or a window stands above.
	agg, over bool
	bad       bool
}

func (k *correlationCheck) refuses(f *rel.Filter) bool {
	k.filter(f, nil, false)
	return k.bad
}

// visit looks at a node inside a sub-query of a node that sets vars; inside is false for
// the filter itself and what is below it.
func (k *correlationCheck) visit(n rel.Node, vars []int, inside bool) {
	if k.bad {
		return
	}
	switch n := n.(type) {
	case *rel.Filter:
		k.filter(n, vars, inside)
		return
	case *rel.Project:
		k.over = hasOver(n.Exprs)
		for _, e := range n.Exprs {
			k.bad = k.bad || hasOwnCorrelVar(e)
		}
		k.queries(n.Variables, n.Exprs...)
	case *rel.Join:
		l, r := readsOuter(n.In[0]), readsOuter(n.In[1])
		k.bad = n.Type == "left" && r || n.Type == "right" && l || n.Type == "full" && (l || r) || hasOwnCorrelVar(n.Cond)
		k.queries(n.Variables, n.Cond)
	case *rel.Correlate:
		k.bad = readsOuter(n.In[0]) || readsOuter(n.In[1])
	case *rel.Union, *rel.Intersect, *rel.Minus:
		k.bad = slices.ContainsFunc(n.Inputs(), readsOuter)
	case *rel.Aggregate:
		k.agg = true
	}
	for _, in := range n.Inputs() {
		k.visit(in, vars, inside)
	}
}

func (k *correlationCheck) filter(n *rel.Filter, vars []int, inside bool) {
	switch {
	case inside:
		cor, _, bad := splitCorrelated(n.Cond, vars)
		unequal := slices.ContainsFunc(cor, func(e rex.Expr) bool { c, ok := e.(*rex.Call); return ok && c.Op != rex.Eq })
		k.bad = k.bad || bad || unequal && (k.agg || k.over)
	case hasOwnCorrelVar(n.Cond):
		k.bad = true
	}
	k.queries(n.Variables, n.Cond)
	k.visit(n.In[0], vars, inside)
}

// queries visits the sub-queries of expressions.
func (k *correlationCheck) queries(vars []int, exprs ...rex.Expr) {
	for _, e := range exprs {
		rex.Walk(e, func(x rex.Expr) bool {
			if q, ok := x.(*rex.SubQuery); ok {
				if n, ok := q.Rel.(rel.Node); ok {
					k.agg, k.over = false, false
					k.visit(n, vars, true)
				}
			}
			return true
		})
	}
}

// hasOwnCorrelVar: an expression reads an outer row, its sub-queries aside.
func hasOwnCorrelVar(e rex.Expr) bool {
	found := false
	rex.Walk(e, func(x rex.Expr) bool {
		if _, ok := x.(*rex.CorrelVar); ok {
			found = true
		}
		return !found
	})
	return found
}

// readsOuter: a filter, projection or join of a tree reads an outer row.
func readsOuter(n rel.Node) bool {
	return slices.ContainsFunc(rowExprs(n), hasOwnCorrelVar) || slices.ContainsFunc(n.Inputs(), readsOuter)
}

// splitCorrelated parts the conjuncts of a condition, in conjunctive normal form, into those
// that read the outer row of vars and the others. bad: one reads another row, or stands below OR.
func splitCorrelated(cond rex.Expr, vars []int) (cor, plain []rex.Expr, bad bool) {
	for _, e := range rex.Conjunctions(rex.ToCNF(cond)) {
		reads, wrong := correlatedHow(e, vars)
		switch {
		case wrong:
			bad = true
		case reads:
			cor = append(cor, e)
		default:
			plain = append(plain, e)
		}
	}
	return
}

func correlatedHow(e rex.Expr, vars []int) (reads, wrong bool) {
	var args []rex.Expr
	switch x := e.(type) {
	case *rex.CorrelVar:
		return true, !slices.Contains(vars, x.ID)
	case *rex.Field:
		return correlatedHow(x.X, vars)
	case *rex.SubQuery:
		args = x.Args
	case *rex.Call:
		args = x.Args
	default:
		return false, false
	}
	for _, a := range args {
		r, w := correlatedHow(a, vars)
		reads, wrong = reads || r, wrong || w
	}
	switch x := e.(type) {
	case *rex.SubQuery:
		wrong = wrong || reads
	case *rex.Call:
		wrong = wrong || reads && x.Op == rex.Or
	}
	return reads, wrong
}
