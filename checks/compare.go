package checks

import (
	"context"
	"hash/maphash"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/parse"
)

// comparison compares the rows of one saved result with the expected ones while they
// are read. It keeps at most one hash a key.
type comparison struct {
	want *answer
	how  labs.Compare
	// columns maps each expected column to a saved one; nil when some are not there.
	columns []int
	missing []string
	// wrongOp: an op column is missing or should not be there.
	wrongOp bool

	feed   feed
	n      int
	counts kindCounts
	exact  bool
	// at is the index of the first row that differs (exact comparison).
	at int
	// equal is the verdict, set by finish.
	equal bool

	// atLeast is how many rows a prefix must have; short that it is right, but has fewer.
	atLeast int
	short   bool

	seed   maphash.Seed
	bag    bagHash
	perKey map[string]uint64
	key    []int
	view   row
	cells  [][]byte
	text   []byte
}

// bagHash is a sum of row hashes: equal for equal bags, whatever their order.
type bagHash struct {
	sum, mix uint64
	n        int64
}

func (b *bagHash) add(h uint64) {
	b.sum += h
	b.mix += h * h * 0x9e3779b97f4a7c15
	b.n++
}

func newComparison(ctx context.Context, want *answer, step *labs.Step, b *parse.Block, columns []string) *comparison {
	c := &comparison{want: want, how: step.Compare, at: -1, atLeast: max(step.AtLeast, 1)}
	c.wrongOp = b.HasOp != want.streaming
	if b.Kind == parse.KindEmpty && len(b.Columns) == 0 {
		// A batch prints "Empty set" without a header.
		c.columns = identity(len(want.columns))
	} else {
		c.columns, c.missing = mapColumns(want.columns, columns)
	}
	if c.wrongOp || c.columns == nil {
		return c
	}
	c.cells = make([][]byte, len(c.columns))
	c.key = columnIndexes(want.columns, step.Key)
	switch c.how {
	case labs.CompareExact, labs.ComparePrefix:
		c.exact = true
		c.feed = want.feed(ctx)
	case labs.ComparePerKey:
		c.seed = maphash.MakeSeed()
		c.perKey = map[string]uint64{}
		c.feed = want.feed(ctx)
	default:
		c.seed = maphash.MakeSeed()
		c.feed = want.feed(ctx)
	}
	return c
}

// mapColumns finds each wanted column by its name. A name that the client cut is taken
// for the one it begins like.
func mapColumns(want, columns []string) (idx []int, missing []string) {
	for _, w := range want {
		one := indexByName([]string{w}, columns)
		if one == nil {
			missing = append(missing, w)
			continue
		}
		idx = append(idx, one[0])
	}
	if len(missing) > 0 {
		return nil, missing
	}
	return idx, nil
}

func columnIndexes(columns, names []string) []int {
	var out []int
	for _, n := range names {
		for i, c := range columns {
			if c == n {
				out = append(out, i)
			}
		}
	}
	return out
}

// project is the saved row with its cells in the order of the expected columns.
func (c *comparison) project(r *row) *row {
	v := *r
	v.cut = 0
	for i, at := range c.columns {
		if at >= len(r.cells) {
			c.cells[i] = nil
			continue
		}
		c.cells[i] = r.cells[at]
		if r.cut>>at&1 == 1 {
			v.cut |= 1 << i
		}
	}
	v.cells = c.cells
	c.view = v
	return &c.view
}

// row takes the next saved row.
func (c *comparison) row(r *row) error {
	if c.feed == nil {
		return nil
	}
	c.n++
	c.counts.add(r.kind)
	if !c.exact {
		c.hash(c.project(r), 1)
		return nil
	}
	if c.at >= 0 {
		return nil
	}
	w, ok := c.feed.next()
	if !ok {
		if err := c.feed.err(); err != nil {
			return err
		}
		c.at = c.n - 1
		return nil
	}
	if !w.equal(c.project(r)) {
		c.at = c.n - 1
		c.feed.close()
	}
	return nil
}

// hash adds a saved row (sign 1) to the hashes of the order-free comparisons.
func (c *comparison) hash(r *row, sign uint64) {
	if c.how == labs.ComparePerKey {
		k := r.text(c.key)
		c.perKey[k] = c.perKey[k]*0x100000001b3 + c.rowHash(r)*sign
		return
	}
	c.bag.add(c.rowHash(r))
}

func (c *comparison) rowHash(r *row) uint64 {
	c.text = append(c.text[:0], byte(r.kind))
	for _, x := range r.cells {
		c.text = append(append(c.text, x...), 0)
	}
	return maphash.Bytes(c.seed, c.text)
}

// finish decides when the last saved row is read.
func (c *comparison) finish() error {
	if c.feed == nil {
		return nil
	}
	defer c.feed.close()
	if c.exact {
		if c.at >= 0 {
			return nil
		}
		if _, more := c.feed.next(); more {
			if c.how == labs.ComparePrefix {
				c.equal, c.short = c.n >= c.atLeast, c.n < c.atLeast
				return nil
			}
			c.at = c.n
			return nil
		}
		c.equal = c.feed.err() == nil
		if c.equal {
			c.want.learn(c.counts)
		}
		return c.feed.err()
	}
	other := *c
	other.bag, other.perKey = bagHash{}, map[string]uint64{}
	for {
		w, ok := c.feed.next()
		if !ok {
			break
		}
		other.hash(w, 1)
	}
	if err := c.feed.err(); err != nil {
		return err
	}
	if c.how == labs.ComparePerKey {
		c.equal = len(c.perKey) == len(other.perKey)
		for k, h := range c.perKey {
			c.equal = c.equal && other.perKey[k] == h
		}
		return nil
	}
	c.equal = c.bag == other.bag
	return nil
}
