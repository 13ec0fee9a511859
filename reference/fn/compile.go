package fn

import (
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// Predicate tells whether a row satisfies a condition; UNKNOWN counts as false.
type Predicate func(c *Ctx, row value.Row) bool

// builder compiles a call of one function.
type builder func(c *compiler, call *rex.Call) (Eval, error)

// compiler turns expressions into closures.
type compiler struct{ env *Env }

// Compile turns an expression into a closure. What cannot be computed exactly is
// refused with an unsupported error; what Flink itself refuses when it generates
// code gives Flink's error.
func Compile(e rex.Expr, env *Env) (Eval, error) {
	if env == nil {
		env = &Env{}
	}
	return (&compiler{env: env}).compile(e)
}

// CompilePredicate compiles a condition.
func CompilePredicate(e rex.Expr, env *Env) (Predicate, error) {
	if env == nil {
		env = &Env{}
	}
	return (&compiler{env: env}).predicate(e)
}

func (c *compiler) compile(e rex.Expr) (Eval, error) {
	switch e := e.(type) {
	case *rex.InputRef:
		i := e.Index
		return func(_ *Ctx, row value.Row) value.Value { return row[i] }, nil
	case *rex.Literal:
		return constant(e.V), nil
	case *rex.Call:
		f, ok := e.Op.Impl.(*function)
		if !ok || f.eval == nil {
			return nil, unsupported.New("function %s", e.Op.Name)
		}
		if f.refuse != "" {
			return nil, unsupported.New("function %s: %s", e.Op.Name, f.refuse)
		}
		return f.eval(c, e)
	case *rex.Field:
		x, err := c.compile(e.X)
		if err != nil {
			return nil, err
		}
		i := e.Index
		return func(ctx *Ctx, row value.Row) value.Value {
			v := x(ctx, row)
			if v.IsNull() {
				return value.Null
			}
			return v.Composite().Elems[i]
		}, nil
	}
	return nil, unsupported.New("expression %s", rex.Digest(e))
}

func constant(v value.Value) Eval { return func(*Ctx, value.Row) value.Value { return v } }

func (c *compiler) args(call *rex.Call) ([]Eval, error) {
	out := make([]Eval, len(call.Args))
	for i, a := range call.Args {
		f, err := c.compile(a)
		if err != nil {
			return nil, err
		}
		out[i] = f
	}
	return out, nil
}

// strict1, strict2 and strict3 make functions that are NULL as soon as an argument is.
func strict1(f func(c *Ctx, a value.Value) value.Value) builder {
	return func(c *compiler, call *rex.Call) (Eval, error) {
		args, err := c.args(call)
		if err != nil {
			return nil, err
		}
		x := args[0]
		return func(ctx *Ctx, row value.Row) value.Value {
			a := x(ctx, row)
			if a.IsNull() {
				return value.Null
			}
			return f(ctx, a)
		}, nil
	}
}

func strict2(f func(c *Ctx, a, b value.Value) value.Value) builder {
	return func(c *compiler, call *rex.Call) (Eval, error) {
		args, err := c.args(call)
		if err != nil {
			return nil, err
		}
		return eval2(args[0], args[1], f), nil
	}
}

func eval2(x, y Eval, f func(c *Ctx, a, b value.Value) value.Value) Eval {
	return func(ctx *Ctx, row value.Row) value.Value {
		// Flink computes all operands before it looks for NULLs: a failure of one shows.
		a, b := x(ctx, row), y(ctx, row)
		if a.IsNull() || b.IsNull() {
			return value.Null
		}
		return f(ctx, a, b)
	}
}

// strictN is for any number of arguments; the slice is valid for the call only.
func strictN(f func(c *Ctx, args []value.Value) value.Value) builder {
	return func(c *compiler, call *rex.Call) (Eval, error) {
		args, err := c.args(call)
		if err != nil {
			return nil, err
		}
		return evalN(args, f), nil
	}
}

func evalN(args []Eval, f func(c *Ctx, args []value.Value) value.Value) Eval {
	return func(ctx *Ctx, row value.Row) value.Value {
		vs, null := ctx.take(len(args)), false
		for i, x := range args {
			vs[i] = x(ctx, row)
			null = null || vs[i].IsNull()
		}
		out := value.Null
		if !null {
			out = f(ctx, vs)
		}
		ctx.give(len(args))
		return out
	}
}

// lenient passes NULLs on to f; the slice is valid for the call only.
func lenient(f func(c *Ctx, args []value.Value) value.Value) builder {
	return func(c *compiler, call *rex.Call) (Eval, error) {
		args, err := c.args(call)
		if err != nil {
			return nil, err
		}
		return func(ctx *Ctx, row value.Row) value.Value {
			vs := ctx.take(len(args))
			for i, x := range args {
				vs[i] = x(ctx, row)
			}
			out := f(ctx, vs)
			ctx.give(len(args))
			return out
		}, nil
	}
}

// neverFails reports that computing e cannot end the job, so that it may be left
// out where Flink would compute it.
func neverFails(e rex.Expr) bool {
	switch e := e.(type) {
	case *rex.InputRef, *rex.Literal, *rex.Sarg:
		return true
	case *rex.Call:
		switch e.Op {
		case rex.And, rex.Or, rex.Not, rex.IsNull, rex.IsNotNull, rex.IsTrue, rex.IsNotTrue, rex.IsFalse, rex.IsNotFalse,
			rex.Plus, rex.Minus, rex.Times, rex.Search:
		case rex.Eq, rex.Ne, rex.Lt, rex.Le, rex.Gt, rex.Ge, rex.IsDistinctFrom, rex.IsNotDistinctFrom:
			// A text beside a point in time is cast to it, which may fail.
			if e.Args[0].Type().IsCharacter() != e.Args[1].Type().IsCharacter() {
				return false
			}
		default:
			return false
		}
		for _, a := range e.Args {
			if !neverFails(a) {
				return false
			}
		}
		return true
	}
	return false
}

// predicate compiles a condition to a bool, with short forms for AND, OR and
// comparisons of a column, which need no Value on the way. AND stops at UNKNOWN,
// where Flink goes on, so its short form is for operands that cannot fail.
func (c *compiler) predicate(e rex.Expr) (Predicate, error) {
	if call, ok := e.(*rex.Call); ok {
		if call.Op == rex.And && !neverFails(call) {
			f, err := c.compile(e)
			if err != nil {
				return nil, err
			}
			return truth(f), nil
		}
		switch call.Op {
		case rex.And:
			ps, err := c.predicates(call.Args)
			if err != nil {
				return nil, err
			}
			return func(ctx *Ctx, row value.Row) bool {
				for _, p := range ps {
					if !p(ctx, row) {
						return false
					}
				}
				return true
			}, nil
		case rex.Or:
			ps, err := c.predicates(call.Args)
			if err != nil {
				return nil, err
			}
			return func(ctx *Ctx, row value.Row) bool {
				for _, p := range ps {
					if p(ctx, row) {
						return true
					}
				}
				return false
			}, nil
		case rex.IsTrue:
			return c.predicate(call.Args[0])
		case rex.IsNull, rex.IsNotNull:
			if ref, ok := call.Args[0].(*rex.InputRef); ok {
				i, want := ref.Index, call.Op == rex.IsNull
				return func(_ *Ctx, row value.Row) bool { return row[i].IsNull() == want }, nil
			}
		}
		if p := comparePredicate(call); p != nil {
			return p, nil
		}
	}
	f, err := c.compile(e)
	if err != nil {
		return nil, err
	}
	return truth(f), nil
}

func truth(f Eval) Predicate {
	return func(ctx *Ctx, row value.Row) bool {
		v := f(ctx, row)
		return !v.IsNull() && v.Bool()
	}
}

func (c *compiler) predicates(args []rex.Expr) ([]Predicate, error) {
	ps := make([]Predicate, len(args))
	for i, a := range args {
		p, err := c.predicate(a)
		if err != nil {
			return nil, err
		}
		ps[i] = p
	}
	return ps, nil
}
