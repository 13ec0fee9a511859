package stream

import (
	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// bundledDeduplicate is deduplication with mini-batch. By rowtime every row of a bundle
// that replaces the one before is sent, also for the first row, whose output is then no
// longer insert-only; by processing time a bundle counts as its first or last row.
type bundledDeduplicate struct {
	next     operator
	keepLast bool
	time     int // rowtime column, or -1
	before   bool
	types    []value.Type // set when equal contents are silent
	bundle   *bundle[[]value.Row]
	rows     map[string]value.Row
}

func (j *job) newBundledDeduplicate(n *phys.Deduplicate, keys *keyEncoder, next operator) operator {
	d := &bundledDeduplicate{
		next: next, keepLast: n.KeepLast, time: -1, before: wantsUpdateBefore(n),
		bundle: newBundle[[]value.Row](j, keys), rows: map[string]value.Row{},
	}
	if n.Rowtime {
		d.time = n.TimeColumn
	} else if j.rt.StateTTL <= 0 {
		d.types = fieldTypes(n.In[0].Schema())
	}
	return d
}

func (d *bundledDeduplicate) row(_ changelog.RowKind, row value.Row) error {
	rows, fresh := d.bundle.at(row)
	switch {
	case fresh || d.time >= 0:
		*rows = append(*rows, keepRow(row))
	case d.keepLast:
		(*rows)[0] = keepRow(row)
	}
	if d.bundle.counted() {
		return d.flush()
	}
	return nil
}

func (d *bundledDeduplicate) flush() error {
	return d.bundle.flush(func(id string, _ value.Row, rows *[]value.Row) error {
		for _, r := range *rows {
			if err := d.replace(id, r); err != nil {
				return err
			}
		}
		return nil
	})
}

func (d *bundledDeduplicate) replace(id string, row value.Row) error {
	old, ok := d.rows[id]
	if !ok {
		d.rows[id] = row
		return d.next.row(changelog.Insert, row)
	}
	switch {
	case d.time < 0 && !d.keepLast:
		return nil
	case d.time < 0:
		if d.types != nil && equalResults(d.types, old, row) {
			return nil
		}
	default:
		a, b := old[d.time].Millis(), row[d.time].Millis()
		if d.keepLast && a > b || !d.keepLast && b >= a {
			return nil
		}
	}
	d.rows[id] = row
	if d.before {
		if err := d.next.row(changelog.UpdateBefore, old); err != nil {
			return err
		}
	}
	return d.next.row(changelog.UpdateAfter, row)
}

func (d *bundledDeduplicate) watermark(w int64) error {
	if err := d.flush(); err != nil {
		return err
	}
	return d.next.watermark(w)
}

func (d *bundledDeduplicate) end() error {
	if err := d.flush(); err != nil {
		return err
	}
	return d.next.end()
}
