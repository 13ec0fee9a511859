package rex

import "github.com/labgrade/labgrade/value"

type caseBranch struct{ cond, value Expr }

// safe is Calcite's SafeRexVisitor: evaluating e early cannot fail. Division and
// functions are not safe.
func safe(e Expr) bool {
	ok := true
	Walk(e, func(x Expr) bool {
		switch c := x.(type) {
		case *Call:
			switch c.Op {
			case And, Or, Not, Eq, Ne, Lt, Le, Gt, Ge, IsNull, IsNotNull, IsTrue, IsNotTrue, IsFalse, IsNotFalse,
				IsDistinctFrom, IsNotDistinctFrom, Search, Case, Plus, Minus, Times, UnaryMinus, UnaryPlus, Like, SimilarTo, Reinterpret:
			default:
				ok = false
			}
		case *InputRef, *Literal, *Sarg, *Flag, *Field:
		default:
			ok = false
		}
		return ok
	})
	return ok
}

func (s *Simplifier) caseWhen(c *Call, unk unknownAs) Expr {
	bare := *s
	bare.Preds = nil
	var in []caseBranch
	n := len(c.Args)
	for i := 0; i+1 < n; i += 2 {
		in = append(in, caseBranch{c.Args[i], c.Args[i+1]})
	}
	in = append(in, caseBranch{BoolLiteral(true), c.Args[n-1]})
	var out []caseBranch
	var last *caseBranch
	merged := false
	flush := func() (stop bool) {
		b := *last
		if merged {
			b.cond = bare.simplify(b.cond, asFalse)
		}
		merged = false
		last = nil
		if !IsLiteralFalse(b.cond) {
			out = append(out, b)
			return IsLiteralTrue(b.cond)
		}
		return false
	}
	for _, b := range in {
		cond := bare.simplify(b.cond, asFalse)
		if IsLiteralFalse(cond) {
			continue
		}
		v := s.simplify(b.value, unk)
		if last != nil {
			if Equal(last.value, v) && safe(cond) {
				cond = &Call{Op: Or, Args: []Expr{last.cond, cond}, T: BoolType(last.cond.Type().Nullable || cond.Type().Nullable)}
				merged = true
			} else if flush() {
				break
			}
		}
		last = &caseBranch{cond, v}
		if IsLiteralTrue(cond) {
			break
		}
	}
	if last != nil {
		flush()
	}
	s.Unsure = s.Unsure || bare.Unsure
	if len(out) == 1 {
		v := out[0].value
		if sameOrNarrower(c.T, v.Type()) {
			return v
		}
		return &Call{Op: Cast, Args: []Expr{v}, T: c.T}
	}
	if c.T.Kind == value.KindBoolean {
		if r := s.booleanCase(out, c.T); r != nil {
			if sameOrNarrower(c.T, r.Type()) {
				return s.simplify(r, unk)
			}
			x := s.simplify(r, asUnknown)
			if !x.Type().Nullable {
				return x
			}
			return &Call{Op: Cast, Args: []Expr{x}, T: c.T}
		}
	}
	var args []Expr
	for i, b := range out {
		if i == len(out)-1 {
			args = append(args, b.value)
		} else {
			args = append(args, b.cond, b.value)
		}
	}
	same := len(args) == len(c.Args)
	for i := 0; same && i < len(args); i++ {
		same = args[i] == c.Args[i] || Equal(args[i], c.Args[i])
	}
	if same {
		return c
	}
	t := c.T
	t.Nullable = false
	for i := 1; i < len(args); i += 2 {
		t.Nullable = t.Nullable || args[i].Type().Nullable
	}
	t.Nullable = t.Nullable || args[len(args)-1].Type().Nullable
	return &Call{Op: Case, Args: args, T: t}
}

func sameOrNarrower(old, now value.Type) bool {
	return SameType(old, now) || old.Nullable && SameTypeSansNullability(old, now)
}

func (s *Simplifier) booleanCase(in []caseBranch, t value.Type) Expr {
	var branches []caseBranch
	allConst := true
	for i, b := range in {
		if i > 0 && !safe(b.cond) || !safe(b.value) {
			return nil
		}
		v := b.value
		if !SameType(t, v.Type()) && !isLiteral(v) {
			v = &Call{Op: Cast, Args: []Expr{v}, T: t}
		}
		if !IsLiteralTrue(v) && !IsLiteralFalse(v) {
			allConst = false
		}
		branches = append(branches, caseBranch{s.isTrueOf(b.cond), v})
	}
	var terms, notTerms []Expr
	for _, b := range branches {
		use := !IsLiteralFalse(b.value)
		if use {
			term := b.cond
			if !IsLiteralTrue(b.value) {
				term = AndOf([]Expr{b.cond, b.value})
			}
			and := []Expr{term}
			for _, n := range notTerms {
				and = append(and, NotOf(n))
			}
			terms = append(terms, AndOf(and))
		}
		if !(allConst && use) {
			notTerms = append(notTerms, b.cond)
		}
	}
	return OrOf(terms)
}

// PushIntoCase turns f(CASE .. THEN v .., constant) into CASE .. THEN f(v, constant) ..
// for predicates: ReduceExpressionsRule.pushPredicateIntoCase, again until nothing moves.
func PushIntoCase(e Expr) Expr {
	return Transform(e, func(x Expr) Expr {
		for {
			n, moved := pushIntoLastCase(x)
			if !moved {
				return x
			}
			// The values of the new CASE may hold a CASE themselves.
			args := append([]Expr(nil), n.Args...)
			for i := range args {
				args[i] = PushIntoCase(args[i])
			}
			n.Args = args
			x = n
		}
	})
}

// pushIntoLastCase moves a predicate into the last CASE among its operands.
func pushIntoLastCase(x Expr) (moved *Call, ok bool) {
	c, ok := x.(*Call)
	if !ok || c.T.Kind != value.KindBoolean {
		return nil, false
	}
	switch c.Op {
	case Case, And, Or:
		return nil, false
	case Cast:
		if c.Args[0].Type().Kind == value.KindBoolean {
			return nil, false // a cast that only changes nullability
		}
	case Eq:
		a, b := Refs(c.Args[0]), Refs(c.Args[1])
		if len(a) > 0 && len(b) > 0 && disjoint(a, b) {
			return nil, false
		}
	}
	at := -1
	for i, a := range c.Args {
		if k, ok := a.(*Call); ok && k.Op == Case {
			at = i
		}
	}
	if at < 0 {
		return nil, false
	}
	k := c.Args[at].(*Call)
	args := append([]Expr(nil), k.Args...)
	for i := range args {
		if i%2 == 0 && i != len(args)-1 {
			continue
		}
		n := *c
		n.Args = append([]Expr(nil), c.Args...)
		n.Args[at] = args[i]
		if c.Op != IsNull && c.Op != IsNotNull && c.Op != IsTrue && c.Op != IsNotTrue && c.Op != IsFalse && c.Op != IsNotFalse {
			n.T = BoolType(anyNullable(n.Args))
		}
		args[i] = &n
	}
	return &Call{Op: Case, Args: args, T: c.T}, true
}

func disjoint(a, b []int) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return false
			}
		}
	}
	return true
}
