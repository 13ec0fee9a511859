package stream

import (
	"cmp"
	"strings"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// compareValues orders two values that are not NULL as Flink's generated comparators
// do: texts by their bytes, FALSE before TRUE, doubles as Java's Double.compare (-0.0
// before 0.0, NaN last).
func compareValues(t *value.Type, a, b value.Value) int {
	switch t.Kind {
	case value.KindChar, value.KindVarchar, value.KindBinary, value.KindVarbinary:
		return strings.Compare(a.Str(), b.Str())
	case value.KindDouble:
		return compareFloat(a.Double(), b.Double())
	case value.KindFloat:
		return compareFloat(float64(a.Float()), float64(b.Float()))
	case value.KindDecimal:
		ah, al := a.Decimal128()
		bh, bl := b.Decimal128()
		return cmp.Or(cmp.Compare(ah, bh), cmp.Compare(al, bl))
	case value.KindTimestamp, value.KindTimestampLTZ:
		return cmp.Or(cmp.Compare(a.Millis(), b.Millis()), cmp.Compare(a.NanoOfMilli(), b.NanoOfMilli()))
	case value.KindArray:
		return compareLists(a.Composite().Elems, b.Composite().Elems, func(int) *value.Type { return t.Elem })
	case value.KindRow:
		return compareLists(a.Composite().Elems, b.Composite().Elems, func(i int) *value.Type { return &t.Fields[i].Type })
	}
	return cmp.Compare(a.Int(), b.Int())
}

// compareLists orders ARRAY and ROW values element by element, NULL first, then by length.
func compareLists(a, b []value.Value, elem func(int) *value.Type) int {
	for i := range min(len(a), len(b)) {
		an, bn := a[i].IsNull(), b[i].IsNull()
		switch {
		case an && bn:
		case an:
			return -1
		case bn:
			return 1
		default:
			if c := compareValues(elem(i), a[i], b[i]); c != 0 {
				return c
			}
		}
	}
	return cmp.Compare(len(a), len(b))
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return cmp.Compare(javaOrderBits(a), javaOrderBits(b))
}

// javaOrderBits ranks the values that < and > do not tell apart.
func javaOrderBits(f float64) int {
	switch {
	case f != f:
		return 2
	case f == 0 && 1/f < 0:
		return 0
	}
	return 1
}

// rowComparator orders rows by sort keys.
type rowComparator struct {
	keys  []phys.SortKey
	types []value.Type
}

func newRowComparator(keys []phys.SortKey, schema []value.Field) *rowComparator {
	c := &rowComparator{keys: keys, types: make([]value.Type, len(keys))}
	for i, k := range keys {
		c.types[i] = schema[k.Column].Type
	}
	return c
}

// compare is negative when a comes first.
func (c *rowComparator) compare(a, b value.Row) int {
	for i, k := range c.keys {
		x, y := a[k.Column], b[k.Column]
		xn, yn := x.IsNull(), y.IsNull()
		if xn || yn {
			if xn == yn {
				continue
			}
			if xn == k.NullsLast {
				return 1
			}
			return -1
		}
		if r := compareValues(&c.types[i], x, y); r != 0 {
			if k.Desc {
				return -r
			}
			return r
		}
	}
	return 0
}

// equalResults is the test by which an aggregate decides that a result did not change.
// It follows Flink's generated equaliser: floating numbers by ==, so that NaN always
// differs and the zeros do not (agg.md 73), and two arrays with a NULL in one place are
// never equal (agg.md 13).
func equalResults(types []value.Type, a, b value.Row) bool {
	for i := range types {
		if !equalResult(&types[i], a[i], b[i]) {
			return false
		}
	}
	return true
}

func equalResult(t *value.Type, a, b value.Value) bool {
	if a.IsNull() || b.IsNull() {
		return a.IsNull() && b.IsNull()
	}
	switch t.Kind {
	case value.KindChar, value.KindVarchar, value.KindBinary, value.KindVarbinary:
		return a.Str() == b.Str()
	case value.KindDouble:
		return a.Double() == b.Double()
	case value.KindFloat:
		return a.Float() == b.Float()
	case value.KindArray:
		x, y := a.Composite().Elems, b.Composite().Elems
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if x[i].IsNull() || y[i].IsNull() || !equalResult(t.Elem, x[i], y[i]) {
				return false
			}
		}
		return true
	case value.KindRow:
		x, y := a.Composite().Elems, b.Composite().Elems
		for i := range x {
			if !equalResult(&t.Fields[i].Type, x[i], y[i]) {
				return false
			}
		}
		return true
	case value.KindMap, value.KindMultiset:
		return equalMaps(t, a.Composite(), b.Composite())
	}
	return compareValues(t, a, b) == 0
}

func equalMaps(t *value.Type, a, b *value.Composite) bool {
	if len(a.Keys) != len(b.Keys) {
		return false
	}
	keyType, elemType := t.Key, t.Elem
	if t.Kind == value.KindMultiset {
		keyType, elemType = t.Elem, &value.Type{Kind: value.KindInt}
	}
	at := make(map[string]value.Value, len(a.Keys))
	for i, k := range a.Keys {
		at[string(appendKeyValue(nil, keyType, k))] = a.Elems[i]
	}
	for i, k := range b.Keys {
		v, ok := at[string(appendKeyValue(nil, keyType, k))]
		if !ok || !equalResult(elemType, v, b.Elems[i]) {
			return false
		}
	}
	return true
}
