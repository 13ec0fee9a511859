package stream

import (
	"math"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// bundle is the buffer of a mini-batch operator: a java.util.HashMap from key to value,
// flushed when it has received `size` records (not keys), when a watermark comes, or at
// the end; the keys then come out in the order of the map, which keeps the size of its
// table from bundle to bundle (sink.md E1, E2).
type bundle[V any] struct {
	keys  *keyEncoder
	types []value.Type // of the key columns
	hash  value.RowHash
	size  int64
	n     int64
	m     value.JavaMap[bundled[V]]
	buf   []byte
	key   value.Row
}

type bundled[V any] struct {
	key value.Row
	v   V
}

func newBundle[V any](j *job, keys *keyEncoder) *bundle[V] {
	b := &bundle[V]{keys: keys, types: keys.types, size: j.rt.MiniBatchSize, key: make(value.Row, len(keys.cols))}
	if b.size <= 0 {
		b.size = math.MaxInt64
	}
	return b
}

// at returns the value of the row's key, and whether it is new.
func (b *bundle[V]) at(row value.Row) (*V, bool) {
	b.buf = b.keys.append(b.buf[:0], row)
	b.keys.project(b.key, row)
	e, had := b.m.Put(b.buf, b.hash.Hash(b.types, b.key))
	if !had {
		e.key = keepRow(b.key)
	}
	return &e.v, !had
}

// counted notes a received record and reports whether the bundle is full.
func (b *bundle[V]) counted() bool {
	b.n++
	return b.n >= b.size
}

// flush hands out the keys in map order and empties the bundle.
func (b *bundle[V]) flush(each func(id string, key value.Row, v *V) error) error {
	b.n = 0
	for id, e := range b.m.All() {
		if err := each(id, e.key, &e.v); err != nil {
			return err
		}
	}
	var zero bundled[V]
	for _, e := range b.m.All() {
		*e = zero
	}
	b.m.Clear()
	return nil
}

// miniBatchAssigner marks the bounds of bundles with watermarks. By processing time
// they depend on the clock, and but for one before the first row no bound comes before the
// end of a bounded input here; that first one ends a bundle where the second input of a
// UNION ALL begins. By rowtime a watermark passes when it reaches the end of an interval.
type miniBatchAssigner struct {
	next     operator
	rowtime  bool
	began    bool
	interval int64
	current  int64
	bound    int64
}

func (j *job) newMiniBatchAssigner(n *phys.MiniBatchAssigner, next operator) (operator, error) {
	a := &miniBatchAssigner{next: next, rowtime: n.TimeMode == "RowTime", interval: n.IntervalMillis}
	if a.rowtime {
		if a.interval <= 0 {
			return nil, unsupported.New("a mini-batch interval of %d ms", a.interval)
		}
		a.bound = a.start(0) + a.interval - 1
	}
	return a, nil
}

func (a *miniBatchAssigner) start(w int64) int64 { return w - (w+a.interval)%a.interval }

func (a *miniBatchAssigner) row(kind changelog.RowKind, row value.Row) error {
	if !a.rowtime && !a.began {
		a.began = true
		if err := a.next.watermark(0); err != nil {
			return err
		}
	}
	return a.next.row(kind, row)
}

func (a *miniBatchAssigner) watermark(w int64) error {
	if w == MaxWatermark {
		return a.next.watermark(w)
	}
	a.current = max(a.current, w)
	if !a.rowtime || a.current < a.bound {
		return nil
	}
	end := a.start(a.current) + a.interval - 1
	if end <= a.current {
		end += a.interval
	}
	a.bound = end
	return a.next.watermark(a.current)
}

func (a *miniBatchAssigner) end() error { return a.next.end() }
