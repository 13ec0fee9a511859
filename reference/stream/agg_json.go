package stream

import (
	"sort"
	"strings"
	"unicode/utf16"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/value"
)

// jsonObjectAgg is JSON_OBJECTAGG. Its values are JSON texts already, made by
// JSON_STRING below the aggregate; keys come out sorted (agg.md 16). A key that comes
// twice fails the job.
type jsonObjectAgg struct {
	job       *job
	key, val  int
	skipNulls bool
}

// jsonMembers: an empty text stands for NULL, as in Flink's own state.
type jsonMembers struct{ at map[string]string }

func (f *jsonObjectAgg) init(a *acc) { a.ext = &jsonMembers{at: map[string]string{}} }

func (f *jsonObjectAgg) add(a *acc, row value.Row) {
	m, k, v := a.ext.(*jsonMembers), row[f.key].Str(), row[f.val]
	if _, ok := m.at[k]; ok {
		f.job.ctx.Fail(duplicateJSONKey(k))
		return
	}
	if v.IsNull() && f.skipNulls {
		return
	}
	m.at[strings.Clone(k)] = strings.Clone(v.Str())
}

func duplicateJSONKey(k string) error {
	return flinkerr.Runtime(flinkerr.ClassTable,
		"Key '%s' is already present. Duplicate keys are not allowed in JSON_OBJECTAGG. Please ensure that keys are unique.", k)
}

// retract removes the member only if its value is the same text; a NULL member never
// is, so it stays.
func (f *jsonObjectAgg) retract(a *acc, row value.Row) {
	m, k, v := a.ext.(*jsonMembers), row[f.key].Str(), row[f.val]
	if had, ok := m.at[k]; ok && !v.IsNull() && had == v.Str() {
		delete(m.at, k)
	}
}

func (f *jsonObjectAgg) merge(a, b *acc) {
	m := a.ext.(*jsonMembers)
	for k, v := range b.ext.(*jsonMembers).at {
		if _, ok := m.at[k]; ok {
			f.job.ctx.Fail(duplicateJSONKey(k))
			return
		}
		m.at[k] = v
	}
}

func (f *jsonObjectAgg) result(a *acc) value.Value {
	m := a.ext.(*jsonMembers)
	keys := make([]string, 0, len(m.at))
	for k := range m.at {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return javaLess(keys[i], keys[j]) })
	var b strings.Builder
	b.WriteByte('{')
	for i, k := range keys {
		if i > 0 {
			b.WriteByte(',')
		}
		writeJSONText(&b, k)
		b.WriteByte(':')
		writeJSONRaw(&b, m.at[k])
	}
	b.WriteByte('}')
	return value.String(b.String())
}

// javaLess orders texts as Java's String.compareTo, by UTF-16 units.
func javaLess(a, b string) bool {
	x, y := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return len(x) < len(y)
}

func writeJSONRaw(b *strings.Builder, text string) {
	if text == "" {
		text = "null"
	}
	b.WriteString(text)
}

// writeJSONText quotes as Jackson does: only what JSON demands, upper-case hex digits.
func writeJSONText(b *strings.Builder, s string) {
	const hex = "0123456789ABCDEF"
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\b':
			b.WriteString(`\b`)
		case '\t':
			b.WriteString(`\t`)
		case '\n':
			b.WriteString(`\n`)
		case '\f':
			b.WriteString(`\f`)
		case '\r':
			b.WriteString(`\r`)
		default:
			if c < ' ' {
				b.WriteString(`\u00`)
				b.WriteByte(hex[c>>4])
				b.WriteByte(hex[c&15])
				continue
			}
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
}

// jsonArrayAgg is JSON_ARRAYAGG over JSON texts, in arrival order.
type jsonArrayAgg struct {
	arg       int
	skipNulls bool
}

func (f *jsonArrayAgg) init(a *acc) { a.ext = &textList{} }

func (f *jsonArrayAgg) item(row value.Row) (string, bool) {
	v := row[f.arg]
	if v.IsNull() {
		return "null", !f.skipNulls
	}
	return v.Str(), true
}

func (f *jsonArrayAgg) add(a *acc, row value.Row) {
	if s, ok := f.item(row); ok {
		a.ext.(*textList).add(strings.Clone(s), struct{}{})
	}
}

func (f *jsonArrayAgg) retract(a *acc, row value.Row) {
	if v := row[f.arg]; v.IsNull() {
		a.ext.(*textList).remove("null")
	} else {
		a.ext.(*textList).remove(v.Str())
	}
}

func (f *jsonArrayAgg) merge(a, b *acc) {
	b.ext.(*textList).all(a.ext.(*textList).add)
}

func (f *jsonArrayAgg) result(a *acc) value.Value {
	l := a.ext.(*textList)
	var b strings.Builder
	b.WriteByte('[')
	l.all(func(t string, _ struct{}) {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		writeJSONRaw(&b, t)
	})
	b.WriteByte(']')
	return value.String(b.String())
}
