package batch

import (
	"sort"
	"strings"
	"unicode/utf16"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// lists is LISTAGG: values that are not NULL in input order, NULL for none (agg.md 11).
// The delimiter is a constant of the query.
type lists struct {
	arg, sep int
	v        [][]string
	delim    string
}

func (s *lists) grow() { s.v = append(s.v, nil) }

func (s *lists) add(g int, row value.Row) {
	v := row[s.arg]
	if v.IsNull() {
		return
	}
	if s.sep >= 0 && row[s.sep].Str() != s.delim {
		s.delim = strings.Clone(row[s.sep].Str())
	}
	s.v[g] = append(s.v[g], strings.Clone(v.Str()))
}

func (s *lists) merge(g int, from state, h int) {
	o := from.(*lists)
	s.delim = o.delim
	s.v[g] = append(s.v[g], o.v[h]...)
}

func (s *lists) result(g int) value.Value {
	if len(s.v[g]) == 0 {
		return value.Null
	}
	return value.String(strings.Join(s.v[g], s.delim))
}

// arrays is ARRAY_AGG: NULL elements are kept, no elements give NULL (agg.md 13).
type arrays struct {
	arg         int
	ignoreNulls bool
	v           [][]value.Value
}

func (s *arrays) grow() { s.v = append(s.v, nil) }
func (s *arrays) add(g int, row value.Row) {
	if v := row[s.arg]; !v.IsNull() || !s.ignoreNulls {
		s.v[g] = append(s.v[g], ownValue(v))
	}
}
func (s *arrays) merge(g int, from state, h int) {
	s.v[g] = append(s.v[g], from.(*arrays).v[h]...)
}
func (s *arrays) result(g int) value.Value {
	if len(s.v[g]) == 0 {
		return value.Null
	}
	return value.Array(s.v[g])
}

// singles is SINGLE_VALUE: a scalar subquery with two rows fails.
type singles struct {
	job *job
	arg int
	n   []int
	v   []value.Value
}

func (s *singles) grow() { s.n, s.v = append(s.n, 0), append(s.v, value.Null) }
func (s *singles) set(g int, v value.Value) {
	if s.n[g]++; s.n[g] > 1 {
		s.job.ctx.Fail(flinkerr.Runtime(flinkerr.ClassTableRuntime, "SingleValueAggFunction received more than one element."))
		return
	}
	s.v[g] = ownValue(v)
}
func (s *singles) add(g int, row value.Row) { s.set(g, row[s.arg]) }
func (s *singles) merge(g int, from state, h int) {
	if o := from.(*singles); o.n[h] > 0 {
		s.set(g, o.v[h])
	}
}
func (s *singles) result(g int) value.Value { return s.v[g] }

// distinct lets its state see each value of a group once.
type distinct struct {
	of    state
	cols  []int
	types []value.Type
	seen  []map[string]struct{}
	buf   []byte
}

func newDistinct(c *phys.AggCall, of state) state {
	d := &distinct{of: of, cols: c.Args, types: c.ArgTypes}
	if c.Fn.Name == "LISTAGG" {
		d.cols, d.types = c.Args[:1], c.ArgTypes[:1] // the delimiter is no part of the value
	}
	return d
}

func (s *distinct) grow() {
	s.of.grow()
	s.seen = append(s.seen, nil)
}

func (s *distinct) add(g int, row value.Row) {
	s.buf = s.buf[:0]
	for i, c := range s.cols {
		s.buf = value.AppendKey(s.buf, s.types[i], row[c])
	}
	if _, ok := s.seen[g][string(s.buf)]; ok {
		return
	}
	if s.seen[g] == nil {
		s.seen[g] = map[string]struct{}{}
	}
	s.seen[g][string(s.buf)] = struct{}{}
	s.of.add(g, row)
}

// merge is never asked for more than one partial of a group: Flink plans DISTINCT in
// batch mode as two aggregates, so that a distinct call has one phase.
func (s *distinct) merge(g int, from state, h int) { s.of.merge(g, from.(*distinct).of, h) }

func (s *distinct) result(g int) value.Value { return s.of.result(g) }

// jsonObjects is JSON_OBJECTAGG over JSON texts; keys come out sorted, a key that comes
// twice fails the job (agg.md 16).
type jsonObjects struct {
	job       *job
	key, val  int
	skipNulls bool
	m         []map[string]string
}

func (s *jsonObjects) grow() { s.m = append(s.m, map[string]string{}) }

func (s *jsonObjects) put(g int, k, v string) {
	if _, ok := s.m[g][k]; ok {
		s.job.ctx.Fail(flinkerr.Runtime(flinkerr.ClassTable,
			"Key '%s' is already present. Duplicate keys are not allowed in JSON_OBJECTAGG. Please ensure that keys are unique.", k))
		return
	}
	s.m[g][strings.Clone(k)] = strings.Clone(v)
}

func (s *jsonObjects) add(g int, row value.Row) {
	v := row[s.val]
	switch {
	case !v.IsNull():
		s.put(g, row[s.key].Str(), v.Str())
	case !s.skipNulls:
		s.put(g, row[s.key].Str(), "null")
	}
}

func (s *jsonObjects) merge(g int, from state, h int) {
	for k, v := range from.(*jsonObjects).m[h] {
		s.put(g, k, v)
	}
}

func (s *jsonObjects) result(g int) value.Value {
	type member struct {
		order []uint16
		key   string
	}
	var ms []member
	for k := range s.m[g] {
		ms = append(ms, member{utf16.Encode([]rune(k)), k})
	}
	sort.Slice(ms, func(i, j int) bool {
		a, b := ms[i].order, ms[j].order
		for n := 0; n < len(a) && n < len(b); n++ {
			if a[n] != b[n] {
				return a[n] < b[n]
			}
		}
		return len(a) < len(b)
	})
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range ms {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoteJSON(m.key))
		b.WriteByte(':')
		b.WriteString(s.m[g][m.key])
	}
	b.WriteByte('}')
	return value.String(b.String())
}

// quoteJSON is a JSON string as Jackson writes it.
func quoteJSON(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range []byte(s) {
		if i := strings.IndexByte("\"\\\b\t\n\f\r", r); i >= 0 {
			b.WriteByte('\\')
			b.WriteByte("\"\\btnfr"[i])
		} else if r < ' ' {
			b.WriteString(`\u00`)
			b.WriteByte("01"[r>>4])
			b.WriteByte("0123456789ABCDEF"[r&15])
		} else {
			b.WriteByte(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// jsonArrays is JSON_ARRAYAGG over JSON texts, in input order.
type jsonArrays struct {
	arg       int
	skipNulls bool
	v         [][]string
}

func (s *jsonArrays) grow() { s.v = append(s.v, nil) }
func (s *jsonArrays) add(g int, row value.Row) {
	switch v := row[s.arg]; {
	case !v.IsNull():
		s.v[g] = append(s.v[g], strings.Clone(v.Str()))
	case !s.skipNulls:
		s.v[g] = append(s.v[g], "null")
	}
}
func (s *jsonArrays) merge(g int, from state, h int) {
	s.v[g] = append(s.v[g], from.(*jsonArrays).v[h]...)
}
func (s *jsonArrays) result(g int) value.Value {
	return value.String("[" + strings.Join(s.v[g], ",") + "]")
}

// multisets is COLLECT: how often each value that is not NULL came, in the order of
// java.util.HashMap (agg.md 14).
type multisets struct {
	arg int
	t   value.Type
	m   []*value.JavaMap[counted]
	buf []byte
}

type counted struct {
	v value.Value
	n int64
}

func (s *multisets) grow() { s.m = append(s.m, &value.JavaMap[counted]{}) }

func (s *multisets) put(g int, v value.Value, n int64) {
	s.buf = value.AppendKey(s.buf[:0], s.t, v)
	e, _ := s.m[g].Put(s.buf, value.JavaHash(&s.t, v))
	e.v = ownValue(v)
	e.n += n
}

func (s *multisets) add(g int, row value.Row) {
	if v := row[s.arg]; !v.IsNull() {
		s.put(g, v, 1)
	}
}

func (s *multisets) merge(g int, from state, h int) {
	for _, e := range from.(*multisets).m[h].All() {
		s.put(g, e.v, e.n)
	}
}

func (s *multisets) result(g int) value.Value {
	var keys, counts []value.Value
	for _, e := range s.m[g].All() {
		keys, counts = append(keys, e.v), append(counts, value.Int(e.n))
	}
	return value.MapOf(keys, counts)
}
