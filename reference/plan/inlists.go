package plan

import (
	"math/bits"
	"slices"
	"unicode/utf16"

	"github.com/labgrade/labgrade/reference/rex"
)

// inLists turns four or more equalities of one expression with constants, joined by OR, into a
// SEARCH, and inequalities joined by AND into its complement: ConvertToNotInOrInRule. For
// columns the simplification has done so already.
func (b *builder) inLists(cond rex.Expr) rex.Expr {
	in := listing{from: rex.Eq, connect: rex.Or, composed: rex.And}
	notIn := listing{from: rex.Ne, connect: rex.And, composed: rex.Or}
	n, some := in.convert(cond)
	m, others := notIn.convert(n)
	if !some && !others {
		return cond
	}
	return b.simplifier(nil).Condition(m)
}

// listing is one direction of the rule.
type listing struct{ from, connect, composed *rex.Op }

func (l listing) terms(e rex.Expr, op *rex.Op) []rex.Expr {
	if op == rex.And {
		return rex.Conjunctions(e)
	}
	return rex.Disjunctions(e)
}

func (l listing) join(terms []rex.Expr, op *rex.Op) rex.Expr {
	if op == rex.And {
		return rex.AndOf(terms)
	}
	return rex.OrOf(terms)
}

func (l listing) convert(e rex.Expr) (rex.Expr, bool) {
	groups := map[string][]rex.Expr{}
	var keys []string
	var out []rex.Expr
	converted := false
	for _, t := range l.terms(e, l.connect) {
		c, ok := t.(*rex.Call)
		if ok && c.Op == l.from {
			if x, lit := withLiteral(c); lit {
				k := rex.Key(x.Args[0])
				if _, known := groups[k]; !known {
					keys = append(keys, k)
				}
				groups[k] = append(groups[k], x)
				continue
			}
		}
		if ok && c.Op == l.composed {
			var parts []rex.Expr
			for _, p := range l.terms(c, l.composed) {
				n, some := l.convert(p)
				converted = converted || some
				parts = append(parts, n)
			}
			t = l.join(parts, l.composed)
		}
		out = append(out, t)
	}
	for _, k := range scalaOrder(keys) {
		list := groups[k]
		if n, ok := l.search(list); ok {
			out, converted = append(out, n), true
			continue
		}
		out = append(out, l.join(list, l.connect))
	}
	if !converted {
		return e, false
	}
	return l.join(out, l.connect), true
}

// withLiteral puts the constant of a comparison to the right.
func withLiteral(c *rex.Call) (*rex.Call, bool) {
	if l, ok := c.Args[1].(*rex.Literal); ok {
		return c, !l.V.IsNull()
	}
	l, ok := c.Args[0].(*rex.Literal)
	if !ok || l.V.IsNull() {
		return c, false
	}
	n := *c
	n.Args = []rex.Expr{c.Args[1], l}
	return &n, true
}

// search makes a SEARCH of a list that is long enough; approximate numbers need longer ones.
func (l listing) search(list []rex.Expr) (rex.Expr, bool) {
	x := list[0].(*rex.Call).Args[0]
	least := 4
	if x.Type().IsApprox() {
		least = 20
	}
	if len(list) < least {
		return nil, false
	}
	values := make([]*rex.Literal, len(list))
	for i, e := range list {
		values[i] = e.(*rex.Call).Args[1].(*rex.Literal)
	}
	n, ok := rex.SearchOf(x, values)
	if !ok {
		return nil, false
	}
	if l.from == rex.Ne {
		n = rex.NotOf(n)
	}
	return n, true
}

// scalaOrder is the order in which the hash map of the rule gives its keys back: buckets from the last to the
// first, later keys of a bucket first.
func scalaOrder(keys []string) []string {
	if len(keys) < 2 {
		return keys
	}
	size := 16
	for len(keys) > size*3/4 {
		size *= 2
	}
	bucket := func(k string) int {
		const factor = 0x9e3775cd
		h := bits.ReverseBytes32(uint32(javaHash(k))*factor) * factor
		h = bits.RotateLeft32(h, -bits.OnesCount32(uint32(size-1)))
		return int(h>>bits.LeadingZeros32(uint32(size-1))) & (size - 1)
	}
	out := slices.Clone(keys)
	slices.Reverse(out)
	slices.SortStableFunc(out, func(a, b string) int { return bucket(b) - bucket(a) })
	return out
}

// javaHash is String.hashCode.
func javaHash(s string) int32 {
	h := int32(0)
	for _, u := range utf16.Encode([]rune(s)) {
		h = 31*h + int32(u)
	}
	return h
}
