package plan

import "github.com/labgrade/labgrade/reference/phys"

// resolveConflicts finds inputs that must be read before another input of the same
// operator although both come from one source, and puts an exchange that stores all
// rows above the later one (InputPriorityConflictResolver). Edges at least as strict as
// safe need no care.
func (g *execGraph) resolveConflicts(safe dam, mode string) {
	t := newTopology(g.roots, nil)
	visitInputsFirst(g.roots, func(n phys.Node) {
		t.orderInputs(n, nil, safe, func(higher, lower int) { g.separate(n, higher, lower, mode) })
	})
}

// orderInputs adds what the priorities of a node's inputs say; conflict is told of pairs that
// cannot be read in that order.
func (t *topology) orderInputs(n phys.Node, boundaries map[phys.Node]bool, safe dam, conflict func(higher, lower int)) {
	for h := range n.Inputs() {
		for l := range n.Inputs() {
			if inputPriority(n, h) < inputPriority(n, l) {
				t.orderPair(n, h, l, boundaries, safe, conflict)
			}
		}
	}
}

func (t *topology) orderPair(n phys.Node, h, l int, boundaries map[phys.Node]bool, safe dam, conflict func(higher, lower int)) {
	higher := n.Inputs()[h]
	var linked []phys.Node
	for _, a := range pipelinedAncestors(n.Inputs()[l], boundaries, safe) {
		if t.link(higher, a) {
			linked = append(linked, a)
			continue
		}
		conflict(h, l)
		for _, x := range linked {
			t.unlink(higher, x)
		}
		return
	}
}

// pipelinedAncestors are the nodes from which rows flow without a stop.
func pipelinedAncestors(n phys.Node, boundaries map[phys.Node]bool, safe dam) []phys.Node {
	var out []phys.Node
	seen := map[phys.Node]bool{}
	var visit func(n phys.Node)
	visit = func(n phys.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		further := false
		if !boundaries[n] {
			for i, x := range n.Inputs() {
				if inputDam(n, i) < safe {
					further = true
					visit(x)
				}
			}
		}
		if !further {
			out = append(out, n)
		}
	}
	visit(n)
	return out
}

// separate stores the rows of the lower input; an exchange there already is made anew,
// so that both inputs need not share it.
func (g *execGraph) separate(n phys.Node, _, lower int, mode string) {
	in := n.Inputs()[lower]
	if x, ok := in.(*phys.Exchange); ok {
		y := *x
		y.In = append([]phys.Node(nil), x.In...)
		y.ShuffleMode = mode
		n.Inputs()[lower] = &y
		g.give(&y)
		return
	}
	x := &phys.Exchange{Base: base(in.Schema(), in), Distribution: "any", ShuffleMode: mode}
	if keys, hash := requiredHash(n, lower); hash {
		x.Distribution, x.Keys = "hash", keys
	}
	n.Inputs()[lower] = x
	g.give(x)
}

// requiredHash is the hash distribution that an operator wants of an input.
func requiredHash(n phys.Node, i int) ([]int, bool) {
	if j, ok := n.(*phys.Join); ok && (j.Kind == "NestedLoopJoin" || j.Broadcast) {
		return nil, false
	}
	keys := hashColumns(n, i)
	return keys, len(keys) > 0
}
