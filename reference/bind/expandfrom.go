package bind

import (
	"strconv"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/sql"
)

func generated(n int) string { return "EXPR$" + strconv.Itoa(n) }

// from expands an item of FROM and puts what it offers into the scope.
func (x *expander) from(t sql.TableExpr, sc *expandScope) (sql.TableExpr, error) {
	switch t := t.(type) {
	case *sql.TableRef:
		return x.tableRef(t, sc)
	case *sql.Derived:
		if t.Lateral {
			x.refuse("LATERAL")
			return t, x.err
		}
		out := *t
		alias := x.alias(t.Alias, "")
		var names []string
		var err error
		if out.Query, names, err = x.query(t.Query, sc.parent); err != nil {
			return nil, err
		}
		out.Alias = x.add(sc, alias, nil, names)
		return &out, nil
	case *sql.JoinExpr:
		return x.join(t, sc)
	case *sql.Unnest:
		return x.unnest(t, sc)
	case *sql.TableFunc:
		return x.tableFunc(t, sc)
	}
	x.refuse("this kind of FROM")
	return t, x.err
}

// alias is what is written behind an item of FROM: its own alias, the table's name, or EXPR$n.
func (x *expander) alias(a *sql.Alias, name string) *sql.Alias {
	if a != nil {
		return a
	}
	if name == "" {
		name = generated(x.unnamed)
		x.unnamed++
	}
	return &sql.Alias{Name: sql.Ident{Text: name}}
}

// add puts an item into the scope.
func (x *expander) add(sc *expandScope, a *sql.Alias, path *catalog.Path, columns []string) *sql.Alias {
	if len(a.Columns) > 0 {
		columns = identTexts(a.Columns)
	}
	sc.items = append(sc.items, expandItem{name: a.Name.Text, path: path, columns: columns})
	return a
}

func (x *expander) tableRef(t *sql.TableRef, sc *expandScope) (sql.TableExpr, error) {
	out := *t
	parts := nameParts(t.Name)
	out.AsOf = x.expr(t.AsOf, sc)
	if len(parts) == 1 {
		for s := sc; s != nil; s = s.parent {
			if s.with == parts[0] {
				out.Alias = x.add(sc, x.alias(t.Alias, parts[0]), nil, s.items[0].columns)
				return &out, x.err
			}
		}
	}
	table, path, err := x.b.lookup(parts)
	if err != nil {
		return nil, err
	}
	var columns []string
	for _, c := range table.Columns {
		columns = append(columns, c.Name)
	}
	out.Name = columnRef(t.Name.Span, path.Catalog, path.Database, path.Object).Name
	own := &path
	if t.Alias != nil {
		own = nil
	}
	alias := x.add(sc, x.alias(t.Alias, path.Object), own, columns)
	if out.Alias = alias; len(t.Hints) > 0 {
		if t.Alias != nil {
			x.refuse("hints behind an alias")
		}
		out.Alias = nil // a table with hints gets none
	}
	return &out, x.err
}

func (x *expander) join(t *sql.JoinExpr, sc *expandScope) (sql.TableExpr, error) {
	out := *t
	if t.Natural || len(t.Using) > 0 {
		x.refuse("NATURAL JOIN or USING")
		return t, x.err
	}
	if t.Brackets {
		x.refuse("a join in brackets")
	}
	var err error
	if out.Left, err = x.from(t.Left, sc); err != nil {
		return nil, err
	}
	if out.Right, err = x.from(t.Right, sc); err != nil {
		return nil, err
	}
	out.On = x.expr(t.On, sc)
	return &out, x.err
}

func (x *expander) unnest(t *sql.Unnest, sc *expandScope) (sql.TableExpr, error) {
	out := *t
	if t.Alias == nil || len(t.Alias.Columns) == 0 {
		x.refuse("UNNEST without names of its columns")
		return t, x.err
	}
	out.Args = x.exprs(t.Args, sc)
	out.Alias = x.add(sc, t.Alias, nil, nil)
	return &out, x.err
}

// tableFunc expands a call over a table; TABLE t becomes a query of all its columns.
func (x *expander) tableFunc(t *sql.TableFunc, sc *expandScope) (sql.TableExpr, error) {
	out := *t
	if t.Lateral {
		x.refuse("LATERAL")
		return t, x.err
	}
	alias := x.alias(t.Alias, "")
	call := *t.Call
	call.Args = x.exprs(t.Call.Args, sc)
	out.Call = &call
	// the columns are those that the binder finds; names of WITH items it would not
	r, err := x.b.topQuery(&sql.Query{Body: &sql.Select{
		Items: []sql.SelectItem{{X: &sql.Star{}}}, From: &sql.TableFunc{Span: t.Span, Call: t.Call, Wrapped: t.Wrapped}}})
	if err != nil {
		x.refuse("this table function")
		return t, x.err
	}
	var columns []string
	for _, f := range r.fields {
		columns = append(columns, f.Name)
	}
	out.Wrapped = true
	out.Alias = x.add(sc, alias, nil, columns)
	return &out, x.err
}
