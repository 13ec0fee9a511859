package plan

import (
	"sort"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// mergeProject lets the aggregate read its input's columns where they stand, if the
// projection only reorders all of them: FlinkAggregateProjectMergeRule. A projection
// that drops columns is cheaper and stays. Keys then stand in the input's order, and
// the calc above restores the query's.
func (n *aggNode) mergeProject(c *calc) {
	in := n.in
	if !in.onlyRefs() {
		return
	}
	seen := map[int]bool{}
	for _, e := range in.exprs {
		seen[e.(*rex.InputRef).Index] = true
	}
	if len(seen) < len(in.exprs) && !n.shareColumns() {
		return
	}
	in = n.in
	width := len(in.in.schema())
	if below, ok := in.in.(*aggNode); ok && len(below.sets) == 0 {
		width = below.prunedWidth(in)
	}
	if g, ok := in.in.(*groupWindowNode); ok {
		// The window's properties are no columns until one is read.
		width = len(g.agg.fields)
		for i := range seen {
			if i >= width {
				return
			}
		}
	}
	_, scan := in.in.(*scanNode)
	switch {
	case len(in.cond) > 0 && scan:
		// The source reads just what is mentioned, in table order.
		for _, r := range rex.Refs(in.cond...) {
			if !seen[r] {
				return
			}
		}
	case len(in.exprs) != width:
		return
	}
	var order []int
	for i := range in.exprs {
		order = append(order, i)
	}
	sort.SliceStable(order, func(a, b int) bool {
		return in.exprs[order[a]].(*rex.InputRef).Index < in.exprs[order[b]].(*rex.InputRef).Index
	})
	at := map[int]int{}
	same := true
	for to, from := range order {
		at[from] = to
		same = same && to == from
	}
	if same {
		return
	}
	out := &calc{in: in.in, cond: in.cond, projected: in.projected}
	for _, from := range order {
		out.exprs = append(out.exprs, in.exprs[from])
		out.fields = append(out.fields, in.fields[from])
	}
	n.in = out
	n.renumberInput(at)
	n.sortKeys(c)
}

// prunedWidth is how many columns an aggregate gives when the calls that c above it does not
// read have gone: Flink drops them before it looks at the projection.
func (n *aggNode) prunedWidth(c *calc) int {
	width := len(n.keys)
	seen := map[int]bool{}
	for _, r := range union(rex.Refs(c.exprs...), rex.Refs(c.cond...)) {
		if r >= len(n.keys) && !seen[r] {
			seen[r] = true
			width++
		}
	}
	return width
}

// shareColumns lets the aggregate read a column once that its input gives several times, but
// for group keys, which would become fewer.
func (n *aggNode) shareColumns() bool {
	at, first := map[int]int{}, map[int]int{}
	var want []int
	for i, e := range n.in.exprs {
		r := e.(*rex.InputRef).Index
		to, ok := first[r]
		if !ok {
			to = len(want)
			first[r] = to
			want = append(want, i)
		}
		at[i] = to
	}
	seen := map[int]bool{}
	for _, k := range n.keys {
		if seen[at[k]] {
			return false
		}
		seen[at[k]] = true
	}
	n.in = n.in.keepOutputs(want)
	n.renumberInput(at)
	return true
}

// sortKeys puts the group keys in ascending order of the input's columns.
func (n *aggNode) sortKeys(c *calc) {
	if sort.IntsAreSorted(n.keys) || len(n.sets) > 0 {
		return
	}
	order := sequence(len(n.keys))
	sort.SliceStable(order, func(a, b int) bool { return n.keys[order[a]] < n.keys[order[b]] })
	to := map[int]int{}
	keys := make([]int, len(order))
	fields := append([]value.Field(nil), n.fields...)
	for now, old := range order {
		keys[now] = n.keys[old]
		fields[now] = n.fields[old]
		to[old] = now
	}
	for i := len(order); i < len(fields); i++ {
		to[i] = i
	}
	n.keys, n.fields = keys, fields
	c.renumber(to)
}
