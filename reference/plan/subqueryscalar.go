package plan

import (
	"slices"

	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// scalarFilter evaluates the scalar queries of a condition in outer joins below it.
func (b *builder) scalarFilter(in *calc, cond rex.Expr) *calc {
	out, list := b.scalars(in, []rex.Expr{cond}, true)
	if b.err != nil {
		return in
	}
	c := &calc{in: out.in}
	for i := range in.exprs {
		c.exprs = append(c.exprs, out.exprs[i])
		c.fields = append(c.fields, in.fields[i])
	}
	c.cond = append(append([]rex.Expr(nil), out.cond...), rex.Conjunctions(rex.Substitute(list[0], out.exprs))...)
	return c
}

// scalars joins the scalar queries in expressions over in's outputs: the result has
// in's columns first, and the expressions read their values from further ones.
func (b *builder) scalars(in *calc, exprs []rex.Expr, filter bool) (*calc, []rex.Expr) {
	out := in
	at := map[string]rex.Expr{}
	list := make([]rex.Expr, len(exprs))
	marks := 0
	for i, e := range exprs {
		list[i] = rex.Transform(e, func(x rex.Expr) rex.Expr {
			q, ok := x.(*rex.SubQuery)
			if !ok || b.err != nil {
				return x
			}
			if ref, ok := at[rex.Key(q)]; ok {
				return ref
			}
			var ref rex.Expr
			if q.Op == rex.ScalarQuery {
				out, ref = b.scalarJoin(out, q, filter)
			} else {
				if marks++; marks > 1 && !b.cfg.Collect {
					// The order of the condition's terms is not known.
					b.fail(unsupported.New("EXPLAIN of a condition with several sub-queries"))
				}
				out, ref = b.mark(out, q)
				_, whole := e.(*rex.SubQuery)
				if c, ok := ref.(*rex.Call); ok && filter && whole && c.Op == rex.Cast {
					ref = c.Args[0] // a condition takes unknown for false
				}
			}
			at[rex.Key(q)] = ref
			return ref
		})
	}
	return out, list
}

// scalarJoin joins one scalar query and returns the reference to its value.
func (b *builder) scalarJoin(in *calc, q *rex.SubQuery, filter bool) (*calc, rex.Expr) {
	n, ok := q.Rel.(rel.Node)
	if !ok {
		return b.fail(unsupported.New("this sub-query")), q
	}
	if treeHasCorrelVar(n) {
		return b.correlatedScalar(in, n, filter)
	}
	right := copyCalc(b.build(n))
	if b.err != nil {
		return in, q
	}
	if _, sorted := n.(*rel.Sort); sorted {
		return b.fail(unsupported.New("a scalar sub-query with ORDER BY or LIMIT")), q
	}
	if !singleRow(n) {
		b.unproven("EXPLAIN of a scalar sub-query of several rows in batch mode")
		right = singleValue(right, nil, 0, "$f0")
	}
	return leftJoin(in, right, nil, true)
}

// singleRow: an aggregate without groups.
func singleRow(n rel.Node) bool {
	switch n := n.(type) {
	case *rel.Aggregate:
		return len(n.Keys) == 0 && len(n.Sets) == 0
	case *rel.Project:
		return singleRow(n.In[0])
	}
	return false
}

// leftJoin appends right's columns to in; the value is the last of them.
func leftJoin(in, right *calc, cond []rex.Expr, single bool) (*calc, rex.Expr) {
	j := &joinNode{left: in, right: right, typ: "left", cond: cond, single: single}
	for i, f := range in.fields {
		f.Type = in.exprs[i].Type()
		j.fields = append(j.fields, f)
	}
	for i, f := range right.fields {
		f.Type = right.exprs[i].Type().AsNullable()
		j.fields = append(j.fields, f)
	}
	out := identity(j)
	last := len(j.fields) - 1
	return out, &rex.InputRef{Index: last, T: j.fields[last].Type}
}

// correlatedScalar is an aggregate over the rows that belong to the outer row: the
// aggregate is grouped by the columns that are compared with it, and joined on them.
func (b *builder) correlatedScalar(in *calc, n rel.Node, filter bool) (*calc, rex.Expr) {
	a, ok := n.(*rel.Aggregate)
	if !ok && !hasAggregate(n) {
		return b.correlatedRows(in, n)
	}
	if !ok || len(a.Keys) > 0 || len(a.Sets) > 0 || len(a.Calls) != 1 {
		return b.fail(unsupported.New("a correlated scalar sub-query of this shape")), nil
	}
	call := a.Calls[0]
	count := call.Fn.Name == "COUNT"
	switch call.Fn.Name {
	case "COUNT", "SUM", "MIN", "MAX", "AVG":
	default:
		return b.fail(unsupported.New("%s in a correlated sub-query", call.Fn.Name)), nil
	}
	if count && filter {
		return b.fail(unsupported.New("a correlated count in a condition")), nil
	}
	rows, conds := b.correlated(a.In[0], false)
	if b.err != nil {
		return in, nil
	}
	type pair struct {
		outer int
		col   *rex.InputRef
	}
	var pairs []pair
	for _, e := range conds {
		c, ok := e.(*rex.Call)
		if !ok || c.Op != rex.Eq {
			return b.fail(unsupported.New("a correlated aggregate that is not joined by equality")), nil
		}
		x, y := c.Args[0], c.Args[1]
		if _, isRef := x.(*rex.InputRef); !isRef {
			x, y = y, x
		}
		ref, okR := x.(*rex.InputRef)
		f, okF := y.(*rex.Field)
		if !okR || !okF || !rex.SameTypeSansNullability(ref.T, f.T) {
			return b.fail(unsupported.New("a correlated aggregate that is not joined by columns")), nil
		}
		if len(pairs) > 0 && pairs[len(pairs)-1].outer >= f.Index {
			return b.fail(unsupported.New("correlated columns in another order")), nil
		}
		pairs = append(pairs, pair{f.Index, ref})
	}
	schema := rows.in.schema()
	below := &calc{in: rows.in, cond: append([]rex.Expr(nil), rows.cond...), projected: true}
	var keys []int
	var notNull []rex.Expr
	for i, p := range pairs {
		below.exprs = append(below.exprs, p.col)
		below.fields = append(below.fields, schema[p.col.Index])
		keys = append(keys, i)
		if p.col.T.Nullable {
			notNull = append(notNull, rex.IsOf(rex.IsNotNull, p.col))
		}
	}
	below.cond = append(below.cond, notNull...)
	x := call
	x.Args = nil
	for _, arg := range call.Args {
		x.Args = append(x.Args, len(below.exprs))
		below.exprs = append(below.exprs, rows.exprs[arg])
		below.fields = append(below.fields, rows.fields[arg])
	}
	if call.Filter >= 0 {
		x.Filter = len(below.exprs)
		below.exprs = append(below.exprs, rows.exprs[call.Filter])
		below.fields = append(below.fields, rows.fields[call.Filter])
	}
	g := &aggNode{in: below, keys: keys, calls: []rel.AggCall{x}}
	g.fields = aggFields(below, keys, g.calls)
	right := identity(g)
	w := len(in.exprs)
	var cond []rex.Expr
	for i, p := range pairs {
		cond = append(cond, rex.Compare(rex.Eq, &rex.InputRef{Index: p.outer, T: in.exprs[p.outer].Type()},
			&rex.InputRef{Index: w + i, T: right.exprs[i].Type()}))
	}
	out, ref := leftJoin(in, right, cond, false)
	if count {
		zero := bigintLiteral(0)
		ref = &rex.Call{Op: rex.Case, Args: []rex.Expr{rex.IsOf(rex.IsNull, ref), zero, ref}, T: call.T}
	}
	return out, ref
}

func hasAggregate(n rel.Node) bool {
	if _, ok := n.(*rel.Aggregate); ok {
		return true
	}
	return slices.ContainsFunc(n.Inputs(), hasAggregate)
}
