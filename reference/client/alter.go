package client

import (
	"strings"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

// alterTable changes a permanent table. Views and temporary tables count as not existing.
func (s *Session) alterTable(st *sql.AlterTable) error {
	path := s.catalogs.Qualify(st.Name)
	t := s.catalogs.Permanent(path)
	if t == nil || s.catalogs.Temporary(path) != nil {
		if st.IfExists && t == nil && s.catalogs.Temporary(path) == nil {
			return nil
		}
		return flinkerr.Validation("Table %s doesn't exist or is a temporary table.", path.Quoted())
	}
	if t.View != nil {
		return flinkerr.Validation("ALTER TABLE for a view is not allowed")
	}
	switch st.Action {
	case "RENAME":
		to := s.catalogs.Qualify(st.NewName)
		if to.Catalog != path.Catalog {
			return unsupported.New("renaming a table into another catalog")
		}
		to.Database = path.Database // a table stays in its database
		return s.catalogs.Rename(path, to)
	case "ADD PARTITION":
		if len(t.PartitionedBy) == 0 {
			return flinkerr.New("org.apache.flink.table.catalog.exceptions.TableNotPartitionedException", "Table %s.%s in catalog %s is not partitioned.", path.Database, path.Object, path.Catalog)
		}
		return unsupported.New("ALTER TABLE ... ADD PARTITION")
	case "DROP PARTITION": // no partition can be added, so there is none
		var spec []string
		for _, o := range st.Options {
			spec = append(spec, o.Key+"="+o.Value)
		}
		return flinkerr.New("org.apache.flink.table.catalog.exceptions.PartitionNotExistException", "Partition CatalogPartitionSpec{{%s}} of table %s.%s in catalog %s does not exist.", strings.Join(spec, ", "), path.Database, path.Object, path.Catalog)
	case "SET":
		return s.setOptions(t, st.Options)
	case "RESET":
		return s.resetOptions(t, st.Keys)
	}
	return s.alterSchema(t, st)
}

func (s *Session) setOptions(t *catalog.Table, options []sql.Option) error {
	c := *t
	c.Options = append([]sql.Option(nil), t.Options...)
	for _, o := range options {
		c.Options = setOption(c.Options, o)
	}
	s.catalogs.Replace(&c)
	return nil
}

func (s *Session) resetOptions(t *catalog.Table, keys []string) error {
	if len(keys) == 0 {
		return flinkerr.Validation("ALTER TABLE RESET does not support empty key")
	}
	if contains(keys, "connector") {
		return flinkerr.Validation("ALTER TABLE RESET does not support changing 'connector'")
	}
	c := *t
	c.Options = nil
	for _, o := range t.Options {
		if !contains(keys, o.Key) {
			c.Options = append(c.Options, o)
		}
	}
	s.catalogs.Replace(&c)
	return nil
}

func setOption(opts []sql.Option, o sql.Option) []sql.Option {
	for i := range opts {
		if opts[i].Key == o.Key {
			opts[i] = o
			return opts
		}
	}
	return append(opts, o)
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// alterFailed words the refusals of a change of schema.
func alterFailed(format string, a ...any) error {
	return flinkerr.Validation("Failed to execute ALTER TABLE statement.\n"+format, a...)
}

// alterSchema changes columns, key or watermark: the table's own CREATE statement is changed
// and run again, so that every check is made anew.
func (s *Session) alterSchema(t *catalog.Table, st *sql.AlterTable) error {
	parsed, err := sql.Parse(createTableText(t))
	if err != nil {
		return unsupported.New("changing a table whose definition cannot be written as SQL")
	}
	def := parsed.(*sql.CreateTable)
	a := &alteration{table: t, def: def}
	switch st.Action {
	case "ADD":
		err = a.add(st)
	case "MODIFY":
		err = a.modify(st)
	case "DROP":
		err = a.drop(st.Drops)
	case "RENAME COLUMN":
		err = a.rename(st.From.Text, st.To.Text)
	default:
		return unsupported.New("ALTER TABLE ... %s", st.Action)
	}
	if err != nil {
		return err
	}
	n, err := s.defineTable(def)
	if f, ok := err.(*flinkerr.Error); ok && f.Class == flinkerr.ClassValidator {
		return err
	}
	if err != nil {
		return unsupported.New("a change of schema that Flink refuses: %v", err)
	}
	n.Path, n.Options, n.BatchMode = t.Path, t.Options, t.BatchMode
	s.catalogs.Replace(n)
	return nil
}

type alteration struct {
	table *catalog.Table
	def   *sql.CreateTable
}

func (a *alteration) index(name string) int {
	for i, c := range a.def.Columns {
		if c.Name.Text == name {
			return i
		}
	}
	return -1
}

func (a *alteration) insert(i int, c sql.ColumnDef) {
	cols := append([]sql.ColumnDef(nil), a.def.Columns[:i]...)
	cols = append(cols, c)
	a.def.Columns = append(cols, a.def.Columns[i:]...)
}

// place finds where a column goes: first, behind another one, or at.
func (a *alteration) place(c sql.ColumnDef, at int) (int, error) {
	switch {
	case c.First:
		return 0, nil
	case c.After != nil:
		i := a.index(c.After.Text)
		if i < 0 {
			return 0, alterFailed("Referenced column `%s` by 'AFTER' does not exist in the table.", c.After.Text)
		}
		return i + 1, nil
	}
	return at, nil
}

func (a *alteration) add(st *sql.AlterTable) error {
	for i, c := range st.Columns {
		for _, before := range st.Columns[:i] {
			if before.Name.Text == c.Name.Text {
				return alterFailed("Encounter duplicate column `%s`.", c.Name.Text)
			}
		}
		if a.index(c.Name.Text) >= 0 {
			return alterFailed("Column `%s` already exists in the table.", c.Name.Text)
		}
		i, err := a.place(c, len(a.def.Columns))
		if err != nil {
			return err
		}
		a.insert(i, c)
	}
	for _, k := range st.Constraints {
		if len(a.table.PrimaryKey) > 0 {
			return alterFailed("The current table has already defined the primary key constraint [`%s`]. You might want to drop it before adding a new one.", strings.Join(a.table.PrimaryKey, "`, `"))
		}
		a.def.Constraints = append(a.def.Constraints, k)
	}
	if w := st.Watermark; w != nil {
		if have := a.table.Watermark; have != nil {
			return alterFailed("The current table has already defined the watermark strategy `%s` AS %s. You might want to drop it before adding a new one.", a.table.Columns[have.Column].Name, have.Text)
		}
		a.def.Watermark, a.def.Watermarks = w, 1
	}
	return nil
}

func (a *alteration) modify(st *sql.AlterTable) error {
	for _, c := range st.Columns {
		i := a.index(c.Name.Text)
		if i < 0 {
			return alterFailed("Column `%s` does not exist in the table.", c.Name.Text)
		}
		old := a.def.Columns[i]
		if c.Comment == nil {
			c.Comment = old.Comment
		}
		a.def.Columns = append(append([]sql.ColumnDef(nil), a.def.Columns[:i]...), a.def.Columns[i+1:]...)
		at, err := a.place(c, i)
		if err != nil {
			return err
		}
		a.insert(at, c)
	}
	for _, k := range st.Constraints {
		if len(a.table.PrimaryKey) == 0 {
			return alterFailed("The current table does not define any primary key constraint. You might want to add a new one.")
		}
		a.def.Constraints = []sql.Constraint{k}
	}
	if st.Watermark != nil {
		if a.table.Watermark == nil {
			return alterFailed("The current table does not define any watermark. You might want to add a new one.")
		}
		a.def.Watermark = st.Watermark
	}
	return nil
}

func (a *alteration) drop(names []string) error {
	for _, n := range names {
		switch {
		case n == "PRIMARY KEY" || strings.HasPrefix(n, "CONSTRAINT "):
			if len(a.table.PrimaryKey) == 0 {
				return alterFailed("The current table does not define any primary key.")
			}
			if c, ok := strings.CutPrefix(n, "CONSTRAINT "); ok && c != a.table.KeyName {
				return alterFailed("The current table does not define a primary key constraint named '%s'. Available constraint name: ['%s'].", c, a.table.KeyName)
			}
			a.def.Constraints = nil
		case n == "WATERMARK":
			if a.table.Watermark == nil {
				return alterFailed("The current table does not define any watermark strategy.")
			}
			a.def.Watermark, a.def.Watermarks = nil, 0
		default:
			if err := a.unused(n, true); err != nil {
				return err
			}
			i := a.index(n)
			a.def.Columns = append(append([]sql.ColumnDef(nil), a.def.Columns[:i]...), a.def.Columns[i+1:]...)
		}
	}
	return nil
}

// unused checks that nothing refers to a column.
func (a *alteration) unused(name string, key bool) error {
	if key && contains(a.table.PrimaryKey, name) && a.index(name) >= 0 && len(a.users(name)) == 0 {
		return alterFailed("The column `%s` is used as the primary key.", name)
	}
	if a.index(name) < 0 {
		return alterFailed("The column `%s` does not exist in the base table.", name)
	}
	if users := a.users(name); len(users) > 0 {
		return alterFailed("The column `%s` is referenced by computed column `%s`.", name, strings.Join(users, "`, `"))
	}
	if contains(a.table.PartitionedBy, name) {
		return alterFailed("The column `%s` is used as the partition keys.", name)
	}
	if w := a.def.Watermark; w != nil && (len(w.Column.Parts) == 1 && w.Column.Parts[0].Text == name || sql.Mentions(w.X, name)) {
		return alterFailed("The column `%s` is referenced by watermark expression.", name)
	}
	return nil
}

// users are the computed columns whose expressions name a column.
func (a *alteration) users(name string) []string {
	var out []string
	for _, c := range a.def.Columns {
		if c.Computed != nil && sql.Mentions(c.Computed, name) {
			out = append(out, c.Name.Text)
		}
	}
	return out
}

func (a *alteration) rename(from, to string) error {
	if err := a.unused(from, false); err != nil {
		return err
	}
	if a.index(to) >= 0 {
		return alterFailed("The column `%s` already existed in table schema.", to)
	}
	a.def.Columns[a.index(from)].Name.Text = to
	for i, k := range a.def.Constraints {
		for j, c := range k.Columns {
			if c.Text == from {
				a.def.Constraints[i].Columns[j].Text = to
			}
		}
	}
	return nil
}

func (s *Session) alterView(st *sql.AlterView) error {
	path := s.catalogs.Qualify(st.Name)
	t := s.catalogs.Permanent(path)
	if t == nil || t.View == nil || s.catalogs.Temporary(path) != nil {
		return flinkerr.Validation("View %s doesn't exist or is a temporary view.", path.Quoted())
	}
	if st.NewName != nil {
		return s.catalogs.Rename(path, s.catalogs.Qualify(*st.NewName))
	}
	v, err := s.defineView(&sql.CreateView{Name: st.Name, Query: st.Query, QueryText: st.QueryText})
	if err != nil {
		return err
	}
	v.Path, v.Temporary = t.Path, t.Temporary
	s.catalogs.Replace(v)
	return nil
}
