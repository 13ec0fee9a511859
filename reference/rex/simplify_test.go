package rex

import (
	"testing"

	"github.com/labgrade/labgrade/value"
)

// Columns of the tests: $0 and $1 may be NULL, $2 may not.
var (
	a = &InputRef{Index: 0, T: value.TInt.AsNullable()}
	b = &InputRef{Index: 1, T: value.TInt.AsNullable()}
	n = &InputRef{Index: 2, T: value.TInt.NotNull()}
)

func lit(i int64) Expr { return &Literal{V: value.Int(i), T: value.TInt.NotNull()} }

func call(op *Op, args ...Expr) Expr {
	null := false
	for _, x := range args {
		null = null || x.Type().Nullable
	}
	t := BoolType(null)
	switch op {
	case Plus, Minus, Times, Divide:
		t = value.TInt.WithNullable(null)
	case IsNull, IsNotNull:
		t = BoolType(false)
	}
	return &Call{Op: op, Args: args, T: t}
}

func TestValuesKeepUnknown(t *testing.T) {
	for _, c := range []struct {
		e    Expr
		want string
	}{
		{call(And, call(Gt, a, lit(1)), call(Gt, a, lit(2))), ">($0, 2)"},
		{call(Or, call(Gt, a, lit(1)), call(Gt, a, lit(2))), ">($0, 1)"},
		{call(And, call(Gt, a, lit(1)), call(Lt, a, lit(5))), "SEARCH($0, Sarg[(1..5)])"},
		{call(And, call(Eq, a, lit(1)), call(Eq, a, lit(2))), "<>($0, $0)"},
		{call(Or, call(IsNull, a), call(Eq, a, lit(1))), "CAST(SEARCH($0, Sarg[1; NULL AS TRUE])):BOOLEAN"},
		{call(IsNull, n), "false"},
		{call(Not, call(IsNull, a)), "IS NOT NULL($0)"},
		{call(Plus, a, lit(0)), "$0"},
		{call(Times, lit(1), n), "$2"},
		{call(Minus, lit(0), a), "-(0, $0)"},
		{call(Plus, a, NullLiteral(value.TInt)), "null:INTEGER"},
		{call(And, NullLiteral(BoolType(true)), call(Gt, a, lit(1))), "AND(null, >($0, 1))"},
	} {
		s := &Simplifier{KeepOrder: true}
		if got := Digest(s.Value(c.e)); got != c.want {
			t.Errorf("%s\n  gives %s\n  want  %s", Digest(c.e), got, c.want)
		}
	}
}

func TestConditionsTakeUnknownForFalse(t *testing.T) {
	join := call(Eq, a, b)
	for _, c := range []struct {
		e    Expr
		want string
	}{
		{call(And, join, call(Gt, a, lit(3)), call(Gt, a, lit(4))), "AND(=($0, $1), >($0, 4))"},
		{call(And, join, call(Ge, a, lit(3)), call(Lt, a, lit(3))), "false"},
		{call(And, join, call(Eq, a, lit(3)), call(Lt, a, lit(7))), "AND(=($0, $1), =($0, 3))"},
		{call(And, join, call(Eq, a, lit(3)), call(Eq, a, lit(4))), "false"},
		{call(And, join, call(IsNotNull, a)), "=($0, $1)"},
		{call(And, join, NullLiteral(BoolType(true))), "false"},
	} {
		s := &Simplifier{KeepOrder: true}
		if got := Digest(s.Condition(c.e)); got != c.want {
			t.Errorf("%s\n  gives %s\n  want  %s", Digest(c.e), got, c.want)
		}
	}
}
