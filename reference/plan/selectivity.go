package plan

import (
	"math"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// selectivity guesses which part of the rows a condition keeps: SelectivityEstimator without
// statistics, and Calcite's own guess where it gives up.
func selectivity(e rex.Expr) float64 {
	s := (&rex.Simplifier{}).Condition(e)
	if l, ok := s.(*rex.Literal); ok {
		if l.V.IsNull() || !l.V.Bool() {
			return 0
		}
		return 1
	}
	x := estimator{}
	if part := x.part(s); !x.failed {
		return part
	}
	return guessSelectivity(rex.Conjunctions(e))
}

type estimator struct{ failed bool }

func (x *estimator) part(e rex.Expr) float64 {
	switch e := e.(type) {
	case *rex.InputRef:
		if e.T.Kind == value.KindBoolean {
			return 0.15 // as "e = TRUE"
		}
		return 1
	case *rex.Call:
		return x.call(e)
	}
	return 1
}

func (x *estimator) call(c *rex.Call) float64 {
	switch c.Op {
	case rex.And:
		return x.and(c)
	case rex.Or:
		return x.or(c.Args)
	case rex.Not:
		return 1 - x.part(c.Args[0])
	case rex.Eq:
		return 0.15
	case rex.Ne:
		return 1 - 0.15
	case rex.Lt, rex.Le, rex.Gt, rex.Ge:
		return 0.5
	case rex.Like:
		return 0.05
	case rex.IsNull:
		return 0.1
	case rex.IsNotNull:
		return 0.9
	case rex.Search:
		return x.search(c)
	}
	return 0.25
}

func (x *estimator) search(c *rex.Call) float64 {
	n, ok := rex.ExpandSearches(c).(*rex.Call)
	if !ok {
		return 0.25
	}
	if n.Op == rex.Or {
		points := true
		for _, a := range n.Args {
			k, ok := a.(*rex.Call)
			points = points && ok && k.Op == rex.Eq
		}
		if points {
			if _, column := c.Args[0].(*rex.InputRef); !column {
				x.failed = true // only lists of a plain column are known
			}
			return math.Min(1, 0.15*float64(len(n.Args)))
		}
	}
	return x.call(n)
}

// ranged is the column of a comparison with a literal.
func ranged(e rex.Expr, equality bool) (column int, ok bool) {
	c, is := e.(*rex.Call)
	if !is {
		return 0, false
	}
	switch c.Op {
	case rex.Lt, rex.Le, rex.Gt, rex.Ge:
	case rex.Eq:
		if !equality {
			return 0, false
		}
	default:
		return 0, false
	}
	for i, a := range c.Args {
		r, ref := a.(*rex.InputRef)
		if _, lit := c.Args[1-i].(*rex.Literal); ref && lit {
			return r.Index, true
		}
	}
	return 0, false
}

// and multiplies the parts of the terms. A bare BOOLEAN column is forgotten; beside
// comparisons of one other column it makes the estimator fail.
func (x *estimator) and(c *rex.Call) float64 {
	part, groups, others, bare := 1.0, map[int]bool{}, 0, false
	for _, t := range rex.Conjunctions(rex.ToCNF(c)) {
		if _, call := t.(*rex.Call); !call {
			bare = true
			continue
		}
		if col, ok := ranged(t, false); ok {
			groups[col] = true
		} else {
			others++
		}
		part *= x.part(t)
	}
	if len(groups)+others == 1 && (bare || others == 1) {
		x.failed = true
	}
	return part
}

// or adds the parts. Comparisons of one column count as one term, several equalities as a list.
func (x *estimator) or(args []rex.Expr) float64 {
	var terms []float64
	type group struct {
		equal int
		rest  float64
		any   bool
	}
	groups := map[int]*group{}
	var order []int
	for _, a := range rex.Disjunctions(&rex.Call{Op: rex.Or, Args: args, T: rex.BoolType(true)}) {
		c, call := a.(*rex.Call)
		if !call {
			continue
		}
		col, ok := ranged(a, true)
		if !ok {
			terms = append(terms, x.part(a))
			continue
		}
		g := groups[col]
		if g == nil {
			g = &group{}
			groups[col] = g
			order = append(order, col)
		}
		if c.Op == rex.Eq {
			g.equal++
		} else {
			g.rest, g.any = g.rest+x.part(a), true
		}
	}
	for _, col := range order {
		g := groups[col]
		switch {
		case g.equal > 1 && g.any:
			terms = append(terms, math.Min(1, 0.15*float64(g.equal)), math.Min(1, g.rest))
		default:
			terms = append(terms, math.Min(1, g.rest+0.15*float64(g.equal)))
		}
	}
	if len(terms) == 1 {
		return math.Min(1, terms[0])
	}
	sum, product := 0.0, 1.0
	for _, p := range terms {
		sum, product = sum+p, product*p
	}
	return math.Min(1, sum-product)
}
