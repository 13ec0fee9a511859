package client

import (
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

// other answers statements outside the engine's scope where Flink refuses them: for what is
// missing, or for what streaming mode does not have.
func (s *Session) other(r *Result, st *sql.Other) error {
	name := ""
	if n := len(st.Object.Parts); n > 0 {
		name = st.Object.Parts[n-1].Text
	}
	switch st.Name {
	case "LOAD MODULE":
		switch {
		case name == "core" && len(s.modules) > 0:
			return flinkerr.Validation("A module with name 'core' already exists")
		case name != "core":
			return flinkerr.Validation("Could not find any factory for identifier '%s' that implements 'org.apache.flink.table.factories.ModuleFactory' in the classpath.\n\nAvailable factory identifiers are:\n\ncore", name)
		}
	case "UNLOAD MODULE":
		if name != "core" {
			return flinkerr.Validation("No module with name '%s' exists", name)
		}
	case "ADD JAR", "REMOVE JAR":
		if !s.fileExists(name) {
			return flinkerr.New("java.io.FileNotFoundException", "jar or artifact resource [%s] not found.", name)
		}
	case "CREATE CONNECTION":
		return flinkerr.Table("Unsupported query: %s", r.Text)
	case "EXECUTE PLAN":
		if !s.fileExists(name) {
			return flinkerr.New("java.io.FileNotFoundException", "file resource [%s] not found.", name)
		}
	case "ANALYZE":
		p := s.catalogs.Qualify(st.Object)
		if s.catalogs.Permanent(p) == nil || s.catalogs.Temporary(p) != nil {
			return flinkerr.Validation("Table %s doesn't exist or is a temporary table.", p.Quoted())
		}
		if !s.settings.Batch() {
			return flinkerr.Table("ANALYZE TABLE is not supported for streaming mode now")
		}
	}
	return unsupported.New("%s", st.Name)
}

func (s *Session) fileExists(path string) bool {
	f, err := s.opt.Files.Open(path)
	if err != nil {
		return false
	}
	_ = f.Close() // it was only looked for
	return true
}

func defaultDatabase(options []sql.Option) string {
	for _, o := range options {
		if o.Key == "default-database" {
			return o.Value
		}
	}
	return "default"
}

// alterCatalog changes what is kept about a catalog.
func (s *Session) alterCatalog(st *sql.AlterCatalog) error {
	name := st.Name.Text
	options, comment := s.catalogs.CatalogOptions(name)
	if !s.catalogs.HasCatalog(name) || len(options) == 0 {
		return flinkerr.New("org.apache.flink.table.catalog.exceptions.CatalogException", "Catalog %s does not exist in the catalog store.", name)
	}
	switch st.Action {
	case "SET":
		options = append([]sql.Option(nil), options...)
		for _, o := range st.Options {
			if o.Key == "type" {
				return unsupported.New("ALTER CATALOG of the type")
			}
			options = setOption(options, o)
		}
	case "RESET":
		var kept []sql.Option
		for _, o := range options {
			if !contains(st.Keys, o.Key) {
				kept = append(kept, o)
			}
		}
		if len(st.Keys) == 0 || contains(st.Keys, "type") {
			return unsupported.New("ALTER CATALOG RESET of the type or of nothing")
		}
		options = kept
	case "COMMENT":
		comment = st.Comment
	}
	if st.Action != "COMMENT" { // the catalog is made anew, empty, with its default database
		if dbs := s.catalogs.Databases(name); len(dbs) != 1 || len(s.catalogs.Objects(name, dbs[0])) > 0 || s.catalogs.CurrentCatalog() == name {
			return unsupported.New("ALTER CATALOG of a catalog that is in use")
		}
	}
	s.catalogs.AlterCatalog(name, defaultDatabase(options), options, comment)
	return nil
}
