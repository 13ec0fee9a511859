package batch

import (
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// join runs the three batch joins. A nested loop and a hash join read the build side
// first and then emit, for each row of the probe side in order, its matches; rows of an
// outer build side without a match follow at the end (join.md F). A sort-merge join works
// in the order of the keys.
type join struct {
	job         *job
	node        *phys.Join
	left, right producer
	keys        [2]keyColumns
	cond        fn.Eval
	joined      value.Row
	split       int
}

// keyColumns encodes the join key of a side; nulls are columns that never match when NULL.
type keyColumns struct {
	cols  []int
	types []value.Type
	nulls []int
}

func (k *keyColumns) append(dst []byte, row value.Row) (key []byte, matchable bool) {
	for _, c := range k.nulls {
		if row[c].IsNull() {
			return dst, false
		}
	}
	for i, c := range k.cols {
		dst = value.AppendKey(dst, k.types[i], row[c])
	}
	return dst, true
}

func (j *job) join(n *phys.Join) (producer, error) {
	if n.Kind == "NestedLoopJoin" && n.Hinted {
		n = probeOuter(n)
	}
	o := &join{job: j, node: n, split: len(n.In[0].Schema())}
	o.joined = make(value.Row, o.split+len(n.In[1].Schema()))
	for i, cols := range [][]int{n.LeftKeys, n.RightKeys} {
		k := keyColumns{cols: cols}
		for p, c := range cols {
			k.types = append(k.types, n.In[i].Schema()[c].Type)
			if p >= len(n.FilterNulls) || n.FilterNulls[p] {
				k.nulls = append(k.nulls, c)
			}
		}
		o.keys[i] = k
	}
	var err error
	if n.NonEqui != nil {
		if o.cond, err = j.compile(n.NonEqui); err != nil {
			return nil, err
		}
	}
	if o.left, err = j.build(n.In[0]); err != nil {
		return nil, err
	}
	if o.right, err = j.build(n.In[1]); err != nil {
		return nil, err
	}
	switch {
	case n.Adaptive:
		return o.adapt, nil
	case n.Kind == "NestedLoopJoin" || n.Kind == "HashJoin":
		return o.probe, nil
	case n.Kind == "SortMergeJoin":
		return o.merge, nil
	}
	return nil, unsupported.New("a %s in batch mode", n.Kind)
}

// probeOuter: a nested loop of Flink's that a hint makes collect the side that an outer
// join keeps keeps the other side instead.
func probeOuter(n *phys.Join) *phys.Join {
	x := *n
	switch {
	case n.JoinType == "LeftOuterJoin" && n.BuildLeft:
		x.JoinType = "RightOuterJoin"
	case n.JoinType == "RightOuterJoin" && !n.BuildLeft:
		x.JoinType = "LeftOuterJoin"
	}
	return &x
}

// side tells what the join type asks of a side.
func (o *join) outer(side int) bool {
	switch o.node.JoinType {
	case "FullOuterJoin":
		return true
	case "LeftOuterJoin":
		return side == 0
	case "RightOuterJoin":
		return side == 1
	}
	return false
}

func (o *join) semi() (is, anti bool) {
	return o.node.JoinType == "LeftSemiJoin" || o.node.JoinType == "LeftAntiJoin", o.node.JoinType == "LeftAntiJoin"
}

// pair joins two rows; nil is a row of NULLs.
func (o *join) pair(l, r value.Row) value.Row {
	if l == nil {
		clear(o.joined[:o.split])
	} else {
		copy(o.joined, l)
	}
	if r == nil {
		clear(o.joined[o.split:])
	} else {
		copy(o.joined[o.split:], r)
	}
	return o.joined
}

func (o *join) accepts(l, r value.Row) bool {
	if o.cond == nil {
		return true
	}
	v := o.cond(&o.job.ctx, o.pair(l, r))
	return !v.IsNull() && v.Bool()
}

// orient puts rows of the probe and the build side in the order left, right.
func (o *join) orient(probe, build value.Row) (value.Row, value.Row) {
	if o.node.BuildLeft {
		return build, probe
	}
	return probe, build
}

// probe runs a nested loop or hash join.
func (o *join) probe(emit func(value.Row) error) error {
	b, p := 1, 0
	buildIn, probeIn := o.right, o.left
	if o.node.BuildLeft {
		b, p = 0, 1
		buildIn, probeIn = o.left, o.right
	}
	build, err := collect(buildIn)
	if err != nil {
		return err
	}
	order := o.buildOrder(build, b)
	table := map[string][]int{}
	var buf []byte
	for _, i := range order {
		var ok bool
		if buf, ok = o.keys[b].append(buf[:0], build[i]); ok {
			table[string(buf)] = append(table[string(buf)], i)
		}
	}
	backwards := o.node.Kind == "HashJoin" && o.longTable(b)
	matched := make([]bool, len(build))
	semi, anti := o.semi()
	err = probeIn(func(row value.Row) error {
		var ok, some bool
		var hits []int
		if buf, ok = o.keys[p].append(buf[:0], row); ok {
			hits = table[string(buf)]
		}
		for i := range hits {
			h := hits[i]
			if backwards {
				h = hits[len(hits)-1-i]
			}
			l, r := o.orient(row, build[h])
			if !o.accepts(l, r) {
				continue
			}
			some, matched[h] = true, true
			if semi {
				if !o.node.BuildLeft {
					break
				}
				continue
			}
			if err := emit(o.pair(l, r)); err != nil {
				return err
			}
		}
		if o.job.ctx.Err != nil {
			return o.job.ctx.Err
		}
		switch {
		case semi && !o.node.BuildLeft:
			if some != anti {
				return emit(row)
			}
		case !some && !semi && o.outer(p):
			l, r := o.orient(row, nil)
			return emit(o.pair(l, r))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return o.rest(build, order, matched, b, emit)
}

// rest emits the rows of the build side that are left for the end.
func (o *join) rest(build []value.Row, order []int, matched []bool, b int, emit func(value.Row) error) error {
	semi, anti := o.semi()
	for _, i := range order {
		var err error
		switch {
		case semi && o.node.BuildLeft:
			if matched[i] == anti {
				continue
			}
			err = emit(build[i])
		case matched[i] || semi || !o.outer(b):
			continue
		default:
			l, r := o.orient(nil, build[i])
			err = emit(o.pair(l, r))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// buildOrder numbers the rows of the build side in the order in which the join goes
// through them: as they came, or as they lie in the hash table.
func (o *join) buildOrder(build []value.Row, b int) []int {
	order := make([]int, 0, len(build))
	if o.node.Kind != "HashJoin" || o.longTable(b) {
		for i := range build {
			order = append(order, i)
		}
		return order
	}
	rows, bytes := o.node.LeftRows, o.node.LeftSize
	if b == 1 {
		rows, bytes = o.node.RightRows, o.node.RightSize
	}
	t := newBucketTable(rows, int64(bytes)/max(rows, 1))
	types := fieldTypes(o.node.In[b].Schema())
	var hash value.RowHash
	for i, r := range build {
		t.insert(hash.HashColumns(types, r, o.keys[b].cols), i)
	}
	t.all(func(i int) bool {
		order = append(order, i)
		return true
	})
	return order
}

func fieldTypes(fields []value.Field) []value.Type {
	out := make([]value.Type, len(fields))
	for i, f := range fields {
		out[i] = f.Type
	}
	return out
}

// longTable reports whether Flink uses its hash table for keys that fit a long: it gives
// the rows of a key in reverse order of insertion (seen in match-order-hash-string-int),
// where the general table keeps that order.
func (o *join) longTable(build int) bool {
	k := o.keys[build]
	if len(k.cols) != 1 || len(k.nulls) != 1 || o.outer(build) {
		return false
	}
	switch k.types[0].Kind {
	case value.KindTinyInt, value.KindSmallInt, value.KindInt, value.KindBigInt, value.KindFloat, value.KindDouble, value.KindDate, value.KindTime:
		return true
	case value.KindTimestamp, value.KindTimestampLTZ:
		return k.types[0].Precision <= 3
	}
	return false
}
