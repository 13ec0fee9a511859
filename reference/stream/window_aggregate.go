package stream

import (
	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// windowAggregate aggregates over TUMBLE, HOP and CUMULATE windows and emits one +I a
// key and window (window.md 23-28). Its order is a consequence of two mechanisms.
//
// Records wait in a buffer, ordered by the first occurrence of (slice, key). When a
// watermark passes the next trigger and the smallest slice of the buffer has fired, the
// whole buffer goes to the state, and each (slice, key) registers a timer unless its
// window had fired at the watermark before.
//
// Then the timers fire in heap order. A HOP window is merged from its slices and, if it
// was not empty, registers the next window; a CUMULATE window collects in its first
// slice and registers the next step until the window is complete.
//
// A record whose slice has fired is dropped if the last window of the slice has fired
// too, and otherwise joins the first window still open.
type windowAggregate struct {
	next operator
	job  *job
	windowPhase
	calls  *aggCalls
	props  *properties
	state  map[windowKey]*windowState
	keys   map[string]value.Row
	timers *timers
	fired  int64 // the watermark of the timers
	counts bool  // a window whose rows were all taken back is not emitted
	out    value.Row
}

// windowPhase is what the phases of a window aggregate share: a buffer that is flushed
// when a watermark passes the next trigger and the smallest slice in it has fired.
type windowPhase struct {
	w       *windowing
	buffer  *windowBuffer
	mark    int64 // the watermark that records are compared with
	trigger int64
}

// rise takes a watermark and tells whether the buffer has to be flushed.
func (p *windowPhase) rise(w int64) bool {
	if w <= p.mark {
		return false
	}
	p.mark = w
	if w < p.trigger {
		return false
	}
	p.trigger = p.w.nextTrigger(w)
	return p.w.fired(p.buffer.first, w)
}

// windowKey is a key and the end of a slice.
type windowKey struct {
	key   string
	slice int64
}

// windowState is what a key has in a slice.
type windowState struct {
	accs []acc
	rows int64
}

// windowBuffer holds what came since the last flush, in order of first occurrence. In
// the one-phase plan an entry keeps the rows, in the global phase merged accumulators.
type windowBuffer struct {
	at    map[windowKey]int
	list  []bufferedSlice
	first int64
}

type bufferedSlice struct {
	windowKey
	rows []bundledRow
	part *windowState
}

func newWindowBuffer() *windowBuffer {
	return &windowBuffer{at: map[windowKey]int{}, first: MaxWatermark}
}

// entry finds or makes the entry of k, and tells whether it is new.
func (b *windowBuffer) entry(k windowKey) (*bufferedSlice, bool) {
	i, ok := b.at[k]
	if !ok {
		i = len(b.list)
		b.at[k] = i
		b.list = append(b.list, bufferedSlice{windowKey: k})
		b.first = min(b.first, k.slice)
	}
	return &b.list[i], !ok
}

func (b *windowBuffer) reset() {
	clear(b.at)
	clear(b.list)
	b.list, b.first = b.list[:0], MaxWatermark
}

// newWindowAggregate makes a one-phase or global window aggregate, and for the latter
// its local phase too; it returns the operator and the node below it.
func (j *job) newWindowAggregate(n *phys.WindowAggregate, next operator) (operator, phys.Node, error) {
	source := n // the node that sees the rows
	if n.Phase == "Global" {
		if source = n.Local; source == nil {
			return nil, nil, unsupported.New("a global window aggregate without its local phase")
		}
	}
	in := source.In[0]
	w, err := j.newWindowing(source.Window)
	if err != nil {
		return nil, nil, err
	}
	props, err := newProperties(w, n.Props)
	if err != nil {
		return nil, nil, err
	}
	calls, err := j.newAggCalls(source.Calls)
	if err != nil {
		return nil, nil, err
	}
	keys := newKeyEncoder(source.Keys, in.Schema())
	if !source.Window.Rowtime {
		return &swallow{next}, in, nil
	}
	if w.Kind == "SESSION" {
		if n.Phase != "" || w.attached {
			return nil, nil, unsupported.New("a session window aggregate of this plan")
		}
		return j.newSessionAggregate(w, calls, keys, props, !insertOnly(in), next), in, nil
	}
	a := &windowAggregate{
		next: next, job: j, calls: calls, props: props,
		windowPhase: windowPhase{w: w, buffer: newWindowBuffer(), mark: MinWatermark, trigger: MinWatermark},
		state:       map[windowKey]*windowState{}, keys: map[string]value.Row{}, timers: newTimers(),
		fired:  MinWatermark,
		counts: !insertOnly(in) || w.Kind == "HOP",
		out:    make(value.Row, len(keys.cols)+len(source.Calls)+len(n.Props)),
	}
	if n.Phase != "Global" {
		return &onePhaseWindow{windowAggregate: a, key: keys}, in, nil
	}
	local, err := j.newAggCalls(source.Calls)
	if err != nil {
		return nil, nil, err
	}
	return &localWindow{next: a, job: j, calls: local, key: keys,
		// The first watermark that counts is above 0, not above the lowest.
		windowPhase: windowPhase{w: w, buffer: newWindowBuffer(), trigger: MinWatermark}}, in, nil
}

// swallow drops rows: a processing-time window over a file, which ends before any such
// window does (window.md 33).
type swallow struct{ next operator }

func (s *swallow) row(changelog.RowKind, value.Row) error { return nil }
func (s *swallow) watermark(w int64) error                { return s.next.watermark(w) }
func (s *swallow) end() error                             { return s.next.end() }

// onePhaseWindow feeds rows to a window aggregate.
type onePhaseWindow struct {
	*windowAggregate
	key *keyEncoder
	buf []byte
}

func (o *onePhaseWindow) row(kind changelog.RowKind, row value.Row) error {
	slice, err := o.w.slice(row)
	if err != nil {
		return err
	}
	o.buf = o.key.append(o.buf[:0], row)
	k, ok := o.place(string(o.buf), slice)
	if !ok {
		return nil
	}
	e, fresh := o.buffer.entry(k)
	if fresh {
		o.remember(k.key, o.key, row)
	}
	e.rows = append(e.rows, bundledRow{kind, keepRow(row)})
	return nil
}

// remember keeps the columns of a key.
func (o *windowAggregate) remember(id string, key *keyEncoder, row value.Row) {
	if _, ok := o.keys[id]; !ok {
		k := make(value.Row, len(key.cols))
		key.project(k, row)
		o.keys[id] = keepRow(k)
	}
}

// place decides where a record of a slice goes; false if it is late.
func (o *windowAggregate) place(key string, slice int64) (windowKey, bool) {
	if !o.w.fired(slice, o.mark) {
		return windowKey{key, slice}, true
	}
	if o.w.fired(o.w.lastEnd(slice), o.mark) {
		return windowKey{}, false
	}
	open := slice
	for o.w.fired(open, o.mark) {
		open += o.w.step
	}
	o.register(key, open)
	return windowKey{key, o.w.target(slice)}, true
}

func (o *windowAggregate) register(key string, end int64) {
	o.timers.add(timer{at: o.w.firesAt(end), key: key, kind: end})
}

func (o *windowAggregate) watermark(w int64) error {
	if o.rise(w) {
		if err := o.flush(); err != nil {
			return err
		}
	}
	o.fired = w
	for {
		t, ok := o.timers.due(w)
		if !ok {
			return o.next.watermark(w)
		}
		o.job.byWatermark(w)
		if err := o.fire(t.key, t.kind); err != nil {
			return err
		}
	}
}

func (o *windowAggregate) end() error { return o.next.end() }

// flush moves the buffer into the state.
func (o *windowAggregate) flush() error {
	for i := range o.buffer.list {
		e := &o.buffer.list[i]
		s := o.slot(e.windowKey)
		if e.part != nil {
			s.rows += e.part.rows
			if err := o.calls.merge(s.accs, e.part.accs); err != nil {
				return err
			}
		}
		for _, r := range e.rows {
			if err := s.take(o.calls, r.kind, r.row); err != nil {
				return err
			}
		}
		if !o.w.fired(e.slice, o.fired) {
			o.register(e.key, e.slice)
		}
	}
	o.buffer.reset()
	return nil
}

func (s *windowState) take(calls *aggCalls, kind changelog.RowKind, row value.Row) error {
	if kind.Adds() {
		s.rows++
	} else {
		s.rows--
	}
	return calls.update(s.accs, kind, row)
}

func (o *windowAggregate) slot(k windowKey) *windowState {
	s := o.state[k]
	if s == nil {
		s = &windowState{accs: o.calls.newAccs()}
		o.state[k] = s
	}
	return s
}

// merge adds slice k to s.
func (o *windowAggregate) merge(s *windowState, k windowKey) error {
	p := o.state[k]
	if p == nil {
		return nil
	}
	s.rows += p.rows
	return o.calls.merge(s.accs, p.accs)
}

// fire emits the window of a key that ends at end.
func (o *windowAggregate) fire(key string, end int64) error {
	k := windowKey{key, end}
	switch {
	case !o.w.shared():
		s := o.state[k]
		delete(o.state, k)
		if s == nil {
			s = &windowState{accs: o.calls.newAccs()}
		}
		return o.emit(key, end, s)
	case o.w.Kind == "HOP":
		s := &windowState{accs: o.calls.newAccs()}
		for e := end; e > end-o.w.Size; e -= o.w.step {
			if err := o.merge(s, windowKey{key, e}); err != nil {
				return err
			}
		}
		if err := o.emit(key, end, s); err != nil {
			return err
		}
		if s.rows != 0 {
			o.register(key, end+o.w.step)
		}
		delete(o.state, windowKey{key, end - o.w.Size + o.w.step})
		return nil
	}
	start := o.w.start(end)
	first := windowKey{key, start + o.w.step}
	s := o.slot(first)
	if k != first {
		if err := o.merge(s, k); err != nil {
			return err
		}
		delete(o.state, k)
	}
	if err := o.emit(key, end, s); err != nil {
		return err
	}
	if end+o.w.step <= start+o.w.Size {
		o.register(key, end+o.w.step)
	} else {
		delete(o.state, first)
	}
	return nil
}

func (o *windowAggregate) emit(key string, end int64, s *windowState) error {
	if o.counts && s.rows == 0 {
		return nil
	}
	n := copy(o.out, o.keys[key])
	if err := o.calls.results(o.out[n:], s.accs); err != nil {
		return err
	}
	o.props.put(o.out[n+len(o.calls.funcs):], o.w.start(end), end)
	return o.next.row(changelog.Insert, o.out)
}

// localWindow is the first phase of a window aggregate: it flushes on the same
// condition as the global phase and hands on partial accumulators.
type localWindow struct {
	next *windowAggregate
	job  *job
	windowPhase
	calls *aggCalls
	key   *keyEncoder
	buf   []byte
}

func (o *localWindow) row(kind changelog.RowKind, row value.Row) error {
	slice, err := o.w.slice(row)
	if err != nil {
		return err
	}
	o.buf = o.key.append(o.buf[:0], row)
	e, fresh := o.buffer.entry(windowKey{string(o.buf), slice})
	if fresh {
		e.part = &windowState{accs: o.calls.newAccs()}
		o.next.remember(e.key, o.key, row)
	}
	return e.part.take(o.calls, kind, row)
}

func (o *localWindow) watermark(w int64) error {
	if o.rise(w) {
		if err := o.flush(); err != nil {
			return err
		}
	}
	return o.next.watermark(w)
}

func (o *localWindow) flush() error {
	for i := range o.buffer.list {
		e := &o.buffer.list[i]
		k, ok := o.next.place(e.key, e.slice)
		if !ok {
			continue
		}
		b, fresh := o.next.buffer.entry(k)
		if fresh {
			b.part = &windowState{accs: o.next.calls.newAccs()}
		}
		b.part.rows += e.part.rows
		if err := o.next.calls.merge(b.part.accs, e.part.accs); err != nil {
			return err
		}
	}
	o.buffer.reset()
	return nil
}

func (o *localWindow) end() error { return o.next.end() }
