package client

import (
	"fmt"
	"strings"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

// merging is what LIKE does with each kind of feature: INCLUDING, EXCLUDING or OVERWRITING.
type merging map[string]string

func newMerging(options []string) merging {
	m := merging{"OPTIONS": "OVERWRITING", "WATERMARKS": "INCLUDING", "GENERATED": "INCLUDING", "METADATA": "INCLUDING",
		"CONSTRAINTS": "INCLUDING", "DISTRIBUTION": "INCLUDING", "PARTITIONS": "INCLUDING"}
	for _, o := range options {
		if how, ok := strings.CutSuffix(o, " ALL"); ok {
			for k := range m {
				m[k] = how
			}
			break
		}
	}
	for _, o := range options {
		if how, what, _ := strings.Cut(o, " "); what != "ALL" {
			m[what] = how
		}
	}
	return m
}

// mergeLike makes a definition without LIKE: that of the base table with what the statement
// adds to it.
func (s *Session) mergeLike(st *sql.CreateTable) (*sql.CreateTable, error) {
	path := s.catalogs.Qualify(st.Like.Name)
	base := s.catalogs.Table(path)
	if base == nil {
		return nil, flinkerr.Validation("Source table '%s' of the LIKE clause not found in the catalog, at %s", path.Quoted(), places(st.Like.Name.At()))
	}
	if base.View != nil {
		return nil, flinkerr.Validation("Source table '%s' of the LIKE clause can not be a VIEW, at %s", path.Quoted(), places(st.Like.Name.At()))
	}
	parsed, err := sql.Parse(createTableText(base))
	if err != nil {
		return nil, unsupported.New("LIKE of a table whose definition cannot be written as SQL")
	}
	from := parsed.(*sql.CreateTable)
	m := newMerging(st.Like.Options)
	out := *st
	out.Like = nil
	if out.Columns, err = mergeColumns(m, from.Columns, st.Columns); err != nil {
		return nil, err
	}
	if err := mergeRest(m, &out, from, base); err != nil {
		return nil, err
	}
	return &out, nil
}

// places is how Calcite writes where a name stands.
func places(s sql.Span) string {
	return fmt.Sprintf("line %d, column %d", s.Start.Line, s.Start.Col)
}

func mergeColumns(m merging, base, own []sql.ColumnDef) ([]sql.ColumnDef, error) {
	var out []sql.ColumnDef
	at := map[string]int{}
	for _, c := range base {
		if c.Computed != nil && m["GENERATED"] == "EXCLUDING" || c.Metadata && m["METADATA"] == "EXCLUDING" {
			continue
		}
		at[c.Name.Text] = len(out)
		out = append(out, c)
	}
	for _, c := range own {
		i, exists := at[c.Name.Text]
		name := c.Name.Text
		switch {
		case !exists:
			at[name] = len(out)
			out = append(out, c)
		case c.Computed == nil && !c.Metadata:
			return nil, flinkerr.Validation("A column named '%s' already exists in the base table.", name)
		case c.Computed != nil && out[i].Computed == nil && !out[i].Metadata:
			return nil, flinkerr.Validation("A column named '%s' already exists in the table. Duplicate columns exist in the compute column and regular column. ", name)
		case c.Computed != nil && out[i].Computed == nil:
			return nil, flinkerr.Validation("A column named '%s' already exists in the base table. Computed columns can only overwrite other computed columns.", name)
		case c.Computed != nil && m["GENERATED"] != "OVERWRITING":
			return nil, flinkerr.Validation("A generated column named '%s' already exists in the base table. You might want to specify EXCLUDING GENERATED or OVERWRITING GENERATED.", name)
		case c.Metadata && out[i].Computed == nil && !out[i].Metadata:
			return nil, flinkerr.Validation("A column named '%s' already exists in the table. Duplicate columns exist in the metadata column and regular column. ", name)
		case c.Metadata && !out[i].Metadata:
			return nil, flinkerr.Validation("A column named '%s' already exists in the base table. Metadata columns can only overwrite other metadata columns.", name)
		case c.Metadata && m["METADATA"] != "OVERWRITING":
			return nil, flinkerr.Validation("A metadata column named '%s' already exists in the base table. You might want to specify EXCLUDING METADATA or OVERWRITING METADATA.", name)
		default:
			out[i] = c
		}
	}
	return out, nil
}

func mergeRest(m merging, out, from *sql.CreateTable, base *catalog.Table) error {
	if m["CONSTRAINTS"] == "INCLUDING" && len(from.Constraints) > 0 {
		if len(out.Constraints) > 0 {
			return flinkerr.Validation("The base table already has a primary key. You might want to specify EXCLUDING CONSTRAINTS.")
		}
		out.Constraints = from.Constraints
	}
	if w := from.Watermark; w != nil && m["WATERMARKS"] != "EXCLUDING" {
		switch {
		case out.Watermark == nil:
			out.Watermark, out.Watermarks = w, 1
		case m["WATERMARKS"] != "OVERWRITING" && out.Watermark.Column.Parts[0].Text == w.Column.Parts[0].Text:
			return flinkerr.Validation("There already exists a watermark spec for column '%s' in the base table. You might want to specify EXCLUDING WATERMARKS or OVERWRITING WATERMARKS.", w.Column.Parts[0].Text)
		}
	}
	if len(from.PartitionedBy) > 0 { // kept even with EXCLUDING PARTITIONS, unless there are own ones
		if len(out.PartitionedBy) > 0 && m["PARTITIONS"] != "EXCLUDING" {
			return flinkerr.Validation("The base table already has partitions defined. You might want to specify EXCLUDING PARTITIONS.")
		}
		if len(out.PartitionedBy) == 0 {
			out.PartitionedBy = from.PartitionedBy
		}
	}
	var opts []sql.Option
	if m["OPTIONS"] != "EXCLUDING" {
		opts = append(opts, base.Options...)
	}
	for _, o := range out.Options {
		if v, ok := base.Option(o.Key); ok && m["OPTIONS"] == "INCLUDING" {
			return flinkerr.Validation("There already exists an option ['%s' -> '%s']  in the base table. You might want to specify EXCLUDING OPTIONS or OVERWRITING OPTIONS.", o.Key, v)
		}
		opts = setOption(opts, o)
	}
	out.Options = opts
	return nil
}
