package rex

// boundTerms is the range that the terms of an AND read so far leave to one operand,
// and those of the terms that make it.
type boundTerms struct {
	r     crange
	terms []Expr
}

// mergeRanges drops comparisons that others of the same AND imply, as in
// x > 3 AND x > 4; ok is false if no value is left. It is RexSimplify.processRange.
func (s *Simplifier) mergeRanges(terms []Expr) (out []Expr, ok bool) {
	out = append([]Expr(nil), terms...)
	bounds := map[string]*boundTerms{}
	set := &rangeSet{}
	drop := func(e Expr) {
		for i := len(out) - 1; i >= 0; i-- {
			if Equal(out[i], e) {
				out[i] = BoolLiteral(true)
				return
			}
		}
	}
	for _, t := range terms {
		ref, op, lit := comparisonOf(t)
		if ref == nil || op == Ne || lit.V.IsNull() || !Deterministic(t) {
			continue
		}
		k := &konst{v: lit.V, t: lit.T}
		n := comparisonRange(op, k)[0]
		b := bounds[Key(ref)]
		if b == nil {
			bounds[Key(ref)] = &boundTerms{n, []Expr{t}}
			continue
		}
		lo, hi := b.r.lo, b.r.hi
		switch op {
		case Eq:
			below := lo != nil && (set.cmp(k, lo) < 0 || set.cmp(k, lo) == 0 && b.r.loOpen)
			above := hi != nil && (set.cmp(k, hi) > 0 || set.cmp(k, hi) == 0 && b.r.hiOpen)
			if below || above {
				return nil, false
			}
			for _, e := range b.terms {
				drop(e)
			}
			*b = boundTerms{n, []Expr{t}}
			continue
		case Lt, Le:
			if hi != nil && (set.cmp(k, hi) > 0 || set.cmp(k, hi) == 0 && op == Le) {
				drop(t)
				continue
			}
			if lo != nil && (set.cmp(k, lo) < 0 || set.cmp(k, lo) == 0 && (op == Lt || b.r.loOpen)) {
				return nil, false
			}
			b.r.hi, b.r.hiOpen = k, n.hiOpen
		case Gt, Ge:
			if lo != nil && (set.cmp(k, lo) < 0 || set.cmp(k, lo) == 0 && op == Ge) {
				drop(t)
				continue
			}
			if hi != nil && (set.cmp(k, hi) > 0 || set.cmp(k, hi) == 0 && (op == Gt || b.r.hiOpen)) {
				return nil, false
			}
			b.r.lo, b.r.loOpen = k, n.loOpen
		}
		var kept []Expr
		for _, e := range b.terms {
			_, o, _ := comparisonOf(e)
			upper, lower := o == Lt || o == Le, o == Gt || o == Ge
			if upper && (op == Lt || op == Le) || lower && (op == Gt || op == Ge) {
				drop(e)
			} else {
				kept = append(kept, e)
			}
		}
		b.terms = append(kept, t)
	}
	s.Unsure = s.Unsure || set.bad
	return out, true
}

// strict operators are NULL as soon as an operand is: Calcite's Strong policy ANY.
var strict = map[string]bool{"NOT": true, "=": true, "<>": true, "<": true, "<=": true, ">": true, ">=": true,
	"LIKE": true, "SIMILAR TO": true, "+": true, "-": true, "*": true, "/": true, "CAST": true, "Reinterpret": true,
	"TRIM": true, "CEIL": true, "FLOOR": true, "EXTRACT": true, "ITEM": true}

// alwaysNull is Strong.isNull without columns.
func alwaysNull(e Expr) bool {
	switch x := e.(type) {
	case *Literal:
		return x.V.IsNull()
	case *Call:
		switch {
		case x.Op == And || x.Op == Or:
			for _, a := range x.Args {
				if !alwaysNull(a) {
					return false
				}
			}
			return true
		case x.Op == Case:
			for i, a := range x.Args {
				if (i%2 == 1 || i == len(x.Args)-1) && !alwaysNull(a) {
					return false
				}
			}
			return true
		case strict[x.Op.Name]:
			for _, a := range x.Args {
				if alwaysNull(a) {
					return true
				}
			}
		}
	}
	return false
}

// castLiteral evaluates the cast of a literal where it can be.
func (s *Simplifier) castLiteral(c *Call) Expr {
	l, ok := c.Args[0].(*Literal)
	if !ok || s.FoldCast == nil || l.V.IsNull() {
		return c
	}
	if n, ok := s.FoldCast(c); ok {
		return n
	}
	return c
}
