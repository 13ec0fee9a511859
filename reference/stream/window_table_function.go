package stream

import (
	"cmp"
	"slices"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// windowTableFunction is a bare TUMBLE, HOP or CUMULATE: each row goes on at once, late
// or not, once a window, with window_start, window_end and window_time appended. HOP
// begins with the latest window, CUMULATE with the shortest (window.md 32). A row
// without a time is dropped.
type windowTableFunction struct {
	forward
	w   *windowing
	buf value.Row
	add *properties
}

func (j *job) newWindowTableFunction(n *phys.WindowTableFunction, next operator) (operator, error) {
	w, err := j.newWindowing(n.Window)
	if err != nil {
		return nil, err
	}
	if !n.Window.Rowtime {
		return nil, unsupported.New("a processing-time window")
	}
	add := &properties{w, []string{"start", "end", "rowtime"}}
	if w.Kind == "SESSION" {
		return j.newSessionTableFunction(n, w, add, next), nil
	}
	return &windowTableFunction{forward{next}, w, make(value.Row, len(n.Fields)), add}, nil
}

func (o *windowTableFunction) row(kind changelog.RowKind, row value.Row) error {
	if row[o.w.TimeColumn].IsNull() {
		return nil
	}
	t := o.w.shift.local(row[o.w.TimeColumn].Millis())
	n := copy(o.buf, row)
	return eachWindow(o.w, t, func(start, end int64) error {
		o.add.put(o.buf[n:], start, end)
		return o.next.row(kind, o.buf)
	})
}

// eachWindow visits the windows that hold the local time t, in Flink's order.
func eachWindow(w *windowing, t int64, visit func(start, end int64) error) error {
	switch w.Kind {
	case "HOP":
		for s := windowStart(t, w.Offset, w.Slide); s > t-w.Size; s -= w.Slide {
			if err := visit(s, s+w.Size); err != nil {
				return err
			}
		}
		return nil
	case "CUMULATE":
		start := windowStart(t, w.Offset, w.Size)
		for e := windowStart(t, w.Offset, w.Slide) + w.Slide; e <= start+w.Size; e += w.Slide {
			if err := visit(start, e); err != nil {
				return err
			}
		}
		return nil
	}
	start := windowStart(t, w.Offset, w.Size)
	return visit(start, start+w.Size)
}

// sessionTableFunction is a bare SESSION: rows wait until their session is complete;
// late ones are dropped. The rows of a session come in order of arrival, also where a later
// row has joined two sessions to one.
type sessionTableFunction struct {
	next operator
	job  *job
	key  *keyEncoder
	open *sessions[[]sessionRow]
	out  value.Row
	add  *properties
	buf  []byte
	// arrivals counts the rows.
	arrivals int
}

type sessionRow struct {
	bundledRow
	arrival int
}

func (j *job) newSessionTableFunction(n *phys.WindowTableFunction, w *windowing, add *properties, next operator) operator {
	o := &sessionTableFunction{
		next: next, job: j, key: newKeyEncoder(n.Window.PartitionBy, n.In[0].Schema()), add: add,
		out:  make(value.Row, len(n.Fields)),
		open: &sessions[[]sessionRow]{w: w, timers: newTimers(), open: map[string][]*session[[]sessionRow]{}, mark: MinWatermark},
	}
	o.open.merge = func(into, from *[]sessionRow) error {
		*into = append(*into, *from...)
		slices.SortFunc(*into, func(a, b sessionRow) int { return cmp.Compare(a.arrival, b.arrival) })
		return nil
	}
	return o
}

func (o *sessionTableFunction) row(kind changelog.RowKind, row value.Row) error {
	if row[o.open.w.TimeColumn].IsNull() {
		return nil
	}
	t := o.open.w.shift.local(row[o.open.w.TimeColumn].Millis())
	o.buf = o.key.append(o.buf[:0], row)
	s, err := o.open.add(string(o.buf), t, func() []sessionRow { return nil })
	if err != nil || s == nil {
		return err
	}
	o.arrivals++
	s.state = append(s.state, sessionRow{bundledRow{kind, keepRow(row)}, o.arrivals})
	return nil
}

func (o *sessionTableFunction) watermark(w int64) error {
	o.open.mark = w
	for {
		_, s, ok := o.open.due(w)
		if !ok {
			return o.next.watermark(w)
		}
		o.job.byWatermark(w)
		for _, r := range s.state {
			n := copy(o.out, r.row)
			o.add.put(o.out[n:], s.start, s.end)
			if err := o.next.row(r.kind, o.out); err != nil {
				return err
			}
		}
	}
}

func (o *sessionTableFunction) end() error { return o.next.end() }
