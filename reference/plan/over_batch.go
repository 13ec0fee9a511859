package plan

import (
	"cmp"
	"slices"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// batchOver puts the windows one above another (BatchPhysicalOverAggregateRule): neighbours of one
// partition and order share an operator, and with it the sort. to maps the columns of n to the result's,
// where windows changed places.
func (p *physical) batchOver(n *overNode, in phys.Node) (out phys.Node, to map[int]int) {
	order := windowOrder(n.groups)
	width := len(n.in.fields)
	// Where the calls of each window began, and begin now.
	var old []int
	for at, i := width, 0; i < len(n.groups); i++ {
		old = append(old, at)
		at += len(n.groups[i].calls)
	}
	moved := sequence(width)
	for _, g := range order {
		for c := range n.groups[g].calls {
			moved = append(moved, old[g]+c)
		}
	}
	if !slices.IsSorted(order) {
		to = map[int]int{}
		for at, c := range moved {
			to[c] = at
		}
	}
	if to != nil && constantArguments(n.groups) > 1 {
		// Flink reads some of them at the wrong place (ArrayIndexOutOfBoundsException).
		p.fail(unsupported.New("several constants in windows that change places in batch"))
		return in, nil
	}
	var o *phys.OverAggregate
	var sorted []phys.SortKey
	for _, i := range order {
		g := n.groups[i]
		calls := p.overCalls(g, i)
		if p.err != nil {
			return in, nil
		}
		if !g.rows && (g.lower.Kind == "PRECEDING" || g.upper.Kind == "FOLLOWING") && len(g.keys) == 1 &&
			n.in.fields[g.keys[0].Column].Type.Kind == value.KindTimestampLTZ {
			p.fail(flinkerr.New("org.apache.flink.table.planner.codegen.CodeGenException", "Unsupported temporal arithmetic."))
			return in, nil
		}
		keys := overOrder(g)
		if o == nil || !slices.Equal(o.PartitionBy, g.partition) || !slices.Equal(sorted, keys) {
			sorted = keys
			o = &phys.OverAggregate{PartitionBy: g.partition, Keys: sortKeys(g.keys), Rows: g.rows, Lower: g.lower, Upper: g.upper, Calls: calls}
			o.In = []phys.Node{arrange(in, g.partition, keys)}
			o.Fields = slices.Clone(o.In[0].Schema())
			in = o
		} else {
			o.Groups = append(o.Groups, phys.OverGroup{PartitionBy: g.partition, Keys: sortKeys(g.keys), Rows: g.rows, Lower: g.lower, Upper: g.upper, Calls: calls})
		}
		for range calls {
			at := len(o.Fields)
			// Names go through the change of places twice (WindowGroupReorderRule).
			f := value.Field{Name: n.fields[moved[moved[at]]].Name, Type: n.fields[moved[at]].Type}
			f.Name = freeName(f.Name, o.Fields)
			o.Fields = append(o.Fields, f)
		}
	}
	return in, to
}

// constantArguments counts the constant arguments of windows.
func constantArguments(groups []overGroup) int {
	n := 0
	for _, g := range groups {
		for _, c := range g.calls {
			for _, a := range c.Args {
				if _, ok := a.(*rex.Literal); ok {
					n++
				}
			}
		}
	}
	return n
}

// calcOverWindows is the calc above windows in batch. It shows columns by the names that they had
// before windows changed places, or before two had one name.
func (p *physical) calcOverWindows(c *calc, n *overNode) phys.Node {
	below := p.calc(n.in)
	if p.err != nil {
		return below
	}
	if len(n.groups) > 0 && rankWithoutOrder(n) != nil {
		return p.fail(rankWithoutOrder(n))
	}
	in, to := p.batchOver(n, below)
	if p.err != nil {
		return in
	}
	same := true
	names := make([]string, len(n.fields))
	for i, f := range n.fields {
		at := i
		if to != nil {
			at = to[i]
		}
		names[at] = f.Name
	}
	for i := len(n.in.fields); i < len(names); i++ {
		same = same && names[i] == in.Schema()[i].Name
	}
	if to != nil {
		x := *c
		x.exprs = slices.Clone(c.exprs)
		x.renumber(to)
		c = &x
	}
	out := p.onTop(c, in)
	if k, ok := out.(*phys.Calc); ok && !same && len(k.In) == 1 && k.In[0] == in {
		k.InputNames = names
		for i, e := range k.Exprs {
			if r, ok := e.(*rex.InputRef); ok && c.losesNames() {
				k.Fields[i].Name = names[r.Index]
			}
		}
	}
	return out
}

// windowOrder is the order in which windows are computed: by partition, then by order keys, stably.
func windowOrder(groups []overGroup) []int {
	out := sequence(len(groups))
	slices.SortStableFunc(out, func(a, b int) int {
		x, y := groups[a], groups[b]
		if c := slices.Compare(x.partition, y.partition); c != 0 {
			return c
		}
		if c := slices.CompareFunc(x.keys, y.keys, func(k, l rel.SortKey) int { return cmp.Compare(k.Column, l.Column) }); c != 0 {
			return c
		}
		return slices.CompareFunc(x.keys, y.keys, func(k, l rel.SortKey) int {
			return cmp.Or(cmp.Compare(direction(k.Desc), direction(l.Desc)), cmp.Compare(nullsAt(k), nullsAt(l)))
		})
	})
	return out
}

func direction(desc bool) string {
	if desc {
		return "DESC"
	}
	return "ASC"
}

func nullsAt(k rel.SortKey) int {
	if k.NullsLast {
		return 1
	}
	return -1
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
