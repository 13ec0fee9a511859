package rex

import "github.com/labgrade/labgrade/value"

func negateOp(op *Op) *Op {
	switch op {
	case Eq:
		return Ne
	case Ne:
		return Eq
	case Lt:
		return Ge
	case Ge:
		return Lt
	case Gt:
		return Le
	case Le:
		return Gt
	case IsNull:
		return IsNotNull
	case IsNotNull:
		return IsNull
	case IsTrue:
		return IsNotTrue
	case IsNotTrue:
		return IsTrue
	case IsFalse:
		return IsNotFalse
	case IsNotFalse:
		return IsFalse
	case IsDistinctFrom:
		return IsNotDistinctFrom
	case IsNotDistinctFrom:
		return IsDistinctFrom
	}
	return nil
}

func reverseOp(op *Op) *Op {
	switch op {
	case Lt:
		return Gt
	case Gt:
		return Lt
	case Le:
		return Ge
	case Ge:
		return Le
	}
	return op
}

func isComparison(op *Op) bool {
	switch op {
	case Eq, Ne, Lt, Le, Gt, Ge:
		return true
	}
	return false
}

// comparisonOf splits "x op literal" and "literal op x".
func comparisonOf(e Expr) (ref Expr, op *Op, lit *Literal) {
	c, ok := e.(*Call)
	if !ok || !isComparison(c.Op) {
		return nil, nil, nil
	}
	if l, ok := c.Args[1].(*Literal); ok && Deterministic(c.Args[0]) {
		return c.Args[0], c.Op, l
	}
	if l, ok := c.Args[0].(*Literal); ok && Deterministic(c.Args[1]) {
		return c.Args[1], reverseOp(c.Op), l
	}
	return nil, nil, nil
}

func (s *Simplifier) comparison(c *Call, unk unknownAs) Expr {
	args := s.list(c.Args, asUnknown)
	a, b := args[0], args[1]
	if Equal(a, b) && Deterministic(a) && !isLiteral(a) {
		null := NullLiteral(BoolType(true))
		switch c.Op {
		case Eq, Ge, Le:
			return s.simplify(&Call{Op: Or, Args: []Expr{null, IsOf(IsNotNull, a)}, T: BoolType(true)}, unk)
		default:
			return s.simplify(&Call{Op: And, Args: []Expr{null, IsOf(IsNull, a)}, T: BoolType(true)}, unk)
		}
	}
	if a.Type().Kind == value.KindBoolean && b.Type().Kind == value.KindBoolean { // a text is no truth value
		if n := s.booleanComparison(c.Op, a, b, unk); n != nil {
			return n
		}
	}
	la, okA := a.(*Literal)
	lb, okB := b.(*Literal)
	if okA && okB && SameTypeSansNullability(la.T, lb.T) && !la.V.IsNull() && !lb.V.IsNull() {
		if n, ok := compareValues(la.V, la.T, lb.V, lb.T); ok {
			return BoolLiteral(holds(c.Op, n))
		}
	}
	if okA && la.V.IsNull() || okB && lb.V.IsNull() {
		if unk == asFalse {
			return BoolLiteral(false)
		}
		return NullLiteral(c.T)
	}
	n := c
	if &args[0] != &c.Args[0] {
		n = Compare(c.Op, a, b).(*Call)
	}
	return s.usingPredicates(n)
}

func holds(op *Op, n int) bool {
	switch op {
	case Eq:
		return n == 0
	case Ne:
		return n != 0
	case Lt:
		return n < 0
	case Le:
		return n <= 0
	case Gt:
		return n > 0
	}
	return n >= 0
}

func (s *Simplifier) booleanComparison(op *Op, a, b Expr, unk unknownAs) Expr {
	ref, o, lit := comparisonOf(Compare(op, a, b))
	if ref == nil || lit.V.IsNull() {
		return nil
	}
	if isLiteral(ref) {
		return nil
	}
	if lit.V.Bool() {
		switch o {
		case Ge, Eq:
			return ref
		case Lt, Ne:
			return s.simplify(NotOf(ref), unk)
		case Gt:
			if !ref.Type().Nullable {
				return BoolLiteral(false)
			}
		case Le:
			if !ref.Type().Nullable {
				return BoolLiteral(true)
			}
		}
		return nil
	}
	switch o {
	case Eq, Le:
		return s.simplify(NotOf(ref), unk)
	case Ne, Gt:
		return ref
	case Ge:
		if !ref.Type().Nullable {
			return BoolLiteral(true)
		}
	case Lt:
		if !ref.Type().Nullable {
			return BoolLiteral(false)
		}
	}
	return nil
}

// usingPredicates drops or weakens a comparison that the predicates imply.
func (s *Simplifier) usingPredicates(c *Call) Expr {
	if len(s.Preds) == 0 {
		return c
	}
	ref, op, lit := comparisonOf(c)
	if ref == nil || lit.V.IsNull() {
		return c
	}
	if op == Ne {
		if n, ok := s.amongUnequal(c, ref, lit); ok {
			return n
		}
	}
	k := &konst{lit.V, lit.T, lit.Text}
	set := &rangeSet{}
	for _, r := range comparisonRange(op, k) {
		set.add(r)
	}
	res := set
	all := false
	for _, p := range s.Preds {
		pr, po, pl := comparisonOf(p)
		if pr == nil || pl.V.IsNull() || !Equal(pr, ref) {
			continue
		}
		pk := &konst{pl.V, pl.T, pl.Text}
		if po == Ne {
			ne := &rangeSet{}
			for _, r := range comparisonRange(Ne, pk) {
				ne.add(r)
			}
			enclosed := true
			for _, r := range ne.ranges {
				enclosed = enclosed && res.encloses(r)
			}
			if enclosed {
				all = true
				continue
			}
			next := &rangeSet{}
			for _, r := range ne.ranges {
				for _, x := range res.intersect(r).ranges {
					next.add(x)
				}
			}
			res = next
		} else {
			r := comparisonRange(po, pk)[0]
			if all || res.encloses(r) {
				all = true
				continue
			}
			res = res.intersect(r)
		}
	}
	switch {
	case set.bad || res.bad:
		s.Unsure = true
		return c
	case all:
		return s.simplify(IsOf(IsNotNull, ref), asUnknown)
	case res.isNone():
		return BoolLiteral(false)
	case res.equal(set):
		return c
	case len(res.ranges) == 1 && res.isPoint(res.ranges[0]):
		v, ok := convertConstant(res.ranges[0].lo.v, res.ranges[0].lo.t, lit.T)
		if !ok {
			s.Unsure = true
			return c
		}
		return Compare(Eq, ref, &Literal{V: v, T: lit.T})
	}
	return c
}

// amongUnequal is usingPredicates for x <> k where all predicates on x are of this kind: only an equal first
// one implies it, and a list of them need not be multiplied out.
func (s *Simplifier) amongUnequal(c *Call, ref Expr, lit *Literal) (Expr, bool) {
	first := true
	key := Key(ref)
	for _, p := range s.Preds {
		x, ok := p.(*Call)
		if !ok || !isComparison(x.Op) {
			continue
		}
		pr, po, pl := comparisonOf(x)
		if pr == nil || pl.V.IsNull() || Key(pr) != key {
			continue
		}
		if po != Ne {
			return nil, false
		}
		if n, ok := compareValues(pl.V, pl.T, lit.V, lit.T); !ok || first && n == 0 {
			return nil, false
		}
		first = false
	}
	return c, true
}

func (s *Simplifier) search(c *Call, unk unknownAs) Expr {
	g, ok := c.Args[1].(*Sarg)
	if !ok {
		return c
	}
	x := s.simplify(c.Args[0], asUnknown)
	set, nullAs := setOf(g)
	if set.isAll() || set.isNone() {
		return simpleSargRef(x, set, nullAs, unk)
	}
	if nullAs != asUnknown && !x.Type().Nullable {
		nullAs = asUnknown
		n, ok := set.toSarg(nullAs, g.T)
		if !ok {
			s.Unsure = true
			return c
		}
		return s.search(&Call{Op: Search, Args: []Expr{x, n}, T: c.T}, unk)
	}
	if nullAs == asUnknown && set.isPoints() && len(set.ranges) <= 1 {
		return sargRef(x, set, nullAs, g.T, unk)
	}
	if x != c.Args[0] {
		return &Call{Op: Search, Args: []Expr{x, g}, T: c.T}
	}
	return c
}
