package plan

import (
	"slices"
	"strconv"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// pushComputed moves the computed sides of a join's equalities into its inputs, as columns
// behind their own (JoinPushExpressionsRule). ON is bound so; this is for equalities of
// WHERE that have come into the join.
func (b *builder) pushComputed(c *calc, n *joinNode) {
	if n.typ != "inner" || n.keepCond {
		return
	}
	w := len(n.left.exprs)
	var left, right []rex.Expr
	cond := make([]rex.Expr, len(n.cond))
	// New columns of the right side are numbered once those of the left are counted.
	type equality struct {
		op   *rex.Call
		args [2]rex.Expr
		more [2]int // the number of the new column, -1 for none
		side [2]bool
	}
	pending := map[int]equality{}
	for i, e := range n.cond {
		q := equality{more: [2]int{-1, -1}}
		var ok bool
		if q.op, ok = e.(*rex.Call); !ok || q.op.Op != rex.Eq || !rex.Deterministic(e) {
			continue
		}
		ok = false
		for k, a := range q.op.Args {
			l, r := sides(a, w)
			if l == r {
				ok = false
				break
			}
			q.args[k], q.side[k] = a, r
			ok = ok || movable(a)
		}
		if !ok || q.side[0] == q.side[1] {
			continue
		}
		for k, a := range q.args {
			switch {
			case !movable(a):
			case q.side[k]:
				q.more[k], right = len(right), append(right, shift(a, -w))
			default:
				q.more[k], left = len(left), append(left, a)
			}
		}
		pending[i] = q
	}
	if len(left)+len(right) == 0 {
		return
	}
	d, wr := len(left), len(n.right.exprs)
	move := func(e rex.Expr) rex.Expr {
		return rex.Renumber(e, func(i int) int {
			if i >= w {
				return i + d
			}
			return i
		})
	}
	for i, e := range n.cond {
		q, ok := pending[i]
		if !ok {
			cond[i] = move(e)
			continue
		}
		args := make([]rex.Expr, 2)
		for k, a := range q.args {
			switch {
			case q.more[k] < 0:
				args[k] = move(a)
			case q.side[k]:
				args[k] = &rex.InputRef{Index: w + d + wr + q.more[k], T: a.Type()}
			default:
				args[k] = &rex.InputRef{Index: w + q.more[k], T: a.Type()}
			}
		}
		cond[i] = &rex.Call{Op: q.op.Op, Args: args, T: q.op.T}
	}
	n.cond = cond
	n.left, n.right = n.left.with(left), n.right.with(right)
	fields := slices.Clone(n.fields[:w])
	fields = append(fields, n.left.fields[w:]...)
	fields = append(fields, n.fields[w:]...)
	n.fields = append(fields, n.right.fields[wr:]...)
	c.exprs = slices.Clone(c.exprs)
	for i := range c.exprs {
		c.exprs[i] = move(c.exprs[i])
	}
	c.cond = slices.Clone(c.cond)
	for i := range c.cond {
		c.cond[i] = move(c.cond[i])
	}
	c.projected = true
}

// movable: a column stays, and so does what is a condition itself.
func movable(e rex.Expr) bool {
	c, ok := e.(*rex.Call)
	if !ok {
		return false
	}
	switch c.Op {
	case rex.And, rex.Or, rex.Not, rex.Eq, rex.IsNotDistinctFrom:
		return false
	}
	return true
}

// with adds computed columns to a calc; they read its other columns.
func (c *calc) with(extra []rex.Expr) *calc {
	if len(extra) == 0 {
		return c
	}
	out := *c
	out.projected = true
	out.exprs, out.fields = slices.Clone(c.exprs), slices.Clone(c.fields)
	used := map[string]bool{}
	for _, f := range c.fields {
		used[f.Name] = true
	}
	for _, e := range extra {
		base := e
		for {
			k, ok := base.(*rex.Call)
			if !ok || k.Op != rex.Cast {
				break
			}
			base = k.Args[0]
		}
		name := "$f" + strconv.Itoa(len(out.fields))
		if r, ok := base.(*rex.InputRef); ok {
			name = c.fields[r.Index].Name
		}
		for i, stem := 0, name; used[name]; i++ {
			name = stem + strconv.Itoa(i)
		}
		used[name] = true
		out.exprs = append(out.exprs, rex.Substitute(e, c.exprs))
		out.fields = append(out.fields, value.Field{Name: name, Type: e.Type()})
	}
	return &out
}
