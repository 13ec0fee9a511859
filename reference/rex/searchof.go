package rex

import "github.com/labgrade/labgrade/value"

// SearchOf is "e IN values" as a SEARCH: RexBuilder.makeIn. It is false where the constants have no common type or order.
func SearchOf(e Expr, values []*Literal) (Expr, bool) {
	set := &rangeSet{}
	types := make([]value.Type, len(values))
	for i, l := range values {
		set.add(point(&konst{l.V, l.T, l.Text}))
		types[i] = l.T
	}
	typ, ok := commonType(types)
	if !ok || set.bad {
		return nil, false
	}
	g, ok := set.toSarg(asUnknown, typ)
	if !ok {
		return nil, false
	}
	return &Call{Op: Search, Args: []Expr{e, g}, T: BoolType(e.Type().Nullable)}, true
}
