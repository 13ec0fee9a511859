package stream

import (
	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// groupWindowAggregate is TUMBLE, HOP and SESSION in GROUP BY, the window functions
// before the table functions (window.md 31). Every record sets the timers of its windows
// at once, HOP's from the latest window backwards; a window fires when the watermark
// reaches its end, and is kept for later rows as long as lateness allows. With
// early or late firing without delay each record sends an update; delays are wall-clock
// times, which a bounded file does not reach.
type groupWindowAggregate struct {
	next   operator
	job    *job
	w      *windowing
	calls  *aggCalls
	types  []value.Type
	key    *keyEncoder
	props  *properties
	timers *timers
	mark   int64

	counting     bool
	updates      bool // results may be sent again
	before       bool
	early, late  int64
	lateness     int64
	pane         int64
	panes        map[windowKey]*windowState
	open         map[windowKey]*firedWindow // by key and start
	keys         map[string]value.Row
	results, out value.Row
	buf          []byte
}

// firedWindow is what a window has emitted.
type firedWindow struct {
	fired bool
	last  value.Row
}

func (j *job) newGroupWindowAggregate(n *phys.GroupWindowAggregate, next operator) (operator, error) {
	in := n.In[0]
	w, err := j.newWindowing(n.Window)
	if err != nil {
		return nil, err
	}
	if !n.Window.Rowtime {
		return &swallow{next}, nil
	}
	props, err := newProperties(w, n.Props)
	if err != nil {
		return nil, err
	}
	calls, err := j.newAggCalls(n.Calls)
	if err != nil {
		return nil, err
	}
	key := newKeyEncoder(n.Keys, in.Schema())
	if w.Kind == "SESSION" {
		if n.EarlyFire >= 0 || n.LateFire >= 0 || n.AllowLateness > 0 {
			return nil, unsupported.New("early or late firing of session windows")
		}
		return j.newSessionAggregate(w, calls, key, props, !insertOnly(in), next), nil
	}
	g := &groupWindowAggregate{
		next: next, job: j, w: w, calls: calls, types: resultTypes(n.Calls), key: key, props: props,
		timers: newTimers(), mark: MinWatermark, counting: !insertOnly(in), updates: n.Mode().Updating(),
		before: wantsUpdateBefore(n), early: n.EarlyFire, late: n.LateFire, lateness: max(0, n.AllowLateness),
		pane: n.Window.Size, panes: map[windowKey]*windowState{}, open: map[windowKey]*firedWindow{}, keys: map[string]value.Row{},
		results: make(value.Row, len(n.Calls)), out: make(value.Row, len(n.Keys)+len(n.Calls)+len(n.Props)),
	}
	if w.Kind == "HOP" {
		for a, b := n.Window.Size, n.Window.Slide; ; a, b = b, a%b {
			if b == 0 {
				g.pane = a
				break
			}
		}
	}
	return g, nil
}

// cleanup is the time from which a window takes no more rows.
func (o *groupWindowAggregate) cleanup(end int64) int64 { return o.w.shift.timer(end - 1 + o.lateness) }

func (o *groupWindowAggregate) row(kind changelog.RowKind, row value.Row) error {
	t, err := o.w.time(row)
	if err != nil {
		return err
	}
	o.buf = o.key.append(o.buf[:0], row)
	id := string(o.buf)
	pane := windowStart(t, o.w.Offset, o.pane)
	last := pane + o.w.Size
	if o.w.Kind == "HOP" {
		last = windowStart(pane, o.w.Offset, o.w.Slide) + o.w.Size
	}
	if o.cleanup(last) > o.mark {
		k := windowKey{id, pane}
		s := o.panes[k]
		if s == nil {
			s = &windowState{accs: o.calls.newAccs()}
			o.panes[k] = s
			if _, ok := o.keys[id]; !ok {
				c := make(value.Row, len(o.key.cols))
				o.key.project(c, row)
				o.keys[id] = keepRow(c)
			}
		}
		if err := s.take(o.calls, kind, row); err != nil {
			return err
		}
	}
	return eachWindow(o.w, t, func(start, end int64) error {
		if o.cleanup(end) <= o.mark {
			return nil
		}
		if o.onElement(id, start, end) {
			if err := o.emit(id, start, end); err != nil {
				return err
			}
		}
		o.timers.add(timer{at: o.w.shift.timer(max(0, end-1+o.lateness)), key: id, kind: start})
		return nil
	})
}

func (o *groupWindowAggregate) window(id string, start int64) *firedWindow {
	k := windowKey{id, start}
	f := o.open[k]
	if f == nil {
		f = &firedWindow{}
		o.open[k] = f
	}
	return f
}

// onElement reports whether a record makes its window fire at once.
func (o *groupWindowAggregate) onElement(id string, start, end int64) bool {
	at := o.w.firesAt(end)
	if o.late > 0 && o.window(id, start).fired {
		return false // a delayed late firing waits for the clock
	}
	if at <= o.mark {
		return true
	}
	o.timers.add(timer{at: at, key: id, kind: start})
	return o.early == 0
}

func (o *groupWindowAggregate) watermark(w int64) error {
	o.mark = w
	for {
		t, ok := o.timers.due(w)
		if !ok {
			return o.next.watermark(w)
		}
		o.job.byWatermark(w)
		start, end := t.kind, t.kind+o.w.Size
		if t.at == o.w.firesAt(end) && !o.window(t.key, start).fired {
			o.window(t.key, start).fired = o.late > 0
			if err := o.emit(t.key, start, end); err != nil {
				return err
			}
		}
		if t.at == o.cleanup(end) {
			o.clean(t.key, start, end)
		}
	}
}

func (o *groupWindowAggregate) end() error { return o.next.end() }

// clean forgets a window, and the panes that belong to no later one.
func (o *groupWindowAggregate) clean(id string, start, end int64) {
	for p := start; p < end; p += o.pane {
		if o.w.Kind != "HOP" || windowStart(p, o.w.Offset, o.w.Slide) == start {
			delete(o.panes, windowKey{id, p})
		}
	}
	delete(o.open, windowKey{id, start})
	o.timers.remove(timer{at: o.w.firesAt(end), key: id, kind: start})
}

// emit sends the result of a window: an insertion, or, where results may be sent again,
// an update of the row before if it changed.
func (o *groupWindowAggregate) emit(id string, start, end int64) error {
	s, err := o.total(id, start, end)
	if err != nil {
		return err
	}
	nk, nr := len(o.key.cols), len(o.results)
	if err := o.calls.results(o.results, s.accs); err != nil {
		return err
	}
	copy(o.out, o.keys[id])
	o.props.put(o.out[nk+nr:], start, end)
	send := func(kind changelog.RowKind, results value.Row) error {
		copy(o.out[nk:], results)
		return o.next.row(kind, o.out)
	}
	empty := o.counting && s.rows == 0
	if !o.updates {
		if empty {
			return nil
		}
		return send(changelog.Insert, o.results)
	}
	f := o.window(id, start)
	switch {
	case empty && f.last == nil:
		return nil
	case empty:
		last := f.last
		f.last = nil
		return send(changelog.Delete, last)
	case f.last == nil:
		f.last = keepRow(o.results)
		return send(changelog.Insert, f.last)
	case equalResults(o.types, f.last, o.results):
		return nil
	}
	if o.before {
		if err := send(changelog.UpdateBefore, f.last); err != nil {
			return err
		}
	}
	f.last = keepRow(o.results)
	return send(changelog.UpdateAfter, f.last)
}

// total is the state of a window: its pane, or for HOP the panes merged from the first.
func (o *groupWindowAggregate) total(id string, start, end int64) (*windowState, error) {
	if o.w.Kind != "HOP" {
		if s := o.panes[windowKey{id, start}]; s != nil {
			return s, nil
		}
	}
	sum := &windowState{accs: o.calls.newAccs()}
	for p := start; p < end; p += o.pane {
		if s := o.panes[windowKey{id, p}]; s != nil {
			sum.rows += s.rows
			if err := o.calls.merge(sum.accs, s.accs); err != nil {
				return nil, err
			}
		}
	}
	return sum, nil
}
