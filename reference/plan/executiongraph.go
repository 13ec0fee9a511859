package plan

import "github.com/labgrade/labgrade/reference/phys"

// executionGraph is what Flink's "Optimized Execution Plan" shows: operators of all
// statements as one graph, with the numbers that Flink gives them.
type executionGraph struct {
	roots []phys.Node
	numbers
	// early are the sources that were translated while MultipleInputs were searched for.
	early []phys.Node
}

// numbers are the ids of the nodes of an execution graph, counted from 1 for each plan. Nodes are
// numbered as they are made: inputs before their consumer, and last what is added to the finished graph.
type numbers struct {
	of   map[phys.Node]int
	last int
}

func (n *numbers) give(x phys.Node) {
	if _, ok := n.of[x]; !ok {
		n.last++
		n.of[x] = n.last
	}
}

// giveAll numbers the nodes of a graph.
func (n *numbers) giveAll(roots []phys.Node) {
	n.of = map[phys.Node]int{}
	visitInputsFirst(roots, n.give)
}

// executionGraph makes the execution graph of all statements together.
func (p *Plan) executionGraph() *executionGraph {
	g := newExecGraph(p.cfg, p.Roots)
	g.giveAll(g.roots)
	if p.Batch {
		g.process()
	}
	e := &execution{batch: p.Batch, done: map[visit]phys.Node{}, numbers: &g.numbers}
	for i, r := range g.roots {
		g.roots[i] = e.convert(r, false)
	}
	if p.Batch {
		g.adaptJoins()
	}
	return &executionGraph{roots: g.roots, numbers: g.numbers, early: g.early}
}
