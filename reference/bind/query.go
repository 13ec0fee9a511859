package bind

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

// cte is one WITH item; it is bound anew at each use, as Calcite inlines it.
type cte struct {
	def   *sql.CTE
	scope *scope
}

// topQuery binds a whole statement's query; columns that only ORDER BY needs are
// projected away last.
func (b *binder) topQuery(q *sql.Query) (*relation, error) {
	r, err := b.query(q, nil, true)
	if err != nil {
		return nil, err
	}
	r = trimExtra(r)
	for i, f := range r.node.Schema() {
		if f.Type.Time != r.fields[i].Type.Time {
			return nil, flinkerr.New("java.lang.AssertionError", "Conversion to relational algebra failed to preserve datatypes:\nvalidated type:\n%s NOT NULL\nconverted type:\n%s NOT NULL\nrel:\n%s",
				rex.RecordText(r.fields, true), rex.RecordText(r.node.Schema(), true), strings.TrimSuffix(rel.PlainText(r.node), "\n"))
		}
	}
	return r, nil
}

func trimExtra(r *relation) *relation {
	if r.extra == 0 {
		return r
	}
	n := len(r.fields)
	return &relation{node: newProject(r.node, refs(r.node)[:n], schemaNames(r.node)[:n]), fields: r.fields}
}

// query binds a query below the given scope.
func (b *binder) query(q *sql.Query, outer *scope, top bool) (*relation, error) {
	if len(q.With) > 0 {
		outer = withScope(q, outer)
		// Errors in unused items are reported, too.
		for s := outer; s != nil; s = s.parent {
			for _, c := range s.ctes {
				if _, err := b.query(c.def.Query, c.scope, false); err != nil {
					return nil, err
				}
			}
			if s.ctes == nil {
				break
			}
		}
	}
	ord := ordering{items: q.OrderBy, offset: q.Offset, fetch: q.Fetch}
	body := q.Body
	if inner, ok := body.(*sql.Query); ok && ord.empty() {
		return b.query(inner, outer, top)
	}
	switch body := body.(type) {
	case *sql.Select:
		return b.selectBlock(body, outer, ord, top)
	case *sql.ExplicitTable:
		return b.selectBlock(tableSelect(body), outer, ord, top)
	}
	if !ord.empty() {
		// ORDER BY over a set operation or VALUES is SELECT * FROM (..) ORDER BY ...
		s := &sql.Select{Span: q.Span, Items: []sql.SelectItem{{X: &sql.Star{Span: q.Span}}},
			From: &sql.Derived{Span: q.Span, Query: &sql.Query{Span: q.Span, Body: body}}}
		return b.selectBlock(s, outer, ord, top)
	}
	return b.body(body, outer, top)
}

// withScope adds the WITH items of a query to its scope; each sees those before it.
func withScope(q *sql.Query, outer *scope) *scope {
	outer = &scope{parent: outer}
	for i := range q.With {
		c := &q.With[i]
		outer = &scope{parent: outer, ctes: map[string]*cte{c.Name.Text: {def: c, scope: outer}}}
	}
	return outer
}

func tableSelect(t *sql.ExplicitTable) *sql.Select {
	return &sql.Select{Span: t.Span, Items: []sql.SelectItem{{X: &sql.Star{Span: t.Span}}},
		From: &sql.TableRef{Span: t.Span, Name: t.Name}}
}

func (b *binder) body(q sql.QueryBody, outer *scope, top bool) (*relation, error) {
	switch q := q.(type) {
	case *sql.Select:
		return b.selectBlock(q, outer, ordering{}, top)
	case *sql.ExplicitTable:
		return b.selectBlock(tableSelect(q), outer, ordering{}, top)
	case *sql.Query:
		return b.query(q, outer, top)
	case *sql.SetOp:
		return b.setOp(q, outer)
	case *sql.Values:
		return b.values(q, outer)
	}
	return nil, unsupported.New("query %T", q)
}

// setOp binds UNION, INTERSECT and EXCEPT.
func (b *binder) setOp(q *sql.SetOp, outer *scope) (*relation, error) {
	l, err := b.body(q.Left, outer, false)
	if err != nil {
		return nil, err
	}
	r, err := b.body(q.Right, outer, false)
	if err != nil {
		return nil, err
	}
	name := q.Op
	if q.All {
		name += " ALL"
	}
	if len(l.fields) != len(r.fields) {
		return nil, flinkerr.Validator("Column count mismatch in %s", name)
	}
	fields, err := b.setTypes(name, l, r)
	if err != nil {
		return nil, err
	}
	in := []rel.Node{l.node, r.node}
	base := rel.Base{In: in, Fields: setFields(in)}
	var n rel.Node
	switch q.Op {
	case "UNION":
		n = &rel.Union{Base: base, All: q.All}
	case "INTERSECT":
		n = &rel.Intersect{Base: base, All: q.All}
	case "EXCEPT", "MINUS":
		n = &rel.Minus{Base: base, All: q.All}
	default:
		return nil, unsupported.New("set operation %s", q.Op)
	}
	return &relation{node: n, fields: fields}, nil
}
