package plan

import (
	"strings"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// twoPhase splits window aggregates over an Exchange into a local and a global phase,
// after the changelog modes are known (TwoStageOptimizedWindowAggregateRule). Session
// and processing-time windows stay whole.
func (p *physical) twoPhase(n phys.Node) phys.Node {
	for i, in := range n.Inputs() {
		n.Inputs()[i] = p.twoPhase(in)
	}
	if strings.EqualFold(p.cfg.option("table.optimizer.agg-phase-strategy"), "ONE_PHASE") {
		return n
	}
	a, ok := n.(*phys.WindowAggregate)
	if !ok || a.Phase != "" || a.Window.Kind == "SESSION" || !a.Window.Rowtime {
		return n
	}
	x, ok := a.In[0].(*phys.Exchange)
	if !ok {
		return n
	}
	if err := splittable(a.Calls); err != nil {
		p.fail(err)
		return n
	}
	in := x.In[0]
	local := &phys.WindowAggregate{Base: base(accFields(in, a.Keys, a.Calls), in), Phase: "Local", Window: a.Window, Keys: a.Keys, Calls: a.Calls}
	end := "$slice_end"
	if a.Window.TimeColumn < 0 {
		end = "$window_end"
	}
	local.Fields = append(local.Fields, value.Field{Name: end, Type: value.TBigInt.NotNull()})
	phys.SetMode(local, in.Mode())
	keys := sequence(len(a.Keys))
	y := distribute(local, keys)
	phys.SetMode(y, in.Mode())
	g := *a
	g.In = []phys.Node{y}
	g.Phase, g.Local, g.Keys = "Global", local, keys
	return &g
}

// accFields is the row between the phases: keys, accumulators, DISTINCT values.
func accFields(in phys.Node, keys []int, calls []phys.AggCall) []value.Field {
	var out []value.Field
	for _, k := range keys {
		out = append(out, in.Schema()[k])
	}
	names := make([]string, len(calls))
	for i, c := range calls {
		names[i] = c.Name
	}
	return append(out, phys.BufferFields(calls, names)...)
}

// splittable refuses calls whose accumulators' names are not known.
func splittable(calls []phys.AggCall) error {
	for _, c := range calls {
		switch c.Fn.Name {
		case "COUNT":
		case "SUM", "$SUM0", "AVG", "MIN", "MAX":
			if c.Retract {
				return unsupported.New("%s over a changing input in two phases", c.Fn.Name)
			}
		default:
			return unsupported.New("%s in two phases", c.Fn.Name)
		}
		if c.Distinct && (c.Retract || c.Filter >= 0) {
			return unsupported.New("a DISTINCT aggregate with FILTER or over a changing input in two phases")
		}
	}
	return nil
}

// relink points merging phases at the local nodes that the finished tree holds.
func relink(n phys.Node) {
	for _, in := range n.Inputs() {
		relink(in)
	}
	below := func() phys.Node {
		for x := n.Inputs()[0]; ; x = x.Inputs()[0] {
			switch x.(type) {
			case *phys.Exchange, *phys.Sort:
			default:
				return x
			}
		}
	}
	switch n := n.(type) {
	case *phys.BatchAggregate:
		if n.Partial != nil {
			if l, ok := below().(*phys.BatchAggregate); ok {
				n.Partial = l
			}
		}
	case *phys.WindowAggregate:
		if n.Local != nil {
			if l, ok := below().(*phys.WindowAggregate); ok {
				n.Local = l
			}
		}
	case *phys.GlobalGroupAggregate:
		if l, ok := below().(*phys.LocalGroupAggregate); ok {
			n.Local = l
		}
	}
}
