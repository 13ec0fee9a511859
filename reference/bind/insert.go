package bind

import (
	"fmt"
	"strings"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// Insert binds INSERT INTO: the query under LogicalSink, with the casts that bring its
// columns to the sink's types.
func Insert(s *sql.Insert, env *Env) (rel.Node, error) {
	b := newBinder(env)
	path := env.Catalog.Resolve(nameParts(s.Table), env.DefaultCatalog, env.DefaultDatabase)
	t := env.Catalog.Table(path)
	if t == nil {
		return nil, flinkerr.Validation("Cannot find table '`%s`.`%s`.`%s`' in any of the catalogs [%s], nor as a temporary table.",
			path.Catalog, path.Database, path.Object, strings.Join(env.Catalog.Catalogs(), ", "))
	}
	if len(s.Hints) > 0 {
		return nil, unsupported.New("hint %s on a sink", s.Hints[0].Name.Text)
	}
	target := persisted(t)
	query := s.Query
	var columns []int
	if len(s.Columns) > 0 || len(s.Partition) > 0 {
		q, cols, err := b.fillTarget(s, t, target)
		if err != nil {
			return nil, err
		}
		query, columns = q, cols
	}
	r, err := b.topQuery(query)
	if err != nil {
		return nil, err
	}
	if t.View != nil {
		return nil, flinkerr.Table("Sink '%s' does not exists", path)
	}
	in, err := castToSink(r.node, path, target)
	if err != nil {
		return nil, err
	}
	sink := &rel.Sink{Base: rel.Base{In: []rel.Node{in}, Fields: in.Schema()}, Table: t, Overwrite: s.Overwrite,
		OnConflict: s.OnConflict, TargetColumns: columns}
	if len(s.Partition) > 0 {
		sink.Partition = map[string]string{}
		for _, p := range s.Partition {
			sink.Partition[p.Key] = p.Value
		}
	}
	return sink, b.sure()
}

// persisted are the columns that a sink writes: all but computed and virtual ones.
func persisted(t *catalog.Table) []value.Field {
	var out []value.Field
	for _, c := range t.Columns {
		if c.Kind == catalog.Computed || c.Kind == catalog.Metadata && c.Virtual {
			continue
		}
		out = append(out, value.Field{Name: c.Name, Type: c.Type.WithoutTime()})
	}
	return out
}

// castToSink checks the query's columns against the sink's and casts the whole row
// where one column needs it. All sink columns count as nullable here.
func castToSink(n rel.Node, path catalog.Path, sink []value.Field) (rel.Node, error) {
	q := n.Schema()
	mismatch := func(cause string) error {
		return flinkerr.Validation("Column types of query result and sink for '%s' do not match.\nCause: %s\n\nQuery schema: [%s]\nSink schema:  [%s]",
			path, cause, schemaText(q, true), schemaText(sink, false))
	}
	if len(q) != len(sink) {
		return nil, mismatch("Different number of columns.")
	}
	need := false
	for i, f := range sink {
		if !implicitCast(q[i].Type, f.Type) {
			return nil, mismatch(fmt.Sprintf("Incompatible types for sink column '%s' at position %d.", f.Name, i+1))
		}
		need = need || !storedAsIs(q[i].Type, f.Type)
	}
	if !need {
		return n, nil
	}
	es, in := refs(n), n
	if p, ok := n.(*rel.Project); ok {
		es, in = append([]rex.Expr(nil), p.Exprs...), p.In[0]
	}
	names := make([]string, len(sink))
	for i, f := range sink {
		t := nullableDeep(f.Type)
		names[i] = f.Name
		es[i] = fn.MakeCast(t, es[i])
	}
	return newProject(in, es, names), nil
}

func schemaText(fields []value.Field, notNull bool) string {
	s := make([]string, len(fields))
	for i, f := range fields {
		t := f.Type
		if !notNull {
			t = nullableDeep(t)
		}
		s[i] = f.Name + ": " + t.String()
	}
	return strings.Join(s, ", ")
}

// nullableDeep makes a type and all that it is made of nullable.
func nullableDeep(t value.Type) value.Type {
	t.Nullable = true
	deep := func(p *value.Type) *value.Type {
		if p == nil {
			return nil
		}
		c := nullableDeep(*p)
		return &c
	}
	t.Elem, t.Key = deep(t.Elem), deep(t.Key)
	if t.Fields != nil {
		fs := append([]value.Field(nil), t.Fields...)
		for i := range fs {
			fs[i].Type = nullableDeep(fs[i].Type)
		}
		t.Fields = fs
	}
	return t
}

// implicitCast is LogicalTypeCasts.supportsImplicitCast to a nullable type.
func implicitCast(from, to value.Type) bool {
	a, b := from.Kind, to.Kind
	if a == value.KindNull {
		return true
	}
	isInt := func(k value.Kind) bool { return k >= value.KindTinyInt && k <= value.KindBigInt }
	numeric := func(k value.Kind) bool {
		return isInt(k) || k == value.KindDecimal || k == value.KindFloat || k == value.KindDouble
	}
	switch b {
	case value.KindChar:
		return a == value.KindChar
	case value.KindVarchar:
		return a == value.KindChar || a == value.KindVarchar
	case value.KindBinary:
		return a == value.KindBinary
	case value.KindVarbinary:
		return a == value.KindBinary || a == value.KindVarbinary
	case value.KindDecimal, value.KindDouble:
		return numeric(a)
	case value.KindFloat:
		return isInt(a) || a == value.KindDecimal || a == value.KindFloat
	case value.KindTinyInt, value.KindSmallInt, value.KindInt, value.KindBigInt:
		return isInt(a) && a <= b
	case value.KindDate:
		return a == value.KindDate || a == value.KindTimestamp
	case value.KindTime:
		return a == value.KindTime || a == value.KindTimestamp
	case value.KindTimestamp, value.KindTimestampLTZ:
		return a == value.KindTimestamp || a == value.KindTimestampLTZ
	case value.KindArray, value.KindMultiset:
		return a == b && implicitCast(*from.Elem, *to.Elem)
	case value.KindMap:
		return a == b && implicitCast(*from.Key, *to.Key) && implicitCast(*from.Elem, *to.Elem)
	case value.KindRow:
		if a != b || len(from.Fields) != len(to.Fields) {
			return false
		}
		for i := range to.Fields {
			if !implicitCast(from.Fields[i].Type, to.Fields[i].Type) {
				return false
			}
		}
		return true
	}
	return a == b
}

// storedAsIs is LogicalTypeCasts.supportsAvoidingCast to a nullable type.
func storedAsIs(from, to value.Type) bool {
	isText := func(k value.Kind) bool { return k == value.KindChar || k == value.KindVarchar }
	isBytes := func(k value.Kind) bool { return k == value.KindBinary || k == value.KindVarbinary }
	switch {
	case to.Kind == value.KindVarchar && isText(from.Kind), to.Kind == value.KindVarbinary && isBytes(from.Kind):
		if from.Length <= to.Length {
			return true
		}
	}
	a, b := nullableDeep(from.WithoutTime()), nullableDeep(to.WithoutTime())
	return sameType(a, b)
}

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
	q, err := b.fillQuery(s.Query, len(target), assigned, position)
	return q, columns, err
}

func (b *binder) fillQuery(q *sql.Query, width int, assigned map[int]sql.Expr, position []int) (*sql.Query, error) {
	if len(q.With) > 0 {
		return nil, unsupported.New("partial INSERT of a WITH query")
	}
	body, err := b.fillBody(q.Body, width, assigned, position)
	if err != nil {
		return nil, err
	}
	c := *q
	c.Body = body
	return &c, nil
}

func (b *binder) fillBody(q sql.QueryBody, width int, assigned map[int]sql.Expr, position []int) (sql.QueryBody, error) {
	switch q := q.(type) {
	case *sql.Select:
		items, err := b.expandedItems(q)
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
		l, err := b.fillBody(q.Left, width, assigned, position)
		if err != nil {
			return nil, err
		}
		r, err := b.fillBody(q.Right, width, assigned, position)
		if err != nil {
			return nil, err
		}
		c := *q
		c.Left, c.Right = l, r
		return &c, nil
	case *sql.Query:
		return b.fillQuery(q, width, assigned, position)
	}
	return nil, unsupported.New("partial INSERT of %T", q)
}

// expandedItems validates a SELECT and lists its items with stars expanded.
func (b *binder) expandedItems(s *sql.Select) ([]sql.SelectItem, error) {
	blk := &block{b: newBinder(b.env), sel: s, sc: &scope{}}
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
