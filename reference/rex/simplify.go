package rex

import "github.com/labgrade/labgrade/value"

// unknownAs says how the context takes UNKNOWN: Calcite's RexUnknownAs.
type unknownAs uint8

const (
	asUnknown unknownAs = iota
	asTrue
	asFalse
)

func (u unknownAs) negate() unknownAs {
	switch u {
	case asTrue:
		return asFalse
	case asFalse:
		return asTrue
	}
	return asUnknown
}

// or is RexUnknownAs.or: TRUE wins, then UNKNOWN.
func (u unknownAs) or(o unknownAs) unknownAs {
	switch {
	case u == asTrue || o == asTrue:
		return asTrue
	case u == asUnknown || o == asUnknown:
		return asUnknown
	}
	return asFalse
}

// Simplifier rewrites expressions as Calcite's RexSimplify does.
type Simplifier struct {
	// Preds hold of every input row.
	Preds []Expr
	// Fold evaluates a constant expression; ok is false where Flink leaves it alone.
	Fold func(Expr) (lit *Literal, ok bool)
	// FoldCast evaluates the cast of a literal; ok is false where Flink leaves it alone.
	FoldCast func(*Call) (lit Expr, ok bool)
	// KeepOrder leaves tests for NULL where they stand in an OR; Calcite's predicate
	// elimination moves them to its head.
	KeepOrder bool
	// Unsure is set when a rewriting met something whose result in Flink is not known.
	Unsure bool
}

func (s *Simplifier) with(preds []Expr) *Simplifier {
	c := *s
	c.Preds = append(append([]Expr(nil), s.Preds...), preds...)
	return &c
}

// Condition simplifies a filter: UNKNOWN counts as FALSE.
func (s *Simplifier) Condition(e Expr) Expr { return s.simplify(e, asFalse) }

// Value simplifies an expression whose type stays as it is.
func (s *Simplifier) Value(e Expr) Expr {
	n := s.simplify(e, asUnknown)
	if n == e || SameType(n.Type(), e.Type()) {
		return n
	}
	if IsLiteralNull(n) {
		return NullLiteral(e.Type())
	}
	if SameTypeSansNullability(n.Type(), e.Type()) {
		// A stricter result is cast back only where the types really differ for a reader:
		// RexSimplify.simplifyPreservingType with matchNullability.
		return &Call{Op: Cast, Args: []Expr{n}, T: e.Type()}
	}
	s.Unsure = true
	return e
}

func (s *Simplifier) simplify(e Expr, unk unknownAs) Expr {
	if alwaysNull(e) {
		if e.Type().Kind == value.KindBoolean && unk != asUnknown {
			return BoolLiteral(unk == asTrue)
		}
		if IsLiteralNull(e) {
			return e
		}
		return NullLiteral(e.Type())
	}
	c, ok := e.(*Call)
	if !ok {
		return e
	}
	switch c.Op {
	case And:
		return s.and(c, unk)
	case Or:
		return s.or(c, unk)
	case Not:
		return s.not(c, unk)
	case Case:
		return s.caseWhen(c, unk)
	case IsNull, IsNotNull, IsTrue, IsNotTrue, IsFalse, IsNotFalse:
		if n := s.is(c.Op, c.Args[0], unk); n != nil {
			return n
		}
		return c
	case Eq, Ne, Lt, Le, Gt, Ge:
		return s.comparison(c, unk)
	case IsDistinctFrom, IsNotDistinctFrom:
		test := IsNull
		if c.Op == IsDistinctFrom {
			test = IsNotNull
		}
		for i := range c.Args {
			if IsLiteralNull(c.Args[i]) {
				return s.simplify(IsOf(test, c.Args[1-i]), unk)
			}
		}
		if s.KeepOrder {
			break
		}
		if c.Op == IsDistinctFrom {
			a, b := c.Args[0], c.Args[1]
			some := &Call{Op: Or, Args: []Expr{IsOf(IsNotNull, a), IsOf(IsNotNull, b)}, T: BoolType(false)}
			return s.simplify(&Call{Op: And, Args: []Expr{some, IsOf(IsNotTrue, Compare(Eq, a, b))}, T: BoolType(false)}, unk)
		}
		if c.Op == IsNotDistinctFrom {
			a, b := c.Args[0], c.Args[1]
			both := &Call{Op: And, Args: []Expr{IsOf(IsNull, a), IsOf(IsNull, b)}, T: BoolType(false)}
			return s.simplify(&Call{Op: Or, Args: []Expr{both, IsOf(IsTrue, Compare(Eq, a, b))}, T: BoolType(false)}, unk)
		}
	case Search:
		return s.search(c, unk)
	case Cast:
		return s.cast(c)
	case UnaryMinus:
		if in, ok := c.Args[0].(*Call); ok && in.Op == UnaryMinus {
			return s.simplify(in.Args[0], unk)
		}
	case UnaryPlus:
		return s.simplify(c.Args[0], unk)
	case Plus, Minus, Times, Divide:
		if n := neutral(c); n != nil {
			return s.simplify(n, unk)
		}
	case Like:
		// x LIKE '%' holds of every x but NULL.
		if l, ok := c.Args[1].(*Literal); ok && !l.V.IsNull() && len(c.Args) == 2 && allPercent(l.V.Str()) {
			return s.simplify(Compare(Eq, c.Args[0], c.Args[0]), unk)
		}
	}
	if c.Op.Name == "CEIL" || c.Op.Name == "FLOOR" {
		return s.roundOnce(c)
	}
	if c.Op.Name == "COALESCE" && !s.KeepOrder {
		return s.coalesce(c)
	}
	return s.generic(c)
}

// neutral drops + 0, - 0, * 1 and / 1 of numbers.
func neutral(c *Call) Expr {
	if len(c.Args) != 2 || !c.T.IsNumeric() || !c.Args[0].Type().IsNumeric() || !c.Args[1].Type().IsNumeric() {
		return nil
	}
	is := func(e Expr, n int64) bool {
		l, ok := e.(*Literal)
		if !ok || l.V.IsNull() {
			return false
		}
		r, ok := rational(l.V, l.T)
		return ok && r.IsInt() && r.Num().IsInt64() && r.Num().Int64() == n
	}
	var keep Expr
	a, b := c.Args[0], c.Args[1]
	switch {
	case c.Op == Plus && is(a, 0), c.Op == Times && is(a, 1) && !is(b, 1):
		keep = b
	case c.Op == Plus && is(b, 0), c.Op == Minus && is(b, 0), c.Op == Times && is(b, 1), c.Op == Divide && is(b, 1):
		keep = a
	default:
		return nil
	}
	if SameType(keep.Type(), c.T) {
		return keep
	}
	return &Call{Op: Cast, Args: []Expr{keep}, T: c.T}
}

// coalesce cuts off what stands behind an argument that is never NULL:
// RemoveUnreachableCoalesceArgumentsRule.
func (s *Simplifier) coalesce(c *Call) Expr {
	args := s.list(c.Args, asUnknown)
	n := len(args)
	for i, a := range args {
		if !a.Type().Nullable {
			n = i + 1
			break
		}
	}
	if n == 1 {
		if SameType(args[0].Type(), c.T) {
			return args[0]
		}
		return &Call{Op: Cast, Args: []Expr{args[0]}, T: c.T}
	}
	if n == len(c.Args) && &args[0] == &c.Args[0] {
		return c
	}
	out := *c
	out.Args = args[:n]
	return &out
}

// Reachable cuts the arguments of COALESCE that are never reached, everywhere in e: a rule of its
// own, before constants are evaluated.
func Reachable(e Expr) Expr {
	return Transform(e, func(x Expr) Expr {
		c, ok := x.(*Call)
		if !ok || c.Op.Name != "COALESCE" {
			return x
		}
		for i, a := range c.Args {
			if a.Type().Nullable {
				continue
			}
			if i == 0 {
				if SameType(a.Type(), c.T) {
					return a
				}
				return &Call{Op: Cast, Args: []Expr{a}, T: c.T}
			}
			n := *c
			n.Args = c.Args[:i+1]
			return &n
		}
		return x
	})
}

func allPercent(p string) bool {
	for _, r := range p {
		if r != '%' {
			return false
		}
	}
	return p != ""
}

// list simplifies operands; the same slice comes back if nothing changed.
func (s *Simplifier) list(args []Expr, unk unknownAs) []Expr {
	var out []Expr
	for i, a := range args {
		n := s.simplify(a, unk)
		if n != a && out == nil {
			out = append([]Expr(nil), args...)
		}
		if out != nil {
			out[i] = n
		}
	}
	if out == nil {
		return args
	}
	return out
}

func (s *Simplifier) generic(c *Call) Expr {
	args := s.list(c.Args, asUnknown)
	if len(args) == 0 || &args[0] == &c.Args[0] {
		return c
	}
	n := *c
	n.Args = args
	return &n
}

func (s *Simplifier) cast(c *Call) Expr {
	x := s.simplify(c.Args[0], asUnknown)
	if x != c.Args[0] && IsLiteralNull(x) {
		return NullLiteral(c.T)
	}
	// A cast to the same type, or one that only loses nullability, vanishes.
	if SameType(c.T, x.Type()) || c.T.Nullable && !x.Type().Nullable && SameTypeSansNullability(c.T, x.Type()) && !isLiteral(x) {
		return x
	}
	if in, ok := x.(*Call); ok && in.Op == Cast && lossless(in.Args[0].Type(), in.T) {
		from := in.Args[0].Type()
		if (from.Kind == value.KindChar || in.T.Kind != value.KindChar) &&
			(SameType(c.T, from) || c.T.Nullable && SameTypeSansNullability(c.T, from)) {
			return in.Args[0]
		}
	}
	if in, ok := x.(*Call); ok && in.Op == Cast && (in.Args[0].Type().IsCharacter() || in.Args[0].Type().IsNumeric()) && c.T.Kind == value.KindVarchar && in.T.Kind == value.KindVarchar &&
		lossless(in.Args[0].Type(), in.T) && lossless(in.Args[0].Type(), c.T) && !isLiteral(in.Args[0]) {
		n := *c
		n.Args = []Expr{in.Args[0]}
		return &n
	}
	if x != c.Args[0] {
		n := *c
		n.Args = []Expr{x}
		return s.castLiteral(&n)
	}
	return s.castLiteral(c)
}

// lossless is RexUtil.isLosslessCast: integers and text that grow wider, numbers to text
// with room for their sign, digits and point.
func lossless(from, to value.Type) bool {
	switch {
	case from.IsNumeric() && to.IsCharacter():
		return to.Length >= digits(from)+1 && (from.Kind != value.KindDecimal || from.Scale == 0 || to.Length >= from.Precision+from.Scale+2)
	case from.IsInteger() && to.IsInteger():
		return from.Kind <= to.Kind
	case from.IsCharacter() && to.Kind == value.KindVarchar:
		return from.Length <= to.Length
	}
	return false
}

// digits is the precision that Calcite gives a numeric type.
func digits(t value.Type) int {
	switch t.Kind {
	case value.KindTinyInt:
		return 3
	case value.KindSmallInt:
		return 5
	case value.KindInt:
		return 10
	case value.KindBigInt:
		return 19
	case value.KindDecimal:
		return t.Precision
	case value.KindFloat:
		return 7
	}
	return 15
}

func isLiteral(e Expr) bool { _, ok := e.(*Literal); return ok }
