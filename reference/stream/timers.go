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
	heap []timer // heap[0] is unused
	at   map[timer]int
}

func newTimers() *timers { return &timers{heap: make([]timer, 1), at: map[timer]int{}} }

func (q *timers) add(t timer) {
	if _, ok := q.at[t]; ok {
		return
	}
	q.heap = append(q.heap, t)
	q.put(len(q.heap)-1, t)
	q.up(len(q.heap) - 1)
}

func (q *timers) remove(t timer) {
	if i, ok := q.at[t]; ok {
		q.removeAt(i)
	}
}

// due takes the first timer if its time has come.
func (q *timers) due(w int64) (timer, bool) {
	if len(q.heap) == 1 || q.heap[1].at > w {
		return timer{}, false
	}
	t := q.heap[1]
	q.removeAt(1)
	return t, true
}

func (q *timers) put(i int, t timer) {
	q.heap[i] = t
	q.at[t] = i
}

func (q *timers) removeAt(i int) {
	delete(q.at, q.heap[i])
	n := len(q.heap) - 1
	last := q.heap[n]
	q.heap = q.heap[:n]
	if i == n {
		return
	}
	q.put(i, last)
	q.down(i)
	if q.heap[i] == last {
		q.up(i)
	}
}

func (q *timers) up(i int) {
	t := q.heap[i]
	for i > 1 && t.at < q.heap[i>>1].at {
		q.put(i, q.heap[i>>1])
		i >>= 1
	}
	q.put(i, t)
}

func (q *timers) down(i int) {
	t, n := q.heap[i], len(q.heap)-1
	for {
		c := i << 1
		if c+1 <= n && q.heap[c+1].at < q.heap[c].at {
			c++
		}
		if c > n || q.heap[c].at >= t.at {
			break
		}
		q.put(i, q.heap[c])
		i = c
	}
	q.put(i, t)
}
