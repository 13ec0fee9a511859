package client

import (
	"strings"

	"github.com/labgrade/labgrade/reference/bind"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// createTableAs makes a table with the columns of a query and fills it. The two are no unit:
// the table stays where the INSERT fails. With IF NOT EXISTS the rows go into the table that is there.
func (s *Session) createTableAs(r *Result, st *sql.CreateTable) error {
	root, err := bind.Query(st.AsQuery, s.bindEnv())
	if err != nil {
		return err
	}
	source := root.Schema()
	def, targets, err := asDefinition(st, source)
	if err != nil {
		return err
	}
	t, err := s.defineTable(def)
	if err != nil {
		return err
	}
	path := s.catalogs.Qualify(st.Name)
	have := s.catalogs.Table(path)
	if have == nil && st.MustExist {
		return unsupported.New("REPLACE TABLE of a table that does not exist")
	}
	if have != nil && st.OrReplace {
		if have.View != nil || have.Temporary {
			return unsupported.New("CREATE OR REPLACE TABLE of a view or a temporary table")
		}
		s.catalogs.Replace(t)
	} else if err := s.catalogs.Create(t, st.IfNotExists); err != nil {
		return err
	}
	return s.insert(r, []*sql.Insert{{Span: st.AsQuery.Span, Table: st.Name, Columns: targets, Query: st.AsQuery}})
}

// asDefinition merges the columns of CREATE TABLE with those of its query: declared ones that the
// query does not have come first, types of others replace the query's. The targets of the INSERT
// are nil where it gives all columns in order.
func asDefinition(st *sql.CreateTable, source []value.Field) (*sql.CreateTable, []sql.Ident, error) {
	columns, err := fieldColumns(source)
	if err != nil {
		return nil, nil, err
	}
	def := *st
	def.AsQuery, def.AsText, def.Names = nil, "", nil
	at := map[string]int{}
	var all []sql.Ident
	for i, c := range columns {
		at[c.Name.Text] = i
		all = append(all, c.Name)
	}
	if len(st.Names) > 0 {
		if len(st.Names) != len(columns) {
			return nil, nil, flinkerr.Validation("The number of columns in the column list must match the number of columns in the source schema.")
		}
		def.Columns = nil
		for _, n := range st.Names {
			i, ok := at[n.Text]
			if !ok {
				return nil, nil, flinkerr.Validation("Column '%s' not found in the source schema.", n.Text)
			}
			def.Columns = append(def.Columns, columns[i])
		}
		return &def, all, keysNotNull(&def)
	}
	var added []sql.ColumnDef
	physical := false
	for _, c := range st.Columns {
		i, known := at[c.Name.Text]
		switch {
		case c.Metadata, known && c.Computed != nil:
			return nil, nil, unsupported.New("a metadata or computed column of this kind in CREATE TABLE AS")
		case !known:
			added, physical = append(added, c), physical || c.Computed == nil
		default:
			declared, err := bind.TypeOf(c.Type)
			if err != nil {
				return nil, nil, err
			}
			if !bind.ImplicitCast(source[i].Type, declared) {
				return nil, nil, flinkerr.Validation("Incompatible types for sink column '%s' at position %d. The source column has type '%s', while the target column has type '%s'.",
					c.Name.Text, i+1, source[i].Type.WithoutTime(), declared)
			}
			columns[i] = c
		}
	}
	def.Columns = append(added, columns...)
	if !physical {
		all = nil
	}
	return &def, all, keysNotNull(&def)
}

// keysNotNull: a key column of a query's table is not made NOT NULL, it must be so.
func keysNotNull(def *sql.CreateTable) error {
	for _, k := range def.Constraints {
		name := "PK"
		for _, c := range k.Columns {
			name += "_" + c.Text
		}
		if k.Name != nil {
			name = k.Name.Text
		}
		for _, c := range k.Columns {
			for _, d := range def.Columns {
				if d.Name.Text == c.Text && d.Computed == nil && !d.Type.NotNull {
					return flinkerr.Validation("Invalid primary key '%s'. Column '%s' is nullable.", name, c.Text)
				}
			}
		}
	}
	return nil
}

// fieldColumns writes the columns of a query as column definitions.
func fieldColumns(fields []value.Field) ([]sql.ColumnDef, error) {
	lines := make([]string, len(fields))
	for i, f := range fields {
		lines[i] = columnText(catalog.Column{Name: f.Name, Type: f.Type.WithoutTime()})
	}
	parsed, err := sql.Parse("CREATE TABLE t (" + strings.Join(lines, ", ") + ") WITH ('connector' = 'print')")
	if err != nil {
		return nil, unsupported.New("CREATE TABLE AS with a type that cannot be declared")
	}
	return parsed.(*sql.CreateTable).Columns, nil
}
