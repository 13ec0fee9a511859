package rex

// ToCNF writes a condition as a conjunction of disjunctions, unless that would have
// more than twice as many calls: FlinkRexUtil.toCnf with its default threshold.
func ToCNF(e Expr) Expr {
	limit := 2 * countCalls(e)
	c := cnf{limit: limit}
	out := c.convert(e)
	if c.over {
		return e
	}
	return out
}

type cnf struct {
	limit int
	over  bool
}

func countCalls(e Expr) int {
	n := 0
	Walk(e, func(x Expr) bool {
		if _, ok := x.(*Call); ok {
			n++
		}
		return true
	})
	return n
}

func (c *cnf) check(e Expr) Expr {
	if countCalls(e) > c.limit {
		c.over = true
	}
	return e
}

func (c *cnf) convert(e Expr) Expr {
	x, ok := e.(*Call)
	if !ok || c.over {
		return e
	}
	switch x.Op {
	case And:
		var terms []Expr
		for _, t := range Conjunctions(e) {
			terms = append(terms, Conjunctions(c.convert(t))...)
		}
		return c.check(AndOf(terms))
	case Or:
		return c.or(Disjunctions(e))
	case Not:
		a, ok := x.Args[0].(*Call)
		if !ok {
			return e
		}
		switch a.Op {
		case Not:
			return c.convert(a.Args[0])
		case Or, And:
			args := make([]Expr, 0, len(a.Args))
			for _, o := range a.Args {
				args = append(args, &Call{Op: Not, Args: []Expr{o}, T: BoolType(o.Type().Nullable)})
			}
			if a.Op == Or {
				return c.convert(AndOf(args))
			}
			return c.convert(OrOf(args))
		}
	}
	return e
}

// or multiplies out from the last term to the first, as Flink's recursion does; terms that are
// no conjunctions only grow into one.
func (c *cnf) or(ops []Expr) Expr {
	parts := make([]Expr, len(ops))
	rest := 0 // where the terms begin of which none is a conjunction
	for i, o := range ops {
		if parts[i] = c.convert(o); isAnd(parts[i]) {
			rest = i + 1
		}
	}
	if rest == len(parts) {
		rest--
	}
	if c.over || rest <= 0 {
		return OrOf(parts)
	}
	tail := OrOf(parts[rest:])
	for i := rest - 1; i >= 0 && !c.over; i-- {
		var list []Expr
		for _, h := range Conjunctions(parts[i]) {
			for _, t := range Conjunctions(tail) {
				list = append(list, OrOf([]Expr{h, t}))
			}
		}
		tail = c.check(AndOf(list))
	}
	return tail
}

func isAnd(e Expr) bool {
	c, ok := e.(*Call)
	return ok && c.Op == And
}

// PullFactors finds terms common to all parts of an OR: (a AND b) OR (a AND c) is
// a AND (b OR c).
func PullFactors(e Expr) Expr {
	x, ok := e.(*Call)
	if !ok {
		return e
	}
	switch x.Op {
	case And:
		var terms []Expr
		for _, t := range Conjunctions(e) {
			terms = append(terms, Conjunctions(PullFactors(t))...)
		}
		return sameOr(e, AndOf(terms))
	case Or:
		ops := Disjunctions(e)
		common := Conjunctions(ops[0])
		for _, o := range ops[1:] {
			have := map[string]bool{}
			for _, t := range Conjunctions(o) {
				have[Key(t)] = true
			}
			var keep []Expr
			for _, f := range common {
				if have[Key(f)] {
					keep = append(keep, f)
				}
			}
			common = keep
		}
		if len(common) == 0 {
			var list []Expr
			for _, o := range ops {
				list = append(list, PullFactors(o))
			}
			return sameOr(e, OrOf(list))
		}
		isCommon := map[string]bool{}
		for _, f := range common {
			isCommon[Key(f)] = true
		}
		var list []Expr
		for _, o := range ops {
			var rest []Expr
			for _, t := range Conjunctions(o) {
				if !isCommon[Key(t)] {
					rest = append(rest, t)
				}
			}
			list = append(list, AndOf(rest))
		}
		return AndOf(append(append([]Expr(nil), common...), OrOf(list)))
	}
	return e
}

func sameOr(old, now Expr) Expr {
	if Equal(old, now) {
		return old
	}
	return now
}

// Binary nests AND and OR to the left, as they come back from a table source.
func Binary(e Expr) Expr {
	return Transform(e, func(x Expr) Expr {
		c, ok := x.(*Call)
		if !ok || c.Op != And && c.Op != Or || len(c.Args) <= 2 {
			return x
		}
		out := c.Args[0]
		for _, a := range c.Args[1:] {
			out = &Call{Op: c.Op, Args: []Expr{out, a}, T: BoolType(out.Type().Nullable || a.Type().Nullable)}
		}
		return out
	})
}

// ExpandSearches writes every SEARCH as comparisons.
func ExpandSearches(e Expr) Expr {
	return Transform(e, func(x Expr) Expr {
		if c, ok := x.(*Call); ok && c.Op == Search {
			if _, ok := c.Args[1].(*Sarg); ok {
				return ExpandSearch(c)
			}
		}
		return x
	})
}
