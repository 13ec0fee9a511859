package plan

import (
	"slices"

	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
)

// withOuter adds the columns of outer rows that a filter reads to its input: those that are
// equal to something there are taken from there, else all are joined as a table of their
// different values (decorrelateInputWithValueGenerator).
func (d *decorrelator) withOuter(n *rel.Filter, f *frame, read []outerColumn) *frame {
	missing := false
	for _, c := range read {
		_, ok := f.has(c)
		missing = missing || !ok
	}
	if !missing {
		return f
	}
	var found []outerAt
	var computed []rex.Expr
	for _, c := range read {
		if _, ok := f.has(c); ok {
			continue
		}
		e := equalTo(n.Cond, c)
		if e == nil || hasCorrelVar(e) {
			continue
		}
		if r, ok := e.(*rex.InputRef); ok {
			found = append(found, outerAt{c, r.Index})
			continue
		}
		found = append(found, outerAt{c, len(f.node.Schema()) + len(computed)})
		computed = append(computed, e)
	}
	if len(found) != len(read) {
		return d.generated(f, read)
	}
	node := f.node
	if len(computed) > 0 {
		node = projectOf(node, append(refsTo(node), computed...))
	}
	return &frame{node: node, to: f.to, outer: sortedOuter(append(found, f.outer...))}
}

// equalTo finds what a condition says to be equal to an outer column.
func equalTo(cond rex.Expr, c outerColumn) rex.Expr {
	for _, e := range rex.Conjunctions(cond) {
		call, ok := e.(*rex.Call)
		if !ok || call.Op != rex.Eq {
			continue
		}
		for i, a := range call.Args {
			if refersTo(a, c) {
				return call.Args[1-i]
			}
		}
	}
	return nil
}

// refersTo looks through casts that only widen.
func refersTo(e rex.Expr, c outerColumn) bool {
	switch x := e.(type) {
	case *rex.Call:
		if x.Op == rex.Cast {
			from := x.Args[0].Type()
			return from.Kind == x.T.Kind && x.T.Precision >= from.Precision && refersTo(x.Args[0], c)
		}
	case *rex.Field:
		v, ok := x.X.(*rex.CorrelVar)
		return ok && v.ID == c.id && x.Index == c.field
	}
	return false
}

// generated joins a frame with the different values of outer columns.
func (d *decorrelator) generated(f *frame, read []outerColumn) *frame {
	type source struct {
		node    rel.Node
		columns []int
		from    int
	}
	var sources []*source
	at := func(c outerColumn) (*source, int) {
		left := d.lefts[c.id]
		node, to := left, sequence(len(left.Schema()))
		if lf := d.frames[left]; lf != nil {
			node, to = lf.node, lf.to
		}
		for _, s := range sources {
			if s.node == node {
				return s, to[c.field]
			}
		}
		s := &source{node: node}
		sources = append(sources, s)
		return s, to[c.field]
	}
	for _, c := range read {
		if d.lefts[c.id] == nil {
			return f
		}
		s, i := at(c)
		if !slices.Contains(s.columns, i) {
			s.columns = append(s.columns, i)
		}
	}
	var values rel.Node
	for _, s := range sources {
		var exprs []rex.Expr
		for _, i := range s.columns {
			exprs = append(exprs, refTo(s.node, i))
		}
		table := s.node
		if !slices.Equal(s.columns, sequence(len(s.node.Schema()))) {
			table = projectOf(s.node, exprs)
		}
		table = distinctOver(table, sequence(len(s.columns)))
		if values == nil {
			values = table
			continue
		}
		s.from = len(values.Schema())
		values = joinOf(values, table, "inner", rex.BoolLiteral(true))
	}
	w := len(f.node.Schema())
	out := &frame{node: joinOf(f.node, values, "inner", rex.BoolLiteral(true)), to: f.to, outer: slices.Clone(f.outer)}
	for _, c := range read {
		s, i := at(c)
		place := w + s.from + slices.Index(s.columns, i)
		out.outer = slices.DeleteFunc(out.outer, func(o outerAt) bool { return o.outerColumn == c })
		out.outer = append(out.outer, outerAt{c, place})
	}
	out.outer = sortedOuter(out.outer)
	return out
}
