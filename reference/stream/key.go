package stream

import (
	"encoding/binary"
	"strings"

	"github.com/labgrade/labgrade/value"
)

// keyEncoder writes some columns of a row as bytes, so that two rows are in one group
// exactly when their bytes are equal. As in Flink's binary rows -0.0 and 0.0 are
// different keys, NaN is one, and NULL is a key like any other (agg.md 3, 73).
type keyEncoder struct {
	cols  []int
	types []value.Type
}

func newKeyEncoder(cols []int, schema []value.Field) *keyEncoder {
	e := &keyEncoder{cols: cols, types: make([]value.Type, len(cols))}
	for i, c := range cols {
		e.types[i] = schema[c].Type
	}
	return e
}

// wholeRow encodes all columns.
func wholeRow(schema []value.Field) *keyEncoder {
	cols := make([]int, len(schema))
	for i := range cols {
		cols[i] = i
	}
	return newKeyEncoder(cols, schema)
}

// append adds the key of row to dst.
func (e *keyEncoder) append(dst []byte, row value.Row) []byte {
	for i, c := range e.cols {
		dst = appendKeyValue(dst, &e.types[i], row[c])
	}
	return dst
}

// project copies the key columns of row to dst.
func (e *keyEncoder) project(dst, row value.Row) {
	for i, c := range e.cols {
		dst[i] = row[c]
	}
}

// appendKeyValue is value.AppendKey with the frequent types first: most keys are texts
// and integers, and passing a type by pointer spares the copy.
func appendKeyValue(dst []byte, t *value.Type, v value.Value) []byte {
	if v.IsNull() {
		return append(dst, 0)
	}
	switch t.Kind {
	case value.KindChar, value.KindVarchar:
		s := v.Str()
		dst = binary.AppendUvarint(append(dst, 1), uint64(len(s)))
		return append(dst, s...)
	case value.KindInt, value.KindBigInt:
		return binary.LittleEndian.AppendUint64(append(dst, 1), uint64(v.Int()))
	}
	return value.AppendKey(dst, *t, v)
}

// keepRow copies a borrowed row into state, texts included.
func keepRow(row value.Row) value.Row {
	out := make(value.Row, len(row))
	n := 0
	for _, v := range row {
		n += len(v.Str())
	}
	if n == 0 {
		copy(out, row)
		return out
	}
	var b strings.Builder
	b.Grow(n)
	for _, v := range row {
		b.WriteString(v.Str())
	}
	all := b.String()
	for i, v := range row {
		l := len(v.Str())
		out[i] = v.WithStr(all[:l])
		all = all[l:]
	}
	return out
}

// keepValue copies a borrowed value into state.
func keepValue(v value.Value) value.Value {
	if len(v.Str()) == 0 {
		return v
	}
	return v.WithStr(strings.Clone(v.Str()))
}
