package plan

import (
	"slices"

	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
)

// liftProject moves a projection from below a sort or limit to above it, if the sort
// keys are plain columns of it (SortProjectTranspose): what is computed is computed
// for fewer rows. A projection that a table source takes over stays below, and so
// does one of plain columns that shares a Calc with a filter, or drops columns of a join.
func (b *builder) liftProject(c *calc, n *sortNode) {
	in := n.in
	if in.trivial() {
		return
	}
	if in.onlyRefs() {
		j, join := in.in.(*joinNode)
		if join && b.cfg.Batch && n.fetch >= 0 && len(n.keys) > 0 && (isAggregate(j.left) || isAggregate(j.right)) {
			b.doubtText("ORDER BY with LIMIT above a join of an aggregate in batch")
		}
		if join && (n.fetch < 0 || b.cfg.Batch && len(n.keys) > 0) || len(in.cond) > 0 {
			return
		}
		if s, ok := in.in.(*scanNode); ok && len(rex.Refs(in.exprs...)) < len(s.fields) {
			return
		}
	}
	if _, ok := in.in.(*sortNode); ok && b.cfg.Batch && n.fetch < 0 {
		b.doubtText("ORDER BY above a projection of sorted rows in batch")
	}
	// A full sort needs less memory if it comes last, unless its input is narrower.
	switch in.in.(type) {
	case *groupWindowNode:
		if n.fetch < 0 && b.cfg.Batch && c.trivial() && widthOf(in.in.schema()) >= widthOf(in.fields) {
			return
		}
	case *aggNode, *joinNode:
		if n.fetch < 0 && widthOf(in.in.schema()) >= widthOf(in.fields) {
			return
		}
	}
	for _, e := range in.exprs {
		if (b.cfg.Batch || fn.ReadsWatermark(e)) && len(n.keys) > 0 && !rex.Deterministic(e) {
			return
		}
	}
	keys := make([]rel.SortKey, len(n.keys))
	for i, k := range n.keys {
		r, ok := in.exprs[k.Column].(*rex.InputRef)
		if !ok {
			return
		}
		k.Column = r.Index
		keys[i] = k
	}
	out := &calc{fields: c.fields, projected: true}
	for _, e := range c.exprs {
		out.exprs = append(out.exprs, rex.Substitute(e, in.exprs))
	}
	for _, e := range c.cond {
		out.cond = append(out.cond, rex.Substitute(e, in.exprs))
	}
	if c.keepsColumns() {
		out.fields = in.fields
	}
	below := identity(in.in)
	below.cond = in.cond
	// What nobody needs above the sort is dropped below it.
	need := map[int]bool{}
	for _, r := range rex.Refs(append(append([]rex.Expr(nil), out.exprs...), out.cond...)...) {
		need[r] = true
	}
	for _, k := range keys {
		need[k.Column] = true
	}
	// A rowtime column stays, for the watermarks pass through the sort.
	if w, ok := in.in.(*watermarkNode); ok && len(in.cond) == 0 {
		need[w.column] = true
	}
	prunable := false
	switch in.in.(type) {
	case *scanNode, *watermarkNode:
		prunable = true
	}
	if len(in.cond) > 0 {
		prunable = true
	}
	if prunable && len(need) < len(below.exprs) {
		to := map[int]int{}
		var want []int
		take := func(i int) {
			if _, ok := to[i]; !ok && need[i] {
				to[i] = len(want)
				want = append(want, i)
			}
		}
		// Under a filter and in a table the order is the columns' own, below a watermark
		// that of their use.
		if w, ok := in.in.(*watermarkNode); ok && len(in.cond) == 0 {
			for _, r := range rex.Refs(in.exprs...) {
				if r != w.column {
					take(r)
				}
			}
			for _, r := range rex.Refs(in.exprs...) {
				take(r)
			}
		}
		for i := range below.exprs {
			take(i)
		}
		below = below.keepOutputs(want)
		out.renumber(to)
		for i := range keys {
			keys[i].Column = to[keys[i].Column]
		}
	}
	n.keys = keys
	n.in = below
	out.in = n
	*c = *out
}

func isAggregate(c *calc) bool {
	_, ok := c.in.(*aggNode)
	return ok
}

// removeAggregate drops an aggregate whose groups have one row each
// (FlinkAggregateRemoveRule): no calls, or only SUM, MIN and MAX, over an input with a
// unique key inside the group keys.
func (b *builder) removeAggregate(c *calc, n *aggNode) bool {
	if len(n.sets) > 0 || len(n.keys) == 0 {
		return false
	}
	for _, call := range n.calls {
		switch call.Fn.Name {
		case "SUM", "MIN", "MAX", "$SUM0":
		default:
			return false
		}
		if call.Filter >= 0 || call.Distinct {
			return false
		}
	}
	unique := false
	for _, k := range logicalKeys(n.in, false) {
		if subset(k, n.keys) {
			unique = true
		}
	}
	if !unique {
		return false
	}
	if _, twice := n.in.in.(*aggNode); twice && b.cfg.Batch && len(n.calls) == 0 && n.in.onlyRefs() && !slices.IsSorted(rex.Refs(n.in.exprs...)) {
		b.doubtText("DISTINCT of columns in another order than those of DISTINCT below")
	}
	old := make([]rex.Expr, 0, len(n.fields))
	for _, k := range n.keys {
		old = append(old, n.in.exprs[k])
	}
	for _, call := range n.calls {
		e := n.in.exprs[call.Args[0]]
		if !rex.SameType(e.Type(), call.T) {
			e = &rex.Call{Op: rex.Cast, Args: []rex.Expr{e}, T: call.T}
		}
		old = append(old, e)
	}
	c.substitute(old)
	c.cond = append(append([]rex.Expr(nil), n.in.cond...), c.cond...)
	c.in = n.in.in
	c.projected = true
	return true
}

// logicalKeys are the unique keys of a calc's output that follow from primary keys and
// aggregates below. With rowtime they are looked for through watermarks, too: Flink does
// so for unique keys, but not where it asks whether columns are unique.
func logicalKeys(c *calc, rowtime bool) keySet {
	in := none()
	switch n := c.in.(type) {
	case *scanNode:
		if len(n.table.PrimaryKey) > 0 {
			var cols []int
			for _, k := range n.table.PrimaryKey {
				for i, f := range n.fields {
					if f.Name == k {
						cols = append(cols, i)
					}
				}
			}
			if len(cols) == len(n.table.PrimaryKey) {
				in = in.add(cols)
			}
		}
	case *aggNode:
		if len(n.sets) == 0 {
			in = in.add(sequence(len(n.keys)))
		}
	case *watermarkNode:
		if rowtime {
			in = logicalKeys(n.in, rowtime)
		}
	case *sortNode:
		in = logicalKeys(n.in, rowtime)
	case *overNode:
		// What becomes a Rank: no two rows of a partition have one number.
		in = logicalKeys(n.in, rowtime)
		if g := n.groups[0]; n.ranks() && g.calls[0].Agg.Name == "ROW_NUMBER" {
			if _, _, _, ok := rankBounds(c.cond, len(n.in.exprs)); ok {
				in = in.add(append(slices.Clone(g.partition), len(n.in.exprs)))
			}
		}
	case *joinNode:
		if n.typ == "semi" || n.typ == "anti" {
			in = logicalKeys(n.left, rowtime)
		}
	}
	return projectKeys(c.exprs, in)
}
