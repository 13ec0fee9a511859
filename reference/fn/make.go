package fn

import (
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// MakeCast is Calcite's RexBuilder.makeCast to exactly type t: a literal takes the
// type itself, below a cast that only makes it nullable where t is nullable.
func MakeCast(t value.Type, x rex.Expr) rex.Expr {
	if x.Type().Equal(t) {
		return x
	}
	if l, ok := x.(*rex.Literal); ok && t.Nullable && !l.T.Nullable && literalFits(t, l) {
		return &rex.Call{Op: rex.Cast, Args: []rex.Expr{makeCast(t.NotNull(), x)}, T: t}
	}
	return makeCast(t, x)
}

// Ensure casts x to type t, keeping the nullability of x.
func Ensure(t value.Type, x rex.Expr) rex.Expr { return ensure(t, x, true) }
