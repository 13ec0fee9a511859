package fn

import (
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// evalAnd and evalOr follow Flink's generated code: operands run from left to right
// and stop at the first FALSE (TRUE), so that a failure behind it does not show.
func evalAnd(c *compiler, call *rex.Call) (Eval, error) { return evalJunction(c, call, false) }
func evalOr(c *compiler, call *rex.Call) (Eval, error)  { return evalJunction(c, call, true) }

func evalJunction(c *compiler, call *rex.Call, stop bool) (Eval, error) {
	args, err := c.args(call)
	if err != nil {
		return nil, err
	}
	return func(ctx *Ctx, row value.Row) value.Value {
		unknown := false
		for _, x := range args {
			v := x(ctx, row)
			if v.IsNull() {
				unknown = true
			} else if v.Bool() == stop {
				return value.Bool(stop)
			}
		}
		if unknown {
			return value.Null
		}
		return value.Bool(!stop)
	}, nil
}

var evalNot = strict1(func(_ *Ctx, a value.Value) value.Value { return value.Bool(!a.Bool()) })

func evalIsNull(c *compiler, call *rex.Call) (Eval, error) {
	args, err := c.args(call)
	if err != nil {
		return nil, err
	}
	x, want := args[0], call.Op == rex.IsNull
	return func(ctx *Ctx, row value.Row) value.Value { return value.Bool(x(ctx, row).IsNull() == want) }, nil
}

func evalIsTruth(c *compiler, call *rex.Call) (Eval, error) {
	args, err := c.args(call)
	if err != nil {
		return nil, err
	}
	x := args[0]
	truth := call.Op == rex.IsTrue || call.Op == rex.IsNotTrue
	is := call.Op == rex.IsTrue || call.Op == rex.IsFalse
	return func(ctx *Ctx, row value.Row) value.Value {
		v := x(ctx, row)
		return value.Bool((!v.IsNull() && v.Bool() == truth) == is)
	}, nil
}
