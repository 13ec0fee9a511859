package stream

import (
	"cmp"
	"slices"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/value"
)

// overBounded runs over the last rows (ROWS n PRECEDING) or the last time span (RANGE)
// by rowtime, taking back what leaves the frame. Late is what is not newer than the last
// time processed for the key, which begins at 0 (semantics 8).
//
// RANGE has clean-up timers in the same queue, at 1.5 bounds after a row; they forget a
// key, and they change the order of the other timers (window.md 39).
type overBounded struct {
	overCalls
	time   int
	rows   bool
	bound  int64
	timers *timers
	state  map[string]*overState
}

// overState is what a key has: the rows not yet gone, by time, and how many ROWS are in
// the frame. cleanup is 0 when no clean-up timer counts.
type overState struct {
	accs     []acc
	times    value.JavaMap[overRows]
	fired    []int64 // the times that have been processed and are not yet gone, ascending
	count    int64
	last     int64
	cleanup  int64
	hasClean bool
}

type overRows struct {
	at   int64
	rows []value.Row
}

func (o *overBounded) row(_ changelog.RowKind, row value.Row) error {
	id, t := o.id(row), row[o.time].Millis()
	s := o.state[id]
	if s == nil {
		s = &overState{}
		o.state[id] = s
	}
	if t <= s.last {
		return nil
	}
	key, h := timeKey(nil, t)
	e, had := s.times.Put(key, h)
	if !had {
		e.at = t
		o.timers.add(timer{at: t, key: id})
	}
	e.rows = append(e.rows, keepRow(row))
	if !o.rows && (!s.hasClean || s.cleanup < t+o.bound+1) {
		s.cleanup, s.hasClean = t+int64(float64(o.bound)*1.5)+1, true
		o.timers.add(timer{at: s.cleanup, key: id})
	}
	return nil
}

func (o *overBounded) watermark(w int64) error {
	for {
		t, ok := o.timers.due(w)
		if !ok {
			return o.next.watermark(w)
		}
		o.job.byWatermark(w)
		if err := o.fire(t.key, t.at); err != nil {
			return err
		}
	}
}

func (o *overBounded) end() error { return o.next.end() }

func (o *overBounded) fire(id string, t int64) error {
	s := o.state[id]
	if s == nil {
		s = &overState{}
		o.state[id] = s
	}
	if s.hasClean && s.cleanup <= t {
		o.state[id] = &overState{}
		return nil
	}
	key, _ := timeKey(nil, t)
	if e, ok := s.times.Get(key); ok {
		if s.accs == nil {
			s.accs = o.newAccs()
		}
		s.fired = append(s.fired, t)
		var err error
		if o.rows {
			err = o.byRows(s, e.rows)
		} else {
			err = o.byRange(s, t, e.rows)
		}
		if err != nil {
			return err
		}
	}
	s.last = t
	return nil
}

// byRange takes back all rows older than the bound, in the order of the map of times,
// and adds the new ones before any of them is emitted.
func (o *overBounded) byRange(s *overState, t int64, rows []value.Row) error {
	n := 0
	for n < len(s.fired) && t-s.fired[n] > o.bound {
		n++
	}
	gone := s.inOrder(s.fired[:n])
	s.fired = s.fired[n:]
	for _, at := range gone {
		key, _ := timeKey(nil, at)
		e, _ := s.times.Get(key)
		for _, r := range e.rows {
			if err := o.update(s.accs, changelog.Delete, r); err != nil {
				return err
			}
		}
	}
	for _, r := range rows {
		if err := o.add(s.accs, r); err != nil {
			return err
		}
	}
	for _, r := range rows {
		if err := o.emit(changelog.Insert, r, s.accs); err != nil {
			return err
		}
	}
	for _, at := range gone {
		key, _ := timeKey(nil, at)
		s.times.Remove(key)
	}
	return nil
}

// byRows takes back the oldest row for each new one once bound+1 rows are in the frame.
func (o *overBounded) byRows(s *overState, rows []value.Row) error {
	for _, r := range slices.Clone(rows) {
		if s.count > o.bound {
			old := s.oldest()
			if err := o.update(s.accs, changelog.Delete, old.rows[0]); err != nil {
				return err
			}
			if old.rows = old.rows[1:]; len(old.rows) == 0 {
				key, _ := timeKey(nil, old.at)
				s.times.Remove(key)
				s.fired = s.fired[1:]
			}
		} else {
			s.count++
		}
		if err := o.add(s.accs, r); err != nil {
			return err
		}
		if err := o.emit(changelog.Insert, r, s.accs); err != nil {
			return err
		}
	}
	return nil
}

// oldest is the earliest time, which always has been processed: times are, in their order.
func (s *overState) oldest() *overRows {
	key, h := timeKey(nil, s.fired[0])
	e, _ := s.times.Put(key, h)
	return e
}

// inOrder brings times into the order of the map.
func (s *overState) inOrder(times []int64) []int64 {
	times = slices.Clone(times)
	if len(times) < 2 {
		return times
	}
	places := make(map[int64]int64, len(times))
	for _, at := range times {
		key, _ := timeKey(nil, at)
		places[at] = s.times.Place(key)
	}
	slices.SortFunc(times, func(a, b int64) int { return cmp.Compare(places[a], places[b]) })
	return times
}
