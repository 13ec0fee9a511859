package plan

import (
	"math"
	"slices"

	"github.com/labgrade/labgrade/reference/rex"
)

// rows estimates how many rows a calc gives: FlinkRelMdRowCount. Streaming knows no
// sizes and takes 1E8 for everything.
func (b *builder) rows(c *calc) float64 {
	if !b.cfg.Batch {
		return 1e8
	}
	if r, ok := b.known[c]; ok {
		return r
	}
	n := b.nodeRows(c.in)
	if len(c.cond) > 0 {
		n = atLeastOne(n * b.selectivity(c.in, c.cond))
	}
	return n
}

func atLeastOne(n float64) float64 { return math.Max(1, n) }

func (b *builder) nodeRows(n node) float64 {
	if r, ok := b.known[n]; ok {
		return r
	}
	switch n := n.(type) {
	case *scanNode:
		rows := 1e8
		if b.cfg.RowCount != nil {
			if r, ok := b.cfg.RowCount(n.table); ok {
				rows = r
			}
		}
		if n.limit >= 0 {
			rows = math.Min(rows, float64(n.limit))
		}
		return atLeastOne(rows)
	case *valuesNode:
		return atLeastOne(float64(len(n.rows)))
	case *aggNode:
		return b.groupRows(n, b.rows(n.in))
	case *expandNode:
		return b.rows(n.in) * float64(len(n.projects))
	case *unionNode:
		sum := 0.0
		for _, in := range n.in {
			sum += b.rows(in)
		}
		return sum
	case *sortNode:
		rows := b.rows(n.in)
		if n.offset > 0 {
			rows = math.Max(0, rows-float64(n.offset))
		}
		if n.fetch >= 0 {
			rows = math.Min(rows, float64(n.fetch))
		}
		return atLeastOne(rows)
	case *watermarkNode:
		return b.rows(n.in)
	case *correlateNode:
		return b.rows(n.in)
	case *overNode:
		return b.rows(n.in)
	case *windowTVFNode:
		rows := b.rows(n.in)
		if n.window.Slide > 0 {
			rows = atLeastOne(rows * float64(n.window.Size/n.window.Slide)) // CommonPhysicalWindowTableFunction
		}
		return rows
	case *groupWindowNode:
		return atLeastOne(n.groups(b.rows(n.agg.in), b))
	case *joinNode:
		return atLeastOne(b.joinRows(n))
	}
	return 1e8
}

// groupRows estimates the groups of an aggregate over so many rows: as many as the keys
// have values, and where that is unknown a tenth or so of the rows, by the number of keys.
func (b *builder) groupRows(n *aggNode, rows float64) float64 {
	keys := n.groupKeys()
	if len(keys) == 0 {
		return 1
	}
	if d, ok := b.distinctRows(n.in, keys, nil); ok {
		return atLeastOne(math.Min(d, rows))
	}
	count := len(keys)
	if b.implementing {
		// FlinkRelMdRowCount takes the length of a set of bits for their number.
		count = slices.Max(keys) + 1
	}
	return atLeastOne(rows * (1 - math.Exp(-0.1*float64(count))))
}

// groupKeys are the keys without those that the others determine.
func (n *aggNode) groupKeys() []int { return n.keys[:len(n.keys)-len(n.aux)] }

// partialRows estimates what a local phase gives: all of the groups, or if there are more
// than a million rows, what as many workers as there are millions give.
func (b *builder) partialRows(n *aggNode, rows, groups float64) float64 {
	if len(n.groupKeys()) == 0 {
		return math.Trunc(rows/1e6 + 1)
	}
	if _, ok := b.distinctRows(n.in, n.groupKeys(), nil); !ok {
		return groups
	}
	return localGroups(rows, groups)
}

// localGroups is how many groups all workers of a local phase give together, one worker a
// million rows.
func localGroups(rows, groups float64) float64 {
	workers := math.Trunc(rows/1e6 + 1)
	if workers == 1 {
		return groups
	}
	return atLeastOne(math.Min((1-math.Pow(1-1/workers, rows/groups))*groups*workers, rows))
}

// selectivity guesses which part of an operator's rows conditions keep: FlinkRelMdSelectivity
// without statistics.
func (b *builder) selectivity(n node, cond []rex.Expr) float64 {
	if len(cond) == 0 {
		return 1
	}
	if a, ok := n.(*aggNode); ok {
		onKeys, rest := a.splitConditions(cond)
		part := b.calcSelectivity(a.in, onKeys)
		if len(rest) > 0 {
			part *= b.resultSelectivity(a, rest)
		}
		return part
	}
	return selectivity(rex.AndOf(cond))
}

func (b *builder) calcSelectivity(c *calc, cond []rex.Expr) float64 {
	if c.trivial() {
		return b.selectivity(c.in, cond)
	}
	if len(cond) == 0 {
		return 1
	}
	return selectivity(rex.AndOf(cond))
}

// resultSelectivity is AggCallSelectivityEstimator: conditions on the results of an aggregate.
// A COUNT of a column is taken to lie between half and twice the rows a group has.
func (b *builder) resultSelectivity(n *aggNode, cond []rex.Expr) float64 {
	var estimate func(e rex.Expr) float64
	estimate = func(e rex.Expr) float64 {
		c, ok := e.(*rex.Call)
		if !ok {
			return 1
		}
		switch c.Op {
		case rex.And:
			s := 1.0
			for _, a := range c.Args {
				s *= estimate(a)
			}
			return s
		case rex.Or:
			sum, product := 0.0, 1.0
			for _, a := range c.Args {
				x := estimate(a)
				sum, product = sum+x, product*x
			}
			return math.Min(1, sum-product)
		case rex.Not:
			return 1 - estimate(c.Args[0])
		case rex.Ne:
			return 1 - b.compareResult(n, rex.Eq, c.Args[0], c.Args[1])
		case rex.Eq, rex.Lt, rex.Le, rex.Gt, rex.Ge:
			return b.compareResult(n, c.Op, c.Args[0], c.Args[1])
		}
		return 0.25
	}
	return estimate(rex.AndOf(cond))
}

func (b *builder) compareResult(n *aggNode, op *rex.Op, x, y rex.Expr) float64 {
	if l, ok := x.(*rex.Literal); ok {
		x, y, op = y, l, mirrored(op)
	}
	byDefault := 0.5
	if op == rex.Eq {
		byDefault = 0.15
	}
	r, isRef := x.(*rex.InputRef)
	l, isLit := y.(*rex.Literal)
	if !isRef || !isLit || r.Index < len(n.keys) {
		return byDefault
	}
	call := n.calls[r.Index-len(n.keys)]
	if call.Fn.Name != "COUNT" || len(call.Args) != 1 {
		return byDefault
	}
	if l.V.IsNull() {
		return 0.1
	}
	if !l.T.IsInteger() {
		return byDefault
	}
	v := float64(l.V.Int())
	group := b.rows(n.in) / b.nodeRows(n)
	lower, upper := math.Max(group/2, 1), group*2
	none, all, part := false, false, 0.0
	switch op {
	case rex.Eq:
		lower, upper = math.Trunc(lower), math.Trunc(upper)
		if v < lower || v > upper {
			return 0.01
		}
		return math.Max(0.01, 1/(upper-lower))
	case rex.Lt:
		none, all, part = lower >= v, upper < v, (v-lower)/(upper-lower)
	case rex.Le:
		none, all, part = lower > v, upper <= v, (v-lower)/(upper-lower)
	case rex.Gt:
		none, all, part = upper <= v, lower > v, (upper-v)/(upper-lower)
	case rex.Ge:
		none, all, part = upper < v, lower >= v, (upper-v)/(upper-lower)
	}
	switch {
	case none:
		return 0.01
	case all:
		return 0.99
	}
	return part
}

// mirrored is the comparison with its sides exchanged.
func mirrored(op *rex.Op) *rex.Op {
	switch op {
	case rex.Lt:
		return rex.Gt
	case rex.Le:
		return rex.Ge
	case rex.Gt:
		return rex.Lt
	case rex.Ge:
		return rex.Le
	}
	return op
}

// guessSelectivity is Calcite's RelMdUtil.guessSelectivity.
func guessSelectivity(cond []rex.Expr) float64 {
	s := 1.0
	for _, e := range cond {
		c, ok := e.(*rex.Call)
		switch {
		case ok && c.Op == rex.IsNotNull:
			s *= 0.9
		case ok && c.Op == rex.Eq:
			s *= 0.15
		case ok && (c.Op == rex.Lt || c.Op == rex.Le || c.Op == rex.Gt || c.Op == rex.Ge || c.Op == rex.Ne):
			s *= 0.5
		default:
			s *= 0.25
		}
	}
	return s
}
