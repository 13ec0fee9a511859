package plan

import (
	"slices"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// traits are what batch operators provide and ask for: how rows are distributed, and
// how they are sorted.
type traits struct {
	// single: all rows in one place; else keys are the hashed columns, nil if unknown.
	single bool
	keys   []int
	sorted []phys.SortKey
	// exact: only who asks for just these keys is content with them.
	exact bool
}

// provided tells an operator's traits as far as operators above make use of them.
func provided(n phys.Node) traits {
	switch n := n.(type) {
	case *phys.Exchange:
		return traits{single: n.Distribution == "single", keys: n.Keys}
	case *phys.Sort:
		t := provided(n.In[0])
		t.sorted = n.Keys
		return t
	case *phys.OverAggregate:
		t := provided(n.In[0])
		t.exact = true
		return t
	case *phys.Limit:
		return traits{single: n.Global}
	case *phys.SortLimit:
		return traits{single: n.Global, sorted: n.Keys}
	case *phys.BatchAggregate:
		if n.Local {
			break
		}
		if len(n.Keys) == 0 {
			return traits{single: true}
		}
		t := traits{keys: sequence(len(n.Keys))}
		if n.Sorted {
			t.sorted = plainSort(t.keys)
		}
		return t
	case *phys.Calc:
		return provided(n.In[0]).through(n)
	case *phys.Join:
		return joinProvides(n)
	}
	return traits{}
}

// joinProvides: a broadcast join leaves its probe side's rows where they are, a shuffled
// one has them hashed by the keys of the side that every row is from.
func joinProvides(n *phys.Join) traits {
	if n.JoinType == "FullOuterJoin" {
		return traits{}
	}
	right := n.JoinType == "RightOuterJoin"
	if n.Kind == "NestedLoopJoin" || n.Broadcast {
		right = n.BuildLeft
	}
	side, shift := 0, 0
	if right {
		side, shift = 1, len(n.In[0].Schema())
	}
	t := traits{}
	for _, k := range provided(n.In[side]).keys {
		t.keys = append(t.keys, k+shift)
	}
	if n.Kind == "SortMergeJoin" {
		t.sorted = plainSort(t.keys)
	}
	return t
}

// through follows traits to a projection's outputs.
func (t traits) through(c *phys.Calc) traits {
	to := map[int]int{}
	for i := len(c.Exprs) - 1; i >= 0; i-- {
		if r, ok := c.Exprs[i].(*rex.InputRef); ok {
			to[r.Index] = i
		}
	}
	out := traits{single: t.single, exact: t.exact}
	for _, k := range t.keys {
		at, ok := to[k]
		if !ok {
			out.keys = nil
			break
		}
		out.keys = append(out.keys, at)
	}
	for _, k := range t.sorted {
		at, ok := to[k.Column]
		if !ok {
			break
		}
		k.Column = at
		out.sorted = append(out.sorted, k)
	}
	return out
}

// hashedOn: the rows are distributed as a node that groups by keys wants them: on these
// keys, or the first of them.
func (t traits) hashedOn(keys []int) bool {
	if len(keys) == 0 {
		return t.single
	}
	if t.exact {
		return slices.Equal(t.keys, keys)
	}
	return len(t.keys) > 0 && len(t.keys) <= len(keys) && slices.Equal(t.keys, keys[:len(t.keys)])
}

// sortedBy: the order begins with keys.
func (t traits) sortedBy(keys []phys.SortKey) bool {
	if len(keys) > len(t.sorted) {
		return false
	}
	for i, k := range keys {
		if t.sorted[i] != k {
			return false
		}
	}
	return true
}

func plainSort(keys []int) []phys.SortKey {
	out := make([]phys.SortKey, len(keys))
	for i, k := range keys {
		out[i] = phys.SortKey{Column: k}
	}
	return out
}

// arrange distributes rows by keys and sorts them. Either goes below a projection that
// has the columns, if that costs less: a byte sent through an exchange counts four times
// as much as one held for sorting (FlinkCost.NETWORK_TO_CPU_RATIO).
func arrange(in phys.Node, keys []int, order []phys.SortKey) phys.Node {
	if t := provided(in); t.hashedOn(keys) {
		if t.sortedBy(order) {
			return in
		}
		// A window over everything has no order of its own, and takes one that is asked for.
		if o, ok := in.(*phys.OverAggregate); ok && len(o.PartitionBy)+len(o.Keys) == 0 && below(order, len(o.In[0].Schema())) {
			k := *o
			k.In = []phys.Node{sortNodes(o.In[0], order)}
			return &k
		}
		// A Calc hands on how rows are distributed only together with the order that is asked for.
		if c, ok := in.(*phys.Calc); ok {
			if below, ok := belowProject(c, order); ok {
				k := *c
				k.In = []phys.Node{sortNodes(c.In[0], below)}
				return &k
			}
		}
		return sortNodes(in, order)
	}
	above := sortNodes(distribute(in, keys), order)
	c, ok := in.(*phys.Calc)
	if !ok || c.Cond != nil {
		return above
	}
	below, ok := belowProject(c, plainSort(keys))
	if !ok {
		return above
	}
	cols := make([]int, len(below))
	for i, k := range below {
		cols[i] = k.Column
	}
	schema := c.In[0].Schema()
	saved := 4 * (widthOf(c.Fields) - widthOf(schema))
	lower, sorts := belowProject(c, order)
	if x := rowWidth(c.Fields) - rowWidth(schema); sorts && len(order) > 0 && x > 0 {
		saved += x
	} else {
		sorts = len(order) == 0
	}
	if saved <= 0 {
		return above
	}
	k := *c
	k.In = []phys.Node{distribute(c.In[0], cols)}
	if !sorts {
		return sortNodes(&k, order)
	}
	k.In[0] = sortNodes(k.In[0], lower)
	return &k
}

// gather brings all rows together, below a projection that makes them wider.
func gather(in phys.Node) phys.Node {
	if provided(in).single {
		return in
	}
	if c, ok := in.(*phys.Calc); ok && c.Cond == nil && widthOf(c.In[0].Schema()) < widthOf(c.Fields) {
		k := *c
		k.In = []phys.Node{gather(c.In[0])}
		return &k
	}
	return exchange(in, "single", nil)
}

// widthOf is the average size of rows.
func widthOf(fields []value.Field) float64 {
	w := 0.0
	for _, f := range fields {
		w += averageSize(f.Type)
	}
	return w
}

// below: all columns are among the first n.
func below(keys []phys.SortKey, n int) bool {
	return !slices.ContainsFunc(keys, func(k phys.SortKey) bool { return k.Column >= n })
}

func belowProject(c *phys.Calc, keys []phys.SortKey) ([]phys.SortKey, bool) {
	var out []phys.SortKey
	for _, k := range keys {
		r, ok := c.Exprs[k.Column].(*rex.InputRef)
		if !ok {
			return nil, false
		}
		k.Column = r.Index
		out = append(out, k)
	}
	return out, true
}

func sortNodes(in phys.Node, keys []phys.SortKey) phys.Node {
	if len(keys) == 0 {
		return in
	}
	return &phys.Sort{Base: base(in.Schema(), in), Keys: keys}
}
