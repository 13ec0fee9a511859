package value

import (
	"math/bits"
	"unicode/utf8"
)

// externalOrder is the order of the entries of a MAP that leaves Flink: there it becomes a
// java.util.HashMap of Java objects, whose order in general is another one than that of the keys inside.
func externalOrder(t *Type, keys []Value) []int {
	order := make([]int, 0, len(keys))
	if len(keys) < 2 {
		for i := range keys {
			order = append(order, i)
		}
		return order
	}
	var m JavaMap[int]
	var buf []byte
	for i, k := range keys {
		buf = AppendKey(buf[:0], *t, k)
		p, _ := m.Put(buf, externalHash(t, k))
		*p = i
	}
	for _, i := range m.All() {
		order = append(order, *i)
	}
	return order
}

// HasExternalOrder reports whether the order of the entries in every MAP and MULTISET of the
// type is determined once it leaves Flink. It is not for keys of arrays and bytes, which Java
// hashes by their address; rows and maps as keys are not followed.
func HasExternalOrder(t *Type) bool {
	ok := true
	switch t.Kind {
	case KindMap, KindMultiset:
		key := t.Key
		if t.Kind == KindMultiset {
			key = t.Elem
		}
		switch key.Kind {
		case KindArray, KindBinary, KindVarbinary, KindRow, KindMap, KindMultiset:
			return false
		}
		if t.Kind == KindMap {
			ok = HasExternalOrder(t.Elem)
		}
	case KindArray:
		ok = HasExternalOrder(t.Elem)
	case KindRow:
		for i := range t.Fields {
			ok = ok && HasExternalOrder(&t.Fields[i].Type)
		}
	}
	return ok
}

// externalHash is the hashCode of the Java object that stands for the value outside of Flink:
// String, LocalDate, LocalDateTime, Instant and so on.
func externalHash(t *Type, v Value) int32 {
	if !v.set {
		return 0
	}
	switch t.Kind {
	case KindChar, KindVarchar:
		return stringHash(v.s)
	case KindDate:
		return localDateHash(v.n)
	case KindTime:
		return foldLong(v.n * 1e6)
	case KindTimestamp:
		days, ofDay := SplitMillis(v.n)
		return localDateHash(days) ^ foldLong(ofDay*1e6+v.hi)
	case KindTimestampLTZ:
		return durationHash(v.n, v.hi)
	case KindIntervalDayTime:
		return durationHash(v.n, 0)
	case KindIntervalYearMonth:
		return int32(v.n/12) + int32(bits.RotateLeft32(uint32(v.n%12), 8))
	}
	return JavaHash(t, v)
}

// stringHash is String.hashCode: over UTF-16 units.
func stringHash(s string) int32 {
	var h int32
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		if r > 0xffff {
			r -= 0x10000
			h = 31*h + (0xd800 + r>>10)
			r = 0xdc00 + r&0x3ff
		}
		h = 31*h + r
	}
	return h
}

func localDateHash(days int64) int32 {
	y, m, d := CivilOf(days)
	return int32(y)&^0x7ff ^ (int32(y)<<11 + int32(m)<<6 + int32(d))
}

// durationHash is the hashCode of Instant and Duration, of milliseconds and nanoseconds.
func durationHash(millis, nanos int64) int32 {
	secs := millis / 1000
	ms := millis % 1000
	if ms < 0 {
		secs, ms = secs-1, ms+1000
	}
	return foldLong(secs) + 51*int32(ms*1e6+nanos)
}
