package stream

import (
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// newChangelogFunction makes TO_CHANGELOG or FROM_CHANGELOG.
func (j *job) newChangelogFunction(n *phys.ProcessTableFunction, next operator) (operator, error) {
	switch n.Function {
	case "TO_CHANGELOG":
		t := &toChangelog{forward: forward{next}, buf: make(value.Row, len(n.Fields))}
		for k, code := range n.To {
			t.codes[k], t.mapped[k] = value.String(code), true
		}
		t.timeColumn = -1
		if len(n.Fields) > len(n.In[0].Schema())+1 {
			t.timeColumn = n.OnTime
		}
		return t, nil
	case "FROM_CHANGELOG":
		f := &fromChangelog{forward: forward{next}, kinds: n.From, op: -1, buf: make(value.Row, len(n.Fields))}
		for i, c := range n.In[0].Schema() {
			if c.Name == n.OpColumn {
				f.op = i
			}
		}
		if f.op < 0 {
			return nil, unsupported.New("FROM_CHANGELOG without its op column %s", n.OpColumn)
		}
		return f, nil
	}
	return nil, unsupported.New("the table function %s is not supported", n.Function)
}

// toChangelog writes each row as an inserted row that begins with the code of its kind.
// Kinds without a code are dropped (sink.md A1, A11). With on_time the time column is
// repeated at the end (A8).
type toChangelog struct {
	forward
	codes      [4]value.Value
	mapped     [4]bool
	timeColumn int
	buf        value.Row
}

func (t *toChangelog) row(kind changelog.RowKind, row value.Row) error {
	if !t.mapped[kind] {
		return nil
	}
	t.buf[0] = t.codes[kind]
	n := copy(t.buf[1:], row)
	if t.timeColumn >= 0 {
		t.buf[n+1] = row[t.timeColumn]
	}
	return t.next.row(changelog.Insert, t.buf)
}

// fromChangelog takes the op column out of a row and makes it the row's kind. A code
// without a mapping fails the job (sink.md A19).
type fromChangelog struct {
	forward
	op    int
	kinds map[string]changelog.RowKind
	buf   value.Row
}

func (f *fromChangelog) row(_ changelog.RowKind, row value.Row) error {
	op := row[f.op]
	if op.IsNull() {
		return flinkerr.Runtime(flinkerr.ClassTableRuntime,
			"Received NULL op code. Every changelog row must carry an operation code.")
	}
	kind, ok := f.kinds[op.Str()]
	if !ok {
		return flinkerr.Runtime(flinkerr.ClassTableRuntime,
			"Received invalid op code '%s'. Defined op codes are: [%s].", op.Str(), f.defined())
	}
	n := copy(f.buf, row[:f.op])
	copy(f.buf[n:], row[f.op+1:])
	return f.next.row(kind, f.buf)
}

// defined lists the codes. Flink's order is that of a hash set and differs between
// sessions (sink.md A13); readers compare the list as a set.
func (f *fromChangelog) defined() string {
	var codes []string
	for _, k := range []changelog.RowKind{changelog.UpdateAfter, changelog.UpdateBefore, changelog.Insert, changelog.Delete} {
		for c, m := range f.kinds {
			if m == k {
				codes = append(codes, c)
			}
		}
	}
	return strings.Join(codes, ", ")
}
