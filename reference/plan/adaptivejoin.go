package plan

import "github.com/labgrade/labgrade/reference/phys"

// adaptJoins shows joins whose algorithm Flink may change at run time as AdaptiveJoin:
// those with hash-distributed inputs that no MultipleInput has taken (AdaptiveJoinProcessor).
func (g *execGraph) adaptJoins() {
	none := func(key string) bool {
		v, set := g.cfg.lookup(key)
		return set && v == "NONE"
	}
	if none("table.optimizer.adaptive-broadcast-join.strategy") && none("table.optimizer.skewed-join-optimization.strategy") {
		return
	}
	done := map[phys.Node]phys.Node{}
	replace := func(n phys.Node) phys.Node {
		if x, ok := done[n]; ok {
			return x
		}
		done[n] = n
		if x, ok := adaptiveJoin(n); ok {
			done[n] = x
			g.give(x)
			g.adapted[n] = true
		}
		return done[n]
	}
	for i, r := range g.roots {
		g.roots[i] = replace(r)
	}
	seen := map[phys.Node]bool{}
	var visit func(n phys.Node)
	visit = func(n phys.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, in := range n.Inputs() {
			visit(in)
		}
		if x, ok := n.(*phys.Exchange); ok && x.Distribution == "forward" {
			return // the order of the rows is relied on
		}
		for i, in := range n.Inputs() {
			n.Inputs()[i] = replace(in)
		}
	}
	for _, r := range g.roots {
		visit(r)
	}
}

func adaptiveJoin(n phys.Node) (phys.Node, bool) {
	j, ok := n.(*phys.Join)
	if !ok || j.JoinType == "FullOuterJoin" || j.Broadcast || j.Hinted || len(j.LeftKeys) == 0 {
		return n, false
	}
	for _, in := range j.In {
		if x, ok := in.(*phys.Exchange); ok && (x.Distribution == "keep_input_as_is" || x.Distribution == "forward") {
			return n, false
		}
	}
	x := *j
	switch j.Kind {
	case "HashJoin":
		x.Kind, x.Original = "AdaptiveJoin", "ShuffleHashJoin"
	case "SortMergeJoin":
		x.Kind, x.Original = "AdaptiveJoin", "SortMergeJoin"
	default:
		return n, false
	}
	x.In = append([]phys.Node(nil), j.In...)
	return &x, true
}

// markAdaptive tells the joins of a physical plan that adapt at run time.
func markAdaptive(root phys.Node, cfg *Config) {
	joins := false
	visitInputsFirst([]phys.Node{root}, func(n phys.Node) {
		j, ok := n.(*phys.Join)
		joins = joins || ok && j.Kind != "NestedLoopJoin"
	})
	if !joins {
		return
	}
	g := newExecGraph(cfg, []phys.Node{root})
	g.giveAll(g.roots)
	g.process()
	e := &execution{batch: true, done: map[visit]phys.Node{}, numbers: &g.numbers}
	g.roots[0] = e.convert(g.roots[0], false)
	g.adaptJoins()
	limit := int64(cfg.number("table.optimizer.join.broadcast-threshold", 1024*1024))
	disabled := cfg.disabledOperator("BroadcastHashJoin")
	if v, set := cfg.lookup("table.optimizer.adaptive-broadcast-join.strategy"); disabled || set && v == "NONE" {
		return
	}
	visitInputsFirst([]phys.Node{root}, func(n phys.Node) {
		j, ok := n.(*phys.Join)
		if !ok {
			return
		}
		for _, chained := range []bool{false, true} {
			if g.adapted[e.done[visit{g.copied[n], chained}]] {
				j.Adaptive, j.BroadcastBytes = true, limit
			}
		}
	})
}
