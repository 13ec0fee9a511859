package stream

import (
	"bytes"
	"slices"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// updatableTopN is the Top-N over an upsert stream in which a row's rank can only
// rise; rows are known by the upsert key (window.md 6).
type updatableTopN struct {
	topN
	key        *keyEncoder
	kbuf, obuf []byte
}

func (t *updatableTopN) row(kind changelog.RowKind, row value.Row) error {
	if !kind.Adds() {
		return unsupported.New("a Top-N that was planned for rows which are never taken back, over %s", kind)
	}
	p := t.part(row)
	i := t.find(p, row)
	if i < 0 {
		return t.enter(p, row)
	}
	r, old := keepRow(row), p.rows[i]
	if t.cmp.compare(r, old) == 0 {
		p.rows[i] = r
		return t.replace(old, r, i)
	}
	before := slices.Clone(p.rows)
	p.removeAt(i)
	to := p.insert(r)
	if !t.numbered || to == i {
		return t.replace(old, r, i)
	}
	return t.climb(before, p.rows, i, to)
}

func (t *updatableTopN) find(p *sortedRows, row value.Row) int {
	t.kbuf = t.key.append(t.kbuf[:0], row)
	for i, r := range p.rows {
		t.obuf = t.key.append(t.obuf[:0], r)
		if bytes.Equal(t.kbuf, t.obuf) {
			return i
		}
	}
	return -1
}

func (t *updatableTopN) replace(old, now value.Row, i int) error {
	rank := int64(i + 1)
	if !t.numbered {
		rank = t.out.lo
	}
	if err := t.out.emit(changelog.UpdateBefore, old, rank); err != nil {
		return err
	}
	return t.out.emit(changelog.UpdateAfter, now, rank)
}

// climb tells that a row moved from index from up to index to. The old image of the
// moved row is taken back after the row that it displaces; its old rank then needs no -U.
func (t *updatableTopN) climb(before, after []value.Row, from, to int) error {
	if to > from {
		return unsupported.New("a rank that falls under the update-fast strategy")
	}
	for k := to; k <= from; k++ {
		rank := int64(k + 1)
		if k < from {
			if err := t.out.emit(changelog.UpdateBefore, before[k], rank); err != nil {
				return err
			}
		}
		if k == to {
			if err := t.out.emit(changelog.UpdateBefore, before[from], int64(from+1)); err != nil {
				return err
			}
		}
		if err := t.out.emit(changelog.UpdateAfter, after[k], rank); err != nil {
			return err
		}
	}
	return nil
}

// retractableTopN is the Top-N over an input that takes rows back; it keeps every row.
// The two halves of an update are two separate steps (window.md 5).
type retractableTopN struct {
	topN
	whole *keyEncoder
	rows  map[string]*orderedRows
	key   []byte
}

func (t *retractableTopN) row(kind changelog.RowKind, row value.Row) error {
	t.buf = t.partition.append(t.buf[:0], row)
	p := t.rows[string(t.buf)]
	if p == nil {
		p = newOrderedRows(t.cmp)
		t.rows[string(t.buf)] = p
	}
	t.key = t.whole.append(t.key[:0], row)
	if kind.Adds() {
		return t.insert(p, keepRow(row))
	}
	return t.remove(p, row)
}

func (t *retractableTopN) insert(p *orderedRows, r value.Row) error {
	n := int(t.out.hi)
	i := p.insert(r, t.key, n)
	switch {
	case i >= n:
		return nil
	case t.numbered:
		return t.shiftDown(p, i)
	case p.len() > n:
		if err := t.out.send(changelog.Delete, p.at(n), 0); err != nil {
			return err
		}
	}
	return t.out.send(changelog.Insert, r, 0)
}

func (t *retractableTopN) remove(p *orderedRows, row value.Row) error {
	n := int(t.out.hi)
	old, i, ok := p.remove(row, t.key, n)
	if !ok || i >= n {
		return nil // of a row that is not there Flink warns and goes on
	}
	if !t.numbered {
		if err := t.out.send(changelog.Delete, old, 0); err != nil {
			return err
		}
		if p.len() >= n {
			return t.out.send(changelog.Insert, p.at(n-1), 0)
		}
		return nil
	}
	for k := i; k < n; k++ {
		rank := int64(k + 1)
		if k >= p.len() {
			return t.out.emit(changelog.Delete, old, rank)
		}
		if err := t.out.emit(changelog.UpdateBefore, old, rank); err != nil {
			return err
		}
		old = p.at(k)
		if err := t.out.emit(changelog.UpdateAfter, old, rank); err != nil {
			return err
		}
	}
	return nil
}
