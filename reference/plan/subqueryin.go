package plan

import (
	"slices"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// in joins the rows that IN looks through, each once. Where NULLs make a difference, the
// rows and those of them without NULL are counted as well.
func (m *queryRemover) in(q *rex.SubQuery, n rel.Node, at int) rex.Expr {
	if !slices.ContainsFunc(q.Args, func(e rex.Expr) bool { _, lit := e.(*rex.Literal); return !lit }) {
		return m.fail("IN of constants and a sub-query")
	}
	keys := sequence(len(n.Schema()))
	three := m.threeValued()
	var c, ck rex.Expr
	sub := n
	if three {
		typ := "inner"
		if len(m.vars) > 0 {
			typ = "left"
		}
		w := len(m.top.Schema())
		m.join(counted(n, nil, "ck", keys), typ, rex.BoolLiteral(true))
		c, ck = refTo(m.top, w), refTo(m.top, w+1)
		at += 2
	}
	if m.logic == logicTrue {
		sub = distinctOver(n, keys)
	} else {
		sub = distinctOver(n, keys)
		sub = projectOf(sub, append(refsTo(sub), rex.BoolLiteral(true)), append(slices.Clone(namesOf(sub)), "i")...)
	}
	var conds []rex.Expr
	for i, a := range q.Args {
		y := refTo(sub, i)
		x, z, ok := m.b.sameTypes(a, &rex.InputRef{Index: at + i, T: y.T})
		if !ok {
			return m.fail("IN over other types")
		}
		conds = append(conds, rex.Compare(rex.Eq, x, z))
		if m.on != nil && !m.comparesColumns(x, z, sub) {
			return rex.BoolLiteral(true)
		}
	}
	if m.logic == logicTrue {
		m.doubtRepeated(q, n)
		m.join(sub, "inner", rex.AndOf(conds))
		return rex.BoolLiteral(true)
	}
	m.join(sub, "left", rex.AndOf(conds))
	var args []rex.Expr
	unknown := rex.Expr(unknownBool)
	if m.logic == unknownAsTrue {
		unknown = rex.BoolLiteral(true)
	}
	if three {
		args = append(args, rex.Compare(rex.Eq, c, intLiteral(0)), rex.BoolLiteral(false))
	}
	var nulls []rex.Expr
	for _, a := range q.Args {
		if a.Type().Nullable {
			nulls = append(nulls, rex.IsOf(rex.IsNull, a))
		}
	}
	if len(nulls) > 0 {
		args = append(args, orOf(nulls), unknownBool)
	}
	found := rex.IsOf(rex.IsNotNull, m.last())
	args = append(args, found, rex.BoolLiteral(true))
	if three {
		args = append(args, rex.Compare(rex.Lt, ck, c), unknown)
	}
	return caseOf(append(args, rex.BoolLiteral(false))...)
}

// doubtRepeated: what IN compares is read inside the query as well. Flink then moves the
// comparison into the query, at a place that is not known.
func (m *queryRemover) doubtRepeated(q *rex.SubQuery, n rel.Node) {
	refs := rex.Refs(q.Args...)
	for _, c := range outerColumnsIn(n) {
		if len(m.vars) > 0 && c.id == m.vars[0] && slices.Contains(refs, c.field) {
			m.b.unsure("IN of a column that the sub-query reads as well")
		}
	}
}

// outerColumnsIn are the columns of outer rows that a tree reads.
func outerColumnsIn(n rel.Node) []outerColumn {
	var out []outerColumn
	switch n := n.(type) {
	case *rel.Filter:
		out = outerColumns(n.Cond)
	case *rel.Project:
		out = outerColumns(n.Exprs...)
	case *rel.Join:
		out = outerColumns(n.Cond)
	}
	for _, in := range n.Inputs() {
		out = append(out, outerColumnsIn(in)...)
	}
	return out
}

// unsure refuses a plan in streaming, where the log depends on it, and its text in batch.
func (b *builder) unsure(what string) {
	if b.cfg.Batch {
		b.doubtText("%s", what)
		return
	}
	b.fail(unsupported.New("%s", what))
}

func namesOf(n rel.Node) []string { return names(n.Schema()) }

// some is x < SOME (query): a comparison with the largest of the rows, unless there are
// none, and unknown where there are NULLs among them.
func (m *queryRemover) some(q *rex.SubQuery, n rel.Node) rex.Expr {
	if q.Op == rex.SomeNe && len(m.vars) == 0 && len(q.Args) == 1 {
		return m.someDiffers(q, n)
	}
	op, extreme := someOf(q.Op)
	if op == nil || len(q.Args) != 1 {
		return m.fail("the sub-query " + q.Op.Name + " in an expression")
	}
	x, col := q.Args[0], n.Schema()[0].Type
	if !rex.SameTypeSansNullability(x.Type(), col) && (!x.Type().IsNumeric() || !col.IsNumeric()) {
		return m.fail("the sub-query " + q.Op.Name + " over other types")
	}
	most := rel.AggCall{Fn: fn.AggregateOp(extreme), Args: []int{0}, Filter: -1, Name: "m", T: col.AsNullable()}
	sub := counted(n, []rel.AggCall{most}, "d", []int{0})
	typ := "inner"
	if len(m.vars) > 0 {
		typ = "left"
		sub = projectOf(sub, append(refsTo(sub), rex.BoolLiteral(true)), "m", "c", "d", "trueLiteral")
	}
	w := len(m.top.Schema())
	m.join(sub, typ, rex.BoolLiteral(true))
	at := func(i int) *rex.InputRef { return refTo(m.top, w+i) }
	var args []rex.Expr
	if len(m.vars) > 0 {
		args = append(args, rex.IsOf(rex.IsNull, at(3)), rex.BoolLiteral(false))
	}
	cmp := rex.Compare(op, x, at(0))
	e := caseOf(append(args,
		rex.Compare(rex.Eq, at(1), intLiteral(0)), rex.BoolLiteral(false),
		rex.IsOf(rex.IsTrue, cmp), rex.BoolLiteral(true),
		rex.Compare(rex.Gt, at(1), at(2)), unknownBool,
		cmp)...)
	if !q.T.Nullable {
		return &rex.Call{Op: rex.Cast, Args: []rex.Expr{e}, T: rex.BoolType(false)}
	}
	return e
}

// someDiffers is x <> SOME (query): TRUE if there are two different rows or the only one
// differs.
func (m *queryRemover) someDiffers(q *rex.SubQuery, n rel.Node) rex.Expr {
	x, col := q.Args[0], n.Schema()[0].Type
	if !rex.SameTypeSansNullability(x.Type(), col) && (!x.Type().IsNumeric() || !col.IsNumeric()) {
		return m.fail("the sub-query " + q.Op.Name + " over other types")
	}
	m.b.doubtText("<> SOME") // Flink simplifies what it derives from the condition further
	rows := distinctOver(n, []int{0})
	most := rel.AggCall{Fn: fn.AggregateOp("MAX"), Args: []int{0}, Filter: -1, Name: "m", T: col.AsNullable()}
	var sub rel.Node
	if col.Nullable {
		sub = aggregateOf(rows, nil, countOf("c"), countOf("d", 0), most)
	} else {
		a := aggregateOf(rows, nil, countOf("c"), most)
		sub = projectOf(a, []rex.Expr{refTo(a, 0), refTo(a, 0), refTo(a, 1)}, "c", "d", "m")
	}
	w := len(m.top.Schema())
	m.join(sub, "inner", rex.BoolLiteral(true))
	c, d, most1 := refTo(m.top, w), refTo(m.top, w+1), refTo(m.top, w+2)
	differs := rex.Compare(rex.Ne, x, most1)
	e := caseOf(
		rex.Compare(rex.Eq, c, intLiteral(0)), rex.BoolLiteral(false),
		rex.IsOf(rex.IsNull, x), unknownBool,
		rex.AndOf([]rex.Expr{rex.Compare(rex.Ne, d, c), rex.Compare(rex.Le, d, intLiteral(1))}), orOf([]rex.Expr{differs, unknownBool}),
		rex.Compare(rex.Eq, d, intLiteral(1)), differs,
		rex.BoolLiteral(true))
	if !q.T.Nullable {
		return &rex.Call{Op: rex.Cast, Args: []rex.Expr{e}, T: rex.BoolType(false)}
	}
	return e
}

// counted aggregates to calls, the number of rows c, and that of rows without NULL in
// columns, which is c itself where no NULL can be.
func counted(n rel.Node, calls []rel.AggCall, name string, columns []int) rel.Node {
	calls = append(calls, countOf("c"))
	if slices.ContainsFunc(columns, func(i int) bool { return n.Schema()[i].Type.Nullable }) {
		return aggregateOf(n, nil, append(calls, countOf(name, columns...))...)
	}
	a := aggregateOf(n, nil, calls...)
	refs := refsTo(a)
	return projectOf(a, append(refs, refs[len(refs)-1]), append(namesOf(a), name)...)
}

// someOf is the comparison of x < SOME (query), and the aggregate that decides it.
func someOf(op *rex.Op) (*rex.Op, string) {
	switch op {
	case rex.SomeLt:
		return rex.Lt, "MAX"
	case rex.SomeLe:
		return rex.Le, "MAX"
	case rex.SomeGt:
		return rex.Gt, "MIN"
	case rex.SomeGe:
		return rex.Ge, "MIN"
	}
	return nil, ""
}

// comparesColumns fails as Flink does for IN in ON: the equality counts the columns of both
// inputs, and is put above the right one alone, where there are fewer.
func (m *queryRemover) comparesColumns(x, y rex.Expr, sub rel.Node) bool {
	a, ok1 := x.(*rex.InputRef)
	b, ok2 := y.(*rex.InputRef)
	if !ok1 || !ok2 || len(m.vars) > 0 {
		m.fail("IN of this operand in a join condition")
		return false
	}
	width := len(m.top.Schema()) + len(sub.Schema())
	for i, r := range []*rex.InputRef{a, b} {
		if r.Index >= width {
			m.b.fail(flinkerr.New("java.lang.NullPointerException", "equivalence.get(p%d) for %d", i+1, r.Index))
			return false
		}
	}
	m.fail("IN in a join condition")
	return false
}
