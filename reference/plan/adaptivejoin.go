package plan

import "github.com/labgrade/labgrade/reference/phys"

// adaptJoins shows joins whose algorithm Flink may change at run time as AdaptiveJoin:
// both inputs are hash-distributed by real exchanges, and what is above does not rely on
// the distribution (AdaptiveJoinProcessor).
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
		if x, ok := n.(*phys.Exchange); ok && keepsInput(x) {
			return
		}
		for i, in := range n.Inputs() {
			n.Inputs()[i] = replace(in)
		}
	}
	for _, r := range g.roots {
		visit(r)
	}
}

func keepsInput(x *phys.Exchange) bool {
	return x.Distribution == "keep_input_as_is" || x.Distribution == "forward"
}

func adaptiveJoin(n phys.Node) (phys.Node, bool) {
	j, ok := n.(*phys.Join)
	if !ok || j.JoinType == "FullOuterJoin" || j.Broadcast || j.Hinted || len(j.LeftKeys) == 0 {
		return n, false
	}
	for _, in := range j.In {
		if x, ok := in.(*phys.Exchange); ok && keepsInput(x) {
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
