package phys

import "strings"

// Forest prints an execution plan: one root as a tree, several as Flink prints a graph
// (ExecNodePlanDumper.dagToString): what several places read stands first, as a tree of its
// own, then whatever reads it. roots are a graph: shared nodes are the same node.
func Forest(roots []Node, o TextOptions) string {
	if len(roots) == 1 {
		return Tree(roots[0], o)
	}
	o.Graph = true
	t := &tree{o: o}
	t.findReuse(roots)
	f := &forest{t: t, seen: map[Node]bool{}}
	for _, r := range roots {
		f.visit(r)
	}
	return strings.TrimRight(t.b.String(), "\n")
}

type forest struct {
	t    *tree
	seen map[Node]bool
}

func (f *forest) visit(n Node) {
	first := !f.seen[n]
	f.seen[n] = true
	if first {
		for _, in := range n.Inputs() {
			f.visit(in)
		}
	}
	_, sink := n.(*Sink)
	_, shared := f.t.shared[f.t.key[n]]
	if sink || shared && first {
		f.t.write(n, nil)
		f.t.b.WriteByte('\n')
	}
}
