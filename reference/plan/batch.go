package plan

import (
	"github.com/labgrade/labgrade/reference/flinkerr"
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
	if n.fetch < 0 && n.offset > 0 {
		return p.fail(flinkerr.Table("Not support limitEnd is max value now!"))
	}
	if n.fetch < 0 {
		if n != p.ordered && (p.ordered == nil || p.ordered.fetch >= 0 || p.ordered.in.in != node(n)) {
			p.doubtText("ORDER BY without LIMIT below other operators in batch")
		}
		if aggregateLifted(in) {
			if a := in.Inputs()[0].(*phys.BatchAggregate); len(a.Keys)+len(a.AuxKeys) > 1 {
				p.doubtText("ORDER BY an expression over an aggregate by several keys in batch")
			}
			in = exchange(in, "single", nil)
		} else {
			in = gather(in)
		}
		return &phys.Sort{Base: base(in.Schema(), in), Keys: keys}
	}
	local := &phys.SortLimit{Base: base(in.Schema(), in), Keys: keys, Fetch: offset + n.fetch, Batch: true}
	return &phys.SortLimit{Base: base(in.Schema(), exchange(local, "single", nil)), Keys: keys, Offset: offset, Fetch: n.fetch, Global: true, Batch: true}
}

// wholeOrder is the ORDER BY of a whole query or of what an INSERT writes, if there is one.
func wholeOrder(c *calc) *sortNode {
	switch n := c.in.(type) {
	case *sortNode:
		return n
	case *sinkNode:
		return wholeOrder(n.in)
	}
	return nil
}

// aggregateLifted: gather would lift a projection that adds columns to an aggregate's,
// which Flink leaves where it is.
func aggregateLifted(in phys.Node) bool {
	c, ok := in.(*phys.Calc)
	if !ok || gather(in) == in || len(c.Exprs) < len(c.In[0].Schema()) {
		return false
	}
	for i := range c.In[0].Schema() {
		if r, ok := c.Exprs[i].(*rex.InputRef); !ok || r.Index != i {
			return false
		}
	}
	_, agg := c.In[0].(*phys.BatchAggregate)
	_, lifted := gather(in).(*phys.Calc)
	return agg && lifted
}

// mergeable: the function has a merge, so that a local phase is possible.
func mergeable(name string) bool {
	switch name {
	case "FIRST_VALUE", "LAST_VALUE", "JSON_ARRAYAGG_NULL_ON_NULL", "JSON_ARRAYAGG_ABSENT_ON_NULL":
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
