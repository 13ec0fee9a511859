package stream

import (
	"encoding/binary"
	"math"
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

// hasNull reports whether a key column is NULL.
func (e *keyEncoder) hasNull(row value.Row) bool {
	for _, c := range e.cols {
		if row[c].IsNull() {
			return true
		}
	}
	return false
}

// project copies the key columns of row to dst.
func (e *keyEncoder) project(dst, row value.Row) {
	for i, c := range e.cols {
		dst[i] = row[c]
	}
}

func appendKeyValue(dst []byte, t *value.Type, v value.Value) []byte {
	if v.IsNull() {
		return append(dst, 0)
	}
	dst = append(dst, 1)
	switch t.Kind {
	case value.KindChar, value.KindVarchar, value.KindBinary, value.KindVarbinary:
		s := v.Str()
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		return append(dst, s...)
	case value.KindDouble:
		f := v.Double()
		if f != f {
			f = math.NaN()
		}
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(f))
	case value.KindFloat:
		f := v.Float()
		if f != f {
			f = float32(math.NaN())
		}
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(f))
	case value.KindDecimal:
		hi, lo := v.Decimal128()
		dst = binary.LittleEndian.AppendUint64(dst, lo)
		return binary.LittleEndian.AppendUint64(dst, uint64(hi))
	case value.KindTimestamp, value.KindTimestampLTZ:
		dst = binary.LittleEndian.AppendUint64(dst, uint64(v.Millis()))
		return binary.LittleEndian.AppendUint32(dst, uint32(v.NanoOfMilli()))
	case value.KindBoolean:
		if v.Bool() {
			return append(dst, 1)
		}
		return append(dst, 0)
	case value.KindArray, value.KindMultiset, value.KindMap, value.KindRow:
		return appendKeyComposite(dst, t, v.Composite())
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(v.Int()))
}

func appendKeyComposite(dst []byte, t *value.Type, c *value.Composite) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(c.Elems)))
	intType := value.Type{Kind: value.KindInt}
	for i, e := range c.Elems {
		switch t.Kind {
		case value.KindRow:
			dst = appendKeyValue(dst, &t.Fields[i].Type, e)
		case value.KindMap:
			dst = appendKeyValue(dst, t.Key, c.Keys[i])
			dst = appendKeyValue(dst, t.Elem, e)
		case value.KindMultiset:
			dst = appendKeyValue(dst, t.Elem, c.Keys[i])
			dst = appendKeyValue(dst, &intType, e)
		default:
			dst = appendKeyValue(dst, t.Elem, e)
		}
	}
	return dst
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
