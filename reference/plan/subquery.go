package plan

import (
	"slices"
	"strconv"

	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// side is an input of a join that is being made, with the columns it must offer.
type side struct{ calc *calc }

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
