package fn

import (
	"strings"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

var _ = strings.ToUpper

// resolve is a first body: logic, comparison and arithmetic over numbers of one type.
func resolve(_ *Context, name string, args []rex.Expr) (rex.Expr, error) {
	nullable := false
	for _, a := range args {
		nullable = nullable || a.Type().Nullable
	}
	boolean := value.Type{Kind: value.KindBoolean, Nullable: nullable}
	op := func(o *rex.Op, t value.Type) (rex.Expr, error) { return &rex.Call{Op: o, Args: args, T: t}, nil }
	switch strings.ToUpper(name) {
	case "AND":
		return op(rex.And, boolean)
	case "OR":
		return op(rex.Or, boolean)
	case "NOT":
		return op(rex.Not, boolean)
	case "=":
		return op(rex.Eq, boolean)
	case "<>":
		return op(rex.Ne, boolean)
	case "<":
		return op(rex.Lt, boolean)
	case "<=":
		return op(rex.Le, boolean)
	case ">":
		return op(rex.Gt, boolean)
	case ">=":
		return op(rex.Ge, boolean)
	case "IS NULL":
		return op(rex.IsNull, value.Type{Kind: value.KindBoolean})
	case "IS NOT NULL":
		return op(rex.IsNotNull, value.Type{Kind: value.KindBoolean})
	case "IS TRUE":
		return op(rex.IsTrue, value.Type{Kind: value.KindBoolean})
	case "+", "-", "*", "/":
		if len(args) == 2 {
			t := args[0].Type()
			if args[1].Type().Kind > t.Kind {
				t = args[1].Type()
			}
			t.Nullable = nullable
			o := map[string]*rex.Op{"+": rex.Plus, "-": rex.Minus, "*": rex.Times, "/": rex.Divide}[name]
			return op(o, t)
		}
		if len(args) == 1 && name == "-" {
			return op(rex.UnaryMinus, args[0].Type())
		}
	}
	return nil, unsupportedFunction(name)
}

func isAggregate(name string, over bool) bool {
	switch name {
	case "COUNT", "SUM", "MIN", "MAX", "AVG":
		return true
	case "ROW_NUMBER", "RANK", "DENSE_RANK":
		return over
	}
	return false
}

func resolveAggregate(_ *Context, name string, args []rex.Expr, use AggregateUse) (*Aggregate, error) {
	t := value.Type{Kind: value.KindBigInt}
	switch name {
	case "COUNT":
	case "SUM", "MIN", "MAX", "AVG":
		if len(args) != 1 {
			return nil, unsupportedFunction(name)
		}
		t = args[0].Type()
		t.Nullable = t.Nullable || use.Global || use.Filter
	default:
		return nil, unsupportedFunction(name)
	}
	return &Aggregate{Op: &rex.Op{Name: name, Aggregate: true}, Args: args, T: t}, nil
}

func resolveCast(_ *Context, x rex.Expr, to value.Type, try bool) (rex.Expr, error) {
	to.Nullable = x.Type().Nullable || try
	op := rex.Cast
	if try {
		op = rex.TryCast
	}
	return &rex.Call{Op: op, Args: []rex.Expr{x}, T: to}, nil
}

func leastRestrictive(types []value.Type) (value.Type, bool) {
	t := types[0]
	for _, o := range types[1:] {
		if o.Kind != t.Kind {
			return t, false
		}
		t.Nullable = t.Nullable || o.Nullable
	}
	return t, true
}
