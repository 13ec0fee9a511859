package bind

import (
	"sort"

	"github.com/labgrade/labgrade/reference/catalog"
)

// memory is a catalog for tests.
type memory struct {
	tables map[catalog.Path]*catalog.Table
}

func newMemory() *memory { return &memory{tables: map[catalog.Path]*catalog.Table{}} }

func (m *memory) Resolve(parts []string, cat, db string) catalog.Path {
	switch len(parts) {
	case 1:
		return catalog.Path{Catalog: cat, Database: db, Object: parts[0]}
	case 2:
		return catalog.Path{Catalog: cat, Database: parts[0], Object: parts[1]}
	}
	return catalog.Path{Catalog: parts[0], Database: parts[1], Object: parts[len(parts)-1]}
}

func (m *memory) Table(p catalog.Path) *catalog.Table { return m.tables[p] }

func (m *memory) Objects(cat, db string) []string {
	var out []string
	if cat == "default_catalog" && db == "default_database" {
		out = []string{}
	}
	for p := range m.tables {
		if p.Catalog == cat && p.Database == db {
			out = append(out, p.Object)
		}
	}
	sort.Strings(out)
	return out
}

func (m *memory) Catalogs() []string { return []string{"default_catalog"} }

func (m *memory) Databases(string) []string { return []string{"default_database"} }
