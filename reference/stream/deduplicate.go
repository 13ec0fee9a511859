package stream

import (
	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// newDeduplicate makes ROW_NUMBER() = 1 by a time attribute over an insert-only input.
func (j *job) newDeduplicate(n *phys.Deduplicate, next operator) (operator, error) {
	in := n.In[0]
	keys := newKeyEncoder(n.Keys, in.Schema())
	if j.rt.MiniBatchSize > 0 {
		return j.newBundledDeduplicate(n, keys, next), nil
	}
	switch {
	case n.Rowtime && !n.KeepLast:
		return &keepFirstRowtime{
			next: next, job: j, keys: keys, time: n.TimeColumn, mark: MinWatermark,
			timers: newTimers(), state: map[string]*firstRow{},
		}, nil
	case n.KeepLast:
		d := &keepLast{
			forward: forward{next}, keys: keys, before: wantsUpdateBefore(n), time: -1,
			rows: map[string]value.Row{},
		}
		if n.Rowtime {
			d.time = n.TimeColumn
		} else if j.rt.StateTTL <= 0 {
			d.types = fieldTypes(in.Schema())
		}
		return d, nil
	}
	return &keepFirstProctime{forward: forward{next}, keys: keys, seen: map[string]struct{}{}}, nil
}

// keepFirstProctime passes the first row of a key.
type keepFirstProctime struct {
	forward
	keys *keyEncoder
	seen map[string]struct{}
	buf  []byte
}

func (d *keepFirstProctime) row(_ changelog.RowKind, row value.Row) error {
	d.buf = d.keys.append(d.buf[:0], row)
	if _, ok := d.seen[string(d.buf)]; ok {
		return nil
	}
	d.seen[string(d.buf)] = struct{}{}
	return d.next.row(changelog.Insert, row)
}

// keepLast keeps the newest row. By rowtime a row with an equal time replaces and
// equal contents are sent again (window.md 15); there is no test for lateness. By
// processing time every row replaces, unless it equals the stored one.
type keepLast struct {
	forward
	keys   *keyEncoder
	before bool
	time   int          // rowtime column, or -1
	types  []value.Type // set when equal contents are silent
	rows   map[string]value.Row
	buf    []byte
}

func (d *keepLast) row(_ changelog.RowKind, row value.Row) error {
	d.buf = d.keys.append(d.buf[:0], row)
	old, ok := d.rows[string(d.buf)]
	if !ok {
		d.rows[string(d.buf)] = keepRow(row)
		return d.next.row(changelog.Insert, row)
	}
	if d.time >= 0 && row[d.time].Millis() < old[d.time].Millis() {
		return nil
	}
	if d.types != nil && equalResults(d.types, old, row) {
		return nil
	}
	d.rows[string(d.buf)] = keepRow(row)
	if d.before {
		if err := d.next.row(changelog.UpdateBefore, old); err != nil {
			return err
		}
	}
	return d.next.row(changelog.UpdateAfter, row)
}

// keepFirstRowtime holds the row with the smallest rowtime of a key back until the
// watermark reaches it, so that its output is insert-only. Rows below the watermark are
// late; once a key's row is out, later rows of it are ignored (semantics 4.2).
type keepFirstRowtime struct {
	next   operator
	job    *job
	keys   *keyEncoder
	time   int
	mark   int64
	timers *timers
	state  map[string]*firstRow
	buf    []byte
}

// firstRow is the candidate of a key; row is nil once it is out.
type firstRow struct {
	row value.Row
	at  int64
}

func (d *keepFirstRowtime) row(_ changelog.RowKind, row value.Row) error {
	t := row[d.time].Millis()
	if t < d.mark {
		return nil
	}
	d.buf = d.keys.append(d.buf[:0], row)
	s := d.state[string(d.buf)]
	key := string(d.buf)
	switch {
	case s == nil:
		s = &firstRow{}
		d.state[key] = s
	case s.row == nil || t >= s.at:
		return nil
	default:
		d.timers.remove(timer{at: s.at, key: key})
	}
	s.row, s.at = keepRow(row), t
	d.timers.add(timer{at: t, key: key})
	return nil
}

func (d *keepFirstRowtime) watermark(w int64) error {
	d.mark = w
	for {
		t, ok := d.timers.due(w)
		if !ok {
			return d.next.watermark(w)
		}
		s := d.state[t.key]
		if s == nil || s.row == nil {
			continue
		}
		d.job.byWatermark(w)
		r := s.row
		s.row = nil
		if err := d.next.row(changelog.Insert, r); err != nil {
			return err
		}
	}
}

func (d *keepFirstRowtime) end() error { return d.next.end() }
