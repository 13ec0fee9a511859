package bind

import (
	"errors"
	"strings"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// CreateTable checks CREATE TABLE and makes the table: types, computed and metadata
// columns, primary key, watermark. LIKE and AS are not looked at here. The connector
// and its options are not checked before the table is used.
func CreateTable(s *sql.CreateTable, env *Env) (*catalog.Table, error) {
	if s.Like != nil {
		return nil, unsupported.New("CREATE TABLE ... LIKE")
	}
	if s.AsQuery != nil {
		return nil, unsupported.New("CREATE TABLE ... AS")
	}
	b := newBinder(env)
	t := &catalog.Table{
		Path:      env.Catalog.Resolve(nameParts(s.Name), env.DefaultCatalog, env.DefaultDatabase),
		Temporary: s.Temporary,
		Options:   s.Options,
		BatchMode: env.Batch,
	}
	if s.Comment != nil {
		t.Comment, t.HasComment = *s.Comment, true
	}
	if err := b.columns(t, s.Columns, s.Constraints); err != nil {
		return nil, err
	}
	if err := primaryKey(t, s); err != nil {
		return nil, err
	}
	for _, p := range s.PartitionedBy {
		if t.ColumnIndex(p.Text) < 0 {
			return nil, flinkerr.Validation("Partition column '%s' not defined in the table schema. Available columns: [%s]", p.Text, columnList(t))
		}
		t.PartitionedBy = append(t.PartitionedBy, p.Text)
	}
	if s.Watermark != nil {
		if err := b.watermark(t, s.Watermark); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func columnList(t *catalog.Table) string {
	s := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		s[i] = "'" + c.Name + "'"
	}
	return strings.Join(s, ", ")
}

// columns makes the columns: computed ones see all others.
func (b *binder) columns(t *catalog.Table, defs []sql.ColumnDef, constraints []sql.Constraint) error {
	keys := map[string]bool{}
	for _, k := range constraints {
		for _, c := range k.Columns {
			keys[c.Text] = true
		}
	}
	seen := map[string]bool{}
	for _, d := range defs {
		if seen[d.Name.Text] {
			if d.Computed == nil && !d.Metadata {
				return flinkerr.Validation("A regular Column named '%s' already exists in the table.", d.Name.Text)
			}
			return flinkerr.Validation("A column named '%s' already exists in the table.", d.Name.Text)
		}
		seen[d.Name.Text] = true
		c := catalog.Column{Name: d.Name.Text}
		if d.Comment != nil {
			c.Comment = *d.Comment
		}
		switch {
		case d.Computed != nil:
			c.Kind = catalog.Computed
		default:
			ct, err := typeOf(d.Type)
			if err != nil {
				return err
			}
			c.Type = ct
			if d.Metadata {
				c.Kind = catalog.Metadata
				c.MetadataKey, c.Virtual = d.Name.Text, d.Virtual
				if d.From != nil {
					c.MetadataKey = *d.From
				}
			}
		}
		if keys[c.Name] {
			c.Type.Nullable = false // computed columns see it so
		}
		t.Columns = append(t.Columns, c)
	}
	row := &kid{name: t.Path.Object}
	for _, c := range t.Columns {
		if c.Kind != catalog.Computed {
			row.fields = append(row.fields, value.Field{Name: c.Name, Type: c.Type})
		}
	}
	for i, d := range defs {
		if d.Computed == nil {
			continue
		}
		x := &exprs{b: b, sc: &scope{kids: []*kid{row}}}
		x.noAgg = "SELECT"
		e, err := x.bind(d.Computed)
		if err != nil {
			return parameterError(err)
		}
		t.Columns[i].Expr, t.Columns[i].Type = e, e.Type()
		t.Columns[i].Text = d.ComputedText
	}
	return nil
}

// parameterError: in the expressions of a table definition Calcite calls an unknown column
// an unknown identifier, without a search for what was meant. Aggregates pass there.
func parameterError(err error) error {
	var f *flinkerr.Error
	if !errors.As(err, &f) || f.Class != flinkerr.ClassValidator {
		return err
	}
	if rest, ok := strings.CutPrefix(f.Message, "Column '"); ok {
		name, tail, _ := strings.Cut(rest, "'")
		if strings.HasPrefix(tail, " not found in any table") {
			return flinkerr.Validator("Unknown identifier '%s'", name)
		}
	}
	if strings.HasPrefix(f.Message, "Aggregate expression is illegal") {
		return unsupported.New("an aggregate function in the definition of a column")
	}
	return err
}

// primaryKey takes the key from a table constraint or a column's own; key columns
// become NOT NULL.
func primaryKey(t *catalog.Table, s *sql.CreateTable) error {
	keys := s.Constraints
	if len(keys) == 0 {
		return nil
	}
	if len(keys) > 1 {
		return flinkerr.New(flinkerr.ClassSqlValidate, "Duplicate primary key definition")
	}
	k := keys[0]
	seen := map[string]bool{}
	var names []string
	for _, c := range k.Columns {
		i := t.ColumnIndex(c.Text)
		if i < 0 {
			return flinkerr.Validation("Primary key column '%s' is not defined in the schema at line %d, column %d", c.Text, c.Start.Line, c.Start.Col)
		}
		if t.Columns[i].Kind != catalog.Physical {
			return flinkerr.Validation("Could not create a PRIMARY KEY with column '%s' at line %d, column %d.\nA PRIMARY KEY constraint must be declared on physical columns.", c.Text, c.Start.Line, c.Start.Col)
		}
		if seen[c.Text] {
			all := make([]string, len(k.Columns))
			for j, kc := range k.Columns {
				all[j] = kc.Text
			}
			return flinkerr.Validation("Invalid primary key '%s'. A primary key must not contain duplicate columns. Found: [%s]", keyName(k, all), c.Text)
		}
		seen[c.Text] = true
		names = append(names, c.Text)
		t.Columns[i].Type.Nullable = false
	}
	t.PrimaryKey = names
	t.KeyName = keyName(k, names)
	return nil
}

func keyName(k sql.Constraint, names []string) string {
	if k.Name != nil {
		return k.Name.Text
	}
	return "PK_" + strings.Join(names, "_")
}

// watermark checks WATERMARK FOR c AS x and marks the column as rowtime.
func (b *binder) watermark(t *catalog.Table, w *sql.WatermarkDef) error {
	name := joinDots(nameParts(w.Column))
	i := t.ColumnIndex(name)
	if len(w.Column.Parts) > 1 && t.ColumnIndex(w.Column.Parts[0].Text) >= 0 {
		names := make([]string, len(t.Columns))
		for j, c := range t.Columns {
			names[j] = c.Name
		}
		return flinkerr.Validation("Invalid column name '%s' for rowtime attribute in watermark declaration. Available columns are: [%s]", name, strings.Join(names, ", "))
	}
	if i < 0 {
		return flinkerr.Validation("The rowtime attribute field '%s' is not defined in the table schema, at line %d, column %d\nAvailable fields: [%s]",
			name, w.Column.Start.Line, w.Column.Start.Col, columnList(t))
	}
	ct := t.Columns[i].Type
	if ct.Time == value.Proctime {
		return flinkerr.Validation("A watermark can not be defined for a processing-time attribute.")
	}
	if ct.Kind != value.KindTimestamp && ct.Kind != value.KindTimestampLTZ || ct.Precision > 3 {
		return flinkerr.Validation("Invalid data type of time field for watermark definition. The field must be of type TIMESTAMP(p) or TIMESTAMP_LTZ(p), the supported precision 'p' is from 0 to 3, but the time field type is %s", ct.String())
	}
	row := &kid{name: t.Path.Object}
	for _, c := range t.Columns {
		row.fields = append(row.fields, value.Field{Name: c.Name, Type: c.Type})
	}
	x := &exprs{b: b, sc: &scope{kids: []*kid{row}}}
	e, err := x.bind(w.X)
	if err != nil {
		return parameterError(err)
	}
	et := e.Type()
	if et.Kind != value.KindTimestamp && et.Kind != value.KindTimestampLTZ || et.Precision > 3 {
		return flinkerr.Validation("Invalid data type of expression for watermark definition. The field must be of type TIMESTAMP(p) or TIMESTAMP_LTZ(p), the supported precision 'p' is from 0 to 3, but the watermark expression type is %s", et.String())
	}
	if et.Kind != ct.Kind {
		return flinkerr.Validation("The watermark declaration's output data type '%s' is different from the time field's data type '%s'.", et.String(), ct.String())
	}
	t.Watermark = &catalog.Watermark{Column: i, Expr: e, Text: w.Text}
	t.Columns[i].Type.Time = value.Rowtime
	return nil
}

// CreateView checks CREATE VIEW: the query must be valid, and a column list must fit.
// The view's columns have the query's types.
func CreateView(s *sql.CreateView, env *Env) (*catalog.Table, error) {
	b := newBinder(env)
	r, err := b.topQuery(s.Query)
	if err != nil {
		return nil, err
	}
	t := &catalog.Table{
		Path:      env.Catalog.Resolve(nameParts(s.Name), env.DefaultCatalog, env.DefaultDatabase),
		Temporary: s.Temporary,
		BatchMode: env.Batch,
		View:      &catalog.View{Query: s.Query, Text: s.QueryText, Catalog: env.DefaultCatalog, Database: env.DefaultDatabase},
	}
	if s.Comment != nil {
		t.Comment, t.HasComment = *s.Comment, true
	}
	if b.late != nil {
		return nil, unsupported.New("a view with a join that Flink cannot plan")
	}
	if err := b.sure(); err != nil {
		return nil, err
	}
	schema := r.node.Schema()
	if len(s.Columns) > 0 && len(s.Columns) != len(schema) {
		def := make([]string, len(s.Columns))
		for i, c := range s.Columns {
			def[i] = c.Text
		}
		return nil, flinkerr.Validation("VIEW definition and input fields not match:\n\tDef fields: [%s].\n\tInput fields: [%s].",
			strings.Join(def, ", "), strings.Join(schemaNames(r.node), ", "))
	}
	if err := repeatedColumn(s); err != nil {
		return nil, err
	}
	for i, f := range schema {
		c := catalog.Column{Name: f.Name, Type: f.Type}
		if len(s.Columns) > 0 {
			c.Name = s.Columns[i].Text
		}
		t.Columns = append(t.Columns, c)
	}
	if q, err := Expand(s.Query, env); err != nil {
		t.View.NoText = err
	} else {
		t.View.Expanded = sql.NormalQuery(q)
	}
	return t, nil
}

// repeatedColumn refuses a view with two columns of one name. Flink tells where the
// expression of the first one stands. A star makes names of its own instead.
func repeatedColumn(s *sql.CreateView) error {
	items := leftmostItems(s.Query.Body)
	at := map[string]sql.Pos{}
	for i, it := range items {
		if _, ok := it.X.(*sql.Star); ok {
			if len(s.Columns) > 0 {
				break // items and columns do not go together
			}
			continue
		}
		name := ""
		switch {
		case i < len(s.Columns):
			name = s.Columns[i].Text
		case it.Alias != nil:
			name = it.Alias.Text
		default:
			if c, ok := it.X.(*sql.ColumnRef); ok {
				name = c.Name.Parts[len(c.Name.Parts)-1].Text
			}
		}
		if name == "" {
			continue
		}
		if p, ok := at[name]; ok {
			return flinkerr.New(sql.ClassSqlValidate, "A column with the same name `%s` has been defined at line %d, column %d.", name, p.Line, p.Col)
		}
		at[name] = it.X.At().Start
	}
	seen := map[string]bool{}
	for _, c := range s.Columns {
		if seen[c.Text] {
			return unsupported.New("a view with two columns %s", c.Text)
		}
		seen[c.Text] = true
	}
	return nil
}

// leftmostItems are the select items that name the columns of a query.
func leftmostItems(b sql.QueryBody) []sql.SelectItem {
	switch b := b.(type) {
	case *sql.Select:
		return b.Items
	case *sql.SetOp:
		return leftmostItems(b.Left)
	case *sql.Query:
		return leftmostItems(b.Body)
	}
	return nil
}
