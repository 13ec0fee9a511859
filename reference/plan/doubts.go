package plan

import (
	"slices"
	"strings"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// doubtPlan looks for shapes of a plan whose text is not known to be Flink's: EXPLAIN
// refuses them, and the query still runs.
func (p *physical) doubtPlan(n phys.Node) {
	switch x := n.(type) {
	case *phys.Sink:
		p.doubtSinkLiterals(x)
	case *phys.OverAggregate:
		p.doubtShared(x.In[0], nil)
	case *phys.GroupAggregate:
		p.doubtShared(x.In[0], x.Keys)
	case *phys.LocalGroupAggregate:
		p.doubtShared(x.In[0], x.Keys)
	case *phys.BatchAggregate:
		p.doubtShared(x.In[0], x.Keys)
		p.doubtSortedValues(x)
	case *phys.Calc:
		p.doubtCalc(x)
	}
	for _, in := range n.Inputs() {
		p.doubtPlan(in)
	}
}

// doubtShared: a column that USING shares, or COALESCE over both sides of a join, became a
// column of one side below an aggregate that does not group by it. Flink has moved part of the aggregate below the
// join, or kept all columns, by then.
func (p *physical) doubtShared(n phys.Node, keys []int) {
	for {
		switch n.(type) {
		case *phys.Exchange, *phys.Sort:
			n = n.Inputs()[0]
			continue
		}
		break
	}
	c, ok := n.(*phys.Calc)
	if !ok {
		return
	}
	if _, ok := c.In[0].(*phys.Join); !ok {
		return
	}
	for i, e := range c.Exprs {
		name := c.Fields[i].Name
		if _, column := e.(*rex.InputRef); column && !slices.Contains(keys, i) && strings.HasPrefix(name, "$") && strings.Trim(strings.TrimPrefix(name[1:], "f"), "0123456789") == "" {
			p.doubtText("an aggregate of a column that USING shares")
		}
	}
}

// doubtSortedValues: rows of VALUES that stand in order are sorted rows for Flink, which then
// may sort again and takes a sorting aggregate for the whole table.
func (p *physical) doubtSortedValues(a *phys.BatchAggregate) {
	if len(a.Keys) > 0 {
		return
	}
	n := a.In[0]
	for len(n.Inputs()) == 1 {
		switch n.(type) {
		case *phys.Exchange, *phys.Calc, *phys.Sort, *phys.BatchAggregate:
			n = n.Inputs()[0]
			continue
		}
		break
	}
	if v, ok := n.(*phys.Values); ok && len(v.Rows) > 1 && len(v.Schema()) > 0 {
		p.doubtText("an aggregate of all rows of VALUES in batch")
	}
}

// doubtSinkLiterals: a literal that is cast for the sink keeps the digits it was written
// with in some plans and not in others.
func (p *physical) doubtSinkLiterals(s *phys.Sink) {
	inputs, union := s.Inputs(), false
	if u, ok := inputs[0].(*phys.Union); ok {
		inputs, union = u.In, true
	}
	for _, in := range inputs {
		c, ok := in.(*phys.Calc)
		if !ok {
			continue
		}
		for _, e := range c.Exprs {
			cast, ok := e.(*rex.Call)
			if !ok || cast.Op != rex.Cast {
				continue
			}
			if inner, ok := cast.Args[0].(*rex.Call); ok && union && inner.Op == rex.Cast &&
				inner.Args[0].Type().Kind == value.KindChar && inner.T.Kind == value.KindVarchar {
				p.doubtText("a UNION of CHAR and VARCHAR that is written to a sink")
			}
			l, ok := cast.Args[0].(*rex.Literal)
			if !ok || l.V.IsNull() {
				continue
			}
			if l.T.Kind == value.KindDecimal || l.T.IsApprox() {
				p.doubtText("a number that is written to a sink column of another type")
			}
			if union && l.T.Kind != cast.T.Kind {
				p.doubtText("several rows of VALUES that are written to columns of other types")
			}
		}
	}
}

// doubtCalc: an equality with text that is no value of the column's type.
func (p *physical) doubtCalc(c *phys.Calc) {
	if c.Cond == nil {
		return
	}
	for _, e := range rex.Conjunctions(c.Cond) {
		x, ok := e.(*rex.Call)
		if !ok || len(x.Args) != 2 {
			continue
		}
		for i, a := range x.Args {
			if l, ok := a.(*rex.Literal); ok && x.Args[1-i].Type().IsDatetime() && isText(l.T) && !l.V.IsNull() && !startsWithDigit(l.V.Str()) {
				p.fail(unsupported.New("comparison of a time with the text %q", l.V.Str()))
			}
		}
		if k, ok := x.Args[1].(*rex.Call); ok && x.Op == rex.Eq && k.Op == rex.Cast && isText(k.Args[0].Type()) && len(rex.Refs(k)) == 0 {
			p.doubtText("an equality with text that is no number")
		}
	}
}

func isText(t value.Type) bool { return t.Kind == value.KindChar || t.Kind == value.KindVarchar }

func startsWithDigit(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && (s[0] >= '0' && s[0] <= '9' || s[0] == '-' || s[0] == '+')
}
