package plan

import (
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// setOperation is INTERSECT or EXCEPT of two inputs: a semi- or anti-join of rows that
// are equal, NULLs included, with the repetitions taken out above.
func (b *builder) setOperation(in []rel.Node, fields []value.Field, all, minus bool) *calc {
	if all || len(in) != 2 {
		return b.fail(unsupported.New("INTERSECT or EXCEPT ALL, or of several queries"))
	}
	var sides []*calc
	for _, x := range in {
		c := b.build(x)
		if b.err != nil {
			return c
		}
		sides = append(sides, copyCalc(b.coerce(c, fields)))
	}
	l, r := sides[0], sides[1]
	if _, join := l.in.(*joinNode); join {
		return b.fail(unsupported.New("INTERSECT or EXCEPT above a join"))
	}
	w := len(l.exprs)
	var cond []rex.Expr
	for i := range l.exprs {
		x := &rex.InputRef{Index: i, T: l.exprs[i].Type()}
		y := &rex.InputRef{Index: w + i, T: r.exprs[i].Type()}
		eq := rex.Compare(rex.Eq, x, y)
		switch {
		case !x.T.Nullable && !y.T.Nullable:
			cond = append(cond, eq)
		case w == 1:
			cond = append(cond, &rex.Call{Op: rex.IsNotDistinctFrom, Args: []rex.Expr{x, y}, T: rex.BoolType(false)})
		default:
			var nulls rex.Expr = &rex.Call{Op: rex.And, Args: []rex.Expr{rex.IsOf(rex.IsNull, x), rex.IsOf(rex.IsNull, y)}, T: rex.BoolType(false)}
			if !x.T.Nullable || !y.T.Nullable {
				return b.fail(unsupported.New("INTERSECT or EXCEPT over columns of which one is NOT NULL"))
			}
			cond = append(cond, &rex.Call{Op: rex.Or, Args: []rex.Expr{eq, nulls}, T: rex.BoolType(true)})
		}
	}
	j := &joinNode{left: l, right: r, typ: "semi", cond: cond, keepCond: true}
	if minus {
		j.typ = "anti"
	}
	for i, f := range fields {
		j.fields = append(j.fields, value.Field{Name: l.fields[i].Name, Type: f.Type})
	}
	c := identity(j)
	a := &aggNode{in: c}
	for i := range fields {
		a.keys = append(a.keys, i)
	}
	a.fields = aggFields(c, a.keys, nil)
	return identity(a)
}
