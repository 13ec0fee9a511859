package client

import (
	"unsafe"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/value"
)

// rowQueue draws the rows of a result in a goroutine of its own, behind the query. Rows
// are collected in batches, since they are borrowed. What the writer writes to may be
// looked at again after close.
type rowQueue struct {
	w     *value.TableWriter
	width int
	cur   *rowBatch
	full  chan *rowBatch
	empty chan *rowBatch
	done  chan struct{}
}

type rowBatch struct {
	kinds  []changelog.RowKind
	values []value.Value
	text   []byte
}

const (
	queuedRows    = 1024
	queuedBatches = 4
)

// newRowQueue returns nil for columns whose values lie in many places.
func newRowQueue(w *value.TableWriter, cols []value.Field) *rowQueue {
	for _, c := range cols {
		if c.Type.IsComposite() || c.Type.Kind == value.KindRaw {
			return nil
		}
	}
	q := &rowQueue{w: w, width: len(cols), full: make(chan *rowBatch, queuedBatches), empty: make(chan *rowBatch, queuedBatches), done: make(chan struct{})}
	for range queuedBatches - 1 {
		q.empty <- &rowBatch{}
	}
	q.cur = &rowBatch{}
	go q.draw()
	return q
}

func (q *rowQueue) draw() {
	defer close(q.done)
	for b := range q.full {
		for i, k := range b.kinds {
			q.w.Row(k.String(), b.values[i*q.width:(i+1)*q.width])
		}
		q.empty <- b
	}
}

// row adds a row and tells whether a batch became full.
func (q *rowQueue) row(kind changelog.RowKind, row value.Row) bool {
	b := q.cur
	b.kinds = append(b.kinds, kind)
	for _, v := range row[:q.width] {
		if s := v.Str(); s != "" {
			v = v.WithStr(b.keep(s))
		}
		b.values = append(b.values, v)
	}
	if len(b.kinds) < queuedRows {
		return false
	}
	q.full <- b
	q.cur = <-q.empty
	q.cur.reset()
	return true
}

// close draws what is left and waits for it.
func (q *rowQueue) close() {
	q.full <- q.cur
	close(q.full)
	<-q.done
}

func (b *rowBatch) reset() {
	b.kinds, b.values, b.text = b.kinds[:0], b.values[:0], b.text[:0]
}

// keep copies a text into the batch, where it stays until the batch is used again.
func (b *rowBatch) keep(s string) string {
	n := len(b.text)
	if n+len(s) > cap(b.text) {
		b.text, n = make([]byte, 0, max(textRoom, len(s))), 0
	}
	b.text = append(b.text, s...)
	return unsafe.String(&b.text[n], len(s))
}

const textRoom = 32 << 10
