package client

import (
	"slices"
	"strings"
	"time"

	"github.com/labgrade/labgrade/reference/bind"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

func (s *Session) bindEnv() *bind.Env {
	zone, err := s.settings.TimeZone()
	if err != nil {
		zone = time.UTC // a bad zone is said where a query runs
	}
	return &bind.Env{
		Catalog: s.catalogs, DefaultCatalog: s.catalogs.CurrentCatalog(),
		DefaultDatabase: s.catalogs.CurrentDatabase(), Batch: s.settings.Batch(), Zone: zone,
		NoTableOptions: s.noTableOptions(),
	}
}

// noTableOptions: OPTIONS hints of tables that are read can be forbidden.
func (s *Session) noTableOptions() bool {
	on, err := s.settings.Bool("table.dynamic-table-options.enabled", true)
	return err == nil && !on
}

// ddl runs CREATE, DROP and ALTER.
func (s *Session) ddl(stmt sql.Statement) error {
	switch st := stmt.(type) {
	case *sql.CreateTable:
		return s.createTable(st)
	case *sql.CreateView:
		return s.createView(st)
	case *sql.CreateDatabase:
		return s.createDatabase(st)
	case *sql.CreateCatalog:
		return s.createCatalog(st)
	case *sql.Drop:
		return s.drop(st)
	case *sql.AlterTable:
		return s.alterTable(st)
	case *sql.AlterView:
		return s.alterView(st)
	case *sql.AlterDatabase:
		if len(st.Name.Parts) > 2 {
			return flinkerr.Validation("alter database identifier format error")
		}
		cat, name, err := s.databaseName(st.Name)
		if err != nil {
			return err
		}
		if !s.catalogs.HasCatalog(cat) {
			return flinkerr.Validation("Catalog %s not exists", cat)
		}
		return s.catalogs.AlterDatabase(cat, name, st.Options)
	case *sql.AlterCatalog:
		return s.alterCatalog(st)
	case *sql.AlterFunction:
		return s.alterFunction(st)
	case *sql.CreateFunction:
		return s.createFunction(st)
	}
	return unsupported.New("this statement")
}

func (s *Session) createTable(st *sql.CreateTable) error {
	t, err := s.defineTable(st)
	if err != nil {
		return err
	}
	return s.catalogs.Create(t, st.IfNotExists)
}

// defineTable makes a table of its definition. Flink keeps expressions in their normal form.
func (s *Session) defineTable(st *sql.CreateTable) (*catalog.Table, error) {
	if st.Distribution != "" {
		return nil, unsupported.New("CREATE TABLE ... DISTRIBUTED")
	}
	if st.Like != nil {
		merged, err := s.mergeLike(st)
		if err != nil {
			return nil, err
		}
		st = merged
	}
	t, err := bind.CreateTable(st, s.bindEnv())
	if err != nil {
		return nil, err
	}
	for i, c := range st.Columns {
		if c.Computed != nil {
			t.Columns[i].Text = sql.Normal(c.Computed)
		}
	}
	if st.Watermark != nil {
		t.Watermark.Text = sql.Normal(st.Watermark.X)
	}
	return t, nil
}

func (s *Session) createView(st *sql.CreateView) error {
	v, err := s.defineView(st)
	if err != nil {
		return err
	}
	return s.catalogs.Create(v, st.IfNotExists)
}

// defineView makes a view; the connectors of the tables that it reads are looked for at once.
func (s *Session) defineView(st *sql.CreateView) (*catalog.Table, error) {
	v, err := bind.CreateView(st, s.bindEnv())
	if err != nil {
		return nil, err
	}
	root, err := bind.Query(st.Query, s.bindEnv())
	if err != nil {
		return nil, err
	}
	if err := s.checkTables(root); err != nil && !unsupported.Is(err) {
		return nil, err
	}
	return v, nil
}

func (s *Session) createDatabase(st *sql.CreateDatabase) error {
	cat, name, err := s.databaseName(st.Name)
	if err != nil {
		return err
	}
	return s.catalogs.CreateDatabase(cat, name, text(st.Comment), st.Options, st.IfNotExists)
}

func (s *Session) databaseName(n sql.Name) (cat, name string, err error) {
	switch len(n.Parts) {
	case 1:
		return s.catalogs.CurrentCatalog(), n.Parts[0].Text, nil
	case 2:
		return n.Parts[0].Text, n.Parts[1].Text, nil
	}
	return "", "", flinkerr.Validation("create database identifier format error")
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// createCatalog makes an in-memory catalog, the only type of a plain distribution.
func (s *Session) createCatalog(st *sql.CreateCatalog) error {
	kind, db, unknown := "", "default", []string(nil)
	for _, o := range st.Options {
		switch o.Key {
		case "type":
			kind = o.Value
		case "default-database":
			db = o.Value
		case "property-version":
		default:
			unknown = append(unknown, o.Key)
		}
	}
	switch {
	case s.catalogs.HasCatalog(st.Name.Text):
	case kind == "":
		return flinkerr.Validation("Catalog options do not contain an option key 'type' for discovering a catalog.")
	case kind != "generic_in_memory":
		return flinkerr.Validation("Could not find any factory for identifier '%s' that implements 'org.apache.flink.table.factories.CatalogFactory' in the classpath.\n\nAvailable factory identifiers are:\n\ngeneric_in_memory", kind)
	case len(unknown) > 0:
		slices.Sort(unknown)
		return flinkerr.Validation("Unsupported options found for 'generic_in_memory'.\n\nUnsupported options:\n\n%s\n\nSupported options:\n\ndefault-database\nproperty-version", strings.Join(unknown, "\n"))
	}
	return s.catalogs.CreateCatalog(st.Name.Text, db, text(st.Comment), st.Options, st.IfNotExists)
}

func (s *Session) drop(st *sql.Drop) error {
	switch st.Kind {
	case "TABLE", "VIEW":
		return s.catalogs.Drop(s.catalogs.Qualify(st.Name), st.Kind == "VIEW", st.Temporary, st.IfExists)
	case "DATABASE":
		cat, name, err := s.databaseName(st.Name)
		if err != nil {
			return err
		}
		if !s.catalogs.HasCatalog(cat) {
			return flinkerr.New("org.apache.flink.table.api.CatalogNotExistException", "Catalog %s does not exist.", cat)
		}
		return s.catalogs.DropDatabase(cat, name, st.IfExists, st.Cascade)
	case "CATALOG":
		return s.catalogs.DropCatalog(st.Name.Parts[0].Text, st.IfExists)
	}
	if st.Kind == "FUNCTION" {
		return s.dropFunction(st)
	}
	return unsupported.New("DROP TEMPORARY %s", st.Kind)
}
