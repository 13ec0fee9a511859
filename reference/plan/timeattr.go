package plan

import (
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// RelTimeIndicatorConverter, but for a query's result streaming only: where an operator treats a rowtime or
// proctime column as plain data, the column becomes a timestamp in a Calc below.

// materialized is a time attribute as a plain timestamp; other expressions stay.
func (p *physical) materialized(e rex.Expr) rex.Expr {
	t := e.Type()
	switch t.Time {
	case value.NoTimeAttribute:
		return e
	case value.Proctime:
		c, err := fn.Resolve(&fn.Context{}, "PROCTIME_MATERIALIZE", []rex.Expr{e})
		if err != nil {
			p.fail(err)
			return e
		}
		return c
	}
	t.Time = value.NoTimeAttribute
	t.Precision = 3
	return &rex.Call{Op: rex.Cast, Args: []rex.Expr{e}, T: t}
}

// keepsTimeAttribute: functions whose result stays a time attribute.
func keepsTimeAttribute(op *rex.Op) bool {
	switch op {
	case rex.Cast, rex.GroupTumble, rex.GroupHop, rex.GroupSession,
		rex.TumbleRowtime, rex.TumbleProctime, rex.HopRowtime, rex.HopProctime,
		rex.SessionRowtime, rex.SessionProctime, rex.MatchRowtime, rex.MatchProctime:
		return true
	}
	return op.Name == "PROCTIME" || op.Name == "Reinterpret"
}

// plainOperands materializes what calls read; in is the schema of the operator that
// the expression is over.
func (p *physical) plainOperands(e rex.Expr, in []value.Field) rex.Expr {
	switch e := e.(type) {
	case *rex.InputRef:
		if e.T.Time != value.NoTimeAttribute && in[e.Index].Type.Time == value.NoTimeAttribute {
			n := *e
			n.T.Time = value.NoTimeAttribute
			return &n
		}
	case *rex.PatternRef:
		if e.T.Time != value.NoTimeAttribute && in[e.Index].Type.Time == value.NoTimeAttribute {
			n := *e
			n.T.Time = value.NoTimeAttribute
			return &n
		}
	case *rex.Call:
		args := make([]rex.Expr, len(e.Args))
		for i, a := range e.Args {
			args[i] = p.plainOperands(a, in)
		}
		n := *e
		n.Args = args
		if n.T.Time != value.NoTimeAttribute {
			if keepsTimeAttribute(n.Op) {
				return &n
			}
			n.T.Time = value.NoTimeAttribute
		}
		switch n.Op {
		case rex.GroupTumble, rex.GroupHop, rex.GroupSession:
			return &n
		}
		if n.Op == rex.Cast && args[0].Type().Time == value.Rowtime && rex.SameTypeSansNullability(p.materialized(args[0]).Type(), n.T) {
			return &n // the cast itself makes it plain
		}
		for i, a := range args {
			args[i] = p.materialized(a)
		}
		return &n
	}
	return e
}

// readsProctime: a function takes a proctime column as plain data.
func readsProctime(list []rex.Expr) bool {
	found := false
	for _, e := range list {
		rex.Walk(e, func(x rex.Expr) bool {
			if c, ok := x.(*rex.Call); ok && !keepsTimeAttribute(c.Op) {
				for _, a := range c.Args {
					found = found || a.Type().Time == value.Proctime
				}
			}
			return !found
		})
	}
	return found
}

// plainCalc rewrites a Calc's expressions.
func (p *physical) plainCalc(c *phys.Calc) {
	in := c.In[0].Schema()
	exprs := make([]rex.Expr, len(c.Exprs))
	for i, e := range c.Exprs {
		exprs[i] = p.plainOperands(e, in)
		c.Fields[i].Type = exprs[i].Type()
	}
	c.Exprs = exprs
	if c.Cond != nil {
		c.Cond = p.plainOperands(c.Cond, in)
	}
}

// materialize makes the columns that want names plain timestamps, in the Calc that n
// is or one on top.
func (p *physical) materialize(n phys.Node, want func(i int, t value.Type) bool) phys.Node {
	if p.cfg.Batch {
		return n
	}
	return p.materializeColumns(n, want)
}

// materializeResult makes the proctime columns of a query's result plain, in batch mode, too.
func (p *physical) materializeResult(n phys.Node) phys.Node {
	return p.materializeColumns(n, proctimeOnly)
}

func (p *physical) materializeColumns(n phys.Node, want func(i int, t value.Type) bool) phys.Node {
	if p.err != nil {
		return n
	}
	fields := n.Schema()
	found := false
	for i, f := range fields {
		found = found || f.Type.Time != value.NoTimeAttribute && want(i, f.Type)
	}
	if !found {
		return n
	}
	c, ok := n.(*phys.Calc)
	if ok {
		x := *c
		x.Exprs = append([]rex.Expr(nil), c.Exprs...)
		x.Fields = append([]value.Field(nil), c.Fields...)
		c = &x
	} else {
		c = &phys.Calc{Base: base(append([]value.Field(nil), fields...), n)}
		for i, f := range fields {
			c.Exprs = append(c.Exprs, &rex.InputRef{Index: i, T: f.Type})
		}
	}
	for i, f := range fields {
		if f.Type.Time != value.NoTimeAttribute && want(i, f.Type) {
			c.Exprs[i] = p.materialized(c.Exprs[i])
			c.Fields[i].Type = c.Exprs[i].Type()
		}
	}
	return c
}

func anyTime(int, value.Type) bool { return true }

func proctimeOnly(_ int, t value.Type) bool { return t.Time == value.Proctime }

// aggregated tells the columns that an aggregate takes as plain data: keys and arguments.
func (n *aggNode) aggregated(i int, _ value.Type) bool {
	for _, k := range n.keys {
		if k == i {
			return true
		}
	}
	for _, c := range n.calls {
		for _, a := range c.Args {
			if a == i {
				return true
			}
		}
	}
	return false
}

// plainLike is t with the time attribute of what is below.
func plainLike(t, below value.Type) value.Type {
	t.Time = below.Time
	return t
}
