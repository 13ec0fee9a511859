package plan

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// The table functions that UNNEST becomes (LogicalUnnestRule).
var (
	unnestRows        = &rex.Op{Name: "$UNNEST_ROWS$1"}
	unnestRowsOrdinal = &rex.Op{Name: "$UNNEST_ROWS_WITH_ORDINALITY$1"}
)

// correlate plans a join whose right side reads the left row.
func (b *builder) correlate(n *rel.Correlate) *calc {
	if s, cond, ok := snapshotOf(n.In[1]); ok {
		return b.temporal(n, s, cond)
	}
	if u := uncollectOf(n.In[1]); u != nil {
		return b.unnest(n, u)
	}
	return b.fail(unsupported.New("planning of %T", n))
}

// uncollectOf finds UNNEST below projections and filters.
func uncollectOf(n rel.Node) *rel.Uncollect {
	for {
		switch x := n.(type) {
		case *rel.Project:
			n = x.In[0]
		case *rel.Filter:
			n = x.In[0]
		case *rel.Uncollect:
			return x
		default:
			return nil
		}
	}
}

// functionNode stands for the table function while the right side is built.
type functionNode struct{ fields []value.Field }

func (n *functionNode) schema() []value.Field { return n.fields }

// unnest applies $UNNEST_ROWS to each row.
func (b *builder) unnest(n *rel.Correlate, u *rel.Uncollect) *calc {
	l := copyCalc(b.build(n.In[0]))
	if b.err != nil {
		return l
	}
	args, ok := u.In[0].(*rel.Project)
	if !ok || len(args.Exprs) != 1 || hasSubQuery(args.Exprs[0]) {
		return b.fail(unsupported.New("UNNEST of several collections"))
	}
	f := &functionNode{fields: unnestFields(args.Exprs[0].Type(), u.Ordinality)}
	r := b.rightOf(n.In[1], f)
	if b.err != nil {
		return r
	}
	c := &correlateNode{in: l, typ: n.Type, cond: r.cond, call: unnestCall(args.Exprs, u.Ordinality)}
	if _, renames := n.In[1].(*rel.Project); renames && n.Type == "left" {
		// The casts that make the columns nullable keep the projection, and its names.
		for _, x := range f.fields {
			c.named = c.named || !x.Type.Nullable
		}
	}
	for _, e := range r.cond {
		if hasCorrelVar(e) {
			return b.fail(flinkerr.Table("unexpected correlate variable $cor%d in the plan", n.ID))
		}
	}
	c.fields = append(c.fields, l.outFields()...)
	for i, e := range l.exprs {
		c.fields[i].Type = e.Type()
	}
	all := phys.JoinNames(names(c.fields), names(f.fields))
	for i, x := range f.fields {
		x.Name = all[len(l.exprs)+i]
		x.Type.Nullable = x.Type.Nullable || n.Type == "left"
		c.fields = append(c.fields, x)
	}
	out := &calc{in: c, projected: true}
	for i := range l.exprs {
		out.exprs = append(out.exprs, &rex.InputRef{Index: i, T: c.fields[i].Type})
		out.fields = append(out.fields, n.Fields[i])
	}
	right := identity(c).exprs[len(l.exprs):]
	c.right = r
	forgets, ok := b.forgets(r)
	if !ok {
		return b.fail(unsupported.New("a projection over UNNEST in LATERAL, which Flink forgets"))
	}
	c.named = c.named || forgets
	for i, e := range r.exprs {
		if forgets {
			e = &rex.InputRef{Index: i, T: e.Type()}
		}
		out.exprs = append(out.exprs, rex.Substitute(e, right))
		out.fields = append(out.fields, n.Fields[len(l.exprs)+i])
	}
	return out
}

// rightOf builds the projections and filters over the table function.
func (b *builder) rightOf(n rel.Node, f *functionNode) *calc {
	switch n := n.(type) {
	case *rel.Project:
		if hasOver(n.Exprs) {
			return b.fail(unsupported.New("a window over UNNEST in LATERAL"))
		}
		return b.compose(b.rightOf(n.In[0], f), n.Exprs, n.Fields)
	case *rel.Filter:
		return b.filter(b.rightOf(n.In[0], f), n.Cond)
	}
	return identity(f)
}

// unnestFields are the columns of the table function: the fields of ROW elements, f0
// and f1 of a map, f0 else. With ordinality a column of its own stands behind, and a
// single element is called EXPR$0.
func unnestFields(t value.Type, ordinality bool) []value.Field {
	var out []value.Field
	switch {
	case t.Kind == value.KindMap:
		out = []value.Field{{Name: "f0", Type: *t.Key}, {Name: "f1", Type: *t.Elem}}
	case t.Elem.Kind == value.KindRow:
		for _, f := range t.Elem.Fields {
			f.Type.Nullable = f.Type.Nullable || t.Elem.Nullable
			out = append(out, f)
		}
	default:
		out = []value.Field{{Name: "f0", Type: *t.Elem}}
	}
	if !ordinality {
		return out
	}
	if t.Kind != value.KindMap && t.Elem.Kind != value.KindRow {
		out[0].Name = "EXPR$0"
	}
	return append(out, value.Field{Name: "ORDINALITY", Type: value.Type{Kind: value.KindInt}})
}

func unnestCall(args []rex.Expr, ordinality bool) *rex.Call {
	if ordinality {
		return &rex.Call{Op: unnestRowsOrdinal, Args: args}
	}
	return &rex.Call{Op: unnestRows, Args: args}
}

// constantUnnest plans UNNEST of a constant as a table of its own.
func (b *builder) constantUnnest(n *rel.Uncollect) *calc {
	args, ok := n.In[0].(*rel.Project)
	if !ok || len(args.Exprs) != 1 || hasSubQuery(args.Exprs[0]) || hasCorrelVar(args.Exprs[0]) || !rex.Constant(args.Exprs[0]) {
		return b.fail(unsupported.New("UNNEST of this expression"))
	}
	one := &valuesNode{rows: [][]*rex.Literal{{}}}
	c := &correlateNode{in: identity(one), typ: "inner", constant: true, call: unnestCall(args.Exprs, n.Ordinality)}
	c.fields = unnestFields(args.Exprs[0].Type(), n.Ordinality)
	return identity(c)
}

// forgets tells that a projection over the table function does more than rename: Flink
// 2.3 then keeps its names and forgets its expressions. ok is false where the columns
// would not fit.
func (b *builder) forgets(r *calc) (forgets, ok bool) {
	f := r.in.schema()
	for i, e := range r.exprs {
		ref, isRef := e.(*rex.InputRef)
		forgets = forgets || !isRef || ref.Index != i
	}
	if len(r.exprs) != len(f) {
		return true, false
	}
	for i, e := range r.exprs {
		if !rex.SameTypeSansNullability(e.Type(), f[i].Type) {
			return forgets, false
		}
	}
	return forgets, true
}

// reduce settles the names of the table function's columns: those of the projection
// over it where it is no mere renaming, as one is not whose column a condition fixes.
func (n *correlateNode) reduce(b *builder) {
	if n.constant {
		return
	}
	if len(n.cond) > 0 {
		n.cond = rex.Conjunctions(b.simplifyCondition(rex.AndOf(n.cond), false))
	}
	w := len(n.in.exprs)
	r := copyCalc(n.right)
	r.cond = n.cond
	b.reduceProjects(r, nil)
	plain := len(r.exprs) == len(n.fields)-w
	for i, e := range r.exprs {
		ref, ok := e.(*rex.InputRef)
		plain = plain && ok && ref.Index == i
	}
	if plain && !n.named {
		return
	}
	used := append([]value.Field(nil), n.fields[:w]...)
	for i, f := range r.fields {
		n.fields[w+i].Name = phys.JoinNames(names(used), []string{f.Name})[w+i]
		used = append(used, n.fields[w+i])
	}
}

// take accepts the conditions above a correlation that read one side only: the left
// ones go into the input, those over the function's columns into an inner correlation
// (FilterCorrelateRule). The rest is returned.
func (n *correlateNode) take(conj []rex.Expr) []rex.Expr {
	if n.constant {
		return conj
	}
	w := len(n.in.exprs)
	var left, rest []rex.Expr
	for _, e := range conj {
		l, r := sides(e, w)
		switch {
		case l && !r:
			left = append(left, e)
		case r && !l && n.typ == "inner":
			n.cond = append(n.cond, shift(e, -w))
		default:
			rest = append(rest, e)
		}
	}
	n.in = andThen(n.in, left)
	return rest
}

func (p *physical) correlate(n *correlateNode) phys.Node {
	in := p.calc(n.in)
	if p.err != nil {
		return in
	}
	c := &phys.Correlate{Call: n.call, JoinType: strings.ToUpper(n.typ)}
	below := in.Schema()
	all := phys.JoinNames(names(below), names(n.fields[len(below):]))
	for i, f := range n.fields {
		f.Name = all[i]
		if i < len(below) {
			f.Type.Time = below[i].Type.Time
		}
		c.Fields = append(c.Fields, f)
	}
	if len(n.cond) > 0 {
		c.Cond = rex.AndOf(n.cond)
	}
	c.In = []phys.Node{in}
	return c
}
