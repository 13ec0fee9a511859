package fn

import (
	"slices"
	"strconv"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// constructors and accessors of composite values.
var collectionOperators = []function{
	{name: "ITEM", op: rex.Item, isOperator: true, doc: "array '[' INT ']', map '[' value ']'", check: checkItem, rewrite: asItem, eval: evalItem},
	{name: "ROW", op: rex.Row, isOperator: true, doc: "ROW(value1, [, value2]*)", check: checkRow, result: rowType, eval: evalRow},
	{name: "ARRAY", op: rex.Array, isOperator: true, doc: "ARRAY '[' value1 [, value2 ]* ']'", check: checkArray, rewrite: asArray, eval: evalArray},
	{name: "MAP", op: rex.Map, isOperator: true, doc: "MAP '[' key1, value1 [, key2, value2 ]* ']'", check: checkMap, rewrite: asMap, eval: evalMap},
}

func checkRow(r *resolution) error {
	for i := range r.args {
		if r.arg(i).Kind == value.KindNull {
			return illegalNull()
		}
	}
	return nil
}

// rowType names the fields of ROW(..) EXPR$0, EXPR$1, ...
func rowType(r *resolution) (value.Type, error) {
	fields := make([]value.Field, len(r.args))
	for i := range r.args {
		fields[i] = value.Field{Name: "EXPR$" + strconv.Itoa(i), Type: r.arg(i)}
	}
	return value.RowType(fields...).NotNull(), nil
}

// numbersAndTimes: such a mixture is not refused by its type, but later in ways of its own.
func numbersAndTimes(types []value.Type) bool {
	return slices.ContainsFunc(types, value.Type.IsNumeric) && slices.ContainsFunc(types, value.Type.IsDatetime)
}

func checkArray(r *resolution) error {
	if len(r.args) == 0 {
		return flinkerr.Validator("Require at least 1 argument")
	}
	if _, ok := leastRestrictive(r.types()); !ok {
		if numbersAndTimes(r.types()) {
			return unsupported.New("ARRAY of numbers and times")
		}
		return flinkerr.Validator("Parameters must be of the same type")
	}
	return nil
}

func asArray(r *resolution) (rex.Expr, error) {
	t, _ := leastRestrictive(r.types())
	return &rex.Call{Op: rex.Array, Args: elementsOf(t, r.args), T: value.ArrayType(t).NotNull()}, nil
}

// elementsOf casts elements to their common type; a bare NULL becomes a NULL of it.
func elementsOf(t value.Type, args []rex.Expr) []rex.Expr {
	out := make([]rex.Expr, len(args))
	for i, a := range args {
		if a.Type().Kind == value.KindNull {
			out[i] = nullLiteral(t)
		} else {
			out[i] = ensure(t, a, true)
		}
	}
	return out
}

func split(args []rex.Expr) (keys, vals []rex.Expr) {
	for i := 0; i+1 < len(args); i += 2 {
		keys, vals = append(keys, args[i]), append(vals, args[i+1])
	}
	return keys, vals
}

func checkMap(r *resolution) error {
	switch {
	case len(r.args) == 0:
		return flinkerr.Validator("Map requires at least 2 arguments")
	case len(r.args)%2 != 0:
		return flinkerr.Validator("Map requires an even number of arguments")
	}
	keys, vals := split(r.args)
	_, ok1 := leastRestrictive(typesOf(keys))
	_, ok2 := leastRestrictive(typesOf(vals))
	if !ok1 || !ok2 {
		return flinkerr.Validator("Parameters must be of the same type")
	}
	return nil
}

func asMap(r *resolution) (rex.Expr, error) {
	keys, vals := split(r.args)
	kt, _ := leastRestrictive(typesOf(keys))
	vt, _ := leastRestrictive(typesOf(vals))
	keys, vals = elementsOf(kt, keys), elementsOf(vt, vals)
	args := make([]rex.Expr, 0, len(r.args))
	for i := range keys {
		args = append(args, keys[i], vals[i])
	}
	return &rex.Call{Op: rex.Map, Args: args, T: value.MapType(kt, vt).NotNull()}, nil
}

// checkItem: the key of a MAP must be of the key's family.
func checkItem(r *resolution) error {
	x, i := r.arg(0), r.arg(1)
	switch x.Kind {
	case value.KindArray:
		if i.IsInteger() {
			return nil
		}
	case value.KindMap:
		if family(*x.Key) == family(i) {
			return nil
		}
	case value.KindRow:
		if i.IsInteger() || i.IsCharacter() {
			return nil
		}
	}
	return flinkerr.Validator("Cannot apply 'ITEM' to arguments of type '%s'. Supported form(s): "+
		"<ARRAY>[<INTEGER>]\n<MAP>[<ANY>]\n<ROW>[<CHARACTER>|<INTEGER>]\n<VARIANT>[<CHARACTER>|<INTEGER>]",
		signature(rex.Item, []string{errorType(x), errorType(i)}))
}

func asItem(r *resolution) (rex.Expr, error) {
	t := r.arg(0)
	if t.Kind == value.KindRow {
		return rowItem(r)
	}
	if lit, ok := r.args[1].(*rex.Literal); ok && t.Kind == value.KindArray && !lit.V.IsNull() && lit.V.Int() < 1 {
		return nil, flinkerr.Validation("Array element access needs an index starting at 1 but was %d.", lit.V.Int())
	}
	return r.call(t.Elem.AsNullable()), nil
}

// rowItem is r[1] or r['name']: the field itself.
func rowItem(r *resolution) (rex.Expr, error) {
	lit, ok := r.args[1].(*rex.Literal)
	if !ok || lit.V.IsNull() {
		return nil, unsupported.New("ROW[..] with a computed position")
	}
	for i, f := range r.arg(0).Fields {
		if lit.T.IsInteger() && lit.V.Int() == int64(i+1) || lit.T.IsCharacter() && lit.V.Str() == f.Name {
			return FieldOf(r.args[0], i), nil
		}
	}
	return nil, unsupported.New("ROW[..] with a position that is no field")
}

// FieldOf is x.name for the i-th field of a ROW. A field of a nullable ROW is nullable.
func FieldOf(x rex.Expr, i int) rex.Expr {
	f := x.Type().Fields[i]
	return &rex.Field{X: x, Name: f.Name, Index: i, T: f.Type.WithNullable(f.Type.Nullable || x.Type().Nullable)}
}

func evalItem(c *compiler, call *rex.Call) (Eval, error) {
	t := call.Args[0].Type()
	if t.Kind == value.KindArray {
		if call.Args[1].Type().Kind != value.KindInt {
			return nil, flinkerr.New(classCodeGen, "Integer expression type expected.")
		}
		return strict2(func(ctx *Ctx, a, i value.Value) value.Value {
			elems, n := a.Composite().Elems, i.Int()
			if n < 1 || n > int64(len(elems)) {
				if !t.Elem.Nullable {
					// Flink takes a default value such as -1 for the missing element.
					return ctx.Fail(unsupported.New("ARRAY[..] beyond its end, of elements that are NOT NULL"))
				}
				return value.Null
			}
			return elems[n-1]
		})(c, call)
	}
	if made, ok := call.Args[0].(*rex.Call); ok {
		switch made.Op.Name {
		case "MAP_FROM_ARRAYS":
			const class = "org.apache.flink.table.runtime.functions.scalar.MapFromArraysFunction$MapDataForMapFromArrays"
			return strict2(func(ctx *Ctx, _, _ value.Value) value.Value {
				const generic = "org.apache.flink.table.data.GenericMapData"
				return ctx.Fail(flinkerr.Runtime("java.lang.ClassCastException", "class %[1]s cannot be cast to class %[2]s (%[1]s and %[2]s are in unnamed module of loader 'app')", class, generic))
			})(c, call)
		case "MAP_UNION":
			return nil, unsupported.New("MAP_UNION(..)[key]")
		}
	}
	kt := *t.Key
	k := call.Args[1]
	if !kt.IsCharacter() || !k.Type().IsCharacter() {
		k = ensure(kt, k, true)
	}
	key, err := c.compile(k)
	if err != nil {
		return nil, err
	}
	m, err := c.compile(call.Args[0])
	if err != nil {
		return nil, err
	}
	return func(ctx *Ctx, row value.Row) value.Value {
		v := m(ctx, row)
		if v.IsNull() {
			return value.Null
		}
		k, comp := key(ctx, row), v.Composite()
		if !k.IsNull() {
			if i := indexOf(kt, comp.Keys, k); i >= 0 {
				return comp.Elems[i]
			}
		}
		if !t.Elem.Nullable {
			return ctx.Fail(unsupported.New("MAP[..] without the key, of values that are NOT NULL"))
		}
		return value.Null
	}, nil
}

func evalRow(c *compiler, call *rex.Call) (Eval, error) {
	return lenient(func(_ *Ctx, vs []value.Value) value.Value { return value.Struct(slices.Clone(vs)) })(c, call)
}

func evalArray(c *compiler, call *rex.Call) (Eval, error) {
	return lenient(func(_ *Ctx, vs []value.Value) value.Value { return value.Array(slices.Clone(vs)) })(c, call)
}

func evalMap(c *compiler, call *rex.Call) (Eval, error) {
	kt := *call.T.Key
	if kt.IsComposite() {
		return nil, unsupported.New("MAP with keys of type %s", kt)
	}
	return lenient(func(_ *Ctx, vs []value.Value) value.Value {
		keys, elems := make([]value.Value, 0, len(vs)/2), make([]value.Value, 0, len(vs)/2)
		for i := 0; i+1 < len(vs); i += 2 {
			if at := indexOf(kt, keys, vs[i]); at >= 0 {
				elems[at] = vs[i+1]
				continue
			}
			keys, elems = append(keys, vs[i]), append(elems, vs[i+1])
		}
		return value.MapOf(keys, elems)
	})(c, call)
}
