package rex

// timeUnits are Calcite's TimeUnit ordinals.
var timeUnits = map[string]int{"YEAR": 0, "MONTH": 1, "DAY": 2, "HOUR": 3, "MINUTE": 4, "SECOND": 5, "QUARTER": 6, "MILLISECOND": 9, "MICROSECOND": 10}

// roundOnce drops the inner of two roundings in one direction where the outer unit is made
// of whole inner ones: RexSimplify.simplifyCeilFloor.
func (s *Simplifier) roundOnce(c *Call) Expr {
	e := s.generic(c)
	out, ok := e.(*Call)
	if !ok || len(out.Args) != 2 {
		return e
	}
	in, ok := out.Args[0].(*Call)
	if !ok || in.Op != out.Op || len(in.Args) != 2 {
		return e
	}
	outer, ok1 := out.Args[1].(*Flag)
	inner, ok2 := in.Args[1].(*Flag)
	if !ok1 || !ok2 || !rollsUp(outer.Text, inner.Text) {
		return e
	}
	n := *out
	n.Args = []Expr{in.Args[0], out.Args[1]}
	return &n
}

func rollsUp(outer, inner string) bool {
	o, known := timeUnits[outer]
	i, known2 := timeUnits[inner]
	switch {
	case !known || !known2:
		return false
	case outer == "QUARTER":
		return inner != "YEAR"
	case inner == "QUARTER":
		return outer == "YEAR"
	}
	return o <= i
}
