package bind

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

func newSubquery(op *rex.Op, args []rex.Expr, n rel.Node, t value.Type) *rex.SubQuery {
	return &rex.SubQuery{Op: op, Args: args, Rel: n, Text: rel.PlainText(n), T: t}
}

// scalarSubquery binds (SELECT ..) used as a value; without a row it is NULL.
func (x *exprs) scalarSubquery(e *sql.Subquery) (rex.Expr, error) {
	r, err := x.b.query(e.Query, x.sc, false)
	if err != nil {
		return nil, err
	}
	if len(r.fields) != 1 {
		return nil, flinkerr.Validator("Cannot apply '$SCALAR_QUERY' to arguments of type '$SCALAR_QUERY(<%s>)'. Supported form(s): '$SCALAR_QUERY(<RECORDTYPE(SINGLE FIELD)>)'",
			strings.ToUpper(rex.RecordText(r.fields, false)))
	}
	t := r.fields[0].Type
	t.Nullable = true
	return newSubquery(rex.ScalarQuery, nil, r.node, t), nil
}

// exists binds EXISTS (query): projections and plain orders of the query are dropped.
func (x *exprs) exists(e *sql.Unary) (rex.Expr, error) {
	s, ok := e.X.(*sql.Subquery)
	if !ok {
		return nil, unsupported.New("EXISTS of %T", e.X)
	}
	r, err := x.b.query(s.Query, x.sc, false)
	if err != nil {
		return nil, err
	}
	n := r.node
	for {
		switch in := n.(type) {
		case *rel.Project:
			n = in.In[0]
			continue
		case *rel.Sort:
			if in.Offset < 0 && in.Fetch < 0 {
				n = in.In[0]
				continue
			}
		}
		break
	}
	return newSubquery(rex.Exists, nil, n, value.Type{Kind: value.KindBoolean}), nil
}

// inQuery binds x IN (query); NOT IN is NOT of it.
func (x *exprs) inQuery(e *sql.In) (rex.Expr, error) {
	r, err := x.b.query(e.Query, x.sc, false)
	if err != nil {
		return nil, err
	}
	left := []sql.Expr{e.X}
	if row, ok := e.X.(*sql.RowExpr); ok {
		left = row.Items
	}
	args, err := x.bindAll(left...)
	if err != nil {
		return nil, err
	}
	if len(args) != len(r.fields) {
		return nil, flinkerr.Validator("Values passed to IN operator must have compatible types")
	}
	t := value.Type{Kind: value.KindBoolean}
	for i, a := range args {
		f := r.fields[i].Type
		t.Nullable = t.Nullable || a.Type().Nullable || f.Nullable
		if !comparedAsIs(a.Type(), f) {
			return nil, unsupported.New("IN sub-query of %s and %s", a.Type(), f)
		}
	}
	s := newSubquery(rex.In, args, r.node, t)
	if e.Not {
		return x.resolve("NOT", s)
	}
	return s, nil
}

// comparedAsIs tells that IN compares the types without a cast on either side.
func comparedAsIs(a, b value.Type) bool {
	isInt := func(k value.Kind) bool { return k >= value.KindTinyInt && k <= value.KindBigInt }
	isText := func(k value.Kind) bool { return k == value.KindChar || k == value.KindVarchar }
	if isText(a.Kind) && b.IsNumeric() || a.IsNumeric() && isText(b.Kind) {
		return true // which planning refuses
	}
	if isInt(a.Kind) && isInt(b.Kind) || (isInt(a.Kind) || a.Kind == value.KindDecimal) && (isInt(b.Kind) || b.Kind == value.KindDecimal) || isText(a.Kind) && isText(b.Kind) {
		return true
	}
	a.Nullable, b.Nullable = true, true
	return sameType(a.WithoutTime(), b.WithoutTime())
}

// quantified binds x = ANY (query), which is IN, and x > ALL (query), which is
// NOT (x <= SOME (query)).
func (x *exprs) quantified(e *sql.Quantified) (rex.Expr, error) {
	if e.Query == nil {
		return nil, unsupported.New("%s %s of a list", e.Op, e.Quant)
	}
	op, all := e.Op, e.Quant == "ALL"
	if all {
		op = map[string]string{"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}[op]
	}
	if op == "=" {
		return x.inQuery(&sql.In{Span: e.Span, X: e.X, Query: e.Query, Not: all})
	}
	some := someOp(op)
	if some == nil {
		return nil, unsupported.New("%s %s", e.Op, e.Quant)
	}
	r, err := x.inQuery(&sql.In{Span: e.Span, X: e.X, Query: e.Query})
	if err != nil {
		return nil, err
	}
	s, ok := r.(*rex.SubQuery)
	if !ok {
		return nil, unsupported.New("%s %s", e.Op, e.Quant)
	}
	s.Op = some
	if all {
		return x.resolve("NOT", s)
	}
	return s, nil
}

func someOp(op string) *rex.Op {
	for _, o := range []*rex.Op{rex.SomeNe, rex.SomeLt, rex.SomeLe, rex.SomeGt, rex.SomeGe} {
		if o.Name == op+" SOME" {
			return o
		}
	}
	return nil
}

func hasSubquery(e rex.Expr) bool {
	found := false
	mapRex(e, func(x rex.Expr) rex.Expr {
		if _, ok := x.(*rex.SubQuery); ok {
			found = true
		}
		return nil
	})
	return found
}

// refreshSubqueries prints sub-queries anew after their correlation variables got
// their final numbers, inner ones first.
func refreshSubqueries(e rex.Expr) {
	mapRex(e, func(x rex.Expr) rex.Expr {
		if s, ok := x.(*rex.SubQuery); ok {
			if n, ok := s.Rel.(rel.Node); ok {
				refreshNode(n)
				s.Text = rel.PlainText(n)
			}
		}
		return nil
	})
}

func refreshNode(n rel.Node) {
	switch n := n.(type) {
	case *rel.Filter:
		refreshSubqueries(n.Cond)
	case *rel.Project:
		for _, e := range n.Exprs {
			refreshSubqueries(e)
		}
	case *rel.Join:
		refreshSubqueries(n.Cond)
	}
	for _, c := range n.Inputs() {
		refreshNode(c)
	}
}
