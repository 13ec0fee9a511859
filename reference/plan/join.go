package plan

import (
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

func (b *builder) join(n *rel.Join) *calc {
	l, r := b.build(n.In[0]), b.build(n.In[1])
	if b.err != nil {
		return l
	}
	j := &joinNode{left: l, right: r, typ: n.Type, cond: rex.Conjunctions(n.Cond), fields: n.Fields}
	return identity(j)
}

// sides tells which columns a condition reads, left or right of width.
func sides(e rex.Expr, width int) (left, right bool) {
	for _, r := range rex.Refs(e) {
		if r < width {
			left = true
		} else {
			right = true
		}
	}
	return
}

// intoJoin pushes a filter above a join into it and its inputs, and the join's own
// one-sided conditions into the inputs: FlinkFilterJoinRule.
func (b *builder) intoJoin(n *joinNode, conj []rex.Expr) []rex.Expr {
	w := len(n.left.exprs)
	b.simplifyOuter(n, conj)
	var rest, left, right []rex.Expr
	shift := func(e rex.Expr) rex.Expr { return rex.Renumber(e, func(i int) int { return i - w }) }
	for _, e := range conj {
		l, r := sides(e, w)
		switch {
		case l && !r && (n.typ == "inner" || n.typ == "left" || n.typ == "semi" || n.typ == "anti"):
			left = append(left, e)
		case r && !l && (n.typ == "inner" || n.typ == "right"):
			right = append(right, shift(e))
		case n.typ == "inner":
			n.cond = append(n.cond, e)
		default:
			rest = append(rest, e)
		}
	}
	n.left = andThen(n.left, left)
	n.right = andThen(n.right, right)
	return rest
}

// simplifyOuter makes an outer join less outer where a filter above it is never true
// for the rows that it pads with NULL (RelOptUtil.simplifyJoin).
func (b *builder) simplifyOuter(n *joinNode, conj []rex.Expr) {
	w := len(n.left.exprs)
	for _, e := range conj {
		if (n.typ == "right" || n.typ == "full") && notTrueOfNull(e, func(i int) bool { return i < w }) && b.staysNullable(n.left) {
			n.typ = map[string]string{"right": "inner", "full": "left"}[n.typ]
		}
		if (n.typ == "left" || n.typ == "full") && notTrueOfNull(e, func(i int) bool { return i >= w }) && b.staysNullable(n.right) {
			n.typ = map[string]string{"left": "inner", "full": "right"}[n.typ]
		}
	}
}

// staysNullable refuses what would add casts to nullable types above the join.
func (b *builder) staysNullable(side *calc) bool {
	for _, e := range side.exprs {
		if !e.Type().Nullable {
			b.fail(unsupported.New("a filter that makes an outer join inner over NOT NULL columns"))
			return false
		}
	}
	return true
}

// notTrueOfNull tells whether a predicate cannot be true when the given columns are
// NULL (Calcite's Strong.isNotTrue).
func notTrueOfNull(e rex.Expr, isNull func(int) bool) bool {
	c, ok := e.(*rex.Call)
	if !ok {
		return nullOfNull(e, isNull)
	}
	switch c.Op {
	case rex.And:
		for _, a := range c.Args {
			if notTrueOfNull(a, isNull) {
				return true
			}
		}
		return false
	case rex.Or:
		for _, a := range c.Args {
			if !notTrueOfNull(a, isNull) {
				return false
			}
		}
		return true
	case rex.IsNotNull:
		return nullOfNull(c.Args[0], isNull)
	case rex.IsTrue:
		return notTrueOfNull(c.Args[0], isNull)
	}
	return nullOfNull(e, isNull)
}

// nullOfNull tells whether an expression is NULL when the given columns are: Calcite's
// policy ANY of comparisons, arithmetic, NOT, LIKE and casts.
func nullOfNull(e rex.Expr, isNull func(int) bool) bool {
	switch e := e.(type) {
	case *rex.InputRef:
		return isNull(e.Index)
	case *rex.Literal:
		return e.V.IsNull()
	case *rex.Call:
		switch e.Op {
		case rex.Eq, rex.Ne, rex.Lt, rex.Le, rex.Gt, rex.Ge,
			rex.Plus, rex.Minus, rex.Times, rex.Divide, rex.Not, rex.Cast, rex.Like:
			for _, a := range e.Args {
				if nullOfNull(a, isNull) {
					return true
				}
			}
		case rex.Search:
			s, ok := e.Args[1].(*rex.Sarg)
			return ok && s.NullAs != "TRUE" && nullOfNull(e.Args[0], isNull)
		}
	}
	return false
}

// ownConditions simplifies the join's condition and moves its one-sided parts into the
// inputs, where that changes nothing: not from the side that an outer join keeps.
func (b *builder) ownConditions(n *joinNode) {
	w := len(n.left.exprs)
	if len(n.cond) == 0 {
		return
	}
	cond := collapseNotDistinct(b.simplifyCondition(rex.AndOf(n.cond), false))
	if l, ok := cond.(*rex.Literal); ok && !rex.IsLiteralTrue(l) {
		b.fail(unsupported.New("a join condition that never holds"))
		return
	}
	n.cond = nil
	var left, right []rex.Expr
	for _, e := range rex.Conjunctions(cond) {
		l, r := sides(e, w)
		switch {
		case !rex.Deterministic(e):
			n.cond = append(n.cond, e)
		case l && !r && (n.typ == "inner" || n.typ == "right" || n.typ == "semi"):
			left = append(left, e)
		case r && !l && n.typ != "right" && n.typ != "full":
			right = append(right, rex.Renumber(e, func(i int) int { return i - w }))
		default:
			n.cond = append(n.cond, e)
		}
	}
	n.left = andThen(n.left, left)
	n.right = andThen(n.right, right)
}

// collapseNotDistinct finds the long form of IS NOT DISTINCT FROM in a join condition:
// OR(AND(IS NULL(a), IS NULL(b)), =(a, b)).
func collapseNotDistinct(e rex.Expr) rex.Expr {
	return rex.Transform(e, func(x rex.Expr) rex.Expr {
		or, ok := x.(*rex.Call)
		if !ok || or.Op != rex.Or || len(or.Args) != 2 {
			return x
		}
		and, ok1 := or.Args[0].(*rex.Call)
		eq, ok2 := or.Args[1].(*rex.Call)
		if !ok1 || !ok2 || and.Op != rex.And || eq.Op != rex.Eq || len(and.Args) != 2 {
			return x
		}
		for i, a := range and.Args {
			c, ok := a.(*rex.Call)
			if !ok || c.Op != rex.IsNull || !rex.Equal(c.Args[0], eq.Args[i]) {
				return x
			}
		}
		return &rex.Call{Op: rex.IsNotDistinctFrom, Args: eq.Args, T: rex.BoolType(false)}
	})
}

// coalesceKeys: COALESCE over the two columns of an equi-join, as JOIN USING writes it,
// is the column of the side that always has a value (SimplifyCoalesceWithEquiJoin).
func (n *joinNode) coalesceKeys(c *calc) {
	w := len(n.left.exprs)
	if n.typ != "inner" && n.typ != "left" && n.typ != "right" {
		return
	}
	pair := map[int]int{}
	for _, e := range n.cond {
		x, ok := e.(*rex.Call)
		if !ok || x.Op != rex.Eq {
			continue
		}
		a, okA := x.Args[0].(*rex.InputRef)
		b, okB := x.Args[1].(*rex.InputRef)
		if okA && okB && (a.Index < w) != (b.Index < w) {
			pair[a.Index], pair[b.Index] = b.Index, a.Index
		}
	}
	for i, e := range c.exprs {
		c.exprs[i] = rex.Transform(e, func(x rex.Expr) rex.Expr {
			call, ok := x.(*rex.Call)
			if !ok || call.Op.Name != "COALESCE" || len(call.Args) != 2 {
				return x
			}
			a, okA := call.Args[0].(*rex.InputRef)
			b, okB := call.Args[1].(*rex.InputRef)
			if !okA || !okB {
				return x
			}
			if to, ok := pair[a.Index]; !ok || to != b.Index || !rex.SameType(a.T.AsNullable(), b.T.AsNullable()) {
				return x
			}
			keep := a
			if n.typ == "left" && a.Index >= w || n.typ == "right" && a.Index < w {
				keep = b
			}
			if !rex.SameType(keep.T, call.T) {
				return x
			}
			return keep
		})
	}
}

// andThen adds conditions over a calc's outputs to it.
func andThen(c *calc, conj []rex.Expr) *calc {
	if len(conj) == 0 {
		return c
	}
	out := *c
	out.cond = append([]rex.Expr(nil), c.cond...)
	for _, e := range conj {
		out.cond = append(out.cond, rex.Substitute(e, c.exprs))
	}
	return &out
}

func (b *builder) pruneJoin(c *calc, n *joinNode, refs []int) {
	w := len(n.left.exprs)
	used := map[int]bool{}
	for _, r := range refs {
		used[r] = true
	}
	for _, r := range rex.Refs(n.cond...) {
		used[r] = true
	}
	var wantL, wantR []int
	to := map[int]int{}
	for i := range w {
		if used[i] {
			to[i] = len(wantL)
			wantL = append(wantL, i)
		}
	}
	for i := range n.right.exprs {
		if used[w+i] {
			to[w+i] = len(wantL) + len(wantR)
			wantR = append(wantR, i)
		}
	}
	n.left, n.right = n.left.keepOutputs(wantL), n.right.keepOutputs(wantR)
	f := func(i int) int { return to[i] }
	for i, e := range n.cond {
		n.cond[i] = rex.Renumber(e, f)
	}
	var fields []value.Field
	if n.typ == "semi" || n.typ == "anti" {
		for _, i := range wantL {
			fields = append(fields, n.fields[i])
		}
	} else {
		for i := range n.fields {
			if used[i] {
				fields = append(fields, n.fields[i])
			}
		}
	}
	n.fields = fields
	c.renumber(to)
	b.pruneColumns(n.left)
	b.pruneColumns(n.right)
}

var joinTypes = map[string]string{"inner": "InnerJoin", "left": "LeftOuterJoin", "right": "RightOuterJoin",
	"full": "FullOuterJoin", "semi": "LeftSemiJoin", "anti": "LeftAntiJoin"}

// equiKeys splits a join condition: column = column of the two sides, and the rest.
func equiKeys(cond []rex.Expr, w int) (left, right []int, filterNulls []bool, rest []rex.Expr) {
	for _, e := range cond {
		c, ok := e.(*rex.Call)
		if ok && (c.Op == rex.Eq || c.Op == rex.IsNotDistinctFrom) {
			a, okA := c.Args[0].(*rex.InputRef)
			b, okB := c.Args[1].(*rex.InputRef)
			if okA && okB && (a.Index < w) != (b.Index < w) {
				if a.Index >= w {
					a, b = b, a
				}
				left = append(left, a.Index)
				right = append(right, b.Index-w)
				filterNulls = append(filterNulls, c.Op == rex.Eq)
				continue
			}
		}
		rest = append(rest, e)
	}
	return
}

func (p *physical) join(n *joinNode) phys.Node {
	l, r := p.calc(n.left), p.calc(n.right)
	if p.err != nil {
		return l
	}
	w := len(l.Schema())
	bounds, interval := findWindowBounds(n.cond, w)
	if p.cfg.Batch || n.typ == "semi" || n.typ == "anti" {
		interval = false
	}
	windows := windowPairs(n.cond, windowsOf(l), windowsOf(r), w)
	if p.cfg.Batch {
		windows = nil
	}
	if !interval && windows == nil {
		l, r = p.materialize(l, anyTime), p.materialize(r, anyTime)
	}
	j := &phys.Join{Kind: "Join", JoinType: joinTypes[n.typ]}
	var rest []rex.Expr
	j.LeftKeys, j.RightKeys, j.FilterNulls, rest = equiKeys(n.cond, w)
	in := append(append([]value.Field(nil), l.Schema()...), r.Schema()...)
	if len(rest) > 0 {
		j.NonEqui = p.plainJoin(rex.AndOf(rest), in)
	}
	if len(n.cond) > 0 {
		j.Cond = p.plainJoin(rex.AndOf(n.cond), in)
	}
	names := phys.JoinNames(names(l.Schema()), names(r.Schema()))
	for i, f := range n.fields {
		t := f.Type
		t.Time = in[i].Type.Time
		j.Fields = append(j.Fields, value.Field{Name: names[i], Type: t})
	}
	if p.cfg.Batch {
		return p.batchJoin(n, j, l, r)
	}
	if windows != nil {
		return p.windowJoin(n, j, windows, l, r, in)
	}
	if interval {
		return p.intervalJoin(n, j, bounds, l, r)
	}
	j.In = []phys.Node{distribute(l, j.LeftKeys), distribute(r, j.RightKeys)}
	j.LeftSpec, j.LeftUnique = inputSpec(l, j.LeftKeys)
	j.RightSpec, j.RightUnique = inputSpec(r, j.RightKeys)
	return j
}

// plainJoin gives the references of a join condition the types of the inputs.
func (p *physical) plainJoin(e rex.Expr, in []value.Field) rex.Expr {
	return rex.Transform(e, func(x rex.Expr) rex.Expr {
		if r, ok := x.(*rex.InputRef); ok && r.T.Time != in[r.Index].Type.Time {
			n := *r
			n.T.Time = in[r.Index].Type.Time
			return &n
		}
		return x
	})
}

func names(fields []value.Field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.Name
	}
	return out
}

// inputSpec is JoinInputSideSpec: how far a unique key of the input determines rows.
func inputSpec(in phys.Node, joinKeys []int) (string, []int) {
	keys := uniqueKeys(in)
	if len(keys) == 0 {
		return "NoUniqueKey", nil
	}
	for _, k := range keys {
		if subset(k, joinKeys) {
			return "JoinKeyContainsUniqueKey", k
		}
	}
	best := keys[0]
	for _, k := range keys[1:] {
		if len(k) < len(best) {
			best = k
		}
	}
	return "HasUniqueKey", best
}

func subset(a, b []int) bool {
	for _, x := range a {
		found := false
		for _, y := range b {
			found = found || x == y
		}
		if !found {
			return false
		}
	}
	return true
}
