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
	// integer tells which columns are plain numbers.
	integer []bool
	cur     *rowBatch
	full    chan *rowBatch
	empty   chan *rowBatch
	done    chan struct{}
}

type rowBatch struct {
	kinds  []changelog.RowKind
	values []value.Value // of queuedRows rows
	text   []byte
}

const (
	queuedRows    = 512
	queuedBatches = 4
)

// newRowQueue returns nil for columns whose values lie in many places, and where all columns
// are integers and texts: these are drawn in less time than a row takes to be handed over.
func newRowQueue(w *value.TableWriter, cols []value.Field) *rowQueue {
	cheap := true
	for _, c := range cols {
		if c.Type.IsComposite() || c.Type.Kind == value.KindRaw {
			return nil
		}
		cheap = cheap && (c.Type.IsInteger() || c.Type.IsCharacter())
	}
	if cheap {
		return nil
	}
	q := &rowQueue{w: w, width: len(cols), full: make(chan *rowBatch, queuedBatches), empty: make(chan *rowBatch, queuedBatches), done: make(chan struct{})}
	for _, c := range cols {
		q.integer = append(q.integer, c.Type.IsInteger())
	}
	for range queuedBatches {
		q.empty <- &rowBatch{kinds: make([]changelog.RowKind, 0, queuedRows), values: make([]value.Value, queuedRows*len(cols))}
	}
	q.cur = <-q.empty
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
	cells := b.values[len(b.kinds)*q.width:][:q.width]
	b.kinds = append(b.kinds, kind)
	for i := range cells {
		v := &row[i]
		if q.integer[i] && !v.IsNull() {
			cells[i].SetInt(v.Int()) // a cell's column is always the same
			continue
		}
		cells[i] = *v
		if s := v.Str(); s != "" {
			cells[i] = v.WithStr(b.keep(s))
		}
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
	b.kinds, b.text = b.kinds[:0], b.text[:0]
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
