package client

import (
	"github.com/labgrade/labgrade/reference/bind"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

func (s *Session) bindEnv() *bind.Env {
	return &bind.Env{
		Catalog: s.catalogs, DefaultCatalog: s.catalogs.CurrentCatalog(),
		DefaultDatabase: s.catalogs.CurrentDatabase(), Batch: s.settings.Batch(),
	}
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
	}
	return unsupported.New("this statement")
}

func (s *Session) createTable(st *sql.CreateTable) error {
	t, err := bind.CreateTable(st, s.bindEnv())
	if err != nil {
		return err
	}
	// Flink keeps expressions in their normal form
	for i, c := range st.Columns {
		if c.Computed != nil {
			t.Columns[i].Text = sql.PrintExpr(c.Computed)
		}
	}
	if st.Watermark != nil {
		t.Watermark.Text = sql.PrintExpr(st.Watermark.X)
	}
	return s.catalogs.Create(t, st.IfNotExists)
}

func (s *Session) createView(st *sql.CreateView) error {
	v, err := bind.CreateView(st, s.bindEnv())
	if err != nil {
		return err
	}
	return s.catalogs.Create(v, st.IfNotExists)
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

// createCatalog makes an in-memory catalog; other types need systems outside.
func (s *Session) createCatalog(st *sql.CreateCatalog) error {
	kind, db := "", "default"
	for _, o := range st.Options {
		switch o.Key {
		case "type":
			kind = o.Value
		case "default-database":
			db = o.Value
		}
	}
	if kind != "generic_in_memory" {
		return unsupported.New("a catalog of type %q", kind)
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
		return s.catalogs.DropDatabase(cat, name, st.IfExists, st.Cascade)
	case "CATALOG":
		return s.catalogs.DropCatalog(st.Name.Parts[0].Text, st.IfExists)
	}
	if st.IfExists {
		return nil
	}
	return unsupported.New("DROP %s", st.Kind)
}

func (s *Session) alterTable(st *sql.AlterTable) error {
	path := s.catalogs.Qualify(st.Name)
	t := s.catalogs.Permanent(path)
	if tmp := s.catalogs.Temporary(path); tmp != nil {
		return unsupported.New("ALTER TABLE of a temporary table")
	}
	if t == nil {
		if st.IfExists {
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
		if to.Catalog != path.Catalog || to.Database != path.Database {
			return unsupported.New("renaming a table into another database")
		}
		return s.catalogs.Rename(path, to)
	case "SET":
		c := *t
		c.Options = append([]sql.Option(nil), t.Options...)
		for _, o := range st.Options {
			c.Options = setOption(c.Options, o)
		}
		s.catalogs.Replace(&c)
		return nil
	case "RESET":
		c := *t
		c.Options = nil
		for _, o := range t.Options {
			if !contains(st.Keys, o.Key) {
				c.Options = append(c.Options, o)
			}
		}
		if contains(st.Keys, "connector") {
			return flinkerr.Validation("ALTER TABLE RESET does not support changing 'connector'")
		}
		s.catalogs.Replace(&c)
		return nil
	}
	return unsupported.New("ALTER TABLE ... %s", st.Action)
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

func (s *Session) alterView(st *sql.AlterView) error {
	path := s.catalogs.Qualify(st.Name)
	t := s.catalogs.Table(path)
	if t == nil || t.View == nil {
		return flinkerr.Validation("View %s does not exist or is a temporary view.", path.Quoted())
	}
	if st.NewName != nil {
		return s.catalogs.Rename(path, s.catalogs.Qualify(*st.NewName))
	}
	v, err := bind.CreateView(&sql.CreateView{Name: st.Name, Query: st.Query, QueryText: st.QueryText}, s.bindEnv())
	if err != nil {
		return err
	}
	v.Path, v.Temporary = t.Path, t.Temporary
	s.catalogs.Replace(v)
	return nil
}
