// Package catalog holds what a session knows by name: catalogs, databases,
// tables and views, permanent and temporary.
package catalog

import (
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// Path is a fully qualified object name.
type Path struct{ Catalog, Database, Object string }

// String joins the parts with dots, as errors and sinks name a table.
func (p Path) String() string { return p.Catalog + "." + p.Database + "." + p.Object }

// ColumnKind tells where a column's values come from.
type ColumnKind uint8

// The kinds of column.
const (
	Physical ColumnKind = iota
	Computed
	Metadata
)

// Column of a table.
type Column struct {
	Name    string
	Type    value.Type
	Kind    ColumnKind
	Comment string
	// Expr of a computed column, over the columns that precede the computed ones
	// (physical and metadata columns in table order); Text is its normal form in backquotes.
	Expr rex.Expr
	Text string
	// MetadataKey of a metadata column (its name, or FROM 'key'); Virtual ones are not written.
	MetadataKey string
	Virtual     bool
}

// Watermark is WATERMARK FOR Column AS Expr.
type Watermark struct {
	Column int
	Expr   rex.Expr
	Text   string
}

// Table is a table or a view.
type Table struct {
	Path          Path
	Temporary     bool
	Columns       []Column
	PrimaryKey    []string
	KeyName       string
	Watermark     *Watermark
	PartitionedBy []string
	Comment       string
	HasComment    bool
	Options       []sql.Option // in written order
	// View is set for views: the parsed and the expanded query.
	View *View
	// BatchMode is the runtime mode in which the table was created; a table with a
	// watermark is bound to it (facts/join.md C6).
	BatchMode bool
}

// View is the definition behind a view.
type View struct {
	Query *sql.Query
	Text  string // as written
	// Expanded is the query as Flink keeps it, with qualified, quoted names; NoText says why
	// that text is not known.
	Expanded string
	NoText   error
	// Catalog and Database in which its names are resolved.
	Catalog, Database string
}

// Option returns the value of a table option.
func (t *Table) Option(key string) (string, bool) {
	for i := len(t.Options) - 1; i >= 0; i-- {
		if t.Options[i].Key == key {
			return t.Options[i].Value, true
		}
	}
	return "", false
}

// ColumnIndex finds a column by its exact name, or returns -1.
func (t *Table) ColumnIndex(name string) int {
	for i, c := range t.Columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}
