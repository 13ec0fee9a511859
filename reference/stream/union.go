package stream

import (
	"math"
	"slices"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// union is UNION ALL. Flink takes whole network buffers from its inputs, so small files
// come out as blocks whose order is a race (join.md A4). The convention here is the
// order of the branches: the first as a whole, then the next.
type union struct {
	next  operator
	marks []int64 // watermark of each input
	last  int64
	open  int
}

// unionInput is one branch.
type unionInput struct {
	u *union
	i int
}

// unionDriver runs the branches one after another.
type unionDriver struct {
	branches []driver
	i        int
}

func (j *job) newUnion(n *phys.Union, next operator) (driver, error) {
	u := &union{next: next, last: MinWatermark, open: len(n.In), marks: make([]int64, len(n.In))}
	if j.rt.Order != nil {
		return j.newOrderedUnion(n, u)
	}
	d := &unionDriver{}
	for i, in := range n.In {
		u.marks[i] = MinWatermark
		b, err := j.build(in, &unionInput{u: u, i: i})
		if err != nil {
			return nil, err
		}
		d.branches = append(d.branches, b)
	}
	if j.rt.Lead < 0 {
		slices.Reverse(d.branches)
	}
	return d, nil
}

func (d *unionDriver) step() (bool, error) {
	more, err := d.branches[d.i].step()
	if err != nil || more {
		return more, err
	}
	d.i++
	return d.i < len(d.branches), nil
}

func (b *unionInput) row(kind changelog.RowKind, row value.Row) error {
	return b.u.next.row(kind, row)
}

// watermark forwards the smallest watermark of all inputs when it rises.
func (b *unionInput) watermark(w int64) error {
	u := b.u
	u.marks[b.i] = w
	low := int64(math.MaxInt64)
	for _, m := range u.marks {
		low = min(low, m)
	}
	if low <= u.last {
		return nil
	}
	u.last = low
	return u.next.watermark(low)
}

func (b *unionInput) end() error {
	b.u.open--
	if b.u.open > 0 {
		return nil
	}
	return b.u.next.end()
}
