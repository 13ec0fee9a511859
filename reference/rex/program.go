package rex

import "strings"

// OneForm gives expressions that mean the same by Calcite's RexNormalize (5 < x and x > 5,
// a + b and b + a of one type, ...) the form of the first among them, as a RexProgram does,
// which registers every expression once. The parts of an expression come before it.
func OneForm(list []Expr) []Expr {
	p := program{seen: map[string]Expr{}}
	out := make([]Expr, len(list))
	for i, e := range list {
		out[i] = p.register(e)
	}
	return out
}

type program struct{ seen map[string]Expr }

func (p *program) register(e Expr) Expr {
	c, ok := e.(*Call)
	if !ok {
		return e
	}
	var args []Expr
	for i, a := range c.Args {
		n := p.register(a)
		if n != a && args == nil {
			args = append([]Expr(nil), c.Args...)
		}
		if args != nil {
			args[i] = n
		}
	}
	if args != nil {
		n := *c
		n.Args = args
		c = &n
	}
	if len(c.Args) != 2 {
		return c
	}
	key := normalKey(c)
	if key == "" {
		return c
	}
	if first, ok := p.seen[key]; ok {
		return first
	}
	p.seen[key] = c
	return c
}

// normalKey is the same for calls that RexNormalize makes equal; "" for calls that have one form only.
func normalKey(c *Call) string {
	a, b := Key(c.Args[0]), Key(c.Args[1])
	op := c.Op
	switch op {
	case Gt, Ge:
		op, a, b = reverseOp(op), b, a
	case Lt, Le:
	case And, Or, Eq, Ne, IsDistinctFrom, IsNotDistinctFrom:
		a, b = min(a, b), max(a, b)
	case Plus, Times:
		if !SameTypeSansNullability(c.Args[0].Type(), c.Args[1].Type()) {
			return ""
		}
		a, b = min(a, b), max(a, b)
	default:
		return ""
	}
	return strings.Join([]string{op.Name, a, b, c.T.String()}, "\x00")
}
