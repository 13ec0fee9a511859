package fn

import (
	"errors"
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

// castType is a type in the refusal of a cast: without nullability and character set.
func castType(t value.Type) string { return t.Calcite() }

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
	f, err := c.caster(call.Args[0].Type(), call.T)
	if err != nil {
		return nil, err
	}
	x, err := c.compile(call.Args[0])
	if err != nil {
		return nil, err
	}
	try := call.Op == rex.TryCast
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

func failCast(ctx *Ctx, err error) value.Value {
	var ce *value.CastError
	if errors.As(err, &ce) {
		return ctx.Fail(flinkerr.Runtime(ce.Class, "%s", ce.Message))
	}
	return ctx.Fail(err)
}
