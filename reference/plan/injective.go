package plan

import (
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// keySource tells which column an expression hands on without making two values equal: the
// column itself, or an injective cast of it.
func keySource(e rex.Expr) (int, bool) {
	if c, ok := e.(*rex.Call); ok && c.Op == rex.Cast && injectiveCast(c.Args[0].Type(), c.T) {
		e = c.Args[0]
	}
	r, ok := e.(*rex.InputRef)
	if !ok {
		return 0, false
	}
	return r.Index, true
}

// injectiveCast is LogicalTypeCasts.supportsInjectiveCast: different values stay different.
func injectiveCast(from, to value.Type) bool {
	switch to.Kind {
	case value.KindChar, value.KindVarchar:
		switch from.Kind {
		case value.KindChar:
			return to.Length >= from.Length
		case value.KindVarchar:
			return to.Kind == value.KindVarchar && to.Length >= from.Length
		}
		n, ok := longestText(from)
		return ok && to.Length >= n
	case value.KindBinary, value.KindVarbinary:
		switch from.Kind {
		case value.KindBinary:
			return to.Length >= from.Length
		case value.KindVarbinary:
			return to.Kind == value.KindVarbinary && to.Length >= from.Length
		case value.KindChar, value.KindVarchar:
			return to.Length == value.MaxLength || from.Length != value.MaxLength && to.Length >= 4*from.Length
		}
		return false
	case value.KindSmallInt:
		return from.Kind == value.KindTinyInt || from.Kind == to.Kind
	case value.KindInt:
		return from.Kind == value.KindTinyInt || from.Kind == value.KindSmallInt || from.Kind == to.Kind
	case value.KindBigInt:
		return from.IsInteger()
	case value.KindDecimal:
		return from.Kind == to.Kind && from.Precision == to.Precision && from.Scale == to.Scale
	case value.KindTime:
		return from.Kind == to.Kind && from.Precision == to.Precision
	case value.KindTimestamp, value.KindTimestampLTZ:
		return (from.Kind == value.KindTimestamp || from.Kind == value.KindTimestampLTZ) && from.Precision == to.Precision
	case value.KindTinyInt, value.KindFloat, value.KindDouble, value.KindBoolean, value.KindDate:
		return from.Kind == to.Kind
	}
	return false
}

// longestText is the length of the longest text of a type's values.
func longestText(t value.Type) (int, bool) {
	switch t.Kind {
	case value.KindBoolean:
		return 5, true
	case value.KindTinyInt:
		return 4, true
	case value.KindSmallInt:
		return 6, true
	case value.KindInt:
		return 11, true
	case value.KindBigInt:
		return 20, true
	case value.KindFloat:
		return 15, true
	case value.KindDouble:
		return 24, true
	case value.KindDate:
		return 10, true
	case value.KindTime:
		return withFraction(8, t.Precision), true
	case value.KindTimestamp, value.KindTimestampLTZ:
		return withFraction(19, t.Precision), true
	}
	return 0, false
}

func withFraction(n, digits int) int {
	if digits > 0 {
		return n + 1 + digits
	}
	return n
}
