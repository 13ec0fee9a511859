package client

import (
	"sort"
	"strings"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/sql"
)

func quoteName(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }

func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func quoteNames(names []string) string {
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = quoteName(n)
	}
	return strings.Join(q, ", ")
}

func (s *Session) showCreateTable(r *Result, st *sql.Show) error {
	path := s.catalogs.Qualify(st.Name)
	t := s.catalogs.Table(path)
	if t == nil {
		return flinkerr.Validation("Could not execute SHOW CREATE TABLE. Table with identifier %s does not exist.", path.Quoted())
	}
	if t.View != nil {
		return flinkerr.Table("SHOW CREATE TABLE is only supported for tables, but %s is a view. Please use SHOW CREATE VIEW instead.", path.Quoted())
	}
	s.table(r, []string{"result"}, [][]string{{createTableText(t)}})
	return nil
}

// createTableText is the statement that would make the table, with its options in order of
// their keys.
func createTableText(t *catalog.Table) string {
	var b strings.Builder
	b.WriteString("CREATE ")
	if t.Temporary {
		b.WriteString("TEMPORARY ")
	}
	b.WriteString("TABLE " + t.Path.Quoted() + " (\n")
	var lines []string
	for _, c := range t.Columns {
		lines = append(lines, columnText(c))
	}
	if w := t.Watermark; w != nil {
		lines = append(lines, "WATERMARK FOR "+quoteName(t.Columns[w.Column].Name)+" AS "+w.Text)
	}
	if len(t.PrimaryKey) > 0 {
		lines = append(lines, "CONSTRAINT "+quoteName(t.KeyName)+" PRIMARY KEY ("+quoteNames(t.PrimaryKey)+") NOT ENFORCED")
	}
	b.WriteString("  " + strings.Join(lines, ",\n  ") + "\n)\n")
	if t.HasComment && t.Comment != "" {
		b.WriteString("COMMENT " + quoteText(t.Comment) + "\n")
	}
	if len(t.PartitionedBy) > 0 {
		b.WriteString("PARTITIONED BY (" + quoteNames(t.PartitionedBy) + ")\n")
	}
	if len(t.Options) > 0 {
		b.WriteString(optionText(t.Options))
	}
	return b.String()
}

func columnText(c catalog.Column) string {
	s := quoteName(c.Name) + " "
	switch c.Kind {
	case catalog.Computed:
		s += "AS " + c.Text
	default:
		t := c.Type
		t.Time = 0
		s += t.Serializable()
		if c.Kind == catalog.Metadata {
			s += " METADATA"
			if c.MetadataKey != "" && c.MetadataKey != c.Name {
				s += " FROM " + quoteText(c.MetadataKey)
			}
			if c.Virtual {
				s += " VIRTUAL"
			}
		}
	}
	if c.Comment != "" {
		s += " COMMENT " + quoteText(c.Comment)
	}
	return s
}

func (s *Session) showCreateView(r *Result, st *sql.Show) error {
	path := s.catalogs.Qualify(st.Name)
	t := s.catalogs.Table(path)
	if t == nil {
		return flinkerr.Validation("Could not execute SHOW CREATE VIEW. View with identifier %s does not exist.", path.Quoted())
	}
	if t.View == nil {
		return flinkerr.Table("SHOW CREATE VIEW is only supported for views, but %s is a table. Please use SHOW CREATE TABLE instead.", path.Quoted())
	}
	if t.View.NoText != nil {
		return t.View.NoText
	}
	var b strings.Builder
	b.WriteString("CREATE ")
	if t.Temporary {
		b.WriteString("TEMPORARY ")
	}
	b.WriteString("VIEW " + t.Path.Quoted() + " (\n")
	for i, c := range t.Columns {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString("  " + quoteName(c.Name))
	}
	b.WriteString("\n)\n")
	if t.Comment != "" {
		b.WriteString("COMMENT " + quoteText(t.Comment) + "\n")
	}
	b.WriteString("AS " + t.View.Expanded + "\n")
	s.table(r, []string{"result"}, [][]string{{b.String()}})
	return nil
}

// showPartitions lists the partitions that a catalog knows. The catalogs here are told of
// none: the folders of a table of files are not looked at.
func (s *Session) showPartitions(r *Result, st *sql.Show) error {
	path := s.catalogs.Qualify(st.Name)
	t := s.catalogs.Permanent(path)
	switch {
	case t == nil:
		return flinkerr.New("org.apache.flink.table.catalog.exceptions.TableNotExistException", "Table (or view) %s.%s does not exist in Catalog %s.", path.Database, path.Object, path.Catalog)
	case len(t.PartitionedBy) == 0:
		return flinkerr.New("org.apache.flink.table.catalog.exceptions.TableNotPartitionedException", "Table %s.%s in catalog %s is not partitioned.", path.Database, path.Object, path.Catalog)
	}
	s.table(r, []string{"partition name"}, nil)
	return nil
}

func (s *Session) showCreateCatalog(r *Result, name string) error {
	options, comment := s.catalogs.CatalogOptions(name)
	if !s.catalogs.HasCatalog(name) || name == catalog.DefaultCatalog { // nothing is kept about the built-in one
		return flinkerr.Validation("Cannot obtain metadata information from Catalog %s.", name)
	}
	text := "CREATE CATALOG " + quoteName(name) + "\n"
	if comment != "" {
		text += "COMMENT " + quoteText(comment) + "\n"
	}
	s.table(r, []string{"result"}, [][]string{{text + optionText(options)}})
	return nil
}

func sortedOptions(options []sql.Option) []sql.Option {
	opts := append([]sql.Option(nil), options...)
	sort.SliceStable(opts, func(i, k int) bool { return opts[i].Key < opts[k].Key })
	return opts
}

// optionText is the WITH clause, in order of the keys.
func optionText(options []sql.Option) string {
	opts := sortedOptions(options)
	var b strings.Builder
	b.WriteString("WITH (\n")
	for i, o := range opts {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString("  " + quoteText(o.Key) + " = " + quoteText(o.Value))
	}
	b.WriteString("\n)\n")
	return b.String()
}
