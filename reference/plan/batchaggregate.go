package plan

import (
	"math"
	"slices"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// candidate is one physical form of an operator with the CPU cost of what the forms do
// not have in common.
type candidate struct {
	node phys.Node
	cost float64
	// spread: the rows are distributed as the operator above wants them.
	spread bool
}

// batchAggregate chooses phases and algorithm of an aggregate, together with those of the
// aggregates below it.
func (p *physical) batchAggregate(n *aggNode) phys.Node {
	c := p.aggregateCandidates(n)
	if p.err != nil || len(c) == 0 {
		return &phys.Values{}
	}
	best := c[0]
	for _, x := range c[1:] {
		if x.cost < best.cost {
			best = x
		}
	}
	return best.node
}

// aggregateCandidates gives the cheapest form with a hash table, and the cheapest that
// leaves its output sorted.
func (p *physical) aggregateCandidates(n *aggNode) []candidate {
	if hasDistinct(n.calls) {
		p.fail(unsupported.New("batch DISTINCT aggregates of this shape"))
		return nil
	}
	if n.belowJoin() {
		p.doubtText("an aggregate above a join with a unique side")
	}
	if n.groupsByKeyOfSide() {
		p.doubtText("groups by a unique key of one side of a join and more")
	}
	if n.unreadBelowWindow() {
		p.doubtText("a batch aggregate above a window over columns that nobody reads")
	}
	for i, e := range n.in.exprs {
		if t := e.Type(); t.Time == value.Proctime && n.aggregated(i, t) {
			p.doubtText("an aggregate of proctime columns in batch")
		}
	}
	rowsIn := p.rows(n.in)
	rowsOut := p.groupRows(n, rowsIn)
	partial := p.partialRows(n, rowsIn, rowsOut)
	var hash, sort *candidate
	ins := p.inputCandidates(n.in, n.groupKeys())
	if p.err != nil {
		return nil
	}
	for _, in := range ins {
		for _, x := range p.aggregateForms(n, in, rowsIn, partial) {
			best := &hash
			if x.node.(*phys.BatchAggregate).Sorted {
				best = &sort
			}
			if *best == nil || x.cost < (*best).cost {
				*best = &x
			}
		}
		if p.err != nil {
			return nil
		}
	}
	var out []candidate
	if hash != nil {
		out = append(out, *hash)
	}
	if sort != nil {
		out = append(out, *sort)
	}
	return out
}

// belowJoin: Flink may aggregate the other side of a join first, where one side is unique
// on the join's keys (FlinkAggregateJoinTransposeRule).
func (n *aggNode) belowJoin() bool {
	j, ok := n.in.in.(*joinNode)
	if !ok || j.typ != "inner" || len(n.in.cond) > 0 || len(n.sets) > 0 {
		return false
	}
	counts := true
	for _, call := range n.calls {
		switch call.Fn.Name {
		case "SUM", "$SUM0", "MIN", "MAX":
			counts = false
		case "COUNT":
		default:
			return false
		}
		if call.Filter >= 0 || call.Distinct {
			return false
		}
	}
	if counts {
		return false // two counts to multiply cost more than they save
	}
	l, r, _, _ := equiKeys(j.cond, len(j.left.exprs))
	return len(l) > 0 && (uniqueOn(j.left, l) || uniqueOn(j.right, r))
}

// groupsByKeyOfSide: the groups hold a unique key of one input of a join, and other columns of
// that input, which AggregateReduceGroupingRule takes out of the keys.
func (n *aggNode) groupsByKeyOfSide() bool {
	j, ok := n.in.in.(*joinNode)
	if !ok || j.typ != "inner" && j.typ != "left" || len(n.sets) > 0 || len(n.aux) > 0 {
		return false
	}
	w := len(j.left.exprs)
	var l, r []int
	for _, k := range n.keys {
		ref, ok := n.in.exprs[k].(*rex.InputRef)
		switch {
		case !ok:
		case ref.Index < w:
			l = append(l, ref.Index)
		default:
			r = append(r, ref.Index-w)
		}
	}
	holds := func(c *calc, columns []int) bool {
		for _, k := range logicalKeys(c, false) {
			if len(k) < len(columns) && subset(k, columns) {
				return true
			}
		}
		return false
	}
	return holds(j.left, l) || holds(j.right, r)
}

// unreadBelowWindow: a column below a window is read neither by it nor above it. Flink does
// not hand it through some windows that no condition is about, and names the columns differently then.
func (n *aggNode) unreadBelowWindow() bool {
	o, ok := n.in.in.(*overNode)
	if !ok || len(n.in.cond) > 0 {
		return false
	}
	read := map[int]bool{}
	for _, r := range rex.Refs(append(slices.Clone(n.in.exprs), n.in.cond...)...) {
		read[r] = true
	}
	for _, g := range o.groups {
		for _, k := range g.partition {
			read[k] = true
		}
		for _, k := range g.keys {
			read[k.Column] = true
		}
		for _, c := range g.calls {
			for _, r := range rex.Refs(c.Args...) {
				read[r] = true
			}
		}
	}
	for i := range o.in.fields {
		if !read[i] {
			return true
		}
	}
	return false
}

// inputCandidates follows a calc to an aggregate right below it, or to a join that can
// distribute its rows by keys itself.
func (p *physical) inputCandidates(c *calc, keys []int) []candidate {
	switch in := c.in.(type) {
	case *joinNode:
		x := p.plain(c)
		out := []candidate{{node: x.node, cost: x.cost.cpu}}
		if x, ok := p.spreadJoin(c, in, need{"hash", keys, true}); ok {
			out = append(out, candidate{x.node, x.cost.cpu, true})
		}
		return out
	case *aggNode:
		below := p.aggregateCandidates(in)
		out := make([]candidate, len(below))
		for i, x := range below {
			out[i] = candidate{node: p.onTop(c, x.node), cost: x.cost}
		}
		return out
	}
	return []candidate{{node: p.calc(c)}}
}

// batchAgg is what all forms of an aggregate share.
type batchAgg struct {
	in        phys.Node
	calls     []phys.AggCall
	fields    []value.Field
	keys, aux []int
	// there: the rows are distributed well already.
	there bool
}

// aggregateForms are the ways to aggregate that Flink considers: with a hash table or over
// sorted rows, in one phase or two. A function that cannot merge forbids two phases, an
// accumulator of variable length the hash table. Where rows are distributed well already, a
// local phase is removed again, after it has been paid for. CPU costs are FlinkCost's: 8 a
// key for hashing, 4 a key and comparison for sorting, 12 a function call, 160 for
// serializing in an exchange. groups are the rows that a local phase gives.
func (p *physical) aggregateForms(n *aggNode, in candidate, rows, groups float64) []candidate {
	calls, fields := p.calls(n, in.node)
	a := &batchAgg{in: in.node, calls: calls, fields: fields, keys: n.groupKeys()}
	// Keys that the others determine are carried along, not compared.
	for at, k := range n.aux {
		if k != len(n.keys)-len(n.aux)+at {
			p.fail(unsupported.New("a constant group key before others"))
			return nil
		}
		a.aux = append(a.aux, n.keys[k])
	}
	merge, fixed := true, true
	for _, c := range calls {
		merge = merge && mergeable(c.Fn.Name)
		fixed = fixed && fixedLength(c)
	}
	keys := float64(len(a.keys))
	work := 12 * float64(len(calls))
	shuffle := 160 + 8*keys
	if keys == 0 {
		shuffle = 161
	}
	sorting := func(n float64) float64 { return 4 * keys * n * math.Max(math.Log(n), 1) }
	hashing := func(n float64) float64 { return 8 * keys * n }
	t := provided(in.node)
	there := in.spread || t.hashedOn(a.keys)
	if t.exact {
		// An aggregate is content with the partitions of a window below.
		there = in.spread || len(t.keys) > 0 && subset(t.keys, a.keys)
	}
	a.there = there
	firstSort := sorting(rows)
	// An operator below offers its order only to one that also wants its distribution.
	if there && t.sortedBy(plainSort(a.keys)) {
		firstSort = 0
	}
	hash2 := hashing(rows) + work*rows + hashing(groups) + work*groups
	hash1 := hashing(rows) + work*rows
	sort2 := firstSort + work*rows + work*groups
	sort1 := firstSort + work*rows
	if !there {
		hash2 += shuffle * groups
		hash1 += shuffle * rows
		sort2 += shuffle*groups + sorting(groups)
		sort1 = shuffle*rows + sorting(rows) + work*rows
	}
	var out []candidate
	add := func(ok bool, cost float64, sorted, onePhase bool) {
		if !ok {
			return
		}
		var x *phys.BatchAggregate
		if onePhase || there {
			x = a.onePhase(sorted)
		} else {
			x = a.twoPhases(sorted)
		}
		out = append(out, candidate{node: x, cost: in.cost + cost})
	}
	add(merge && fixed, hash2, false, false)
	add(fixed, hash1, false, true)
	add(merge, sort2, true, false)
	add(true, sort1, true, true)
	return out
}

func (a *batchAgg) onePhase(sorted bool) *phys.BatchAggregate {
	var order []phys.SortKey
	if sorted {
		order = plainSort(a.keys)
	}
	x := a.in
	switch {
	case !a.there:
		x = arrange(a.in, a.keys, order)
	case !provided(x).sortedBy(order):
		x = sortNodes(x, order)
	}
	return &phys.BatchAggregate{Base: base(a.fields, x), Sorted: sorted, Keys: a.keys, AuxKeys: a.aux, Calls: a.calls}
}

func (a *batchAgg) twoPhases(sorted bool) *phys.BatchAggregate {
	in := a.in
	if sorted {
		in = sortBelow(in, a.keys)
	}
	groups := len(a.keys) + len(a.aux)
	local := &phys.BatchAggregate{Sorted: sorted, Local: true, Keys: a.keys, AuxKeys: a.aux, Calls: a.calls}
	local.In = []phys.Node{in}
	local.Fields = append(append([]value.Field(nil), a.fields[:groups]...), phys.BufferFields(a.calls, names(a.fields[groups:]))...)
	final := &phys.BatchAggregate{Sorted: sorted, Merge: true, Keys: sequence(len(a.keys)), Calls: a.calls, Partial: local}
	for i := range a.aux {
		final.AuxKeys = append(final.AuxKeys, len(a.keys)+i)
	}
	final.Fields = a.fields
	x := distribute(local, final.Keys)
	if sorted {
		x = sortNodes(x, plainSort(final.Keys))
	}
	final.In = []phys.Node{x}
	return final
}

// sortBelow sorts the input of a local aggregate. A projection that only adds columns
// lets the sort go below it, where rows are shorter.
func sortBelow(in phys.Node, keys []int) phys.Node {
	c, ok := in.(*phys.Calc)
	if !ok || c.Cond != nil {
		return sortNodes(in, plainSort(keys))
	}
	below, ok := belowProject(c, plainSort(keys))
	if !ok || rowWidth(c.In[0].Schema()) >= rowWidth(c.Fields) {
		return sortNodes(in, plainSort(keys))
	}
	// Seen: what gives rows in this order already, as a part of its own, gets no sort of its rows.
	if x, ok := c.In[0].(*phys.BatchAggregate); ok && x.Sorted && provided(x).sortedBy(below) {
		return sortNodes(in, plainSort(keys))
	}
	k := *c
	k.In = []phys.Node{sortNodes(c.In[0], below)}
	return &k
}
