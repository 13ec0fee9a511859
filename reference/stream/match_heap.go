package stream

import "cmp"

// matchHeap is java.util.PriorityQueue of ways by their first row. The order in which
// its array is walked decides which of several ways with one start is completed first,
// so it is followed exactly.
type matchHeap struct{ items []*partialMatch }

// compareRows orders taken rows by time, then by arrival.
func compareRows(a, b *takenRow) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id))
}

// compareMatches orders by the first row; the start itself comes last.
func compareMatches(a, b *partialMatch) int {
	switch {
	case a.start == nil && b.start == nil:
		return 0
	case a.start == nil:
		return 1
	case b.start == nil:
		return -1
	}
	return compareRows(a.start, b.start)
}

func (h *matchHeap) add(m *partialMatch) {
	h.items = append(h.items, m)
	k := len(h.items) - 1
	for k > 0 {
		up := (k - 1) >> 1
		if compareMatches(m, h.items[up]) >= 0 {
			break
		}
		h.items[k] = h.items[up]
		k = up
	}
	h.items[k] = m
}

func (h *matchHeap) poll() {
	n := len(h.items) - 1
	x := h.items[n]
	h.items = h.items[:n]
	if n > 0 {
		h.down(0, x)
	}
}

func (h *matchHeap) down(k int, x *partialMatch) {
	n := len(h.items)
	for half := n >> 1; k < half; {
		c := 2*k + 1
		if c+1 < n && compareMatches(h.items[c], h.items[c+1]) > 0 {
			c++
		}
		if compareMatches(x, h.items[c]) <= 0 {
			break
		}
		h.items[k] = h.items[c]
		k = c
	}
	h.items[k] = x
}

// removeIf removes items and rebuilds the heap if there were any.
func (h *matchHeap) removeIf(gone func(*partialMatch) bool) {
	kept := h.items[:0:0]
	for _, m := range h.items {
		if !gone(m) {
			kept = append(kept, m)
		}
	}
	if len(kept) == len(h.items) {
		return
	}
	h.items = kept
	for i := len(kept)/2 - 1; i >= 0; i-- {
		h.down(i, h.items[i])
	}
}
