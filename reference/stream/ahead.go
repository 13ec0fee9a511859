package stream

import "github.com/labgrade/labgrade/value"

// BlockReader is a Reader that may have many rows at hand.
type BlockReader interface {
	Reader
	// Block gives the next rows, one after another, all of them inserts, each on a line of its
	// own from pos on. They are valid until the next call. It gives no row if Next must be used
	// from now on.
	Block() (rows value.Row, n int, pos Position, err error)
}

// lookahead is an operator that profits from seeing rows before they are pushed one by one. The rows
// that follow must be just these.
type lookahead interface {
	ahead(rows value.Row, width, n int)
}

// aheadRows is how many rows are looked up at a time: their keys should stay in the nearest cache.
const aheadRows = 256

// groupsAhead holds the numbers of the groups of coming rows.
type groupsAhead struct {
	keys    []byte
	ends    []int
	hashes  []uint32
	numbers []int32
	at      int
	touched int64
}

// ahead finds the groups of rows one after another without other work between, so that the
// processor can wait for several places in memory at a time.
func (o *denseAggregate) ahead(rows value.Row, width, n int) {
	g := &o.coming
	g.numbers, g.at = g.numbers[:0], 0
	for from := 0; from < n; from += aheadRows {
		k := min(aheadRows, n-from)
		g.keys, g.ends, g.hashes = g.keys[:0], g.ends[:0], g.hashes[:0]
		for i := from; i < from+k; i++ {
			begin := len(g.keys)
			g.keys = o.keys.append(g.keys, rows[i*width:(i+1)*width])
			g.ends = append(g.ends, len(g.keys))
			g.hashes = append(g.hashes, o.index.hash(g.keys[begin:]))
		}
		begin := 0
		for i, end := range g.ends {
			g.numbers = append(g.numbers, int32(o.number(g.keys[begin:end], g.hashes[i])))
			begin = end
		}
		stride := 1 + len(o.scratch)
		for _, n := range g.numbers[from:] {
			g.touched += o.cells[int(n)*stride].n
		}
	}
}

// group is the number of the group of a row.
func (o *denseAggregate) group(row value.Row) int {
	if g := &o.coming; g.at < len(g.numbers) {
		g.at++
		return int(g.numbers[g.at-1])
	}
	o.buf = o.keys.append(o.buf[:0], row)
	return o.number(o.buf, o.index.hash(o.buf))
}

// number finds the cells of a key, or makes some that are empty.
func (o *denseAggregate) number(key []byte, hash uint32) int {
	n, fresh := o.index.numberHashed(key, hash)
	if fresh {
		for range 1 + len(o.scratch) {
			o.cells = append(o.cells, cell{})
		}
	}
	return n
}
