package plan

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/phys"
)

// inputGroup is a set of operators that run as one MultipleInput, its root first.
type inputGroup struct {
	members []*wrapper
	root    *wrapper
}

// wrapper is a node of the graph with its neighbours.
type wrapper struct {
	node            phys.Node
	inputs, outputs []*wrapper
	group           *inputGroup
}

// createMultipleInputs is MultipleInputNodeCreationProcessor: operators with two inputs,
// and what hangs on them without an exchange between, become one node.
func (g *execGraph) createMultipleInputs() {
	wrappers := map[phys.Node]*wrapper{}
	wrap := func(n phys.Node) *wrapper {
		if wrappers[n] == nil {
			wrappers[n] = &wrapper{node: n}
		}
		return wrappers[n]
	}
	var roots []*wrapper
	seen := map[phys.Node]bool{}
	var visit func(n phys.Node)
	visit = func(n phys.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		w := wrap(n)
		for _, x := range n.Inputs() {
			in := wrap(x)
			w.inputs = append(w.inputs, in)
			in.outputs = append(in.outputs, w)
		}
		for _, x := range n.Inputs() {
			visit(x)
		}
	}
	for _, r := range g.roots {
		visit(r)
		roots = append(roots, wrap(r))
	}
	ordered := consumersFirst(roots)
	for _, w := range ordered {
		w.join()
	}
	for i := len(ordered) - 1; i >= 0; i-- {
		g.leaveEntrance(ordered[i])
	}
	for _, w := range ordered {
		g.leaveRoot(w)
	}
	done := map[*wrapper]phys.Node{}
	for i, r := range roots {
		g.roots[i] = g.create(r, done)
	}
}

// consumersFirst sorts topologically, breadth first.
func consumersFirst(roots []*wrapper) []*wrapper {
	var out []*wrapper
	queue := append([]*wrapper(nil), roots...)
	visited := map[*wrapper]int{}
	for len(queue) > 0 {
		w := queue[0]
		queue = queue[1:]
		out = append(out, w)
		for _, in := range w.inputs {
			visited[in]++
			if visited[in] == len(in.outputs) {
				queue = append(queue, in)
			}
		}
	}
	return out
}

func isExchange(n phys.Node) bool {
	_, ok := n.(*phys.Exchange)
	return ok
}

func isUnion(n phys.Node) bool {
	_, ok := n.(*phys.Union)
	return ok
}

// chainable: a source that can run inside the task of its reader. To ask that Flink
// translates the source.
func (g *execGraph) chainable(n phys.Node) bool {
	_, ok := n.(*phys.TableSourceScan)
	if ok && !slices.Contains(g.early, n) {
		g.early = append(g.early, n)
	}
	return ok
}

func (g *execGraph) readsChainable(w *wrapper) bool {
	return slices.ContainsFunc(w.inputs, func(in *wrapper) bool { return g.chainable(in.node) })
}

// join makes the node a member of its consumers' group, or the root of a new one.
func (w *wrapper) join() {
	if len(w.inputs) == 0 || isExchange(w.node) {
		return
	}
	if len(w.outputs) > 0 && w.outputs[0].group != nil {
		same := true
		for _, o := range w.outputs {
			same = same && o.group == w.outputs[0].group
		}
		if same {
			w.group = w.outputs[0].group
			w.group.members = append(w.group.members, w)
			return
		}
	}
	if len(w.inputs) >= 2 {
		w.group = &inputGroup{members: []*wrapper{w}, root: w}
	}
}

// leaveEntrance takes nodes at the edge of a group out again, where they gain nothing
// there, or must run with one task.
func (g *execGraph) leaveEntrance(w *wrapper) {
	if w.group == nil {
		return
	}
	for _, in := range w.inputs {
		if in.group == w.group {
			return
		}
	}
	leave := false
	switch {
	case isUnion(w.node):
		leave = !g.readsChainable(w)
	case len(w.inputs) == 1:
		in := w.inputs[0].node
		leave = !isExchange(in) && !g.chainable(in)
	}
	for _, in := range w.inputs {
		if x, ok := in.node.(*phys.Exchange); ok && x.Distribution == "single" {
			leave = true
		}
	}
	if leave {
		w.group.remove(w)
	}
}

// leaveRoot dissolves groups of one operator that reads no source, and takes away roots
// that need no group.
func (g *execGraph) leaveRoot(w *wrapper) {
	group := w.group
	if group == nil || group.root != w {
		return
	}
	if len(group.members) == 1 {
		if isUnion(w.node) || !g.readsChainable(w) {
			group.removeRoot()
		}
		return
	}
	switch {
	case isUnion(w.node):
		w.leaveUselessUnion()
	case len(w.inputs) == 1:
		group.removeRoot()
	}
}

func (w *wrapper) leaveUselessUnion() {
	useful := 0
	var useless [][]*wrapper
	for _, in := range w.inputs {
		same := in.sameGroup(w.group)
		valuable := slices.ContainsFunc(same, func(x *wrapper) bool { return len(x.inputs) >= 2 && !isUnion(x.node) })
		if valuable {
			useful++
		} else {
			useless = append(useless, same)
		}
	}
	if useful >= 2 {
		return
	}
	for _, branch := range useless {
		for _, x := range branch {
			if x.group != nil {
				x.group.remove(x)
			}
		}
	}
	w.group.removeRoot()
}

// sameGroup lists what of a branch belongs to a group.
func (w *wrapper) sameGroup(g *inputGroup) []*wrapper {
	var out []*wrapper
	seen := map[*wrapper]bool{w: true}
	queue := []*wrapper{w}
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		if x.group != g {
			continue
		}
		out = append(out, x)
		for _, in := range x.inputs {
			if !seen[in] {
				seen[in] = true
				queue = append(queue, in)
			}
		}
	}
	return out
}

func (g *inputGroup) remove(w *wrapper) {
	if w == g.root {
		g.removeRoot()
		return
	}
	g.members = slices.DeleteFunc(g.members, func(x *wrapper) bool { return x == w })
	w.group = nil
}

func (g *inputGroup) removeRoot() {
	old := g.root
	g.members = slices.DeleteFunc(g.members, func(x *wrapper) bool { return x == old })
	old.group, g.root = nil, nil
	for _, in := range old.inputs {
		if slices.Contains(g.members, in) {
			g.root = in
		}
	}
}

// create makes the MultipleInput nodes, inputs first.
func (g *execGraph) create(w *wrapper, done map[*wrapper]phys.Node) phys.Node {
	if n, ok := done[w]; ok {
		return n
	}
	for i, in := range w.inputs {
		w.node.Inputs()[i] = g.create(in, done)
	}
	n := w.node
	if w.group != nil && w.group.root == w {
		n = w.group.create(done)
		g.give(n)
	}
	done[w] = n
	return n
}

func (g *inputGroup) create(done map[*wrapper]phys.Node) phys.Node {
	var inputs []phys.Node
	keys := map[int][]int{}
	for _, m := range g.members {
		for i, in := range m.inputs {
			if slices.Contains(g.members, in) {
				continue
			}
			if k, hash := requiredHash(m.node, i); hash {
				keys[len(inputs)] = k
			}
			inputs = append(inputs, done[in])
		}
	}
	orders := readOrders(g.root.node, inputs)
	text := "MultipleInput("
	if slices.Max(orders) > 0 {
		s := make([]string, len(orders))
		for i, o := range orders {
			s[i] = strconv.Itoa(o)
		}
		text += "readOrder=[" + strings.Join(s, ",") + "], "
	}
	members := phys.MemberTree(g.root.node, inputs, phys.TextOptions{Execution: true, Batch: true})
	text += `members=[\n` + strings.ReplaceAll(members, "\n", `\n`) + "])"
	return &phys.MultipleInput{Base: phys.Base{In: inputs, Fields: g.root.node.Schema()}, Text: text, HashKeys: keys,
		Member: g.root.node, Borders: slices.Clone(inputs)}
}

// readOrders numbers the inputs by the order in which they must be read (InputOrderCalculator).
func readOrders(root phys.Node, inputs []phys.Node) []int {
	boundaries := map[phys.Node]bool{}
	var list []phys.Node
	for _, in := range inputs {
		if !boundaries[in] {
			boundaries[in] = true
			list = append(list, in)
		}
	}
	t := newTopology([]phys.Node{root}, boundaries)
	seen := map[phys.Node]bool{}
	var visit func(n phys.Node)
	visit = func(n phys.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if !boundaries[n] {
			for _, x := range n.Inputs() {
				visit(x)
			}
			t.orderInputs(n, boundaries, damBlocking, func(int, int) {})
		}
	}
	visit(root)
	t.relateBoundaries(list)
	d := t.distances()
	var steps []int
	for _, in := range list {
		if !slices.Contains(steps, d[in]) {
			steps = append(steps, d[in])
		}
	}
	sort.Ints(steps)
	out := make([]int, len(inputs))
	for i, in := range inputs {
		out[i] = slices.Index(steps, d[in])
	}
	return out
}

// relateBoundaries: an input that shares a source with another, and reads it without a
// stop, must not be read later than that.
func (t *topology) relateBoundaries(list []phys.Node) {
	for i, a := range list {
		for _, b := range list[i+1:] {
			if t.reaches(a, b) || t.reaches(b, a) {
				continue
			}
			above := ancestors(a)
			if flowsFrom(a, ancestors(b)) {
				t.asFarAs(b, a)
			}
			if flowsFrom(b, above) {
				t.asFarAs(a, b)
			}
		}
	}
}

func (t *topology) asFarAs(a, b phys.Node) {
	t.know(a)
	t.know(b)
	for _, in := range t.in[b] {
		t.link(in, a)
	}
}

func ancestors(n phys.Node) map[phys.Node]bool {
	out := map[phys.Node]bool{}
	visitInputsFirst([]phys.Node{n}, func(x phys.Node) { out[x] = true })
	return out
}

func flowsFrom(n phys.Node, goals map[phys.Node]bool) bool {
	if goals[n] {
		return true
	}
	for i, in := range n.Inputs() {
		if inputDam(n, i) < damEndInput && flowsFrom(in, goals) {
			return true
		}
	}
	return false
}
