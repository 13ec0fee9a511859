package rex

import "github.com/labgrade/labgrade/value"

// sargTerm stands in a list of terms for the comparisons of one operand.
type sargTerm struct {
	ref    Expr
	set    *rangeSet
	types  []value.Type
	nullAs unknownAs
	// hasSarg: a SEARCH is among them; merged: it met others.
	hasSarg, merged bool
}

func (*sargTerm) Type() value.Type { return value.Type{} }

func (*sargTerm) rex() {}

// sargCollector gathers comparisons of one operand with constants into range sets;
// for AND it collects the negations.
type sargCollector struct {
	s      *Simplifier
	negate bool
	terms  map[string]*sargTerm
	order  []*sargTerm
	list   []Expr
}

func (c *sargCollector) term(ref Expr) *sargTerm {
	k := Key(ref)
	if t, ok := c.terms[k]; ok {
		return t
	}
	t := &sargTerm{ref: ref, set: &rangeSet{}, nullAs: asFalse}
	c.terms[k] = t
	c.order = append(c.order, t)
	c.list = append(c.list, t)
	return t
}

func (c *sargCollector) accept(e Expr) {
	if !c.accept1(e) {
		c.list = append(c.list, e)
	}
}

func (c *sargCollector) accept1(e Expr) bool {
	x, ok := e.(*Call)
	if !ok {
		return false
	}
	op := x.Op
	switch {
	case isComparison(op):
		ref, o, lit := comparisonOf(e)
		if ref == nil || lit.V.IsNull() || isLiteral(ref) || !isSargOperand(ref) {
			return false
		}
		t := c.term(ref)
		if c.negate {
			o = negateOp(o)
		}
		for _, r := range comparisonRange(o, &konst{lit.V, lit.T, lit.Text}) {
			t.set.add(r)
		}
		t.merged = t.merged || t.hasSarg
		t.types = append(t.types, lit.T)
		t.nullAs = t.nullAs.or(asUnknown)
		return true
	case op == Search:
		g, ok := x.Args[1].(*Sarg)
		if !ok || !isSargOperand(x.Args[0]) {
			return false
		}
		t := c.term(x.Args[0])
		set, nullAs := setOf(g)
		if c.negate {
			set, nullAs = set.complement(), nullAs.negate()
		}
		for _, r := range set.ranges {
			t.set.add(r)
		}
		t.merged = t.merged || len(t.set.ranges) > 0
		t.hasSarg = true
		t.types = append(t.types, g.T)
		t.nullAs = t.nullAs.or(nullAs)
		return true
	case op == IsNull || op == IsNotNull:
		t := c.term(x.Args[0])
		if c.negate {
			op = negateOp(op)
		}
		if op == IsNull {
			t.nullAs = t.nullAs.or(asTrue)
		} else {
			t.nullAs = t.nullAs.or(asFalse)
			t.set.add(crange{})
		}
		return true
	}
	return false
}

// isSargOperand: only columns, fields and casts are gathered.
func isSargOperand(e Expr) bool {
	switch x := e.(type) {
	case *InputRef, *Field:
		return true
	case *Call:
		return x.Op == Cast
	}
	return false
}

func (c *sargCollector) build(t *sargTerm) (*rangeSet, unknownAs) {
	if c.negate {
		return t.set.complement(), t.nullAs.negate()
	}
	return t.set, t.nullAs
}

func (c *sargCollector) needToFix() bool {
	for _, t := range c.order {
		if t.set.complexity(t.nullAs) > 1 || t.merged {
			return true
		}
	}
	if len(c.list) != 1 {
		return false
	}
	for _, t := range c.order {
		if set, _ := c.build(t); !set.simple() {
			return false
		}
	}
	return true
}

func (c *sargCollector) fix(e Expr, unk unknownAs) Expr {
	t, ok := e.(*sargTerm)
	if !ok {
		return e
	}
	typ := t.ref.Type()
	if len(t.types) > 0 {
		var ok bool
		if typ, ok = commonType(t.types); !ok {
			c.s.Unsure = true
		}
	}
	set, nullAs := c.build(t)
	if set.complexity(nullAs) <= 1 && set.simple() {
		return sargRef(t.ref, set, nullAs, typ, unk)
	}
	g, ok := set.toSarg(nullAs, typ)
	if !ok {
		c.s.Unsure = true
	}
	return &Call{Op: Search, Args: []Expr{t.ref, g}, T: BoolType(t.ref.Type().Nullable && nullAs == asUnknown)}
}

// collect runs a collector over terms and returns them as they stand, or gathered.
func (s *Simplifier) collect(terms []Expr, negate bool, unk unknownAs) []Expr {
	c := &sargCollector{s: s, negate: negate, terms: map[string]*sargTerm{}}
	for _, t := range terms {
		c.accept(t)
	}
	if !c.needToFix() {
		return terms
	}
	out := make([]Expr, len(c.list))
	for i, t := range c.list {
		out[i] = c.fix(t, unk)
	}
	return out
}
