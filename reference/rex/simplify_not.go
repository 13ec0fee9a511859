package rex

func (s *Simplifier) not(c *Call, unk unknownAs) Expr {
	a := c.Args[0]
	if l, ok := a.(*Literal); ok && !l.V.IsNull() {
		return BoolLiteral(!l.V.Bool())
	}
	if x, ok := a.(*Call); ok {
		switch x.Op {
		case Not:
			return s.simplify(x.Args[0], unk)
		case Search:
			if g, ok := x.Args[1].(*Sarg); ok {
				set, nullAs := setOf(g)
				n, ok := set.complement().toSarg(nullAs.negate(), g.T)
				if !ok {
					s.Unsure = true
					return c
				}
				return s.search(&Call{Op: Search, Args: []Expr{x.Args[0], n}, T: x.T}, unk.negate())
			}
		case And, Or:
			args := make([]Expr, len(x.Args))
			for i, o := range x.Args {
				args[i] = s.simplify(NotOf(o), unk)
			}
			op := Or
			if x.Op == Or {
				op = And
			}
			return s.simplify(&Call{Op: op, Args: args, T: BoolType(anyNullable(args))}, unk)
		case Case:
			args := append([]Expr(nil), x.Args...)
			for i := 1; i < len(args); i += 2 {
				args[i] = NotOf(args[i])
			}
			args[len(args)-1] = NotOf(x.Args[len(args)-1])
			return s.simplify(&Call{Op: Case, Args: args, T: x.T}, unk)
		default:
			if n := negateOp(x.Op); n != nil {
				return s.simplify(&Call{Op: n, Args: x.Args, T: x.T}, unk)
			}
		}
	}
	n := s.simplify(a, unk.negate())
	if n == a {
		return c
	}
	return NotOf(n)
}

// is simplifies IS NULL, IS TRUE and their kin; nil means no change.
func (s *Simplifier) is(op *Op, a Expr, unk unknownAs) Expr {
	switch {
	case op == IsTrue && unk == asFalse, op == IsNotFalse && unk == asTrue:
		return s.simplify(a, unk)
	case op == IsFalse && unk == asFalse, op == IsNotTrue && unk == asTrue:
		return s.simplify(NotOf(a), unk)
	}
	if op == IsNull || op == IsNotNull {
		for _, p := range s.Preds {
			if c, ok := p.(*Call); ok && c.Op == op && Equal(c.Args[0], a) {
				return BoolLiteral(true)
			}
		}
	}
	switch op {
	case IsNull:
		if n := s.isNull(a); n != nil {
			return n
		}
	case IsNotNull:
		if n := s.isNotNull(a); n != nil {
			return n
		}
	case IsTrue:
		if s.neverNull(a) {
			return s.simplify(a, unk)
		}
		n := s.simplify(a, asFalse)
		if n == a {
			return nil
		}
		return s.isTrueOf(n)
	case IsNotFalse:
		if s.neverNull(a) {
			return s.simplify(a, unk)
		}
		n := s.simplify(a, asTrue)
		if n == a {
			return nil
		}
		if !n.Type().Nullable {
			return n
		}
		return IsOf(IsNotFalse, n)
	case IsFalse, IsNotTrue:
		if s.neverNull(a) {
			return s.simplify(NotOf(a), unk)
		}
	}
	if c, ok := a.(*Call); ok && c.Op == Not {
		flip := map[*Op]*Op{IsTrue: IsFalse, IsFalse: IsTrue, IsNotTrue: IsNotFalse, IsNotFalse: IsNotTrue, IsNull: IsNull, IsNotNull: IsNotNull}[op]
		return s.simplify(IsOf(flip, c.Args[0]), asUnknown)
	}
	n := s.simplify(a, asUnknown)
	if n != a {
		return IsOf(op, n)
	}
	return nil
}

// neverNull is RelOptPredicateList.isEffectivelyNotNull: by its type, by a predicate, or as a
// comparison of such operands.
func (s *Simplifier) neverNull(e Expr) bool {
	if !e.Type().Nullable {
		return true
	}
	for _, p := range s.Preds {
		if c, ok := p.(*Call); ok && c.Op == IsNotNull && Equal(c.Args[0], e) {
			return true
		}
	}
	c, ok := e.(*Call)
	if !ok || !isComparison(c.Op) {
		return false
	}
	return s.neverNull(c.Args[0]) && s.neverNull(c.Args[1])
}

func (s *Simplifier) isTrueOf(e Expr) Expr {
	switch {
	case IsLiteralTrue(e):
		return BoolLiteral(true)
	case IsLiteralFalse(e):
		return BoolLiteral(false)
	case !e.Type().Nullable:
		return e
	}
	if c, ok := e.(*Call); ok && c.Op == Not {
		return IsOf(IsFalse, c.Args[0])
	}
	return IsOf(IsTrue, e)
}

// strongAny lists the operators that are NULL exactly when an argument is.
func strongAny(op *Op) bool {
	switch op {
	case Eq, Ne, Lt, Le, Gt, Ge, Plus, Minus, Times, Divide, UnaryMinus, UnaryPlus, Like, SimilarTo, Not, Reinterpret:
		return true
	}
	switch op.Name {
	case "TRIM", "CEIL", "FLOOR", "EXTRACT":
		return true
	}
	return false
}

func (s *Simplifier) isNull(a Expr) Expr {
	a0 := a
	a = s.simplify(a, asUnknown)
	if !a.Type().Nullable && safe(a) {
		return BoolLiteral(false)
	}
	if c, ok := a.(*Call); ok && c.Op == Cast && lossless(c.Args[0].Type(), c.T) {
		if !c.T.Nullable {
			return BoolLiteral(false)
		}
		return IsOf(IsNull, c.Args[0])
	}
	if IsLiteralNull(a) {
		return BoolLiteral(true)
	}
	if c, ok := a.(*Call); ok && strongAny(c.Op) {
		var or []Expr
		for _, x := range c.Args {
			n := s.isNull(x)
			if n == nil {
				n = IsOf(IsNull, x)
			}
			or = append(or, n)
		}
		return OrOf(or)
	}
	if a != a0 {
		return IsOf(IsNull, a)
	}
	return nil
}

func (s *Simplifier) isNotNull(a Expr) Expr {
	a0 := a
	a = s.simplify(a, asUnknown)
	if !a.Type().Nullable && safe(a) {
		return BoolLiteral(true)
	}
	if c, ok := a.(*Call); ok && c.Op == Cast && lossless(c.Args[0].Type(), c.T) {
		if !c.T.Nullable {
			return BoolLiteral(true)
		}
		return IsOf(IsNotNull, c.Args[0])
	}
	if IsLiteralNull(a) {
		return BoolLiteral(false)
	}
	for _, p := range s.Preds {
		if Equal(p, a) {
			return BoolLiteral(true)
		}
	}
	if c, ok := a.(*Call); ok && strongAny(c.Op) {
		var and []Expr
		for _, x := range c.Args {
			n := s.isNotNull(x)
			if n == nil {
				n = IsOf(IsNotNull, x)
			}
			if IsLiteralFalse(n) {
				return BoolLiteral(false)
			}
			and = append(and, n)
		}
		return AndOf(and)
	}
	if a != a0 {
		return IsOf(IsNotNull, a)
	}
	return nil
}
