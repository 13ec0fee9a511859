package plan

import (
	"slices"

	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// pruneAggregate drops unused calls (PruneAggregateCallRule) and cuts the input to
// keys, arguments and filters, in the order of the input.
func (b *builder) pruneAggregate(c *calc, n *aggNode, refs []int) {
	b.doubtAggregate(n)
	used := map[int]bool{}
	for _, r := range refs {
		used[r] = true
	}
	nk := len(n.keys)
	to := map[int]int{}
	for i := range nk {
		to[i] = i
	}
	// What a dropped call reads is still read in streaming, where calls are dropped
	// after projections were pushed down (recorded random cases; batch drops it). An aggregate that stands right above another one,
	// without a projection between, leaves the inner calls as they are.
	need := map[int]bool{}
	for _, call := range n.calls {
		n.reads(call, need)
	}
	for i := range n.in.exprs {
		need[i] = need[i] || n.json
	}
	if _, agg := n.in.in.(*aggNode); agg && nk > 0 && n.in.trivial() && !n.in.projected {
		for i := range n.in.exprs {
			need[i] = true
		}
	}
	b.reduceBeforePruning(c, n, used)
	var calls []rel.AggCall
	fields := append([]value.Field(nil), n.fields[:nk]...)
	for i, call := range n.calls {
		if !used[nk+i] && (nk > 0 || len(calls) > 0 || i < len(n.calls)-1) {
			continue
		}
		to[nk+i] = len(fields)
		fields = append(fields, n.fields[nk+i])
		calls = append(calls, call)
	}
	n.calls, n.fields = calls, fields
	c.renumber(to)
	if b.removeAggregate(c, n) {
		b.pruneColumns(c)
		return
	}
	if j, ok := n.in.in.(*joinNode); ok && j.typ == "inner" && len(j.cond) == 0 {
		b.fail(unsupported.New("an aggregate over a cross join"))
		return
	}
	before := n.in
	b.constantKeys(c, n)
	b.rewriteCalls(c, n)
	if n.in != before {
		need = map[int]bool{} // the columns have other numbers now
		if a, ok := n.in.in.(*aggNode); ok && a.distinct && n.in.trivial() && !n.in.projected {
			for i := range n.in.exprs {
				need[i] = true
			}
		}
	}
	kept := map[int]bool{}
	for _, k := range n.keys {
		kept[k] = true
	}
	for _, call := range n.calls {
		n.reads(call, kept)
	}
	n.dropComputed(need, kept)
	for i := range kept {
		need[i] = true
	}
	var want []int
	at := map[int]int{}
	for i := range n.in.exprs {
		if need[i] {
			at[i] = len(want)
			want = append(want, i)
		}
	}
	all := n.in
	if len(want) < len(n.in.exprs) {
		n.in = n.in.keepOutputs(want)
		n.renumberInput(at)
	}
	if len(n.keys)+len(n.calls) > 0 && len(want) == 0 {
		n.in = b.countInput(n.in, all)
	}
	groups := names(n.fields[:len(n.keys)])
	n.mergeProject(c)
	if n.regrouped && (b.cfg.Batch || len(n.calls) > 0) && !slices.Equal(groups, names(n.fields[:len(n.keys)])) {
		b.doubtText("a correlated aggregate whose groups stand in another order than the columns")
	}
	b.pruneColumns(n.in)
}

// dropComputed: where all columns that are left are plain ones and a computed one goes,
// the projection goes with it, and the aggregate reads what the projection has read.
func (n *aggNode) dropComputed(need, kept map[int]bool) {
	computed := false
	for i := range n.in.exprs {
		_, ref := n.in.exprs[i].(*rex.InputRef)
		if kept[i] && !ref {
			return
		}
		computed = computed || need[i] && !kept[i] && !ref
	}
	if _, ok := n.in.in.(*scanNode); !computed || !ok || len(kept) == 0 {
		return
	}
	var read []rex.Expr
	for i, e := range n.in.exprs {
		if need[i] || kept[i] {
			read = append(read, e)
		}
	}
	refs := rex.Refs(read...)
	if len(n.in.cond) > 0 {
		refs = ascending(union(refs, rex.Refs(n.in.cond...)))
	}
	at := map[int]int{}
	schema := n.in.in.schema()
	below := &calc{in: n.in.in, cond: n.in.cond, projected: n.in.projected}
	for i, r := range refs {
		at[r] = i
		below.exprs = append(below.exprs, &rex.InputRef{Index: r, T: schema[r].Type})
		below.fields = append(below.fields, schema[r])
	}
	to := map[int]int{}
	clear(need)
	for i, e := range n.in.exprs {
		if kept[i] {
			to[i] = at[e.(*rex.InputRef).Index]
		}
	}
	clear(kept)
	for i := range refs {
		need[i] = true
	}
	n.renumberInput(to)
	n.in = below
}

// reads adds the input columns of a call.
func (n *aggNode) reads(call rel.AggCall, need map[int]bool) {
	for _, a := range call.Args {
		need[a] = true
	}
	if call.Filter >= 0 {
		need[call.Filter] = true
	}
	for _, k := range call.Collation {
		need[k.Column] = true
	}
}

// countInput chooses what an aggregate that reads no column gets: COUNT(*) needs rows
// only. An input of one column stays as it is (RelFieldTrimmer.dummyProject); else it is
// the constant 0, or all columns that are there anyway where those are no wider.
func (b *builder) countInput(in *calc, all *calc) *calc {
	if len(all.exprs) == 1 {
		return all
	}
	refs := ascending(rex.Refs(in.cond...))
	switch x := in.in.(type) {
	case *unionNode:
		if all.trivial() && len(all.exprs) > 0 {
			return all.keepOutputs([]int{0})
		}
		refs = nil
	case *scanNode, *valuesNode:
		if len(refs) == 0 {
			refs = []int{0}
		}
	case *watermarkNode:
	case *joinNode:
		if x.typ != "semi" && x.typ != "anti" || len(in.cond) > 0 {
			refs = nil
			break
		}
		var left []int
		for _, r := range rex.Refs(x.cond...) {
			if r < len(x.left.exprs) {
				left = append(left, r)
			}
		}
		refs = ascending(left)
	case *aggNode:
		refs = ascending(union(sequence(len(x.keys)), refs))
		if len(x.keys) == 0 || len(x.sets) > 0 {
			refs = nil
		}
	default:
		refs = nil
	}
	out := *in
	out.projected = true
	out.exprs, out.fields = nil, nil
	width := 0.0
	for _, r := range refs {
		f := in.in.schema()[r]
		width += averageSize(f.Type)
		out.exprs = append(out.exprs, &rex.InputRef{Index: r, T: f.Type})
		out.fields = append(out.fields, f)
	}
	if len(refs) > 0 && width <= 4 {
		return &out
	}
	out.exprs = []rex.Expr{intLiteral(0)}
	out.fields = []value.Field{{Name: "$f0", Type: intLiteral(0).T}}
	return &out
}

// averageSize is FlinkRelMdSize's guess of a value's bytes.
func averageSize(t value.Type) float64 {
	switch t.Kind {
	case value.KindBoolean, value.KindTinyInt:
		return 1
	case value.KindSmallInt:
		return 2
	case value.KindInt, value.KindFloat:
		return 4
	case value.KindBigInt, value.KindDouble:
		return 8
	case value.KindChar:
		return 1
	case value.KindBinary, value.KindVarbinary:
		return 16
	case value.KindRow:
		sum := 0.0
		for _, f := range t.Fields {
			sum += averageSize(f.Type)
		}
		return sum
	case value.KindArray:
		return 16 * averageSize(*t.Elem)
	case value.KindMap:
		return 16 * (averageSize(*t.Key) + averageSize(*t.Elem))
	case value.KindMultiset:
		return 16 * (averageSize(*t.Elem) + 4)
	}
	return 12
}

// rewriteCalls expands grouping sets and reduces functions; the calc above takes the
// old outputs from expressions over the new ones.
func (b *builder) rewriteCalls(c *calc, n *aggNode) {
	if len(n.sets) > 0 {
		single := len(n.sets) == 1
		old := b.groupingSets(n)
		c.substitute(old)
		if single {
			b.constantGrouping(c)
		}
		b.belowExpanded(c, n)
	}
	b.expandDistinct(c, n)
	rows := b.rows(n.in)
	vals, changed := b.reduceFunctions(n, rows, b.groupRows(n, rows))
	if !changed {
		return
	}
	var old []rex.Expr
	for i := range n.keys {
		old = append(old, &rex.InputRef{Index: i, T: n.fields[i].Type})
	}
	c.substitute(append(old, vals...))
}

// belowExpanded moves conditions on group keys, which not every grouping set has, between
// the Expand and the aggregate.
func (b *builder) belowExpanded(c *calc, n *aggNode) {
	if _, ok := n.in.in.(*expandNode); !ok {
		return
	}
	var rest []rex.Expr
	for _, e := range c.cond {
		down := len(rex.Refs(e)) > 0 && rex.Deterministic(e)
		for _, r := range rex.Refs(e) {
			down = down && r < len(n.keys)
		}
		if !down {
			rest = append(rest, e)
			continue
		}
		in := *n.in
		in.cond = append(append([]rex.Expr(nil), in.cond...), rex.Transform(e, func(x rex.Expr) rex.Expr {
			if r, ok := x.(*rex.InputRef); ok {
				return n.in.exprs[n.keys[r.Index]]
			}
			return x
		}))
		n.in = &in
	}
	c.cond = rest
}

// substitute puts expressions in place of the operator's columns.
func (c *calc) substitute(old []rex.Expr) {
	for i, e := range c.exprs {
		c.exprs[i] = rex.Substitute(e, old)
	}
	cond := make([]rex.Expr, len(c.cond))
	for i, e := range c.cond {
		cond[i] = rex.Substitute(e, old)
	}
	c.cond = cond
}

func (n *aggNode) renumberInput(at map[int]int) {
	keys := make([]int, len(n.keys))
	for i, k := range n.keys {
		keys[i] = at[k]
	}
	n.keys = keys
	var sets [][]int
	for _, s := range n.sets {
		set := make([]int, len(s))
		for i, k := range s {
			set[i] = at[k]
		}
		sets = append(sets, set)
	}
	n.sets = sets
	calls := append([]rel.AggCall(nil), n.calls...)
	for i := range calls {
		args := make([]int, len(calls[i].Args))
		for j, a := range calls[i].Args {
			args[j] = at[a]
		}
		calls[i].Args = args
		if calls[i].Filter >= 0 {
			calls[i].Filter = at[calls[i].Filter]
		}
		keys := append([]rel.SortKey(nil), calls[i].Collation...)
		for j := range keys {
			keys[j].Column = at[keys[j].Column]
		}
		calls[i].Collation = keys
	}
	n.calls = calls
}
