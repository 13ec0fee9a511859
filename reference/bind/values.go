package bind

import (
	"math/big"
	"strconv"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// values binds VALUES: one LogicalValues where every cell is a literal, else a union
// of one-row projections.
func (b *binder) values(q *sql.Values, outer *scope) (*relation, error) {
	x := &exprs{b: b, sc: &scope{parent: outer}}
	var rows [][]rex.Expr
	literals := true
	for _, r := range q.Rows {
		cells := []sql.Expr{r}
		if row, ok := r.(*sql.RowExpr); ok {
			cells = row.Items
		}
		es, err := x.bindAll(cells...)
		if err != nil {
			return nil, err
		}
		for i, e := range es {
			if e.Type().Kind == value.KindNull {
				return nil, flinkerr.Validator("Illegal use of 'NULL'")
			}
			literals = literals && isSQLLiteral(cells[i])
		}
		rows = append(rows, es)
	}
	width := len(rows[0])
	for _, r := range rows {
		if len(r) != width {
			return nil, flinkerr.Validator("Values passed to VALUES operator must have compatible types")
		}
	}
	fields := make([]value.Field, width)
	for i := range fields {
		ts := make([]value.Type, len(rows))
		for j, r := range rows {
			ts[j] = r[i].Type()
		}
		t, ok := fn.LeastRestrictive(ts)
		if !ok {
			return nil, flinkerr.Validator("Values passed to VALUES operator must have compatible types")
		}
		fields[i] = value.Field{Name: "EXPR$" + strconv.Itoa(i), Type: t}
	}
	if literals {
		return literalValues(rows, fields)
	}
	var in []rel.Node
	for _, r := range rows {
		names := make([]string, len(r))
		for i := range r {
			names[i] = fields[i].Name
		}
		in = append(in, b.project(oneRow(), r, names, true))
	}
	n := in[0]
	if len(in) > 1 {
		u := newUnion(in, true)
		n = u
	}
	return &relation{node: n, fields: fields}, nil
}

func isSQLLiteral(e sql.Expr) bool {
	switch e := e.(type) {
	case *sql.NumberLit, *sql.StringLit, *sql.BoolLit, *sql.TemporalLit, *sql.BinaryLit:
		return true
	case *sql.IntervalLit:
		return e.Value == nil
	case *sql.Unary:
		_, ok := negated(e.X)
		return e.Op == "-" && ok
	}
	return false
}

// literalValues brings literals to their column's type: decimals to its scale, CHAR padded.
func literalValues(rows [][]rex.Expr, fields []value.Field) (*relation, error) {
	v := &rel.Values{Base: rel.Base{Fields: fields}}
	for _, r := range rows {
		tuple := make([]*rex.Literal, len(r))
		for i, e := range r {
			l, ok := e.(*rex.Literal)
			if !ok {
				return nil, unsupported.New("VALUES cell")
			}
			t := fields[i].Type
			if !sameType(l.T, t) {
				lit, err := retyped(l, t)
				if err != nil {
					return nil, err
				}
				l = lit
			}
			tuple[i] = l
		}
		v.Rows = append(v.Rows, tuple)
	}
	return &relation{node: v, fields: fields}, nil
}

// retyped converts a literal to the common type of its VALUES column where that keeps
// its text.
func retyped(l *rex.Literal, t value.Type) (*rex.Literal, error) {
	isInt := func(k value.Kind) bool { return k == value.KindInt || k == value.KindBigInt }
	switch {
	case t.Kind == value.KindDecimal && (isInt(l.T.Kind) || l.T.Kind == value.KindDecimal && l.T.Scale <= t.Scale):
		n := rex.Unscaled(l.V)
		scale := l.T.Scale
		if isInt(l.T.Kind) {
			n, scale = big.NewInt(l.V.Int()), 0
		}
		n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Scale-scale)), nil))
		return &rex.Literal{V: decimalValue(n), T: t}, nil
	case l.T.Kind == value.KindChar && t.Kind == value.KindVarchar,
		isInt(l.T.Kind) && isInt(t.Kind):
		return &rex.Literal{V: l.V, T: t, Text: l.Text}, nil
	}
	return nil, unsupported.New("VALUES column of %s and %s", rex.TypeText(l.T, false), rex.TypeText(t, false))
}
