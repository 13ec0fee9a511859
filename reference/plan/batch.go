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
		switch c.T.Kind {
		case value.KindChar, value.KindVarchar, value.KindBinary, value.KindVarbinary, value.KindArray, value.KindMap, value.KindRow, value.KindMultiset:
			return false
		}
		return true
	case "SINGLE_VALUE":
		return c.T.Kind != value.KindChar && c.T.Kind != value.KindVarchar && c.T.Kind != value.KindBinary && c.T.Kind != value.KindVarbinary
	}
	return false
}

// batchAggregate chooses phases and algorithm: facts/agg.md 51-53.
func (p *physical) batchAggregate(n *aggNode) phys.Node {
	for _, c := range n.calls {
		if c.Distinct {
			return p.fail(unsupported.New("batch DISTINCT aggregates of this shape"))
		}
	}
	rowsIn := p.rows(n.in)
	rowsOut := p.groupRows(n, rowsIn)
	in := p.calc(n.in)
	if p.err != nil {
		return in
	}
	calls, fields := p.calls(n, in)
	merge, fixed := true, true
	for _, c := range calls {
		merge = merge && mergeable(c.Fn.Name)
		fixed = fixed && fixedLength(c)
	}
	onePhase := !merge || rowsIn == rowsOut
	sorted := !fixed
	k := float64(len(n.keys))
	if fixed && k > 0 {
		hash := 8 * k * rowsIn
		sort := 4 * k * rowsIn * math.Max(math.Log(rowsIn), 1)
		if !onePhase {
			hash += 8 * k * rowsOut
			sort += 4 * k * rowsOut * math.Max(math.Log(rowsOut), 1)
		}
		sorted = sort < hash
	}
	if onePhase {
		x := distribute(in, n.keys)
		if sorted {
			x = sortBy(x, n.keys)
		}
		return &phys.BatchAggregate{Base: base(fields, x), Sorted: sorted, Keys: n.keys, Calls: calls}
	}
	var lin phys.Node = in
	if sorted && len(n.keys) > 0 {
		lin = p.sortBelow(n.in, in, n.keys)
	}
	local := &phys.BatchAggregate{Sorted: sorted, Local: true, Keys: n.keys, Calls: calls}
	local.In = []phys.Node{lin}
	local.Fields = append(append([]value.Field(nil), fields[:len(n.keys)]...), phys.BufferFields(calls, names(fields[len(n.keys):]))...)
	final := &phys.BatchAggregate{Sorted: sorted, Merge: true, Keys: sequence(len(n.keys)), Calls: calls, Partial: local}
	final.Fields = fields
	x := distribute(local, final.Keys)
	if sorted {
		x = sortBy(x, final.Keys)
	}
	final.In = []phys.Node{x}
	return final
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
	if _, scan := k.In[0].(*phys.TableSourceScan); !scan && rowWidth(k.In[0].Schema()) > rowWidth(k.Fields) {
		return sortBy(in, keys)
	}
	k.In[0] = sortBy(k.In[0], below)
	return k
}

func rowWidth(fields []value.Field) float64 { return float64(len(fields)) }

func (p *physical) batchJoin(n *joinNode, j *phys.Join, l, r phys.Node) phys.Node {
	return p.fail(unsupported.New("batch joins"))
}
