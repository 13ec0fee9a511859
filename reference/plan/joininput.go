package plan

import (
	"math"
	"slices"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
)

// inputFor plans a side of a join with the distribution that it needs.
func (p *physical) inputFor(s *joinInput, want need) planned {
	if s.distinct {
		return p.distinctInput(s, want)
	}
	in := p.plain(s.calc)
	if p.err != nil || want.satisfiedBy(in.node) {
		return in
	}
	best := p.distributed(s, in, want)
	if want.distribution != "hash" {
		return best
	}
	if j, ok := s.calc.in.(*joinNode); ok {
		if x, ok := p.spreadJoin(s.calc, j, want); ok && x.cost.less(best.cost) {
			return x
		}
	}
	return best
}

// spreadJoin plans a calc over a join that itself distributes its rows as wanted, so that
// no exchange is needed on top.
func (p *physical) spreadJoin(c *calc, j *joinNode, want need) (planned, bool) {
	below, ok := columnsBelow(c, want.keys)
	if !ok || len(below) == 0 || p.err != nil {
		return planned{}, false
	}
	x := p.batchJoin(j, need{want.distribution, below, want.loose})
	if x.node == nil || p.err != nil {
		return planned{}, false
	}
	return planned{p.onTop(c, x.node), x.cost.plus(p.calcCost(c))}, true
}

// plain plans a calc without wishes.
func (p *physical) plain(c *calc) planned {
	if j, ok := c.in.(*joinNode); ok {
		x := p.batchJoin(j, need{})
		if p.err != nil {
			return planned{node: &phys.Values{}}
		}
		return planned{p.onTop(c, x.node), x.cost.plus(p.calcCost(c))}
	}
	return planned{node: p.calc(c)}
}

// calcCost: computed columns cost a unit a row each, casts aside.
func (p *physical) calcCost(c *calc) cost {
	if c.trivial() {
		return cost{}
	}
	rows, computed := p.rows(c), 0.0
	for _, e := range c.exprs {
		if x, ok := e.(*rex.Call); ok && x.Op != rex.Cast {
			computed++
		}
	}
	return cost{cpu: rows * computed, rows: rows}
}

// distinctInput puts a local aggregate over all columns below the exchange.
func (p *physical) distinctInput(s *joinInput, want need) planned {
	in := p.plain(s.calc)
	if p.err != nil {
		return in
	}
	keys := sequence(len(in.node.Schema()))
	all := float64(len(keys))
	local := &phys.BatchAggregate{Base: base(in.node.Schema(), in.node), Local: true, Keys: keys}
	own := cost{cpu: 8 * p.rows(s.calc) * all, memory: s.rows * (s.binary + 16), rows: s.rows}
	return p.distributed(s, planned{local, in.cost.plus(own)}, want)
}

// distributed puts an exchange on top.
func (p *physical) distributed(s *joinInput, in planned, want need) planned {
	if want.distribution == "" {
		return in
	}
	c := cost{rows: s.rows, network: s.rows * s.row}
	switch want.distribution {
	case "single":
		c.cpu = 161 * s.rows
	case "broadcast":
		copies := math.Max(1, math.Floor(s.rows*s.row/(1<<30)))
		c.cpu, c.network = copies*160*s.rows, copies*c.network
		return planned{exchange(in.node, "broadcast", nil), in.cost.plus(c)}
	case "hash":
		c.cpu = (8*float64(len(want.keys)) + 160) * s.rows
	}
	return planned{arrange(in.node, want.keys, nil), in.cost.plus(c)}
}

// satisfiedBy: the rows of a node are distributed so without an exchange.
func (w need) satisfiedBy(n phys.Node) bool {
	switch w.distribution {
	case "":
		return true
	case "single":
		return provided(n).single
	case "hash":
		return slices.Equal(provided(n).keys, w.keys)
	}
	return false
}

// columnsBelow finds columns of a calc in its operator.
func columnsBelow(c *calc, columns []int) ([]int, bool) {
	out := make([]int, len(columns))
	for i, k := range columns {
		r, ok := c.exprs[k].(*rex.InputRef)
		if !ok {
			return nil, false
		}
		out[i] = r.Index
	}
	return out, true
}
