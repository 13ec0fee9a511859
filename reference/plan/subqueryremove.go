package plan

import (
	"slices"
	"sort"

	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// withoutQueries turns all sub-queries of a tree into joins, in Flink's three steps: semi- and
// anti-joins (FlinkSubQueryRemoveRule), joins that may read the outer row (SubQueryRemoveRule),
// and joins that do not (RelDecorrelator).
func (b *builder) withoutQueries(root rel.Node) rel.Node {
	if !hasQueries(root) {
		return root
	}
	root = b.removeQueries(b.semiJoins(root))
	if b.err != nil {
		return root
	}
	return b.decorrelated(root)
}

// removeQueries is SubQueryRemoveRule for projections, filters and joins.
func (b *builder) removeQueries(n rel.Node) rel.Node {
	if b.err != nil {
		return n
	}
	in := make([]rel.Node, len(n.Inputs()))
	for i, x := range n.Inputs() {
		in[i] = b.removeQueries(x)
	}
	n = rel.WithInputs(n, in)
	switch n := n.(type) {
	case *rel.Filter:
		if hasSubQuery(n.Cond) {
			return b.removeFromFilter(n)
		}
	case *rel.Project:
		if slices.ContainsFunc(n.Exprs, hasSubQuery) {
			return b.removeFromProject(n)
		}
	case *rel.Join:
		if n.Cond != nil && hasSubQuery(n.Cond) {
			return b.removeFromJoin(n)
		}
	}
	return n
}

// firstQuery is the first sub-query of expressions, outer ones before inner ones.
func firstQuery(exprs ...rex.Expr) *rex.SubQuery {
	var first *rex.SubQuery
	for _, e := range exprs {
		rex.Walk(e, func(x rex.Expr) bool {
			if q, ok := x.(*rex.SubQuery); ok && first == nil {
				first = q
			}
			return first == nil
		})
	}
	return first
}

func replaceQuery(e rex.Expr, q *rex.SubQuery, with rex.Expr) rex.Expr {
	key := rex.Key(q)
	return rex.Transform(e, func(x rex.Expr) rex.Expr {
		if s, ok := x.(*rex.SubQuery); ok && rex.Key(s) == key {
			return with
		}
		return x
	})
}

func (b *builder) removeFromFilter(n *rel.Filter) rel.Node {
	top, cond := n.In[0], n.Cond
	unsure := 0
	for q := firstQuery(cond); q != nil && b.err == nil; q = firstQuery(cond) {
		vars := variablesIn(q.Rel)
		if len(n.Variables) > 0 {
			vars = slices.DeleteFunc(vars, func(id int) bool { return !slices.Contains(n.Variables, id) })
		}
		m := &queryRemover{b: b, top: top, vars: vars, logic: b.logicOf(logicTrue, []rex.Expr{cond}, q)}
		if q.Op == rex.In && m.threeValued() && q.Args[0].Type().Nullable {
			if unsure++; unsure == 2 {
				// Where Flink puts the condition that the operand is not NULL is not known.
				b.doubtText("several sub-queries IN over NULLs in a condition")
			}
		}
		cond = replaceQuery(cond, q, m.remove(q, len(top.Schema())))
		top = m.top
	}
	if b.err != nil {
		return n
	}
	var conds []rex.Expr
	for _, e := range rex.Conjunctions(cond) {
		// A condition takes unknown for false, so that casts to NOT NULL fall away.
		if c, ok := e.(*rex.Call); ok && c.Op == rex.Cast && c.Args[0].Type().Kind == value.KindBoolean {
			e = c.Args[0]
		}
		conds = append(conds, e)
	}
	simple := (&rex.Simplifier{KeepOrder: true}).Condition(rex.AndOf(conds)) // RelBuilder.filter
	return firstColumns(filterOf(top, simple), len(n.Schema()))
}

func (b *builder) removeFromProject(n *rel.Project) rel.Node {
	top, exprs := n.In[0], slices.Clone(n.Exprs)
	for q := firstQuery(exprs...); q != nil && b.err == nil; q = firstQuery(exprs...) {
		m := &queryRemover{b: b, top: top, vars: variablesIn(q.Rel), logic: b.logicOf(trueFalseUnknown, exprs, q)}
		with := m.remove(q, len(top.Schema()))
		for i := range exprs {
			exprs[i] = replaceQuery(exprs[i], q, with)
		}
		top = m.top
	}
	if b.err != nil {
		return n
	}
	out := *n
	out.In, out.Exprs, out.Variables = []rel.Node{top}, exprs, nil
	return &out
}

// removeFromJoin joins the sub-queries of ON with the right input: as in Calcite 1.36, whose
// rule looks for what they read there, whichever side it is of.
func (b *builder) removeFromJoin(n *rel.Join) rel.Node {
	l, right, cond := n.In[0], n.In[1], n.Cond
	w := len(l.Schema())
	for q := firstQuery(cond); q != nil && b.err == nil; q = firstQuery(cond) {
		m := &queryRemover{b: b, top: right, vars: variablesIn(q.Rel), on: l, logic: b.logicOf(logicTrue, []rex.Expr{cond}, q)}
		cond = replaceQuery(cond, q, m.remove(q, w+len(right.Schema())))
		right = m.top
	}
	if b.err != nil {
		return n
	}
	if b.cfg.Batch {
		b.doubtText("a join condition with a sub-query in batch") // which side is built is not known
	}
	j := joinOf(l, right, n.Type, rex.AndOf(rex.Conjunctions(cond)))
	j.Strategies, j.TTL = n.Strategies, n.TTL
	return firstColumns(j, len(n.Schema()))
}

// variablesIn are the correlation variables that a sub-query reads, in their order.
func variablesIn(r any) []int {
	n, ok := r.(rel.Node)
	if !ok {
		return nil
	}
	var out []int
	for id := range freeVariables(n) {
		out = append(out, id)
	}
	sort.Ints(out)
	return out
}

// queryRemover joins one sub-query with the node on top.
type queryRemover struct {
	b    *builder
	top  rel.Node
	vars []int
	// on is the left input of the join in whose condition the sub-query stands.
	on    rel.Node
	logic logic
}

func (m *queryRemover) fail(what string) rex.Expr {
	m.b.fail(unsupported.New("%s", what))
	return rex.BoolLiteral(true)
}

// remove joins the sub-query and returns the expression to put in its place; its own
// columns begin at column at of the row that the expression reads.
func (m *queryRemover) remove(q *rex.SubQuery, at int) rex.Expr {
	n, ok := q.Rel.(rel.Node)
	switch {
	case !ok:
		return m.fail("this sub-query")
	case len(m.vars) > 1:
		return m.fail("a sub-query that reads the rows of several outer queries")
	case slices.ContainsFunc(q.Args, hasSubQuery):
		return m.fail("a sub-query as an operand of a sub-query")
	}
	if n = m.b.removeQueries(n); m.b.err != nil {
		return rex.BoolLiteral(true)
	}
	switch q.Op {
	case rex.ScalarQuery:
		return m.scalar(n, at)
	case rex.Exists:
		return m.exists(n)
	case rex.In:
		return m.in(q, n, at)
	}
	return m.some(q, n)
}

// join is RelBuilder.join: with a correlation variable it is a Correlate, whose condition
// goes into the right side of an outer one and above an inner one.
func (m *queryRemover) join(sub rel.Node, typ string, cond rex.Expr) {
	if len(m.vars) == 0 {
		m.top = joinOf(m.top, sub, typ, cond)
		return
	}
	id, w := m.vars[0], len(m.top.Schema())
	if typ == "inner" {
		m.top = filterOf(correlateOf(m.top, sub, typ, id), cond)
		return
	}
	left := m.top.Schema()
	outer := &rex.CorrelVar{ID: id}
	cond = rex.Transform(cond, func(x rex.Expr) rex.Expr {
		r, ok := x.(*rex.InputRef)
		switch {
		case !ok:
			return x
		case r.Index < w:
			return &rex.Field{X: outer, Name: left[r.Index].Name, Index: r.Index, T: r.T}
		}
		return &rex.InputRef{Index: r.Index - w, T: r.T}
	})
	m.top = correlateOf(m.top, filterOf(sub, cond), typ, id)
}

func (m *queryRemover) scalar(n rel.Node, at int) rex.Expr {
	if !rel.ColumnsUnique(n, nil) {
		n = aggregateOf(n, nil, rel.AggCall{Fn: fn.AggregateOp("SINGLE_VALUE"), Args: []int{0}, Filter: -1, T: n.Schema()[0].Type.AsNullable()})
	}
	w := len(m.top.Schema())
	m.join(n, "left", rex.BoolLiteral(true))
	return &rex.InputRef{Index: at, T: m.top.Schema()[w].Type}
}

func (m *queryRemover) exists(n rel.Node) rex.Expr {
	if a, ok := n.(*rel.Aggregate); ok && len(a.Keys) == 0 && len(a.Sets) == 0 {
		return rex.BoolLiteral(true) // it has one row always
	}
	n = projectOf(n, []rex.Expr{rex.BoolLiteral(true)}, "i")
	if m.logic == logicTrue {
		m.join(aggregateOf(n, []int{0}), "inner", rex.BoolLiteral(true))
		return rex.BoolLiteral(true)
	}
	m.join(distinctOver(n, []int{0}), "left", rex.BoolLiteral(true))
	return rex.IsOf(rex.IsNotNull, m.last())
}

// last is the last column of the top, counted in the top alone.
func (m *queryRemover) last() *rex.InputRef { return refTo(m.top, len(m.top.Schema())-1) }

// threeValued: it matters whether the result is FALSE or UNKNOWN.
func (m *queryRemover) threeValued() bool {
	return m.logic == trueFalseUnknown || m.logic == unknownAsTrue
}

func caseOf(args ...rex.Expr) *rex.Call {
	t := rex.BoolType(false)
	for i, a := range args {
		if i%2 == 1 || i == len(args)-1 {
			t.Nullable = t.Nullable || a.Type().Nullable
		}
	}
	return &rex.Call{Op: rex.Case, Args: args, T: t}
}

var unknownBool = rex.NullLiteral(rex.BoolType(true))

func countOf(name string, args ...int) rel.AggCall {
	return rel.AggCall{Fn: fn.AggregateOp("COUNT"), Args: args, Filter: -1, Name: name, T: value.Type{Kind: value.KindBigInt}}
}
