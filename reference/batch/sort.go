package batch

import (
	"math/bits"
	"slices"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// order compares rows by sort keys.
type order struct {
	keys  []phys.SortKey
	types []value.Type
}

func newOrder(keys []phys.SortKey, schema []value.Field) order {
	o := order{keys: keys}
	for _, k := range keys {
		o.types = append(o.types, schema[k.Column].Type)
	}
	return o
}

func (o *order) compare(a, b value.Row) int {
	for i, k := range o.keys {
		x, y := a[k.Column], b[k.Column]
		switch {
		case x.IsNull() && y.IsNull():
			continue
		case x.IsNull() != y.IsNull():
			if x.IsNull() == k.NullsLast {
				return 1
			}
			return -1
		}
		if c := value.Compare(o.types[i], x, y); c != 0 {
			if k.Desc {
				return -c
			}
			return c
		}
	}
	return 0
}

// sorted is Sort: Flink's in-memory sort, which is not stable. Rows with equal keys come
// out as its quicksort leaves them, which for fewer than 13 rows is their input order
// (agg.md 45).
func sorted(n *phys.Sort, in producer) producer {
	o := newOrder(n.Keys, n.In[0].Schema())
	return func(emit func(value.Row) error) error {
		rows, err := collect(in)
		if err != nil {
			return err
		}
		quicksort(rows, o.compare)
		return emitAll(rows, emit)
	}
}

func emitAll(rows []value.Row, emit func(value.Row) error) error {
	for _, r := range rows {
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

// quicksort sorts as Flink's QuickSort over an in-memory buffer: insertion sort below
// 13 rows, else three-way partitioning around the median of the first, middle and last
// row, going on with the larger part; heap sort when the depth limit is reached.
func quicksort(rows []value.Row, cmp func(a, b value.Row) int) {
	q := quick{rows, cmp}
	if n := len(rows); n > 0 {
		q.sort(0, n, bits.Len(uint(n-1))<<2)
	}
}

type quick struct {
	rows []value.Row
	cmp  func(a, b value.Row) int
}

func (q *quick) at(i, j int) int { return q.cmp(q.rows[i], q.rows[j]) }
func (q *quick) swap(i, j int)   { q.rows[i], q.rows[j] = q.rows[j], q.rows[i] }

// fix puts the rows at i and j in order.
func (q *quick) fix(i, j int) {
	if q.at(i, j) > 0 {
		q.swap(i, j)
	}
}

func (q *quick) sort(p, r, depth int) {
	for {
		if r-p < 13 {
			for i := p; i < r; i++ {
				for j := i; j > p && q.at(j-1, j) > 0; j-- {
					q.swap(j, j-1)
				}
			}
			return
		}
		if depth--; depth < 0 {
			q.heapSort(p, r)
			return
		}
		i, j := q.partition(p, r)
		if i-p < r-j {
			q.sort(p, i, depth)
			p = j
		} else {
			q.sort(j, r, depth)
			r = i
		}
	}
}

// partition moves rows below the pivot before i, those above it from j on, and the
// equal ones between; equal rows are first gathered at both ends, which is what makes
// the order of ties peculiar.
func (q *quick) partition(p, r int) (int, int) {
	mid := int(uint(p+r) >> 1)
	q.fix(mid, p)
	q.fix(mid, r-1)
	q.fix(p, r-1)
	i, j, ll, rr := p, r, p, r
	for {
		for i++; i < j; i++ {
			c := q.at(i, p)
			if c > 0 {
				break
			}
			if c == 0 {
				if ll++; ll != i {
					q.swap(ll, i)
				}
			}
		}
		for j--; j > i; j-- {
			c := q.at(p, j)
			if c > 0 {
				break
			}
			if c == 0 {
				if rr--; rr != j {
					q.swap(rr, j)
				}
			}
		}
		if i >= j {
			break
		}
		q.swap(i, j)
	}
	j = i
	for ; ll >= p; ll-- {
		i--
		q.swap(ll, i)
	}
	for ; rr < r; rr++ {
		q.swap(rr, j)
		j++
	}
	return i, j
}

// heapSort is the fallback for patterns on which quicksort goes too deep.
func (q *quick) heapSort(p, r int) {
	n := r - p
	for i := 1 << (bits.Len(uint(n)) - 1); i > 1; i >>= 1 {
		for j := i >> 1; j < i; j++ {
			q.downHeap(p-1, j, n+1)
		}
	}
	for i := r - 1; i > p; i-- {
		q.swap(p, i)
		q.downHeap(p-1, 1, i-p+1)
	}
}

func (q *quick) downHeap(base, i, n int) {
	for c := i << 1; c < n; c = i << 1 {
		if c+1 < n && q.at(base+c, base+c+1) < 0 {
			c++
		}
		if q.at(base+i, base+c) >= 0 {
			return
		}
		q.swap(base+i, base+c)
		i = c
	}
}

// sortLimit is ORDER BY with LIMIT: a bounded heap whose top is the worst row and is
// replaced only by a strictly better one. The local phase emits the heap's array as it
// is; the global phase sorts that array stably (agg.md 46).
func sortLimit(n *phys.SortLimit, in producer) producer {
	o := newOrder(n.Keys, n.In[0].Schema())
	return func(emit func(value.Row) error) error {
		h := rowHeap{cmp: o.compare}
		keep := int(n.Offset + n.Fetch)
		err := in(func(row value.Row) error {
			switch {
			case keep == 0:
			case len(h.rows) < keep:
				h.add(own(row))
			case h.cmp(h.rows[0], row) > 0:
				h.poll()
				h.add(own(row))
			}
			return nil
		})
		if err != nil {
			return err
		}
		if !n.Global {
			return emitAll(h.rows, emit)
		}
		slices.SortStableFunc(h.rows, o.compare)
		from := min(int(n.Offset), len(h.rows))
		return emitAll(h.rows[from:], emit)
	}
}

// rowHeap is java.util.PriorityQueue with the greatest row on top.
type rowHeap struct {
	rows []value.Row
	cmp  func(a, b value.Row) int
}

func (h *rowHeap) add(r value.Row) {
	h.rows = append(h.rows, r)
	k := len(h.rows) - 1
	for k > 0 {
		up := (k - 1) >> 1
		if h.cmp(h.rows[up], r) >= 0 {
			break
		}
		h.rows[k] = h.rows[up]
		k = up
	}
	h.rows[k] = r
}

func (h *rowHeap) poll() {
	n := len(h.rows) - 1
	x := h.rows[n]
	h.rows = h.rows[:n]
	if n == 0 {
		return
	}
	k := 0
	for half := n >> 1; k < half; {
		c := 2*k + 1
		if c+1 < n && h.cmp(h.rows[c+1], h.rows[c]) > 0 {
			c++
		}
		if h.cmp(h.rows[c], x) <= 0 {
			break
		}
		h.rows[k] = h.rows[c]
		k = c
	}
	h.rows[k] = x
}
