package stream

import (
	"slices"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// temporalJoin is FOR SYSTEM_TIME AS OF a versioned table. Nothing happens on arrival;
// a key has one timer, at its smallest pending time, and when it fires all left rows of
// the key up to the watermark are emitted in order of arrival, each with the latest
// version that is not newer (join.md D1). A deleted version is no match. Further
// conditions are asked of that version only.
type temporalJoin struct {
	next   operator
	job    *job
	outer  bool
	sides  [2]temporalSide
	cond   matcher
	timers *timers
	at     map[string]int64
	lefts  map[string][]temporalRow
	rights map[string][]temporalRow // by time
	mark   int64
	out    joinedRow
	buf    []byte
}

type temporalSide struct {
	key   *keyEncoder
	nulls nullFilter
	time  int
}

type temporalRow struct {
	at   int64
	kind changelog.RowKind
	row  value.Row
}

func (j *job) newTemporalJoin(n *phys.TemporalJoin, next operator) (driver, error) {
	if !n.Rowtime {
		return nil, unsupported.New("a temporal join by processing time")
	}
	l, r := n.In[0].Schema(), n.In[1].Schema()
	o := &temporalJoin{
		next: next, job: j, outer: n.JoinType == "LeftOuterJoin", timers: newTimers(), at: map[string]int64{},
		lefts: map[string][]temporalRow{}, rights: map[string][]temporalRow{}, mark: MinWatermark,
		out: newJoinedRow(len(l), len(r)), cond: matcher{job: j, buf: newJoinedRow(len(l), len(r))},
		sides: [2]temporalSide{
			{newKeyEncoder(n.LeftKeys, l), newNullFilter(n.LeftKeys, nil), n.LeftTime},
			{newKeyEncoder(n.RightKeys, r), newNullFilter(n.RightKeys, nil), n.RightTime},
		},
	}
	if n.NonEqui != nil {
		var err error
		if o.cond.cond, err = j.compile(n.NonEqui); err != nil {
			return nil, err
		}
	}
	return j.newTwoInput(o, n)
}

func (o *temporalJoin) begin(side int, row value.Row) (key string, t int64) {
	s := &o.sides[side]
	o.buf = s.key.append(o.buf[:0], row)
	return string(o.buf), row[s.time].Millis()
}

func (o *temporalJoin) left(kind changelog.RowKind, row value.Row) error {
	key, t := o.begin(0, row)
	o.lefts[key] = append(o.lefts[key], temporalRow{t, kind, row})
	o.register(key, t)
	return nil
}

// right stores a version; the last one written for a time stays.
func (o *temporalJoin) right(kind changelog.RowKind, row value.Row) error {
	key, t := o.begin(1, row)
	list := o.rights[key]
	i, had := slices.BinarySearchFunc(list, t, func(r temporalRow, t int64) int {
		switch {
		case r.at < t:
			return -1
		case r.at > t:
			return 1
		}
		return 0
	})
	if had {
		list[i] = temporalRow{t, kind, row}
	} else {
		o.rights[key] = slices.Insert(list, i, temporalRow{t, kind, row})
	}
	o.register(key, t)
	return nil
}

// register makes t the time of the key's timer if it is smaller.
func (o *temporalJoin) register(key string, t int64) {
	if old, ok := o.at[key]; ok {
		if old <= t {
			return
		}
		o.timers.remove(timer{at: old, key: key})
	}
	o.at[key] = t
	o.timers.add(timer{at: t, key: key})
}

func (o *temporalJoin) watermark(w int64) error {
	o.mark = w
	for {
		t, ok := o.timers.due(w)
		if !ok {
			return o.next.watermark(w)
		}
		delete(o.at, t.key)
		o.job.byWatermark(w)
		if err := o.fire(t.key); err != nil {
			return err
		}
	}
}

func (o *temporalJoin) end() error { return o.next.end() }

func (o *temporalJoin) fire(key string) error {
	versions := o.rights[key]
	var ready, later []temporalRow
	pending := int64(MaxWatermark)
	for _, l := range o.lefts[key] {
		if l.at <= o.mark {
			ready = append(ready, l)
			continue
		}
		later = append(later, l)
		pending = min(pending, l.at)
	}
	if len(later) == 0 {
		delete(o.lefts, key)
	} else {
		o.lefts[key] = later
	}
	for _, l := range ready {
		if err := o.emit(l, versions); err != nil {
			return err
		}
	}
	o.dropOld(key, versions)
	if pending < MaxWatermark {
		o.at[key] = pending
		o.timers.add(timer{at: pending, key: key})
	}
	return o.job.ctx.Err
}

func (o *temporalJoin) emit(l temporalRow, versions []temporalRow) error {
	var match value.Row
	for i := len(versions) - 1; i >= 0; i-- {
		v := versions[i]
		if v.at > l.at {
			continue
		}
		if v.kind.Adds() && !o.sides[0].nulls.excludes(l.row) && !o.sides[1].nulls.excludes(v.row) && o.cond.accepts(l.row, v.row) {
			match = v.row
		}
		break
	}
	if match == nil && !o.outer {
		return nil
	}
	return o.next.row(l.kind, o.out.of(l.row, match))
}

// dropOld forgets the versions before the newest one that is not after the watermark.
func (o *temporalJoin) dropOld(key string, versions []temporalRow) {
	keep := len(versions) - 1
	for i, v := range versions {
		if v.at > o.mark {
			keep = i - 1
			break
		}
	}
	if keep > 0 {
		o.rights[key] = slices.Clone(versions[keep:])
	}
}
