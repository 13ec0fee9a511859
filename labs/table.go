package labs

import (
	"fmt"
	"path"
	"sort"
	"strings"

	"github.com/labgrade/labgrade/sql"
)

// Table is a source table: either Columns and what goes with them, or a whole DDL.
type Table struct {
	Name string `yaml:"name"`
	// File lies in the lab's data folder. A path in a learner's SQL that ends in this
	// name means this table's source.
	File string `yaml:"file"`
	// Path is where the file lies on the lab's own machine.
	Path string `yaml:"path"`
	// Columns are column definitions as in CREATE TABLE: "user_id STRING", and computed
	// ones: "cost AS price * amount".
	Columns []string `yaml:"columns"`
	// PrimaryKey and Watermark ("ts AS ts - INTERVAL '5' SECOND") are optional.
	PrimaryKey []string `yaml:"primary_key"`
	Watermark  string   `yaml:"watermark"`
	// Options are further connector options; connector, path and format have defaults.
	Options map[string]string `yaml:"options"`
	// DDL is the table's CREATE TABLE statement, instead of all of the above but File.
	DDL string `yaml:"ddl"`
	// Generate describes data of this table for other seeds.
	Generate *Generate `yaml:"generate"`

	// physical are the columns that stand in the file, statement the parsed DDL; set by
	// Parse.
	physical  []Column
	statement *sql.CreateTable
}

// Column is a column of a source file. Type is written as in SQL: "TIMESTAMP(3)".
type Column struct{ Name, Type string }

// Physical lists the columns that stand in the table's file: all but computed and
// metadata columns.
func (t *Table) Physical() []Column { return t.physical }

// Statement is the table's CREATE TABLE as text, with a semicolon.
func (t *Table) Statement() string {
	if t.DDL != "" {
		return strings.TrimRight(strings.TrimSpace(t.DDL), "; \n\t") + ";\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (\n", sql.QuoteName(t.Name))
	items := append([]string{}, t.Columns...)
	if t.Watermark != "" {
		items = append(items, "WATERMARK FOR "+t.Watermark)
	}
	if len(t.PrimaryKey) > 0 {
		key := make([]string, len(t.PrimaryKey))
		for i, k := range t.PrimaryKey {
			key[i] = sql.QuoteName(k)
		}
		items = append(items, "PRIMARY KEY ("+strings.Join(key, ", ")+") NOT ENFORCED")
	}
	b.WriteString("  " + strings.Join(items, ",\n  ") + "\n) WITH (\n")
	options := map[string]string{"connector": "filesystem", "path": t.URL(), "format": "csv"}
	for k, v := range t.Options {
		options[k] = v
	}
	// The usual order: what it is, where it is, how it is written; then the rest.
	var keys []string
	for k := range options {
		if k != "connector" && k != "path" && k != "format" {
			keys = append(keys, k)
		}
	}
	sort.Strings(keys)
	keys = append([]string{"connector", "path", "format"}, keys...)
	for i, k := range keys {
		fmt.Fprintf(&b, "  %s = %s", sql.QuoteText(k), sql.QuoteText(options[k]))
		if i < len(keys)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString(");\n")
	return b.String()
}

// URL is the path of the table in SQL: that of the lab's own machine.
func (t *Table) URL() string {
	if t.Path != "" {
		return "file://" + t.Path
	}
	return "file:///lab/data/" + t.File
}

// resolve parses the table's statement and takes from it what the lab file leaves out.
func (t *Table) resolve() error {
	text := t.Statement()
	st, err := sql.Parse(strings.TrimRight(strings.TrimSpace(text), ";"))
	if err != nil {
		return err
	}
	create, ok := st.(*sql.CreateTable)
	if !ok || len(create.Name.Parts) == 0 {
		return fmt.Errorf("the DDL of a table must be one CREATE TABLE statement")
	}
	t.statement = create
	for _, c := range create.Columns {
		if c.Computed == nil && !c.Metadata {
			t.physical = append(t.physical, Column{c.Name.Text, sql.PrintType(c.Type)})
		}
	}
	if t.DDL == "" {
		return nil
	}
	name := create.Name.Parts[len(create.Name.Parts)-1].Text
	if t.Name == "" {
		t.Name = name
	}
	if t.Name != name {
		return fmt.Errorf("the DDL makes the table %s, not %s", name, t.Name)
	}
	where := t.option("path")
	if t.File == "" {
		t.File = path.Base(where)
	}
	if path.Base(where) != t.File {
		return fmt.Errorf("the option 'path' of the DDL must end in /%s, the table's file", t.File)
	}
	if t.Path == "" {
		t.Path = strings.TrimPrefix(where, "file://")
	}
	return nil
}

// option is an option of the parsed statement, "" without one.
func (t *Table) option(key string) string {
	for _, o := range t.statement.Options {
		if o.Key == key {
			return o.Value
		}
	}
	return ""
}

// HasOption reports whether the table is declared with the option.
func (t *Table) HasOption(key string) bool {
	for _, o := range t.statement.Options {
		if o.Key == key {
			return true
		}
	}
	return false
}
