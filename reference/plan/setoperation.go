package plan

import (
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// replicateRows is the table function that gives its further arguments as often as the
// first says.
var replicateRows = &rex.Op{Name: "$REPLICATE_ROWS$1"}

// setOpNode is INTERSECT or EXCEPT until conditions have been pushed into its inputs
// (FilterSetOpTransposeRule); then other operators take its place.
type setOpNode struct {
	in         []*calc
	all, minus bool
	fields     []value.Field
}

func (n *setOpNode) schema() []value.Field { return n.fields }

// setOperation gives both inputs of INTERSECT or EXCEPT the common row type.
func (b *builder) setOperation(in []rel.Node, fields []value.Field, all, minus bool) *calc {
	n := &setOpNode{all: all, minus: minus}
	for _, x := range in {
		c := b.build(x)
		if b.err != nil {
			return c
		}
		n.in = append(n.in, copyCalc(b.coerce(c, fields)))
	}
	for i, f := range fields {
		n.fields = append(n.fields, value.Field{Name: n.in[0].fields[i].Name, Type: f.Type})
	}
	return identity(n)
}

// project moves a projection into the inputs of INTERSECT ALL and EXCEPT ALL. That Flink
// does so for more than UNION ALL changes results (ProjectSetOpTransposeRule).
func (n *setOpNode) project(c *calc) *calc {
	if c.trivial() || len(c.cond) > 0 {
		return c
	}
	for i, in := range n.in {
		n.in[i] = over(in, c)
	}
	n.fields = c.fields
	return identity(n)
}

// expandSetOp makes joins, aggregates and table functions of a set operation.
func (b *builder) expandSetOp(n *setOpNode) *calc {
	if c := n.ofNothing(); c != nil {
		return c
	}
	if !n.all && !n.minus && len(n.in) == 2 && (n.fixesNullable(0) || n.fixesNullable(1)) {
		// Flink has seen what the filter of one side tells about the other by then.
		b.doubtText("INTERSECT of columns that a filter fixes")
	}
	switch {
	case !n.all:
		return n.distinctRows()
	case n.minus:
		return b.replicated(n.minusAll())
	}
	return b.replicated(n.intersectAll())
}

// ofNothing prunes inputs without rows: PruneEmptyRules.
func (n *setOpNode) ofNothing() *calc {
	left, right := isEmpty(n.in[0]), isEmpty(n.in[1])
	switch {
	case left || right && !n.minus:
		return emptyValues(n.fields)
	case !right:
		return nil
	case n.all:
		return n.in[0]
	}
	a := &aggNode{in: n.in[0], keys: sequence(len(n.fields))}
	a.fields = aggFields(a.in, a.keys, nil)
	return identity(a)
}

// fixesNullable: a filter fixes a column of an input that could be NULL else.
func (n *setOpNode) fixesNullable(side int) bool {
	in := n.in[side]
	for _, e := range in.exprs {
		if len(in.cond) > 0 && len(in.exprs) > 1 && e.Type().Nullable && len(rex.Refs(e)) == 0 {
			return true
		}
	}
	return false
}

// distinctRows is INTERSECT or EXCEPT without ALL: a semi- or anti-join of rows that
// are equal, NULLs included, with the repetitions taken out above.
func (n *setOpNode) distinctRows() *calc {
	l, r := n.in[0], n.in[1]
	w := len(l.exprs)
	var cond []rex.Expr
	for i := range l.exprs {
		x := &rex.InputRef{Index: i, T: l.exprs[i].Type()}
		y := &rex.InputRef{Index: w + i, T: r.exprs[i].Type()}
		eq := rex.Compare(rex.Eq, x, y)
		switch {
		case !x.T.Nullable || !y.T.Nullable:
			cond = append(cond, eq)
		case w == 1:
			cond = append(cond, &rex.Call{Op: rex.IsNotDistinctFrom, Args: []rex.Expr{x, y}, T: rex.BoolType(false)})
		default:
			nulls := &rex.Call{Op: rex.And, Args: []rex.Expr{rex.IsOf(rex.IsNull, x), rex.IsOf(rex.IsNull, y)}, T: rex.BoolType(false)}
			cond = append(cond, &rex.Call{Op: rex.Or, Args: []rex.Expr{eq, nulls}, T: rex.BoolType(true)})
		}
	}
	j := &joinNode{left: l, right: r, typ: "semi", cond: cond, keepCond: true}
	if n.minus {
		j.typ = "anti"
	}
	for i, f := range n.fields {
		j.fields = append(j.fields, value.Field{Name: l.fields[i].Name, Type: f.Type})
	}
	return onceEach(identity(j))
}

// marked appends constants to an input.
func marked(c *calc, names []string, marks ...rex.Expr) *calc {
	out := copyCalc(c)
	out.projected = true
	for i, m := range marks {
		out.exprs = append(out.exprs, m)
		out.fields = append(out.fields, value.Field{Name: names[i], Type: m.Type()})
	}
	return out
}

// intersectAll counts the rows of both sides and takes the smaller number
// (RewriteIntersectAllRule). The number comes first.
func (n *setOpNode) intersectAll() *calc {
	names := []string{"vcol_left_marker", "vcol_right_marker"}
	yes, no := rex.BoolLiteral(true), rex.NullLiteral(rex.BoolType(true))
	w := len(n.fields)
	u := n.together(marked(n.in[0], names, yes, no), marked(n.in[1], names, no, yes),
		value.Field{Name: names[0], Type: rex.BoolType(true)}, value.Field{Name: names[1], Type: rex.BoolType(true)})
	count := fn.AggregateOp("COUNT")
	c := grouped(u, w, []rel.AggCall{
		{Fn: count, Args: []int{w}, Filter: -1, Name: "vcol_left_cnt", T: bigint(false)},
		{Fn: count, Args: []int{w + 1}, Filter: -1, Name: "vcol_right_cnt", T: bigint(false)},
	})
	l, r := c.exprs[w], c.exprs[w+1]
	c.cond = []rex.Expr{rex.Compare(rex.Ge, l, intLiteral(1)), rex.Compare(rex.Ge, r, intLiteral(1))}
	less, err := fn.Resolve(&fn.Context{}, "IF", []rex.Expr{rex.Compare(rex.Gt, l, r), r, l})
	if err != nil {
		less = l
	}
	return c.numbered(less, "$f0", w)
}

// minusAll adds up 1 for rows of the left side and -1 for rows of the right one
// (RewriteMinusAllRule).
func (n *setOpNode) minusAll() *calc {
	names := []string{"vcol_marker"}
	w := len(n.fields)
	u := n.together(marked(n.in[0], names, bigintLiteral(1)), marked(n.in[1], names, bigintLiteral(-1)),
		value.Field{Name: names[0], Type: bigint(false)})
	sum := rel.AggCall{Fn: fn.AggregateOp("SUM"), Args: []int{w}, Filter: -1, Name: "sum_vcol_marker", T: bigint(false)}
	c := grouped(u, w, []rel.AggCall{sum})
	c.cond = []rex.Expr{rex.Compare(rex.Gt, c.exprs[w], intLiteral(0))}
	return c.numbered(c.exprs[w], "sum_vcol_marker", w)
}

// together is UNION ALL of the marked inputs.
func (n *setOpNode) together(l, r *calc, marks ...value.Field) *calc {
	return identity(&unionNode{in: []*calc{l, r}, fields: append(append([]value.Field(nil), n.fields...), marks...)})
}

// grouped aggregates over the first w columns.
func grouped(in *calc, w int, calls []rel.AggCall) *calc {
	a := &aggNode{in: in, keys: sequence(w), calls: calls}
	a.fields = aggFields(in, a.keys, calls)
	return identity(a)
}

// numbered puts a number before the first w columns.
func (c *calc) numbered(number rex.Expr, name string, w int) *calc {
	out := &calc{in: c.in, cond: c.cond, projected: true, exprs: []rex.Expr{number}, fields: []value.Field{{Name: name, Type: number.Type()}}}
	out.exprs = append(out.exprs, c.exprs[:w]...)
	out.fields = append(out.fields, c.fields[:w]...)
	return out
}

// replicated gives each row as often as its first column says.
func (b *builder) replicated(in *calc) *calc {
	c := &correlateNode{in: in, typ: "inner", call: &rex.Call{Op: replicateRows}}
	for i, e := range in.exprs {
		f := value.Field{Name: in.fields[i].Name, Type: e.Type()}
		c.call.Args = append(c.call.Args, &rex.InputRef{Index: i, T: f.Type})
		c.fields = append(c.fields, f)
	}
	w := len(in.exprs)
	all := phys.JoinNames(names(c.fields), names(c.fields[1:]))
	for i, f := range c.fields[1:w] {
		f.Name = all[w+i]
		c.fields = append(c.fields, f)
	}
	out := identity(c)
	out.exprs, out.fields, out.projected = out.exprs[w:], in.fields[1:], true
	return out
}

// over puts a calc that was made for low's columns on top of low.
func over(low, c *calc) *calc {
	out := &calc{in: low.in, fields: c.fields, projected: c.projected || low.projected}
	for _, e := range c.exprs {
		out.exprs = append(out.exprs, rex.Substitute(e, low.exprs))
	}
	out.cond = append(out.cond, low.cond...)
	for _, e := range c.cond {
		out.cond = append(out.cond, rex.Substitute(e, low.exprs))
	}
	return out
}

// onceEach groups by all columns.
func onceEach(rows *calc) *calc {
	a := &aggNode{in: rows, keys: sequence(len(rows.exprs))}
	a.fields = aggFields(rows, a.keys, nil)
	return identity(a)
}
