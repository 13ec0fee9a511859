package value

import (
	"cmp"
	"math"
	"strings"
)

// Compare orders a and b, of type t, as ORDER BY does: NULL first, FALSE before
// TRUE, strings and bytes by unsigned byte, -0.0 before 0.0, NaN last
// (facts seen in sorts of a batch plan). Arrays and rows compare element by element.
func Compare(t Type, a, b Value) int {
	if !a.set || !b.set {
		return cmp.Compare(b2i(a.set), b2i(b.set))
	}
	switch t.Kind {
	case KindDecimal:
		return Dec128{a.hi, uint64(a.n)}.Cmp(Dec128{b.hi, uint64(b.n)})
	case KindDouble:
		return compareFloat(a.Double(), b.Double())
	case KindFloat:
		return compareFloat(float64(a.Float()), float64(b.Float()))
	case KindChar, KindVarchar, KindBinary, KindVarbinary:
		return strings.Compare(a.s, b.s)
	case KindTimestamp, KindTimestampLTZ:
		if c := cmp.Compare(a.n, b.n); c != 0 {
			return c
		}
		return cmp.Compare(a.hi, b.hi)
	case KindArray, KindRow:
		return compareElems(t, a.c.Elems, b.c.Elems)
	}
	return cmp.Compare(a.n, b.n)
}

func compareElems(t Type, a, b []Value) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		et := t.Elem
		if t.Kind == KindRow {
			et = &t.Fields[i].Type
		}
		if c := Compare(*et, a[i], b[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// compareFloat is Java's Double.compare.
func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return cmp.Compare(floatOrder(a), floatOrder(b))
}

// floatOrder tells apart what < and > do not: -0.0, 0.0 (and every other number), NaN.
func floatOrder(f float64) int {
	switch {
	case f != f:
		return 2
	case f == 0 && math.Signbit(f):
		return 0
	}
	return 1
}

// Less is the SQL operator a < b for values that are not NULL, by which MIN and MAX
// replace their value: with NaN it is false, and -0.0 is not below 0.0.
func Less(t Type, a, b Value) bool {
	switch t.Kind {
	case KindDouble:
		return a.Double() < b.Double()
	case KindFloat:
		return a.Float() < b.Float()
	}
	return Compare(t, a, b) < 0
}

// Equal is Flink's record equaliser, by which an aggregate finds its result
// unchanged: two NULLs are equal, NaN differs from itself, -0.0 equals 0.0, and
// arrays, maps and multisets that hold a NULL are never equal.
func Equal(t Type, a, b Value) bool {
	if !a.set || !b.set {
		return a.set == b.set
	}
	switch t.Kind {
	case KindDouble:
		return a.Double() == b.Double()
	case KindFloat:
		return a.Float() == b.Float()
	case KindChar, KindVarchar, KindBinary, KindVarbinary:
		return a.s == b.s
	case KindDecimal, KindTimestamp, KindTimestampLTZ:
		return a.n == b.n && a.hi == b.hi
	case KindRow:
		for i, f := range t.Fields {
			if !Equal(f.Type, a.c.Elems[i], b.c.Elems[i]) {
				return false
			}
		}
		return true
	case KindArray:
		return equalArrays(*t.Elem, a.c.Elems, b.c.Elems)
	case KindMap:
		return equalMaps(*t.Key, *t.Elem, a.c, b.c)
	case KindMultiset:
		return equalMaps(*t.Elem, TInt, a.c, b.c)
	}
	return a.n == b.n
}

func equalArrays(t Type, a, b []Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].set || !b[i].set || !Equal(t, a[i], b[i]) {
			return false
		}
	}
	return true
}

func equalMaps(kt, vt Type, a, b *Composite) bool {
	if len(a.Keys) != len(b.Keys) {
		return false
	}
	for i, k := range a.Keys {
		found := false
		for j, l := range b.Keys {
			if Compare(kt, k, l) == 0 {
				found = a.Elems[i].set && b.Elems[j].set && Equal(vt, a.Elems[i], b.Elems[j])
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
