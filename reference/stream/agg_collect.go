package stream

import "github.com/labgrade/labgrade/value"

// collect is COLLECT: how often each value that is not NULL came. Flink keeps the
// counts in a java.util.HashMap and prints them in its order (agg.md 14).
type collect struct {
	arg int
	t   value.Type
	buf []byte
}

type multiset = value.JavaMap[counted]

type counted struct {
	v value.Value
	n int64
}

func (f *collect) init(a *acc) { a.ext = &multiset{} }

func (f *collect) add(a *acc, row value.Row) { f.change(a, row[f.arg], 1) }

func (f *collect) retract(a *acc, row value.Row) { f.change(a, row[f.arg], -1) }

func (f *collect) change(a *acc, v value.Value, by int64) {
	if v.IsNull() {
		return
	}
	m := a.ext.(*multiset)
	f.buf = appendKeyValue(f.buf[:0], &f.t, v)
	e, had := m.Put(f.buf, value.JavaHash(&f.t, v))
	if !had {
		e.v = keepValue(v)
	}
	e.n += by
	// Only a retraction removes: a value taken back before it came stays with 0 then.
	if by < 0 && e.n == 0 {
		m.Remove(f.buf)
	}
}

func (f *collect) merge(a, b *acc) {
	m := a.ext.(*multiset)
	for _, o := range b.ext.(*multiset).All() {
		f.buf = appendKeyValue(f.buf[:0], &f.t, o.v)
		e, _ := m.Put(f.buf, value.JavaHash(&f.t, o.v))
		e.v = o.v
		e.n += o.n
	}
}

func (f *collect) result(a *acc) value.Value {
	m := a.ext.(*multiset)
	keys, counts := make([]value.Value, 0, m.Len()), make([]value.Value, 0, m.Len())
	for _, e := range m.All() {
		keys, counts = append(keys, e.v), append(counts, value.Int(e.n))
	}
	return value.MapOf(keys, counts)
}
