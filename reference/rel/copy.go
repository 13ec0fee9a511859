package rel

// WithInputs copies a node with other inputs of the same columns.
func WithInputs(n Node, in []Node) Node {
	same := len(in) == len(n.Inputs())
	for i := range in {
		same = same && in[i] == n.Inputs()[i]
	}
	if same {
		return n
	}
	switch x := n.(type) {
	case *WatermarkAssigner:
		c := *x
		c.In = in
		return &c
	case *Project:
		c := *x
		c.In = in
		return &c
	case *Filter:
		c := *x
		c.In = in
		return &c
	case *Aggregate:
		c := *x
		c.In = in
		return &c
	case *Sort:
		c := *x
		c.In = in
		return &c
	case *Union:
		c := *x
		c.In = in
		return &c
	case *Intersect:
		c := *x
		c.In = in
		return &c
	case *Minus:
		c := *x
		c.In = in
		return &c
	case *Join:
		c := *x
		c.In = in
		return &c
	case *Correlate:
		c := *x
		c.In = in
		return &c
	case *Uncollect:
		c := *x
		c.In = in
		return &c
	case *Snapshot:
		c := *x
		c.In = in
		return &c
	case *TableFunction:
		c := *x
		c.In = in
		return &c
	case *Match:
		c := *x
		c.In = in
		return &c
	case *Sink:
		c := *x
		c.In = in
		return &c
	}
	return n
}
