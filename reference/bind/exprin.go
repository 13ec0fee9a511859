package bind

import (
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// in turns IN (list) into a disjunction of equalities, and IN (query) into a sub-query.
func (x *exprs) in(e *sql.In) (rex.Expr, error) {
	if e.Query != nil {
		return x.inQuery(e)
	}
	if len(e.List) > maxInList {
		return nil, unsupported.New("IN with more than %d values", maxInList)
	}
	if r, ok := e.X.(*sql.RowExpr); ok && len(r.Items) > 1 {
		return x.inRows(e, r)
	}
	left, err := x.bind(e.X)
	if err != nil {
		return nil, err
	}
	items, err := x.bindAll(e.List...)
	if err != nil {
		return nil, err
	}
	var ts []value.Type
	for _, it := range items {
		if it.Type().Kind != value.KindNull {
			ts = append(ts, it.Type())
		}
	}
	if _, ok := fn.LeastRestrictive(ts); !ok && len(ts) > 0 {
		return nil, unsupported.New("IN list of different types")
	}
	var eqs []rex.Expr
	seen := map[string]bool{}
	for _, it := range items {
		eq := equality(left, ensureListItem(left.Type(), it))
		if k := rex.Digest(eq); !seen[k] {
			seen[k] = true
			eqs = append(eqs, eq)
		}
	}
	return x.anyOf(eqs, e.Not)
}

// anyOf is the disjunction of comparisons, negated for NOT IN.
func (x *exprs) anyOf(eqs []rex.Expr, not bool) (rex.Expr, error) {
	r := eqs[0]
	var err error
	if len(eqs) > 1 {
		if r, err = x.resolve("OR", eqs...); err != nil {
			return nil, err
		}
	}
	if not {
		return x.resolve("NOT", r)
	}
	return r, nil
}

// inRows is (a, b) IN ((1, 2), (3, 4)).
func (x *exprs) inRows(e *sql.In, row *sql.RowExpr) (rex.Expr, error) {
	left, err := x.bindAll(row.Items...)
	if err != nil {
		return nil, err
	}
	var alternatives []rex.Expr
	for _, item := range e.List {
		r, ok := item.(*sql.RowExpr)
		if !ok || len(r.Items) != len(left) {
			return nil, unsupported.New("row value IN list of other values")
		}
		right, err := x.bindAll(r.Items...)
		if err != nil {
			return nil, err
		}
		var all []rex.Expr
		for i := range left {
			all = append(all, equality(left[i], ensureListItem(left[i].Type(), right[i])))
		}
		and, err := x.resolve("AND", all...)
		if err != nil {
			return nil, err
		}
		alternatives = append(alternatives, and)
	}
	return x.anyOf(alternatives, e.Not)
}

// ensureListItem brings an IN list item to the type of the left side where their roots differ.
func ensureListItem(left value.Type, item rex.Expr) rex.Expr {
	t := item.Type()
	if t.Kind == value.KindNull {
		return &rex.Literal{V: value.Null, T: left.AsNullable()}
	}
	if t.Kind == left.Kind || left.Kind == value.KindVarchar && t.Kind == value.KindChar {
		return item
	}
	return fn.Ensure(left, item)
}

func equality(a, b rex.Expr) rex.Expr {
	return &rex.Call{Op: rex.Eq, Args: []rex.Expr{a, b}, T: value.Type{Kind: value.KindBoolean, Nullable: a.Type().Nullable || b.Type().Nullable}}
}
