package source

import (
	"hash/maphash"

	"github.com/labgrade/labgrade/value"
)

// interner gives texts that repeat within a column the same string, so that a
// column with few distinct texts costs no allocation a row. It is a cache: a text
// that falls on a used place replaces the old one.
type interner struct {
	seed         maphash.Seed
	table        []string
	mask         uint32
	hits, misses uint32
	off          bool
}

const (
	internStart = 1 << 8
	internMax   = 1 << 16
	// longer texts are seldom keys.
	internLength = 64
)

func newInterner() *interner {
	return &interner{seed: maphash.MakeSeed(), table: make([]string, internStart), mask: internStart - 1}
}

func (n *interner) convert(b []byte) (value.Value, error) { return value.String(n.text(b)), nil }

func (n *interner) text(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if n.off || len(b) > internLength {
		return string(b)
	}
	h := uint32(maphash.Bytes(n.seed, b))
	p := &n.table[h&n.mask]
	if *p == string(b) {
		n.hits++
		return *p
	}
	s := string(b)
	*p = s
	if n.misses++; n.misses > 2*uint32(len(n.table)) {
		n.adapt()
	}
	return s
}

// adapt enlarges a cache that misses much, and gives up on texts that do not repeat.
func (n *interner) adapt() {
	switch {
	case n.hits < n.misses/4 && len(n.table) == internMax:
		n.off, n.table = true, nil
		return
	case n.hits < 4*n.misses && len(n.table) < internMax:
		old := n.table
		n.table = make([]string, 4*len(old))
		n.mask = uint32(len(n.table) - 1)
	}
	n.hits, n.misses = 0, 0
}
