package stream

// timer is an event-time timer: a time, the key for which it was set, and what it is
// for (the end of a window; 0 where there is one kind only).
type timer struct {
	at   int64
	key  string
	kind int64
}

// timers is Flink's queue of event-time timers: a binary heap ordered by time alone, so
// that the order of timers with one time is a consequence of the heap's moves, which
// are part of the answer (semantics 0.4). A timer that is there already is not added.
type timers struct {
	heap []*queuedTimer // heap[0] is unused
	at   map[timer]*queuedTimer
}

// queuedTimer is a timer and its index in the heap, kept here since the heap moves timers far
// more often than they are looked for.
type queuedTimer struct {
	timer
	place int
}

func newTimers() *timers {
	return &timers{heap: make([]*queuedTimer, 1), at: map[timer]*queuedTimer{}}
}

func (q *timers) add(t timer) {
	if _, ok := q.at[t]; ok {
		return
	}
	e := &queuedTimer{timer: t}
	q.at[t] = e
	q.heap = append(q.heap, e)
	q.up(len(q.heap)-1, e)
}

func (q *timers) remove(t timer) {
	if e, ok := q.at[t]; ok {
		q.removeAt(e.place)
	}
}

// due takes the first timer if its time has come.
func (q *timers) due(w int64) (timer, bool) {
	if len(q.heap) == 1 || q.heap[1].at > w {
		return timer{}, false
	}
	t := q.heap[1].timer
	q.removeAt(1)
	return t, true
}

func (q *timers) put(i int, e *queuedTimer) {
	q.heap[i] = e
	e.place = i
}

func (q *timers) removeAt(i int) {
	delete(q.at, q.heap[i].timer)
	n := len(q.heap) - 1
	last := q.heap[n]
	q.heap[n] = nil
	q.heap = q.heap[:n]
	if i == n {
		return
	}
	q.down(i, last)
	if q.heap[i] == last {
		q.up(i, last)
	}
}

func (q *timers) up(i int, e *queuedTimer) {
	for i > 1 && e.at < q.heap[i>>1].at {
		q.put(i, q.heap[i>>1])
		i >>= 1
	}
	q.put(i, e)
}

func (q *timers) down(i int, e *queuedTimer) {
	n := len(q.heap) - 1
	for {
		c := i << 1
		if c+1 <= n && q.heap[c+1].at < q.heap[c].at {
			c++
		}
		if c > n || q.heap[c].at >= e.at {
			break
		}
		q.put(i, q.heap[c])
		i = c
	}
	q.put(i, e)
}
