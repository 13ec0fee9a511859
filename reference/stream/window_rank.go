package stream

import (
	"slices"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// windowRows collects the rows of windows that come with the row, and hands those of a
// key and window on when the window fires. Rows of a fired window are late. Rows wait in
// a buffer in order of first occurrence of (window, key) and move to the state, where
// their timer is set, when a watermark fires the earliest window of the buffer
// (window.md 34).
type windowRows struct {
	next   operator
	job    *job
	w      *windowing
	key    *keyEncoder
	buffer *windowBuffer
	state  map[windowKey][]value.Row
	timers *timers
	mark   int64
	buf    []byte
	// fire emits the rows of a key and window, given in order of arrival.
	fire func(rows []value.Row) error
}

func (j *job) newWindowRows(w phys.Window, partition []int, in phys.Node, next operator) (*windowRows, error) {
	d, err := j.newWindowing(w)
	if err != nil {
		return nil, err
	}
	if !d.attached {
		return nil, unsupported.New("a window that does not come with the row")
	}
	return &windowRows{
		next: next, job: j, w: d, key: newKeyEncoder(partition, in.Schema()), buffer: newWindowBuffer(),
		state: map[windowKey][]value.Row{}, timers: newTimers(), mark: MinWatermark,
	}, nil
}

func (o *windowRows) row(kind changelog.RowKind, row value.Row) error {
	if !kind.Adds() {
		return unsupported.New("window ranking over updates")
	}
	end := row[o.w.EndCol].Millis()
	if o.w.fired(end, o.mark) {
		return nil
	}
	o.buf = o.key.append(o.buf[:0], row)
	e, _ := o.buffer.entry(windowKey{string(o.buf), end})
	e.rows = append(e.rows, bundledRow{kind, keepRow(row)})
	return nil
}

func (o *windowRows) watermark(w int64) error {
	o.mark = w
	if o.w.fired(o.buffer.first, w) {
		for _, e := range o.buffer.list {
			for _, r := range e.rows {
				o.state[e.windowKey] = append(o.state[e.windowKey], r.row)
			}
			o.timers.add(timer{at: o.w.firesAt(e.slice), key: e.key, kind: e.slice})
		}
		o.buffer.reset()
	}
	for {
		t, ok := o.timers.due(w)
		if !ok {
			return o.next.watermark(w)
		}
		k := windowKey{t.key, t.kind}
		rows := o.state[k]
		delete(o.state, k)
		o.job.byWatermark(w)
		if err := o.fire(rows); err != nil {
			return err
		}
	}
}

func (o *windowRows) end() error { return o.next.end() }

// newWindowRank is Top-N of each window: rows in sort order, ties by arrival.
func (j *job) newWindowRank(n *phys.WindowRank, next operator) (operator, error) {
	in := n.In[0]
	o, err := j.newWindowRows(n.Window, n.PartitionBy, in, next)
	if err != nil {
		return nil, err
	}
	order := newRowComparator(n.Keys, in.Schema())
	out := &rankOutput{next: next, withRank: n.OutputRank, lo: n.RankStart, hi: n.RankEnd, buf: make(value.Row, len(n.Fields))}
	o.fire = func(rows []value.Row) error {
		slices.SortStableFunc(rows, order.compare)
		for i, r := range rows[:min(len(rows), int(n.RankEnd))] {
			if err := out.emit(changelog.Insert, r, int64(i+1)); err != nil {
				return err
			}
		}
		return nil
	}
	return o, nil
}

// newWindowDeduplicate keeps the first or the last row by rowtime of each window; among
// equal times the first keeps its place as first, and the later arrival is the last.
func (j *job) newWindowDeduplicate(n *phys.WindowDeduplicate, next operator) (operator, error) {
	o, err := j.newWindowRows(n.Window, n.PartitionBy, n.In[0], next)
	if err != nil {
		return nil, err
	}
	o.fire = func(rows []value.Row) error {
		best := rows[0]
		for _, r := range rows[1:] {
			a, b := best[n.TimeColumn].Millis(), r[n.TimeColumn].Millis()
			if n.KeepLast && a <= b || !n.KeepLast && b < a {
				best = r
			}
		}
		return next.row(changelog.Insert, best)
	}
	return o, nil
}

// windowJoin joins the rows of two inputs that lie in the same window: at the end of the
// window each left row, in order of arrival, with each right row; an unmatched row is
// padded right after its turn (window.md 35). Late rows are dropped.
type windowJoin struct {
	next   operator
	job    *job
	sides  [2]windowJoinSide
	cond   matcher
	kind   string
	timers *timers
	mark   int64
	out    joinedRow
}

type windowJoinSide struct {
	w     *windowing
	key   *keyEncoder
	nulls nullFilter
	rows  map[windowKey][]value.Row
	buf   []byte
}

func (j *job) newWindowJoin(n *phys.WindowJoin, next operator) (driver, error) {
	o := &windowJoin{next: next, job: j, kind: n.JoinType, timers: newTimers(), mark: MinWatermark}
	for i, w := range []phys.Window{n.LeftWindow, n.RightWindow} {
		d, err := j.newWindowing(w)
		if err != nil {
			return nil, err
		}
		if !d.attached {
			return nil, unsupported.New("a window join whose windows do not come with the rows")
		}
		keys := n.LeftKeys
		if i == 1 {
			keys = n.RightKeys
		}
		o.sides[i] = windowJoinSide{
			w: d, key: newKeyEncoder(keys, n.In[i].Schema()), nulls: newNullFilter(keys, n.FilterNulls),
			rows: map[windowKey][]value.Row{},
		}
	}
	l, r := len(n.In[0].Schema()), len(n.In[1].Schema())
	o.out = newJoinedRow(l, r)
	o.cond = matcher{job: j, buf: newJoinedRow(l, r)}
	if n.NonEqui != nil {
		var err error
		if o.cond.cond, err = j.compile(n.NonEqui); err != nil {
			return nil, err
		}
	}
	return j.newTwoInput(o, n)
}

func (o *windowJoin) left(kind changelog.RowKind, row value.Row) error  { return o.take(0, kind, row) }
func (o *windowJoin) right(kind changelog.RowKind, row value.Row) error { return o.take(1, kind, row) }

func (o *windowJoin) take(side int, kind changelog.RowKind, row value.Row) error {
	if !kind.Adds() {
		return unsupported.New("a window join over updates")
	}
	s := &o.sides[side]
	end := row[s.w.EndCol].Millis()
	if s.w.fired(end, o.mark) {
		return nil
	}
	s.buf = s.key.append(s.buf[:0], row)
	k := windowKey{string(s.buf), end}
	s.rows[k] = append(s.rows[k], row)
	o.timers.add(timer{at: s.w.firesAt(end), key: k.key, kind: end})
	return nil
}

func (o *windowJoin) watermark(w int64) error {
	o.mark = w
	for {
		t, ok := o.timers.due(w)
		if !ok {
			return o.next.watermark(w)
		}
		k := windowKey{t.key, t.kind}
		l, r := o.sides[0].rows[k], o.sides[1].rows[k]
		delete(o.sides[0].rows, k)
		delete(o.sides[1].rows, k)
		o.job.byWatermark(w)
		if err := o.join(l, r); err != nil {
			return err
		}
		if o.job.ctx.Err != nil {
			return o.job.ctx.Err
		}
	}
}

func (o *windowJoin) end() error { return o.next.end() }

func (o *windowJoin) matches(l, r value.Row) bool {
	return !o.sides[0].nulls.excludes(l) && !o.sides[1].nulls.excludes(r) && o.cond.accepts(l, r)
}

func (o *windowJoin) emit(l, r value.Row) error {
	return o.next.row(changelog.Insert, o.out.of(l, r))
}

func (o *windowJoin) join(left, right []value.Row) error {
	switch o.kind {
	case "LeftSemiJoin", "LeftAntiJoin":
		for _, l := range left {
			if slices.ContainsFunc(right, func(r value.Row) bool { return o.matches(l, r) }) == (o.kind == "LeftSemiJoin") {
				if err := o.next.row(changelog.Insert, l); err != nil {
					return err
				}
			}
		}
		return nil
	case "RightOuterJoin":
		for _, r := range right {
			some := false
			for _, l := range left {
				if o.matches(l, r) {
					some = true
					if err := o.emit(l, r); err != nil {
						return err
					}
				}
			}
			if !some {
				if err := o.emit(nil, r); err != nil {
					return err
				}
			}
		}
		return nil
	}
	used := make([]bool, len(right))
	for _, l := range left {
		some := false
		for i, r := range right {
			if o.matches(l, r) {
				some, used[i] = true, true
				if err := o.emit(l, r); err != nil {
					return err
				}
			}
		}
		if !some && (o.kind == "LeftOuterJoin" || o.kind == "FullOuterJoin") {
			if err := o.emit(l, nil); err != nil {
				return err
			}
		}
	}
	if o.kind == "FullOuterJoin" {
		for i, r := range right {
			if !used[i] {
				if err := o.emit(nil, r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
