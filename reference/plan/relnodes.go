package plan

import (
	"slices"
	"strconv"

	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// The functions here make logical nodes as Calcite's RelBuilder does while sub-queries are
// turned into joins.

func refTo(n rel.Node, i int) *rex.InputRef { return &rex.InputRef{Index: i, T: n.Schema()[i].Type} }

func refsTo(n rel.Node) []rex.Expr {
	out := make([]rex.Expr, len(n.Schema()))
	for i := range out {
		out[i] = refTo(n, i)
	}
	return out
}

// projectOf makes a projection. A column without a name keeps that of the column that it
// is, or is called by its place.
func projectOf(in rel.Node, exprs []rex.Expr, names ...string) *rel.Project {
	p := &rel.Project{Base: rel.Base{In: []rel.Node{in}}, Exprs: exprs}
	used := map[string]bool{}
	for i, e := range exprs {
		stem := ""
		if i < len(names) {
			stem = names[i]
		}
		if r, ok := e.(*rex.InputRef); ok && stem == "" {
			stem = in.Schema()[r.Index].Name
		}
		name := stem
		if stem == "" {
			stem = "$f"
		}
		for j := len(used); name == "" || used[name]; j++ {
			name = stem + strconv.Itoa(j)
		}
		used[name] = true
		p.Fields = append(p.Fields, value.Field{Name: name, Type: e.Type()})
	}
	return p
}

// firstColumns cuts a node to its first w columns.
func firstColumns(in rel.Node, w int) rel.Node {
	if len(in.Schema()) == w {
		return in
	}
	return projectOf(in, refsTo(in)[:w])
}

// filterOf adds a condition; TRUE adds nothing.
func filterOf(in rel.Node, cond rex.Expr, variables ...int) rel.Node {
	if rex.IsLiteralTrue(cond) {
		return in
	}
	return &rel.Filter{Base: rel.Base{In: []rel.Node{in}, Fields: in.Schema()}, Cond: cond, Variables: variables}
}

func joinOf(l, r rel.Node, typ string, cond rex.Expr) *rel.Join {
	return &rel.Join{Base: rel.Base{In: []rel.Node{l, r}, Fields: joinedFields(l, r, typ)}, Type: typ, Cond: cond}
}

func correlateOf(l, r rel.Node, typ string, id int) *rel.Correlate {
	return &rel.Correlate{Base: rel.Base{In: []rel.Node{l, r}, Fields: joinedFields(l, r, typ)}, Type: typ, ID: id}
}

// joinedFields are the columns of a join: nullable where it pads, repeated names numbered.
func joinedFields(l, r rel.Node, typ string) []value.Field {
	out := slices.Clone(l.Schema())
	w := len(out)
	if typ == "semi" || typ == "anti" {
		return out
	}
	out = append(out, r.Schema()...)
	used := map[string]bool{}
	for i := range out {
		f := &out[i]
		pads := i < w && (typ == "right" || typ == "full") || i >= w && (typ == "left" || typ == "full")
		f.Type.Nullable = f.Type.Nullable || pads
		stem := f.Name
		for j := 0; used[f.Name]; j++ {
			f.Name = stem + strconv.Itoa(j)
		}
		used[f.Name] = true
	}
	return out
}

func aggregateOf(in rel.Node, keys []int, calls ...rel.AggCall) *rel.Aggregate {
	a := &rel.Aggregate{Base: rel.Base{In: []rel.Node{in}}, Keys: keys, Calls: calls}
	for _, k := range keys {
		a.Fields = append(a.Fields, in.Schema()[k])
	}
	for i, c := range calls {
		name := c.Name
		if name == "" {
			name = "$f" + strconv.Itoa(len(keys)+i)
		}
		a.Fields = append(a.Fields, value.Field{Name: name, Type: c.T})
	}
	return a
}

// distinctOver groups by columns, unless they are known to be unique.
func distinctOver(in rel.Node, keys []int) rel.Node {
	if rel.AlreadyUnique(in, keys) {
		return firstColumns(in, len(keys))
	}
	return aggregateOf(in, keys)
}

// hasQueries tells whether sub-queries or LATERAL queries stand in a tree.
func hasQueries(n rel.Node) bool {
	if c, ok := n.(*rel.Correlate); ok && ofQuery(c) {
		return true
	}
	return slices.ContainsFunc(rowExprs(n), hasSubQuery) || slices.ContainsFunc(n.Inputs(), hasQueries)
}

// ofQuery: a LATERAL query, and no table function, collection or version of a table.
func ofQuery(c *rel.Correlate) bool {
	_, _, snapshot := snapshotOf(c.In[1])
	return !snapshot && uncollectOf(c.In[1]) == nil
}

// rowExprs are what a filter, projection or join computes of a row.
func rowExprs(n rel.Node) []rex.Expr {
	cond := func(e rex.Expr) []rex.Expr {
		if e == nil {
			return nil
		}
		return []rex.Expr{e}
	}
	switch n := n.(type) {
	case *rel.Filter:
		return cond(n.Cond)
	case *rel.Project:
		return n.Exprs
	case *rel.Join:
		return cond(n.Cond)
	}
	return nil
}
