package plan

import (
	"slices"
	"strconv"

	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// subQueryFilter turns the sub-queries of a filter into joins (FlinkSubQueryRemoveRule
// and the decorrelation): IN and EXISTS into semi-joins, their negations into
// anti-joins, scalar queries into columns of an outer join below the filter.
func (b *builder) subQueryFilter(in *calc, cond rex.Expr) *calc {
	var plain, nested []rex.Expr
	for _, e := range rex.Conjunctions(cond) {
		if hasSubQuery(e) {
			nested = append(nested, e)
		} else {
			plain = append(plain, e)
		}
	}
	if len(nested) > 0 && len(plain) > 1 {
		plain = rex.Conjunctions(b.simplifyCondition(rex.AndOf(plain), false)) // RelBuilder.filter
	}
	out := andThen(in, plain)
	// Semi- and anti-joins come first (FlinkSubQueryRemoveRule), the rest above them.
	var rest []rex.Expr
	for _, e := range nested {
		anti := false
		x := e
		if c, ok := e.(*rex.Call); ok && c.Op == rex.Not {
			x, anti = c.Args[0], true
		}
		q, ok := x.(*rex.SubQuery)
		if !ok || q.Op != rex.In && q.Op != rex.Exists {
			rest = append(rest, e)
			continue
		}
		if out = b.semiJoin(out, q, anti); b.err != nil {
			return out
		}
	}
	for _, e := range rest {
		if out = b.scalarFilter(out, e); b.err != nil {
			return out
		}
	}
	return out
}

// side is an input of a join that is being made, with the columns it must offer.
type side struct{ calc *calc }

// column finds or adds an expression over the calc's operator as an output.
func (s *side) column(e rex.Expr, name string) int {
	for i, x := range s.calc.exprs {
		if rex.Equal(x, e) {
			return i
		}
	}
	s.calc.exprs = append(s.calc.exprs, e)
	s.calc.fields = append(s.calc.fields, value.Field{Name: name, Type: e.Type()})
	return len(s.calc.exprs) - 1
}

// pushed adds an expression over the outputs as an output of its own: a cast keeps its
// column's name with a 0 behind, others are called by their place.
func (s *side) pushed(e rex.Expr) int {
	if r, ok := e.(*rex.InputRef); ok {
		return r.Index
	}
	name := "$f" + strconv.Itoa(len(s.calc.exprs))
	if c, ok := e.(*rex.Call); ok && c.Op == rex.Cast {
		if r, ok := c.Args[0].(*rex.InputRef); ok {
			name = suffixed(s.calc.fields[r.Index].Name, s.calc.fields)
		}
	}
	s.calc.exprs = append(s.calc.exprs, rex.Substitute(e, s.calc.exprs))
	s.calc.fields = append(s.calc.fields, value.Field{Name: name, Type: e.Type()})
	return len(s.calc.exprs) - 1
}

func suffixed(name string, fields []value.Field) string {
	used := map[string]bool{}
	for _, f := range fields {
		used[f.Name] = true
	}
	out := name
	for i := 0; used[out]; i++ {
		out = name + strconv.Itoa(i)
	}
	return out
}

func copyCalc(c *calc) *calc {
	out := *c
	out.exprs = append([]rex.Expr(nil), c.exprs...)
	out.fields = append([]value.Field(nil), c.fields...)
	out.cond = append([]rex.Expr(nil), c.cond...)
	return &out
}

// correlated builds a sub-query whose filters refer to the outer row: they are taken
// out, and conds holds them over the operator's columns. drop leaves out projections.
func (b *builder) correlated(n rel.Node, drop bool) (c *calc, conds []rex.Expr) {
	switch n := n.(type) {
	case *rel.Filter:
		c, conds = b.correlated(n.In[0], drop)
		if b.err != nil {
			return c, nil
		}
		var plain []rex.Expr
		for _, e := range rex.Conjunctions(n.Cond) {
			if !hasCorrelVar(e) {
				plain = append(plain, e)
				continue
			}
			if hasSubQuery(e) {
				return b.fail(unsupported.New("a correlated sub-query in a sub-query")), nil
			}
			conds = append(conds, rex.Substitute(e, c.exprs))
		}
		if len(plain) > 0 {
			c = b.filter(c, rex.AndOf(plain))
		}
		return c, conds
	case *rel.Project:
		if !treeHasCorrelVar(n.In[0]) && !exprsHaveCorrelVar(n.Exprs) {
			break
		}
		if exprsHaveCorrelVar(n.Exprs) || hasOver(n.Exprs) {
			return b.fail(unsupported.New("a correlated projection")), nil
		}
		c, conds = b.correlated(n.In[0], drop)
		if b.err != nil {
			return c, nil
		}
		if drop {
			return c, conds
		}
		return b.compose(c, n.Exprs, n.Fields), conds
	}
	if treeHasCorrelVar(n) {
		return b.fail(unsupported.New("a correlated sub-query of this shape")), nil
	}
	return copyCalc(b.build(n)), nil
}

func hasCorrelVar(e rex.Expr) bool {
	found := false
	rex.Walk(e, func(x rex.Expr) bool {
		switch x := x.(type) {
		case *rex.CorrelVar:
			found = true
		case *rex.SubQuery:
			if n, ok := x.Rel.(rel.Node); ok && treeHasCorrelVar(n) {
				found = true
			}
		}
		return !found
	})
	return found
}

func exprsHaveCorrelVar(list []rex.Expr) bool {
	for _, e := range list {
		if hasCorrelVar(e) {
			return true
		}
	}
	return false
}

// treeHasCorrelVar tells whether any expression of a tree reads an outer row.
func treeHasCorrelVar(n rel.Node) bool { return len(freeVariables(n)) > 0 }

// freeVariables are the correlation variables that a tree reads and does not set itself.
func freeVariables(n rel.Node) map[int]bool {
	free := map[int]bool{}
	add := func(vars map[int]bool, but ...int) {
		for id := range vars {
			if !slices.Contains(but, id) {
				free[id] = true
			}
		}
	}
	for i, in := range n.Inputs() {
		if c, ok := n.(*rel.Correlate); ok && i == 1 {
			add(freeVariables(in), c.ID)
			continue
		}
		add(freeVariables(in))
	}
	switch x := n.(type) {
	case *rel.Filter:
		add(variablesOf(x.Cond), x.Variables...)
	case *rel.Project:
		add(variablesOf(x.Exprs...), x.Variables...)
	case *rel.Join:
		if x.Cond != nil {
			add(variablesOf(x.Cond), x.Variables...)
		}
	case *rel.TableFunction:
		add(variablesOf(x.Call))
	case *rel.Snapshot:
		add(variablesOf(x.Period))
	}
	return free
}

func variablesOf(exprs ...rex.Expr) map[int]bool {
	vars := map[int]bool{}
	for _, e := range exprs {
		rex.Walk(e, func(x rex.Expr) bool {
			switch x := x.(type) {
			case *rex.CorrelVar:
				vars[x.ID] = true
			case *rex.SubQuery:
				if n, ok := x.Rel.(rel.Node); ok {
					for id := range freeVariables(n) {
						vars[id] = true
					}
				}
			}
			return true
		})
	}
	return vars
}

// hasCorrelate: Flink leaves sub-queries with correlations in them to Calcite, which
// makes other joins of them.
func hasCorrelate(n rel.Node) bool {
	if _, ok := n.(*rel.Correlate); ok {
		return true
	}
	return slices.ContainsFunc(n.Inputs(), hasCorrelate)
}

// semiJoin makes a semi-join of IN or EXISTS, an anti-join of its negation.
func (b *builder) semiJoin(in *calc, q *rex.SubQuery, anti bool) *calc {
	sub, ok := q.Rel.(rel.Node)
	if !ok {
		return b.fail(unsupported.New("this sub-query"))
	}
	for _, a := range q.Args {
		if hasSubQuery(a) || hasCorrelVar(a) {
			return b.fail(unsupported.New("a sub-query as an operand of IN"))
		}
	}
	if hasCorrelate(sub) {
		return b.fail(unsupported.New("a sub-query over UNNEST"))
	}
	exists := q.Op == rex.Exists
	right, conds := b.correlated(sub, exists)
	if b.err != nil {
		return in
	}
	if exists && len(conds) == 0 {
		return b.existsAtAll(in, right, anti)
	}
	l, r := &side{copyCalc(in)}, &side{copyCalc(right)}
	w := len(in.exprs)
	if exists {
		// Only what the conditions read is left of the row.
		r.calc = &calc{in: right.in, cond: right.cond, projected: true}
	}
	var cond []rex.Expr
	type pair struct{ l, r int }
	var pairs []pair
	for i, a := range q.Args {
		x, y, ok := b.sameTypes(a, &rex.InputRef{Index: i, T: right.exprs[i].Type()})
		if !ok {
			return b.fail(unsupported.New("IN over other types"))
		}
		pairs = append(pairs, pair{l.pushed(x), r.pushed(y)})
	}
	// Correlated conditions read the outer row's columns and the sub-query's.
	schema := right.in.schema()
	leftRef := func(i int) rex.Expr { return &rex.InputRef{Index: i, T: l.calc.exprs[i].Type()} }
	if exists && plainConditions(conds) {
		for _, i := range union(nil, rex.Refs(conds...)) {
			r.column(&rex.InputRef{Index: i, T: schema[i].Type}, schema[i].Name)
		}
	}
	var made []func(w int) rex.Expr
	for _, e := range conds {
		made = append(made, b.correlatedCondition(e, l, r, schema, in))
		if b.err != nil {
			return in
		}
	}
	w2 := len(l.calc.exprs)
	for _, p := range pairs {
		x := leftRef(p.l)
		y := rex.Expr(&rex.InputRef{Index: w2 + p.r, T: r.calc.exprs[p.r].Type()})
		eq := rex.Compare(rex.Eq, x, y)
		if !anti {
			cond = append(cond, eq)
			continue
		}
		var alt []rex.Expr
		if x.Type().Nullable {
			alt = append(alt, rex.IsOf(rex.IsNull, x))
		}
		if y.Type().Nullable {
			alt = append(alt, rex.IsOf(rex.IsNull, y))
		}
		cond = append(cond, orOf(append(alt, eq)))
	}
	for _, f := range made {
		cond = append(cond, f(w2))
	}
	j := &joinNode{left: l.calc, right: r.calc, typ: "semi", cond: cond, keepCond: anti}
	if anti {
		j.typ = "anti"
	}
	j.fields = append([]value.Field(nil), l.calc.fields...)
	for i := range j.fields {
		j.fields[i].Type = l.calc.exprs[i].Type()
	}
	out := &calc{in: j}
	for i := range w {
		out.exprs = append(out.exprs, &rex.InputRef{Index: i, T: j.fields[i].Type})
		out.fields = append(out.fields, in.fields[i])
	}
	return out
}

// plainConditions: all conditions compare columns with columns of the outer row. What
// they read then stands in the order of the sub-query's own columns.
func plainConditions(conds []rex.Expr) bool {
	for _, e := range conds {
		c, ok := e.(*rex.Call)
		if !ok {
			return false
		}
		for _, a := range c.Args {
			switch a.(type) {
			case *rex.InputRef, *rex.Field:
			default:
				return false
			}
		}
	}
	return true
}

// correlatedCondition makes a join condition of one that reads the outer row; operands
// of equalities that are computed on one side become columns of it.
func (b *builder) correlatedCondition(e rex.Expr, l, r *side, schema []value.Field, outer *calc) func(w int) rex.Expr {
	var build func(e rex.Expr) func(int) rex.Expr
	onLeft := func(e rex.Expr) bool { return hasCorrelVar(e) && len(rex.Refs(e)) == 0 }
	onRight := func(e rex.Expr) bool { return !hasCorrelVar(e) && len(rex.Refs(e)) > 0 }
	toLeft := func(e rex.Expr) rex.Expr {
		return rex.Transform(e, func(x rex.Expr) rex.Expr {
			f, ok := x.(*rex.Field)
			if !ok {
				return x
			}
			if _, ok := f.X.(*rex.CorrelVar); !ok {
				return x
			}
			return &rex.InputRef{Index: f.Index, T: outer.exprs[f.Index].Type()}
		})
	}
	toRight := func(e rex.Expr) rex.Expr {
		return rex.Transform(e, func(x rex.Expr) rex.Expr {
			ref, ok := x.(*rex.InputRef)
			if !ok {
				return x
			}
			i := r.column(ref, schema[ref.Index].Name)
			return &rex.InputRef{Index: i, T: ref.T}
		})
	}
	shifted := func(x rex.Expr) func(int) rex.Expr { return func(w int) rex.Expr { return shift(x, w) } }
	build = func(e rex.Expr) func(int) rex.Expr {
		c, isCall := e.(*rex.Call)
		switch {
		case onLeft(e):
			x := toLeft(e)
			return func(int) rex.Expr { return x }
		case onRight(e):
			return shifted(toRight(e))
		case isCall:
			var args []func(int) rex.Expr
			for _, a := range c.Args {
				switch {
				case c.Op == rex.Eq && onLeft(a):
					i := l.pushed(toLeft(a))
					args = append(args, func(int) rex.Expr { return &rex.InputRef{Index: i, T: l.calc.exprs[i].Type()} })
				case c.Op == rex.Eq && onRight(a):
					i := r.pushed(toRight(a))
					args = append(args, func(w int) rex.Expr { return &rex.InputRef{Index: w + i, T: r.calc.exprs[i].Type()} })
				default:
					args = append(args, build(a))
				}
			}
			return func(w int) rex.Expr {
				n := *c
				n.Args = nil
				for _, a := range args {
					n.Args = append(n.Args, a(w))
				}
				return &n
			}
		}
		return func(int) rex.Expr { return e }
	}
	return build(e)
}

// sameTypes brings two operands of an equality to one type (JoinConditionTypeCoerceRule).
func (b *builder) sameTypes(x, y rex.Expr) (rex.Expr, rex.Expr, bool) {
	tx, ty := x.Type(), y.Type()
	if rex.SameTypeSansNullability(tx, ty) {
		return x, y, true
	}
	t, ok := fn.LeastRestrictive([]value.Type{tx, ty})
	if !ok {
		return x, y, false
	}
	to := func(e rex.Expr) rex.Expr {
		if rex.SameTypeSansNullability(e.Type(), t) {
			return e
		}
		c := t
		c.Nullable = e.Type().Nullable
		return &rex.Call{Op: rex.Cast, Args: []rex.Expr{e}, T: c}
	}
	return to(x), to(y), true
}

// existsAtAll is EXISTS without reference to the outer row: MIN(true) is not NULL if
// there is any row.
func (b *builder) existsAtAll(in, sub *calc, anti bool) *calc {
	rows := &calc{in: sub.in, cond: sub.cond, projected: true, exprs: []rex.Expr{rex.BoolLiteral(true)},
		fields: []value.Field{{Name: "i", Type: rex.BoolType(false)}}}
	a := &aggNode{in: rows, calls: []rel.AggCall{{Fn: fn.AggregateOp("MIN"), Args: []int{0}, Filter: -1, Name: "m", T: rex.BoolType(true)}}}
	a.fields = aggFields(rows, nil, a.calls)
	any := rex.IsOf(rex.IsNotNull, &rex.InputRef{Index: 0, T: rex.BoolType(true)})
	j := &joinNode{left: in, typ: "semi"}
	j.right = &calc{in: a, projected: true, cond: []rex.Expr{any}}
	if anti {
		j.typ = "anti"
		j.right = &calc{in: a, projected: true, exprs: []rex.Expr{any}, fields: []value.Field{{Name: "$f0", Type: rex.BoolType(false)}}}
		j.cond = []rex.Expr{&rex.InputRef{Index: len(in.exprs), T: rex.BoolType(false)}}
		j.keepCond = true
	}
	j.fields = append([]value.Field(nil), in.fields...)
	for i := range j.fields {
		j.fields[i].Type = in.exprs[i].Type()
	}
	return identity(j)
}
