package fn

import (
	"math"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

var (
	haystack     = inferred(params(arg("haystack", argArray)))
	needle       = inferred(params(arg("haystack", argArray), arg("needle", argElement)))
	appended     = inferred(params(arg("array", argArray), arg("element", argElement)))
	arrays2      = inferred(params(arg("", argCommonArray), arg("", argCommonArray)))
	sortable     = inferred(params(arg("", argComparableArray)))
	sorted       = inferred(params(arg("", argComparableArray)), params(arg("", argComparableArray), arg("", argBoolean)), params(arg("", argComparableArray), arg("", argBoolean), arg("", argBoolean)))
	sliced       = inferred(params(arg("", argArray), arg("", argInt), arg("", argInt)), params(arg("", argArray), arg("", argInt)))
	joined       = inferred(params(arg("", argStringArray), arg("", argString)), params(arg("", argStringArray), arg("", argString), arg("", argString)))
	mapInput     = inferred(params(arg("input", argMap)))
	keysAndElems = inferred(params(arg("keysArray", argArray), arg("valuesArray", argArray)))
)

var collectionFunctions = []function{
	{name: "CARDINALITY", doc: "CARDINALITY(array), CARDINALITY(map)", forms: []form{takes(multisetType), takes(arrayType), takes(mapType)}, result: orNull(value.TInt), eval: evalCardinality},
	{name: "ELEMENT", doc: "ELEMENT(array)", forms: []form{takes(multisetType), takes(arrayType)}, result: soleElementType, eval: strict1(element)},
	{name: "ARRAY_APPEND", doc: "ARRAY_APPEND(array, element)", check: appended, result: appendType, eval: lenient(arrayAppend)},
	{name: "ARRAY_PREPEND", doc: "ARRAY_PREPEND(array, element)", check: appended, result: appendType, eval: lenient(arrayPrepend)},
	{name: "ARRAY_CONTAINS", doc: "ARRAY_CONTAINS(haystack, needle)", check: needle, result: nullableWithFirst(value.TBoolean), eval: withElements(arrayContains)},
	{name: "ARRAY_DISTINCT", doc: "ARRAY_DISTINCT(haystack)", check: haystack, result: likeArg(0), eval: withElements(arrayDistinct)},
	{name: "ARRAY_POSITION", doc: "ARRAY_POSITION(haystack, needle)", check: needle, result: orNull(value.TInt), eval: withElements(arrayPosition)},
	{name: "ARRAY_REMOVE", doc: "ARRAY_REMOVE(haystack, needle)", check: needle, result: func(r *resolution) (value.Type, error) { return r.arg(0), nil }, eval: withElements(arrayRemove)},
	{name: "ARRAY_REVERSE", doc: "ARRAY_REVERSE(haystack)", check: haystack, result: likeArg(0), eval: strict1(arrayReverse)},
	{name: "ARRAY_SLICE", doc: "ARRAY_SLICE(array, start_offset[, end_offset])", check: sliced, result: likeArg(0), eval: strictN(arraySlice)},
	{name: "ARRAY_UNION", doc: "ARRAY_UNION(array1, array2)", check: arrays2, result: commonArray, eval: withElements(arrayUnion)},
	{name: "ARRAY_CONCAT", doc: "ARRAY_CONCAT(array1, ...)", check: inferred(varying(arg("", argCommonArray), arg("", argCommonArray))), result: commonArray, eval: strictN(arrayConcat)},
	{name: "ARRAY_EXCEPT", doc: "ARRAY_EXCEPT(array1, array2)", check: arrays2, result: commonArray, eval: withElements(arrayExcept)},
	{name: "ARRAY_INTERSECT", doc: "ARRAY_INTERSECT(array1, array2)", check: arrays2, result: commonArray, eval: withElements(arrayIntersect)},
	{name: "ARRAY_MAX", doc: "ARRAY_MAX(array)", check: sortable, result: elementType, eval: withElements(arrayExtreme(1))},
	{name: "ARRAY_MIN", doc: "ARRAY_MIN(array)", check: sortable, result: elementType, eval: withElements(arrayExtreme(-1))},
	{name: "ARRAY_JOIN", doc: "ARRAY_JOIN(array, delimiter[, nullReplacement])", check: joined, result: orNull(value.TString), eval: strictN(arrayJoin)},
	{name: "ARRAY_SORT", doc: "ARRAY_SORT(array[, ascending_order[, null_first]])", check: sorted, result: likeArg(0), eval: withElements(arraySort)},
	{name: "MAP_KEYS", doc: "MAP_KEYS(map)", check: mapInput, result: mapKeysType, eval: strict1(func(_ *Ctx, m value.Value) value.Value { return value.Array(m.Composite().Keys) })},
	{name: "MAP_VALUES", doc: "MAP_VALUES(map)", check: mapInput, result: mapValuesType, eval: strict1(func(_ *Ctx, m value.Value) value.Value { return value.Array(m.Composite().Elems) })},
	{name: "MAP_ENTRIES", doc: "MAP_ENTRIES(map)", check: mapInput, result: mapEntriesType, eval: strict1(mapEntries)},
	{name: "MAP_UNION", doc: "MAP_UNION(map1, ...)", check: inferred(varying(arg("", argCommonMap), arg("", argCommonMap))), result: commonArray, eval: withElements(mapUnion)},
	{name: "MAP_FROM_ARRAYS", doc: "MAP_FROM_ARRAYS(array_of_keys, array_of_values)", check: keysAndElems, result: mapOfArraysType, eval: strict2(mapFromArrays)},
}

// argument rules of collections
var (
	argCommonArray = commonRule(value.KindArray, "All arguments requires to be a ARRAY type")
	argCommonMap   = commonRule(value.KindMap, "All arguments requires to be a MAP type")
)

func commonRule(k value.Kind, message string) argumentRule {
	ofKind := func(ts []value.Type) bool {
		return !slices.ContainsFunc(ts, func(t value.Type) bool { return t.Kind != k })
	}
	return argumentRule{
		text: "COMMON",
		infer: func(ts []value.Type, i int) (value.Type, bool) {
			if !ofKind(ts) {
				return value.Type{}, false
			}
			t, ok := commonType(ts)
			return t.WithNullable(ts[i].Nullable), ok
		},
		fail: func(ts []value.Type, _ int) string {
			if !ofKind(ts) {
				return message
			}
			texts := make([]string, len(ts))
			for i, t := range ts {
				texts[i] = t.String()
			}
			return "Could not find a common type for arguments: [" + strings.Join(texts, ", ") + "]"
		},
	}
}

// Result types.

// soleElementType is the element, nullable too if the collection is.
func soleElementType(r *resolution) (value.Type, error) {
	e := *r.arg(0).Elem
	return e.WithNullable(e.Nullable || r.arg(0).Nullable), nil
}

// elementType is a nullable element of the first argument.
func elementType(r *resolution) (value.Type, error) { return r.arg(0).Elem.AsNullable(), nil }

func nullableWithFirst(t value.Type) typeRule {
	return func(r *resolution) (value.Type, error) { return t.WithNullable(r.arg(0).Nullable), nil }
}

// appendType: a nullable element makes the elements nullable, the array only as
// Flink's nested rules do: with any nullable argument.
func appendType(r *resolution) (value.Type, error) {
	t := r.arg(0)
	if r.arg(1).Nullable {
		t = value.ArrayType(t.Elem.AsNullable())
	}
	return t.WithNullable(r.anyNullable()), nil
}

func commonArray(r *resolution) (value.Type, error) {
	t, _ := commonType(r.given)
	return t, nil
}

func mapKeysType(r *resolution) (value.Type, error) {
	return value.ArrayType(*r.arg(0).Key).WithNullable(r.anyNullable()), nil
}

func mapValuesType(r *resolution) (value.Type, error) {
	return value.ArrayType(*r.arg(0).Elem).WithNullable(r.anyNullable()), nil
}

func mapEntriesType(r *resolution) (value.Type, error) {
	m := r.arg(0)
	entry := value.RowType(value.Field{Name: "key", Type: *m.Key}, value.Field{Name: "value", Type: *m.Elem})
	return value.ArrayType(entry).WithNullable(r.anyNullable()), nil
}

func mapOfArraysType(r *resolution) (value.Type, error) {
	return value.MapType(*r.arg(0).Elem, *r.arg(1).Elem).WithNullable(r.anyNullable()), nil
}

// Evaluation.

func evalCardinality(c *compiler, call *rex.Call) (Eval, error) {
	if call.Args[0].Type().Kind == value.KindMultiset {
		return nil, unsupported.New("CARDINALITY of a MULTISET")
	}
	return strict1(func(_ *Ctx, a value.Value) value.Value {
		return value.Int(int64(len(a.Composite().Elems)))
	})(c, call)
}

func element(ctx *Ctx, a value.Value) value.Value {
	switch elems := a.Composite().Elems; len(elems) {
	case 0:
		return value.Null
	case 1:
		return elems[0]
	}
	return ctx.Fail(flinkerr.Runtime(flinkerr.ClassTableRuntime, "Array has more than one element."))
}

// withElements compiles functions that compare elements (or keys): t is their
// type. Arguments may be NULL.
func withElements(f func(ctx *Ctx, t value.Type, vs []value.Value) value.Value) builder {
	return func(c *compiler, call *rex.Call) (Eval, error) {
		whole := call.Args[0].Type()
		t := *whole.Elem
		if whole.Kind == value.KindMap {
			t = *whole.Key
		}
		if t.IsComposite() || t.Kind == value.KindRaw {
			return nil, unsupported.New("%s of elements of type %s", call.Op.Name, t)
		}
		return lenient(func(ctx *Ctx, vs []value.Value) value.Value { return f(ctx, t, vs) })(c, call)
	}
}

// elements are the elements of an array; NaN and -0.0, which equality by hash and
// comparison see differently, are refused.
func elements(ctx *Ctx, t value.Type, v value.Value) []value.Value {
	elems := v.Composite().Elems
	if t.IsApprox() {
		float := toFloat(t)
		for _, e := range elems {
			if f := float(e); !e.IsNull() && (math.IsNaN(f) || f == 0 && math.Signbit(f)) {
				ctx.Fail(unsupported.New("comparison of NaN or -0.0 in an ARRAY"))
			}
		}
	}
	return elems
}

// same is equality of elements, with NULL equal to NULL only.
func same(t value.Type, a, b value.Value) bool {
	if a.IsNull() || b.IsNull() {
		return a.IsNull() && b.IsNull()
	}
	return value.Equal(t, a, b)
}

func indexOf(t value.Type, elems []value.Value, x value.Value) int {
	return slices.IndexFunc(elems, func(e value.Value) bool { return same(t, e, x) })
}

func arrayAppend(_ *Ctx, vs []value.Value) value.Value {
	if vs[0].IsNull() {
		return value.Null
	}
	return value.Array(append(slices.Clone(vs[0].Composite().Elems), vs[1]))
}

func arrayPrepend(_ *Ctx, vs []value.Value) value.Value {
	if vs[0].IsNull() {
		return value.Null
	}
	return value.Array(append([]value.Value{vs[1]}, vs[0].Composite().Elems...))
}

func arrayContains(ctx *Ctx, t value.Type, vs []value.Value) value.Value {
	if vs[0].IsNull() {
		return value.Null
	}
	return value.Bool(indexOf(t, elements(ctx, t, vs[0]), vs[1]) >= 0)
}

func arrayPosition(ctx *Ctx, t value.Type, vs []value.Value) value.Value {
	if vs[0].IsNull() || vs[1].IsNull() {
		return value.Null
	}
	return value.Int(int64(indexOf(t, elements(ctx, t, vs[0]), vs[1]) + 1))
}

func arrayDistinct(ctx *Ctx, t value.Type, vs []value.Value) value.Value {
	if vs[0].IsNull() {
		return value.Null
	}
	return value.Array(distinct(nil, t, elements(ctx, t, vs[0])))
}

// distinct appends the elements that are not yet there.
func distinct(out []value.Value, t value.Type, elems []value.Value) []value.Value {
	for _, e := range elems {
		if indexOf(t, out, e) < 0 {
			out = append(out, e)
		}
	}
	return out
}

func arrayRemove(ctx *Ctx, t value.Type, vs []value.Value) value.Value {
	if vs[0].IsNull() {
		return value.Null
	}
	var out []value.Value
	for _, e := range elements(ctx, t, vs[0]) {
		if !same(t, e, vs[1]) {
			out = append(out, e)
		}
	}
	return value.Array(out)
}

func arrayReverse(_ *Ctx, a value.Value) value.Value {
	out := slices.Clone(a.Composite().Elems)
	slices.Reverse(out)
	return value.Array(out)
}

// arraySlice counts from 1, from the end where negative; 0 is the first element as
// a start, and as an end too.
func arraySlice(_ *Ctx, vs []value.Value) value.Value {
	elems := vs[0].Composite().Elems
	n := int64(len(elems))
	if n == 0 {
		return vs[0]
	}
	start, end := vs[1].Int(), n
	if len(vs) == 3 {
		end = vs[2].Int()
	}
	if start < 0 {
		start += n + 1
	}
	if end < 0 {
		end += n + 1
	}
	start = max(1, start)
	if end = min(end, n); end == 0 {
		end = 1
	}
	if end < start {
		return value.Array(nil)
	}
	return value.Array(elems[start-1 : end])
}

func arrayUnion(ctx *Ctx, t value.Type, vs []value.Value) value.Value {
	if vs[0].IsNull() || vs[1].IsNull() {
		return value.Null
	}
	return value.Array(distinct(distinct(nil, t, elements(ctx, t, vs[0])), t, elements(ctx, t, vs[1])))
}

func arrayConcat(_ *Ctx, vs []value.Value) value.Value {
	var out []value.Value
	for _, v := range vs {
		out = append(out, v.Composite().Elems...)
	}
	return value.Array(out)
}

func arrayExcept(ctx *Ctx, t value.Type, vs []value.Value) value.Value {
	return setOperation(ctx, t, vs, false)
}

func arrayIntersect(ctx *Ctx, t value.Type, vs []value.Value) value.Value {
	return setOperation(ctx, t, vs, true)
}

// setOperation gives the distinct elements of the first array that are in the
// second, or are not.
func setOperation(ctx *Ctx, t value.Type, vs []value.Value, in bool) value.Value {
	if vs[0].IsNull() || vs[1].IsNull() {
		return value.Null
	}
	var kept []value.Value
	second := elements(ctx, t, vs[1])
	for _, e := range elements(ctx, t, vs[0]) {
		if (indexOf(t, second, e) >= 0) == in {
			kept = append(kept, e)
		}
	}
	return value.Array(distinct(nil, t, kept))
}

// arrayExtreme is ARRAY_MAX (sign 1) or ARRAY_MIN (sign -1); NULLs do not count.
func arrayExtreme(sign int) func(ctx *Ctx, t value.Type, vs []value.Value) value.Value {
	return func(ctx *Ctx, t value.Type, vs []value.Value) value.Value {
		best := value.Null
		if vs[0].IsNull() {
			return best
		}
		for _, e := range elements(ctx, t, vs[0]) {
			if !e.IsNull() && (best.IsNull() || value.Compare(t, e, best)*sign > 0) {
				best = e
			}
		}
		return best
	}
}

// arrayJoin leaves NULLs out, or writes the replacement for them.
func arrayJoin(_ *Ctx, vs []value.Value) value.Value {
	var parts []string
	for _, e := range vs[0].Composite().Elems {
		switch {
		case !e.IsNull():
			parts = append(parts, e.Str())
		case len(vs) == 3:
			parts = append(parts, vs[2].Str())
		}
	}
	return value.String(strings.Join(parts, vs[1].Str()))
}

// safelySorted is the length from which Java's sort notices that ARRAY_SORT's
// comparator never says "equal".
const safelySorted = 32

func arraySort(ctx *Ctx, t value.Type, vs []value.Value) value.Value {
	for _, v := range vs {
		if v.IsNull() {
			return value.Null
		}
	}
	sign, nullsFirst := 1, true
	if len(vs) > 1 && !vs[1].Bool() {
		sign, nullsFirst = -1, false
	}
	if len(vs) > 2 {
		nullsFirst = vs[2].Bool()
	}
	out := slices.Clone(elements(ctx, t, vs[0]))
	equals := false
	slices.SortStableFunc(out, func(a, b value.Value) int {
		switch {
		case a.IsNull() && b.IsNull():
			return 0
		case a.IsNull() || b.IsNull():
			if a.IsNull() == nullsFirst {
				return -1
			}
			return 1
		}
		order := value.Compare(t, a, b) * sign
		equals = equals || order == 0
		return order
	})
	if equals && len(out) >= safelySorted {
		return ctx.Fail(unsupported.New("ARRAY_SORT of %d elements of which some are equal", len(out)))
	}
	return value.Array(out)
}

func mapEntries(_ *Ctx, m value.Value) value.Value {
	c := m.Composite()
	out := make([]value.Value, len(c.Keys))
	for i := range out {
		out[i] = value.Struct([]value.Value{c.Keys[i], c.Elems[i]})
	}
	return value.Array(out)
}

// mapUnion: the entries of the last map come first, and win.
func mapUnion(ctx *Ctx, t value.Type, vs []value.Value) value.Value {
	for _, v := range vs {
		if v.IsNull() {
			return value.Null
		}
	}
	result := vs[0].Composite()
	for _, v := range vs[1:] {
		m := v.Composite()
		if len(m.Keys) == 0 {
			continue
		}
		keys, elems := slices.Clone(m.Keys), slices.Clone(m.Elems)
		for i, k := range result.Keys {
			if indexOf(t, keys, k) < 0 {
				keys, elems = append(keys, k), append(elems, result.Elems[i])
			}
		}
		merged := value.MapOf(keys, elems)
		result = merged.Composite()
	}
	return value.MapOf(result.Keys, result.Elems)
}

func mapFromArrays(ctx *Ctx, keys, elems value.Value) value.Value {
	k, e := keys.Composite().Elems, elems.Composite().Elems
	if len(k) != len(e) {
		return ctx.Fail(flinkerr.Runtime("org.apache.flink.util.FlinkRuntimeException",
			"Invalid function MAP_FROM_ARRAYS call:\nThe length of the keys array %d is not equal to the length of the values array %d", len(k), len(e)))
	}
	return value.MapOf(k, e)
}
