package rex

import (
	"slices"
	"sort"

	"github.com/labgrade/labgrade/value"
)

// A rangeSet is Guava's TreeRangeSet over constants: disjoint ranges in ascending
// order, where touching ranges have grown together.
type rangeSet struct {
	ranges []crange
	bad    bool // constants that cannot be ordered met
}

// konst is a constant with the type it was written in.
type konst struct {
	v    value.Value
	t    value.Type
	text string
}

// crange is a range of constants; nil bounds are infinite and open.
type crange struct {
	lo, hi         *konst
	loOpen, hiOpen bool
}

// textAs is the text of a constant that becomes a DECIMAL of another scale: Calcite
// keeps the digits as they were written.
func (k *konst) textAs(t value.Type) string {
	if k.text == "" && t.Kind == value.KindDecimal && (k.t.Kind != t.Kind || k.t.Scale != t.Scale) {
		return ValueText(k.v, k.t)
	}
	return k.text
}

func point(k *konst) crange { return crange{lo: k, hi: k} }

func (s *rangeSet) cmp(a, b *konst) int {
	n, ok := compareValues(a.v, a.t, b.v, b.t)
	if !ok {
		s.bad = true
	}
	return n
}

// cmpLow orders lower bounds; nil is lowest, closed before open.
func (s *rangeSet) cmpLow(a, b crange) int {
	switch {
	case a.lo == nil && b.lo == nil:
		return 0
	case a.lo == nil:
		return -1
	case b.lo == nil:
		return 1
	}
	if c := s.cmp(a.lo, b.lo); c != 0 {
		return c
	}
	switch {
	case a.loOpen == b.loOpen:
		return 0
	case b.loOpen:
		return -1
	}
	return 1
}

// cmpHigh orders upper bounds; nil is highest, open before closed.
func (s *rangeSet) cmpHigh(a, b crange) int {
	switch {
	case a.hi == nil && b.hi == nil:
		return 0
	case a.hi == nil:
		return 1
	case b.hi == nil:
		return -1
	}
	if c := s.cmp(a.hi, b.hi); c != 0 {
		return c
	}
	switch {
	case a.hiOpen == b.hiOpen:
		return 0
	case a.hiOpen:
		return -1
	}
	return 1
}

// connected: a (which begins first) reaches b or touches it.
func (s *rangeSet) connected(a, b crange) bool {
	if a.hi == nil || b.lo == nil {
		return true
	}
	c := s.cmp(a.hi, b.lo)
	return c > 0 || c == 0 && !(a.hiOpen && b.loOpen)
}

// add puts a range to its place among the others, and lets it grow together with those it touches.
func (s *rangeSet) add(r crange) {
	at := sort.Search(len(s.ranges), func(i int) bool { return s.cmpLow(r, s.ranges[i]) < 0 })
	from := at
	if at > 0 && s.connected(s.ranges[at-1], r) {
		from = at - 1
		low := s.ranges[from]
		if s.cmpHigh(low, r) > 0 {
			r.hi, r.hiOpen = low.hi, low.hiOpen
		}
		r.lo, r.loOpen = low.lo, low.loOpen
	}
	to := at
	for to < len(s.ranges) && s.connected(r, s.ranges[to]) {
		if x := s.ranges[to]; s.cmpHigh(x, r) > 0 {
			r.hi, r.hiOpen = x.hi, x.hiOpen
		}
		to++
	}
	if from == to {
		s.ranges = slices.Insert(s.ranges, from, r)
		return
	}
	s.ranges[from] = r
	s.ranges = slices.Delete(s.ranges, from+1, to)
}

func (s *rangeSet) complement() *rangeSet {
	c := &rangeSet{bad: s.bad}
	cur := crange{}
	for _, r := range s.ranges {
		if r.lo != nil {
			cur.hi, cur.hiOpen = r.lo, !r.loOpen
			if cur.lo == nil || s.cmp(cur.lo, cur.hi) < 0 || s.cmp(cur.lo, cur.hi) == 0 && !cur.loOpen && !cur.hiOpen {
				c.ranges = append(c.ranges, cur)
			}
		}
		if r.hi == nil {
			return c
		}
		cur = crange{lo: r.hi, loOpen: !r.hiOpen}
	}
	c.ranges = append(c.ranges, cur)
	return c
}

func (s *rangeSet) isAll() bool {
	return len(s.ranges) == 1 && s.ranges[0].lo == nil && s.ranges[0].hi == nil
}

func (s *rangeSet) isNone() bool { return len(s.ranges) == 0 }

func (s *rangeSet) isPoint(r crange) bool {
	return r.lo != nil && r.hi != nil && !r.loOpen && !r.hiOpen && s.cmp(r.lo, r.hi) == 0
}

// isPoints is Sarg.isPoints: every range is a single value.
func (s *rangeSet) isPoints() bool {
	for _, r := range s.ranges {
		if !s.isPoint(r) {
			return false
		}
	}
	return true
}

func (s *rangeSet) isComplementedPoints() bool { return s.complement().isPoints() }

// isOpenInterval is RangeSets.isOpenInterval: one range with just one bound.
func (s *rangeSet) isOpenInterval() bool {
	return len(s.ranges) == 1 && (s.ranges[0].lo == nil) != (s.ranges[0].hi == nil)
}

// complexity is Sarg.complexity.
func (s *rangeSet) complexity(nullAs unknownAs) int {
	n := len(s.ranges)
	if n == 2 {
		if c := s.complement(); len(c.ranges) == 1 && c.isPoint(c.ranges[0]) {
			n = 1
		}
	}
	if nullAs == asTrue {
		n++
	}
	return n
}

// simpleSarg: comparisons say it as well as a SEARCH.
func (s *rangeSet) simple() bool {
	return s.isPoints() || s.isOpenInterval() || s.isComplementedPoints()
}

// encloses reports that r lies inside one range of the set.
func (s *rangeSet) encloses(r crange) bool {
	for _, x := range s.ranges {
		if s.cmpLow(x, r) <= 0 && s.cmpHigh(x, r) >= 0 {
			return true
		}
	}
	return false
}

// intersect keeps the part inside r.
func (s *rangeSet) intersect(r crange) *rangeSet {
	out := &rangeSet{bad: s.bad}
	for _, x := range s.ranges {
		y := x
		if s.cmpLow(r, x) > 0 {
			y.lo, y.loOpen = r.lo, r.loOpen
		}
		if s.cmpHigh(r, x) < 0 {
			y.hi, y.hiOpen = r.hi, r.hiOpen
		}
		if y.lo != nil && y.hi != nil {
			c := s.cmp(y.lo, y.hi)
			if c > 0 || c == 0 && (y.loOpen || y.hiOpen) {
				continue
			}
		}
		out.ranges = append(out.ranges, y)
	}
	return out
}

func (s *rangeSet) equal(o *rangeSet) bool {
	if len(s.ranges) != len(o.ranges) {
		return false
	}
	for i := range s.ranges {
		if s.cmpLow(s.ranges[i], o.ranges[i]) != 0 || s.cmpHigh(s.ranges[i], o.ranges[i]) != 0 {
			return false
		}
	}
	return true
}

// comparisonRange is the range that satisfies x op k.
func comparisonRange(op *Op, k *konst) []crange {
	switch op {
	case Eq:
		return []crange{point(k)}
	case Ne:
		return []crange{{hi: k, hiOpen: true}, {lo: k, loOpen: true}}
	case Lt:
		return []crange{{hi: k, hiOpen: true}}
	case Le:
		return []crange{{hi: k}}
	case Gt:
		return []crange{{lo: k, loOpen: true}}
	case Ge:
		return []crange{{lo: k}}
	}
	return nil
}

// toSarg makes the printed form over one type.
func (s *rangeSet) toSarg(nullAs unknownAs, t value.Type) (*Sarg, bool) {
	out := &Sarg{T: t.NotNull()}
	switch nullAs {
	case asTrue:
		out.NullAs = "TRUE"
	case asFalse:
		out.NullAs = "FALSE"
	}
	conv := func(k *konst) (*value.Value, bool) {
		if k == nil {
			return nil, true
		}
		v, ok := convertConstant(k.v, k.t, t)
		return &v, ok
	}
	for _, r := range s.ranges {
		lo, ok1 := conv(r.lo)
		hi, ok2 := conv(r.hi)
		if !ok1 || !ok2 {
			return nil, false
		}
		x := Range{Low: lo, High: hi, LowOpen: r.loOpen, HighOpen: r.hiOpen}
		if r.lo != nil {
			x.LowText = r.lo.textAs(t)
		}
		if r.hi != nil {
			x.HighText = r.hi.textAs(t)
		}
		out.Ranges = append(out.Ranges, x)
	}
	return out, !s.bad
}

// setOf reads a Sarg back.
func setOf(g *Sarg) (*rangeSet, unknownAs) {
	s := &rangeSet{}
	k := func(v *value.Value, text string) *konst {
		if v == nil {
			return nil
		}
		return &konst{*v, g.T, text}
	}
	for _, r := range g.Ranges {
		s.ranges = append(s.ranges, crange{lo: k(r.Low, r.LowText), hi: k(r.High, r.HighText), loOpen: r.LowOpen, hiOpen: r.HighOpen})
	}
	n := asUnknown
	switch g.NullAs {
	case "TRUE":
		n = asTrue
	case "FALSE":
		n = asFalse
	}
	return s, n
}

// ExpandSearch writes SEARCH as comparisons: RexUtil.sargRef.
func ExpandSearch(c *Call) Expr {
	g := c.Args[1].(*Sarg)
	s, n := setOf(g)
	return sargRef(c.Args[0], s, n, g.T, asUnknown)
}

func sargRef(ref Expr, s *rangeSet, nullAs unknownAs, t value.Type, unk unknownAs) Expr {
	if s.isAll() || s.isNone() {
		return simpleSargRef(ref, s, nullAs, unk)
	}
	t = t.NotNull()
	lit := func(k *konst) Expr {
		v, _ := convertConstant(k.v, k.t, t)
		return &Literal{V: v, T: t, Text: k.textAs(t)}
	}
	var or []Expr
	if nullAs == asTrue {
		or = append(or, IsOf(IsNull, ref))
	}
	switch {
	case s.isPoints():
		for _, r := range s.ranges {
			or = append(or, Compare(Eq, ref, lit(r.lo)))
		}
	case s.isComplementedPoints():
		var and []Expr
		for _, r := range s.complement().ranges {
			and = append(and, Compare(Ne, ref, lit(r.lo)))
		}
		or = append(or, AndOf(and))
	default:
		for _, r := range s.ranges {
			var and []Expr
			if r.lo != nil && r.hi != nil && s.isPoint(r) {
				or = append(or, Compare(Eq, ref, lit(r.lo)))
				continue
			}
			if r.lo != nil {
				op := Ge
				if r.loOpen {
					op = Gt
				}
				and = append(and, Compare(op, ref, lit(r.lo)))
			}
			if r.hi != nil {
				op := Le
				if r.hiOpen {
					op = Lt
				}
				and = append(and, Compare(op, ref, lit(r.hi)))
			}
			or = append(or, AndOf(and))
		}
	}
	out := OrOf(or)
	if nullAs == asFalse && unk == asUnknown {
		out = AndOf([]Expr{IsOf(IsNotNull, ref), out})
	}
	return out
}

func simpleSargRef(ref Expr, s *rangeSet, nullAs, unk unknownAs) Expr {
	if nullAs == asUnknown {
		nullAs = unk
	}
	if s.isAll() {
		switch nullAs {
		case asTrue:
			return BoolLiteral(true)
		case asFalse:
			return IsOf(IsNotNull, ref)
		}
		return &Call{Op: Or, Args: []Expr{IsOf(IsNotNull, ref), NullLiteral(BoolType(true))}, T: BoolType(true)}
	}
	switch nullAs {
	case asTrue:
		return IsOf(IsNull, ref)
	case asFalse:
		return BoolLiteral(false)
	}
	return Compare(Ne, ref, ref)
}
