package plan

import (
	"slices"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// batchOver puts the windows one above another (BatchPhysicalOverAggregateRule): neighbours of one
// partition and order share an operator, and with it the sort.
func (p *physical) batchOver(n *overNode, in phys.Node) phys.Node {
	columns := n.fields[len(n.in.fields):]
	var o *phys.OverAggregate
	var order []phys.SortKey
	for i, g := range n.groups {
		calls := p.overCalls(g, i)
		if p.err != nil {
			return in
		}
		keys := overOrder(g)
		if o == nil || !slices.Equal(o.PartitionBy, g.partition) || !slices.Equal(order, keys) {
			order = keys
			o = &phys.OverAggregate{PartitionBy: g.partition, Keys: sortKeys(g.keys), Rows: g.rows, Lower: g.lower, Upper: g.upper, Calls: calls}
			o.In = []phys.Node{arrange(in, g.partition, keys)}
			o.Fields = slices.Clone(o.In[0].Schema())
			in = o
		} else {
			o.Groups = append(o.Groups, phys.OverGroup{PartitionBy: g.partition, Keys: sortKeys(g.keys), Rows: g.rows, Lower: g.lower, Upper: g.upper, Calls: calls})
		}
		for _, f := range columns[:len(calls)] {
			if freeName(f.Name, o.Fields) != f.Name {
				// Calcs above show some of these columns by the names that they had earlier.
				return p.fail(unsupported.New("windows over the ranks of other windows in batch"))
			}
			o.Fields = append(o.Fields, f)
		}
		columns = columns[len(calls):]
	}
	return in
}

// overOrder is the sort below a window: partition columns first, ascending unless they order the
// window, too, then the other order keys (OverAggregateUtil.createCollation).
func overOrder(g overGroup) []phys.SortKey {
	out := plainSort(g.partition)
	for _, k := range sortKeys(g.keys) {
		if i := slices.Index(g.partition, k.Column); i >= 0 {
			out[i] = k
			continue
		}
		out = append(out, k)
	}
	return out
}
