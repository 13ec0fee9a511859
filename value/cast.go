package value

import (
	"strings"
	"time"
)

// CastError is a failure of a cast as Flink reports it: a Java class and a message.
type CastError struct {
	Class   string
	Message string
}

// Error is "class: message".
func (e *CastError) Error() string {
	if e.Message == "" {
		return e.Class
	}
	return e.Class + ": " + e.Message
}

// The Java classes of cast errors.
const (
	classNumberFormat  = "java.lang.NumberFormatException"
	classDateTime      = "java.time.DateTimeException"
	classDateTimeParse = "java.time.format.DateTimeParseException"
	classTable         = "org.apache.flink.table.api.TableException"
	classValidator     = "org.apache.calcite.sql.validate.SqlValidatorException"
)

// CastOptions are what a cast may depend on besides its types.
type CastOptions struct {
	// Zone is the session time zone; nil means UTC.
	Zone *time.Location
}

// CastFunc casts a value. NULL gives NULL. The error is a *CastError.
type CastFunc func(Value) (Value, error)

// Caster returns the function behind CAST(from AS to). The error is a *CastError with
// Flink's words for a pair of types that it refuses: those of the validator (see
// CanCast), or what comes up later, when code is generated.
func Caster(from, to Type, opt CastOptions) (CastFunc, error) {
	if !CanCast(from, to) {
		return nil, &CastError{classValidator, "Cast function cannot convert value of type " +
			from.Calcite() + " to type " + to.Calcite()}
	}
	if err := checkGenerated(from, to); err != nil {
		return nil, err
	}
	f, err := caster(from, to, opt)
	if err != nil {
		return nil, err
	}
	return func(v Value) (Value, error) {
		if !v.set {
			return Null, nil
		}
		return f(v)
	}, nil
}

// TryCaster returns the function behind TRY_CAST: what CAST fails on is NULL.
func TryCaster(from, to Type, opt CastOptions) (func(Value) Value, error) {
	f, err := Caster(from, to, opt)
	if err != nil {
		return nil, err
	}
	return func(v Value) Value {
		r, err := f(v)
		if err != nil {
			return Null
		}
		return r
	}, nil
}

func identity(v Value) (Value, error) { return v, nil }

// caster makes the cast of values that are not NULL.
func caster(from, to Type, opt CastOptions) (CastFunc, error) {
	if from.Kind == KindNull || from.EqualIgnoreNull(to) && !to.IsComposite() {
		return identity, nil
	}
	switch {
	case to.IsCharacter():
		return toStringCaster(from, to, opt), nil
	case to.Kind == KindBoolean:
		return toBooleanCaster(from), nil
	case to.IsInteger():
		return toIntegerCaster(from, to), nil
	case to.Kind == KindDecimal:
		return toDecimalCaster(from, to), nil
	case to.IsApprox():
		return toApproxCaster(from, to), nil
	case to.IsBinary():
		return toBinaryCaster(from, to), nil
	case to.IsDatetime():
		return toDatetimeCaster(from, to, opt), nil
	case to.IsInterval():
		return toIntervalCaster(from, to), nil
	case to.IsComposite():
		return toCompositeCaster(from, to, opt)
	}
	return identity, nil
}

// CanCast reports whether Flink's validator accepts CAST(from AS to). Some casts that it
// accepts are refused later, by Caster.
func CanCast(from, to Type) bool {
	if from.Kind == KindNull {
		return true
	}
	switch {
	case to.IsCharacter():
		return from.Kind != KindSymbol && from.Kind != KindDescriptor
	case to.Kind == KindBoolean:
		return from.Kind == KindBoolean || from.IsCharacter() || from.IsNumeric()
	case to.IsNumeric():
		return from.IsNumeric() || from.IsCharacter() || from.Kind == KindBoolean || from.IsTimestamp()
	case to.IsBinary():
		return from.IsBinary() || from.IsCharacter()
	case to.Kind == KindDate:
		return from.IsCharacter() || from.IsBinary() || from.Kind == KindDate || from.IsTimestamp()
	case to.Kind == KindTime:
		return from.IsCharacter() || from.IsBinary() || from.Kind == KindTime || from.IsTimestamp()
	case to.IsTimestamp():
		return from.IsCharacter() || from.IsBinary() || from.IsDatetime() || from.IsNumeric()
	case to.IsInterval():
		return from.Kind == to.Kind || from.IsCharacter() ||
			(from.IsInteger() || from.Kind == KindDecimal) && !strings.Contains(to.Unit, " TO ")
	case to.Kind == KindArray && from.IsCharacter():
		return true
	}
	return canCastComposite(from, to)
}

const (
	classValidation = "org.apache.flink.table.api.ValidationException"
	classCodeGen    = "org.apache.flink.table.planner.codegen.CodeGenException"
)

// checkGenerated refuses the casts that only fail when Flink generates code.
func checkGenerated(from, to Type) error {
	if !hasCastRule(from, to) {
		return &CastError{classCodeGen, "Unsupported cast from '" + runtimeType(from) + "' to '" + runtimeType(to) + "'."}
	}
	switch {
	case from.IsNumeric() && to.Kind == KindTimestamp:
		return &CastError{classValidation, "The cast from NUMERIC type to TIMESTAMP type is not allowed. It's recommended to use TO_TIMESTAMP(FROM_UNIXTIME(numeric_col)) instead, note the numeric is in seconds."}
	case from.IsNumeric() && to.Kind == KindTimestampLTZ:
		return &CastError{classValidation, "The cast from NUMERIC type to TIMESTAMP_LTZ type is not allowed. It's recommended to use TO_TIMESTAMP_LTZ(numeric_col, precision) instead."}
	case from.Kind == KindTimestamp && to.IsNumeric():
		return &CastError{classValidation, "The cast from TIMESTAMP type to NUMERIC type is not allowed. It's recommended to use UNIX_TIMESTAMP(CAST(timestamp_col AS STRING)) instead."}
	case from.Kind == KindTimestampLTZ && to.IsNumeric():
		return &CastError{classValidation, "The cast from TIMESTAMP_LTZ type to NUMERIC type is not allowed."}
	}
	return nil
}

// hasCastRule is false for what the validator accepts and no rule of Flink's converts.
func hasCastRule(from, to Type) bool {
	switch {
	case to.IsInterval() && (from.IsCharacter() || from.Kind == KindDecimal),
		to.IsDatetime() && from.IsBinary(),
		to.Kind == KindArray && from.IsCharacter():
		return false
	case to.Kind == KindArray, to.Kind == KindMultiset:
		return from.Kind != to.Kind || hasCastRule(*from.Elem, *to.Elem)
	case to.Kind == KindMap:
		return from.Kind != to.Kind || hasCastRule(*from.Key, *to.Key) && hasCastRule(*from.Elem, *to.Elem) &&
			!dropsNull(*from.Key, *to.Key) && !dropsNull(*from.Elem, *to.Elem)
	case to.Kind == KindRow && from.Kind == KindRow:
		for i := range to.Fields {
			f, t := from.Fields[i].Type, to.Fields[i].Type
			if !hasCastRule(f, t) || dropsNull(f, t) {
				return false
			}
		}
	}
	return true
}

// dropsNull: no rule of Flink's takes only the NULL from a number within a MAP or ROW.
func dropsNull(from, to Type) bool {
	return (from.IsInteger() || from.IsApprox()) && from.Kind == to.Kind && from.Nullable && !to.Nullable
}

// runtimeType is a type in the text of a code generator: all intervals are months or
// milliseconds there.
func runtimeType(t Type) string {
	switch t.Kind {
	case KindIntervalYearMonth:
		t.Unit = "MONTH"
	case KindIntervalDayTime:
		t.Unit, t.Scale = "SECOND", 3
	}
	return t.String()
}

func canCastComposite(from, to Type) bool {
	if from.Kind != to.Kind {
		return false
	}
	switch to.Kind {
	case KindArray, KindMultiset:
		// A text is taken for an ARRAY, but not as an element of one.
		return CanCast(*from.Elem, *to.Elem) && !(from.Elem.IsCharacter() && to.Elem.Kind == KindArray)
	case KindMap:
		return CanCast(*from.Key, *to.Key) && CanCast(*from.Elem, *to.Elem)
	case KindRow:
		if len(from.Fields) != len(to.Fields) {
			return false
		}
		for i := range from.Fields {
			if !CanCast(from.Fields[i].Type, to.Fields[i].Type) {
				return false
			}
		}
	}
	return true
}

// toCompositeCaster casts element by element.
func toCompositeCaster(from, to Type, opt CastOptions) (CastFunc, error) {
	part := func(f, t Type) (CastFunc, error) { return Caster(f, t, opt) }
	apply := func(vs []Value, f func(i int) CastFunc) ([]Value, error) {
		out := make([]Value, len(vs))
		for i, v := range vs {
			r, err := f(i)(v)
			if err != nil {
				return nil, err
			}
			out[i] = r
		}
		return out, nil
	}
	switch to.Kind {
	case KindArray:
		e, err := part(*from.Elem, *to.Elem)
		if err != nil {
			return nil, err
		}
		return func(v Value) (Value, error) {
			elems, err := apply(v.c.Elems, func(int) CastFunc { return e })
			return Array(elems), err
		}, nil
	case KindMultiset, KindMap:
		kf, kt := from.Elem, to.Elem
		e := CastFunc(identity)
		if to.Kind == KindMap {
			kf, kt = from.Key, to.Key
			var err error
			if e, err = part(*from.Elem, *to.Elem); err != nil {
				return nil, err
			}
		}
		k, err := part(*kf, *kt)
		if err != nil {
			return nil, err
		}
		return func(v Value) (Value, error) {
			keys, err := apply(v.c.Keys, func(int) CastFunc { return k })
			if err != nil {
				return Null, err
			}
			elems, err := apply(v.c.Elems, func(int) CastFunc { return e })
			return MapOf(keys, elems), err
		}, nil
	}
	fs := make([]CastFunc, len(to.Fields))
	for i := range to.Fields {
		f, err := part(from.Fields[i].Type, to.Fields[i].Type)
		if err != nil {
			return nil, err
		}
		fs[i] = f
	}
	return func(v Value) (Value, error) {
		elems, err := apply(v.c.Elems, func(i int) CastFunc { return fs[i] })
		return Struct(elems), err
	}, nil
}
