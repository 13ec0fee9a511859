package grade

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// weightFactor is how much memory grading needs for each byte of a submission: the text,
// its rows, and the expected ones. weightFloor is what a small one needs.
const (
	weightFactor = 6
	weightFloor  = 4 << 20
)

// watchEvery is how often the memory in use is looked at.
const watchEvery = 50 * time.Millisecond

// memoryError says that a grading was stopped since it needed too much memory.
type memoryError struct{ most int64 }

func (e *memoryError) Error() string { return fmt.Sprintf("more than %d bytes of memory", e.most) }

// budget shares memory between workers. What a grading needs is estimated by the size of
// its files; what it really takes is watched. When the process holds too much, whatever
// runs is stopped and tried again alone, so that only the one at fault is given up.
type budget struct {
	total, each int64

	mu      sync.Mutex
	changed *sync.Cond
	used    int64
	running map[*grading]bool
	alone   bool // somebody runs alone, or waits for it
}

// grading is one that runs.
type grading struct {
	cancel context.CancelCauseFunc
	alone  bool
}

func newBudget(total, each int64) *budget {
	b := &budget{total: total, each: each, running: map[*grading]bool{}}
	b.changed = sync.NewCond(&b.mu)
	return b
}

// load is how many bytes of a submission are held in memory; the rest is read again when
// it is needed.
func (b *budget) load() int64 {
	if b.total <= 0 {
		return 64 << 20
	}
	return max(b.total/8, 1<<20)
}

// weight is what a submission of so many bytes is thought to need.
func (b *budget) weight(bytes int64) int64 {
	w := weightFloor + weightFactor*min(bytes, b.load())
	if b.total > 0 {
		w = min(w, b.total)
	}
	return w
}

// acquire waits for room, and for those that must run alone.
func (b *budget) acquire(weight int64, g *grading) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if g.alone {
		for b.alone {
			b.changed.Wait()
		}
		b.alone = true // nobody begins any more
		for len(b.running) > 0 {
			b.changed.Wait()
		}
	} else {
		for b.alone || b.total > 0 && b.used > 0 && b.used+weight > b.total {
			b.changed.Wait()
		}
	}
	b.used += weight
	b.running[g] = true
}

func (b *budget) release(weight int64, g *grading) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= weight
	delete(b.running, g)
	if g.alone {
		b.alone = false
	}
	b.changed.Broadcast()
}

// watch stops gradings when the process holds more memory than one of them may take.
func (b *budget) watch() (stop func()) {
	if b.each <= 0 {
		return func() {}
	}
	done := make(chan struct{})
	base := heap()
	go func() {
		t := time.NewTicker(watchEvery)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
			}
			if heap()-base <= b.each {
				continue
			}
			runtime.GC() // garbage is not held
			if heap()-base > b.each {
				b.stopAll()
				debug.FreeOSMemory()
			}
		}
	}()
	return func() { close(done) }
}

func (b *budget) stopAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for g := range b.running {
		g.cancel(&memoryError{b.each})
	}
}

// heap is the memory in bytes that objects take, garbage included.
func heap() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(s[0].Value.Uint64())
}

// grace is how long a grading may take to notice that its time is up.
const grace = 5 * time.Second

// bounded runs f within the bounds of time and memory.
func (r *run) bounded(ctx context.Context, bytes int64, f func(context.Context) (*record, error)) (*record, error) {
	rec, err := r.try(ctx, bytes, false, f)
	var m *memoryError
	if errors.As(err, &m) {
		rec, err = r.try(ctx, bytes, true, f)
	}
	return rec, err
}

// attempt is how a grading ended.
type attempt struct {
	rec *record
	err error
}

func (r *run) try(ctx context.Context, bytes int64, alone bool, f func(context.Context) (*record, error)) (*record, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	g := &grading{cancel: cancel, alone: alone}
	w := r.budget.weight(bytes)
	r.budget.acquire(w, g)
	defer r.budget.release(w, g)
	if r.o.Time > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, r.o.Time)
		defer stop()
	}
	ended := make(chan attempt, 1)
	go func() {
		defer func() {
			if x := recover(); x != nil {
				ended <- attempt{err: fmt.Errorf("%v%s", x, place(debug.Stack()))}
			}
		}()
		rec, err := f(ctx)
		ended <- attempt{rec, err}
	}()
	var a attempt
	select {
	case a = <-ended:
	case <-ctx.Done():
		t := time.NewTimer(grace)
		defer t.Stop()
		select {
		case a = <-ended:
		case <-t.C:
			a.err = ctx.Err() // it is left behind, and what it finds is dropped
		}
	}
	if a.err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return a.rec, a.err
}
