package stream

import (
	"bytes"
	"slices"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// newSink hands rows to the caller; what a table does with them is the caller's
// business. Only the upsert materializer belongs to the plan.
func (j *job) newSink(n *phys.Sink, next operator) (operator, error) {
	if !n.Materialize {
		return next, nil
	}
	schema := n.In[0].Schema()
	switch n.Conflict {
	case "", "DEDUPLICATE":
	case "ERROR", "NOTHING":
		return j.newCompactingMaterializer(n, next), nil
	default:
		return nil, unsupported.New("ON CONFLICT DO %s", n.Conflict)
	}
	m := &upsertMaterializer{
		forward: forward{next}, pk: newKeyEncoder(n.PrimaryKey, schema), whole: wholeRow(schema),
		rows: map[string][]value.Row{},
	}
	if len(n.UpsertKey) > 0 {
		m.upsert = newKeyEncoder(n.UpsertKey, schema)
	}
	return m, nil
}

// upsertMaterializer keeps, for each primary key, the list of rows that claim it, and
// shows the last one (semantics 10): the first row is +I, a later one +U; when the last
// row is taken back the one before shows again as +U, or -D if there is none; taking
// back a row that does not show is silent.
type upsertMaterializer struct {
	forward
	pk, whole  *keyEncoder
	upsert     *keyEncoder // nil if the input has no upsert key
	rows       map[string][]value.Row
	buf        []byte
	kbuf, obuf []byte
}

func (m *upsertMaterializer) row(kind changelog.RowKind, row value.Row) error {
	m.buf = m.pk.append(m.buf[:0], row)
	key := string(m.buf)
	list := m.rows[key]
	if kind.Adds() {
		r := keepRow(row)
		out := changelog.UpdateAfter
		if len(list) == 0 {
			out = changelog.Insert
		}
		if i := m.find(list, row); m.upsert != nil && i >= 0 {
			list[i] = r
		} else {
			list = append(list, r)
		}
		m.rows[key] = list
		return m.next.row(out, r)
	}
	i := m.find(list, row)
	if i < 0 {
		return nil
	}
	last := i == len(list)-1
	list = slices.Delete(list, i, i+1)
	m.rows[key] = list
	switch {
	case len(list) == 0:
		delete(m.rows, key)
		return m.next.row(changelog.Delete, row)
	case last:
		return m.next.row(changelog.UpdateAfter, list[len(list)-1])
	}
	return nil
}

// find looks for the first row with the upsert key of row, or, without one, an equal row.
func (m *upsertMaterializer) find(list []value.Row, row value.Row) int {
	e := m.upsert
	if e == nil {
		e = m.whole
	}
	m.kbuf = e.append(m.kbuf[:0], row)
	for i, r := range list {
		m.obuf = e.append(m.obuf[:0], r)
		if bytes.Equal(m.kbuf, m.obuf) {
			return i
		}
	}
	return -1
}
