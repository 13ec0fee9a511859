package plan

import (
	"github.com/labgrade/labgrade/reference/phys"
)

// execGraph is the batch execution plan while it is rewritten: a graph, because a sub-plan
// that occurs several times runs once. It owns its nodes.
type execGraph struct {
	cfg   *Config
	roots []phys.Node
	// copied finds the nodes of the physical plan in the graph, adapted what has become
	// of joins that adapt.
	copied  map[phys.Node]phys.Node
	adapted map[phys.Node]bool
	numbers
	early []phys.Node
}

// newExecGraph copies a physical plan; sub-plans with the same text become one node.
func newExecGraph(cfg *Config, roots []phys.Node) *execGraph {
	share := phys.NewSharer()
	g := &execGraph{cfg: cfg, copied: share.Copied, adapted: map[phys.Node]bool{}}
	for _, r := range roots {
		g.roots = append(g.roots, share.Copy(r))
	}
	return g
}

// process runs the processors of Flink's BatchPlanner in their order; the exchanges that
// keep a hash distribution follow in between (execution.convert).
func (g *execGraph) process() {
	g.resolveConflicts(damEndInput, "BATCH")
	if v, set := g.cfg.lookup("table.optimizer.multiple-input-enabled"); !set || v == "true" {
		g.resolveConflicts(damBlocking, "")
		g.createMultipleInputs()
	}
}

// dam tells how far an operator holds back rows of an input.
type dam int

const (
	damPipelined dam = iota
	damEndInput
	damBlocking
)

// inputDam is the DamBehavior of the i-th input edge.
func inputDam(n phys.Node, i int) dam {
	switch n := n.(type) {
	case *phys.Exchange:
		return damBlocking // all exchanges write to disk by default
	case *phys.Join:
		switch {
		case n.Kind == "SortMergeJoin":
			return damEndInput
		case n.BuildLeft == (i == 0):
			return damBlocking
		}
	case *phys.BatchAggregate:
		if len(n.Keys) == 0 || !n.Sorted && !n.Local {
			return damEndInput
		}
	case *phys.Sort, *phys.SortLimit:
		return damEndInput
	}
	return damPipelined
}

// inputPriority orders the inputs of an operator: lower numbers are read first.
func inputPriority(n phys.Node, i int) int {
	j, ok := n.(*phys.Join)
	if !ok || j.Kind == "SortMergeJoin" || j.BuildLeft == (i == 0) {
		return 0
	}
	return 1
}

// visitInputsFirst calls f for every node once, inputs before their consumer.
func visitInputsFirst(roots []phys.Node, f func(phys.Node)) {
	seen := map[phys.Node]bool{}
	var visit func(n phys.Node)
	visit = func(n phys.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for i := range n.Inputs() {
			visit(n.Inputs()[i])
		}
		f(n)
	}
	for _, r := range roots {
		visit(r)
	}
}

// topology orders nodes by what must be read first (TopologyGraph).
type topology struct {
	out map[phys.Node][]phys.Node
	in  map[phys.Node][]phys.Node
	// order lists the nodes as they came in.
	order []phys.Node
}

// newTopology links all edges from the roots down to the boundaries.
func newTopology(roots []phys.Node, boundaries map[phys.Node]bool) *topology {
	t := &topology{out: map[phys.Node][]phys.Node{}, in: map[phys.Node][]phys.Node{}}
	seen := map[phys.Node]bool{}
	var visit func(n phys.Node)
	visit = func(n phys.Node) {
		if seen[n] || boundaries[n] {
			return
		}
		seen[n] = true
		for _, x := range n.Inputs() {
			t.link(x, n)
		}
		for _, x := range n.Inputs() {
			visit(x)
		}
	}
	for _, r := range roots {
		visit(r)
	}
	return t
}

func (t *topology) know(n phys.Node) {
	if _, ok := t.out[n]; !ok {
		t.out[n], t.in[n] = nil, nil
		t.order = append(t.order, n)
	}
}

// link adds an edge unless that closes a loop.
func (t *topology) link(from, to phys.Node) bool {
	t.know(from)
	t.know(to)
	if t.reaches(to, from) {
		return false
	}
	for _, x := range t.out[from] {
		if x == to {
			return true
		}
	}
	t.out[from] = append(t.out[from], to)
	t.in[to] = append(t.in[to], from)
	return true
}

func (t *topology) unlink(from, to phys.Node) {
	t.out[from] = without(t.out[from], to)
	t.in[to] = without(t.in[to], from)
}

func without(list []phys.Node, n phys.Node) []phys.Node {
	var out []phys.Node
	for _, x := range list {
		if x != n {
			out = append(out, x)
		}
	}
	return out
}

func (t *topology) reaches(from, to phys.Node) bool {
	seen := map[phys.Node]bool{from: true}
	queue := []phys.Node{from}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if n == to {
			return true
		}
		for _, x := range t.out[n] {
			if !seen[x] {
				seen[x] = true
				queue = append(queue, x)
			}
		}
	}
	return false
}

// distances are the longest ways from nodes without inputs.
func (t *topology) distances() map[phys.Node]int {
	out := map[phys.Node]int{}
	visited := map[phys.Node]int{}
	var queue []phys.Node
	for _, n := range t.order {
		if len(t.in[n]) == 0 {
			queue = append(queue, n)
		}
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		d := -1
		for _, x := range t.in[n] {
			d = max(d, out[x])
		}
		out[n] = d + 1
		for _, x := range t.out[n] {
			visited[x]++
			if visited[x] == len(t.in[x]) {
				queue = append(queue, x)
			}
		}
	}
	return out
}
