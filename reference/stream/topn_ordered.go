package stream

import (
	"slices"

	"github.com/labgrade/labgrade/value"
)

// rankedRows is rows by rank, from index 0.
type rankedRows interface {
	len() int
	at(i int) value.Row
}

// orderedRows is all rows of a retracting Top-N: in sort order, those with equal keys in order
// of arrival. There may be very many and most of them are far below the ranks that are shown,
// so they lie in blocks, and a row to be taken back is found by its text rather than by
// comparing it with all rows of its sort key.
type orderedRows struct {
	cmp    *rowComparator
	blocks [][]orderedRow // none is empty
	count  int
	// where has the arrival numbers of the rows by their encoded columns.
	where   map[string]arrivalNumbers
	arrived int64
}

type orderedRow struct {
	row    value.Row
	number int64
}

// arrivalNumbers are those of equal rows, the earliest first.
type arrivalNumbers struct {
	first int64
	more  []int64
}

// orderedBlock is the most rows of a block: few enough to be moved in no time, enough that
// blocks are few.
const orderedBlock = 256

func newOrderedRows(cmp *rowComparator) *orderedRows {
	return &orderedRows{cmp: cmp, where: map[string]arrivalNumbers{}}
}

func (s *orderedRows) len() int { return s.count }

func (s *orderedRows) at(i int) value.Row {
	b := 0
	for ; i >= len(s.blocks[b]); b++ {
		i -= len(s.blocks[b])
	}
	return s.blocks[b][i].row
}

// index is the index of the row at place i of a block, or any larger one than most if it is beyond most.
func (s *orderedRows) index(block, i, most int) int {
	for b := 0; b < block && i <= most; b++ {
		i += len(s.blocks[b])
	}
	return i
}

// after counts the elements of a sorted list that do not come after row and its number.
func (s *orderedRows) after(list []orderedRow, row value.Row, number int64) int {
	lo, hi := 0, len(list)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if s.before(row, number, &list[m]) {
			hi = m
		} else {
			lo = m + 1
		}
	}
	return lo
}

func (s *orderedRows) before(row value.Row, number int64, than *orderedRow) bool {
	c := s.cmp.compare(row, than.row)
	return c < 0 || c == 0 && number < than.number
}

// block is the block in which row with its number is, or belongs.
func (s *orderedRows) block(row value.Row, number int64) int {
	lo, hi := 0, len(s.blocks)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if s.before(row, number, &s.blocks[m][0]) {
			hi = m
		} else {
			lo = m + 1
		}
	}
	return max(lo-1, 0)
}

// insert puts a row with its encoded columns in and returns its index, or one beyond most.
func (s *orderedRows) insert(row value.Row, key []byte, most int) int {
	number := s.arrived
	s.arrived++
	s.count++
	if w, ok := s.where[string(key)]; ok {
		w.more = append(w.more, number)
		s.where[string(key)] = w
	} else {
		s.where[string(key)] = arrivalNumbers{first: number}
	}
	if len(s.blocks) == 0 {
		s.blocks = append(s.blocks, []orderedRow{{row, number}})
		return 0
	}
	b := s.block(row, number)
	i := s.after(s.blocks[b], row, number)
	at := s.index(b, i, most)
	s.blocks[b] = slices.Insert(s.blocks[b], i, orderedRow{row, number})
	if l := s.blocks[b]; len(l) > orderedBlock {
		half := len(l) / 2
		s.blocks = slices.Insert(s.blocks, b+1, slices.Clone(l[half:]))
		s.blocks[b] = slices.Delete(l, half, len(l))
	}
	return at
}

// remove takes out the earliest row with these encoded columns and returns it with its index,
// or one beyond most; false if there is none.
func (s *orderedRows) remove(row value.Row, key []byte, most int) (value.Row, int, bool) {
	w, ok := s.where[string(key)]
	if !ok {
		return nil, 0, false
	}
	number := w.first
	if len(w.more) > 0 {
		s.where[string(key)] = arrivalNumbers{w.more[0], w.more[1:]}
	} else {
		delete(s.where, string(key))
	}
	b := s.block(row, number)
	i := s.after(s.blocks[b], row, number) - 1
	at, old := s.index(b, i, most), s.blocks[b][i].row
	s.blocks[b] = slices.Delete(s.blocks[b], i, i+1)
	s.count--
	s.join(b)
	return old, at, true
}

// join drops an empty block, and joins a small one with the next.
func (s *orderedRows) join(b int) {
	switch n := len(s.blocks[b]); {
	case n == 0:
		s.blocks = slices.Delete(s.blocks, b, b+1)
	case n < orderedBlock/4 && b+1 < len(s.blocks) && n+len(s.blocks[b+1]) <= orderedBlock/2:
		s.blocks[b] = append(s.blocks[b], s.blocks[b+1]...)
		s.blocks = slices.Delete(s.blocks, b+1, b+2)
	}
}
