package replay

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"iter"
	"slices"
)

// Table is a bag of rows, or, with a key, one row a key.
//
// It is a chained hash table of encoded rows. A deleted entry's memory serves the next
// insert, so that a log of any length costs no allocation once the table has its size.
type Table struct {
	keyed   bool
	key     []int
	seed    maphash.Seed
	heads   []int32 // 1-based index into entries, 0 is none
	entries []entry
	free    []int32 // indexes of unused entries
	rows    int     // with duplicates
	live    int
	nextSeq int64
	scratch []byte
}

type entry struct {
	hash  uint64
	next  int32
	count int32
	id    []byte // the encoded key, or without a key the encoded row
	row   []byte // the encoded row of a keyed table
	line  int
	rowN  int
	seq   int64
}

// TableRow is a row of the table. Borrowed from the table: valid until the next change.
type TableRow struct {
	Cells [][]byte
	// Count is how often the row is there: 1 with a key.
	Count int
	// Line and Row are the change that last brought it.
	Line, Row int
}

func newTable(key []int) *Table {
	return &Table{keyed: len(key) > 0, key: key, seed: maphash.MakeSeed(), heads: make([]int32, 16)}
}

// Len is the number of rows, duplicates included.
func (t *Table) Len() int { return t.rows }

// Distinct is the number of different rows.
func (t *Table) Distinct() int { return t.live }

// Rows lists the rows in the order in which they came into the table; a row that an
// update replaced keeps its place.
func (t *Table) Rows() iter.Seq[TableRow] {
	return func(yield func(TableRow) bool) {
		live := make([]int32, 0, t.live)
		for i := range t.entries {
			if t.entries[i].count > 0 {
				live = append(live, int32(i))
			}
		}
		slices.SortFunc(live, func(a, b int32) int {
			x, y := t.entries[a].seq, t.entries[b].seq
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return t.entries[a].rowN - t.entries[b].rowN
		})
		for _, i := range live {
			if !yield(t.at(&t.entries[i])) {
				return
			}
		}
	}
}

func (t *Table) at(e *entry) TableRow {
	enc := e.id
	if t.keyed {
		enc = e.row
	}
	return TableRow{Cells: decode(nil, enc), Count: int(e.count), Line: e.line, Row: e.rowN}
}

// Count is how often exactly these cells are in the table.
func (t *Table) Count(cells [][]byte) int {
	row := encode(nil, cells)
	if !t.keyed {
		if e := t.find(row); e != nil {
			return int(e.count)
		}
		return 0
	}
	id, ok := encodeKey(nil, cells, t.key)
	if !ok {
		return 0
	}
	if e := t.find(id); e != nil && bytes.Equal(e.row, row) {
		return 1
	}
	return 0
}

// Get is the row with that key (the cells of Options.Key, in its order); false when
// there is none or the table has no key.
func (t *Table) Get(key [][]byte) (TableRow, bool) {
	if !t.keyed {
		return TableRow{}, false
	}
	if e := t.find(encode(nil, key)); e != nil {
		return t.at(e), true
	}
	return TableRow{}, false
}

func (t *Table) find(id []byte) *entry {
	h := maphash.Bytes(t.seed, id)
	for i := t.heads[h&uint64(len(t.heads)-1)]; i != 0; i = t.entries[i-1].next {
		if e := &t.entries[i-1]; e.hash == h && bytes.Equal(e.id, id) {
			return e
		}
	}
	return nil
}

// insert adds a new entry for id, which must not be there; seq -1 takes a new place.
func (t *Table) insert(id, row []byte, line, rowN int, seq int64) *entry {
	if t.live >= len(t.heads) {
		t.grow()
	}
	if seq < 0 {
		seq = t.nextSeq
		t.nextSeq++
	}
	h := maphash.Bytes(t.seed, id)
	var i int32
	if n := len(t.free); n > 0 {
		i = t.free[n-1]
		t.free = t.free[:n-1]
	} else {
		t.entries = append(t.entries, entry{})
		i = int32(len(t.entries) - 1)
	}
	e := &t.entries[i]
	slot := &t.heads[h&uint64(len(t.heads)-1)]
	*e = entry{hash: h, next: *slot, count: 1, id: append(e.id[:0], id...), row: append(e.row[:0], row...), line: line, rowN: rowN, seq: seq}
	*slot = i + 1
	t.live++
	t.rows++
	return e
}

// remove takes one occurrence of e out and returns its place when it was the last, else -1.
func (t *Table) remove(e *entry) int64 {
	t.rows--
	if e.count--; e.count > 0 {
		return -1
	}
	p := &t.heads[e.hash&uint64(len(t.heads)-1)]
	for &t.entries[*p-1] != e {
		p = &t.entries[*p-1].next
	}
	t.free = append(t.free, *p-1)
	*p = e.next
	t.live--
	return e.seq
}

func (t *Table) grow() {
	t.heads = make([]int32, 2*len(t.heads))
	mask := uint64(len(t.heads) - 1)
	for i := range t.entries {
		if e := &t.entries[i]; e.count > 0 {
			slot := &t.heads[e.hash&mask]
			e.next, *slot = *slot, int32(i+1)
		}
	}
}

// encode appends the cells, each with its length before it.
func encode(dst []byte, cells [][]byte) []byte {
	for _, c := range cells {
		dst = binary.AppendUvarint(dst, uint64(len(c)))
		dst = append(dst, c...)
	}
	return dst
}

func encodeKey(dst []byte, cells [][]byte, key []int) ([]byte, bool) {
	for _, k := range key {
		if k >= len(cells) {
			return dst, false
		}
		dst = binary.AppendUvarint(dst, uint64(len(cells[k])))
		dst = append(dst, cells[k]...)
	}
	return dst, true
}

func decode(dst [][]byte, enc []byte) [][]byte {
	for len(enc) > 0 {
		n, k := binary.Uvarint(enc)
		dst = append(dst, enc[k:k+int(n):k+int(n)])
		enc = enc[k+int(n):]
	}
	return dst
}
