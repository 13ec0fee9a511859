package plan

import (
	"slices"
	"strconv"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// semiJoins makes semi-joins of IN and EXISTS and anti-joins of their negations, where all of a
// filter are joined by AND and read the outer row in a simple way (FlinkSubQueryRemoveRule).
func (b *builder) semiJoins(n rel.Node) rel.Node {
	in := make([]rel.Node, len(n.Inputs()))
	for i, x := range n.Inputs() {
		in[i] = b.semiJoins(x)
	}
	n = rel.WithInputs(n, in)
	f, ok := n.(*rel.Filter)
	if !ok || b.err != nil || !hasSubQuery(f.Cond) {
		return n
	}
	f = countsToExists(f)
	n = f
	var nested, rest []rex.Expr
	for _, e := range rex.Conjunctions(f.Cond) {
		if _, _, ok := membership(e); ok {
			nested = append(nested, e)
			continue
		}
		if hasMembership(e) {
			return n // below OR, for instance
		}
		rest = append(rest, e)
	}
	if len(nested) == 0 {
		return n
	}
	for _, e := range nested {
		q, _, _ := membership(e)
		if q.Op != rex.In && q.Op != rex.Exists || slices.ContainsFunc(q.Args, func(a rex.Expr) bool { return hasCorrelVar(a) || hasSubQuery(a) }) {
			return n
		}
	}
	if (&correlationCheck{}).refuses(f) {
		return n
	}
	return b.semiJoin(f, nested, rest)
}

// membership reads IN, EXISTS or x < SOME, or the negation of it.
func membership(e rex.Expr) (q *rex.SubQuery, not, ok bool) {
	if c, isCall := e.(*rex.Call); isCall && c.Op == rex.Not {
		e, not = c.Args[0], true
	}
	q, ok = e.(*rex.SubQuery)
	return q, not, ok && q.Op != rex.ScalarQuery
}

func hasMembership(e rex.Expr) bool {
	found := false
	rex.Walk(e, func(x rex.Expr) bool {
		if q, ok := x.(*rex.SubQuery); ok && q.Op != rex.ScalarQuery {
			found = true
		}
		return !found
	})
	return found
}

func (b *builder) semiJoin(f *rel.Filter, nested, rest []rex.Expr) rel.Node {
	w := len(f.Schema())
	left := f.In[0]
	if len(rest) > 1 && !slices.ContainsFunc(rest, hasSubQuery) {
		rest = rex.Conjunctions(b.simplifyCondition(rex.AndOf(rest), false)) // RelBuilder.filter
	}
	for _, e := range nested {
		q, anti, _ := membership(e)
		n, ok := q.Rel.(rel.Node)
		if !ok {
			b.fail(unsupported.New("this sub-query"))
			return f
		}
		var conds []rex.Expr
		if treeHasCorrelVar(n) {
			d := &conditionPuller{b: b, vars: f.Variables}
			if q.Op == rex.In {
				if _, ok := n.(*rel.Project); !ok {
					n = projectOf(n, refsTo(n), namesOf(n)...)
				}
			}
			if fr := d.pull(n); fr != nil && fr.cond != nil {
				if q.Op == rex.Exists {
					fr = fr.onlyRead()
				}
				n = fr.node
				if len(left.Schema()) != w {
					b.fail(unsupported.New("several sub-queries, of which one computes its operand"))
					return f
				}
				conds = rex.Conjunctions(outerToLeft(fr.cond, w))
			}
		}
		n = b.semiJoins(n)
		if q.Op == rex.Exists && conds == nil {
			left = existsAtAll(left, n, anti)
			continue
		}
		j := &pushedJoin{l: left, r: n, conds: conds}
		if !j.compare(b, q.Args) {
			return f
		}
		left = j.build(anti)
	}
	if len(rest) > 0 {
		c := rex.AndOf(rest)
		var vars []int
		if hasSubQuery(c) {
			vars = f.Variables
		}
		left = filterOf(left, c, vars...)
	}
	return firstColumns(left, w)
}

// outerToLeft makes a join condition of one that reads the outer row of w columns.
func outerToLeft(e rex.Expr, w int) rex.Expr {
	e = shift(e, w)
	return rex.Transform(e, func(x rex.Expr) rex.Expr {
		f, ok := x.(*rex.Field)
		if !ok {
			return x
		}
		if _, ok := f.X.(*rex.CorrelVar); !ok {
			return x
		}
		return &rex.InputRef{Index: f.Index, T: f.T}
	})
}

// existsAtAll is EXISTS without reference to the outer row: MIN(true) is not NULL if
// there is any row.
func existsAtAll(left, sub rel.Node, anti bool) rel.Node {
	rows := projectOf(sub, []rex.Expr{rex.BoolLiteral(true)}, "i")
	a := aggregateOf(rows, nil, rel.AggCall{Fn: fn.AggregateOp("MIN"), Args: []int{0}, Filter: -1, Name: "m", T: rex.BoolType(true)})
	right := projectOf(a, []rex.Expr{rex.IsOf(rex.IsNotNull, refTo(a, 0))})
	typ := "semi"
	if anti {
		typ = "anti"
	}
	return joinOf(left, right, typ, &rex.InputRef{Index: len(left.Schema()), T: rex.BoolType(false)})
}

// pushedJoin is a semi- or anti-join in the making: what equalities compute of one side
// becomes a column of it (FlinkJoinPushExpressionsRule).
type pushedJoin struct {
	l, r         rel.Node
	moreL, moreR []rex.Expr
	nameL, nameR []string
	// conds are over l and r as they were; equals are places of the operands of IN.
	conds  []rex.Expr
	equals [][2]int
}

// compare brings the operands of IN and the columns of the query to one type.
func (j *pushedJoin) compare(b *builder, args []rex.Expr) bool {
	for i, a := range args {
		col := refTo(j.r, i)
		x, y, ok := b.sameTypes(a, col)
		switch {
		case !ok && (isText(a.Type()) && col.T.IsNumeric() || a.Type().IsNumeric() && isText(col.T)):
			b.fail(flinkerr.Table("implicit type conversion between %s and %s is not supported on join's condition now",
				rex.TypeText(a.Type(), false), rex.TypeText(col.T, false)))
			return false
		case !ok:
			b.fail(unsupported.New("IN over other types"))
			return false
		}
		j.equals = append(j.equals, [2]int{j.left(x), j.right(y)})
	}
	return true
}

func (j *pushedJoin) left(e rex.Expr) int {
	if r, ok := e.(*rex.InputRef); ok {
		return r.Index
	}
	j.moreL, j.nameL = append(j.moreL, e), append(j.nameL, pushedName(e, j.l, j.nameL))
	return len(j.l.Schema()) + len(j.moreL) - 1
}

func (j *pushedJoin) right(e rex.Expr) int {
	if r, ok := e.(*rex.InputRef); ok {
		return r.Index
	}
	j.moreR, j.nameR = append(j.moreR, e), append(j.nameR, pushedName(e, j.r, j.nameR))
	return len(j.r.Schema()) + len(j.moreR) - 1
}

// pushedName: a cast keeps its column's name with a number behind, others are called by
// their place.
func pushedName(e rex.Expr, n rel.Node, more []string) string {
	name := "$f" + strconv.Itoa(len(n.Schema())+len(more))
	if c, ok := e.(*rex.Call); ok && c.Op == rex.Cast {
		if r, ok := c.Args[0].(*rex.InputRef); ok {
			fields := slices.Clone(n.Schema())
			for _, m := range more {
				fields = append(fields, value.Field{Name: m})
			}
			name = suffixed(n.Schema()[r.Index].Name, fields)
		}
	}
	return name
}

// with is a side with its computed columns.
func with(n rel.Node, more []rex.Expr, names []string) rel.Node {
	if len(more) == 0 {
		return n
	}
	return projectOf(n, append(refsTo(n), more...), append(namesOf(n), names...)...)
}

func (j *pushedJoin) build(anti bool) rel.Node {
	w := len(j.l.Schema())
	var made []func(w2 int) rex.Expr
	for _, e := range j.conds {
		made = append(made, j.condition(e, w))
	}
	l, r := with(j.l, j.moreL, j.nameL), with(j.r, j.moreR, j.nameR)
	w2 := len(l.Schema())
	var cond []rex.Expr
	for _, p := range j.equals {
		x, y := refTo(l, p[0]), refTo(r, p[1])
		y.Index += w2
		eq := rex.Compare(rex.Eq, x, y)
		if !anti {
			cond = append(cond, eq)
			continue
		}
		var alt []rex.Expr
		for _, e := range []*rex.InputRef{x, y} {
			if e.T.Nullable {
				alt = append(alt, rex.IsOf(rex.IsNull, e))
			}
		}
		cond = append(cond, orOf(append(alt, eq)))
	}
	for _, f := range made {
		cond = append(cond, f(w2))
	}
	if anti {
		return joinOf(l, r, "anti", rex.AndOf(cond))
	}
	return joinOf(l, r, "semi", rex.AndOf(cond))
}

// condition moves the computed operands of equalities into the sides; the rest is
// renumbered once the width of the left side is known.
func (j *pushedJoin) condition(e rex.Expr, w int) func(w2 int) rex.Expr {
	onlyLeft := func(e rex.Expr) bool { l, r := sides(e, w); return l && !r }
	onlyRight := func(e rex.Expr) bool { l, r := sides(e, w); return r && !l }
	c, isCall := e.(*rex.Call)
	if !isCall || onlyLeft(e) || onlyRight(e) {
		return func(w2 int) rex.Expr {
			return rex.Renumber(e, func(i int) int {
				if i >= w {
					return i - w + w2
				}
				return i
			})
		}
	}
	var args []func(int) rex.Expr
	for _, a := range c.Args {
		switch {
		case c.Op == rex.Eq && onlyLeft(a):
			i := j.left(a)
			args = append(args, func(int) rex.Expr { return &rex.InputRef{Index: i, T: a.Type()} })
		case c.Op == rex.Eq && onlyRight(a):
			i := j.right(shift(a, -w))
			args = append(args, func(w2 int) rex.Expr { return &rex.InputRef{Index: w2 + i, T: a.Type()} })
		default:
			args = append(args, j.condition(a, w))
		}
	}
	return func(w2 int) rex.Expr {
		n := *c
		n.Args = nil
		for _, a := range args {
			n.Args = append(n.Args, a(w2))
		}
		return &n
	}
}
