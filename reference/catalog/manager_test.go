package catalog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// step is one change of the catalogs with the error that Flink gives, "" for none.
type step struct {
	name string
	do   func(m *Manager) error
	err  string
}

func table(m *Manager, temporary, view bool, parts ...string) *Table {
	t := &Table{Path: m.Resolve(parts, m.CurrentCatalog(), m.CurrentDatabase()), Temporary: temporary}
	if view {
		t.View = &View{}
	}
	return t
}

func create(temporary, view, ifNotExists bool, parts ...string) func(*Manager) error {
	return func(m *Manager) error { return m.Create(table(m, temporary, view, parts...), ifNotExists) }
}

func drop(view, temporary, ifExists bool, parts ...string) func(*Manager) error {
	return func(m *Manager) error {
		return m.Drop(m.Resolve(parts, m.CurrentCatalog(), m.CurrentDatabase()), view, temporary, ifExists)
	}
}

func TestManager(t *testing.T) {
	steps := []step{
		{"a table", create(false, false, false, "t"), ""},
		{"the same again", create(false, false, false, "t"), "Table (or view) default_database.t already exists in Catalog default_catalog."},
		{"the same if not there", create(false, false, true, "t"), ""},
		{"a view of that name", create(false, true, false, "t"), "Table (or view) default_database.t already exists"},
		{"no such database", create(false, false, false, "nope", "t"), "Database nope does not exist in Catalog default_catalog."},
		{"no such catalog", create(false, false, false, "c", "d", "t"), "Catalog c does not exist."},
		{"a temporary table over it", create(true, false, false, "t"), ""},
		{"the same temporary table", create(true, false, false, "t"), "Temporary table '`default_catalog`.`default_database`.`t`' already exists"},
		{"drop below the temporary one", drop(false, false, false, "t"), "Temporary table with identifier '`default_catalog`.`default_database`.`t`' exists. Drop it first"},
		{"drop the temporary one", drop(false, true, false, "t"), ""},
		{"drop it again", drop(false, true, false, "t"), "Temporary table or view with identifier 'default_catalog.default_database.t' does not exist."},
		{"drop the table as a view", drop(true, false, false, "t"), "View with identifier 'default_catalog.default_database.t' does not exist."},
		{"drop the table", drop(false, false, false, "t"), ""},
		{"drop what is not there", drop(false, false, false, "t"), "Table with identifier 'default_catalog.default_database.t' does not exist."},
		{"drop what is not there, if there", drop(false, false, true, "t"), ""},
		{"a database", func(m *Manager) error { return m.CreateDatabase(DefaultCatalog, "d", "", nil, false) }, ""},
		{"the same database", func(m *Manager) error { return m.CreateDatabase(DefaultCatalog, "d", "", nil, false) }, "Database d already exists in Catalog default_catalog."},
		{"use it", func(m *Manager) error { return m.UseDatabase(DefaultCatalog, "d") }, ""},
		{"use another", func(m *Manager) error { return m.UseDatabase(DefaultCatalog, "e") }, "A database with name [e] does not exist in the catalog: [default_catalog]."},
		{"a view in it", create(false, true, false, "v"), ""},
		{"drop the current database", func(m *Manager) error { return m.DropDatabase(DefaultCatalog, "d", false, true) }, "Cannot drop a database which is currently in use."},
		{"use the first", func(m *Manager) error { return m.UseDatabase(DefaultCatalog, DefaultDatabase) }, ""},
		{"drop one with objects", func(m *Manager) error { return m.DropDatabase(DefaultCatalog, "d", false, false) }, "Database d in catalog default_catalog is not empty."},
		{"drop it with them", func(m *Manager) error { return m.DropDatabase(DefaultCatalog, "d", false, true) }, ""},
		{"a catalog", func(m *Manager) error { return m.CreateCatalog("c", "first", "", nil, false) }, ""},
		{"use the catalog", func(m *Manager) error { return m.UseCatalog("c") }, ""},
		{"drop the current catalog", func(m *Manager) error { return m.DropCatalog("c", false) }, "Cannot drop a catalog which is currently in use."},
		{"use none", func(m *Manager) error { return m.UseCatalog("x") }, "A catalog with name [x] does not exist."},
	}
	m := NewManager()
	for _, s := range steps {
		err := s.do(m)
		if (err == nil) != (s.err == "") || err != nil && !strings.Contains(err.Error(), s.err) {
			t.Fatalf("%s: %v, want %q", s.name, err, s.err)
		}
	}
	if m.CurrentCatalog() != "c" || m.CurrentDatabase() != "first" {
		t.Errorf("current %s.%s", m.CurrentCatalog(), m.CurrentDatabase())
	}
	if d := cmp.Diff([]string{"c", DefaultCatalog}, m.Catalogs()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{DefaultDatabase}, m.Databases(DefaultCatalog)); d != "" {
		t.Error(d)
	}
}

// TestHidden: a temporary object hides a permanent one; listings have the name once.
func TestHidden(t *testing.T) {
	m := NewManager()
	for _, tt := range []*Table{table(m, false, false, "b"), table(m, false, false, "a"), table(m, true, true, "b")} {
		if err := m.Create(tt, false); err != nil {
			t.Fatal(err)
		}
	}
	p := m.Resolve([]string{"b"}, m.CurrentCatalog(), m.CurrentDatabase())
	if m.Table(p).View == nil || m.Permanent(p).View != nil {
		t.Error("the temporary view does not hide the table")
	}
	if d := cmp.Diff([]string{"a", "b"}, m.Objects(DefaultCatalog, DefaultDatabase)); d != "" {
		t.Error(d)
	}
	if m.Objects(DefaultCatalog, "nope") != nil {
		t.Error("a database that is not there has objects")
	}
	to := p
	to.Object = "c"
	if err := m.Rename(p, to); err != nil || m.Permanent(to) == nil || m.Permanent(p) != nil {
		t.Error("rename", err)
	}
}
