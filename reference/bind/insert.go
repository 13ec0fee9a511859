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
	hinted := &rel.Scan{Table: t}
	if len(s.Hints) > 0 {
		if name := s.Hints[0].Name.Text; !strings.EqualFold(name, "OPTIONS") && !joinHints[strings.ToUpper(name)] {
			return nil, flinkerr.New("java.lang.AssertionError", "Hint: %s should be registered in the HintStrategyTable", name)
		}
		if t.View != nil || len(s.Hints) > 1 || !strings.EqualFold(s.Hints[0].Name.Text, "OPTIONS") {
			return nil, unsupported.New("hint %s on a sink", s.Hints[0].Name.Text)
		}
		if err := applyHints(hinted, s.Hints); err != nil {
			return nil, err
		}
		t = hinted.Table
	}
	target := persisted(t)
	query := s.Query
	var columns []int
	if len(s.Columns) > 0 || len(s.Partition) > 0 {
		q, cols, err := b.fillTarget(s, t, target)
		if err != nil {
			return nil, err
		}
		query, columns = q, positions(t, target, cols)
	}
	r, err := b.topQuery(query)
	if err != nil {
		return nil, err
	}
	if t.View != nil {
		return nil, flinkerr.Table("Sink '%s' does not exists", path)
	}
	for _, p := range s.Partition {
		if indexOf(t.PartitionedBy, p.Key) < 0 {
			return nil, flinkerr.Validation("Static partition column '%s' should be in the partition keys list [%s] for table '%s'.",
				p.Key, strings.Join(t.PartitionedBy, ", "), path)
		}
	}
	in, err := castToSink(r.node, path, target)
	if err != nil {
		return nil, err
	}
	sink := &rel.Sink{Base: rel.Base{In: []rel.Node{in}, Fields: in.Schema()}, Table: t, Overwrite: s.Overwrite,
		OnConflict: s.OnConflict, TargetColumns: columns, HintText: strings.Replace(hinted.HintText, "inheritPath:[] ", "", 1)}
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

// positions counts target columns among all columns of the table.
func positions(t *catalog.Table, target []value.Field, columns []int) []int {
	var out []int
	for _, c := range columns {
		for i := range t.Columns {
			if t.Columns[i].Name == target[c].Name {
				out = append(out, i)
			}
		}
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
	if from.Kind != to.Kind {
		return false
	}
	within := func(a, b *value.Type) bool { return a == nil || storedAsIs(*a, *b) }
	switch from.Kind {
	case value.KindRow:
		if len(from.Fields) != len(to.Fields) {
			return false
		}
		for i := range from.Fields {
			if !storedAsIs(from.Fields[i].Type, to.Fields[i].Type) {
				return false
			}
		}
		return true
	case value.KindArray, value.KindMultiset, value.KindMap:
		return within(from.Key, to.Key) && within(from.Elem, to.Elem)
	}
	return sameType(from.WithoutTime().AsNullable(), to.WithoutTime().AsNullable())
}

// ImplicitCast tells whether a query's column may be written to a sink column without CAST.
func ImplicitCast(from, to value.Type) bool { return implicitCast(from, to) }
