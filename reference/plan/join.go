package plan

import (
	"github.com/labgrade/labgrade/reference/flinkerr"
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
	j := &joinNode{left: l, right: r, typ: n.Type, cond: rex.Conjunctions(n.Cond), fields: n.Fields, hints: n.Strategies, ttl: n.TTL}
	j.keepCond = n.Type == "anti"
	j.single = rex.IsLiteralTrue(n.Cond) && oneRow(n.In[1])
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
	if x := b.withoutJoin(c, n, refs); x != nil {
		*c = *x
		b.pruneColumns(c)
		return
	}
	used := map[int]bool{}
	for _, r := range refs {
		used[r] = true
	}
	for _, r := range rex.Refs(n.cond...) {
		used[r] = true
	}
	var wantL, wantR []int
	to := map[int]int{}
	// A side of which nothing is read gives its first column.
	keepOne := func(from, n int) {
		for i := range n {
			if used[from+i] {
				return
			}
		}
		used[from] = true
	}
	keepOne(0, w)
	if n.typ != "semi" && n.typ != "anti" {
		keepOne(w, len(n.right.exprs))
	}
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
		if x, y, ok := nullSafeEquality(e); ok && (x.Index < w) != (y.Index < w) {
			if x.Index >= w {
				x, y = y, x
			}
			left = append(left, x.Index)
			right = append(right, y.Index-w)
			filterNulls = append(filterNulls, false)
			continue
		}
		rest = append(rest, e)
	}
	return
}

// nullSafeEquality reads OR(=(a, b), AND(IS NULL(a), IS NULL(b))).
func nullSafeEquality(e rex.Expr) (a, b *rex.InputRef, ok bool) {
	or, ok := e.(*rex.Call)
	if !ok || or.Op != rex.Or || len(or.Args) != 2 {
		return nil, nil, false
	}
	eq, ok1 := or.Args[0].(*rex.Call)
	and, ok2 := or.Args[1].(*rex.Call)
	if !ok1 || !ok2 || eq.Op != rex.Eq || and.Op != rex.And || len(and.Args) != 2 {
		return nil, nil, false
	}
	a, ok1 = eq.Args[0].(*rex.InputRef)
	b, ok2 = eq.Args[1].(*rex.InputRef)
	if !ok1 || !ok2 {
		return nil, nil, false
	}
	for i, x := range and.Args {
		c, ok := x.(*rex.Call)
		if !ok || c.Op != rex.IsNull || !rex.Equal(c.Args[0], eq.Args[i]) {
			return nil, nil, false
		}
	}
	return a, b, true
}

func (p *physical) join(n *joinNode) phys.Node {
	if p.cfg.Batch {
		return p.batchJoin(n, need{}).node
	}
	l, r := p.calc(n.left), p.calc(n.right)
	if p.err != nil {
		return l
	}
	w := len(l.Schema())
	bounds, interval, err := findWindowBounds(n.cond, w)
	if err != nil {
		return p.fail(err)
	}
	if n.typ == "semi" || n.typ == "anti" {
		interval = false
	}
	windows := windowPairs(n.cond, windowsOf(l), windowsOf(r), w)
	if !interval && windows == nil {
		l, r = p.materialize(l, anyTime), p.materialize(r, anyTime)
	}
	j := p.joinModel(n, l, r)
	if windows != nil {
		in := append(append([]value.Field(nil), l.Schema()...), r.Schema()...)
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

// joinModel is what all forms of a join have in common: type, keys, condition, columns.
func (p *physical) joinModel(n *joinNode, l, r phys.Node) *phys.Join {
	j := &phys.Join{Kind: "Join", JoinType: joinTypes[n.typ]}
	var rest []rex.Expr
	j.LeftKeys, j.RightKeys, j.FilterNulls, rest = equiKeys(n.cond, len(l.Schema()))
	in := append(append([]value.Field(nil), l.Schema()...), r.Schema()...)
	p.checkKeyTypes(j, l, r)
	if len(rest) > 0 {
		j.NonEqui = p.plainJoin(rex.AndOf(rest), in)
	}
	if len(n.cond) > 0 {
		j.Cond = p.plainJoin(rex.AndOf(n.cond), in)
	}
	j.Hints, j.TTL = strategyText(n.hints), n.ttl
	names := phys.JoinNames(names(l.Schema()), names(r.Schema()))
	for i, f := range n.fields {
		t := f.Type
		t.Time = in[i].Type.Time
		j.Fields = append(j.Fields, value.Field{Name: names[i], Type: t})
	}
	return j
}

// checkKeyTypes is JoinUtil's: IS NOT DISTINCT FROM does not bring both sides to one type, as = does.
func (p *physical) checkKeyTypes(j *phys.Join, l, r phys.Node) {
	for i, k := range j.LeftKeys {
		a, b := l.Schema()[k], r.Schema()[j.RightKeys[i]]
		if a.Type.Kind == b.Type.Kind || !a.Type.IsNumeric() || !b.Type.IsNumeric() {
			continue
		}
		if len(j.LeftKeys) > 1 || !a.Type.Nullable || !b.Type.Nullable {
			p.fail(unsupported.New("a join whose keys have different types"))
			return
		}
		p.fail(flinkerr.Table("Join: Equality join predicate on incompatible types. \tLeft type: ROW<`%s` %s>\n\tright type: ROW<`%s` %s>\nplease re-check the join statement.",
			a.Name, a.Type, b.Name, b.Type))
		return
	}
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
	keys := upsertKeys(in)
	// Without a column there is no key, not even that of a single row.
	if len(keys) == 0 || len(in.Schema()) == 0 {
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

// oneRow: an aggregate without groups.
func oneRow(n rel.Node) bool {
	switch n := n.(type) {
	case *rel.Aggregate:
		return len(n.Keys) == 0 && len(n.Sets) == 0
	case *rel.Project, *rel.Filter:
		return oneRow(n.Inputs()[0])
	}
	return false
}
