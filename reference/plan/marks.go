package plan

import (
	"strconv"

	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// mark joins IN or EXISTS that stand in an expression: the rows that the query gives,
// each once, are joined outer with true behind them, which is there or not
// (Calcite's SubQueryRemoveRule and its decorrelation).
func (b *builder) mark(in *calc, q *rex.SubQuery) (*calc, rex.Expr) {
	n, ok := q.Rel.(rel.Node)
	if !ok || hasCorrelate(n) {
		return b.fail(unsupported.New("the sub-query %s in an expression", q.Op.Name)), q
	}
	correlated := treeHasCorrelVar(n)
	b.unproven("EXPLAIN of a sub-query in an expression in batch mode")
	switch {
	case q.Op == rex.Exists && correlated:
		return b.markExists(in, n)
	case q.Op == rex.Exists:
		rows := b.build(n)
		if b.err != nil {
			return in, q
		}
		return markJoin(in, onceEach(&calc{in: rows.in, cond: rows.cond, projected: true,
			exprs: []rex.Expr{rex.BoolLiteral(true)}, fields: []value.Field{{Name: "i", Type: rex.BoolType(false)}}}), nil)
	case q.Op == rex.In && len(q.Args) == 1 && !correlated:
		return b.markIn(in, q, n)
	case len(q.Args) == 1 && !correlated:
		if op, extreme := someOf(q.Op); op != nil {
			return b.markSome(in, q, n, op, extreme)
		}
	}
	return b.fail(unsupported.New("the sub-query %s in an expression", q.Op.Name)), q
}

// unproven refuses EXPLAIN in batch mode, where not all that Flink's estimates lead to has
// been seen. The rows are right all the same.
func (b *builder) unproven(what string) {
	if b.cfg.Batch && !b.cfg.Collect {
		b.fail(unsupported.New("%s", what))
	}
}

// onceEach groups by all columns.
func onceEach(rows *calc) *calc {
	a := &aggNode{in: rows, keys: sequence(len(rows.exprs))}
	a.fields = aggFields(rows, a.keys, nil)
	return identity(a)
}

// withTrue appends true to a calc.
func withTrue(c *calc, name string) *calc {
	out := copyCalc(c)
	out.projected = true
	out.exprs = append(out.exprs, rex.BoolLiteral(true))
	out.fields = append(out.fields, value.Field{Name: name, Type: rex.BoolType(false)})
	return out
}

func markJoin(in, right *calc, cond []rex.Expr) (*calc, rex.Expr) {
	out, ref := leftJoin(in, right, cond, false)
	return out, rex.IsOf(rex.IsNotNull, ref)
}

// outerPair is an equality of an outer column with a column below a sub-query.
type outerPair struct {
	outer int
	col   *rex.InputRef
}

// pairsOf reads correlated conditions that are equalities of columns.
func (b *builder) pairsOf(conds []rex.Expr) []outerPair {
	var pairs []outerPair
	for _, e := range conds {
		c, ok := e.(*rex.Call)
		if !ok || c.Op != rex.Eq {
			b.fail(unsupported.New("a correlated aggregate that is not joined by equality"))
			return nil
		}
		x, y := c.Args[0], c.Args[1]
		if _, isRef := x.(*rex.InputRef); !isRef {
			x, y = y, x
		}
		ref, okR := x.(*rex.InputRef)
		f, okF := y.(*rex.Field)
		if !okR || !okF || !rex.SameTypeSansNullability(ref.T, f.T) {
			b.fail(unsupported.New("a correlated aggregate that is not joined by columns"))
			return nil
		}
		if len(pairs) > 0 && pairs[len(pairs)-1].outer >= f.Index {
			b.fail(unsupported.New("correlated columns in another order"))
			return nil
		}
		pairs = append(pairs, outerPair{f.Index, ref})
	}
	return pairs
}

// pairColumns are the columns of pairs over rows' operator, without NULLs, which no
// equality finds.
func pairColumns(rows *calc, pairs []outerPair) *calc {
	schema := rows.in.schema()
	below := &calc{in: rows.in, cond: append([]rex.Expr(nil), rows.cond...), projected: true}
	for _, p := range pairs {
		below.exprs = append(below.exprs, p.col)
		below.fields = append(below.fields, schema[p.col.Index])
		if p.col.T.Nullable {
			below.cond = append(below.cond, rex.IsOf(rex.IsNotNull, p.col))
		}
	}
	return below
}

// pairCondition compares the outer columns with right's columns from at on.
func pairCondition(in, right *calc, pairs []outerPair, at int) []rex.Expr {
	var cond []rex.Expr
	for i, p := range pairs {
		cond = append(cond, rex.Compare(rex.Eq, &rex.InputRef{Index: p.outer, T: in.exprs[p.outer].Type()},
			&rex.InputRef{Index: len(in.exprs) + at + i, T: right.exprs[at+i].Type()}))
	}
	return cond
}

func (b *builder) markExists(in *calc, n rel.Node) (*calc, rex.Expr) {
	rows, conds := b.correlated(n, true)
	pairs := b.pairsOf(conds)
	if b.err != nil {
		return in, nil
	}
	if len(pairs) == 0 {
		return b.fail(unsupported.New("the sub-query EXISTS in an expression")), nil
	}
	right := withTrue(onceEach(pairColumns(rows, pairs)), "$f"+strconv.Itoa(len(pairs)))
	return markJoin(in, right, pairCondition(in, right, pairs, 0))
}

// markIn is x IN (query) as a value. Where a NULL may stand on either side, the rows and
// those of them that are not NULL are counted as well, since then IN may be unknown.
func (b *builder) markIn(in *calc, q *rex.SubQuery, n rel.Node) (*calc, rex.Expr) {
	x, isRef := q.Args[0].(*rex.InputRef)
	sub := b.build(n)
	if b.err != nil {
		return in, nil
	}
	col := sub.exprs[0].Type()
	if !isRef || !rex.SameTypeSansNullability(x.T, col) {
		return b.fail(unsupported.New("the sub-query IN in an expression")), nil
	}
	nullable := x.T.Nullable || col.Nullable
	if nullable && (!x.T.Nullable || !col.Nullable) {
		return b.fail(unsupported.New("the sub-query IN in an expression, with NULLs on one side")), nil
	}
	var c, ck rex.Expr
	if nullable {
		rows := b.build(n)
		if b.err != nil {
			return in, nil
		}
		count := fn.AggregateOp("COUNT")
		a := &aggNode{in: copyCalc(rows), calls: []rel.AggCall{
			{Fn: count, Filter: -1, Name: "c", T: bigint(false)},
			{Fn: count, Args: []int{0}, Filter: -1, Name: "ck", T: bigint(false)},
		}}
		a.fields = aggFields(a.in, nil, a.calls)
		j := &joinNode{left: in, right: identity(a), typ: "inner"}
		for i, f := range in.fields {
			f.Type = in.exprs[i].Type()
			j.fields = append(j.fields, f)
		}
		j.fields = append(j.fields, a.fields...)
		in = identity(j)
		w := len(j.fields)
		c, ck = &rex.InputRef{Index: w - 2, T: bigint(false)}, &rex.InputRef{Index: w - 1, T: bigint(false)}
	}
	right := withTrue(onceEach(copyCalc(sub)), "i")
	w := len(in.exprs)
	cond := rex.Compare(rex.Eq, x, &rex.InputRef{Index: w, T: right.exprs[0].Type()})
	out, found := markJoin(in, right, []rex.Expr{cond})
	if !nullable {
		return out, found
	}
	unknown := rex.NullLiteral(rex.BoolType(true))
	return out, &rex.Call{Op: rex.Case, T: rex.BoolType(true), Args: []rex.Expr{
		rex.Compare(rex.Eq, c, intLiteral(0)), rex.BoolLiteral(false),
		rex.IsOf(rex.IsNull, x), unknown,
		found, rex.BoolLiteral(true),
		rex.Compare(rex.Lt, ck, c), unknown,
		rex.BoolLiteral(false),
	}}
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

// markSome is x < SOME (query): a comparison with the largest of the rows, unless there
// are none, and unknown where there are NULLs among them.
func (b *builder) markSome(in *calc, q *rex.SubQuery, n rel.Node, op *rex.Op, extreme string) (*calc, rex.Expr) {
	sub := b.build(n)
	if b.err != nil {
		return in, nil
	}
	x := q.Args[0]
	col := sub.exprs[0].Type()
	if !rex.SameTypeSansNullability(x.Type(), col) || hasSubQuery(x) {
		return b.fail(unsupported.New("the sub-query %s over other types", q.Op.Name)), nil
	}
	count := fn.AggregateOp("COUNT")
	a := &aggNode{in: copyCalc(sub), calls: []rel.AggCall{
		{Fn: fn.AggregateOp(extreme), Args: []int{0}, Filter: -1, Name: "m", T: col.AsNullable()},
		{Fn: count, Filter: -1, Name: "c", T: bigint(false)},
	}}
	right := &calc{in: a, projected: true}
	if col.Nullable {
		a.calls = append(a.calls, rel.AggCall{Fn: count, Args: []int{0}, Filter: -1, Name: "d", T: bigint(false)})
	}
	a.fields = aggFields(a.in, nil, a.calls)
	right.exprs = identity(a).exprs
	if !col.Nullable {
		right.exprs = append(right.exprs, right.exprs[1])
	}
	for i, name := range []string{"m", "c", "d"} {
		right.fields = append(right.fields, value.Field{Name: name, Type: right.exprs[i].Type()})
	}
	j := &joinNode{left: in, right: right, typ: "inner"}
	for i, f := range in.fields {
		f.Type = in.exprs[i].Type()
		j.fields = append(j.fields, f)
	}
	j.fields = append(j.fields, right.fields...)
	w := len(in.exprs)
	m := &rex.InputRef{Index: w, T: right.fields[0].Type}
	c, d := &rex.InputRef{Index: w + 1, T: bigint(false)}, &rex.InputRef{Index: w + 2, T: bigint(false)}
	cmp := rex.Compare(op, x, m)
	e := &rex.Call{Op: rex.Case, T: rex.BoolType(true), Args: []rex.Expr{
		rex.Compare(rex.Eq, c, intLiteral(0)), rex.BoolLiteral(false),
		rex.IsOf(rex.IsTrue, cmp), rex.BoolLiteral(true),
		rex.Compare(rex.Gt, c, d), rex.NullLiteral(rex.BoolType(true)),
		cmp,
	}}
	if !x.Type().Nullable && !col.Nullable {
		return identity(j), &rex.Call{Op: rex.Cast, Args: []rex.Expr{e}, T: rex.BoolType(false)}
	}
	return identity(j), e
}

// singleValue demands one row of a scalar query: SINGLE_VALUE fails at a second.
func singleValue(rows *calc, keys []int, col int, name string) *calc {
	t := rows.exprs[col].Type().AsNullable()
	a := &aggNode{in: rows, keys: keys, calls: []rel.AggCall{{Fn: fn.AggregateOp("SINGLE_VALUE"), Args: []int{col}, Filter: -1, Name: name, T: t}}}
	a.fields = aggFields(rows, keys, a.calls)
	return identity(a)
}

// correlatedRows is a scalar query without an aggregate over the rows that belong to
// the outer row.
func (b *builder) correlatedRows(in *calc, n rel.Node) (*calc, rex.Expr) {
	b.unproven("EXPLAIN of a scalar sub-query of several rows in batch mode")
	rows, conds := b.correlated(n, false)
	if b.err != nil {
		return in, nil
	}
	if len(rows.exprs) != 1 || len(conds) == 0 {
		return b.fail(unsupported.New("a correlated scalar sub-query of this shape")), nil
	}
	pairs := b.pairsOf(conds)
	if b.err != nil {
		return in, nil
	}
	if s, ok := rows.in.(*scanNode); ok && len(s.table.PrimaryKey) > 0 {
		return b.fail(unsupported.New("a correlated scalar sub-query over a table with a primary key")), nil
	}
	below := pairColumns(rows, pairs)
	below.exprs = append(below.exprs, rows.exprs[0])
	below.fields = append(below.fields, rows.fields[0])
	right := singleValue(below, sequence(len(pairs)), len(pairs), "$f"+strconv.Itoa(len(pairs)))
	return leftJoin(in, right, pairCondition(in, right, pairs, 0), false)
}

// lateral joins a query that reads the left row by equalities of columns: of its rows,
// or of an aggregate over them, which is grouped by those columns.
func (b *builder) lateral(n *rel.Correlate) *calc {
	b.unproven("EXPLAIN of LATERAL in batch mode")
	l := copyCalc(b.build(n.In[0]))
	if b.err != nil {
		return l
	}
	var right *calc
	var pairs []outerPair
	var at int
	sub := n.In[1]
	counts := map[int]bool{}
	if a, ok := sub.(*rel.Aggregate); ok && len(a.Keys) == 0 && len(a.Sets) == 0 {
		rows, conds := b.correlated(a.In[0], false)
		if pairs = b.pairsOf(conds); b.err != nil {
			return l
		}
		below := pairColumns(rows, pairs)
		g := &aggNode{in: below, keys: sequence(len(pairs))}
		for i, call := range a.Calls {
			if call.Filter >= 0 || len(call.Collation) > 0 || call.Distinct {
				return b.fail(unsupported.New("this aggregate in LATERAL"))
			}
			counts[i] = call.Fn.Name == "COUNT"
			args := call.Args
			call.Args = nil
			for _, arg := range args {
				call.Args = append(call.Args, (&side{below}).column(rows.exprs[arg], rows.fields[arg].Name))
			}
			g.calls = append(g.calls, call)
		}
		g.fields = aggFields(below, g.keys, g.calls)
		right = identity(g)
	} else {
		rows, conds := b.correlated(sub, false)
		if pairs = b.pairsOf(conds); b.err != nil {
			return l
		}
		right = copyCalc(rows)
		right.projected = true
		at = len(right.exprs)
		schema := rows.in.schema()
		for _, p := range pairs {
			right.exprs = append(right.exprs, p.col)
			right.fields = append(right.fields, schema[p.col.Index])
			if p.col.T.Nullable {
				right.cond = append(right.cond, rex.IsOf(rex.IsNotNull, p.col))
			}
		}
	}
	if len(pairs) == 0 {
		return b.fail(unsupported.New("planning of %T", n))
	}
	w := len(l.exprs)
	j := &joinNode{left: l, right: right, typ: n.Type, cond: pairCondition(l, right, pairs, at)}
	for i, f := range l.fields {
		f.Type = l.exprs[i].Type()
		j.fields = append(j.fields, f)
	}
	for i, f := range right.fields {
		f.Type = right.exprs[i].Type()
		f.Type.Nullable = f.Type.Nullable || n.Type == "left"
		j.fields = append(j.fields, f)
	}
	out := &calc{in: j, projected: true, fields: n.Fields}
	for i := range n.Fields {
		from := i
		if i >= w && at == 0 {
			from += len(pairs)
		}
		e := rex.Expr(&rex.InputRef{Index: from, T: j.fields[from].Type})
		if i >= w && at == 0 && counts[i-w] && n.Type == "left" {
			e = &rex.Call{Op: rex.Case, Args: []rex.Expr{rex.IsOf(rex.IsNull, e), bigintLiteral(0), e}, T: n.Fields[i].Type}
		}
		out.exprs = append(out.exprs, e)
	}
	return out
}
