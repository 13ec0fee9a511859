package value

import "time"

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
// the words of Flink's validator for a pair of types that it refuses.
func Caster(from, to Type, opt CastOptions) (CastFunc, error) {
	if !CanCast(from, to) {
		return nil, &CastError{classValidator, "Cast function cannot convert value of type " +
			from.CalciteFull() + " to type " + to.CalciteFull()}
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

// CanCast reports whether Flink's validator accepts CAST(from AS to).
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
		return from.IsNumeric() || from.IsCharacter() || from.Kind == KindBoolean
	case to.IsBinary():
		return from.IsBinary() || from.IsCharacter()
	case to.Kind == KindDate:
		return from.IsCharacter() || from.Kind == KindDate || from.IsTimestamp()
	case to.Kind == KindTime:
		return from.IsCharacter() || from.Kind == KindTime || from.IsTimestamp()
	case to.IsTimestamp():
		return from.IsCharacter() || from.IsDatetime()
	case to.IsInterval():
		return from.Kind == to.Kind
	}
	return canCastComposite(from, to)
}

func canCastComposite(from, to Type) bool {
	if from.Kind != to.Kind {
		return false
	}
	switch to.Kind {
	case KindArray, KindMultiset:
		return CanCast(*from.Elem, *to.Elem)
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
