package bind

import (
	"strings"

	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// varianceOver is VAR_POP and its like as sums over the window (AvgVarianceConvertlet): the mean of squares
// less the square of the mean, all in the type of the average; STDDEV is its square root.
func (x *exprs) varianceOver(o *rex.Over, name string, empty bool) (rex.Expr, error) {
	sum := func(arg rex.Expr) (rex.Expr, error) {
		r, err := fn.ResolveAggregate(x.b.fn, "SUM", []rex.Expr{arg}, fn.AggregateUse{Over: true, Global: empty, Distinct: o.Distinct})
		if err != nil {
			return nil, err
		}
		s := *o
		s.Agg, s.Args, s.T = r.Op, r.Args, r.T
		if s.T.Nullable {
			return x.sumOver(&s)
		}
		return &s, nil
	}
	var err error
	compute := func(op string, args ...rex.Expr) rex.Expr {
		if err != nil {
			return nil
		}
		var e rex.Expr
		e, err = x.resolve(op, args...)
		return e
	}
	cast := func(e rex.Expr) rex.Expr {
		if err != nil {
			return nil
		}
		return fn.Ensure(o.T, e)
	}
	arg := fn.Ensure(o.T, o.Args[0])
	square := cast(compute("*", arg, arg))
	if err != nil {
		return nil, err
	}
	squares, err := sum(square)
	if err != nil {
		return nil, err
	}
	total, err := sum(arg)
	if err != nil {
		return nil, err
	}
	count := *o
	count.Agg, count.Args, count.T = fn.AggregateOp("COUNT"), []rex.Expr{arg}, value.TBigInt.NotNull()
	all := cast(&count)
	mean := cast(compute("/", cast(compute("*", cast(total), cast(total))), all))
	rest := cast(compute("-", cast(squares), mean))
	by := all
	if !strings.HasSuffix(name, "_POP") {
		one := intLiteral(1)
		less := compute("-", &count, one)
		alone := compute("=", &count, one)
		if err != nil {
			return nil, err
		}
		t := less.Type().AsNullable()
		by = &rex.Call{Op: rex.Case, Args: []rex.Expr{alone, rex.NullLiteral(t), less}, T: t}
	}
	out := compute("/", rest, by)
	if strings.HasPrefix(name, "STDDEV") {
		half, herr := numberLiteral("0.5", false)
		if err == nil {
			err = herr
		}
		out = compute("POWER", cast(out), half)
	}
	if err != nil {
		return nil, err
	}
	return fn.MakeCast(o.T, fn.Ensure(o.T, out)), nil
}
