package plan

import (
	"slices"
	"sort"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// decorrelated makes plain joins of the joins whose right side reads the left row
// (Calcite's RelDecorrelator): the right side gives the values that it is read for, too, and
// is joined on them.
func (b *builder) decorrelated(root rel.Node) rel.Node {
	d := &decorrelator{b: b, lefts: map[int]rel.Node{}, frames: map[rel.Node]*frame{}}
	root = d.scalarProjects(root)
	root = d.pushFilters(d.adjustCounts(root))
	if b.err != nil {
		return root
	}
	if !hasQueries(root) {
		return d.checked(root)
	}
	d.findLefts(root)
	if f := d.visit(root, false); f != nil {
		root = f.node
	}
	if b.err != nil {
		return root
	}
	return d.checked(root)
}

// checked refuses trees in which a correlation is left that no later rule takes.
func (d *decorrelator) checked(root rel.Node) rel.Node {
	if id, ok := leftCorrelation(root); ok {
		if hasUncollect(root) {
			d.b.fail(unsupported.New("a sub-query over UNNEST")) // Flink's error names the nodes of its search
			return root
		}
		d.b.fail(flinkerr.Table("unexpected correlate variable $cor%d in the plan", id))
	}
	return root
}

// leftCorrelation finds a variable that a filter, projection or join reads; those of table
// functions and of temporal joins are in order.
func leftCorrelation(n rel.Node) (int, bool) {
	ins := n.Inputs()
	if c, ok := n.(*rel.Correlate); ok && !ofQuery(c) {
		ins = ins[:1]
	}
	for _, e := range rowExprs(n) {
		for _, id := range variableList(e) {
			return id, true
		}
	}
	for _, in := range ins {
		if id, ok := leftCorrelation(in); ok {
			return id, true
		}
	}
	return 0, false
}

func variableList(exprs ...rex.Expr) []int {
	var out []int
	for id := range variablesOf(exprs...) {
		out = append(out, id)
	}
	sort.Ints(out)
	return out
}

// outerColumn is a column of the outer row, by the correlation variable.
type outerColumn struct{ id, field int }

// outerAt is an outer column and its place in a frame's node.
type outerAt struct {
	outerColumn
	at int
}

// frame is what a node has become: to says where its former columns are, outer where the
// columns of outer rows stand that it gives as well.
type frame struct {
	node  rel.Node
	to    []int
	outer []outerAt
}

func (f *frame) has(c outerColumn) (int, bool) {
	for _, o := range f.outer {
		if o.outerColumn == c {
			return o.at, true
		}
	}
	return 0, false
}

func sortedOuter(list []outerAt) []outerAt {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.id != b.id {
			return a.id < b.id
		}
		return a.field < b.field
	})
	return list
}

type decorrelator struct {
	b *builder
	// lefts are the nodes whose rows correlation variables stand for.
	lefts  map[int]rel.Node
	frames map[rel.Node]*frame
}

func (d *decorrelator) findLefts(n rel.Node) {
	if c, ok := n.(*rel.Correlate); ok {
		d.lefts[c.ID] = c.In[0]
	}
	for _, in := range n.Inputs() {
		d.findLefts(in)
	}
}

// visit rewrites a node; nil is what cannot be rewritten, and ends the whole rewriting. below
// says that the node is on the right side of a Correlate.
func (d *decorrelator) visit(n rel.Node, below bool) *frame {
	if d.b.err != nil {
		return nil
	}
	f := d.rewrite(n, below)
	if s, ok := n.(*rel.Sort); ok && below && (s.Fetch >= 0 || s.Offset > 0) {
		return nil // a limit for each outer row
	}
	if f != nil {
		d.frames[n] = f
	}
	return f
}

func (d *decorrelator) rewrite(n rel.Node, below bool) *frame {
	switch n := n.(type) {
	case *rel.Values:
		return nil
	case *rel.Sort:
		f := d.visit(n.In[0], below)
		if f == nil {
			return nil
		}
		s := *n
		s.In, s.Fields, s.Keys = []rel.Node{f.node}, f.node.Schema(), slices.Clone(n.Keys)
		for i := range s.Keys {
			s.Keys[i].Column = f.to[s.Keys[i].Column]
		}
		return &frame{node: &s, to: f.to, outer: f.outer}
	case *rel.Aggregate:
		return d.aggregate(n, below)
	case *rel.Project:
		return d.project(n, below)
	case *rel.Filter:
		f := d.visit(n.In[0], below)
		if f == nil {
			return nil
		}
		if f = d.withOuter(n, f, outerColumns(n.Cond)); f == nil {
			return nil
		}
		cond := d.resolved(n.Cond, f)
		if hasOwnCorrelVar(n.Cond) {
			cond = d.b.simplifyCondition(cond, false) // a column may be compared with itself now
		}
		return &frame{node: filterOf(f.node, cond), to: f.to, outer: f.outer}
	case *rel.Correlate:
		return d.correlate(n, below)
	case *rel.Join:
		if n.Type != "semi" && n.Type != "anti" {
			return d.join(n, below)
		}
	case *rel.Snapshot, *rel.TableFunction:
		if treeHasCorrelVar(n) {
			return nil
		}
	}
	in := make([]rel.Node, len(n.Inputs()))
	for i, x := range n.Inputs() {
		f := d.visit(x, below)
		if f == nil || len(f.outer) > 0 {
			return nil
		}
		in[i] = f.node
	}
	return &frame{node: rel.WithInputs(n, in), to: sequence(len(n.Schema()))}
}

// outerColumns are the columns of outer rows that expressions read, each once.
func outerColumns(exprs ...rex.Expr) []outerColumn {
	var out []outerColumn
	for _, e := range exprs {
		rex.Walk(e, func(x rex.Expr) bool {
			if f, ok := x.(*rex.Field); ok {
				if v, ok := f.X.(*rex.CorrelVar); ok {
					if c := (outerColumn{v.ID, f.Index}); !slices.Contains(out, c) {
						out = append(out, c)
					}
				}
			}
			return true
		})
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].id != out[j].id {
			return out[i].id < out[j].id
		}
		return out[i].field < out[j].field
	})
	return out
}

// resolved gives an expression over the former columns of a node with one input the
// columns of the frame.
func (d *decorrelator) resolved(e rex.Expr, f *frame) rex.Expr {
	return rex.Transform(e, func(x rex.Expr) rex.Expr {
		switch x := x.(type) {
		case *rex.InputRef:
			return refTo(f.node, f.to[x.Index])
		case *rex.Field:
			if v, ok := x.X.(*rex.CorrelVar); ok {
				if at, ok := f.has(outerColumn{v.ID, x.Index}); ok {
					return refTo(f.node, at)
				}
			}
		}
		return x
	})
}

func (d *decorrelator) project(n *rel.Project, below bool) *frame {
	f := d.visit(n.In[0], below)
	if f == nil {
		return nil
	}
	if read := outerColumns(n.Exprs...); len(read) > 0 {
		f = d.generated(f, read)
	}
	var exprs []rex.Expr
	for _, e := range n.Exprs {
		exprs = append(exprs, d.resolved(e, f))
	}
	list := namesOf(n)
	out := &frame{to: sequence(len(n.Exprs))}
	for _, o := range f.outer {
		out.outer = append(out.outer, outerAt{o.outerColumn, len(exprs)})
		exprs = append(exprs, refTo(f.node, o.at))
		list = append(list, f.node.Schema()[o.at].Name)
	}
	out.node = projectOf(f.node, exprs, list...)
	return out
}

func (d *decorrelator) aggregate(n *rel.Aggregate, below bool) *frame {
	f := d.visit(n.In[0], below)
	if f == nil {
		return nil
	}
	if len(n.Sets) > 0 {
		if len(f.outer) > 0 {
			d.b.fail(unsupported.New("grouping sets in a correlated sub-query"))
			return nil
		}
		return &frame{node: rel.WithInputs(n, []rel.Node{f.node}), to: sequence(len(n.Fields))}
	}
	var extra []int
	for _, o := range f.outer {
		extra = append(extra, o.at)
	}
	m := newRegrouping(f.node, n, f.to, extra)
	if m.agg != nil && len(extra) > 0 {
		if d.b.regrouped == nil {
			d.b.regrouped = map[*rel.Aggregate]bool{}
		}
		d.b.regrouped[m.agg] = true
	}
	out := &frame{node: m.node, to: m.to}
	for i, o := range f.outer {
		out.outer = append(out.outer, outerAt{o.outerColumn, m.extra[i]})
	}
	return out
}

func (d *decorrelator) join(n *rel.Join, below bool) *frame {
	l, r := d.visit(n.In[0], below), d.visit(n.In[1], below)
	if l == nil || r == nil {
		return nil
	}
	w := len(l.node.Schema())
	both := &frame{node: joinOf(l.node, r.node, n.Type, rex.BoolLiteral(true)), to: slices.Clone(l.to), outer: slices.Clone(l.outer)}
	for _, i := range r.to {
		both.to = append(both.to, w+i)
	}
	for _, o := range r.outer {
		if _, ok := both.has(o.outerColumn); !ok {
			both.outer = append(both.outer, outerAt{o.outerColumn, w + o.at})
		}
	}
	both.outer = sortedOuter(both.outer)
	// The condition keeps the types of the sides.
	types := append(slices.Clone(l.node.Schema()), r.node.Schema()...)
	cond := rex.Transform(d.resolved(n.Cond, both), func(x rex.Expr) rex.Expr {
		if ref, ok := x.(*rex.InputRef); ok {
			return &rex.InputRef{Index: ref.Index, T: types[ref.Index].Type}
		}
		return x
	})
	j := joinOf(l.node, r.node, n.Type, cond)
	j.Strategies, j.TTL = n.Strategies, n.TTL
	both.node = j
	return both
}

// correlate becomes a join on the columns that the right side gives.
func (d *decorrelator) correlate(n *rel.Correlate, below bool) *frame {
	l := d.visit(n.In[0], below)
	r := d.visit(n.In[1], true)
	if l == nil || r == nil || len(r.outer) == 0 {
		return nil
	}
	w := len(l.node.Schema())
	var cond []rex.Expr
	out := &frame{to: slices.Clone(l.to), outer: slices.Clone(l.outer)}
	for _, o := range r.outer {
		if o.id != n.ID {
			if _, ok := out.has(o.outerColumn); !ok {
				out.outer = append(out.outer, outerAt{o.outerColumn, w + o.at})
			}
			continue
		}
		y := refTo(r.node, o.at)
		y.Index += w
		cond = append(cond, rex.Compare(rex.Eq, refTo(l.node, l.to[o.field]), y))
	}
	out.outer = sortedOuter(out.outer)
	for _, i := range r.to {
		out.to = append(out.to, w+i)
	}
	out.node = joinOf(l.node, r.node, n.Type, rex.AndOf(cond))
	return out
}

func hasUncollect(n rel.Node) bool {
	if _, ok := n.(*rel.Uncollect); ok {
		return true
	}
	return slices.ContainsFunc(n.Inputs(), hasUncollect)
}
