package checks

import (
	"bytes"

	"github.com/labgrade/labgrade/changelog"
)

// row is one row of a log or of a table, in the text of the file that it is compared
// with. Cells of a saved row stand in the order of the expected columns.
type row struct {
	kind  changelog.RowKind
	cells [][]byte
	// line is the saved row's line in its file.
	line int
	// file is the part file of a sink row.
	file string
	// cause is the source row that was read when the row was emitted.
	cause Cause
	// cut marks the cells of which only a prefix is in the file, as a bit set.
	cut uint64
}

// equal compares kinds and cells; a cut cell stands for everything that it is a prefix of.
func (r *row) equal(o *row) bool { return r.kind == o.kind && r.sameCells(o) }

func (r *row) sameCells(o *row) bool {
	if len(r.cells) != len(o.cells) {
		return false
	}
	for i := range r.cells {
		if !cellsEqual(r.cells[i], o.cells[i], r.cut>>i&1 == 1, o.cut>>i&1 == 1) {
			return false
		}
	}
	return true
}

func cellsEqual(a, b []byte, aCut, bCut bool) bool {
	switch {
	case !aCut && !bCut:
		return bytes.Equal(a, b)
	case aCut && bCut:
		return bytes.Equal(a, b)
	case bCut:
		a, b = b, a
	}
	p := bytes.TrimSuffix(a, []byte("..."))
	return bytes.HasPrefix(b, p) && len(b) > len(p)
}

// text identifies a row's cells: all of them, or those of the key.
func (r *row) text(cols []int) string {
	var b []byte
	if cols == nil {
		for _, c := range r.cells {
			b = append(append(b, c...), 0)
		}
		return string(b)
	}
	for _, i := range cols {
		if i < len(r.cells) {
			b = append(append(b, r.cells[i]...), 0)
		}
	}
	return string(b)
}

// full identifies kind and cells.
func (r *row) full() string { return string([]byte{byte(r.kind)}) + r.text(nil) }

// clone copies a borrowed row.
func (r *row) clone() row {
	n := 0
	for _, c := range r.cells {
		n += len(c)
	}
	buf := make([]byte, 0, n)
	c := *r
	c.cells = make([][]byte, len(r.cells))
	for i, x := range r.cells {
		k := len(buf)
		buf = append(buf, x...)
		c.cells[i] = buf[k:len(buf):len(buf)]
	}
	return c
}

// rowArena copies borrowed rows into a few large pieces of memory, since logs have many
// rows and most of them are compared once and thrown away.
type rowArena struct {
	bytes []byte
	cells [][]byte
}

const (
	arenaFirst = 4 << 10
	arenaMost  = 256 << 10
)

func (a *rowArena) clone(r *row) row {
	n := 0
	for _, c := range r.cells {
		n += len(c)
	}
	if cap(a.bytes)-len(a.bytes) < n {
		a.bytes = make([]byte, 0, max(n, min(max(2*cap(a.bytes), arenaFirst), arenaMost)))
	}
	if cap(a.cells)-len(a.cells) < len(r.cells) {
		a.cells = make([][]byte, 0, max(len(r.cells), min(max(2*cap(a.cells), arenaFirst/64), arenaMost/64)))
	}
	c := *r
	first := len(a.cells)
	for _, x := range r.cells {
		k := len(a.bytes)
		a.bytes = append(a.bytes, x...)
		a.cells = append(a.cells, a.bytes[k:len(a.bytes):len(a.bytes)])
	}
	c.cells = a.cells[first:len(a.cells):len(a.cells)]
	return c
}
