package fn

import (
	"strings"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// family is Calcite's SqlTypeFamily: what a type is called in function signatures.
func family(t value.Type) string {
	switch t.Kind {
	case value.KindNull:
		return "NULL"
	case value.KindBoolean:
		return "BOOLEAN"
	case value.KindTinyInt, value.KindSmallInt, value.KindInt, value.KindBigInt, value.KindDecimal,
		value.KindFloat, value.KindDouble:
		return "NUMERIC"
	case value.KindChar, value.KindVarchar:
		return "CHARACTER"
	case value.KindBinary, value.KindVarbinary:
		return "BINARY"
	case value.KindDate:
		return "DATE"
	case value.KindTime:
		return "TIME"
	case value.KindTimestamp, value.KindTimestampLTZ:
		return "TIMESTAMP"
	case value.KindIntervalYearMonth:
		return "INTERVAL_YEAR_MONTH"
	case value.KindIntervalDayTime:
		return "INTERVAL_DAY_TIME"
	case value.KindDescriptor:
		return "COLUMN_LIST"
	}
	return t.Calcite()
}

// leastRestrictive is the type that values of all the types can be taken for, as
// Calcite finds it for CASE, set operations and "="; false when there is none.
// A bare NULL fits every type and makes the result nullable.
func leastRestrictive(types []value.Type) (value.Type, bool) {
	var res value.Type
	found, nullable, same := false, false, true
	for _, t := range types {
		nullable = nullable || t.Nullable
		if t.Kind == value.KindNull {
			nullable = true
			continue
		}
		if !found {
			res, found = t, true
			continue
		}
		if t.EqualIgnoreNull(res) && t.Time == res.Time {
			continue
		}
		same = false
		var ok bool
		if res, ok = wider(res, t); !ok {
			return value.Type{}, false
		}
	}
	if !same {
		res = res.WithoutTime()
	}
	return res.WithNullable(nullable), found
}

// wider merges two different types.
func wider(a, b value.Type) (value.Type, bool) {
	if a.EqualIgnoreNull(b) {
		return a, true
	}
	switch {
	case a.IsNumeric() && b.IsNumeric():
		return widerNumeric(a, b), true
	case a.IsCharacter() && b.IsCharacter():
		return widerString(a, b, value.KindChar, value.KindVarchar), true
	case a.IsBinary() && b.IsBinary():
		return widerString(a, b, value.KindBinary, value.KindVarbinary), true
	case a.IsTimestamp() && b.IsTimestamp():
		// One family in Calcite: the first decides between TIMESTAMP and TIMESTAMP_LTZ.
		if a.Kind == b.Kind {
			a.Precision = max(a.Precision, b.Precision)
		}
		return a, true
	case a.Kind == value.KindTime && b.Kind == value.KindTime:
		a.Precision = max(a.Precision, b.Precision)
		return a, true
	case a.IsInterval() && a.Kind == b.Kind:
		return widerInterval(a, b), true
	case a.Kind == b.Kind && (a.Kind == value.KindArray || a.Kind == value.KindMultiset):
		e, ok := leastRestrictive([]value.Type{*a.Elem, *b.Elem})
		a.Elem = &e
		return a, ok
	case a.Kind == value.KindMap && b.Kind == value.KindMap:
		k, ok1 := leastRestrictive([]value.Type{*a.Key, *b.Key})
		e, ok2 := leastRestrictive([]value.Type{*a.Elem, *b.Elem})
		a.Key, a.Elem = &k, &e
		return a, ok1 && ok2
	case a.Kind == value.KindRow && b.Kind == value.KindRow && len(a.Fields) == len(b.Fields):
		fields := make([]value.Field, len(a.Fields))
		for i, f := range a.Fields {
			t, ok := leastRestrictive([]value.Type{f.Type, b.Fields[i].Type})
			if !ok {
				return value.Type{}, false
			}
			fields[i] = value.Field{Name: f.Name, Type: t}
		}
		a.Fields = fields
		return a, true
	}
	return value.Type{}, false
}

func widerNumeric(a, b value.Type) value.Type {
	switch {
	case a.IsApprox() && b.IsApprox():
		// Calcite gives FLOAT and DOUBLE the same precision, so the first one wins.
		return a
	case a.IsApprox():
		if b.Kind == value.KindDecimal {
			return value.TDouble
		}
		return a
	case b.IsApprox():
		if a.Kind == value.KindDecimal {
			return value.TDouble
		}
		return b
	case a.IsInteger() && b.IsInteger():
		if b.Kind > a.Kind {
			return b
		}
		return a
	}
	a, b = exactDecimal(a), exactDecimal(b)
	whole := min(max(a.Precision-a.Scale, b.Precision-b.Scale), value.MaxDecimalPrecision)
	scale := min(max(a.Scale, b.Scale), value.MaxDecimalPrecision-whole)
	return value.DecimalType(whole+scale, scale)
}

// widerString: CHARs of different lengths become VARCHAR (Flink's type system asks for that).
func widerString(a, b value.Type, fixed, varying value.Kind) value.Type {
	res := a
	if a.Kind == varying || b.Kind == varying || a.Length != b.Length {
		res.Kind = varying
	} else {
		res.Kind = fixed
	}
	res.Length = max(a.Length, b.Length)
	return res
}

// intervalUnits orders the units of day-time and year-month intervals.
var intervalUnits = []string{"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"}

func unitRank(unit string) int {
	for i, u := range intervalUnits {
		if u == unit {
			return i
		}
	}
	return -1
}

// widerInterval spans both qualifiers: DAY and HOUR give DAY TO HOUR.
func widerInterval(a, b value.Type) value.Type {
	a1, a2 := intervalEnds(a.Unit)
	b1, b2 := intervalEnds(b.Unit)
	if unitRank(b1) < unitRank(a1) {
		a1 = b1
	}
	if unitRank(b2) > unitRank(a2) {
		a2 = b2
	}
	a.Unit = a1
	if a1 != a2 {
		a.Unit = a1 + " TO " + a2
	}
	a.Precision = max(a.Precision, b.Precision)
	a.Scale = max(a.Scale, b.Scale)
	return a
}

func intervalEnds(unit string) (from, to string) {
	from, to, ok := strings.Cut(unit, " TO ")
	if !ok {
		to = from
	}
	return from, to
}

func anyNullable(args []rex.Expr) bool {
	for _, a := range args {
		if a.Type().Nullable {
			return true
		}
	}
	return false
}

func typesOf(args []rex.Expr) []value.Type {
	ts := make([]value.Type, len(args))
	for i, a := range args {
		ts[i] = a.Type()
	}
	return ts
}

// exactDecimal is an exact number's type as a DECIMAL.
func exactDecimal(t value.Type) value.Type {
	if t.Kind == value.KindDecimal {
		return t
	}
	return value.DecimalOfInteger(t)
}
