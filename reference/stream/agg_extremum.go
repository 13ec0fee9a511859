package stream

import "github.com/labgrade/labgrade/value"

// extremum is MIN or MAX over rows that are never taken back. It replaces its value
// only by a strictly smaller (greater) one in the sense of < and >, so that a NaN that
// comes first stays and one that comes later never counts (agg.md 73). Planned over
// updates it ignores retractions: Flink does so for MAX over a COUNT, which only grows
// (agg.md 8).
type extremum struct {
	arg int
	t   value.Type
	max bool
}

func (f *extremum) init(*acc) {}

func (f *extremum) add(a *acc, row value.Row) {
	v := row[f.arg]
	if v.IsNull() {
		return
	}
	if a.v.IsNull() || f.better(v, a.v) {
		a.v = keepValue(v)
	}
}

func (f *extremum) better(v, than value.Value) bool {
	if f.max {
		v, than = than, v
	}
	return value.Less(f.t, v, than)
}

func (f *extremum) retract(*acc, value.Row) {}

func (f *extremum) merge(a, b *acc) {
	if !b.v.IsNull() && (a.v.IsNull() || f.better(b.v, a.v)) {
		a.v = b.v
	}
}

func (f *extremum) result(a *acc) value.Value { return a.v }

// extremumRetract is MIN or MAX over updates: it counts every value, and when the last
// instance of the extremum goes it looks for the next one. Values are ordered as Java's
// compareTo does. A value that was taken back before it came has a negative count; acc.n
// is the number of values with a positive one.
type extremumRetract struct {
	arg int
	t   value.Type
	max bool
	buf []byte
}

type countedValues struct {
	at map[string]*countedValue
	// best has all values, and some that are gone (n is 0), as a heap with the extremum first. It
	// is nil until an extremum goes: mostly that never happens.
	best []*countedValue
}

type countedValue struct {
	v value.Value
	n int64
}

func (f *extremumRetract) init(a *acc) { a.ext = &countedValues{at: map[string]*countedValue{}} }

func (f *extremumRetract) better(v, than value.Value) bool {
	c := value.Compare(f.t, v, than)
	return f.max && c > 0 || !f.max && c < 0
}

func (f *extremumRetract) add(a *acc, row value.Row) { f.change(a, row[f.arg], 1) }

func (f *extremumRetract) retract(a *acc, row value.Row) { f.change(a, row[f.arg], -1) }

func (f *extremumRetract) change(a *acc, v value.Value, by int64) {
	if v.IsNull() {
		return
	}
	m := a.ext.(*countedValues)
	f.buf = appendKeyValue(f.buf[:0], &f.t, v)
	e := m.at[string(f.buf)]
	if e == nil {
		e = &countedValue{v: keepValue(v)}
		m.at[string(f.buf)] = e
		if m.best != nil {
			f.push(m, e)
		}
	}
	if by > 0 && (a.n == 0 || a.v.IsNull() || f.better(v, a.v)) {
		a.v = e.v
	}
	e.n += by
	switch {
	case e.n == 0:
		delete(m.at, string(f.buf))
		if by > 0 {
			return // it had been taken back too often
		}
		a.n--
		if a.n == 0 {
			a.v = value.Null
		} else if value.Compare(f.t, v, a.v) == 0 {
			f.search(a)
		}
	case e.n == 1 && by > 0:
		a.n++
	}
}

func (f *extremumRetract) search(a *acc) {
	m := a.ext.(*countedValues)
	if m.best == nil || len(m.best) > 2*len(m.at)+16 {
		m.best = m.best[:0]
		for _, e := range m.at {
			m.best = append(m.best, e)
		}
		for i := len(m.best)/2 - 1; i >= 0; i-- {
			f.sink(m.best, i)
		}
	}
	for len(m.best) > 0 && m.best[0].n == 0 {
		last := len(m.best) - 1
		m.best[0], m.best[last] = m.best[last], nil
		m.best = m.best[:last]
		f.sink(m.best, 0)
	}
	if len(m.best) == 0 {
		a.v, a.n = value.Null, 0
		return
	}
	a.v = m.best[0].v
}

// push adds a value to the heap.
func (f *extremumRetract) push(m *countedValues, e *countedValue) {
	m.best = append(m.best, e)
	for i := len(m.best) - 1; i > 0; {
		up := (i - 1) / 2
		if !f.better(m.best[i].v, m.best[up].v) {
			return
		}
		m.best[i], m.best[up] = m.best[up], m.best[i]
		i = up
	}
}

// sink lets the value at i go down to its place.
func (f *extremumRetract) sink(h []*countedValue, i int) {
	for {
		down := 2*i + 1
		if down >= len(h) {
			return
		}
		if down+1 < len(h) && f.better(h[down+1].v, h[down].v) {
			down++
		}
		if !f.better(h[down].v, h[i].v) {
			return
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
}

func (f *extremumRetract) merge(a, b *acc) {
	if a.n == 0 || b.n > 0 && !b.v.IsNull() && f.better(b.v, a.v) {
		a.v = b.v
	}
	m, search := a.ext.(*countedValues), false
	m.best = nil
	for k, e := range b.ext.(*countedValues).at {
		var had int64
		if x := m.at[k]; x != nil {
			had = x.n
		}
		now := had + e.n
		if now == 0 {
			delete(m.at, k)
		} else {
			m.at[k] = &countedValue{v: e.v, n: now}
		}
		switch {
		case had > 0 && now <= 0:
			a.n--
			search = search || !a.v.IsNull() && value.Compare(f.t, e.v, a.v) == 0
		case had <= 0 && now > 0:
			a.n++
		}
	}
	if search {
		f.search(a)
	}
}

func (f *extremumRetract) result(a *acc) value.Value {
	if a.n > 0 {
		return a.v
	}
	return value.Null
}
