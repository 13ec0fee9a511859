package stream

import (
	"github.com/labgrade/labgrade/reference/phys"
)

// Order decides which input a merge takes its next element from. It is asked as long as
// more than one input may have another element; an input that turns out to have none
// lets the next one that has take its place. An error ends the run and is returned by Run.
//
// An element is a row or a watermark, as an operator below sends it: the two rows of an
// update are two elements, between which another input may come (join.md A5). A merge
// below another one is asked only when the upper one wants an element of it, which loses no
// order, since no merge sees what happens above it.
type Order func(m *Merge) (input int, err error)

// OrderFacts is what one run in whatever order tells about all of them: the inputs are the
// same. It saves states that differ in nothing that matters (see Merge.State).
type OrderFacts struct {
	// Complete is to be set when one run has come to its end.
	Complete bool
	// late: an interval join got a row for which the other side may be given up already.
	late bool
}

// Merge is a place of a plan where the elements of several inputs meet, in the moment when
// the next one is to be chosen.
type Merge struct {
	// Point numbers the merges of a plan from 0.
	Point int
	// Taken counts the elements taken of each input so far.
	Taken []int
	// Open tells which inputs may have more.
	Open []bool

	job *job
}

// newMerge returns nil when nobody decides.
func (j *job) newMerge(inputs int) *Merge {
	if j.rt.Order == nil {
		return nil
	}
	j.merges++
	return &Merge{Point: j.merges - 1, Taken: make([]int, inputs), Open: make([]bool, inputs), job: j}
}

func (m *Merge) took(input int) {
	if m == nil {
		return
	}
	m.Taken[input]++
	m.job.path = append(m.job.path, byte(m.Point), byte(input))
}

// next asks for the input to take from, if there is a choice.
func (m *Merge) next(queues []elementQueue) (int, error) {
	open, last := 0, 0
	for i := range queues {
		if m.Open[i] = !queues[i].ended || !queues[i].empty(); m.Open[i] {
			open++
			last = i
		}
	}
	if open < 2 {
		return last, nil
	}
	return m.job.rt.Order(m)
}

// orderedUnion is UNION ALL whose inputs are taken as an Order says, element by element.
// Flink moves whole network buffers, whose borders may lie anywhere.
type orderedUnion struct {
	job    *job
	inputs []unionInput
	queues []elementQueue
	below  []driver
	merge  *Merge
}

func (j *job) newOrderedUnion(n *phys.Union, u *union) (driver, error) {
	d := &orderedUnion{
		job: j, inputs: make([]unionInput, len(n.In)), queues: make([]elementQueue, len(n.In)),
		below: make([]driver, len(n.In)), merge: j.newMerge(len(n.In)),
	}
	for i, in := range n.In {
		u.marks[i] = MinWatermark
		d.inputs[i] = unionInput{u: u, i: i}
		d.queues[i] = elementQueue{job: j, time: -1}
		below, err := j.build(in, &d.queues[i])
		if err != nil {
			return nil, err
		}
		d.below[i] = below
	}
	return d, nil
}

func (d *orderedUnion) step() (bool, error) {
	first, err := d.merge.next(d.queues)
	if err != nil {
		return false, err
	}
	for i := range d.queues {
		in := (first + i) % len(d.queues)
		q := &d.queues[in]
		for q.empty() && !q.ended {
			if _, err := d.below[in].step(); err != nil {
				return false, err
			}
		}
		if q.empty() {
			continue
		}
		e := q.pop()
		d.merge.took(in)
		d.job.cause = e.cause
		if e.isMark {
			return true, d.inputs[in].watermark(e.mark)
		}
		return true, d.inputs[in].row(e.kind, e.row)
	}
	return false, d.inputs[0].u.next.end()
}
