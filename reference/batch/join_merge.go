package batch

import (
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// merge runs a sort-merge join: both sides are sorted by their keys, NULL first, and the
// keys are gone through in that order. Within a key the rows of one side lead: the right
// ones of a right join, the larger input's of an inner join, else the left ones
// (SortMergeJoinFunction).
func (o *join) merge(emit func(value.Row) error) error {
	var rows [2][]value.Row
	var orders [2]order
	for i, in := range []producer{o.left, o.right} {
		var err error
		if rows[i], err = collect(in); err != nil {
			return err
		}
		var keys []phys.SortKey
		for _, c := range o.keys[i].cols {
			keys = append(keys, phys.SortKey{Column: c})
		}
		orders[i] = newOrder(keys, o.node.In[i].Schema())
		quicksort(rows[i], orders[i].compare)
	}
	l, r := rows[0], rows[1]
	for len(l) > 0 || len(r) > 0 {
		var c int
		switch {
		case len(l) == 0:
			c = 1
		case len(r) == 0:
			c = -1
		case o.node.JoinType == "FullOuterJoin" && !o.matchable(0, l[0]):
			c = -1 // a full join lets keys go at once that match nothing
		case o.node.JoinType == "FullOuterJoin" && !o.matchable(1, r[0]):
			c = 1
		default:
			c = o.compareKeys(l[0], r[0])
		}
		nl, nr := 0, 0
		if c <= 0 {
			nl = run(l, orders[0])
		}
		if c >= 0 {
			nr = run(r, orders[1])
		}
		var err error
		if o.rightLeads() {
			err = o.mergeRight(l[:nl], r[:nr], emit)
		} else {
			err = o.mergeLeft(l[:nl], r[:nr], emit)
		}
		if err != nil {
			return err
		}
		l, r = l[nl:], r[nr:]
	}
	return o.job.ctx.Err
}

func (o *join) matchable(side int, row value.Row) bool {
	_, ok := o.keys[side].append(nil, row)
	return ok
}

func (o *join) rightLeads() bool {
	switch o.node.JoinType {
	case "RightOuterJoin":
		return true
	case "InnerJoin":
		if o.node.Adaptive {
			return o.node.BuildLeft
		}
		return o.node.LeftSize < o.node.RightSize
	}
	return false
}

func (o *join) compareKeys(l, r value.Row) int {
	for k := range o.keys[0].cols {
		x, y := l[o.keys[0].cols[k]], r[o.keys[1].cols[k]]
		switch {
		case x.IsNull() && y.IsNull():
			continue
		case x.IsNull():
			return -1
		case y.IsNull():
			return 1
		}
		if c := value.Compare(o.keys[0].types[k], x, y); c != 0 {
			return c
		}
	}
	return 0
}

// run is the number of rows that share the first one's key.
func run(rows []value.Row, by order) int {
	n := 1
	for n < len(rows) && by.compare(rows[0], rows[n]) == 0 {
		n++
	}
	return n
}

// mergeRight joins the rows of a key, the right ones first.
func (o *join) mergeRight(left, right []value.Row, emit func(value.Row) error) error {
	for _, r := range right {
		some := false
		if _, ok := o.keys[1].append(nil, r); ok {
			for _, l := range left {
				if !o.accepts(l, r) {
					continue
				}
				some = true
				if err := emit(o.pair(l, r)); err != nil {
					return err
				}
			}
		}
		if !some && o.outer(1) {
			if err := emit(o.pair(nil, r)); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeLeft joins the rows of a key, the left ones first; right rows without a match come
// last.
func (o *join) mergeLeft(left, right []value.Row, emit func(value.Row) error) error {
	semi, anti := o.semi()
	used := make([]bool, len(right))
	for _, l := range left {
		some := false
		_, ok := o.keys[0].append(nil, l)
		for i, r := range right {
			if !ok || !o.accepts(l, r) {
				continue
			}
			some, used[i] = true, true
			if semi {
				break
			}
			if err := emit(o.pair(l, r)); err != nil {
				return err
			}
		}
		var err error
		switch {
		case semi && some != anti:
			err = emit(l)
		case !semi && !some && o.outer(0):
			err = emit(o.pair(l, nil))
		}
		if err != nil {
			return err
		}
	}
	if !o.outer(1) {
		return nil
	}
	for i, r := range right {
		if !used[i] {
			if err := emit(o.pair(nil, r)); err != nil {
				return err
			}
		}
	}
	return nil
}
