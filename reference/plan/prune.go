package plan

import (
	"slices"
	"sort"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// keepOutputs cuts a calc to the wanted outputs, in their order.
func (c *calc) keepOutputs(want []int) *calc {
	out := &calc{in: c.in, cond: c.cond, projected: c.projected}
	for _, i := range want {
		out.exprs = append(out.exprs, c.exprs[i])
		out.fields = append(out.fields, c.fields[i])
	}
	return out
}

func sequence(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func ascending(list []int) []int {
	out := append([]int(nil), list...)
	sort.Ints(out)
	return out
}

// pruneColumns drops what nobody reads, from the root down: each operator keeps what
// its calc mentions, and says what it needs of its inputs.
func (b *builder) pruneColumns(c *calc) {
	if b.err != nil {
		return
	}
	refs := rex.Refs(append(append([]rex.Expr(nil), c.exprs...), c.cond...)...)
	switch n := c.in.(type) {
	case *scanNode:
		b.pruneScan(c, n, refs)
	case *valuesNode:
	case *aggNode:
		b.pruneAggregate(c, n, refs)
	case *groupWindowNode:
		b.pruneGroupWindow(c, n, refs)
	case *expandNode:
		b.pruneColumns(n.in)
	case *unionNode:
		b.pruneUnion(c, n, refs)
	case *sortNode:
		b.pruneSort(c, n)
	case *joinNode:
		b.pruneJoin(c, n, refs)
	case *watermarkNode:
		b.pruneWatermark(c, n, refs)
	case *ptfNode:
		b.pruneColumns(n.in)
	case *windowTVFNode:
		b.pruneWindowTVF(c, n, refs)
	case *overNode:
		b.pruneOver(c, n, refs)
	case *rankNode:
		b.pruneColumns(n.in)
	case *sinkNode:
		b.pruneColumns(n.in)
	case *correlateNode:
		b.pruneColumns(n.in)
	case *temporalNode:
		b.pruneTemporal(c, n, refs)
	case *matchNode:
		b.pruneColumns(n.in)
	}
}

// renumber rewrites a calc after its operator has lost columns: to[i] is the new
// place of column i.
func (c *calc) renumber(to map[int]int) {
	f := func(i int) int { return to[i] }
	for i, e := range c.exprs {
		c.exprs[i] = rex.Renumber(e, f)
	}
	cond := make([]rex.Expr, len(c.cond))
	for i, e := range c.cond {
		cond[i] = rex.Renumber(e, f)
	}
	c.cond = cond
}

// pruneScan pushes the projection into the source. Under a filter the columns keep
// the table's order (the projection was pushed past the filter first); without one
// they stand in the order of their first mention. A source that is asked for no
// column reads its first.
func (b *builder) pruneScan(c *calc, n *scanNode, refs []int) {
	if len(c.cond) > 0 {
		refs = ascending(refs)
	}
	if len(c.cond) == 0 && len(c.reads) == len(refs) {
		refs = c.reads
	}
	if len(refs) == 0 && len(n.fields) > 0 {
		refs = []int{0}
	}
	b.projectScan(c, n, b.withKey(n, refs))
}

func (b *builder) projectScan(c *calc, n *scanNode, refs []int) {
	// Metadata columns come behind the physical ones.
	var order []int
	for _, r := range refs {
		if n.table.Columns[n.columns[r]].Kind == catalog.Physical {
			order = append(order, r)
		}
	}
	for _, r := range refs {
		if n.table.Columns[n.columns[r]].Kind != catalog.Physical {
			order = append(order, r)
		}
	}
	// A query that uses every column is not pushed, whatever its order.
	if len(order) == len(n.fields) {
		return
	}
	to := map[int]int{}
	cols := make([]int, len(order))
	fields := make([]value.Field, len(order))
	for i, r := range order {
		to[r] = i
		cols[i] = n.columns[r]
		fields[i] = n.fields[r]
	}
	n.columns, n.fields, n.projected = cols, fields, true
	c.renumber(to)
}

// pruneUnion pushes the whole projection into every branch (ProjectSetOpTranspose).
func (b *builder) pruneUnion(c *calc, n *unionNode, refs []int) {
	if !c.trivial() {
		for i, in := range n.in {
			out := &calc{in: in.in, cond: in.cond, projected: true, fields: append([]value.Field(nil), c.fields...)}
			for _, e := range c.exprs {
				out.exprs = append(out.exprs, rex.Substitute(e, in.exprs))
			}
			n.in[i] = out
		}
		n.fields = append([]value.Field(nil), c.fields...)
		c.exprs = identity(n).exprs
	}
	for _, in := range n.in {
		b.pruneColumns(in)
	}
	_ = refs
}

// pruneSort keeps the sort's own input whole: what the query orders by is in its
// projection, which sits below.
func (b *builder) pruneSort(c *calc, n *sortNode) {
	switch n.in.in.(type) {
	case *aggNode, *joinNode:
		b.pruneColumns(n.in)
		b.liftProject(c, n)
		return
	case *watermarkNode:
		b.doubtSort(n)
	}
	b.liftProject(c, n)
	b.pruneColumns(n.in)
}

// pruneWatermark: the rowtime column is always read. The projection moves below the
// watermark assigner and keeps table order, rowtime last where it is not wanted itself.
func (b *builder) pruneWatermark(c *calc, n *watermarkNode, refs []int) {
	b.watermarkColumns(c, n, refs)
	b.pruneColumns(n.in)
}

// doubtSort: a sort above a watermark whose columns are all computed anyway.
func (b *builder) doubtSort(n *sortNode) {
	w := n.in.in.(*watermarkNode)
	if want := append(rex.Refs(n.in.exprs...), w.column); len(ascending(want)) < len(w.fields)+1 && w.sparesNothing(want) {
		b.doubtText("ORDER BY above computed columns that are not read")
	}
}

// doubtAggregate: rules of Flink's take away a DISTINCT below a UNION, and a join whose
// padded side a DISTINCT does not read; a column that USING shares is computed below the join.
func (b *builder) doubtAggregate(n *aggNode) {
	switch in := n.in.in.(type) {
	case *unionNode:
		for i, x := range in.in {
			if a, ok := x.in.(*aggNode); ok && len(n.calls) == 0 && len(a.calls) == 0 && len(a.sets) == 0 && slices.Equal(a.keys, sequence(len(a.in.exprs))) {
				if len(in.in) != 2 || !x.trivial() {
					b.doubtText("DISTINCT, INTERSECT or EXCEPT in a UNION")
					continue
				}
				in.in[i] = a.in // AggregateUnionAggregateRule
			}
		}
	case *joinNode:
		w := len(in.left.exprs)
		read := rex.Refs(append(append([]rex.Expr(nil), n.in.exprs...), n.in.cond...)...)
		leftOnly, rightOnly := len(read) > 0, len(read) > 0
		for _, r := range read {
			leftOnly, rightOnly = leftOnly && r < w, rightOnly && r >= w
		}
		if len(n.calls) == 0 && (in.typ == "left" && leftOnly || in.typ == "right" && rightOnly) {
			b.doubtText("DISTINCT of one side of an outer join")
		}
	}
}
