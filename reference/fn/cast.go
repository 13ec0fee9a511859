package fn

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

var castOperators = []function{
	{name: "CAST", op: rex.Cast, isOperator: true, doc: "CAST(value AS type)", eval: evalCast},
	{name: "TRY_CAST", op: rex.TryCast, isOperator: true, doc: "TRY_CAST(value AS type)", eval: evalCast},
}

// resolveCast makes CAST or TRY_CAST. The result is nullable as the argument is;
// TRY_CAST may always give NULL, and is left out where the type is the same already.
func resolveCast(_ *Context, x rex.Expr, to value.Type, try bool) (rex.Expr, error) {
	from := x.Type()
	if from.Kind == value.KindNull {
		return nullLiteral(to), nil
	}
	if !value.CanCast(from, to) {
		return nil, flinkerr.Validator("Cast function cannot convert value of type %s to type %s", castType(from), castType(to))
	}
	if _, literal := x.(*rex.Literal); literal && to.IsInterval() && !from.IsInterval() {
		return nil, unsupported.New("a cast of a constant to an interval")
	}
	if try {
		if to = to.AsNullable(); to.Equal(from) {
			return x, nil
		}
		return &rex.Call{Op: rex.TryCast, Args: []rex.Expr{x}, T: to}, nil
	}
	return makeCast(to.WithNullable(from.Nullable), x), nil
}

// castType is a type in the refusal of a cast: without nullability and character set, an
// interval with the precisions that are not the defaults.
func castType(t value.Type) string {
	if !t.IsInterval() {
		return t.Calcite()
	}
	unit, to, ranged := strings.Cut(t.Unit, " TO ")
	if t.Precision != 2 {
		unit += "(" + strconv.Itoa(t.Precision) + ")"
	}
	if !ranged {
		return "INTERVAL " + unit
	}
	if to == "SECOND" && t.Scale != 6 {
		to += "(" + strconv.Itoa(t.Scale) + ")"
	}
	return "INTERVAL " + unit + " TO " + to
}

func (c *compiler) zone() *time.Location {
	if c.env.Zone == nil {
		return time.UTC
	}
	return c.env.Zone
}

// caster makes the conversion between two types.
func (c *compiler) caster(from, to value.Type) (value.CastFunc, error) {
	f, err := value.Caster(from, to, value.CastOptions{Zone: c.zone()})
	if err != nil {
		var ce *value.CastError
		if errors.As(err, &ce) {
			return nil, flinkerr.New(ce.Class, "%s", ce.Message)
		}
		return nil, unsupported.New("cast from %s to %s: %v", from, to, err)
	}
	return f, nil
}

// evalCast compiles CAST, whose failure ends the job, and TRY_CAST, whose failure is NULL.
func evalCast(c *compiler, call *rex.Call) (Eval, error) {
	from, to := call.Args[0].Type(), call.T
	f, err := c.caster(from, to)
	if err != nil {
		return nil, err
	}
	if f, err = compositeCaster(f, from, to); err != nil {
		return nil, err
	}
	x, err := c.compile(call.Args[0])
	if err != nil {
		return nil, err
	}
	try := call.Op == rex.TryCast && !takenAsSafe(from, to)
	return func(ctx *Ctx, row value.Row) value.Value {
		v, err := f(x(ctx, row))
		if err == nil {
			return v
		}
		if try {
			return value.Null
		}
		return failCast(ctx, err)
	}, nil
}

// takenAsSafe: Flink's rule for numbers to DECIMAL says that it cannot fail
// (NumericPrimitiveToDecimalCastRule.canFail), so that TRY_CAST catches nothing: NaN and Infinity
// fail the job. Seen with types/try-cast-of-nan.
func takenAsSafe(from, to value.Type) bool {
	if from.Kind == value.KindArray && to.Kind == value.KindArray {
		return takenAsSafe(*from.Elem, *to.Elem)
	}
	return from.IsApprox() && to.Kind == value.KindDecimal
}

// compositeCaster adds what Flink does to arrays and maps on the way: a cast map has
// the order of a java.util.HashMap.
func compositeCaster(f value.CastFunc, from, to value.Type) (value.CastFunc, error) {
	switch {
	case to.Kind == value.KindMap && from.Kind == value.KindMap:
		return func(v value.Value) (value.Value, error) {
			out, err := f(v)
			if err != nil || out.IsNull() {
				return out, err
			}
			m := out.Composite()
			keys, elems := slices.Clone(m.Keys), slices.Clone(m.Elems)
			value.SortJavaMap(to.Key, keys, elems)
			return value.MapOf(keys, elems), nil
		}, nil
	case to.Kind == value.KindArray && from.Kind == value.KindArray && from.Elem.Nullable && !to.Elem.Nullable:
		return func(v value.Value) (value.Value, error) {
			if v.IsNull() || !slices.ContainsFunc(v.Composite().Elems, value.Value.IsNull) {
				return f(v)
			}
			return notNullElements(f, *from.Elem, *to.Elem, v)
		}, nil
	case to.IsComposite() && holdsMap(to):
		return nil, unsupported.New("cast to %s", to)
	}
	return f, nil
}

// notNullElements casts an array whose NULLs become elements that are NOT NULL: those of
// the same type stay NULL, numbers become 0 and texts empty.
func notNullElements(f value.CastFunc, from, to value.Type, v value.Value) (value.Value, error) {
	if from.AsNullable().Equal(to.AsNullable()) {
		return v, nil
	}
	var none value.Value
	switch {
	case to.IsInteger():
		none = value.Int(0)
	case to.Kind == value.KindDouble:
		none = value.Double(0)
	case to.Kind == value.KindFloat:
		none = value.Float(0)
	case to.Kind == value.KindVarchar && from.IsCharacter():
		none = value.String("")
	default:
		return value.Null, unsupported.New("cast of NULLs in an ARRAY to elements that are NOT NULL")
	}
	out, err := f(v)
	if err != nil || out.IsNull() {
		return out, err
	}
	elems := slices.Clone(out.Composite().Elems)
	for i := range elems {
		if elems[i].IsNull() {
			elems[i] = none
		}
	}
	return value.Array(elems), nil
}

func holdsMap(t value.Type) bool {
	switch t.Kind {
	case value.KindMap:
		return true
	case value.KindArray, value.KindMultiset:
		return holdsMap(*t.Elem)
	}
	return slices.ContainsFunc(t.Fields, func(f value.Field) bool { return holdsMap(f.Type) })
}

func failCast(ctx *Ctx, err error) value.Value {
	var ce *value.CastError
	if errors.As(err, &ce) {
		return ctx.Fail(flinkerr.Runtime(ce.Class, "%s", ce.Message))
	}
	return ctx.Fail(err)
}
