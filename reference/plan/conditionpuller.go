package plan

import (
	"slices"

	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
)

// conditionPuller pulls the conditions that read the outer row out of a sub-query, to
// its top (SubQueryDecorrelator).
type conditionPuller struct {
	b    *builder
	vars []int
}

// pulled is a sub-query without them: cond, over its columns, is what was pulled, nil for
// nothing; to says where its former columns are.
type pulled struct {
	node rel.Node
	cond rex.Expr
	to   []int
}

func (p *pulled) read() []int {
	if p.cond == nil {
		return nil
	}
	return ascending(rex.Refs(p.cond))
}

// onlyRead cuts the columns to those that the condition reads.
func (p *pulled) onlyRead() *pulled {
	read := p.read()
	if len(read) == len(p.node.Schema()) {
		return p
	}
	var exprs []rex.Expr
	at := map[int]int{}
	for i, c := range read {
		exprs = append(exprs, refTo(p.node, c))
		at[c] = i
	}
	return &pulled{node: projectOf(p.node, exprs), cond: rex.Renumber(p.cond, func(i int) int { return at[i] })}
}

func (d *conditionPuller) pull(n rel.Node) *pulled {
	switch n := n.(type) {
	case *rel.Project:
		return d.project(n)
	case *rel.Filter:
		p := d.pull(n.In[0])
		if p == nil {
			return nil
		}
		cor, plain, _ := splitCorrelated(rex.Renumber(n.Cond, func(i int) int { return p.to[i] }), d.vars)
		if p.cond != nil {
			cor = append(cor, p.cond)
		}
		out := &pulled{node: p.node, to: p.to}
		if len(plain) > 0 {
			out.node = filterOf(p.node, rex.AndOf(plain), n.Variables...)
		}
		if len(cor) > 0 {
			out.cond = rex.AndOf(cor)
		}
		return out
	case *rel.Aggregate:
		return d.aggregate(n)
	case *rel.Join:
		return d.join(n)
	case *rel.Sort:
		p := d.pull(n.In[0])
		if p == nil {
			return nil
		}
		s := *n
		s.In, s.Fields = []rel.Node{p.node}, p.node.Schema()
		s.Keys = slices.Clone(n.Keys)
		for i := range s.Keys {
			s.Keys[i].Column = p.to[s.Keys[i].Column]
		}
		return &pulled{node: &s, cond: p.cond, to: p.to}
	case *rel.Values:
		return nil
	}
	in := make([]rel.Node, len(n.Inputs()))
	for i, x := range n.Inputs() {
		p := d.pull(x)
		if p == nil || p.cond != nil {
			return nil
		}
		in[i] = p.node
	}
	return &pulled{node: rel.WithInputs(n, in), to: sequence(len(n.Schema()))}
}

// project passes on the columns that conditions read, behind its own.
func (d *conditionPuller) project(n *rel.Project) *pulled {
	p := d.pull(n.In[0])
	if p == nil {
		return nil
	}
	var exprs []rex.Expr
	at := map[int]int{}
	for i, e := range n.Exprs {
		e = rex.Renumber(e, func(i int) int { return p.to[i] })
		exprs = append(exprs, e)
		if r, ok := e.(*rex.InputRef); ok {
			at[r.Index] = i
		}
	}
	list := namesOf(n)
	for _, i := range p.read() {
		if _, ok := at[i]; !ok {
			at[i] = len(exprs)
			exprs = append(exprs, refTo(p.node, i))
			list = append(list, p.node.Schema()[i].Name)
		}
	}
	out := projectOf(p.node, exprs, list...)
	out.Variables = n.Variables
	res := &pulled{node: out, to: sequence(len(n.Exprs))}
	if p.cond != nil {
		res.cond = rex.Renumber(p.cond, func(i int) int { return at[i] })
	}
	return res
}

// aggregate groups by the columns that conditions read, too.
func (d *conditionPuller) aggregate(n *rel.Aggregate) *pulled {
	p := d.pull(n.In[0])
	if p == nil {
		return nil
	}
	if len(n.Sets) > 0 && p.cond != nil {
		return nil
	}
	if p.cond == nil {
		return &pulled{node: rel.WithInputs(n, []rel.Node{p.node}), to: sequence(len(n.Fields))}
	}
	if len(n.Keys) == 0 {
		d.b.doubtText("an aggregate without groups in IN or EXISTS, of which Flink reads all columns of the source")
	}
	m := newRegrouping(p.node, n, p.to, p.read())
	return &pulled{node: m.node, cond: rex.Renumber(p.cond, func(i int) int { return m.inputTo[i] }), to: m.to}
}

func (d *conditionPuller) join(n *rel.Join) *pulled {
	l, r := d.pull(n.In[0]), d.pull(n.In[1])
	if l == nil || r == nil {
		return nil
	}
	w, w2 := len(n.In[0].Schema()), len(l.node.Schema())
	to := slices.Clone(l.to)
	for _, i := range r.to {
		to = append(to, w2+i)
	}
	cond := rex.Renumber(n.Cond, func(i int) int {
		if i < w {
			return l.to[i]
		}
		return w2 + r.to[i-w]
	})
	j := joinOf(l.node, r.node, n.Type, cond)
	j.Variables, j.Strategies, j.TTL = n.Variables, n.Strategies, n.TTL
	out := &pulled{node: j, to: to}
	var cor []rex.Expr
	if l.cond != nil {
		cor = append(cor, l.cond)
	}
	if r.cond != nil {
		cor = append(cor, shift(r.cond, w2))
	}
	if len(cor) > 0 {
		out.cond = rex.AndOf(cor)
	}
	return out
}
