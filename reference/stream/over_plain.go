package stream

import (
	"slices"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// overPlain is an OVER window from the beginning by a column that is no time attribute.
// It keeps all rows of a partition in order; an inserted row goes last among its peers,
// and every following row whose result changes is sent again, until one does not change
// (window.md 42).
//
// With RANGE peers share one result and are updated around the new row in order of
// arrival; with ROWS each row has its own. A removed row is -D whatever its kind was,
// an added one keeps its kind. Update-before rows are sent whether wanted or not.
type overPlain struct {
	overCalls
	rows bool
	// lags: LAG or DISTINCT have state that Flink cannot compare.
	lags  bool
	cmp   *rowComparator
	types []value.Type
	parts map[string]*overPart
}

// overPart is the peers of a partition, in sort order.
type overPart struct{ peers []*overPeers }

// overPeers are rows with equal sort keys, by arrival. accs[i] is the state after row i
// with ROWS; with RANGE there is one state, after all of them.
type overPeers struct {
	rows []value.Row
	accs [][]acc
}

func newOverPlain(c overCalls, n *phys.OverAggregate, calls []phys.AggCall, distinct bool) (operator, error) {
	for i := range calls {
		name := calls[i].Fn.Name
		switch {
		case name == "LAG":
		case slices.Contains([]string{"COUNT", "SUM", "$SUM0", "MIN", "MAX", "ROW_NUMBER"}, name):
		case !n.Rows && slices.Contains([]string{"RANK", "DENSE_RANK", "AVG", "FIRST_VALUE", "LAST_VALUE"}, name):
		default:
			// Flink compares accumulators with results here, which is meaningless (and
			// fails) for functions whose accumulator is not the result.
			return nil, unsupported.New("%s in an OVER window by a column that is no time", name)
		}
	}
	in := n.In[0].Schema()
	lags := distinct || slices.ContainsFunc(calls, func(c phys.AggCall) bool { return c.Fn.Name == "LAG" })
	return &overPlain{overCalls: c, rows: n.Rows, lags: lags, cmp: newRowComparator(n.Keys, in), types: fieldTypes(in), parts: map[string]*overPart{}}, nil
}

func (o *overPlain) watermark(w int64) error { return o.next.watermark(w) }
func (o *overPlain) end() error              { return o.next.end() }

func (o *overPlain) row(kind changelog.RowKind, row value.Row) error {
	id := o.id(row)
	p := o.parts[id]
	if p == nil {
		p = &overPart{}
		o.parts[id] = p
	}
	i, had := slices.BinarySearchFunc(p.peers, row, func(g *overPeers, r value.Row) int { return o.cmp.compare(g.rows[0], r) })
	switch {
	case o.lags && (had || !kind.Adds()):
		return unsupported.New("LAG or DISTINCT in an OVER window by a column that is no time, with equal rows or updates")
	case o.lags && i < len(p.peers):
		// The rows behind are looked at again, and with them the values that LAG remembers.
		return flinkerr.Runtime("java.lang.UnsupportedOperationException", "Unmaterialized BinaryRawValueData cannot be compared.")
	case !kind.Adds():
		if !had {
			return nil
		}
		return o.remove(p, i, row)
	case !had:
		p.peers = slices.Insert(p.peers, i, &overPeers{})
	}
	return o.insert(p, i, kind, keepRow(row))
}

// before is a copy of the state before row k of peers i.
func (o *overPlain) before(p *overPart, i, k int) []acc {
	switch {
	case o.rows && k > 0:
		return slices.Clone(p.peers[i].accs[k-1])
	case i > 0:
		g := p.peers[i-1]
		return slices.Clone(g.accs[len(g.accs)-1])
	}
	return o.newAccs()
}

func (o *overPlain) insert(p *overPart, i int, kind changelog.RowKind, row value.Row) error {
	g := p.peers[i]
	if o.rows {
		a := o.before(p, i, len(g.rows))
		if err := o.add(a, row); err != nil {
			return err
		}
		g.rows, g.accs = append(g.rows, row), append(g.accs, a)
		if err := o.emit(kind, row, a); err != nil {
			return err
		}
		return o.following(p, i+1, a)
	}
	a := o.before(p, i, 0)
	for _, r := range append(slices.Clone(g.rows), row) {
		if err := o.add(a, r); err != nil {
			return err
		}
	}
	if len(g.rows) > 0 {
		if err := o.updatePeers(g.rows, g.accs[0], a); err != nil {
			return err
		}
	}
	if err := o.emit(kind, row, a); err != nil {
		return err
	}
	g.rows, g.accs = append(g.rows, row), [][]acc{a}
	return o.following(p, i+1, a)
}

// updatePeers sends the rows of a RANGE again if their state changed.
func (o *overPlain) updatePeers(rows []value.Row, old, now []acc) error {
	if equalAccs(old, now) {
		return nil
	}
	for _, r := range rows {
		if err := o.resend(r, old, now); err != nil {
			return err
		}
	}
	return nil
}

func (o *overPlain) resend(row value.Row, old, now []acc) error {
	if err := o.emit(changelog.UpdateBefore, row, old); err != nil {
		return err
	}
	return o.emit(changelog.UpdateAfter, row, now)
}

// following recomputes the peers from i on, until a state does not change.
func (o *overPlain) following(p *overPart, i int, a []acc) error {
	for ; i < len(p.peers); i++ {
		g := p.peers[i]
		a = slices.Clone(a)
		for k, r := range g.rows {
			if err := o.add(a, r); err != nil {
				return err
			}
			if !o.rows {
				continue
			}
			if equalAccs(g.accs[k], a) {
				return nil
			}
			if err := o.resend(r, g.accs[k], a); err != nil {
				return err
			}
			g.accs[k] = slices.Clone(a)
		}
		if !o.rows {
			if equalAccs(g.accs[0], a) {
				return nil
			}
			if err := o.updatePeers(g.rows, g.accs[0], a); err != nil {
				return err
			}
			g.accs[0] = slices.Clone(a)
		}
	}
	return nil
}

func (o *overPlain) remove(p *overPart, i int, row value.Row) error {
	g := p.peers[i]
	if o.rows {
		if k := slices.IndexFunc(g.rows, func(r value.Row) bool { return equalResults(o.types, r, row) }); k >= 0 {
			return o.removeRow(p, i, k)
		}
		return nil
	}
	// RANGE removes the last equal row, but leaves all equal ones out of the new state.
	a, at := o.before(p, i, 0), -1
	for k, r := range g.rows {
		if equalResults(o.types, r, row) {
			at = k
		} else if err := o.add(a, r); err != nil {
			return err
		}
	}
	if at < 0 {
		return nil
	}
	same := equalAccs(g.accs[0], a)
	for k, r := range g.rows {
		var err error
		switch {
		case k == at:
			err = o.emit(changelog.Delete, r, g.accs[0])
		case !same:
			err = o.resend(r, g.accs[0], a)
		}
		if err != nil {
			return err
		}
	}
	g.rows, g.accs[0] = slices.Delete(g.rows, at, at+1), a
	if len(g.rows) == 0 {
		p.peers = slices.Delete(p.peers, i, i+1)
	} else {
		i++
	}
	return o.following(p, i, a)
}

// removeRow takes row k out of peers i in a ROWS window.
func (o *overPlain) removeRow(p *overPart, i, k int) error {
	g := p.peers[i]
	a := o.before(p, i, k)
	if err := o.emit(changelog.Delete, g.rows[k], g.accs[k]); err != nil {
		return err
	}
	g.rows, g.accs = slices.Delete(g.rows, k, k+1), slices.Delete(g.accs, k, k+1)
	for ; k < len(g.rows); k++ {
		if err := o.add(a, g.rows[k]); err != nil {
			return err
		}
		if equalAccs(g.accs[k], a) {
			break
		}
		if err := o.resend(g.rows[k], g.accs[k], a); err != nil {
			return err
		}
		g.accs[k] = slices.Clone(a)
	}
	if len(g.rows) == 0 {
		p.peers = slices.Delete(p.peers, i, i+1)
	} else {
		i++
	}
	return o.following(p, i, a)
}

// equalAccs compares states bit by bit.
func equalAccs(a, b []acc) bool {
	for i := range a {
		if a[i].n != b[i].n || a[i].v != b[i].v {
			return false
		}
	}
	return true
}
