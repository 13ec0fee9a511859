package value

import (
	"encoding/binary"
	"math"
)

// AppendKey appends the encoding of v, of type t, to dst. Two values get the same
// bytes exactly when Flink takes them for the same group key: -0.0 and 0.0 are two
// keys, every NaN is one key, NULL is a key of its own. No encoding is a prefix of
// another of the same type, so that the columns of a key may be appended one after
// another. The order of the bytes means nothing.
func AppendKey(dst []byte, t Type, v Value) []byte {
	if !v.set {
		return append(dst, 0)
	}
	dst = append(dst, 1)
	switch t.Kind {
	case KindBoolean, KindTinyInt:
		return append(dst, byte(v.n))
	case KindInt, KindDate, KindTime, KindSmallInt:
		return binary.LittleEndian.AppendUint32(dst, uint32(v.n))
	case KindDouble:
		n := uint64(v.n)
		if f := v.Double(); f != f {
			n = math.Float64bits(math.NaN())
		}
		return binary.LittleEndian.AppendUint64(dst, n)
	case KindFloat:
		n := uint32(v.n)
		if f := v.Float(); f != f {
			n = 0x7fc00000
		}
		return binary.LittleEndian.AppendUint32(dst, n)
	case KindChar, KindVarchar, KindBinary, KindVarbinary:
		dst = binary.AppendUvarint(dst, uint64(len(v.s)))
		return append(dst, v.s...)
	case KindDecimal:
		dst = binary.LittleEndian.AppendUint64(dst, uint64(v.n))
		if t.Precision > 18 {
			dst = binary.LittleEndian.AppendUint64(dst, uint64(v.hi))
		}
		return dst
	case KindTimestamp, KindTimestampLTZ:
		dst = binary.LittleEndian.AppendUint64(dst, uint64(v.n))
		if t.Precision > 3 {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(v.hi))
		}
		return dst
	case KindArray, KindMap, KindMultiset, KindRow:
		return appendCompositeKey(dst, t, v.c)
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(v.n))
}

func appendCompositeKey(dst []byte, t Type, c *Composite) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(c.Elems)))
	for i, e := range c.Elems {
		switch t.Kind {
		case KindRow:
			dst = AppendKey(dst, t.Fields[i].Type, e)
		case KindMap:
			dst = AppendKey(AppendKey(dst, *t.Key, c.Keys[i]), *t.Elem, e)
		case KindMultiset:
			dst = AppendKey(AppendKey(dst, *t.Elem, c.Keys[i]), TInt, e)
		default:
			dst = AppendKey(dst, *t.Elem, e)
		}
	}
	return dst
}
