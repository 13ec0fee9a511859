package fn

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// Flink's newer functions come with its own type inference (TypeInference) in place
// of Calcite's operand checks: arguments are cast to the types that the function
// wants, and errors have other words.

// argument is one parameter of such a function.
type argument struct {
	// name of the parameter, or "" where the signature shows none.
	name string
	rule argumentRule
}

// argumentRule finds the type to which an argument is cast. text is what the
// signature shows; fail is the message of a rule that says why it fails, which
// only shows where the signature has no alternatives.
type argumentRule struct {
	text  string
	infer func(args []value.Type, i int) (value.Type, bool)
	fail  func(args []value.Type, i int) string
}

// signatureRule is one list of arguments; with many, the last may be left out or repeated.
type signatureRule struct {
	args []argument
	many bool
}

func params(args ...argument) signatureRule { return signatureRule{args: args} }

func varying(args ...argument) signatureRule { return signatureRule{args: args, many: true} }

func arg(name string, r argumentRule) argument { return argument{name, r} }

func (s signatureRule) fitsCount(n int) bool {
	if s.many {
		return n >= len(s.args)-1
	}
	return n == len(s.args)
}

func (s signatureRule) at(i int) argument { return s.args[min(i, len(s.args)-1)] }

func (s signatureRule) text(name string) string {
	var parts []string
	for _, a := range s.args {
		t := a.rule.text
		if !strings.HasPrefix(t, "[") {
			t = "<" + t + ">"
		}
		if a.name != "" {
			t = a.name + " " + t
		}
		parts = append(parts, t)
	}
	out := name + "(" + strings.Join(parts, ", ")
	if s.many {
		out += "..."
	}
	return out + ")"
}

// inferred makes the check of a function with Flink's type inference.
func inferred(rules ...signatureRule) func(r *resolution) error {
	return func(r *resolution) error {
		types := r.types()
		counted := false
		for _, s := range rules {
			counted = counted || s.fitsCount(len(types))
		}
		if !counted {
			return noSignature(r, rules)
		}
		var closest []value.Type
		for _, s := range rules {
			want, i, ok := s.infer(types)
			if !ok {
				if len(rules) == 1 && i >= 0 && s.at(i).rule.fail != nil {
					return flinkerr.Validation("%s", s.at(i).rule.fail(types, i))
				}
				continue
			}
			if avoidsCasts(types, want) {
				closest = want
				break
			}
			if closest == nil {
				closest = want
			}
		}
		if closest == nil {
			return flinkerr.Validation("Invalid input arguments.")
		}
		for i, t := range closest {
			if !implicitCast(types[i], t) {
				return flinkerr.Validation("Invalid argument type at position %d. Data type %s expected but %s passed.", i, t, types[i])
			}
		}
		r.args = castArguments(r.args, closest)
		return nil
	}
}

func (s signatureRule) infer(types []value.Type) (want []value.Type, failed int, ok bool) {
	if !s.fitsCount(len(types)) {
		return nil, -1, false
	}
	for i := range types {
		t, ok := s.at(i).rule.infer(types, i)
		if !ok {
			return nil, i, false
		}
		want = append(want, t)
	}
	return want, -1, true
}

// noSignature is the error for a wrong number of arguments.
func noSignature(r *resolution, rules []signatureRule) error {
	fams := make([]string, len(r.args))
	for i := range r.args {
		fams[i] = "<" + FamilyText(r.arg(i)) + ">"
	}
	texts := make([]string, len(rules))
	for i, s := range rules {
		texts[i] = s.text(r.fn.name)
	}
	return flinkerr.Validator("No match found for function signature %s(%s).\nSupported signatures are:\n%s",
		r.fn.name, strings.Join(fams, ", "), strings.Join(texts, "\n"))
}

// castArguments inserts the casts that plans show; a bare NULL takes the type.
func castArguments(args []rex.Expr, want []value.Type) []rex.Expr {
	out := make([]rex.Expr, len(args))
	for i, a := range args {
		switch t := want[i]; {
		case a.Type().Kind == value.KindNull:
			out[i] = nullLiteral(t)
		case avoidsCast(a.Type(), t):
			out[i] = a
		default:
			if t.Kind == value.KindArray {
				// Plans show the elements as NOT NULL.
				t = value.ArrayType(t.Elem.NotNull())
			}
			out[i] = makeCast(t.WithNullable(a.Type().Nullable), a)
		}
	}
	return out
}

func avoidsCasts(from, to []value.Type) bool {
	for i := range from {
		if !avoidsCast(from[i], to[i]) {
			return false
		}
	}
	return true
}

// avoidsCast is LogicalTypeCasts.supportsAvoidingCast: values of from already are values of to.
func avoidsCast(from, to value.Type) bool {
	switch {
	case from.Nullable && !to.Nullable:
		return false
	case to.Kind == value.KindVarchar && from.IsCharacter(), to.Kind == value.KindVarbinary && from.IsBinary():
		return from.Length <= to.Length
	case to.IsInterval() && from.Kind == to.Kind:
		return true
	case from.Kind != to.Kind:
		return false
	case from.Kind == value.KindArray || from.Kind == value.KindMultiset:
		return avoidsCast(*from.Elem, *to.Elem)
	case from.Kind == value.KindMap:
		return avoidsCast(*from.Key, *to.Key) && avoidsCast(*from.Elem, *to.Elem)
	case from.Kind == value.KindRow:
		if len(from.Fields) != len(to.Fields) {
			return false
		}
		for i := range from.Fields {
			if !avoidsCast(from.Fields[i].Type, to.Fields[i].Type) {
				return false
			}
		}
		return true
	}
	return from.EqualIgnoreNull(to)
}

// implicitCast is LogicalTypeCasts.supportsImplicitCast.
func implicitCast(from, to value.Type) bool {
	switch {
	case from.Kind == value.KindNull:
		return to.Nullable
	case from.Nullable && !to.Nullable:
		return false
	case from.EqualIgnoreNull(to):
		return true
	case from.IsComposite() || to.IsComposite():
		return implicitComposite(from, to)
	}
	switch to.Kind {
	case value.KindChar, value.KindBinary, value.KindTinyInt, value.KindBoolean, value.KindIntervalDayTime, value.KindIntervalYearMonth:
		return from.Kind == to.Kind
	case value.KindVarchar:
		return from.IsCharacter()
	case value.KindVarbinary:
		return from.IsBinary()
	case value.KindSmallInt, value.KindInt, value.KindBigInt:
		return from.IsInteger() && from.Kind <= to.Kind
	case value.KindDecimal, value.KindDouble:
		return from.IsNumeric()
	case value.KindFloat:
		return from.IsNumeric() && from.Kind != value.KindDouble
	case value.KindDate:
		return from.Kind == value.KindDate || from.Kind == value.KindTimestamp
	case value.KindTime:
		return from.Kind == value.KindTime || from.Kind == value.KindTimestamp
	case value.KindTimestamp, value.KindTimestampLTZ:
		return from.IsTimestamp()
	}
	return false
}

func implicitComposite(from, to value.Type) bool {
	if from.Kind != to.Kind {
		return false
	}
	switch from.Kind {
	case value.KindArray, value.KindMultiset:
		return implicitCast(*from.Elem, *to.Elem)
	case value.KindMap:
		return implicitCast(*from.Key, *to.Key) && implicitCast(*from.Elem, *to.Elem)
	case value.KindRow:
		if len(from.Fields) != len(to.Fields) {
			return false
		}
		for i := range from.Fields {
			if !implicitCast(from.Fields[i].Type, to.Fields[i].Type) {
				return false
			}
		}
		return true
	}
	return false
}

// commonType is LogicalTypeMerging.findCommonType. Unlike Calcite's least
// restrictive type it takes DOUBLE for FLOAT and DOUBLE, and casts where nothing
// else fits.
func commonType(types []value.Type) (value.Type, bool) {
	var res value.Type
	found, nullable := false, false
	for _, t := range types {
		nullable = nullable || t.Nullable
		switch {
		case t.Kind == value.KindNull:
		case !found:
			res, found = t.AsNullable(), true
		default:
			next, ok := commonOfTwo(res, t.AsNullable())
			if !ok {
				return commonByCast(types, nullable)
			}
			res = next
		}
	}
	return res.WithNullable(nullable), found
}

func commonOfTwo(a, b value.Type) (value.Type, bool) {
	switch {
	case a.IsDatetime() && b.IsInterval():
		return a, true
	case a.IsInterval() && b.IsDatetime():
		return b, true
	case (a.IsTimestamp() || a.Kind == value.KindDate) && isExact(b):
		return a, true
	case isExact(a) && (b.IsTimestamp() || b.Kind == value.KindDate):
		return b, true
	case a.IsApprox() && b.IsApprox() && a.Kind != b.Kind:
		return value.TDouble, true
	case a.Kind == value.KindDecimal && b.Kind == value.KindFloat: // but DOUBLE the other way round
		return b, true
	case a.IsTimestamp() && b.IsTimestamp() && a.Kind != b.Kind:
		return value.TimestampLTZType(max(a.Precision, b.Precision)), true
	case a.IsComposite() && a.Kind == b.Kind:
		return commonComposite(a, b)
	case a.Kind == value.KindBoolean || b.Kind == value.KindBoolean:
		return a, a.Kind == b.Kind
	}
	return wider(a, b)
}

func commonComposite(a, b value.Type) (value.Type, bool) {
	switch a.Kind {
	case value.KindArray, value.KindMultiset:
		e, ok := commonType([]value.Type{*a.Elem, *b.Elem})
		a.Elem = &e
		return a, ok
	case value.KindMap:
		k, ok1 := commonType([]value.Type{*a.Key, *b.Key})
		e, ok2 := commonType([]value.Type{*a.Elem, *b.Elem})
		a.Key, a.Elem = &k, &e
		return a, ok1 && ok2
	}
	if len(a.Fields) != len(b.Fields) {
		return value.Type{}, false
	}
	fields := make([]value.Field, len(a.Fields))
	for i, f := range a.Fields {
		t, ok := commonType([]value.Type{f.Type, b.Fields[i].Type})
		if !ok {
			return value.Type{}, false
		}
		fields[i] = value.Field{Name: f.Name, Type: t}
	}
	a.Fields = fields
	return a, true
}

func commonByCast(types []value.Type, nullable bool) (value.Type, bool) {
	var res value.Type
	found := false
	for _, t := range types {
		t = t.AsNullable()
		switch {
		case t.Kind == value.KindNull:
		case !found:
			res, found = t, true
		case implicitCast(res, t):
			res = t
		case !implicitCast(t, res):
			return value.Type{}, false
		}
	}
	return res.WithNullable(nullable), found
}

// The argument rules.
var (
	argAny = argumentRule{text: "ANY", infer: func(ts []value.Type, i int) (value.Type, bool) { return ts[i], true }}
	// argCommon is the common type of all arguments, with the nullability of each kept.
	argCommon = argumentRule{text: "COMMON", infer: func(ts []value.Type, i int) (value.Type, bool) {
		t, ok := commonType(ts)
		return t.WithNullable(ts[i].Nullable), ok
	}}
	argString  = familyRule("CHARACTER_STRING", value.Type.IsCharacter, value.TString)
	argBinary  = familyRule("BINARY_STRING", value.Type.IsBinary, value.TBytes)
	argNumber  = familyRule("NUMERIC", value.Type.IsNumeric, value.TDouble)
	argInteger = familyRule("INTEGER_NUMERIC", value.Type.IsInteger, value.TBigInt)
	argArray   = rootRule("ARRAY", value.KindArray, value.Type{})
	argMap     = rootRule("MAP", value.KindMap, value.Type{})
	argInt     = rootRule("INTEGER", value.KindInt, value.TInt)
	argBoolean = rootRule("BOOLEAN", value.KindBoolean, value.TBoolean)
	// argElement is an element of the array that is the first argument.
	argElement = argumentRule{text: "ARRAY ELEMENT", infer: func(ts []value.Type, i int) (value.Type, bool) {
		if ts[0].Kind != value.KindArray {
			return value.Type{}, false
		}
		e := *ts[0].Elem
		if !e.Nullable && ts[i].Nullable {
			e.Nullable = true
		}
		return e, implicitCast(ts[i], e)
	}}
	argComparableArray = argumentRule{text: "ARRAY<COMPARABLE>", infer: func(ts []value.Type, i int) (value.Type, bool) {
		return ts[i], ts[i].Kind == value.KindArray && isSortable(*ts[i].Elem)
	}, fail: func(ts []value.Type, i int) string {
		if ts[i].Kind != value.KindArray {
			return "The argument requires to be an ARRAY type"
		}
		return "Type '" + ts[i].Elem.String() + "' should support both 'EQUALS' and 'ORDER' comparison with itself."
	}}
	argStringArray = argumentRule{text: "ARRAY<STRING>", infer: func(ts []value.Type, i int) (value.Type, bool) {
		return ts[i], ts[i].Kind == value.KindArray && ts[i].Elem.IsCharacter()
	}}
)

// isSortable tells the elements that ARRAY_SORT, ARRAY_MAX and ARRAY_MIN accept.
func isSortable(t value.Type) bool {
	return t.IsNumeric() || t.IsDatetime() || t.IsCharacter() || t.IsBinary()
}

// isOrdered tells types whose values GREATEST can order.
func isOrdered(t value.Type) bool {
	return !t.IsComposite() && t.Kind != value.KindRaw
}

// familyRule takes any type of a family; a NULL becomes the family's widest type.
func familyRule(text string, in func(value.Type) bool, widest value.Type) argumentRule {
	return argumentRule{
		text: text,
		infer: func(ts []value.Type, i int) (value.Type, bool) {
			if in(ts[i]) {
				return ts[i], true
			}
			t := widest.WithNullable(ts[i].Nullable)
			return t, implicitCast(ts[i], t)
		},
		fail: func(ts []value.Type, i int) string {
			return "Unsupported argument type. Expected type of family '" + text + "' but actual type was '" + ts[i].String() + "'."
		},
	}
}

// rootRule takes one kind of type and what casts to it implicitly.
func rootRule(text string, k value.Kind, to value.Type) argumentRule {
	r := argumentRule{text: text, infer: func(ts []value.Type, i int) (value.Type, bool) {
		if ts[i].Kind == k {
			return ts[i], true
		}
		t := to.WithNullable(ts[i].Nullable)
		return t, to.Kind != value.KindNull && implicitCast(ts[i], t)
	}}
	if to.Kind != value.KindNull {
		r.fail = func(ts []value.Type, i int) string {
			return "Unsupported argument type. Expected type root '" + text + "' but actual type was '" + ts[i].String() + "'."
		}
	}
	return r
}
