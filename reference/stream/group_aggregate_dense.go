package stream

import (
	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// denseAggregate is groupAggregate for calls whose accumulators are numbers: the state of
// all groups lies in a few arrays, so that a record touches little memory and makes
// none. The functions are the same; each works on a scratch accumulator that is loaded
// from the group's cells and stored back.
type denseAggregate struct {
	forward
	job      *job
	keys     *keyEncoder
	calls    *aggCalls
	types    []value.Type
	counting bool
	before   bool
	repeat   bool

	index keyIndex
	// cells of group g begin at g*(1+calls): first the head, then one for each call.
	cells   []cell
	scratch []acc
	buf     []byte
	out     value.Row // keys, then results
	after   value.Row // the results after the record
	fast    []wordCall
	coming  groupsAhead
}

// cell is the accumulator of a call: acc.n and the bits of acc.v. The head of a group is
// a cell too: the number of its rows, and which calls have an acc.v that is not NULL.
type cell struct{ n, v int64 }

// dense reports whether the calls' accumulators fit cells.
func dense(calls []phys.AggCall) bool {
	if len(calls) > 63 {
		return false
	}
	for i := range calls {
		c := &calls[i]
		if c.Distinct {
			return false
		}
		switch c.Fn.Name {
		case "COUNT":
			continue
		case "SUM", "$SUM0", "AVG":
		case "MIN", "MAX", "FIRST_VALUE", "LAST_VALUE":
			if c.Retract {
				return false
			}
		default:
			return false
		}
		if !word(c.ArgTypes[0]) || !word(c.T) {
			return false
		}
	}
	return true
}

// word tells that the values of a type are one number each.
func word(t value.Type) bool {
	return t.IsInteger() || t.IsApprox() || t.Kind == value.KindBoolean || t.Kind == value.KindDate || t.Kind == value.KindTime ||
		t.IsTimestamp() && t.Precision <= 3
}

func newDenseAggregate(g *groupAggregate, calls []phys.AggCall) *denseAggregate {
	nk := len(g.keys.cols)
	return &denseAggregate{
		forward: g.forward, job: g.job, keys: g.keys, calls: g.calls, types: g.types, fast: wordCalls(calls),
		counting: g.counting, before: g.before, repeat: g.repeat,
		scratch: make([]acc, len(g.types)),
		buf:     make([]byte, 0, keyRoom),
		out:     make(value.Row, nk+len(g.types)),
		after:   make(value.Row, len(g.types)),
	}
}

func (o *denseAggregate) row(kind changelog.RowKind, row value.Row) error {
	nk, stride := len(o.keys.cols), 1+len(o.scratch)
	n := o.group(row)
	cells := o.cells[n*stride : n*stride+stride]
	head := &cells[0]
	first := head.n == 0
	if first {
		// A group that was emptied begins anew.
		if !kind.Adds() {
			return nil
		}
		o.begin(cells)
	}
	if kind.Adds() {
		head.n++
	} else {
		head.n--
	}
	// The keys of the group are those of the record.
	for i, c := range o.keys.cols {
		o.out[i] = row[c]
	}
	before := o.out[nk:]
	var same bool
	if o.fast != nil {
		o.words(cells, kind.Adds(), row, before, o.after)
		same = sameWords(before, o.after)
	} else {
		if err := o.general(cells, kind, row, before); err != nil {
			return err
		}
		same = equalResults(o.types, before, o.after)
	}
	switch {
	case o.counting && head.n == 0:
		return o.next.row(changelog.Delete, o.out)
	case first:
		copy(before, o.after)
		return o.next.row(changelog.Insert, o.out)
	case same && !o.repeat:
		return nil
	}
	if o.before {
		if err := o.next.row(changelog.UpdateBefore, o.out); err != nil {
			return err
		}
	}
	copy(before, o.after)
	return o.next.row(changelog.UpdateAfter, o.out)
}

// begin makes the cells of a new group, all but its number of rows.
func (o *denseAggregate) begin(cells []cell) {
	for i, f := range o.calls.funcs {
		o.scratch[i] = acc{}
		f.init(&o.scratch[i])
	}
	o.store(cells)
}

// general updates a group with the functions themselves and writes the results before and
// after.
func (o *denseAggregate) general(cells []cell, kind changelog.RowKind, row, before value.Row) error {
	o.load(cells)
	if err := o.calls.results(before, o.scratch); err != nil {
		return err
	}
	if err := o.calls.update(o.scratch, kind, row); err != nil {
		return err
	}
	o.store(cells)
	return o.calls.results(o.after, o.scratch)
}

func (o *denseAggregate) load(cells []cell) {
	set := cells[0].v
	for i := range o.scratch {
		a, c := &o.scratch[i], &cells[1+i]
		a.n, a.v = c.n, value.Null
		if set>>i&1 != 0 {
			a.v = value.Int(c.v)
		}
	}
}

func (o *denseAggregate) store(cells []cell) {
	set := int64(0)
	for i := range o.scratch {
		a := &o.scratch[i]
		cells[1+i] = cell{a.n, a.v.Int()}
		if !a.v.IsNull() {
			set |= 1 << i
		}
	}
	cells[0].v = set
}
