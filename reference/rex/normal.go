package rex

// NormalKey is a digest in which the operands of a symmetric or reversible operator with
// two operands stand in one order. Calcite compares expressions so (RexNormalize), and
// takes a condition whose normal form has not changed for unchanged.
func NormalKey(e Expr) string {
	return Key(Transform(e, func(x Expr) Expr {
		c, ok := x.(*Call)
		if !ok || len(c.Args) != 2 {
			return x
		}
		op := c.Op
		switch op {
		case And, Or, Eq, Ne, IsDistinctFrom, IsNotDistinctFrom, Plus, Times:
		case Lt:
			op = Gt
		case Le:
			op = Ge
		case Gt:
			op = Lt
		case Ge:
			op = Le
		default:
			return x
		}
		if Key(c.Args[0]) <= Key(c.Args[1]) {
			return x
		}
		return &Call{Op: op, Args: []Expr{c.Args[1], c.Args[0]}, T: c.T}
	}))
}
