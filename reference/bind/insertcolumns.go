package bind

import (
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// fillTarget rewrites the query of a partial INSERT as Flink does before validation:
// static partition values and NULLs take their places among the query's columns.
func (b *binder) fillTarget(s *sql.Insert, t *catalog.Table, target []value.Field) (*sql.Query, []int, error) {
	assigned := map[int]sql.Expr{}
	fixed := map[int]bool{}
	for _, p := range s.Partition {
		i := fieldIndex(target, p.Key)
		if i < 0 {
			return nil, nil, flinkerr.Validator("Unknown target column '%s'", p.Key)
		}
		if assigned[i] != nil {
			return nil, nil, flinkerr.Validator("Target column '%s' is assigned more than once", p.Key)
		}
		assigned[i] = &sql.Cast{X: &sql.StringLit{Value: p.Value}, Type: typeName(target[i].Type)}
		fixed[i] = true
	}
	var position, columns []int
	if len(s.Columns) > 0 {
		var order []int
		seen := map[int]bool{}
		for _, c := range s.Columns {
			i := fieldIndex(target, c.Text)
			if i < 0 {
				return nil, nil, flinkerr.Validator("Unknown target column '%s'", c.Text)
			}
			if seen[i] {
				return nil, nil, flinkerr.Validator("Target column '%s' is assigned more than once", c.Text)
			}
			seen[i] = true
			order = append(order, i)
		}
		columns = order
		for i, f := range target {
			if fixed[i] {
				continue
			}
			if !seen[i] {
				if !f.Type.Nullable {
					return nil, nil, flinkerr.Validator("Column '%s' has no default value and does not allow NULLs", f.Name)
				}
				assigned[i] = &sql.Cast{X: &sql.NullLit{}, Type: typeName(f.Type)}
				continue
			}
			for j, o := range order {
				if o == i {
					position = append(position, j)
				}
			}
		}
	}
	q, err := b.fillQuery(s.Query, nil, len(target), assigned, position)
	return q, columns, err
}

func (b *binder) fillQuery(q *sql.Query, sc *scope, width int, assigned map[int]sql.Expr, position []int) (*sql.Query, error) {
	sc = withScope(q, sc)
	body, err := b.fillBody(q.Body, sc, width, assigned, position)
	if err != nil {
		return nil, err
	}
	c := *q
	c.Body = body
	return &c, nil
}

func (b *binder) fillBody(q sql.QueryBody, sc *scope, width int, assigned map[int]sql.Expr, position []int) (sql.QueryBody, error) {
	switch q := q.(type) {
	case *sql.Select:
		items, err := b.expandedItems(q, sc)
		if err != nil {
			return nil, err
		}
		items, err = fill(items, width, assigned, position, func(e sql.Expr) sql.SelectItem { return sql.SelectItem{X: e} })
		if err != nil {
			return nil, err
		}
		c := *q
		c.Items = items
		return &c, nil
	case *sql.Values:
		c := *q
		c.Rows = nil
		for _, r := range q.Rows {
			cells := []sql.Expr{r}
			if row, ok := r.(*sql.RowExpr); ok {
				cells = row.Items
			}
			cells, err := fill(cells, width, assigned, position, func(e sql.Expr) sql.Expr { return e })
			if err != nil {
				return nil, err
			}
			c.Rows = append(c.Rows, &sql.RowExpr{Span: r.At(), Items: cells})
		}
		return &c, nil
	case *sql.SetOp:
		l, err := b.fillBody(q.Left, sc, width, assigned, position)
		if err != nil {
			return nil, err
		}
		r, err := b.fillBody(q.Right, sc, width, assigned, position)
		if err != nil {
			return nil, err
		}
		c := *q
		c.Left, c.Right = l, r
		return &c, nil
	case *sql.Query:
		return b.fillQuery(q, sc, width, assigned, position)
	}
	return nil, unsupported.New("partial INSERT of %T", q)
}

// expandedItems validates a SELECT and lists its items with stars expanded.
func (b *binder) expandedItems(s *sql.Select, outer *scope) ([]sql.SelectItem, error) {
	blk := &block{b: newBinder(b.env), sel: s, sc: &scope{parent: outer}}
	if err := blk.from(); err != nil {
		return nil, err
	}
	if err := blk.expandItems(); err != nil {
		return nil, err
	}
	var out []sql.SelectItem
	for _, it := range blk.items {
		si := sql.SelectItem{X: it.x}
		if it.named {
			si.Alias = &sql.Ident{Text: it.name}
		}
		out = append(out, si)
	}
	return out, nil
}

// fill puts assigned values between the source's, which are first brought into the
// target's order.
func fill[T any](source []T, width int, assigned map[int]sql.Expr, position []int, make func(sql.Expr) T) ([]T, error) {
	if len(position) > 0 {
		if len(source) != len(position) {
			return nil, flinkerr.Validator("Number of columns must match number of query columns")
		}
		var ordered []T
		for _, p := range position {
			ordered = append(ordered, source[p])
		}
		source = ordered
	}
	var out []T
	for i := 0; i < width; i++ {
		switch {
		case assigned[i] != nil:
			out = append(out, make(assigned[i]))
		case len(source) > 0:
			out = append(out, source[0])
			source = source[1:]
		}
	}
	return append(out, source...), nil
}

// typeName writes a type as syntax.
func typeName(t value.Type) sql.TypeName {
	n, err := sql.ParseType(nullableDeep(t).String())
	if err != nil {
		return sql.TypeName{Name: "STRING"}
	}
	return n
}
