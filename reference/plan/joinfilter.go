package plan

import (
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// intoJoin takes the conditions above a join: conditions that reject NULLs make outer
// joins inner ones, one-sided conditions go into the inputs, the others into an inner
// join (FlinkFilterJoinRule). What is left is returned.
func (b *builder) intoJoin(n *joinNode, conj []rex.Expr) []rex.Expr {
	w := len(n.left.exprs)
	if n.strengthen(conj, w) {
		conj = n.retyped(conj)
	}
	var rest []rex.Expr
	for _, e := range conj {
		l, r := sides(e, w)
		switch {
		case l && !r && n.typ != "right" && n.typ != "full":
			n.pushL = append(n.pushL, e)
		case r && !l && (n.typ == "inner" || n.typ == "right"):
			n.pushR = append(n.pushR, shift(e, -w))
		case n.typ == "inner" && rex.Deterministic(e):
			n.cond = append(n.cond, e)
		default:
			rest = append(rest, e)
		}
	}
	return rest
}

func shift(e rex.Expr, by int) rex.Expr {
	return rex.Renumber(e, func(i int) int { return i + by })
}

// strengthen is RelOptUtil.simplifyJoin.
func (n *joinNode) strengthen(conj []rex.Expr, w int) bool {
	if n.typ != "left" && n.typ != "right" && n.typ != "full" {
		return false
	}
	left := func(i int) bool { return i < w }
	right := func(i int) bool { return i >= w }
	var noNullLeft, noNullRight bool
	for _, e := range conj {
		noNullLeft = noNullLeft || notTrueOnNull(e, left)
		noNullRight = noNullRight || notTrueOnNull(e, right)
	}
	noNullLeft = noNullLeft && n.typ != "left"
	noNullRight = noNullRight && n.typ != "right"
	switch {
	case n.typ == "full" && noNullLeft && noNullRight:
		n.typ = "inner"
	case n.typ == "full" && noNullLeft:
		n.typ = "left"
	case n.typ == "full" && noNullRight:
		n.typ = "right"
	case n.typ == "left" && noNullRight, n.typ == "right" && noNullLeft:
		n.typ = "inner"
	default:
		return false
	}
	return true
}

// notTrueOnNull: the condition cannot hold if all columns of a side are NULL (Calcite's
// Strong).
func notTrueOnNull(e rex.Expr, side func(int) bool) bool {
	c, ok := e.(*rex.Call)
	if !ok {
		return nullOnNull(e, side)
	}
	switch c.Op {
	case rex.And:
		for _, a := range c.Args {
			if notTrueOnNull(a, side) {
				return true
			}
		}
		return false
	case rex.Or:
		for _, a := range c.Args {
			if !notTrueOnNull(a, side) {
				return false
			}
		}
		return true
	case rex.IsNotNull:
		return nullOnNull(c.Args[0], side)
	case rex.IsTrue:
		return notTrueOnNull(c.Args[0], side)
	case rex.Search:
		return false // Strong does not look into it
	}
	return nullOnNull(e, side)
}

// nullOnNull: the value is NULL if all columns of a side are.
func nullOnNull(e rex.Expr, side func(int) bool) bool {
	switch e := e.(type) {
	case *rex.InputRef:
		return side(e.Index)
	case *rex.Literal:
		return e.V.IsNull()
	case *rex.Call:
		switch e.Op {
		case rex.Eq, rex.Ne, rex.Lt, rex.Le, rex.Gt, rex.Ge, rex.Plus, rex.Minus, rex.Times, rex.Divide,
			rex.UnaryMinus, rex.Cast, rex.Like, rex.Not:
			for _, a := range e.Args {
				if nullOnNull(a, side) {
					return true
				}
			}
		case rex.And, rex.Or:
			for _, a := range e.Args {
				if !nullOnNull(a, side) {
					return false
				}
			}
			return true
		}
	}
	return false
}

// ownConditions simplifies the join's condition and moves its one-sided parts into the
// inputs, where that changes nothing: not from the side that an outer join keeps.
func (b *builder) ownConditions(n *joinNode) {
	w := len(n.left.exprs)
	if len(n.cond) > 0 && !n.keepCond {
		cond := b.joinCondition(n.cond)
		if l, ok := cond.(*rex.Literal); ok && !rex.IsLiteralTrue(l) {
			n.neverHolds(l)
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
				right = append(right, shift(e, -w))
			default:
				n.cond = append(n.cond, e)
			}
		}
		n.pushL = append(left, n.pushL...)
		n.pushR = append(right, n.pushR...)
		n.deriveFromOr(w)
	}
	if n.typ == "inner" || n.typ == "left" || n.typ == "right" {
		n.transfer(w)
	}
	n.left = andThen(n.left, n.pushL)
	n.right = andThen(n.right, n.pushR)
	n.pushL, n.pushR = nil, nil
	b.fixedKeys(n, w)
}

// neverHolds empties the sides of which no row comes out; FULL keeps both, and its FALSE.
func (n *joinNode) neverHolds(no *rex.Literal) {
	n.cond, n.pushL, n.pushR = nil, nil, nil
	switch n.typ {
	case "full":
		n.cond = []rex.Expr{no}
	case "right":
		n.left = emptyValues(n.left.fields)
	default:
		n.right = emptyValues(n.right.fields)
	}
}

// joinCondition simplifies all but IS NOT DISTINCT FROM, which makes join keys and stays
// in its place.
func (b *builder) joinCondition(cond []rex.Expr) rex.Expr {
	var keys, rest, last []rex.Expr
	for _, e := range cond {
		e = collapseNotDistinct(e)
		if c, ok := e.(*rex.Call); ok && c.Op == rex.IsNotDistinctFrom {
			if len(rest) > 0 {
				last = append(last, e)
			} else {
				keys = append(keys, e)
			}
			continue
		}
		if len(last) > 0 {
			b.doubtText("IS NOT DISTINCT FROM between other join conditions")
		}
		rest = append(rest, e)
	}
	if len(rest) == 0 {
		return rex.AndOf(keys)
	}
	s := collapseNotDistinct(b.simplifyCondition(rex.AndOf(rest), false))
	if len(keys)+len(last) == 0 {
		return s
	}
	if !rex.IsLiteralTrue(s) {
		keys = append(keys, rex.Conjunctions(s)...)
	}
	return rex.AndOf(append(keys, last...))
}

// deriveFromOr: if every alternative of an OR says something about one side alone, that
// holds for the side by itself (JoinDependentConditionDerivationRule).
func (n *joinNode) deriveFromOr(w int) {
	if n.typ != "inner" {
		return
	}
	for _, e := range n.cond {
		or, ok := e.(*rex.Call)
		if !ok || or.Op != rex.Or {
			continue
		}
		var left, right []rex.Expr
		for _, alt := range or.Args {
			var l, r []rex.Expr
			for _, t := range rex.Conjunctions(alt) {
				switch a, b := sides(t, w); {
				case a && !b:
					l = append(l, t)
				case b && !a:
					r = append(r, shift(t, -w))
				}
			}
			if len(l) > 0 {
				left = append(left, rex.AndOf(l))
			}
			if len(r) > 0 {
				right = append(right, rex.AndOf(r))
			}
		}
		if len(left) == len(or.Args) {
			n.pushL = append(n.pushL, orOf(left))
		}
		if len(right) == len(or.Args) {
			n.pushR = append(n.pushR, orOf(right))
		}
	}
}

func orOf(list []rex.Expr) rex.Expr {
	if len(list) == 1 {
		return list[0]
	}
	nullable := false
	for _, e := range list {
		nullable = nullable || e.Type().Nullable
	}
	return &rex.Call{Op: rex.Or, Args: list, T: rex.BoolType(nullable)}
}

// transfer gives conditions on join keys alone to the other side: where a = b and
// a > 3, b > 3 holds as well. An outer join passes them from the kept side only.
func (n *joinNode) transfer(w int) {
	lk, rk, _, _ := equiKeys(n.cond, w)
	toRight, toLeft := map[int]int{}, map[int]int{}
	for i := range lk {
		toRight[lk[i]], toLeft[rk[i]] = rk[i], lk[i]
	}
	move := func(list []rex.Expr, to map[int]int, target *calc) []rex.Expr {
		var out []rex.Expr
		for _, e := range list {
			refs := rex.Refs(e)
			ok := len(refs) > 0 && rex.Deterministic(e)
			if c, call := e.(*rex.Call); call && c.Op == rex.Search && n.typ != "inner" {
				ok = false // Calcite's Strong, which outer joins ask, does not look into it
			}
			for _, r := range refs {
				if _, key := to[r]; !key {
					ok = false
				}
			}
			if !ok {
				continue
			}
			out = append(out, rex.Transform(e, func(x rex.Expr) rex.Expr {
				if r, ok := x.(*rex.InputRef); ok {
					i := to[r.Index]
					return &rex.InputRef{Index: i, T: target.exprs[i].Type()}
				}
				return x
			}))
		}
		return out
	}
	var right, left []rex.Expr
	if n.typ == "inner" || n.typ == "left" {
		right = move(n.pushL, toRight, n.right)
	}
	if n.typ == "inner" || n.typ == "right" {
		left = move(n.pushR, toLeft, n.left)
	}
	n.pushR = append(n.pushR, right...)
	n.pushL = append(n.pushL, left...)
}

// fixedKeys drops an equality of two columns that the inputs fix to the same value.
func (b *builder) fixedKeys(n *joinNode, w int) {
	l, r := fixedColumns(n.left), fixedColumns(n.right)
	if len(l)+len(r) == 0 {
		return
	}
	var cond []rex.Expr
	for _, e := range n.cond {
		c, ok := e.(*rex.Call)
		if ok && c.Op == rex.Eq {
			x, okX := c.Args[0].(*rex.InputRef)
			y, okY := c.Args[1].(*rex.InputRef)
			if okX && okY && (x.Index < w) != (y.Index < w) {
				if x.Index >= w {
					x, y = y, x
				}
				a, okA := l[x.Index]
				d, okD := r[y.Index-w]
				if okA && okD && rex.Digest(a) == rex.Digest(d) {
					continue
				}
				if okA != okD && (n.typ == "inner" || okA) {
					cond = append(cond, e)
					continue
				}
			}
		}
		for _, i := range rex.Refs(e) {
			_, a := l[i]
			_, d := r[i-w]
			if i < w && a || i >= w && d {
				b.fail(unsupported.New("a join condition over columns that a filter fixes"))
				return
			}
		}
		cond = append(cond, e)
	}
	n.cond = cond
}

// fixedColumns are a calc's outputs that its own filter fixes to a constant.
func fixedColumns(c *calc) map[int]*rex.Literal {
	consts := constants(c.cond)
	if len(consts) == 0 {
		return nil
	}
	out := map[int]*rex.Literal{}
	for i, e := range c.exprs {
		if _, ref := e.(*rex.InputRef); !ref {
			continue
		}
		if l, ok := consts[rex.Key(e)]; ok && !l.V.IsNull() {
			out[i] = l
		}
	}
	return out
}

// fixedOutputs are constants among a join's columns, for the projections above it.
func (n *joinNode) fixedOutputs() map[string]*rex.Literal {
	out := map[string]*rex.Literal{}
	w := len(n.left.exprs)
	put := func(i int, l *rex.Literal) {
		out[rex.Key(&rex.InputRef{Index: i, T: n.fields[i].Type})] = l
	}
	deep := func(c *calc) map[int]*rex.Literal {
		f := fixedColumns(c)
		if j, ok := c.in.(*joinNode); ok {
			below := j.fixedOutputs()
			for i, e := range c.exprs {
				if l, ok := below[rex.Key(e)]; ok {
					if f == nil {
						f = map[int]*rex.Literal{}
					}
					f[i] = l
				}
			}
		}
		return f
	}
	if n.typ != "right" && n.typ != "full" {
		for i, l := range deep(n.left) {
			put(i, l)
		}
	}
	if n.typ == "inner" || n.typ == "right" {
		for i, l := range deep(n.right) {
			put(w+i, l)
		}
	}
	return out
}
