package stream

import (
	"slices"

	"github.com/labgrade/labgrade/value"
)

// sortedRows is the buffer of a Top-N: rows in sort order, those with equal keys in
// order of arrival.
type sortedRows struct {
	cmp  *rowComparator
	rows []value.Row
}

func (s *sortedRows) len() int           { return len(s.rows) }
func (s *sortedRows) at(i int) value.Row { return s.rows[i] }

// position is where row would be put: behind all rows that do not come after it.
func (s *sortedRows) position(row value.Row) int {
	lo, hi := 0, len(s.rows)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if s.cmp.compare(row, s.rows[m]) < 0 {
			hi = m
		} else {
			lo = m + 1
		}
	}
	return lo
}

// insert puts row in and returns its index.
func (s *sortedRows) insert(row value.Row) int {
	i := s.position(row)
	s.rows = slices.Insert(s.rows, i, row)
	return i
}

func (s *sortedRows) removeAt(i int) value.Row {
	r := s.rows[i]
	s.rows = slices.Delete(s.rows, i, i+1)
	return r
}
