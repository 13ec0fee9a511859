package client

import (
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

func (s *Session) describe(r *Result, st *sql.Describe) error {
	last := st.Name.Parts[len(st.Name.Parts)-1].Text
	switch st.Kind {
	case "":
	case "CATALOG":
		return s.describeCatalog(r, last, st.Extended)
	case "DATABASE", "CONNECTION", "TABLE":
		// Flink 2.3 takes the name for a column of a query
		if n := len(st.Name.Parts); n > 1 {
			return flinkerr.Validator("Table '%s' not found", joinParts(st.Name.Parts[:n-1]))
		}
		return flinkerr.Validator("Column '%s' not found in any table", last)
	case "MODEL":
		return flinkerr.Validation("Model with the identifier '%s' doesn't exist.", s.catalogs.Qualify(st.Name).String())
	case "FUNCTION":
		return s.describeFunction(st.Name)
	default:
		return unsupported.New("DESCRIBE %s", st.Kind)
	}
	return s.describeTable(r, st.Name, nil)
}

func joinParts(parts []sql.Ident) string {
	out := ""
	for i, p := range parts {
		if i > 0 {
			out += "."
		}
		out += p.Text
	}
	return out
}

func (s *Session) describeCatalog(r *Result, name string, extended bool) error {
	if !s.catalogs.HasCatalog(name) || name == catalog.DefaultCatalog { // nothing is kept about the built-in one
		return flinkerr.Validation("Cannot obtain metadata information from Catalog %s.", name)
	}
	options, comment := s.catalogs.CatalogOptions(name)
	rows := [][]string{{"name", name}, {"type", "generic_in_memory"}, {"comment", comment}}
	if extended {
		for _, o := range sortedOptions(options) {
			if o.Key != "type" {
				rows = append(rows, []string{"option:" + o.Key, o.Value})
			}
		}
	}
	s.table(r, []string{"info name", "info value"}, rows)
	return nil
}

// describeFunction knows what Flink says of functions that are not there.
func (s *Session) describeFunction(n sql.Name) error {
	name := n.Parts[len(n.Parts)-1].Text
	if len(n.Parts) > 1 {
		return unsupported.New("DESCRIBE FUNCTION of a qualified name")
	}
	if class, ok := s.functions.class(s.catalogs.CurrentCatalog(), s.catalogs.CurrentDatabase(), name); ok {
		return noClass(class)
	}
	if s.isFunction(name) {
		return unsupported.New("DESCRIBE FUNCTION of a built-in function")
	}
	return flinkerr.Validation("Function with the identifier '%s' doesn't exist.", quoteName(name))
}

func (s *Session) showColumns(r *Result, st *sql.Show) error {
	return s.describeTable(r, st.Name, func(names []string) ([]string, error) { return like(names, st) })
}

func (s *Session) describeTable(r *Result, name sql.Name, filter func([]string) ([]string, error)) error {
	path := s.catalogs.Qualify(name)
	t := s.catalogs.Table(path)
	if t == nil {
		return flinkerr.Validation("Tables or views with the identifier '%s' doesn't exist.", path.String())
	}
	keep := map[string]bool{}
	if filter != nil {
		var names []string
		for _, c := range t.Columns {
			names = append(names, c.Name)
		}
		names, err := filter(names)
		if err != nil {
			return err
		}
		for _, n := range names {
			keep[n] = true
		}
	}
	header := []string{"name", "type", "null", "key", "extras", "watermark"}
	comments := false
	for _, c := range t.Columns {
		comments = comments || c.Comment != ""
	}
	if comments {
		header = append(header, "comment")
	}
	rows := [][]string{}
	for i, c := range t.Columns {
		if filter != nil && !keep[c.Name] {
			continue
		}
		row := describeColumn(t, i)
		if comments {
			row = append(row, c.Comment)
		}
		rows = append(rows, row)
	}
	s.table(r, header, rows)
	return nil
}

func describeColumn(t *catalog.Table, i int) []string {
	c := t.Columns[i]
	null := "TRUE"
	if !c.Type.Nullable {
		null = "FALSE"
	}
	key := ""
	for _, k := range t.PrimaryKey {
		if k == c.Name {
			key = "PRI(" + joinNames(t.PrimaryKey) + ")"
		}
	}
	extras := ""
	switch c.Kind {
	case catalog.Computed:
		extras = "AS " + c.Text
	case catalog.Metadata:
		extras = "METADATA"
		if c.MetadataKey != "" && c.MetadataKey != c.Name {
			extras += " FROM '" + c.MetadataKey + "'"
		}
		if c.Virtual {
			extras += " VIRTUAL"
		}
	}
	mark, typ := "", c.Type
	if t.Watermark != nil && t.Watermark.Column == i {
		mark = t.Watermark.Text
		if t.BatchMode {
			typ.Time = 0 // a table made in batch mode has no rowtime
		}
	}
	return []string{c.Name, typeText(typ), null, key, extras, mark}
}

// typeText is a type as DESCRIBE prints it: without NOT NULL, with its time attribute. Catalogs
// know two resolutions of intervals only.
func typeText(t value.Type) string {
	t.Nullable = true
	switch t.Kind {
	case value.KindIntervalDayTime:
		return "INTERVAL SECOND(3)"
	case value.KindIntervalYearMonth:
		return "INTERVAL MONTH"
	}
	return t.String()
}

func joinNames(names []string) string {
	out := ""
	for i, n := range names {
		if i > 0 {
			out += ", "
		}
		out += n
	}
	return out
}
