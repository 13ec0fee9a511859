package stream

import (
	"encoding/binary"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// intervalJoin joins a row at once with the rows of the other side that are cached and
// lie within the bounds. The cache of a key is a hash map by time, so matches come in
// the order of that map (join.md C1).
//
// Outer rows without a match are padded when their time has run out: by a timer, by a
// row of the other side that finds them expired, or at once if they arrive too late to
// be cached (C2). Late rows as such are not dropped: they match what is still cached.
type intervalJoin struct {
	next   operator
	job    *job
	sides  [2]intervalSide
	cond   matcher
	timers *timers
	mark   int64
	delay  int64
	out    joinedRow
}

// intervalSide is one input. rel is how long its rows wait for the other side.
type intervalSide struct {
	key   *keyEncoder
	nulls nullFilter
	time  int
	rel   int64
	outer bool
	// expired is the time up to which rows of this side are given up; it is one for all keys.
	expired int64
	cache   map[string]*value.JavaMap[cachedRows]
	// cleanup is the time of the timer that cleans this side, by key.
	cleanup map[string]int64
	buf     []byte
}

type cachedRows struct {
	at   int64
	rows []cachedRow
}

type cachedRow struct {
	row     value.Row
	matched bool
}

func (j *job) newIntervalJoin(n *phys.IntervalJoin, next operator) (driver, error) {
	if !n.Rowtime {
		return nil, unsupported.New("an interval join by processing time")
	}
	left := n.JoinType == "LeftOuterJoin" || n.JoinType == "FullOuterJoin"
	right := n.JoinType == "RightOuterJoin" || n.JoinType == "FullOuterJoin"
	if !left && !right && n.JoinType != "InnerJoin" {
		return nil, unsupported.New("an interval join of type %s", n.JoinType)
	}
	l, r := n.In[0].Schema(), n.In[1].Schema()
	o := &intervalJoin{next: next, job: j, timers: newTimers(), mark: MinWatermark, out: newJoinedRow(len(l), len(r))}
	if n.Lower > n.Upper {
		return nil, unsupported.New("an interval join whose bounds exclude each other")
	}
	o.sides[0] = newIntervalSide(n.LeftKeys, l, n.FilterNulls, n.LeftTime, -n.Lower, left)
	o.sides[1] = newIntervalSide(n.RightKeys, r, n.FilterNulls, n.RightTime, n.Upper, right)
	o.delay = max(-n.Lower, n.Upper)
	o.cond = matcher{job: j, buf: newJoinedRow(len(l), len(r))}
	if n.NonEqui != nil {
		var err error
		if o.cond.cond, err = j.compile(n.NonEqui); err != nil {
			return nil, err
		}
	}
	return j.newTwoInput(o, n)
}

func newIntervalSide(keys []int, schema []value.Field, filter []bool, time int, rel int64, outer bool) intervalSide {
	return intervalSide{
		key: newKeyEncoder(keys, schema), nulls: newNullFilter(keys, filter), time: time, rel: rel, outer: outer,
		cache: map[string]*value.JavaMap[cachedRows]{}, cleanup: map[string]int64{},
	}
}

// timeKey is a time as key of a cache, with the hash of a Java Long.
func timeKey(dst []byte, t int64) ([]byte, int32) {
	return binary.LittleEndian.AppendUint64(dst, uint64(t)), int32(t ^ int64(uint64(t)>>32))
}

// expiry is the time up to which rows of a side have run out at the current watermark.
func (o *intervalJoin) expiry(side int) int64 {
	if o.mark == MaxWatermark {
		return MaxWatermark
	}
	return o.now() - o.sides[side].rel - 1
}

// now is event time as the join knows it: it begins with 0, not with the lowest watermark.
func (o *intervalJoin) now() int64 { return max(0, o.mark) }

func (o *intervalJoin) left(_ changelog.RowKind, row value.Row) error  { return o.take(0, row) }
func (o *intervalJoin) right(_ changelog.RowKind, row value.Row) error { return o.take(1, row) }

func (o *intervalJoin) take(side int, row value.Row) error {
	own, other := &o.sides[side], &o.sides[1-side]
	own.buf = own.key.append(own.buf[:0], row)
	key := string(own.buf)
	t := row[own.time].Millis()
	from, to := t-other.rel, t+own.rel
	emitted := false
	if other.expired < to {
		other.expired = o.expiry(1 - side)
		var err error
		if emitted, err = o.probe(side, key, row, from, to); err != nil {
			return err
		}
	}
	if o.now() < to {
		m := own.cache[key]
		if m == nil {
			m = &value.JavaMap[cachedRows]{}
			own.cache[key] = m
		}
		id, h := timeKey(nil, t)
		e, _ := m.Put(id, h)
		e.at = t
		e.rows = append(e.rows, cachedRow{row, emitted})
		if _, ok := own.cleanup[key]; !ok {
			o.register(side, key, t)
		}
		return nil
	}
	if !emitted && own.outer {
		return o.pad(side, row)
	}
	return nil
}

// probe joins row with the cache of the other side, giving up what has expired there.
func (o *intervalJoin) probe(side int, key string, row value.Row, from, to int64) (emitted bool, err error) {
	own, other := &o.sides[side], &o.sides[1-side]
	m := other.cache[key]
	if m == nil {
		return false, nil
	}
	never := own.nulls.excludes(row)
	var gone []string
	for id, e := range m.All() {
		if e.at >= from && e.at <= to && !never {
			for i := range e.rows {
				c := &e.rows[i]
				l, r := pair(side, row, c.row)
				if !o.cond.accepts(l, r) {
					continue
				}
				emitted, c.matched = true, true
				if err := o.next.row(changelog.Insert, o.out.of(l, r)); err != nil {
					return emitted, err
				}
			}
		}
		if e.at <= other.expired {
			if err := o.padAll(1-side, e.rows); err != nil {
				return emitted, err
			}
			gone = append(gone, id)
		}
	}
	for _, id := range gone {
		m.Remove([]byte(id))
	}
	return emitted, o.job.ctx.Err
}

// padAll emits the rows of an outer side that found no match.
func (o *intervalJoin) padAll(side int, rows []cachedRow) error {
	if !o.sides[side].outer {
		return nil
	}
	for _, c := range rows {
		if !c.matched {
			if err := o.pad(side, c.row); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *intervalJoin) pad(side int, row value.Row) error {
	l, r := pair(side, row, nil)
	return o.next.row(changelog.Insert, o.out.of(l, r))
}

// register sets the timer that cleans a side's rows of a key from time t on.
func (o *intervalJoin) register(side int, key string, t int64) {
	at := t + o.sides[side].rel + 1
	o.timers.add(timer{at: at, key: key})
	o.sides[side].cleanup[key] = at
}

func (o *intervalJoin) watermark(w int64) error {
	o.mark = w
	for {
		t, ok := o.timers.due(w)
		if !ok {
			return o.next.watermark(w - o.delay)
		}
		o.job.byWatermark(w)
		for _, side := range []int{1, 0} {
			if at, ok := o.sides[side].cleanup[t.key]; ok && at == t.at {
				if err := o.clean(side, t.key); err != nil {
					return err
				}
			}
		}
	}
}

// clean gives up the expired rows of a side and sets its next timer.
func (o *intervalJoin) clean(side int, key string) error {
	s := &o.sides[side]
	s.expired = o.expiry(side)
	m, early := s.cache[key], int64(-1)
	if m != nil {
		var gone []string
		for id, e := range m.All() {
			switch {
			case e.at <= s.expired:
				if err := o.padAll(side, e.rows); err != nil {
					return err
				}
				gone = append(gone, id)
			case e.at < early || early < 0:
				early = e.at
			}
		}
		for _, id := range gone {
			m.Remove([]byte(id))
		}
	}
	if early > 0 {
		o.register(side, key, early)
		return nil
	}
	delete(s.cleanup, key)
	delete(s.cache, key)
	return nil
}

func (o *intervalJoin) end() error { return o.next.end() }
