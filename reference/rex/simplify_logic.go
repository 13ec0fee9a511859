package rex

func (s *Simplifier) and(e *Call, unk unknownAs) Expr {
	ops := Conjunctions(e)
	if unk == asFalse {
		ops = s.andTerms(ops)
	} else {
		ops = append([]Expr(nil), s.list(ops, unk)...)
	}
	ops = s.collect(ops, true, unk)
	var terms, notTerms []Expr
	for _, o := range ops {
		for _, t := range Conjunctions(o) {
			if c, ok := t.(*Call); ok && c.Op == Not {
				notTerms = append(notTerms, c.Args[0])
			} else {
				terms = append(terms, t)
			}
		}
	}
	if unk == asFalse {
		return s.and2False(terms, notTerms)
	}
	return s.and2(terms, notTerms)
}

// andTerms simplifies each term knowing that the earlier ones hold.
func (s *Simplifier) andTerms(ops []Expr) []Expr {
	out := append([]Expr(nil), ops...)
	cur := s
	for i, t := range out {
		if !isPredicate(t) {
			continue
		}
		out[i] = cur.simplify(t, asFalse)
		cur = cur.with([]Expr{out[i]})
	}
	for i, t := range ops {
		if isPredicate(t) {
			continue
		}
		out[i] = cur.simplify(t, asFalse)
	}
	s.Unsure = s.Unsure || cur.Unsure
	return out
}

// isPredicate: a comparison with a constant, IS NULL, IS NOT NULL.
func isPredicate(e Expr) bool {
	if ref, _, _ := comparisonOf(e); ref != nil {
		return true
	}
	c, ok := e.(*Call)
	return ok && (c.Op == IsNull || c.Op == IsNotNull) && Deterministic(c.Args[0])
}

func (s *Simplifier) and2(terms, notTerms []Expr) Expr {
	for _, t := range terms {
		if IsLiteralFalse(t) {
			return BoolLiteral(false)
		}
	}
	if len(terms) == 0 && len(notTerms) == 0 {
		return BoolLiteral(true)
	}
	for _, n := range notTerms {
		if containsAll(terms, Conjunctions(n)) {
			if !n.Type().Nullable {
				return BoolLiteral(false)
			}
			s.Unsure = true
		}
	}
	out := append([]Expr(nil), terms...)
	for _, n := range notTerms {
		out = append(out, s.simplify(NotOf(n), asUnknown))
	}
	return AndOf(out)
}

func containsAll(list, some []Expr) bool {
	have := map[string]bool{}
	for _, e := range list {
		have[Key(e)] = true
	}
	for _, e := range some {
		if !have[Key(e)] {
			return false
		}
	}
	return len(some) > 0
}

func (s *Simplifier) and2False(terms, notTerms []Expr) Expr {
	for _, t := range terms {
		if IsLiteralFalse(t) || IsLiteralNull(t) {
			return BoolLiteral(false)
		}
	}
	if len(terms) == 0 && len(notTerms) == 0 {
		return BoolLiteral(true)
	}
	if len(terms) == 1 && len(notTerms) == 0 {
		return s.simplify(terms[0], asFalse)
	}
	var kept, notNull, null []Expr
	constants := map[string]*Literal{}
	negated := map[string]bool{}
	for _, t := range terms {
		c, ok := t.(*Call)
		if !ok || !Deterministic(t) {
			kept = append(kept, t)
			continue
		}
		switch {
		case c.Op == IsNotNull:
			notNull = append(notNull, c.Args[0])
			continue
		case c.Op == IsNull:
			null = append(null, c.Args[0])
		case isComparison(c.Op):
			ref, op, lit := comparisonOf(c)
			if ref != nil && op == Eq {
				if prev := constants[Key(ref)]; prev != nil && SameType(prev.T, lit.T) && !Equal(prev, lit) {
					return BoolLiteral(false)
				}
				constants[Key(ref)] = lit
			}
			n := Compare(negateOp(c.Op), c.Args[0], c.Args[1])
			negated[Key(n)] = true
			negated[Key(Compare(reverseOp(negateOp(c.Op)), c.Args[1], c.Args[0]))] = true
		}
		kept = append(kept, t)
	}
	kept, ok := s.mergeRanges(kept)
	if !ok {
		return BoolLiteral(false)
	}
	for _, n := range notTerms {
		if Deterministic(n) && containsAll(kept, Conjunctions(n)) {
			return BoolLiteral(false)
		}
	}
	for _, t := range kept {
		if negated[Key(t)] {
			return BoolLiteral(false)
		}
	}
	for _, n := range notTerms {
		kept = append(kept, NotOf(n))
	}
	strong := map[string]bool{}
	for _, t := range kept {
		if !Deterministic(t) {
			continue
		}
		for _, r := range Refs(t) {
			if notTrueIfNull(t, r) {
				strong["$"+itoa(r)] = true
			}
		}
	}
	for _, x := range null {
		if strong[Key(x)] {
			// IS NULL(x) itself is not strong: only another term makes it impossible.
			return BoolLiteral(false)
		}
	}
	for _, x := range notNull {
		if !strong[Key(x)] {
			kept = append(kept, IsOf(IsNotNull, x))
		}
	}
	return AndOf(kept)
}

// notTrueIfNull is Strong.isNotTrue: e cannot be TRUE when column r is NULL.
func notTrueIfNull(e Expr, r int) bool {
	switch x := e.(type) {
	case *Literal:
		return !IsLiteralTrue(x)
	case *InputRef:
		return x.Index == r
	case *Call:
		switch x.Op {
		case And:
			for _, a := range x.Args {
				if notTrueIfNull(a, r) {
					return true
				}
			}
			return false
		case Or:
			for _, a := range x.Args {
				if !notTrueIfNull(a, r) {
					return false
				}
			}
			return true
		case IsNotNull:
			return isNullIf(x.Args[0], r)
		case IsTrue:
			return notTrueIfNull(x.Args[0], r)
		case Not:
			return isNullIf(x.Args[0], r)
		case Eq, Ne, Lt, Le, Gt, Ge:
			return isNullIf(x.Args[0], r) || isNullIf(x.Args[1], r)
		case Search:
			g, ok := x.Args[1].(*Sarg)
			return ok && g.NullAs == "" && isNullIf(x.Args[0], r)
		}
		return isNullIf(e, r)
	}
	return false
}

// isNullIf is Strong.isNull: e is NULL whenever column r is.
func isNullIf(e Expr, r int) bool {
	switch x := e.(type) {
	case *Literal:
		return x.V.IsNull()
	case *InputRef:
		return x.Index == r
	case *Call:
		switch x.Op {
		case Eq, Ne, Lt, Le, Gt, Ge, Plus, Minus, Times, Divide, UnaryMinus, UnaryPlus, Like, SimilarTo, Not, Cast, Reinterpret:
			for _, a := range x.Args {
				if isNullIf(a, r) {
					return true
				}
			}
		case And, Or:
			for _, a := range x.Args {
				if !isNullIf(a, r) {
					return false
				}
			}
			return true
		}
	}
	return false
}

func (s *Simplifier) or(e *Call, unk unknownAs) Expr {
	terms := Disjunctions(e)
	// Tests for NULL come first.
	var head, tail []Expr
	for _, t := range terms {
		if c, ok := t.(*Call); ok && c.Op == IsNull && !s.KeepOrder {
			head = append(head, t)
		} else {
			tail = append(tail, t)
		}
	}
	terms = append(head, tail...)
	return s.or2(s.orTerms(terms, unk), unk)
}

// orTerms simplifies each term knowing that the earlier ones are not true.
func (s *Simplifier) orTerms(terms []Expr, unk unknownAs) []Expr {
	out := append([]Expr(nil), terms...)
	cur := s
	done := make([]bool, len(out))
	for i, t := range out {
		if !isPredicate(t) {
			continue
		}
		if ref, _, _ := comparisonOf(t); ref != nil && !cur.neverNull(ref) {
			continue
		}
		done[i] = true
		out[i] = cur.simplify(t, unk)
		inverse := cur.simplify(s.isNotTrueOf(out[i]), asUnknown)
		cur = cur.with([]Expr{inverse})
	}
	for i, t := range out {
		if !done[i] {
			out[i] = cur.simplify(t, unk)
		}
	}
	s.Unsure = s.Unsure || cur.Unsure
	return out
}

func (s *Simplifier) isNotTrueOf(e Expr) Expr {
	if !e.Type().Nullable {
		return NotOf(e)
	}
	return IsOf(IsNotTrue, e)
}

func (s *Simplifier) or2(terms []Expr, unk unknownAs) Expr {
	terms = s.collect(terms, false, unk)
	var out []Expr
	ne := map[string]*Literal{}
	for _, t := range terms {
		if l, ok := t.(*Literal); ok {
			switch {
			case l.V.IsNull():
				if unk == asFalse {
					continue
				}
				if unk == asTrue {
					return BoolLiteral(true)
				}
			case l.V.Bool():
				return t
			default:
				continue
			}
		}
		if ref, op, lit := comparisonOf(t); ref != nil && op == Ne && !lit.V.IsNull() {
			// x <> 1 OR x <> 2 over one operand that the ranges did not gather
			if prev := ne[Key(ref)]; prev != nil && !isSargOperand(ref) {
				s.Unsure = true
			}
			ne[Key(ref)] = lit
		}
		out = append(out, t)
	}
	for _, t := range out {
		c, ok := t.(*Call)
		if !ok || c.Op != Not && c.Op != IsNotTrue {
			continue
		}
		for _, o := range out {
			if Equal(o, c.Args[0]) {
				if c.Op == IsNotTrue || !o.Type().Nullable {
					return BoolLiteral(true)
				}
				s.Unsure = true
			}
		}
	}
	return OrOf(out)
}
