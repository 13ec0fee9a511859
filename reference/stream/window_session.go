package stream

import (
	"cmp"
	"slices"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/value"
)

// sessions is the open sessions of the keys. A row opens [t, t + gap); windows that
// overlap or touch merge (window.md 30).
type sessions[S any] struct {
	w      *windowing
	timers *timers
	open   map[string][]*session[S] // by start
	mark   int64
	// merge adds the state of a swallowed session to the one that stays.
	merge func(into, from *S) error
}

type session[S any] struct {
	start, end int64
	state      S
}

// add puts a row at local time t into a session and returns it, or nil if it is late:
// a window that ends at or before the watermark. When windows merge, the timer of the
// result is set before those of the parts are deleted, which the order of the heap shows.
func (s *sessions[S]) add(key string, t int64, fresh func() S) (*session[S], error) {
	list := s.open[key]
	n := &session[S]{start: t, end: t + s.w.Size}
	// The row meets at most the nearest session on each side; Flink looks at the later
	// one first.
	var hits []*session[S]
	result := [2]int64{n.start, n.end}
	i, exact := slices.BinarySearchFunc(list, n, func(a, b *session[S]) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	floor := i - 1
	if exact {
		floor = i
	}
	for _, k := range []int{i, floor} {
		if k < 0 || k >= len(list) || slices.Contains(hits, list[k]) {
			continue
		}
		if o := list[k]; result[0] <= o.end && o.start <= result[1] {
			hits = append(hits, o)
			result = [2]int64{min(result[0], o.start), max(result[1], o.end)}
		}
	}
	at := s.w.firesAt(result[1])
	if len(hits) == 0 {
		if at <= s.mark {
			return nil, nil
		}
		n.state = fresh()
		s.open[key] = slices.Insert(list, i, n)
		s.timers.add(timer{at: at, key: key, kind: n.start})
		return n, nil
	}
	if len(hits) == 1 && hits[0].start == result[0] && hits[0].end == result[1] {
		s.timers.add(timer{at: at, key: key, kind: result[0]})
		return hits[0], nil
	}
	if at <= s.mark {
		return nil, flinkerr.Runtime("java.lang.UnsupportedOperationException",
			"The end timestamp of an event-time window cannot become earlier than the current watermark by merging. Current watermark: %d window: TimeWindow{start=%d, end=%d}",
			s.mark, result[0], result[1])
	}
	inHashOrder(hits)
	s.timers.add(timer{at: at, key: key, kind: result[0]})
	for _, h := range hits {
		s.timers.remove(timer{at: s.w.firesAt(h.end), key: key, kind: h.start})
	}
	stays := hits[0]
	for _, h := range hits[1:] {
		if err := s.merge(&stays.state, &h.state); err != nil {
			return nil, err
		}
	}
	list = slices.DeleteFunc(list, func(x *session[S]) bool { return slices.Contains(hits, x) })
	stays.start, stays.end = result[0], result[1]
	i, _ = slices.BinarySearchFunc(list, stays, func(a, b *session[S]) int { return cmp.Compare(a.start, b.start) })
	s.open[key] = slices.Insert(list, i, stays)
	s.timers.add(timer{at: at, key: key, kind: stays.start})
	return stays, nil
}

// inHashOrder sorts two sessions as a java.util.HashSet of Flink's windows iterates: the
// first keeps its state, into which the second is merged.
func inHashOrder[S any](hits []*session[S]) {
	slot := func(h *session[S]) uint32 {
		x := int32(h.end<<1) + 1
		inv := x * x * x
		for range 3 {
			inv *= 2 - x*inv
		}
		c := uint32(int32(h.start + int64(inv)))
		return (c ^ c>>16) & 15
	}
	slices.SortStableFunc(hits, func(a, b *session[S]) int { return cmp.Compare(slot(a), slot(b)) })
}

// due takes the next session whose timer has come.
func (s *sessions[S]) due(w int64) (key string, x *session[S], ok bool) {
	for {
		t, ok := s.timers.due(w)
		if !ok {
			return "", nil, false
		}
		list := s.open[t.key]
		for i, x := range list {
			if x.start == t.kind && s.w.firesAt(x.end) == t.at {
				s.open[t.key] = slices.Delete(list, i, i+1)
				return t.key, x, true
			}
		}
	}
}

// sessionAggregate is a session window aggregate. It works on each record at once and
// has no buffer.
type sessionAggregate struct {
	next   operator
	job    *job
	calls  *aggCalls
	key    *keyEncoder
	props  *properties
	counts bool
	open   *sessions[windowState]
	keys   map[string]value.Row
	out    value.Row
	buf    []byte
}

func (j *job) newSessionAggregate(w *windowing, calls *aggCalls, key *keyEncoder, props *properties, counts bool, next operator) operator {
	a := &sessionAggregate{
		next: next, job: j, calls: calls, key: key, props: props, counts: counts, keys: map[string]value.Row{},
		open: &sessions[windowState]{w: w, timers: newTimers(), open: map[string][]*session[windowState]{}, mark: MinWatermark},
		out:  make(value.Row, len(key.cols)+len(calls.funcs)+len(props.names)),
	}
	a.open.merge = func(into, from *windowState) error {
		into.rows += from.rows
		return calls.merge(into.accs, from.accs)
	}
	return a
}

func (o *sessionAggregate) row(kind changelog.RowKind, row value.Row) error {
	t, err := o.open.w.time(row)
	if err != nil {
		return err
	}
	o.buf = o.key.append(o.buf[:0], row)
	id := string(o.buf)
	s, err := o.open.add(id, t, func() windowState { return windowState{accs: o.calls.newAccs()} })
	if err != nil || s == nil {
		return err
	}
	if _, ok := o.keys[id]; !ok {
		k := make(value.Row, len(o.key.cols))
		o.key.project(k, row)
		o.keys[id] = keepRow(k)
	}
	return s.state.take(o.calls, kind, row)
}

func (o *sessionAggregate) watermark(w int64) error {
	o.open.mark = w
	for {
		key, s, ok := o.open.due(w)
		if !ok {
			return o.next.watermark(w)
		}
		if o.counts && s.state.rows == 0 {
			continue
		}
		n := copy(o.out, o.keys[key])
		if err := o.calls.results(o.out[n:], s.state.accs); err != nil {
			return err
		}
		o.props.put(o.out[n+len(o.calls.funcs):], s.start, s.end)
		o.job.byWatermark(w)
		if err := o.next.row(changelog.Insert, o.out); err != nil {
			return err
		}
	}
}

func (o *sessionAggregate) end() error { return o.next.end() }
