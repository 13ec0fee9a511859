package checks

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/labgrade/labgrade/changelog"
)

// feed gives the rows of a computed log one after another. Rows are borrowed until the
// next call. Close it when it is no longer needed.
type feed interface {
	next() (*row, bool)
	// err is what ended the rows early, nil at their end.
	err() error
	close()
}

// storedFeed reads rows that are in memory.
type storedFeed struct {
	rows []row
	i    int
}

func (f *storedFeed) next() (*row, bool) {
	if f.i >= len(f.rows) {
		return nil, false
	}
	f.i++
	return &f.rows[f.i-1], true
}

func (f *storedFeed) err() error { return nil }
func (f *storedFeed) close()     {}

// produce computes rows and hands each to emit, which copies it.
type produce func(ctx context.Context, emit func(*row) error) error

// chunk is a batch of rows between the goroutine that computes them and the one that
// compares them: large enough to make the hand-over cheap, small enough for the cache.
type chunk struct {
	rows  []row
	cells [][]byte
	arena []byte
}

const (
	chunkRows  = 512
	chunkCount = 4
)

func (c *chunk) reset() {
	c.rows, c.cells, c.arena = c.rows[:0], c.cells[:0], c.arena[:0]
}

// add copies a row. Cells point into the arena, which may move while it grows; so they
// are cut out of it only when the chunk is full (seal).
func (c *chunk) add(r *row) {
	c.rows = append(c.rows, *r)
	for _, x := range r.cells {
		k := len(c.arena)
		c.arena = append(c.arena, x...)
		c.cells = append(c.cells, c.arena[k:len(c.arena)])
	}
}

func (c *chunk) seal() {
	at, cell := 0, 0
	for i := range c.rows {
		n := len(c.rows[i].cells)
		for j := cell; j < cell+n; j++ {
			size := len(c.cells[j])
			c.cells[j] = c.arena[at : at+size : at+size]
			at += size
		}
		c.rows[i].cells = c.cells[cell : cell+n : cell+n]
		cell += n
	}
}

// errStopped ends a computation whose rows nobody wants any more.
var errStopped = errors.New("stopped")

// liveFeed computes rows in a goroutine of its own, a few chunks ahead.
type liveFeed struct {
	full, free chan *chunk
	stop       chan struct{}
	once       sync.Once
	cur        *chunk
	i          int
	failed     error
}

func newLiveFeed(ctx context.Context, p produce) *liveFeed {
	f := &liveFeed{full: make(chan *chunk, chunkCount), free: make(chan *chunk, chunkCount), stop: make(chan struct{})}
	for range chunkCount {
		f.free <- &chunk{}
	}
	go f.run(ctx, p)
	return f
}

func (f *liveFeed) run(ctx context.Context, p produce) {
	defer close(f.full)
	defer func() {
		if r := recover(); r != nil {
			f.failed = fmt.Errorf("labgrade failed here: %v", r)
		}
	}()
	var cur *chunk
	take := func() error {
		select {
		case cur = <-f.free:
			cur.reset()
			return nil
		case <-f.stop:
			return errStopped
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	give := func() {
		cur.seal()
		f.full <- cur // never blocks: there are as many places as chunks
		cur = nil
	}
	err := take()
	if err == nil {
		err = p(ctx, func(r *row) error {
			cur.add(r)
			if len(cur.rows) < chunkRows {
				return nil
			}
			give()
			return take()
		})
	}
	if cur != nil && len(cur.rows) > 0 {
		give()
	}
	if err != nil && !errors.Is(err, errStopped) {
		f.failed = err // read after full is closed
	}
}

func (f *liveFeed) next() (*row, bool) {
	for f.cur == nil || f.i >= len(f.cur.rows) {
		if f.cur != nil {
			f.free <- f.cur
			f.cur = nil
		}
		c, ok := <-f.full
		if !ok {
			return nil, false
		}
		f.cur, f.i = c, 0
	}
	f.i++
	return &f.cur.rows[f.i-1], true
}

func (f *liveFeed) err() error { return f.failed }

// close stops the goroutine and waits for its end.
func (f *liveFeed) close() {
	f.once.Do(func() {
		close(f.stop)
		for range f.full {
		}
	})
}

// kindCounts counts rows by kind.
type kindCounts [4]int64

func (c *kindCounts) add(k changelog.RowKind) { c[k]++ }

func (c *kindCounts) total() int64 { return c[0] + c[1] + c[2] + c[3] }
