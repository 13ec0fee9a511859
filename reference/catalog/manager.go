package catalog

import (
	"sort"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/sql"
)

// The names of the catalog and database that every session begins with.
const (
	DefaultCatalog  = "default_catalog"
	DefaultDatabase = "default_database"
)

// The classes of the catalog's errors.
const (
	classTableExists    = "org.apache.flink.table.catalog.exceptions.TableAlreadyExistException"
	classDatabaseExists = "org.apache.flink.table.catalog.exceptions.DatabaseAlreadyExistException"
	classDatabaseEmpty  = "org.apache.flink.table.catalog.exceptions.DatabaseNotEmptyException"
	classCatalog        = "org.apache.flink.table.catalog.exceptions.CatalogException"
	classNoCatalog      = "org.apache.flink.table.catalog.exceptions.CatalogNotExistException"
)

// Manager holds the catalogs of a session and resolves names. Temporary objects live
// outside the databases and hide permanent ones of the same path.
type Manager struct {
	catalogs  map[string]*catalog
	temporary map[Path]*Table
	current   Path // Object is unused
}

type catalog struct {
	databases map[string]*database
	comment   string
	options   []sql.Option
}

type database struct {
	objects map[string]*Table
	comment string
	options []sql.Option
}

func newDatabase() *database { return &database{objects: map[string]*Table{}} }

// NewManager returns a manager with the built-in catalog and database, which are current.
func NewManager() *Manager {
	m := &Manager{catalogs: map[string]*catalog{}, temporary: map[Path]*Table{}}
	m.catalogs[DefaultCatalog] = &catalog{databases: map[string]*database{DefaultDatabase: newDatabase()}}
	m.current = Path{Catalog: DefaultCatalog, Database: DefaultDatabase}
	return m
}

// Quoted is the path in backquotes, as messages about one object print it.
func (p Path) Quoted() string {
	q := func(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }
	return q(p.Catalog) + "." + q(p.Database) + "." + q(p.Object)
}

// CurrentCatalog and CurrentDatabase are what USE has set.
func (m *Manager) CurrentCatalog() string { return m.current.Catalog }

// CurrentDatabase is the database that unqualified names belong to.
func (m *Manager) CurrentDatabase() string { return m.current.Database }

// Resolve makes a path of one to three name parts.
func (m *Manager) Resolve(parts []string, catalogName, databaseName string) Path {
	p := Path{Catalog: catalogName, Database: databaseName}
	switch n := len(parts); {
	case n >= 3:
		p.Catalog, p.Database, p.Object = parts[n-3], parts[n-2], parts[n-1]
	case n == 2:
		p.Database, p.Object = parts[0], parts[1]
	case n == 1:
		p.Object = parts[0]
	}
	return p
}

// Qualify resolves a written name against the current catalog and database.
func (m *Manager) Qualify(n sql.Name) Path {
	parts := make([]string, len(n.Parts))
	for i, id := range n.Parts {
		parts[i] = id.Text
	}
	return m.Resolve(parts, m.current.Catalog, m.current.Database)
}

// Table finds a table or view, or nil. Temporary objects hide permanent ones.
func (m *Manager) Table(p Path) *Table {
	if t := m.temporary[p]; t != nil {
		return t
	}
	return m.Permanent(p)
}

// Permanent finds a permanent table or view, or nil.
func (m *Manager) Permanent(p Path) *Table {
	if d := m.database(p.Catalog, p.Database); d != nil {
		return d.objects[p.Object]
	}
	return nil
}

// Temporary finds a temporary table or view, or nil.
func (m *Manager) Temporary(p Path) *Table { return m.temporary[p] }

func (m *Manager) database(catalogName, databaseName string) *database {
	if c := m.catalogs[catalogName]; c != nil {
		return c.databases[databaseName]
	}
	return nil
}

// HasDatabase tells whether a database exists.
func (m *Manager) HasDatabase(catalogName, databaseName string) bool {
	return m.database(catalogName, databaseName) != nil
}

// HasCatalog tells whether a catalog exists.
func (m *Manager) HasCatalog(name string) bool { return m.catalogs[name] != nil }

// Catalogs lists the catalog names in order.
func (m *Manager) Catalogs() []string {
	var names []string
	for n := range m.catalogs {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Databases lists the database names of a catalog in order.
func (m *Manager) Databases(catalogName string) []string {
	var names []string
	if c := m.catalogs[catalogName]; c != nil {
		for n := range c.databases {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	return names
}

// Objects lists the names of tables and views in a database, temporary ones included, in
// order; nil when there is no such database.
func (m *Manager) Objects(catalogName, databaseName string) []string {
	seen := map[string]bool{}
	if d := m.database(catalogName, databaseName); d != nil {
		for n := range d.objects {
			seen[n] = true
		}
	}
	for p := range m.temporary {
		if p.Catalog == catalogName && p.Database == databaseName {
			seen[p.Object] = true
		}
	}
	if len(seen) == 0 && !m.HasDatabase(catalogName, databaseName) {
		return nil
	}
	names := make([]string, 0, len(seen))
	for n := range seen {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Create adds a table or view. With ifNotExists an existing one of the same path is left alone.
func (m *Manager) Create(t *Table, ifNotExists bool) error {
	if t.Temporary {
		if m.temporary[t.Path] == nil {
			m.temporary[t.Path] = t
			return nil
		}
		if ifNotExists {
			return nil
		}
		return flinkerr.Validation("Temporary table '%s' already exists", t.Path.Quoted())
	}
	c := m.catalogs[t.Path.Catalog]
	if c == nil {
		return flinkerr.Validation("Catalog %s does not exist.", t.Path.Catalog)
	}
	d := c.databases[t.Path.Database]
	if d == nil {
		return noDatabase(t.Path.Catalog, t.Path.Database)
	}
	if d.objects[t.Path.Object] != nil {
		if ifNotExists {
			return nil
		}
		return flinkerr.New(classTableExists, "Table (or view) %s.%s already exists in Catalog %s.", t.Path.Database, t.Path.Object, t.Path.Catalog)
	}
	d.objects[t.Path.Object] = t
	return nil
}

// Drop removes a table (view false) or a view. The words of a refusal are those of
// Flink's CatalogManager.
func (m *Manager) Drop(p Path, view, temporary, ifExists bool) error {
	kind, low := "Table", "table"
	if view {
		kind, low = "View", "view"
	}
	if temporary {
		if t := m.temporary[p]; t != nil && (t.View != nil) == view {
			delete(m.temporary, p)
			return nil
		}
		if ifExists {
			return nil
		}
		return flinkerr.Validation("Temporary table or view with identifier '%s' does not exist.", p.String())
	}
	if t := m.temporary[p]; t != nil && (t.View != nil) == view {
		return flinkerr.Validation("Temporary %s with identifier '%s' exists. Drop it first before removing the permanent %s.", low, p.Quoted(), low)
	}
	if t := m.Permanent(p); t != nil && (t.View != nil) == view {
		delete(m.database(p.Catalog, p.Database).objects, p.Object)
		return nil
	}
	if ifExists {
		return nil
	}
	return flinkerr.Validation("%s with identifier '%s' does not exist.", kind, p.String())
}

// Rename moves a permanent object within its database.
func (m *Manager) Rename(from, to Path) error {
	d := m.database(from.Catalog, from.Database)
	if d.objects[to.Object] != nil {
		return flinkerr.New(classTableExists, "Table (or view) %s.%s already exists in Catalog %s.", to.Database, to.Object, to.Catalog)
	}
	t := *d.objects[from.Object]
	t.Path.Object = to.Object
	delete(d.objects, from.Object)
	d.objects[to.Object] = &t
	return nil
}

// Replace puts a changed definition in an object's place.
func (m *Manager) Replace(t *Table) {
	if t.Temporary {
		m.temporary[t.Path] = t
		return
	}
	m.database(t.Path.Catalog, t.Path.Database).objects[t.Path.Object] = t
}

// UseCatalog makes a catalog current, and its default database with it.
func (m *Manager) UseCatalog(name string) error {
	c := m.catalogs[name]
	if c == nil {
		return flinkerr.New(classCatalog, "A catalog with name [%s] does not exist.", name)
	}
	m.current.Catalog = name
	m.current.Database = DefaultDatabase
	if c.databases[DefaultDatabase] == nil {
		for _, n := range m.Databases(name) {
			m.current.Database = n
			break
		}
	}
	return nil
}

// UseDatabase makes a database current.
func (m *Manager) UseDatabase(catalogName, databaseName string) error {
	if m.catalogs[catalogName] == nil {
		return flinkerr.New(classCatalog, "A catalog with name [%s] does not exist.", catalogName)
	}
	if !m.HasDatabase(catalogName, databaseName) {
		return flinkerr.New(classCatalog, "A database with name [%s] does not exist in the catalog: [%s].", databaseName, catalogName)
	}
	m.current.Catalog, m.current.Database = catalogName, databaseName
	return nil
}

// CreateDatabase adds a database.
func (m *Manager) CreateDatabase(catalogName, name, comment string, options []sql.Option, ifNotExists bool) error {
	c := m.catalogs[catalogName]
	if c == nil {
		return flinkerr.Validation("Catalog %s does not exist", catalogName)
	}
	if c.databases[name] != nil {
		if ifNotExists {
			return nil
		}
		return flinkerr.New(classDatabaseExists, "Database %s already exists in Catalog %s.", name, catalogName)
	}
	d := newDatabase()
	d.comment, d.options = comment, options
	c.databases[name] = d
	return nil
}

// AlterDatabase sets options of a database.
func (m *Manager) AlterDatabase(catalogName, name string, options []sql.Option) error {
	d := m.database(catalogName, name)
	if d == nil {
		return noDatabase(catalogName, name)
	}
	d.options = append(d.options, options...)
	return nil
}

func noDatabase(catalogName, name string) error {
	return flinkerr.New("org.apache.flink.table.catalog.exceptions.DatabaseNotExistException", "Database %s does not exist in Catalog %s.", name, catalogName)
}

// CatalogOptions are the options with which a catalog was made, and its comment.
func (m *Manager) CatalogOptions(name string) ([]sql.Option, string) {
	c := m.catalogs[name]
	if c == nil {
		return nil, ""
	}
	return c.options, c.comment
}

// AlterCatalog replaces what is kept about a catalog; one without objects gets its default database.
func (m *Manager) AlterCatalog(name, defaultDatabase string, options []sql.Option, comment string) {
	if c := m.catalogs[name]; c != nil {
		c.options, c.comment = options, comment
		if len(c.databases) == 1 && c.databases[defaultDatabase] == nil && m.current.Catalog != name {
			c.databases = map[string]*database{defaultDatabase: newDatabase()}
		}
	}
}

// DropDatabase removes a database; one with objects only with cascade.
func (m *Manager) DropDatabase(catalogName, name string, ifExists, cascade bool) error {
	if m.current.Catalog == catalogName && m.current.Database == name {
		return flinkerr.Validation("Cannot drop a database which is currently in use.")
	}
	c := m.catalogs[catalogName]
	if c == nil {
		return flinkerr.Validation("Catalog %s does not exist", catalogName)
	}
	d := c.databases[name]
	if d == nil {
		if ifExists {
			return nil
		}
		return noDatabase(catalogName, name)
	}
	if len(d.objects) > 0 && !cascade {
		return flinkerr.New(classDatabaseEmpty, "Database %s in catalog %s is not empty.", name, catalogName)
	}
	delete(c.databases, name)
	return nil
}

// CreateCatalog adds an in-memory catalog with its default database.
func (m *Manager) CreateCatalog(name, defaultDatabase, comment string, options []sql.Option, ifNotExists bool) error {
	if m.catalogs[name] != nil {
		if ifNotExists {
			return nil
		}
		return flinkerr.New(classCatalog, "Catalog %s already exists.", name)
	}
	m.catalogs[name] = &catalog{databases: map[string]*database{defaultDatabase: newDatabase()}, comment: comment, options: options}
	return nil
}

// DropCatalog removes a catalog that is not current.
func (m *Manager) DropCatalog(name string, ifExists bool) error {
	if m.catalogs[name] == nil {
		if ifExists {
			return nil
		}
		return flinkerr.New(classCatalog, "Catalog %s does not exist.", name)
	}
	if m.current.Catalog == name {
		return flinkerr.New(classCatalog, "Cannot drop a catalog which is currently in use.")
	}
	delete(m.catalogs, name)
	return nil
}
