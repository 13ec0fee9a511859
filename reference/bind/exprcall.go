package bind

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

// call binds a function call: scalar, aggregate (illegal here) or windowed.
func (x *exprs) call(e *sql.Call) (rex.Expr, error) {
	name := strings.ToUpper(callName(e))
	if x.sc.pattern != nil {
		if r, err := x.matchCall(e, name); r != nil || err != nil {
			return r, err
		}
	}
	if e.Over != nil || e.OverName != "" {
		return x.over(e)
	}
	if isAuxiliary(name) && x.agg != nil {
		return nil, flinkerr.Validator("Call to auxiliary group function '%s' must have matching call to group function '%s' in GROUP BY clause",
			name, "$"+groupOf(name))
	}
	if groupWindowOp(name) != nil {
		return nil, flinkerr.Validator("Group function '$%s' can only appear in GROUP BY clause", name)
	}
	if isAuxiliary(name) {
		args, err := x.bindAll(e.Args...)
		if err != nil {
			return nil, err
		}
		return nil, noCode(name, args)
	}
	if isAggregateCall(e) {
		if x.noAgg != "" {
			if x.noAgg == "FILTER" {
				return nil, flinkerr.Validator("FILTER must not contain aggregate expression")
			}
			return nil, flinkerr.Validator("Aggregate expression is illegal in %s clause", x.noAgg)
		}
		if x.inAgg {
			return nil, flinkerr.Validator("Aggregate expressions cannot be nested")
		}
		return nil, unsupported.New("aggregate %s here", name)
	}
	if needsOver(name) {
		return nil, flinkerr.Validator("OVER clause is necessary for window functions")
	}
	if e.Star {
		return nil, flinkerr.Validator("Unknown identifier '*'")
	}
	if isTableFunction(name) {
		return nil, flinkerr.New(flinkerr.ClassCalcite, "Cannot call table function here: '%s'", name)
	}
	if e.Syntax == "SPECIAL" && name == "MINUS_DATE" {
		return x.difference(e)
	}
	args := make([]rex.Expr, len(e.Args))
	for i, a := range e.Args {
		if na, ok := a.(*sql.NamedArg); ok {
			return nil, unsupported.New("named argument %s", na.Name.Text)
		}
		r, err := x.bind(a)
		if err != nil {
			return nil, err
		}
		args[i] = r
	}
	ctx := *x.b.fn
	ctx.Written = callName(e)
	out, err := fn.Resolve(&ctx, name, args)
	if err != nil {
		return nil, err
	}
	return out, x.onlyForAggregates(e, name)
}

// onlyForAggregates refuses DISTINCT, ALL and FILTER of a scalar function.
func (x *exprs) onlyForAggregates(e *sql.Call, name string) error {
	if e.Distinct || e.All {
		return flinkerr.Validator("DISTINCT/ALL not allowed with %s function", name)
	}
	if e.Filter == nil {
		return nil
	}
	in := *x
	in.noAgg = "FILTER"
	if _, err := in.bind(e.Filter); err != nil {
		return err
	}
	return flinkerr.Validator("FILTER must be applied to aggregate function")
}

// difference is (a - b) DAY TO SECOND.
func (x *exprs) difference(e *sql.Call) (rex.Expr, error) {
	args, err := x.bindAll(e.Args[:2]...)
	if err != nil {
		return nil, err
	}
	from, to, _ := strings.Cut(e.Args[2].(*sql.Flag).Text, " TO ")
	t, err := intervalType(sql.IntervalUnit{From: from, To: to, ToPrecision: -1})
	if err != nil {
		return nil, err
	}
	for _, a := range args {
		if !a.Type().IsDatetime() {
			return nil, unsupported.New("difference of %s", a.Type())
		}
		t.Nullable = t.Nullable || a.Type().Nullable
	}
	if a, b := args[0].Type(), args[1].Type(); a.Kind != b.Kind && (!a.IsTimestamp() || !b.IsTimestamp()) {
		return nil, flinkerr.Validator("Parameters must be of the same type")
	}
	return &rex.Call{Op: rex.Minus, Args: args, T: t}, nil
}
