package stream

import (
	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// twoInput is an operator that joins two streams. Watermarks come combined: the lower
// one of both sides, when it rises.
type twoInput interface {
	left(kind changelog.RowKind, row value.Row) error
	right(kind changelog.RowKind, row value.Row) error
	watermark(w int64) error
	end() error
}

// twoInputDriver feeds a join. Flink takes strictly one element of the left, one of the
// right and so on, once both sides have some; an element is a row or a watermark
// (join.md A2). Which side begins, and how far one side is ahead at first, is a race; the
// convention here is that both are ready and the left begins, unless Runtime.Lead asks for
// another of the possible orders.
type twoInputDriver struct {
	job    *job
	op     twoInput
	queues [2]elementQueue
	inputs [2]driver
	marks  [2]int64
	low    int64
	turn   int
	lead   int
	merge  *Merge
	done   bool
}

// element is a row or a watermark on its way into a join.
type element struct {
	isMark bool
	mark   int64
	kind   changelog.RowKind
	row    value.Row
	cause  Cause
}

// elementQueue collects what one side sends until the join takes it.
type elementQueue struct {
	job *job
	// time is the column with the time of an interval join, -1 otherwise; slack how long
	// rows are kept there, mark the last watermark.
	time  int
	slack int64
	mark  int64
	items []element
	head  int
	ended bool
}

func (q *elementQueue) row(kind changelog.RowKind, row value.Row) error {
	if f := q.job.rt.Facts; f != nil && q.time >= 0 && row[q.time].Millis()+q.slack < q.mark {
		f.late = true
	}
	q.items = append(q.items, element{kind: kind, row: keepRow(row), cause: q.job.cause})
	return nil
}

func (q *elementQueue) watermark(w int64) error {
	q.mark = w
	q.items = append(q.items, element{isMark: true, mark: w, cause: q.job.cause})
	return nil
}

func (q *elementQueue) end() error {
	q.ended = true
	return nil
}

func (q *elementQueue) empty() bool { return q.head == len(q.items) }

func (q *elementQueue) pop() element {
	e := q.items[q.head]
	q.items[q.head] = element{}
	if q.head++; q.empty() {
		q.items, q.head = q.items[:0], 0
	}
	return e
}

func (j *job) newTwoInput(op twoInput, n phys.Node) (driver, error) {
	d := &twoInputDriver{job: j, op: op, marks: [2]int64{MinWatermark, MinWatermark}, low: MinWatermark, lead: j.rt.Lead, merge: j.newMerge(2)}
	for i := range d.inputs {
		d.queues[i] = elementQueue{job: j, time: -1, mark: MinWatermark}
		if o, ok := op.(*intervalJoin); ok {
			d.queues[i].time, d.queues[i].slack = o.sides[i].time, o.sides[0].rel+o.sides[1].rel
		}
		in, err := j.build(n.Inputs()[i], &d.queues[i])
		if err != nil {
			return nil, err
		}
		d.inputs[i] = in
	}
	return d, nil
}

// fill makes sure that a side has an element, unless it has ended.
func (d *twoInputDriver) fill(side int) error {
	q := &d.queues[side]
	for q.empty() && !q.ended {
		if _, err := d.inputs[side].step(); err != nil {
			return err
		}
	}
	return nil
}

func (d *twoInputDriver) step() (bool, error) {
	if d.done {
		return false, nil
	}
	side, err := d.next()
	if err != nil {
		return false, err
	}
	if err := d.fill(side); err != nil {
		return false, err
	}
	if d.queues[side].empty() {
		side = 1 - side
		if err := d.fill(side); err != nil {
			return false, err
		}
		if d.queues[side].empty() {
			d.done = true
			return false, d.op.end()
		}
	}
	if d.merge == nil {
		d.turn = 1 - side
	}
	e := d.queues[side].pop()
	d.merge.took(side)
	d.job.cause = e.cause
	switch {
	case e.isMark:
		return true, d.advance(side, e.mark)
	case side == 0:
		return true, d.op.left(e.kind, e.row)
	}
	return true, d.op.right(e.kind, e.row)
}

// next is the side whose turn it is.
func (d *twoInputDriver) next() (int, error) {
	switch {
	case d.merge != nil:
		return d.merge.next(d.queues[:])
	case d.lead > 0:
		d.lead--
		return 0, nil
	case d.lead < 0:
		d.lead++
		return 1, nil
	}
	return d.turn, nil
}

func (d *twoInputDriver) advance(side int, w int64) error {
	d.marks[side] = max(d.marks[side], w)
	low := min(d.marks[0], d.marks[1])
	if low <= d.low {
		return nil
	}
	d.low = low
	return d.op.watermark(low)
}

// joinedRow is the output buffer of a join.
type joinedRow struct {
	row   value.Row
	split int
}

func newJoinedRow(left, right int) joinedRow {
	return joinedRow{make(value.Row, left+right), left}
}

// of puts two rows side by side; nil is a row of NULLs.
func (r *joinedRow) of(left, right value.Row) value.Row {
	if left == nil {
		clear(r.row[:r.split])
	} else {
		copy(r.row, left)
	}
	if right == nil {
		clear(r.row[r.split:])
	} else {
		copy(r.row[r.split:], right)
	}
	return r.row
}

// pair orders rows of the own and the other side as left and right.
func pair(side int, own, other value.Row) (value.Row, value.Row) {
	if side == 0 {
		return own, other
	}
	return other, own
}

// nullFilter tells which key columns never match when NULL: all but those compared by
// IS NOT DISTINCT FROM.
type nullFilter []int

func newNullFilter(keys []int, filter []bool) nullFilter {
	var f nullFilter
	for i, k := range keys {
		if i >= len(filter) || filter[i] {
			f = append(f, k)
		}
	}
	return f
}

func (f nullFilter) excludes(row value.Row) bool {
	for _, c := range f {
		if row[c].IsNull() {
			return true
		}
	}
	return false
}
