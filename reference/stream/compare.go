package stream

import (
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

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
		if r := value.Compare(c.types[i], x, y); r != 0 {
			if k.Desc {
				return -r
			}
			return r
		}
	}
	return 0
}

// equalResults is the test by which an aggregate decides that a result did not change.
func equalResults(types []value.Type, a, b value.Row) bool {
	for i := range types {
		if t := &types[i]; t.Kind == value.KindBigInt || t.Kind == value.KindInt {
			if a[i].Int() != b[i].Int() || a[i].IsNull() != b[i].IsNull() {
				return false
			}
		} else if !value.Equal(*t, a[i], b[i]) {
			return false
		}
	}
	return true
}
