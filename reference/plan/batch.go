package plan

import (
	"math"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

func (p *physical) batchNode(n node) phys.Node {
	switch n := n.(type) {
	case *aggNode:
		return p.batchAggregate(n)
	case *sortNode:
		return p.batchSort(n)
	}
	return p.fail(unsupported.New("batch plan of %T", n))
}

func (p *physical) batchSort(n *sortNode) phys.Node {
	offset := max(n.offset, 0)
	if len(n.keys) == 0 {
		if n.fetch < 0 {
			in := p.calc(n.in)
			return &phys.Limit{Base: base(in.Schema(), exchange(in, "single", nil)), Offset: offset, Fetch: -1, Global: true, Batch: true}
		}
		pushLimit(n.in, offset+n.fetch)
		in := p.calc(n.in)
		local := &phys.Limit{Base: base(in.Schema(), in), Fetch: offset + n.fetch, Batch: true}
		return &phys.Limit{Base: base(in.Schema(), exchange(local, "single", nil)), Offset: offset, Fetch: n.fetch, Global: true, Batch: true}
	}
	in := p.calc(n.in)
	keys := sortKeys(n.keys)
	if n.fetch < 0 {
		s := &phys.Sort{Base: base(in.Schema(), exchange(in, "single", nil)), Keys: keys}
		if n.offset > 0 {
			return &phys.Limit{Base: base(in.Schema(), s), Offset: offset, Fetch: -1, Global: true, Batch: true}
		}
		return s
	}
	local := &phys.SortLimit{Base: base(in.Schema(), in), Keys: keys, Fetch: offset + n.fetch, Batch: true}
	return &phys.SortLimit{Base: base(in.Schema(), exchange(local, "single", nil)), Keys: keys, Offset: offset, Fetch: n.fetch, Global: true, Batch: true}
}

// mergeable: the function has a merge, so that a local phase is possible.
func mergeable(name string) bool {
	switch name {
	case "FIRST_VALUE", "LAST_VALUE", "JSON_OBJECTAGG", "JSON_ARRAYAGG",
		"JSON_OBJECTAGG_NULL_ON_NULL", "JSON_OBJECTAGG_ABSENT_ON_NULL", "JSON_ARRAYAGG_NULL_ON_NULL", "JSON_ARRAYAGG_ABSENT_ON_NULL":
		return false
	}
	return true
}

// fixedLength: the accumulator holds only values of fixed length, which a hash table
// can update in place.
func fixedLength(c phys.AggCall) bool {
	switch c.Fn.Name {
	case "COUNT":
		return true
	case "SUM", "$SUM0", "AVG":
		return true
	case "MIN", "MAX":
		// BinaryRowData.isMutable: a timestamp of more than three digits is not.
		return fixedPart(c.T) || c.T.Kind == value.KindDecimal
	case "SINGLE_VALUE":
		return c.T.Kind != value.KindChar && c.T.Kind != value.KindVarchar && c.T.Kind != value.KindBinary && c.T.Kind != value.KindVarbinary
	}
	return false
}

// batchAggregate chooses phases and algorithm: facts/agg.md 51-53.
func (p *physical) batchAggregate(n *aggNode) phys.Node {
	if hasDistinct(n.calls) {
		return p.fail(unsupported.New("batch DISTINCT aggregates of this shape"))
	}
	rowsIn := p.rows(n.in)
	rowsOut := p.groupRows(n, rowsIn)
	in := p.calc(n.in)
	if p.err != nil {
		return in
	}
	calls, fields := p.calls(n, in)
	// Keys that the others determine are carried along, not compared.
	keys, aux := n.keys, []int(nil)
	for at, k := range n.aux {
		if k != len(n.keys)-len(n.aux)+at {
			return p.fail(unsupported.New("a constant group key before others"))
		}
		aux = append(aux, n.keys[k])
	}
	keys = keys[:len(keys)-len(aux)]
	merge, fixed := true, true
	for _, c := range calls {
		merge = merge && mergeable(c.Fn.Name)
		fixed = fixed && fixedLength(c)
	}
	if len(keys) > 0 && overAggregate(n.in) {
		// Flink's estimate of the groups depends on statistics that are not all known here.
		p.doubt = "EXPLAIN of a batch aggregate over another aggregate"
	}
	costs := aggregateCosts(float64(len(keys)), float64(len(calls)), rowsIn, rowsOut)
	t := provided(in)
	if t.hashedOn(keys) {
		costs.satisfied(t.sortedBy(plainSort(keys)), float64(len(keys)), float64(len(calls)), rowsIn)
	}
	onePhase, sorted := cheapest(costs, !merge || rowsIn <= 1 || t.hashedOn(keys) || p.distinctKnown(n), merge, fixed)
	if onePhase {
		var order []phys.SortKey
		if sorted {
			order = plainSort(keys)
		}
		x := arrange(in, keys, order)
		return &phys.BatchAggregate{Base: base(fields, x), Sorted: sorted, Keys: keys, AuxKeys: aux, Calls: calls}
	}
	var lin phys.Node = in
	if sorted && len(keys) > 0 {
		lin = p.sortBelow(n.in, in, keys)
	}
	local := &phys.BatchAggregate{Sorted: sorted, Local: true, Keys: keys, AuxKeys: aux, Calls: calls}
	local.In = []phys.Node{lin}
	local.Fields = append(append([]value.Field(nil), fields[:len(n.keys)]...), phys.BufferFields(calls, names(fields[len(n.keys):]))...)
	final := &phys.BatchAggregate{Sorted: sorted, Merge: true, Keys: sequence(len(keys)), Calls: calls, Partial: local}
	for i := range aux {
		final.AuxKeys = append(final.AuxKeys, len(keys)+i)
	}
	final.Fields = fields
	x := distribute(local, final.Keys)
	if sorted {
		x = sortBy(x, final.Keys)
	}
	final.In = []phys.Node{x}
	return final
}

// overAggregate tells whether a calc reads another aggregate of the query.
func overAggregate(c *calc) bool {
	switch n := c.in.(type) {
	case *aggNode:
		return !n.distinct || overAggregate(n.in)
	case *expandNode:
		return overAggregate(n.in)
	}
	return false
}

// satisfied takes the exchange out of the one-phase costs, and the sort, too, where
// the input has the order already.
func (c *phaseCosts) satisfied(sorted bool, keys, calls, n float64) {
	c.hash1 = 8*keys*n + 12*calls*n
	c.sort1 = 4*keys*n*math.Max(math.Log(n), 1) + 12*calls*n
	if sorted {
		c.sort1 = 12 * calls * n
	}
}

// phaseCosts is the CPU cost of each way to aggregate.
type phaseCosts struct{ hash2, sort2, hash1, sort1 float64 }

// aggregateCosts adds up Flink's CPU costs (FlinkCost): 8 a key for hashing, 4 a key
// and comparison for sorting, 12 a function call, 160 for serializing in an exchange.
func aggregateCosts(keys, calls, n, m float64) phaseCosts {
	shuffle := 160 + 8*keys
	if keys == 0 {
		shuffle = 161
	}
	sort := func(rows float64) float64 { return 4 * keys * rows * math.Max(math.Log(rows), 1) }
	hash := func(rows float64) float64 { return 8 * keys * rows }
	return phaseCosts{
		hash2: hash(n) + 12*calls*n + shuffle*m + hash(m) + 12*calls*m,
		sort2: sort(n) + 12*calls*n + shuffle*m + sort(m) + 12*calls*m,
		hash1: shuffle*n + hash(n) + 12*calls*n,
		sort1: shuffle*n + sort(n) + 12*calls*n,
	}
}

// cheapest picks among the allowed ways; hash comes first among equals.
func cheapest(c phaseCosts, allowOne, allowTwo, allowHash bool) (onePhase, sorted bool) {
	best := math.Inf(1)
	try := func(ok bool, cost float64, one, sort bool) {
		if ok && cost < best {
			best, onePhase, sorted = cost, one, sort
		}
	}
	try(allowTwo && allowHash, c.hash2, false, false)
	try(allowOne && allowHash, c.hash1, true, false)
	try(allowTwo, c.sort2, false, true)
	try(allowOne, c.sort1, true, true)
	return
}

func sortBy(in phys.Node, keys []int) phys.Node {
	if len(keys) == 0 {
		return in
	}
	s := &phys.Sort{Base: base(in.Schema(), in)}
	for _, k := range keys {
		s.Keys = append(s.Keys, phys.SortKey{Column: k})
	}
	return s
}

// sortBelow sorts the input of a local aggregate. A projection that only adds columns
// lets the sort go below it, where rows are shorter.
func (p *physical) sortBelow(c *calc, in phys.Node, keys []int) phys.Node {
	k, ok := in.(*phys.Calc)
	if !ok || k.Cond != nil {
		return sortBy(in, keys)
	}
	var below []int
	for _, i := range keys {
		r, ok := k.Exprs[i].(*rex.InputRef)
		if !ok {
			return sortBy(in, keys)
		}
		below = append(below, r.Index)
	}
	if x, ok := k.In[0].(*phys.BatchAggregate); ok && x.Sorted {
		return sortBy(in, keys)
	}
	if rowWidth(k.In[0].Schema()) >= rowWidth(k.Fields) {
		return sortBy(in, keys)
	}
	k.In[0] = sortBy(k.In[0], below)
	return k
}

// rowWidth is FlinkRelMdUtil.binaryRowAverageSize: 8 bytes a column, more for those
// that lie in the variable part.
func rowWidth(fields []value.Field) float64 {
	w := 8.0 * float64((len(fields)+63+8)/64)
	for _, f := range fields {
		w += 8
		if !fixedPart(f.Type) {
			w += 12
		}
	}
	return w
}

func fixedPart(t value.Type) bool {
	switch t.Kind {
	case value.KindDecimal:
		return t.Precision <= 18
	case value.KindTimestamp, value.KindTimestampLTZ:
		return t.Precision <= 3
	case value.KindChar, value.KindVarchar, value.KindBinary, value.KindVarbinary, value.KindArray, value.KindMap,
		value.KindMultiset, value.KindRow, value.KindRaw:
		return false
	}
	return true
}

func (p *physical) batchJoin(n *joinNode, j *phys.Join, l, r phys.Node) phys.Node {
	return p.fail(unsupported.New("batch joins"))
}
