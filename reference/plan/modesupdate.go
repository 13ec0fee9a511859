package plan

import (
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
)

// update settles the update kind of n for a consumer that wants exactly want; ok is
// false if it cannot. A changelog source may get DropUpdateBefore on top.
func (m *modes) update(n phys.Node, want updateKind) (phys.Node, bool) {
	children := func(req func(i int) updateKind) bool {
		for i, in := range n.Inputs() {
			r := req(i)
			c, ok := m.update(in, r)
			if !ok || m.upd[c] != r {
				return false
			}
			n.Inputs()[i] = c
		}
		return true
	}
	bothOrNone := func(i int) updateKind {
		if m.in(n, i)&kUpdate == 0 {
			return updNone
		}
		return updBoth
	}
	afterOrNone := func(i int) updateKind {
		if m.in(n, i)&kUpdate == 0 {
			return updNone
		}
		return updAfter
	}
	give := want
	switch n := n.(type) {
	case *phys.Sink:
		return m.updateSink(n)
	case *phys.TableSourceScan:
		give = updNone
		if m.kinds[n]&kUpdate != 0 {
			give = updBoth
		}
		m.upd[n] = give
		if give == updBoth && want == updAfter {
			d := &phys.DropUpdateBefore{Base: base(n.Fields, n)}
			m.kinds[d] = m.kinds[n]
			m.upd[d] = updAfter
			return d, true
		}
		return n, true
	case *phys.Values:
		give = updNone
	case *phys.DropUpdateBefore:
		if !children(func(int) updateKind { return updBoth }) {
			return nil, false
		}
		give = updAfter
	case *phys.GroupAggregate, *phys.GlobalGroupAggregate, *phys.Limit, *phys.WindowAggregate, *phys.GroupWindowAggregate:
		if !children(bothOrNone) {
			return nil, false
		}
	case *phys.OverAggregate:
		if !children(bothOrNone) {
			return nil, false
		}
		if m.kinds[n]&kUpdate == 0 {
			give = updNone
		} else if want == updNone {
			give = updBoth
		}
	case *phys.Sort:
		if !children(bothOrNone) {
			return nil, false
		}
	case *phys.WindowRank, *phys.WindowDeduplicate, *phys.IntervalJoin, *phys.WindowJoin, *phys.Match:
		if !children(func(int) updateKind { return updNone }) {
			return nil, false
		}
	case *phys.Rank:
		return m.updateRanked(n, want, &n.Strategy, &n.PrimaryKeys, n.PartitionBy, n.Keys)
	case *phys.SortLimit:
		return m.updateRanked(n, want, &n.Strategy, &n.PrimaryKeys, nil, n.Keys)
	case *phys.Join:
		for i := range n.In {
			req := bothOrNone(i)
			if want == updAfter {
				keys := n.LeftKeys
				if i == 1 {
					keys = n.RightKeys
				}
				if m.in(n, i)&kUpdate != 0 && !keyContains(upsertKeys(n.In[i]), keys) {
					return nil, false
				}
				req = afterOrNone(i)
			}
			c, ok := m.update(n.In[i], req)
			if !ok {
				return nil, false
			}
			n.In[i] = c
		}
	case *phys.TemporalJoin:
		req := afterOrNone(0)
		if want == updBoth {
			req = bothOrNone(0)
		}
		l, ok := m.update(n.In[0], req)
		if !ok {
			return nil, false
		}
		r, ok := m.update(n.In[1], afterOrNone(1))
		if !ok {
			if r, ok = m.update(n.In[1], bothOrNone(1)); !ok {
				return nil, false
			}
		}
		n.In[0], n.In[1] = l, r
		give = m.upd[l]
	case *phys.Calc:
		// A condition on an upsert key alone drops both rows of an update or none.
		if want == updAfter && n.Cond != nil && !readsKeyOnly(n) {
			return nil, false
		}
		if !children(func(int) updateKind { return want }) {
			return nil, false
		}
		give = m.upd[n.In[0]]
	case *phys.Union:
		give = updNone
		for i := range n.In {
			req := want
			if m.in(n, i) == kInsert {
				req = updNone
			}
			c, ok := m.update(n.In[i], req)
			if !ok {
				return nil, false
			}
			n.In[i] = c
			if u := m.upd[c]; u != updNone {
				if give != updNone && give != u {
					return nil, false
				}
				give = u
			}
		}
	case *phys.ChangelogNormalize:
		if !children(afterOrNone) {
			return nil, false
		}
	case *phys.ProcessTableFunction:
		if !children(bothOrNone) {
			return nil, false
		}
		if n.Function == "FROM_CHANGELOG" {
			give = updBoth
			if want == updAfter {
				return nil, false
			}
		} else {
			give = updNone
		}
	default:
		if !children(func(int) updateKind { return want }) {
			return nil, false
		}
		give = m.upd[n.Inputs()[0]]
	}
	m.upd[n] = give
	return n, true
}

func readsKeyOnly(n *phys.Calc) bool {
	refs := rex.Refs(n.Cond)
	for _, k := range upsertKeys(n.In[0]) {
		if subset(refs, k) {
			return true
		}
	}
	return false
}

// keyContains: some key holds all the join's columns.
func keyContains(k keySet, cols []int) bool {
	for _, c := range k {
		if subset(cols, c) {
			return true
		}
	}
	return false
}

// updateRanked tries the strategies of a Rank or SortLimit in Flink's order.
func (m *modes) updateRanked(n phys.Node, want updateKind, strategy *string, primary *[]int, partition []int, keys []phys.SortKey) (phys.Node, bool) {
	in := n.Inputs()[0]
	type choice struct {
		name string
		need updateKind
		keys []int
	}
	var tries []choice
	if m.kinds[in] == kInsert {
		tries = append(tries, choice{"AppendFastStrategy", updNone, nil})
	} else {
		if pk := m.updateFastKeys(in, partition, keys); pk != nil {
			tries = append(tries, choice{"UpdateFastStrategy", updAfter, pk})
		}
		tries = append(tries, choice{"RetractStrategy", updBoth, nil})
	}
	for _, t := range tries {
		c, ok := m.update(in, t.need)
		if !ok || m.upd[c] != t.need {
			continue
		}
		n.Inputs()[0] = c
		*strategy, *primary = t.name, t.keys
		if m.kinds[n]&kUpdate == 0 {
			want = updNone
		}
		m.upd[n] = want
		return n, true
	}
	return nil, false
}

// updateFastKeys: the input has an upsert key that contains the partition, and every row's sort keys
// only move towards the head.
func (m *modes) updateFastKeys(in phys.Node, partition []int, keys []phys.SortKey) []int {
	uk := upsertKeys(in).containing(partition)
	if len(uk) == 0 || !m.sortTowardsHead(in, keys) {
		return nil
	}
	return uk[0]
}

func (m *modes) sortTowardsHead(in phys.Node, keys []phys.SortKey) bool {
	for _, k := range keys {
		mono := m.monotonicity(in, k.Column)
		switch {
		case mono == monoConstant:
		case mono == monoUp && k.Desc, mono == monoDown && !k.Desc:
		default:
			return false
		}
	}
	return true
}
