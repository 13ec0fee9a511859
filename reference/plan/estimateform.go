package plan

import (
	"fmt"
	"strings"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// opaqueNode stands for an operator of which Flink knows only the rows, and the columns in
// which no two of them agree.
type opaqueNode struct {
	fields []value.Field
	unique []int
	keyed  bool
	unsure bool
}

func (n *opaqueNode) schema() []value.Field { return n.fields }

func nodeName(n phys.Node) string { return strings.TrimPrefix(fmt.Sprintf("%T", n), "*phys.") }

// distinct estimates the different values in columns, if that is known.
func (e *estimates) distinct(n phys.Node, columns []int) (float64, bool) {
	return e.b.distinctRows(e.form(n), union(nil, columns), nil)
}

// form is a physical plan in the form on which the planner estimates, with the rows that are
// known of its physical form.
func (e *estimates) form(n phys.Node) *calc {
	if c, ok := e.forms[n]; ok {
		return c
	}
	c := e.makeForm(n)
	e.forms[n] = c
	e.b.known[c] = e.rows(n)
	if c.trivial() {
		e.b.known[c.in] = e.rows(n)
	}
	return c
}

func (e *estimates) makeForm(n phys.Node) *calc {
	switch n := n.(type) {
	case *phys.TableSourceScan:
		return identity(&scanNode{table: n.Table, columns: n.Columns, fields: n.Fields, limit: n.Limit})
	case *phys.Values:
		return identity(&valuesNode{rows: n.Literals, fields: n.Fields})
	case *phys.Calc:
		below := e.form(n.In[0])
		c := &calc{in: below.in, exprs: n.Exprs, fields: n.Fields, cond: rex.Conjunctions(n.Cond)}
		if n.Cond == nil {
			c.cond = nil
		}
		if !below.trivial() {
			s := &sortNode{in: below, fetch: -1}
			e.b.known[s] = e.rows(n.In[0])
			c.in = s
		}
		return c
	case *phys.Exchange:
		return e.form(n.In[0])
	case *phys.Sort:
		if !n.Temporal {
			return e.form(n.In[0])
		}
	case *phys.SortLimit:
		return identity(&sortNode{in: e.form(n.In[0]), offset: n.Offset, fetch: n.Fetch})
	case *phys.Limit:
		return identity(&sortNode{in: e.form(n.In[0]), offset: n.Offset, fetch: n.Fetch})
	case *phys.Union:
		u := &unionNode{fields: n.Fields}
		for _, in := range n.In {
			u.in = append(u.in, e.form(in))
		}
		return identity(u)
	case *phys.Expand:
		return identity(&expandNode{in: e.form(n.In[0]), projects: n.Projects, col: n.ExpandCol, fields: n.Fields})
	case *phys.BatchAggregate:
		if n.Merge && !n.Local {
			return e.form(n.In[0])
		}
		a := &aggNode{in: e.form(n.In[0]), keys: append(append([]int(nil), n.Keys...), n.AuxKeys...), fields: n.Fields}
		for _, c := range n.Calls {
			a.calls = append(a.calls, rel.AggCall{Fn: c.Fn, Args: c.Args, Distinct: c.Distinct, Name: c.Name, T: c.T})
		}
		return identity(a)
	case *phys.WatermarkAssigner:
		return identity(&watermarkNode{in: e.form(n.In[0]), fields: n.Fields})
	case *phys.WindowTableFunction:
		return identity(&windowTVFNode{in: e.form(n.In[0]), window: n.Window, fields: n.Fields})
	case *phys.GroupAggregate:
		return identity(&opaqueNode{fields: n.Fields, unique: sequence(len(n.Keys)), keyed: true})
	case *phys.GlobalGroupAggregate:
		return identity(&opaqueNode{fields: n.Fields, unique: sequence(len(n.Keys)), keyed: true})
	}
	if j, ok := e.join(n); ok {
		return identity(j)
	}
	return identity(&opaqueNode{fields: n.Schema(), unsure: true})
}

// unsure: what is unique in the rows of a plan's form, or which part of a source they are, is not known.
func unsure(c *calc, semi bool) bool {
	switch n := c.in.(type) {
	case *opaqueNode:
		return n.unsure || semi
	case *sortNode:
		return unsure(n.in, semi)
	case *joinNode:
		return unsure(n.left, semi) || !n.semi() && unsure(n.right, semi)
	}
	return false
}

// join is the logical form of any join.
func (e *estimates) join(n phys.Node) (*joinNode, bool) {
	var typ string
	var cond rex.Expr
	switch n := n.(type) {
	case *phys.Join:
		typ, cond = n.JoinType, n.Cond
	case *phys.IntervalJoin:
		typ, cond = n.JoinType, keyCondition(n, n.LeftKeys, n.RightKeys, n.FilterNulls, n.NonEqui)
	case *phys.WindowJoin:
		typ, cond = n.JoinType, keyCondition(n, n.LeftKeys, n.RightKeys, n.FilterNulls, n.NonEqui)
	default:
		return nil, false
	}
	j := &joinNode{left: e.form(n.Inputs()[0]), right: e.form(n.Inputs()[1]), fields: n.Schema()}
	j.typ = map[string]string{"InnerJoin": "inner", "LeftOuterJoin": "left", "RightOuterJoin": "right",
		"FullOuterJoin": "full", "LeftSemiJoin": "semi", "LeftAntiJoin": "anti"}[typ]
	if cond != nil {
		j.cond = rex.Conjunctions(cond)
	}
	if lit, ok := cond.(*rex.Literal); ok && !lit.V.IsNull() && lit.V.Bool() {
		j.cond = nil
	}
	return j, true
}

// keyCondition is the condition of a join by time or window without its times, which Flink leaves out.
func keyCondition(n phys.Node, left, right []int, filterNulls []bool, rest rex.Expr) rex.Expr {
	var all []rex.Expr
	l, r := n.Inputs()[0].Schema(), n.Inputs()[1].Schema()
	for i, k := range left {
		op := rex.Eq
		if i < len(filterNulls) && !filterNulls[i] {
			op = rex.IsNotDistinctFrom
		}
		all = append(all, rex.Compare(op, &rex.InputRef{Index: k, T: l[k].Type},
			&rex.InputRef{Index: len(l) + right[i], T: r[right[i]].Type}))
	}
	if rest != nil {
		all = append(all, rex.Conjunctions(rest)...)
	}
	if len(all) == 0 {
		return nil
	}
	return rex.AndOf(all)
}

// joinRows refuses keys of which both sides have bounds: Flink looks whether they meet.
func (e *estimates) joinRows(j *joinNode) float64 {
	if unsure(j.left, j.semi()) || unsure(j.right, j.semi()) {
		e.refuse("a join of rows whose keys are not known")
	}
	w := len(j.left.exprs)
	l, r, _, _ := equiKeys(j.cond, w)
	for i := range l {
		if bounded(j.left, l[i]) && bounded(j.right, r[i]) {
			e.refuse("a join of columns with known bounds")
		}
	}
	for _, c := range j.cond {
		for _, k := range rex.Refs(c) {
			if k < w && bounded(j.left, k) || k >= w && !j.semi() && bounded(j.right, k-w) {
				if len(l) == 0 || !isEqui(c) {
					e.refuse("a join condition on columns with known bounds")
				}
			}
		}
	}
	return e.b.joinRows(j)
}

func isEqui(e rex.Expr) bool {
	c, ok := e.(*rex.Call)
	return ok && (c.Op == rex.Eq || c.Op == rex.IsNotDistinctFrom)
}

// bounded: Flink knows an interval in which the column's values lie (FlinkRelMdColumnInterval),
// from constants, conditions or counts.
func bounded(c *calc, column int) bool {
	r, ok := c.exprs[column].(*rex.InputRef)
	if !ok {
		return len(rex.Refs(c.exprs[column])) == 0 || boundedExpr(c, c.exprs[column])
	}
	for _, x := range c.cond {
		for _, k := range rex.Refs(x) {
			if k == r.Index {
				return true
			}
		}
	}
	return boundedIn(c.in, r.Index)
}

func boundedExpr(c *calc, e rex.Expr) bool {
	x, ok := e.(*rex.Call)
	if !ok {
		return true
	}
	switch x.Op.Name {
	case "CASE", "IF", "EXTRACT", "COALESCE":
		return true
	}
	for _, a := range x.Args {
		switch a := a.(type) {
		case *rex.InputRef:
			if boundedIn(c.in, a.Index) {
				return true
			}
			for _, cond := range c.cond {
				for _, k := range rex.Refs(cond) {
					if k == a.Index {
						return true
					}
				}
			}
		case *rex.Call:
			if boundedExpr(c, a) {
				return true
			}
		}
	}
	return false
}

func boundedIn(n node, column int) bool {
	switch n := n.(type) {
	case *scanNode, *opaqueNode:
		return false
	case *sortNode:
		return bounded(n.in, column)
	case *watermarkNode:
		return bounded(n.in, column)
	case *windowTVFNode:
		return column < len(n.in.exprs) && bounded(n.in, column)
	case *aggNode:
		return column >= len(n.keys) || bounded(n.in, n.keys[column])
	case *joinNode:
		w := len(n.left.exprs)
		if column < w {
			return bounded(n.left, column)
		}
		return bounded(n.right, column-w)
	case *unionNode:
		for _, in := range n.in {
			if bounded(in, column) {
				return true
			}
		}
		return false
	}
	return true
}

func javaDouble(f float64) string { return string(value.AppendDouble(nil, f)) }

// fullCost is FlinkCost.
type fullCost struct{ rows, cpu, io, network, memory float64 }

func (c fullCost) plus(o fullCost) fullCost {
	return fullCost{c.rows + o.rows, c.cpu + o.cpu, c.io + o.io, c.network + o.network, c.memory + o.memory}
}

func (c fullCost) times(f float64) fullCost {
	return fullCost{c.rows * f, c.cpu * f, c.io * f, c.network * f, c.memory * f}
}

func (c fullCost) text() string {
	return "{" + javaDouble(c.rows) + " rows, " + javaDouble(c.cpu) + " cpu, " + javaDouble(c.io) + " io, " +
		javaDouble(c.network) + " network, " + javaDouble(c.memory) + " memory}"
}

func (e *estimates) cumulative(n phys.Node) fullCost {
	if c, ok := e.costs[n]; ok {
		return c
	}
	c := e.self(n)
	for _, in := range n.Inputs() {
		c = c.plus(e.cumulative(in))
	}
	e.costs[n] = c
	return c
}

// perRow is the cost that operators have by default.
func (e *estimates) perRow(n phys.Node) fullCost { r := e.rows(n); return fullCost{rows: r, cpu: r} }
