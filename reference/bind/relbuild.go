package bind

import (
	"strconv"

	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// The functions here make nodes as Calcite's RelBuilder does under Flink's settings:
// projections are not merged, but trivial ones are left out or rename their input.

// uniquify makes names distinct: a nameless column i becomes $fi, a repeated name x
// gets the number of names before it.
func uniquify(names []string) []string {
	used := map[string]bool{}
	out := make([]string, len(names))
	for i, n := range names {
		name := n
		if name == "" || used[name] {
			base := name
			if base == "" {
				base = "$f"
			}
			for j := len(used); ; j++ {
				name = base + strconv.Itoa(j)
				if !used[name] {
					break
				}
			}
		}
		used[name] = true
		out[i] = name
	}
	return out
}

func isIdentity(es []rex.Expr, in []value.Field) bool {
	if len(es) != len(in) {
		return false
	}
	for i, e := range es {
		r, ok := e.(*rex.InputRef)
		if !ok || r.Index != i || !sameType(r.T, in[i].Type) {
			return false
		}
	}
	return true
}

// sameType compares types as their digests do, NOT NULL included.
func sameType(a, b value.Type) bool {
	return a.Nullable == b.Nullable && a.Kind == b.Kind && rex.TypeText(a, true) == rex.TypeText(b, true)
}

func sameNames(names []string, in []value.Field) bool {
	for i, n := range names {
		if in[i].Name != n {
			return false
		}
	}
	return len(names) == len(in)
}

// projectNamed is RelBuilder.projectNamed.
func (b *binder) projectNamed(in rel.Node, es []rex.Expr, names []string, force bool) rel.Node {
	names = uniquify(names)
	if !force && isIdentity(es, in.Schema()) {
		switch n := in.(type) {
		case *rel.Project:
			c := *n
			c.Fields = renamed(n.Fields, names)
			return &c
		case *rel.Values:
			c := *n
			c.Fields = renamed(n.Fields, names)
			return &c
		}
		return in
	}
	return b.project(in, es, names, force)
}

func renamed(fields []value.Field, names []string) []value.Field {
	out := append([]value.Field(nil), fields...)
	for i := range out {
		out[i].Name = names[i]
	}
	return out
}

// project is RelBuilder.project: the expressions are simplified.
func (b *binder) project(in rel.Node, es []rex.Expr, names []string, force bool) rel.Node {
	simple := make([]rex.Expr, len(es))
	for i, e := range es {
		simple[i] = b.simplifyPreservingType(e)
	}
	if !force && isIdentity(simple, in.Schema()) {
		return in
	}
	return newProject(in, simple, names)
}

// newProject is LogicalProject.create: no simplification.
func newProject(in rel.Node, es []rex.Expr, names []string) *rel.Project {
	p := &rel.Project{Base: rel.Base{In: []rel.Node{in}}, Exprs: es}
	for i, e := range es {
		p.Fields = append(p.Fields, value.Field{Name: names[i], Type: e.Type()})
	}
	return p
}

// rename is RelBuilder.rename: a renaming Project unless the names are right.
func (b *binder) rename(in rel.Node, names []string) rel.Node {
	if sameNames(names, in.Schema()) {
		return in
	}
	if v, ok := in.(*rel.Values); ok {
		c := *v
		c.Fields = renamed(v.Fields, names)
		return &c
	}
	return newProject(in, refs(in), names)
}

// refs are references to all columns of a node.
func refs(in rel.Node) []rex.Expr {
	es := make([]rex.Expr, len(in.Schema()))
	for i, f := range in.Schema() {
		es[i] = &rex.InputRef{Index: i, T: f.Type}
	}
	return es
}

func schemaNames(in rel.Node) []string {
	names := make([]string, len(in.Schema()))
	for i, f := range in.Schema() {
		names[i] = f.Name
	}
	return names
}

func newFilter(in rel.Node, cond rex.Expr) *rel.Filter {
	return &rel.Filter{Base: rel.Base{In: []rel.Node{in}, Fields: in.Schema()}, Cond: cond}
}

// buildFilter is RelBuilder.filter: the condition is simplified, TRUE adds nothing
// and FALSE leaves an empty Values.
func (b *binder) buildFilter(in rel.Node, cond rex.Expr) rel.Node {
	cond = b.simplifyFilter(cond)
	if l, ok := cond.(*rex.Literal); ok && l.T.Kind == value.KindBoolean {
		if !l.V.IsNull() && l.V.Bool() {
			return in
		}
		return &rel.Values{Base: rel.Base{Fields: in.Schema()}}
	}
	return newFilter(in, cond)
}

func contains(sets [][]int, s []int) bool {
	for _, x := range sets {
		if sameSet(x, s) {
			return true
		}
	}
	return false
}

func newUnion(in []rel.Node, all bool) *rel.Union {
	return &rel.Union{Base: rel.Base{In: in, Fields: setFields(in)}, All: all}
}

// setFields are the columns of a set operation: names of the first input, common types.
func setFields(in []rel.Node) []value.Field {
	out := append([]value.Field(nil), in[0].Schema()...)
	for i := range out {
		ts := make([]value.Type, len(in))
		for j, n := range in {
			ts[j] = n.Schema()[i].Type
		}
		if t, ok := setType(ts); ok {
			out[i].Type = t
		}
	}
	return out
}

// setType is the common type of a set operation's columns. A plain timestamp becomes event time where
// the first branch has it.
func setType(ts []value.Type) (value.Type, bool) {
	t, ok := fn.LeastRestrictive(ts)
	if ok && ts[0].Time == value.Rowtime && t.Kind == ts[0].Kind && t.Precision == ts[0].Precision {
		t.Time = value.Rowtime
	}
	return t, ok
}
