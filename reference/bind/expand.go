package bind

import (
	"slices"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

// Expand writes out what a query leaves unsaid, as Calcite's validator does before Flink keeps a
// view or names a job: columns get their table in front, stars become columns, tables get their
// catalog, database and an alias. The query must be valid. What it does not know it refuses.
func Expand(q *sql.Query, env *Env) (*sql.Query, error) {
	x := &expander{b: newBinder(env)}
	out, _, err := x.query(q, nil)
	if err != nil {
		return nil, err
	}
	return out, x.err
}

// expander holds the first refusal: expressions are rewritten by functions without errors.
type expander struct {
	b   *binder
	err error
	// unnamed counts the items of FROM that were named EXPR$n, the outer before the inner ones.
	unnamed int
}

// expandScope is where names are looked up: the items of a FROM, or one WITH item.
type expandScope struct {
	parent *expandScope
	items  []expandItem
	// with is the name of a WITH item, whose columns are in items[0].
	with string
	// outputs are names that ORDER BY may use without a table.
	outputs []string
}

// expandItem is an item of FROM with its columns.
type expandItem struct {
	name    string
	path    *catalog.Path
	columns []string
}

func (x *expander) refuse(what string) {
	if x.err == nil {
		x.err = unsupported.New("the full text of a query with %s", what)
	}
}

// query returns the expanded query and the names of its columns.
func (x *expander) query(q *sql.Query, sc *expandScope) (*sql.Query, []string, error) {
	out := *q
	out.With = slices.Clone(q.With)
	for i := range out.With {
		inner, names, err := x.query(out.With[i].Query, sc)
		if err != nil {
			return nil, nil, err
		}
		out.With[i].Query = inner
		if cols := out.With[i].Columns; len(cols) > 0 {
			names = identTexts(cols)
		}
		sc = &expandScope{parent: sc, with: out.With[i].Name.Text, items: []expandItem{{columns: names}}}
	}
	given := q.Body
	if _, set := given.(*sql.SetOp); set {
		if len(q.OrderBy) > 0 || q.Offset != nil || q.Fetch != nil {
			given = &sql.Select{Items: []sql.SelectItem{{X: &sql.Star{}}}, From: &sql.Derived{Query: &sql.Query{Body: given}}}
		} else if len(q.With) > 0 {
			x.refuse("WITH in front of a set operation")
		}
	}
	body, names, inner, err := x.body(given, sc)
	if err != nil {
		return nil, nil, err
	}
	out.Body = body
	order := &expandScope{parent: inner, outputs: names}
	out.OrderBy = x.orderItems(q.OrderBy, order)
	return &out, names, x.err
}

func identTexts(ids []sql.Ident) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.Text
	}
	return out
}

// body returns, with the columns, the scope that an ORDER BY behind it sees.
func (x *expander) body(b sql.QueryBody, sc *expandScope) (sql.QueryBody, []string, *expandScope, error) {
	switch b := b.(type) {
	case *sql.Select:
		return x.selectBlock(b, sc)
	case *sql.ExplicitTable:
		return x.selectBlock(tableSelect(b), sc)
	case *sql.Query:
		q, names, err := x.query(b, sc)
		if err != nil || len(q.With)+len(q.OrderBy) > 0 || q.Offset != nil || q.Fetch != nil {
			return q, names, sc, err
		}
		return q.Body, names, sc, nil // brackets alone are not kept
	case *sql.SetOp:
		out := *b
		var names []string
		var err error
		if out.Left, names, _, err = x.body(b.Left, sc); err != nil {
			return nil, nil, nil, err
		}
		if out.Right, _, _, err = x.body(b.Right, sc); err != nil {
			return nil, nil, nil, err
		}
		return &out, names, sc, nil
	case *sql.Values:
		out := *b
		out.Rows = slices.Clone(b.Rows)
		for i := range out.Rows {
			out.Rows[i] = x.expr(out.Rows[i], sc)
		}
		n := 1
		if r, ok := b.Rows[0].(*sql.RowExpr); ok {
			n = len(r.Items)
		}
		var names []string
		for i := range n {
			names = append(names, generated(i))
		}
		return &out, names, sc, nil
	}
	x.refuse("this form")
	return b, nil, sc, x.err
}

func (x *expander) selectBlock(s *sql.Select, outer *expandScope) (sql.QueryBody, []string, *expandScope, error) {
	out := *s
	sc := &expandScope{parent: outer}
	if s.From != nil {
		f, err := x.from(s.From, sc)
		if err != nil {
			return nil, nil, nil, err
		}
		out.From = f
	}
	var names []string
	out.Items = nil
	for _, it := range s.Items {
		if st, ok := it.X.(*sql.Star); ok {
			for _, c := range x.star(st, sc) {
				out.Items = append(out.Items, sql.SelectItem{X: c})
				names = append(names, c.Name.Parts[len(c.Name.Parts)-1].Text)
			}
			continue
		}
		name := naturalName(it.X, len(names))
		if it.Alias != nil {
			name = it.Alias.Text
		}
		names = append(names, name)
		alias := it.Alias
		if c, ok := it.X.(*sql.Call); ok && c.Syntax == "BARE" && alias == nil {
			alias = &sql.Ident{Text: name, Bare: true} // CURRENT_DATE AS CURRENT_DATE
		}
		out.Items = append(out.Items, sql.SelectItem{X: x.expr(it.X, sc), Alias: alias})
	}
	if seen := slices.Sorted(slices.Values(names)); len(slices.Compact(seen)) < len(names) {
		x.refuse("two columns of one name")
	}
	out.Where, out.Having, out.Qualify = x.expr(s.Where, sc), x.expr(s.Having, sc), x.expr(s.Qualify, sc)
	out.GroupBy = x.groups(s.GroupBy, sc)
	out.Windows = slices.Clone(s.Windows)
	for i := range out.Windows {
		out.Windows[i].Spec = x.window(out.Windows[i].Spec, sc)
	}
	return &out, names, sc, x.err
}

func (x *expander) groups(items []sql.GroupItem, sc *expandScope) []sql.GroupItem {
	out := slices.Clone(items)
	for i := range out {
		out[i].X = x.expr(out[i].X, sc)
		out[i].Items = x.groups(out[i].Items, sc)
	}
	return out
}

func (x *expander) window(w *sql.WindowSpec, sc *expandScope) *sql.WindowSpec {
	if w == nil {
		return nil
	}
	out := *w
	out.PartitionBy = x.exprs(w.PartitionBy, sc)
	out.OrderBy = x.orderItems(w.OrderBy, sc)
	return &out
}

func (x *expander) orderItems(items []sql.OrderItem, sc *expandScope) []sql.OrderItem {
	out := slices.Clone(items)
	for i := range out {
		out[i].X = x.expr(out[i].X, sc)
	}
	return out
}

// star expands * and t.* into the columns of the FROM.
func (x *expander) star(st *sql.Star, sc *expandScope) []*sql.ColumnRef {
	var out []*sql.ColumnRef
	items := sc.items
	if parts := nameParts(st.Qualifier); len(parts) > 0 {
		it := sc.item(parts)
		if it == nil {
			x.refuse("the fields of a row as columns")
			return nil
		}
		items = []expandItem{*it}
	}
	for _, it := range items {
		for _, c := range it.columns {
			out = append(out, columnRef(st.Span, it.name, c))
		}
	}
	return out
}

// item finds a FROM item by a name in front of a column.
func (s *expandScope) item(parts []string) *expandItem {
	last := parts[len(parts)-1]
	for x := s; x != nil; x = x.parent {
		for i := range x.items {
			it := &x.items[i]
			if x.with == "" && it.name == last && (len(parts) == 1 || it.path != nil && pathMatches(*it.path, parts)) {
				return it
			}
		}
	}
	return nil
}

// column writes a column with the name of its FROM item.
func (x *expander) column(c *sql.ColumnRef, sc *expandScope) sql.Expr {
	parts := nameParts(c.Name)
	for i := len(parts) - 1; i > 0; i-- {
		if it := sc.item(parts[:i]); it != nil {
			return columnRef(c.Span, append([]string{it.name}, parts[i:]...)...)
		}
	}
	for s := sc; s != nil; s = s.parent {
		if len(parts) == 1 && slices.Contains(s.outputs, parts[0]) {
			return columnRef(c.Span, parts[0])
		}
		for _, it := range s.items {
			if s.with == "" && slices.Contains(it.columns, parts[0]) {
				return columnRef(c.Span, append([]string{it.name}, parts...)...)
			}
		}
	}
	x.refuse("the name " + c.Name.Parts[0].Text)
	return c
}
