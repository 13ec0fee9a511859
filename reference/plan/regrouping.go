package plan

import (
	"slices"

	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// regrouping is an aggregate of a sub-query that groups by further columns, those that
// will be joined with the outer row: keys first, then these, then the rest of the input.
type regrouping struct {
	node rel.Node
	// agg is the new aggregate, nil without one.
	agg *rel.Aggregate
	// inputTo says where the input's columns stand below the aggregate.
	inputTo map[int]int
	// to says where the former outputs are, extra where the further columns are.
	to, extra []int
}

// newRegrouping regroups a over in, in which a's former input columns are at to. Constant
// keys are left out and added again above, since grouping by nothing has a row always.
func newRegrouping(in rel.Node, a *rel.Aggregate, to, extra []int) *regrouping {
	m := &regrouping{inputTo: map[int]int{}}
	var exprs []rex.Expr
	same := columnsBelowProject(in, a, to, extra)
	first := map[int]int{}
	add := func(i int) {
		if j, ok := first[same(i)]; ok {
			m.inputTo[i] = m.inputTo[j] // AggregateProjectMergeRule
			return
		}
		first[same(i)] = i
		m.inputTo[i] = len(exprs)
		exprs = append(exprs, refTo(in, i))
	}
	constants := map[int]*rex.Literal{}
	keyAt := make([]int, len(a.Keys))
	for i, k := range a.Keys {
		if p, ok := in.(*rel.Project); ok {
			if l, ok := p.Exprs[k].(*rex.Literal); ok {
				constants[i] = l
				continue
			}
		}
		keyAt[i] = len(exprs)
		add(to[k])
	}
	for _, i := range extra {
		if _, ok := m.inputTo[i]; !ok {
			add(i)
		}
		m.extra = append(m.extra, m.inputTo[i])
	}
	n := len(exprs)
	for i := range in.Schema() {
		if _, ok := m.inputTo[i]; !ok {
			add(i)
		}
	}
	below := projectOf(in, exprs)
	var calls []rel.AggCall
	for _, c := range a.Calls {
		args := slices.Clone(c.Args)
		for i, x := range args {
			args[i] = m.inputTo[to[x]]
		}
		c.Args = args
		if c.Filter >= 0 {
			c.Filter = m.inputTo[to[c.Filter]]
		}
		if n > 0 && len(a.Keys) == 0 && c.Filter < 0 && c.Fn.Name != "COUNT" && len(args) > 0 {
			c.T.Nullable = below.Fields[args[0]].Type.Nullable // a group has a row at least
		}
		calls = append(calls, c)
	}
	m.agg = aggregateOf(below, sequence(n), calls...)
	var agg rel.Node = m.agg
	if n == 0 && len(calls) == 0 {
		// RelBuilder makes one row of it, whatever the input is: EXISTS is TRUE then.
		dummy := value.Field{Name: "dummy", Type: rex.BoolType(false)}
		m.agg = nil
		agg = &rel.Values{Base: rel.Base{Fields: []value.Field{dummy}}, Rows: [][]*rex.Literal{{rex.BoolLiteral(true)}}}
	}
	m.node = agg
	for i := range a.Keys {
		m.to = append(m.to, keyAt[i])
	}
	for i := range calls {
		m.to = append(m.to, n+i)
	}
	if len(constants) > 0 {
		m.addConstants(agg, constants, len(extra), len(a.Keys))
	}
	return m
}

func (m *regrouping) addConstants(agg rel.Node, constants map[int]*rex.Literal, extra, keys int) {
	exprs, list := refsTo(agg), namesOf(agg)
	if _, one := agg.(*rel.Values); one {
		exprs, list = nil, nil
	}
	for i := keys - 1; i >= 0; i-- {
		l, ok := constants[i]
		if !ok {
			continue
		}
		at := min(i+extra, len(exprs))
		exprs, list = slices.Insert(exprs, at, rex.Expr(l)), slices.Insert(list, at, "")
		for k := range m.to {
			if m.to[k] >= at {
				m.to[k]++
			}
		}
		for k := range m.extra {
			if m.extra[k] >= at {
				m.extra[k]++
			}
		}
		m.to[i] = at
	}
	m.node = projectOf(agg, exprs, list...)
}

// columnsBelowProject tells which columns of a projection are the same column below it, where all
// that an aggregate reads are plain columns.
func columnsBelowProject(in rel.Node, a *rel.Aggregate, to, extra []int) func(int) int {
	none := func(i int) int { return -1 - i }
	p, ok := in.(*rel.Project)
	if !ok {
		return none
	}
	read := slices.Clone(extra)
	for _, k := range a.Keys {
		read = append(read, to[k])
	}
	for _, c := range a.Calls {
		for _, x := range c.Args {
			read = append(read, to[x])
		}
		if c.Filter >= 0 {
			read = append(read, to[c.Filter])
		}
	}
	for _, i := range read {
		if _, ok := p.Exprs[i].(*rex.InputRef); !ok {
			return none
		}
	}
	return func(i int) int {
		if r, ok := p.Exprs[i].(*rex.InputRef); ok {
			return r.Index
		}
		return none(i)
	}
}
