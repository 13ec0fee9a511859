package client

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

// userFunctions are the functions that CREATE FUNCTION has named. Their classes are not here, as
// they are not in a plain distribution: Flink looks for the class of a permanent function when
// it is called, and for that of a temporary one at once.
type userFunctions struct {
	permanent map[string]string // catalog.database.name -> class
	system    map[string]string // name -> class
}

func newUserFunctions() userFunctions {
	return userFunctions{permanent: map[string]string{}, system: map[string]string{}}
}

func (u userFunctions) names(cat, db string) []string {
	var out []string
	for path := range u.permanent {
		if name, ok := strings.CutPrefix(path, cat+"."+db+"."); ok {
			out = append(out, name)
		}
	}
	for name := range u.system {
		out = append(out, name)
	}
	return out
}

// class finds what a call names: a system function, or one of the current database.
func (u userFunctions) class(cat, db, name string) (string, bool) {
	name = strings.ToLower(name)
	if c, ok := u.system[name]; ok {
		return c, true
	}
	c, ok := u.permanent[cat+"."+db+"."+name]
	return c, ok
}

func noClass(class string) error {
	if strings.HasPrefix(class, "org.apache.flink.") || strings.HasPrefix(class, "java.") {
		return unsupported.New("the class %s as a function", class)
	}
	return flinkerr.New("java.lang.ClassNotFoundException", "%s", class)
}

func (s *Session) createFunction(st *sql.CreateFunction) error {
	p := s.catalogs.Qualify(st.Name)
	name := strings.ToLower(p.Object)
	java := st.Language == "" || st.Language == "JAVA"
	key := p.Catalog + "." + p.Database + "." + name
	_, system := s.functions.system[name]
	_, exists := s.functions.permanent[key]
	switch {
	case st.System && len(st.Name.Parts) > 1, st.Using && st.Temporary:
		return unsupported.New("this form of CREATE FUNCTION")
	case st.System && system && st.IfNotExists:
		return nil
	case st.System && system:
		return flinkerr.Validation("Could not register temporary system function. A function named '%s' does already exist.", name)
	case st.Temporary && java:
		return noClass(st.Class)
	case st.System:
		s.functions.system[name] = st.Class
	case st.Temporary:
		return unsupported.New("temporary functions")
	case !s.catalogs.HasDatabase(p.Catalog, p.Database):
		return flinkerr.New("org.apache.flink.table.catalog.exceptions.DatabaseNotExistException", "Database %s does not exist in Catalog %s.", p.Database, p.Catalog)
	case exists && !st.IfNotExists:
		return flinkerr.New("org.apache.flink.table.catalog.exceptions.FunctionAlreadyExistException", "Function %s.%s already exists in Catalog %s.", p.Database, name, p.Catalog)
	case !exists && st.Using:
		s.functions.permanent[key] = "java.of.a.jar" // what its file holds is not known
	case !exists:
		s.functions.permanent[key] = st.Class
	}
	return nil
}

func (s *Session) dropFunction(st *sql.Drop) error {
	p := s.catalogs.Qualify(st.Name)
	name := strings.ToLower(p.Object)
	switch key := p.Catalog + "." + p.Database + "." + name; {
	case st.System:
		if _, ok := s.functions.system[name]; !ok && !st.IfExists {
			return flinkerr.Validation("Could not drop temporary system function. A function named '%s' doesn't exist.", name)
		}
		delete(s.functions.system, name)
	case st.Temporary: // none can be made
		if !st.IfExists {
			return flinkerr.Validation("Temporary catalog function %s doesn't exist", p.Quoted())
		}
	default:
		if _, ok := s.functions.permanent[key]; !ok && !st.IfExists {
			return s.noFunction(st.Name)
		}
		delete(s.functions.permanent, key)
	}
	return nil
}

func (s *Session) noFunction(n sql.Name) error {
	p := s.catalogs.Qualify(n)
	return flinkerr.New("org.apache.flink.table.catalog.exceptions.FunctionNotExistException", "Function %s.%s does not exist in Catalog %s.", p.Database, strings.ToLower(p.Object), p.Catalog)
}

func (s *Session) alterFunction(st *sql.AlterFunction) error {
	p := s.catalogs.Qualify(st.Name)
	key := p.Catalog + "." + p.Database + "." + strings.ToLower(p.Object)
	_, ok := s.functions.permanent[key]
	switch {
	case st.System:
		return flinkerr.Validation("Alter temporary system function is not supported")
	case st.Temporary:
		return flinkerr.Validation("Alter temporary catalog function is not supported")
	case ok:
		s.functions.permanent[key] = st.Class
	case !st.IfExists:
		return s.noFunction(st.Name)
	}
	return nil
}

// calledFunction turns the complaint that a called function is not known into what Flink says
// of a function of the user's, whose class is missing.
func (s *Session) calledFunction(text string, err error) error {
	f, ok := err.(*flinkerr.Error)
	if !ok || len(s.functions.permanent)+len(s.functions.system) == 0 {
		return err
	}
	rest, ok := strings.CutPrefix(f.Message, "No match found for function signature ")
	name, _, called := strings.Cut(rest, "(")
	if class, known := s.functions.class(s.catalogs.CurrentCatalog(), s.catalogs.CurrentDatabase(), name); ok && called && known {
		if strings.Contains(strings.ToLower(text), "."+strings.ToLower(name)) {
			return unsupported.New("a qualified name of a function")
		}
		return noClass(class)
	}
	return err
}
