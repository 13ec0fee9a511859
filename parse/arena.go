package parse

// arena keeps rows in large pieces of memory: two allocations for a row would cost
// more than the row.
type arena struct {
	bytes []byte
	cells [][]byte
}

func (a *arena) row(r *Row) Row {
	n := len(r.Sink) + len(r.Body)
	for _, c := range r.Cells {
		n += len(c)
	}
	if cap(a.bytes)-len(a.bytes) < n {
		a.bytes = make([]byte, 0, max(n, 32<<10))
	}
	if cap(a.cells)-len(a.cells) < len(r.Cells) {
		a.cells = make([][]byte, 0, max(len(r.Cells), 1024))
	}
	c := *r
	k := len(a.cells)
	for _, x := range r.Cells {
		a.cells = append(a.cells, a.copy(x))
	}
	c.Cells = a.cells[k:len(a.cells):len(a.cells)]
	c.Sink, c.Body = a.copy(r.Sink), a.copy(r.Body)
	c.cut = nil
	if r.AnyCut() {
		c.cut = append([]bool(nil), r.cut...)
	}
	return c
}

func (a *arena) copy(b []byte) []byte {
	if b == nil {
		return nil
	}
	k := len(a.bytes)
	a.bytes = append(a.bytes, b...)
	return a.bytes[k:len(a.bytes):len(a.bytes)]
}
