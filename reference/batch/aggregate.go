package batch

import (
	"bytes"
	"encoding/binary"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// groupTable is the groups of an aggregate, numbered in the order in which they are
// emitted, with the state of each call for each group.
type groupTable struct {
	keys   []value.Row
	index  keyTable
	states []state
	ints   *intSlab
}

// intSlab holds the integers of all states: those of a group lie side by side, so that a
// row of a known group touches one place.
type intSlab struct {
	v      []int64
	stride int
}

// reserve gives a state n integers of each group.
func (s *intSlab) reserve(n int) (offset int) {
	offset = s.stride
	s.stride += n
	return offset
}

func (s *intSlab) grow() {
	for range s.stride {
		s.v = append(s.v, 0)
	}
}

// at is the place of the integers of a state for a group.
func (s *intSlab) at(group, offset int) *int64 { return &s.v[group*s.stride+offset] }

func (g *groupTable) add(row value.Row) int {
	g.keys = append(g.keys, row)
	g.ints.grow()
	for _, s := range g.states {
		s.grow()
	}
	return len(g.keys) - 1
}

// aggregate is HashAggregate, SortAggregate and their local phases. A hash aggregate
// emits its groups in the order in which they were first seen, a sort aggregate begins
// a group whenever the keys of its sorted input change (agg.md 50).
//
// A local aggregate emits its keys and, in place of the columns of the accumulators, the
// number of the group, by which the merging node finds the states: they cross the
// exchange as they are.
func (j *job) aggregate(n *phys.BatchAggregate, in producer) (producer, error) {
	ints := &intSlab{}
	states, err := j.newStates(n.Calls, ints)
	if err != nil {
		return nil, err
	}
	g := &groupTable{states: states, ints: ints}
	var from *groupTable
	if n.Merge {
		if from = j.partials[n.Partial]; n.Partial == nil || from == nil {
			return nil, unsupported.New("a merging aggregate without its local phase")
		}
	}
	if n.Local {
		j.partials[n] = g
	}
	a := &aggregator{
		job: j, node: n, groups: g, from: from, states: states,
		buf: make([]byte, 0, keyRoom), filter: make([]int, len(n.Calls)), handle: len(n.Keys) + len(n.AuxKeys),
	}
	for i, c := range n.Calls {
		a.filter[i] = c.Filter
	}
	schema := n.In[0].Schema()
	for _, k := range n.Keys {
		a.types = append(a.types, schema[k].Type)
	}
	if len(n.Keys) > 0 && n.Merge {
		a.handle = handleColumn(n)
	}
	parallel := j.parallelInput(n)
	return func(emit func(value.Row) error) error {
		done := false
		if parallel != nil {
			var err error
			if done, err = a.runParallel(parallel); err != nil {
				return err
			}
		}
		if !done {
			if err := in(a.take); err != nil {
				return err
			}
		}
		return a.emit(emit)
	}, nil
}

// handleColumn is where the local phase put the number of the group.
func handleColumn(n *phys.BatchAggregate) int { return len(n.Partial.Keys) + len(n.Partial.AuxKeys) }

type aggregator struct {
	job    *job
	node   *phys.BatchAggregate
	groups *groupTable
	from   *groupTable
	states []state
	filter []int
	types  []value.Type
	handle int
	buf    []byte
	last   []byte
	any    bool
}

// take adds a row to its group.
func (a *aggregator) take(row value.Row) error {
	i := a.group(row)
	if a.from != nil {
		h := int(row[a.handle].Int())
		for k, s := range a.states {
			s.merge(i, a.from.states[k], h)
		}
		return a.job.ctx.Err
	}
	for k, s := range a.states {
		if c := a.filter[k]; c >= 0 && (row[c].IsNull() || !row[c].Bool()) {
			continue
		}
		s.add(i, row)
	}
	return a.job.ctx.Err
}

// group finds or begins the group of a row.
func (a *aggregator) group(row value.Row) int {
	g := a.groups
	if len(a.node.Keys) == 0 {
		if len(g.keys) == 0 {
			return g.add(a.keyRow(row))
		}
		return 0
	}
	a.buf = a.buf[:0]
	for i, c := range a.node.Keys {
		a.buf = appendKey(a.buf, &a.types[i], row[c])
	}
	if a.node.Sorted {
		if !a.any || !bytes.Equal(a.buf, a.last) {
			a.any, a.last = true, append(a.last[:0], a.buf...)
			return g.add(a.keyRow(row))
		}
		return len(g.keys) - 1
	}
	i, fresh := g.index.number(a.buf)
	if fresh {
		if g.index.full() {
			a.job.ctx.Fail(unsupported.New("an aggregate with more than two gigabytes of keys"))
		}
		g.add(a.keyRow(row))
	}
	return i
}

// keyRow copies the grouping columns, and the columns that they determine.
func (a *aggregator) keyRow(row value.Row) value.Row {
	r := make(value.Row, 0, len(a.node.Keys)+len(a.node.AuxKeys))
	for _, c := range a.node.Keys {
		r = append(r, ownValue(row[c]))
	}
	for _, c := range a.node.AuxKeys {
		r = append(r, ownValue(row[c]))
	}
	return r
}

// emit sends the groups. Without keys there is one row even for an empty input (agg.md 7).
func (a *aggregator) emit(emit func(value.Row) error) error {
	g := a.groups
	if len(a.node.Keys) == 0 && len(g.keys) == 0 {
		g.add(nil)
	}
	if a.node.Local {
		out := make(value.Row, max(len(a.node.Fields), len(a.node.Keys)+len(a.node.AuxKeys)+1))
		for i, k := range g.keys {
			n := copy(out, k)
			out[n] = value.Int(int64(i))
			if err := emit(out); err != nil {
				return err
			}
		}
		return nil
	}
	n := len(a.node.Keys) + len(a.node.AuxKeys)
	out := make(value.Row, n+len(a.states))
	for i, k := range g.keys {
		copy(out, k)
		for s, st := range a.states {
			out[n+s] = st.result(i)
		}
		if a.job.ctx.Err != nil {
			return a.job.ctx.Err
		}
		if err := emit(out); err != nil {
			return err
		}
	}
	return nil
}

// appendKey is value.AppendKey with texts, the most frequent keys, first.
func appendKey(dst []byte, t *value.Type, v value.Value) []byte {
	if t.Kind == value.KindVarchar && !v.IsNull() {
		s := v.Str()
		dst = binary.AppendUvarint(append(dst, 1), uint64(len(s)))
		return append(dst, s...)
	}
	return value.AppendKey(dst, *t, v)
}
