package plan

import (
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// watermarkColumns moves the projection below a watermark assigner
// (ProjectWatermarkAssignerTranspose): the columns in the order of their first
// mention - under a filter in their own order -, and the rowtime column behind them if
// nobody mentions it.
func (b *builder) watermarkColumns(c *calc, n *watermarkNode, refs []int) {
	if len(c.cond) > 0 {
		refs = ascending(refs)
	}
	want := append([]int(nil), refs...)
	has := false
	for _, r := range refs {
		has = has || r == n.column
	}
	if !has {
		want = append(want, n.column)
	}
	if len(want) == len(n.fields) || n.sparesNothing(want) {
		return
	}
	to := map[int]int{}
	fields := make([]value.Field, len(want))
	for i, r := range want {
		to[r] = i
		fields[i] = n.fields[r]
	}
	n.in = n.in.keepOutputs(want)
	n.expr = rex.Renumber(n.expr, func(i int) int { return to[i] })
	n.column = to[n.column]
	n.fields = fields
	c.renumber(to)
}

// sparesNothing: all columns of the source are read whether or not the other computed
// columns are kept, and one that is kept is computed. Then no plan is cheaper, and
// Flink keeps the first, with all of them.
func (n *watermarkNode) sparesNothing(want []int) bool {
	scan, ok := n.in.in.(*scanNode)
	if !ok {
		return false
	}
	computed := false
	var kept []rex.Expr
	for _, i := range want {
		_, column := n.in.exprs[i].(*rex.InputRef)
		computed = computed || !column
		kept = append(kept, n.in.exprs[i])
	}
	kept = append(kept, n.in.cond...)
	return computed && len(rex.Refs(kept...)) == len(scan.fields)
}
