package plan

import (
	"math"

	"github.com/labgrade/labgrade/reference/rex"
)

// rows estimates how many rows a calc gives: FlinkRelMdRowCount. Streaming knows no
// sizes and takes 1E8 for everything.
func (b *builder) rows(c *calc) float64 {
	if !b.cfg.Batch {
		return 1e8
	}
	n := b.nodeRows(c.in)
	if len(c.cond) > 0 {
		n = atLeastOne(n * selectivity(rex.AndOf(c.cond)))
	}
	return n
}

func atLeastOne(n float64) float64 { return math.Max(1, n) }

func (b *builder) nodeRows(n node) float64 {
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
	case *overNode:
		return b.rows(n.in)
	case *windowTVFNode:
		return b.rows(n.in)
	}
	return 1e8
}

// groupRows estimates the groups of an aggregate: a tenth or so of the rows, by the
// number of keys, where nothing is known of their values; a key that is an
// aggregate's result, or a primary key, is taken to be different in every row.
func (b *builder) groupRows(n *aggNode, rows float64) float64 {
	if len(n.keys) == 0 {
		return 1
	}
	if b.distinctKnown(n) {
		return rows
	}
	return atLeastOne(rows * (1 - math.Exp(-0.1*float64(len(n.keys)))))
}

// distinctKnown: Flink can tell the number of groups, so that one and two phases
// compete by cost; without, it always takes two phases.
func (b *builder) distinctKnown(n *aggNode) bool {
	return len(n.keys) == 0 || b.groupsByResult(n) || b.groupsByKey(n)
}

// groupsByKey: the group keys hold a source's primary key.
func (b *builder) groupsByKey(n *aggNode) bool {
	s, ok := n.in.in.(*scanNode)
	if !ok || len(s.table.PrimaryKey) == 0 {
		return false
	}
	have := map[string]bool{}
	for _, k := range n.keys {
		if r, ok := n.in.exprs[k].(*rex.InputRef); ok {
			have[s.fields[r.Index].Name] = true
		}
	}
	for _, c := range s.table.PrimaryKey {
		if !have[c] {
			return false
		}
	}
	return true
}

// groupsByResult: all keys are results of an aggregate below.
func (b *builder) groupsByResult(n *aggNode) bool {
	below, ok := n.in.in.(*aggNode)
	if !ok {
		return false
	}
	for _, k := range n.keys {
		r, ok := n.in.exprs[k].(*rex.InputRef)
		if !ok || r.Index < len(below.keys) {
			return false
		}
	}
	return true
}

// selectivity guesses which part of the rows a condition keeps: FlinkRelMdSelectivity
// without statistics.
func selectivity(e rex.Expr) float64 {
	c, ok := e.(*rex.Call)
	if !ok {
		return 0.25
	}
	switch c.Op {
	case rex.And:
		s := 1.0
		for _, a := range c.Args {
			s *= selectivity(a)
		}
		return s
	case rex.Or:
		s := 0.0
		for _, a := range c.Args {
			p := selectivity(a)
			s = s + p - s*p
		}
		return s
	case rex.Not:
		return 1 - selectivity(c.Args[0])
	case rex.Eq, rex.IsNotDistinctFrom:
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
		x, ok := rex.ExpandSearches(c).(*rex.Call)
		if !ok || x.Op != rex.Or {
			return selectivity(x)
		}
		// Ranges of one column exclude each other.
		s := 0.0
		for _, a := range x.Args {
			s += selectivity(a)
		}
		return math.Min(1, s)
	}
	return 0.25
}
