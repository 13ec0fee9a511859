package stream

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// compactingMaterializer is the sink materializer of ON CONFLICT DO ERROR and NOTHING. It
// holds rows back until the next watermark, lets changes of one key that undo each other
// vanish, and then shows the one row that is left. With more than one, ERROR fails and
// NOTHING keeps what shows already, or the first.
type compactingMaterializer struct {
	next      operator
	job       *job
	pk, whole *keyEncoder
	upsert    *keyEncoder // nil if the input has no upsert key
	fail      bool
	columns   []value.Field // of the primary key
	at        []int         // and where they are
	mark      int64
	timers    *timers
	keys      map[string]*compacted
	buf       []byte
	a, b      []byte
}

// compacted is the state of a primary key.
type compacted struct {
	pending []compactedRow
	shown   value.Row // nil if nothing shows
}

type compactedRow struct {
	adds bool
	row  value.Row
}

func (j *job) newCompactingMaterializer(n *phys.Sink, next operator) operator {
	schema := n.In[0].Schema()
	m := &compactingMaterializer{
		next: next, job: j, pk: newKeyEncoder(n.PrimaryKey, schema), whole: wholeRow(schema),
		fail: n.Conflict == "ERROR", at: n.PrimaryKey, mark: MinWatermark, timers: newTimers(), keys: map[string]*compacted{},
	}
	for _, i := range n.PrimaryKey {
		m.columns = append(m.columns, schema[i])
	}
	if len(n.UpsertKey) > 0 {
		m.upsert = newKeyEncoder(n.UpsertKey, schema)
	}
	return m
}

func (m *compactingMaterializer) row(kind changelog.RowKind, row value.Row) error {
	m.buf = m.pk.append(m.buf[:0], row)
	key := string(m.buf)
	c := m.keys[key]
	if c == nil {
		c = &compacted{}
		m.keys[key] = c
	}
	m.timers.add(timer{at: m.mark + 1, key: key})
	for i, p := range c.pending {
		if p.adds != kind.Adds() && m.same(m.whole, p.row, row) {
			c.pending = slices.Delete(c.pending, i, i+1)
			return nil
		}
	}
	c.pending = append(c.pending, compactedRow{kind.Adds(), keepRow(row)})
	return nil
}

func (m *compactingMaterializer) watermark(w int64) error {
	m.mark = w
	for {
		t, ok := m.timers.due(w)
		if !ok {
			return m.next.watermark(w)
		}
		m.job.byWatermark(w)
		if err := m.show(m.keys[t.key]); err != nil {
			return err
		}
	}
}

// show applies the pending changes of a key and emits the difference.
func (m *compactingMaterializer) show(c *compacted) error {
	var rows []value.Row
	if c.shown != nil {
		rows = append(rows, c.shown)
	}
	for _, p := range c.pending {
		i := m.find(rows, p.row)
		switch {
		case p.adds && m.upsert != nil && i >= 0:
			rows[i] = p.row
		case p.adds:
			rows = append(rows, p.row)
		case i >= 0:
			rows = slices.Delete(rows, i, i+1)
		}
	}
	c.pending = c.pending[:0]
	before := c.shown
	switch {
	case len(rows) == 0:
		c.shown = nil
		if before != nil {
			return m.next.row(changelog.Delete, before)
		}
		return nil
	case len(rows) > 1 && m.fail:
		return m.conflict(rows[0])
	case len(rows) > 1 && before != nil:
		return nil
	case before == nil:
		c.shown = rows[0]
		return m.next.row(changelog.Insert, rows[0])
	case m.same(m.whole, before, rows[0]):
		return nil
	}
	c.shown = rows[0]
	return m.next.row(changelog.UpdateAfter, rows[0])
}

func (m *compactingMaterializer) find(rows []value.Row, row value.Row) int {
	e := m.upsert
	if e == nil {
		e = m.whole
	}
	return slices.IndexFunc(rows, func(r value.Row) bool { return m.same(e, r, row) })
}

func (m *compactingMaterializer) same(e *keyEncoder, a, b value.Row) bool {
	m.a, m.b = e.append(m.a[:0], a), e.append(m.b[:0], b)
	return bytes.Equal(m.a, m.b)
}

// conflict is the failure of ON CONFLICT DO ERROR. The key is shown as Java shows it.
func (m *compactingMaterializer) conflict(row value.Row) error {
	parts := make([]string, len(m.at))
	for i, at := range m.at {
		t, v := m.columns[i].Type, row[at]
		text := "null"
		if !v.IsNull() {
			switch t.Kind {
			case value.KindChar, value.KindVarchar:
				text = v.Str()
			case value.KindTinyInt, value.KindSmallInt, value.KindInt, value.KindBigInt, value.KindDate, value.KindTime:
				text = strconv.FormatInt(v.Int(), 10) // dates and times are their inner numbers
			case value.KindBoolean:
				text = strconv.FormatBool(v.Bool())
			default:
				return unsupported.New("the text of the conflicting key of type %s", t)
			}
		}
		parts[i] = m.columns[i].Name + "=" + text
	}
	return flinkerr.Runtime("org.apache.flink.table.api.TableRuntimeException", "Primary key constraint violation: multiple distinct records with the same primary key detected. Conflicting key: [%s]. Use ON CONFLICT DO NOTHING to keep the first record.", strings.Join(parts, ", "))
}

func (m *compactingMaterializer) end() error { return m.next.end() }
