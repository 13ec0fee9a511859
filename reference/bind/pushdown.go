package bind

import (
	"strconv"

	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

type joinNode struct {
	*rel.Join
	b *binder
}

// newJoin is RelBuilder.join: the condition is simplified.
func (b *binder) newJoin(left, right rel.Node, kind string, cond rex.Expr) joinNode {
	j := &rel.Join{Base: rel.Base{In: []rel.Node{left, right}, Fields: joinFields(left, right, kind)}, Type: kind}
	j.Cond = b.simplifyCondition(notDistinct(cond))
	return joinNode{j, b}
}

// pushed moves the computed sides of equalities below the join (Calcite's
// pushDownJoinConditions) and hides the columns that this adds.
func (j joinNode) pushed() rel.Node {
	if hasField(j.Cond) || hasSubquery(j.Cond) {
		return j.Join
	}
	left, right := j.In[0], j.In[1]
	p := &equalityPush{b: j.b, left: len(left.Schema()), right: len(right.Schema())}
	cond := p.push(j.Cond)
	if len(p.extraLeft) == 0 && len(p.extraRight) == 0 {
		j.Cond = cond
		return j.Join
	}
	l, r := p.withExtra(left, p.extraLeft, 0), p.withExtra(right, p.extraRight, p.left+len(p.extraLeft))
	join := &rel.Join{Base: rel.Base{In: []rel.Node{l, r}, Fields: joinFields(l, r, j.Type)}, Type: j.Type, Cond: cond}
	all := refs(join)
	keep := append([]rex.Expr(nil), all[:p.left]...)
	at := p.left + len(p.extraLeft)
	keep = append(keep, all[at:at+p.right]...)
	names := make([]string, len(keep))
	for i, e := range keep {
		names[i] = join.Fields[e.(*rex.InputRef).Index].Name
	}
	return newProject(join, keep, names)
}

type equalityPush struct {
	b                     *binder
	left, right           int
	extraLeft, extraRight []rex.Expr
}

func (p *equalityPush) withExtra(n rel.Node, extra []rex.Expr, shift int) rel.Node {
	if len(extra) == 0 {
		return n
	}
	es, names := refs(n), schemaNames(n)
	for _, e := range extra {
		es = append(es, mapRex(e, func(x rex.Expr) rex.Expr {
			if r, ok := x.(*rex.InputRef); ok {
				return &rex.InputRef{Index: r.Index - shift, T: r.T}
			}
			return nil
		}))
		name := inferAlias(n, es[len(es)-1], len(names))
		for j, base := 0, name; indexOf(names, name) >= 0; j++ {
			name = base + strconv.Itoa(j)
		}
		names = append(names, name)
	}
	return p.b.project(n, es, names, false)
}

// inferAlias names a computed column: a cast column keeps its name, others are $fi.
func inferAlias(n rel.Node, e rex.Expr, i int) string {
	for {
		c, ok := e.(*rex.Call)
		if !ok || c.Op != rex.Cast {
			break
		}
		e = c.Args[0]
	}
	if r, ok := e.(*rex.InputRef); ok {
		return n.Schema()[r.Index].Name
	}
	return "$f" + strconv.Itoa(i)
}

// push returns the condition over the widened row.
func (p *equalityPush) push(cond rex.Expr) rex.Expr {
	cond = notDistinct(cond)
	c, ok := cond.(*rex.Call)
	if !ok {
		return cond
	}
	switch c.Op {
	case rex.And:
		list := make([]rex.Expr, len(c.Args))
		copy(list, c.Args)
		for i := range list {
			list[i] = notDistinct(list[i])
			a, ok := list[i].(*rex.Call)
			if !ok || a.Op != rex.Eq && a.Op != rex.IsNotDistinctFrom {
				continue
			}
			before := p.left + len(p.extraLeft)
			e := p.push(list[i])
			if after := p.left + len(p.extraLeft); after != before {
				for k := range list {
					if k != i {
						list[k] = shiftFrom(list[k], before, after-before)
					}
				}
			}
			list[i] = e
		}
		return &rex.Call{Op: c.Op, Args: list, T: c.T}
	case rex.Eq, rex.IsNotDistinctFrom:
		pivot := p.left + len(p.extraLeft)
		ls, rs := sideOf(c.Args[0], pivot), sideOf(c.Args[1], pivot)
		if ls*rs != -1 {
			return cond
		}
		a := p.side(c.Args[0])
		after := p.left + len(p.extraLeft)
		second := shiftFrom(c.Args[1], pivot, after-pivot)
		b := p.side(second)
		if now := p.left + len(p.extraLeft); now != after {
			a = shiftFrom(a, after, now-after)
		}
		return &rex.Call{Op: c.Op, Args: []rex.Expr{a, b}, T: c.T}
	}
	return cond
}

// side registers one operand of an equality unless it is a column.
func (p *equalityPush) side(e rex.Expr) rex.Expr {
	switch e := e.(type) {
	case *rex.InputRef, *rex.Literal:
		return e
	case *rex.Call:
		switch e.Op {
		case rex.And, rex.Or, rex.Not, rex.Eq, rex.IsNotDistinctFrom:
			return e
		}
	}
	mid := p.left + len(p.extraLeft)
	if sideOf(e, mid) < 0 {
		for i := range p.extraRight {
			p.extraRight[i] = shiftFrom(p.extraRight[i], mid, 1)
		}
		p.extraLeft = append(p.extraLeft, e)
		return &rex.InputRef{Index: mid, T: e.Type()}
	}
	p.extraRight = append(p.extraRight, e)
	return &rex.InputRef{Index: mid + p.right + len(p.extraRight) - 1, T: e.Type()}
}

// sideOf is -1 where only left columns are read, 1 where only right ones, else 0.
func sideOf(e rex.Expr, mid int) int {
	l, r := false, false
	mapRex(e, func(x rex.Expr) rex.Expr {
		if ref, ok := x.(*rex.InputRef); ok {
			if ref.Index < mid {
				l = true
			} else {
				r = true
			}
		}
		return nil
	})
	switch {
	case l && !r:
		return -1
	case r && !l:
		return 1
	}
	return 0
}

func shiftFrom(e rex.Expr, from, by int) rex.Expr {
	if by == 0 {
		return e
	}
	return mapRex(e, func(x rex.Expr) rex.Expr {
		if r, ok := x.(*rex.InputRef); ok && r.Index >= from {
			return &rex.InputRef{Index: r.Index + by, T: r.T}
		}
		return nil
	})
}

func hasField(e rex.Expr) bool {
	found := false
	mapRex(e, func(x rex.Expr) rex.Expr {
		if _, ok := x.(*rex.Field); ok {
			found = true
		}
		return nil
	})
	return found
}

// notDistinct reads a = b OR a IS NULL AND b IS NULL, and the CASE that says the same,
// as IS NOT DISTINCT FROM.
func notDistinct(e rex.Expr) rex.Expr {
	null := func(e rex.Expr) rex.Expr {
		if c, ok := e.(*rex.Call); ok && c.Op == rex.IsNull {
			return c.Args[0]
		}
		return nil
	}
	c, ok := e.(*rex.Call)
	if !ok {
		return e
	}
	var eq *rex.Call
	var a, b rex.Expr
	switch {
	case c.Op == rex.Or && len(c.Args) == 2:
		x, ok1 := c.Args[0].(*rex.Call)
		y, ok2 := c.Args[1].(*rex.Call)
		if !ok1 || !ok2 {
			return e
		}
		if x.Op == rex.And && (y.Op == rex.Eq || y.Op == rex.IsTrue) {
			x, y = y, x
		}
		if x.Op == rex.IsTrue {
			if x, ok1 = x.Args[0].(*rex.Call); !ok1 {
				return e
			}
		}
		if y.Op != rex.And || len(y.Args) != 2 {
			return e
		}
		eq, a, b = x, null(y.Args[0]), null(y.Args[1])
	case c.Op == rex.Case && len(c.Args) == 5:
		eq, _ = c.Args[4].(*rex.Call)
		a, b = null(c.Args[0]), null(c.Args[1])
		if a == nil || b == nil || !sameExpr(c.Args[0], c.Args[3]) || !sameExpr(c.Args[1], c.Args[2]) {
			return e
		}
	}
	if eq == nil || eq.Op != rex.Eq || a == nil || b == nil {
		return e
	}
	x, y := removeNullabilityCast(eq.Args[0]), removeNullabilityCast(eq.Args[1])
	if sameExpr(a, x) && sameExpr(b, y) || sameExpr(b, x) && sameExpr(a, y) {
		return &rex.Call{Op: rex.IsNotDistinctFrom, Args: []rex.Expr{a, b}, T: value.Type{Kind: value.KindBoolean}}
	}
	return e
}

func sameExpr(a, b rex.Expr) bool { return rex.Digest(a) == rex.Digest(b) }
