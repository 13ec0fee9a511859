package rex

import (
	"github.com/labgrade/labgrade/value"
)

// BoolType is BOOLEAN with the given nullability.
func BoolType(nullable bool) value.Type {
	return value.Type{Kind: value.KindBoolean, Nullable: nullable}
}

// BoolLiteral is TRUE or FALSE.
func BoolLiteral(b bool) *Literal { return &Literal{V: value.Bool(b), T: BoolType(false)} }

// NullLiteral is NULL of a type.
func NullLiteral(t value.Type) *Literal {
	t.Nullable = true
	return &Literal{V: value.Null, T: t}
}

// IsLiteralTrue, IsLiteralFalse and IsLiteralNull look at constants.
func IsLiteralTrue(e Expr) bool {
	l, ok := e.(*Literal)
	return ok && l.T.Kind == value.KindBoolean && !l.V.IsNull() && l.V.Bool()
}

// IsLiteralFalse reports the constant FALSE.
func IsLiteralFalse(e Expr) bool {
	l, ok := e.(*Literal)
	return ok && l.T.Kind == value.KindBoolean && !l.V.IsNull() && !l.V.Bool()
}

// IsAlwaysTrue looks through casts and tests of truth (Calcite's RexNode.isAlwaysTrue).
func IsAlwaysTrue(e Expr) bool {
	c, ok := e.(*Call)
	if !ok {
		return IsLiteralTrue(e)
	}
	switch c.Op {
	case IsNotNull:
		return !c.Args[0].Type().Nullable
	case IsNotTrue, IsFalse, Not:
		return IsAlwaysFalse(c.Args[0])
	case IsNotFalse, IsTrue, Cast:
		return IsAlwaysTrue(c.Args[0])
	}
	return false
}

// IsAlwaysFalse is its counterpart (RexNode.isAlwaysFalse).
func IsAlwaysFalse(e Expr) bool {
	c, ok := e.(*Call)
	if !ok {
		return IsLiteralFalse(e)
	}
	switch c.Op {
	case IsNull:
		return !c.Args[0].Type().Nullable
	case IsNotTrue, IsFalse, Not:
		return IsAlwaysTrue(c.Args[0])
	case IsNotFalse, IsTrue, Cast:
		return IsAlwaysFalse(c.Args[0])
	}
	return false
}

// IsLiteralNull reports a NULL constant of any type.
func IsLiteralNull(e Expr) bool {
	l, ok := e.(*Literal)
	return ok && l.V.IsNull()
}

// SameType compares types as Calcite's digests do: nullability counts, time attributes too.
func SameType(a, b value.Type) bool {
	if a.Kind != b.Kind || a.Nullable != b.Nullable {
		return false
	}
	return TypeText(a, true) == TypeText(b, true)
}

// SameTypeSansNullability ignores the outer nullability.
func SameTypeSansNullability(a, b value.Type) bool {
	if a.Kind != b.Kind {
		return false
	}
	a.Nullable, b.Nullable = true, true
	return TypeText(a, true) == TypeText(b, true)
}

// Key identifies an expression: two expressions with one key are the same to Calcite.
func Key(e Expr) string {
	if r, ok := e.(*InputRef); ok {
		return "$" + itoa(r.Index)
	}
	return Digest(e)
}

func itoa(n int) string {
	if n < 0 {
		return "-" + itoa(-n)
	}
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

// Equal compares expressions by digest.
func Equal(a, b Expr) bool {
	if a == b {
		return true
	}
	return Key(a) == Key(b)
}

// Conjunctions flattens AND; TRUE vanishes.
func Conjunctions(e Expr) []Expr {
	var out []Expr
	var walk func(Expr)
	walk = func(e Expr) {
		if c, ok := e.(*Call); ok && c.Op == And {
			for _, a := range c.Args {
				walk(a)
			}
			return
		}
		if e == nil || IsAlwaysTrue(e) {
			return
		}
		out = append(out, e)
	}
	walk(e)
	return out
}

// Disjunctions flattens OR; FALSE vanishes.
func Disjunctions(e Expr) []Expr {
	var out []Expr
	var walk func(Expr)
	walk = func(e Expr) {
		if c, ok := e.(*Call); ok && c.Op == Or {
			for _, a := range c.Args {
				walk(a)
			}
			return
		}
		if e == nil || IsAlwaysFalse(e) {
			return
		}
		out = append(out, e)
	}
	walk(e)
	return out
}

func anyNullable(list []Expr) bool {
	for _, e := range list {
		if e.Type().Nullable {
			return true
		}
	}
	return false
}

// AndOf is RexUtil.composeConjunction: flat, without duplicates and TRUE, FALSE if
// any term is; TRUE for nothing.
func AndOf(terms []Expr) Expr {
	flat, dead := compose(terms, And, IsAlwaysTrue, IsAlwaysFalse)
	if dead {
		return BoolLiteral(false)
	}
	switch len(flat) {
	case 0:
		return BoolLiteral(true)
	case 1:
		return flat[0]
	}
	return &Call{Op: And, Args: flat, T: BoolType(anyNullable(flat))}
}

// OrOf is RexUtil.composeDisjunction: FALSE for nothing.
func OrOf(terms []Expr) Expr {
	flat, dead := compose(terms, Or, IsAlwaysFalse, IsAlwaysTrue)
	if dead {
		return BoolLiteral(true)
	}
	switch len(flat) {
	case 0:
		return BoolLiteral(false)
	case 1:
		return flat[0]
	}
	return &Call{Op: Or, Args: flat, T: BoolType(anyNullable(flat))}
}

func compose(terms []Expr, op *Op, neutral, dominant func(Expr) bool) (flat []Expr, dead bool) {
	seen := map[string]bool{}
	var walk func(Expr)
	walk = func(e Expr) {
		if e == nil {
			return
		}
		if c, ok := e.(*Call); ok && c.Op == op {
			for _, a := range c.Args {
				walk(a)
			}
			return
		}
		if dominant(e) {
			dead = true
			return
		}
		if neutral(e) {
			return
		}
		k := Key(e)
		if !seen[k] {
			seen[k] = true
			flat = append(flat, e)
		}
	}
	for _, t := range terms {
		walk(t)
	}
	return flat, dead
}

// NotOf is RexUtil.not: constants turn, NOT NOT x is x.
func NotOf(e Expr) Expr {
	switch {
	case IsLiteralTrue(e):
		return BoolLiteral(false)
	case IsLiteralFalse(e):
		return BoolLiteral(true)
	}
	if c, ok := e.(*Call); ok && c.Op == Not {
		return c.Args[0]
	}
	return &Call{Op: Not, Args: []Expr{e}, T: BoolType(e.Type().Nullable)}
}

// IsOf makes IS NULL and its kin, which are never NULL.
func IsOf(op *Op, e Expr) Expr { return &Call{Op: op, Args: []Expr{e}, T: BoolType(false)} }

// Compare makes a comparison.
func Compare(op *Op, a, b Expr) Expr {
	return &Call{Op: op, Args: []Expr{a, b}, T: BoolType(a.Type().Nullable || b.Type().Nullable)}
}

// Transform rewrites bottom-up: f sees each node after its children; returning the
// node itself keeps it. Windows, sub-queries and pattern references are left alone
// inside except for their own arguments.
func Transform(e Expr, f func(Expr) Expr) Expr {
	switch x := e.(type) {
	case *Call:
		var args []Expr
		for i, a := range x.Args {
			n := Transform(a, f)
			if n != a && args == nil {
				args = append([]Expr(nil), x.Args...)
			}
			if args != nil {
				args[i] = n
			}
		}
		if args != nil {
			c := *x
			c.Args = args
			return f(&c)
		}
		return f(x)
	case *Field:
		n := Transform(x.X, f)
		if n != x.X {
			c := *x
			c.X = n
			return f(&c)
		}
		return f(x)
	case *Over:
		c := *x
		c.Args = transformList(x.Args, f)
		c.PartitionBy = transformList(x.PartitionBy, f)
		c.OrderBy = append([]OrderKey(nil), x.OrderBy...)
		for i := range c.OrderBy {
			c.OrderBy[i].X = Transform(c.OrderBy[i].X, f)
		}
		return f(&c)
	case *SubQuery:
		c := *x
		c.Args = transformList(x.Args, f)
		return f(&c)
	}
	return f(e)
}

func transformList(list []Expr, f func(Expr) Expr) []Expr {
	out := make([]Expr, len(list))
	for i, e := range list {
		out[i] = Transform(e, f)
	}
	return out
}

// Walk visits e and everything below it, parents first; f returning false cuts.
func Walk(e Expr, f func(Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	switch x := e.(type) {
	case *Call:
		for _, a := range x.Args {
			Walk(a, f)
		}
	case *Field:
		Walk(x.X, f)
	case *Over:
		for _, a := range x.Args {
			Walk(a, f)
		}
		for _, a := range x.PartitionBy {
			Walk(a, f)
		}
		for _, k := range x.OrderBy {
			Walk(k.X, f)
		}
	case *SubQuery:
		for _, a := range x.Args {
			Walk(a, f)
		}
	}
}

// Substitute replaces each input column by an expression over another row.
func Substitute(e Expr, with []Expr) Expr {
	return Transform(e, func(x Expr) Expr {
		if r, ok := x.(*InputRef); ok {
			return with[r.Index]
		}
		return x
	})
}

// Renumber replaces input columns by others; the types stay.
func Renumber(e Expr, to func(int) int) Expr {
	return Transform(e, func(x Expr) Expr {
		if r, ok := x.(*InputRef); ok {
			if n := to(r.Index); n != r.Index {
				return &InputRef{Index: n, T: r.T}
			}
		}
		return x
	})
}

// Refs lists the input columns in order of first mention.
func Refs(exprs ...Expr) []int {
	var out []int
	seen := map[int]bool{}
	for _, e := range exprs {
		Walk(e, func(x Expr) bool {
			if r, ok := x.(*InputRef); ok && !seen[r.Index] {
				seen[r.Index] = true
				out = append(out, r.Index)
			}
			return true
		})
	}
	return out
}

// Deterministic reports that e holds no RAND, UUID, CURRENT_TIMESTAMP and the like.
func Deterministic(e Expr) bool {
	ok := true
	Walk(e, func(x Expr) bool {
		if c, is := x.(*Call); is && c.Op.NonDeterministic {
			ok = false
		}
		return ok
	})
	return ok
}

// Constant reports that e has no input columns, sub-queries or windows.
func Constant(e Expr) bool {
	ok := true
	Walk(e, func(x Expr) bool {
		switch x.(type) {
		case *InputRef, *SubQuery, *Over, *CorrelVar, *PatternRef, *TableInput:
			ok = false
		}
		return ok
	})
	return ok
}
