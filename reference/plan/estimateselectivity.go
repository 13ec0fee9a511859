package plan

import (
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
)

// selectivity is FlinkRelMdSelectivity: the part of an operator's rows that conditions keep.
// Of streaming operators that it does not know it only guesses.
func (e *estimates) selectivity(n phys.Node, cond []rex.Expr) float64 {
	if len(cond) == 0 {
		return 1
	}
	below := func() float64 { return e.selectivity(n.Inputs()[0], cond) }
	switch n := n.(type) {
	case *phys.TableSourceScan, *phys.Calc, *phys.WindowTableFunction:
		return e.known(n, cond)
	case *phys.Exchange, *phys.SortLimit, *phys.Limit, *phys.Sort:
		return below()
	case *phys.Expand:
		if reads(cond, func(k int) bool { return k == n.ExpandCol }) {
			return guessSelectivity(cond)
		}
		return below()
	case *phys.Rank:
		rank := len(n.In[0].Schema())
		onRank, rest := parted(cond, func(k int) bool { return n.OutputRank && k == rank })
		s := e.selectivity(n.In[0], rest)
		if len(onRank) > 0 {
			if n.Batch {
				e.refuse("a condition on a rank")
			}
			s *= selectivity(rex.AndOf(onRank))
		}
		return s
	case *phys.OverAggregate:
		if !e.cfg.Batch {
			return guessSelectivity(cond)
		}
		w := len(n.In[0].Schema())
		onCalls, rest := parted(cond, func(k int) bool { return k >= w })
		return e.selectivity(n.In[0], rest) * guessSelectivity(onCalls)
	case *phys.BatchAggregate:
		if n.Merge && !n.Local {
			return below()
		}
		return e.groupSelectivity(n, cond)
	case *phys.Join, *phys.IntervalJoin, *phys.WindowJoin:
		j, _ := e.join(n)
		if j.semi() {
			return e.b.semiSelectivity(j) * e.selectivity(n.Inputs()[0], cond)
		}
		return e.known(n, cond)
	case *phys.Union:
		kept, all := 0.0, 0.0
		for _, in := range n.In {
			r := e.rows(in)
			all += r
			kept += e.selectivity(in, cond) * r
		}
		return kept / all
	case *phys.BatchWindowAggregate:
		e.refuse("a condition on windows in batch")
		return 1
	}
	if e.cfg.Batch {
		return e.known(n, cond)
	}
	return guessSelectivity(cond)
}

// known estimates conditions on columns of which no bounds are known.
func (e *estimates) known(n phys.Node, cond []rex.Expr) float64 {
	c := e.form(n)
	for _, k := range rex.Refs(cond...) {
		if bounded(c, k) {
			e.refuse("a condition on a column with known bounds")
		}
	}
	return selectivity(rex.AndOf(cond))
}

// groupSelectivity parts conditions into those on keys and those on results.
func (e *estimates) groupSelectivity(n *phys.BatchAggregate, cond []rex.Expr) float64 {
	keys := append(append([]int(nil), n.Keys...), n.AuxKeys...)
	onCalls, onKeys := parted(cond, func(k int) bool { return k >= len(keys) })
	for i, x := range onKeys {
		onKeys[i] = rex.Renumber(x, func(k int) int { return keys[k] })
	}
	s := e.selectivity(n.In[0], onKeys)
	if len(onCalls) > 0 {
		a, ok := e.form(n).in.(*aggNode)
		if !ok {
			e.refuse("a condition on this aggregate")
			return s
		}
		s *= e.b.resultSelectivity(a, onCalls)
	}
	return s
}

// parted separates conditions that read one of certain columns.
func parted(cond []rex.Expr, column func(int) bool) (with, without []rex.Expr) {
	for _, x := range cond {
		if reads([]rex.Expr{x}, column) {
			with = append(with, x)
		} else {
			without = append(without, x)
		}
	}
	return
}

func reads(cond []rex.Expr, column func(int) bool) bool {
	for _, k := range rex.Refs(cond...) {
		if column(k) {
			return true
		}
	}
	return false
}
