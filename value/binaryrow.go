package value

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// RowHash is the hashCode of Flink's binary form of a row, by which heap state (joins)
// and mini-batch bundles are ordered. It keeps a buffer between calls; the zero value
// is ready to use. It is not safe for concurrent use.
type RowHash struct{ buf []byte }

// Hash returns the hash of the values under their types, with row kind +I.
func (h *RowHash) Hash(types []Type, row Row) int32 {
	h.buf = appendBinaryRow(h.buf[:0], len(types), func(i int) (*Type, Value) { return &types[i], row[i] })
	return murmurWords(h.buf)
}

// HashColumns is Hash of the row of the given columns alone.
func (h *RowHash) HashColumns(types []Type, row Row, columns []int) int32 {
	h.buf = appendBinaryRow(h.buf[:0], len(columns), func(i int) (*Type, Value) { return &types[columns[i]], row[columns[i]] })
	return murmurWords(h.buf)
}

// Size is the number of bytes of the row's binary form.
func (h *RowHash) Size(types []Type, row Row) int {
	h.buf = appendBinaryRow(h.buf[:0], len(types), func(i int) (*Type, Value) { return &types[i], row[i] })
	return len(h.buf)
}

const (
	murmurC1   = 0xcc9e2d51
	murmurC2   = 0x1b873593
	murmurSeed = 42
)

func murmurMix(h, k uint32) uint32 {
	k *= murmurC1
	k = bits.RotateLeft32(k, 15)
	k *= murmurC2
	h ^= k
	h = bits.RotateLeft32(h, 13)
	return h*5 + 0xe6546b64
}

func murmurFinish(h uint32, n int) int32 {
	h ^= uint32(n)
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	h ^= h >> 16
	return int32(h)
}

// murmurWords hashes bytes whose number is a multiple of four.
func murmurWords(b []byte) int32 {
	h := uint32(murmurSeed)
	for i := 0; i+4 <= len(b); i += 4 {
		h = murmurMix(h, binary.LittleEndian.Uint32(b[i:]))
	}
	return murmurFinish(h, len(b))
}

// murmurBytes hashes a string: bytes left over after the last word are mixed one by
// one, each sign-extended as a word of its own.
func murmurBytes(s string) int32 {
	h := uint32(murmurSeed)
	i := 0
	for ; i+4 <= len(s); i += 4 {
		h = murmurMix(h, uint32(s[i])|uint32(s[i+1])<<8|uint32(s[i+2])<<16|uint32(s[i+3])<<24)
	}
	for ; i < len(s); i++ {
		h = murmurMix(h, uint32(int32(int8(s[i]))))
	}
	return murmurFinish(h, len(s))
}

// appendBinaryRow appends the image of a row: a byte of row kind, null bits, eight
// bytes a field, then the parts of variable length in multiples of eight bytes.
func appendBinaryRow(dst []byte, n int, field func(int) (*Type, Value)) []byte {
	base := len(dst)
	nullBytes := (n + 63 + 8) / 64 * 8
	for i := 0; i < nullBytes+8*n; i++ {
		dst = append(dst, 0)
	}
	for i := 0; i < n; i++ {
		t, v := field(i)
		if !v.set {
			dst[base+(i+8)/8] |= 1 << ((i + 8) % 8)
		}
		dst = putBinary(dst, base, base+nullBytes+8*i, t, v)
	}
	return dst
}

// putBinary writes a field into its slot of at most eight bytes at the given place;
// offsets of the variable part count from base.
func putBinary(dst []byte, base, at int, t *Type, v Value) []byte {
	le := binary.LittleEndian
	switch t.Kind {
	case KindDecimal:
		if t.Precision > 18 {
			// Room of 16 bytes is kept even for NULL.
			cursor := len(dst) - base
			dst = append(dst, make([]byte, 16)...)
			n := 0
			if v.set {
				n = putUnscaled(dst[base+cursor:], v.Dec())
			}
			le.PutUint64(dst[at:], uint64(cursor)<<32|uint64(n))
			return dst
		}
	case KindTimestamp, KindTimestampLTZ:
		if t.Precision > 3 {
			cursor := len(dst) - base
			dst = le.AppendUint64(dst, uint64(v.n))
			le.PutUint64(dst[at:], uint64(cursor)<<32|uint64(v.hi))
			return dst
		}
	}
	if !v.set {
		return dst
	}
	switch t.Kind {
	case KindBoolean, KindTinyInt:
		dst[at] = byte(v.n)
	case KindSmallInt:
		le.PutUint16(dst[at:], uint16(v.n))
	case KindInt, KindDate, KindTime, KindFloat, KindIntervalYearMonth:
		le.PutUint32(dst[at:], uint32(v.n))
	case KindChar, KindVarchar, KindBinary, KindVarbinary:
		if len(v.s) <= 7 {
			copy(dst[at:], v.s)
			dst[at+7] = 0x80 | byte(len(v.s))
			return dst
		}
		return putVariable(dst, base, at, func(d []byte) []byte { return append(d, v.s...) })
	case KindRow:
		return putVariable(dst, base, at, func(d []byte) []byte {
			return appendBinaryRow(d, len(t.Fields), func(i int) (*Type, Value) { return &t.Fields[i].Type, v.c.Elems[i] })
		})
	case KindArray:
		return putVariable(dst, base, at, func(d []byte) []byte { return appendBinaryArray(d, t.Elem, v.c.Elems) })
	case KindMap, KindMultiset:
		kt, vt := t.Key, t.Elem
		if t.Kind == KindMultiset {
			count := TInt
			kt, vt = t.Elem, &count
		}
		return putVariable(dst, base, at, func(d []byte) []byte {
			start := len(d)
			d = append(d, 0, 0, 0, 0)
			d = appendBinaryArray(d, kt, v.c.Keys)
			le.PutUint32(d[start:], uint32(len(d)-start-4))
			return appendBinaryArray(d, vt, v.c.Elems)
		})
	default:
		le.PutUint64(dst[at:], uint64(v.n))
	}
	return dst
}

func putVariable(dst []byte, base, at int, write func([]byte) []byte) []byte {
	cursor := len(dst) - base
	dst = write(dst)
	n := len(dst) - base - cursor
	for (len(dst)-base)%8 != 0 {
		dst = append(dst, 0)
	}
	binary.LittleEndian.PutUint64(dst[at:], uint64(cursor)<<32|uint64(n))
	return dst
}

// putUnscaled writes the shortest big-endian two's complement, as BigInteger.toByteArray.
func putUnscaled(dst []byte, d Dec128) int {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], uint64(d.Hi))
	binary.BigEndian.PutUint64(b[8:], d.Lo)
	i := 0
	for i < 15 && (b[i] == 0 && b[i+1] < 0x80 || b[i] == 0xff && b[i+1] >= 0x80) {
		i++
	}
	return copy(dst, b[i:])
}

// binaryWidth is the size of an element in a binary array.
func binaryWidth(t *Type) int {
	switch t.Kind {
	case KindBoolean, KindTinyInt:
		return 1
	case KindSmallInt:
		return 2
	case KindInt, KindDate, KindTime, KindFloat, KindIntervalYearMonth:
		return 4
	}
	return 8
}

// appendBinaryArray appends the image of an array: the number of elements, null
// bits in words of four bytes, elements at their own width, the variable part.
func appendBinaryArray(dst []byte, t *Type, elems []Value) []byte {
	base, w := len(dst), binaryWidth(t)
	head := 4 + (len(elems)+31)/32*4
	size := (head + w*len(elems) + 7) / 8 * 8
	for i := 0; i < size; i++ {
		dst = append(dst, 0)
	}
	binary.LittleEndian.PutUint32(dst[base:], uint32(len(elems)))
	for i, e := range elems {
		if !e.set {
			dst[base+4+i/8] |= 1 << (i % 8)
		}
		dst = putBinary(dst, base, base+head+w*i, t, e)
	}
	return dst
}

// JavaHash is the hashCode of the Java object in which Flink holds the value inside
// its own maps (MULTISET, MAP, the counts of DISTINCT). Composites are hashed as their binary form.
func JavaHash(t *Type, v Value) int32 {
	if !v.set {
		return 0
	}
	switch t.Kind {
	case KindBoolean:
		if v.n != 0 {
			return 1231
		}
		return 1237
	case KindTinyInt, KindSmallInt, KindInt, KindDate, KindTime, KindIntervalYearMonth:
		return int32(v.n)
	case KindFloat:
		if f := v.Float(); f != f {
			return 0x7fc00000
		}
		return int32(v.n)
	case KindDouble:
		n := v.n
		if f := v.Double(); f != f {
			n = int64(math.Float64bits(math.NaN())) &^ 1
		}
		return foldLong(n)
	case KindDecimal:
		return bigDecimalHash(v.Dec(), t.Scale)
	case KindChar, KindVarchar, KindBinary, KindVarbinary:
		return murmurBytes(v.s)
	case KindTimestamp, KindTimestampLTZ:
		return 31*(int32(v.n)^int32(v.n>>32)) + int32(v.hi)
	case KindRow:
		return murmurWords(appendBinaryRow(nil, len(t.Fields), func(i int) (*Type, Value) { return &t.Fields[i].Type, v.c.Elems[i] }))
	case KindArray:
		b := appendBinaryArray(nil, t.Elem, v.c.Elems)
		return murmurWords(b)
	}
	return foldLong(v.n)
}

func foldLong(n int64) int32 { return int32(n ^ int64(uint64(n)>>32)) }

// bigDecimalHash is java.math.BigDecimal.hashCode.
func bigDecimalHash(d Dec128, scale int) int32 {
	m := d.Abs()
	var h int32
	for _, w := range [4]uint32{uint32(uint64(m.Hi) >> 32), uint32(m.Hi), uint32(m.Lo >> 32), uint32(m.Lo)} {
		h = 31*h + int32(w)
	}
	if d.Hi < 0 {
		h = -h
	}
	return 31*h + int32(scale)
}

// BinaryRow is the binary form of a row with row kind +I, as Flink serializes it.
func BinaryRow(types []Type, row Row) []byte {
	return appendBinaryRow(nil, len(types), func(i int) (*Type, Value) { return &types[i], row[i] })
}
