package stream

import (
	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// normalize is ChangelogNormalize: it remembers the last row of each primary key, and so
// turns an upsert stream into a full changelog. An event that repeats the stored row is
// silent; a delete carries the stored row (semantics 10). A condition that was absorbed
// makes rows that fail it invisible: unknown ones are ignored, known ones deleted.
type normalize struct {
	next   operator
	keys   *keyEncoder
	cond   func(value.Row) bool
	job    *job
	before bool
	types  []value.Type // nil when repeated rows are sent again
	rows   map[string]value.Row
	bundle *bundle[bundledRow] // with mini-batch: the last event of each key
	buf    []byte
}

func (j *job) newNormalize(n *phys.ChangelogNormalize, next operator) (operator, error) {
	in := n.In[0].Schema()
	cond, err := j.condition(n.Cond)
	if err != nil {
		return nil, err
	}
	o := &normalize{
		next: next, job: j, keys: newKeyEncoder(n.Keys, in), cond: cond, before: wantsUpdateBefore(n), rows: map[string]value.Row{},
	}
	if j.rt.StateTTL <= 0 {
		o.types = fieldTypes(in)
	}
	if j.rt.MiniBatchSize > 0 {
		o.bundle = newBundle[bundledRow](j, o.keys)
	}
	return o, nil
}

func (o *normalize) row(kind changelog.RowKind, row value.Row) error {
	if o.bundle == nil {
		o.buf = o.keys.append(o.buf[:0], row)
		return o.change(string(o.buf), kind, row)
	}
	e, _ := o.bundle.at(row)
	*e = bundledRow{kind, keepRow(row)}
	if o.bundle.counted() {
		return o.flush()
	}
	return nil
}

func (o *normalize) flush() error {
	if o.bundle == nil {
		return nil
	}
	return o.bundle.flush(func(id string, _ value.Row, e *bundledRow) error { return o.change(id, e.kind, e.row) })
}

func (o *normalize) change(id string, kind changelog.RowKind, row value.Row) error {
	old, known := o.rows[id]
	if !kind.Adds() {
		if !known {
			return nil
		}
		delete(o.rows, id)
		return o.next.row(changelog.Delete, old)
	}
	if known && o.types != nil && equalResults(o.types, old, row) {
		return nil
	}
	pass := o.cond(row)
	if o.job.ctx.Err != nil {
		return o.job.ctx.Err
	}
	switch {
	case !pass && !known:
		return nil
	case !pass:
		delete(o.rows, id)
		return o.next.row(changelog.Delete, old)
	case !known:
		o.rows[id] = keepRow(row)
		return o.next.row(changelog.Insert, row)
	}
	if o.before {
		if err := o.next.row(changelog.UpdateBefore, old); err != nil {
			return err
		}
	}
	o.rows[id] = keepRow(row)
	return o.next.row(changelog.UpdateAfter, row)
}

func (o *normalize) watermark(w int64) error {
	if err := o.flush(); err != nil {
		return err
	}
	return o.next.watermark(w)
}

func (o *normalize) end() error {
	if err := o.flush(); err != nil {
		return err
	}
	return o.next.end()
}
