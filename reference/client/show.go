package client

import (
	"regexp"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

func (s *Session) show(r *Result, st *sql.Show) error {
	m := s.catalogs
	one := func(header string, names []string) error {
		names, err := like(names, st)
		if err != nil {
			return err
		}
		rows := make([][]string, len(names))
		for i, n := range names {
			rows[i] = []string{n}
		}
		s.table(r, []string{header}, rows)
		return nil
	}
	switch st.What {
	case "CATALOGS":
		return one("catalog name", m.Catalogs())
	case "CURRENT CATALOG":
		return one("current catalog name", []string{m.CurrentCatalog()})
	case "CURRENT DATABASE":
		return one("current database name", []string{m.CurrentDatabase()})
	case "DATABASES":
		cat := m.CurrentCatalog()
		if len(st.Name.Parts) > 0 {
			cat = st.Name.Parts[0].Text
			if !m.HasCatalog(cat) {
				return flinkerr.Validation("Catalog %s does not exist", cat)
			}
		}
		return one("database name", m.Databases(cat))
	case "TABLES", "VIEWS":
		return s.showTables(st, one)
	case "MODULES":
		return one("module name", s.modules)
	case "FULL MODULES":
		rows := [][]string{}
		for _, n := range s.modules {
			rows = append(rows, []string{n, "TRUE"})
		}
		s.table(r, []string{"module name", "used"}, rows)
		return nil
	case "JARS":
		return one("jars", nil)
	case "PROCEDURES":
		if cat, _, err := s.showFrom(st); err != nil {
			return err
		} else if !m.HasCatalog(cat) {
			return flinkerr.Validation("Catalog %s does not exist", cat)
		}
		return flinkerr.New("java.lang.UnsupportedOperationException", "listProcedures is not implemented for class org.apache.flink.table.catalog.GenericInMemoryCatalog.")
	case "FUNCTIONS", "USER FUNCTIONS":
		if _, _, err := s.showFrom(st); err != nil {
			return err
		}
		return one("function name", s.functionNames(st.What == "USER FUNCTIONS"))
	case "MODELS":
		return s.showModels(st, one)
	case "MATERIALIZED TABLES":
		if _, err := s.shownDatabase(st); err != nil {
			return err
		}
		return one("materialized table name", nil)
	case "CREATE CONNECTION": // a statement of the grammar that nothing runs
		return flinkerr.Table("Unsupported query: %s", r.Text)
	case "CONNECTIONS": // Calcite takes this one for a call
		if len(st.Name.Parts) > 0 || st.Like != nil {
			return unsupported.New("SHOW CONNECTIONS FROM or LIKE")
		}
		return flinkerr.Validator("No match found for function signature SHOW CONNECTIONS")
	case "CREATE MODEL":
		return flinkerr.Validation("Could not execute SHOW CREATE MODEL. Model with identifier %s does not exist.", m.Qualify(st.Name).Quoted())
	case "CREATE CATALOG":
		return s.showCreateCatalog(r, st.Name.Parts[0].Text)
	case "COLUMNS":
		return s.showColumns(r, st)
	case "CREATE TABLE":
		return s.showCreateTable(r, st)
	case "CREATE VIEW":
		return s.showCreateView(r, st)
	case "PARTITIONS":
		return s.showPartitions(r, st)
	}
	return unsupported.New("SHOW %s", st.What)
}

func (s *Session) showTables(st *sql.Show, one func(string, []string) error) error {
	m := s.catalogs
	shown, err := s.shownDatabase(st)
	if err != nil {
		return err
	}
	cat, db := shown[0], shown[1]
	names := m.Objects(cat, db)
	if st.What == "TABLES" {
		return one("table name", names)
	}
	var views []string
	for _, n := range names {
		if t := m.Table(m.Resolve([]string{n}, cat, db)); t.View != nil {
			views = append(views, n)
		}
	}
	return one("view name", views)
}

// showFrom is the database that SHOW ... FROM names, or the current one.
func (s *Session) showFrom(st *sql.Show) (cat, db string, err error) {
	cat, db = s.catalogs.CurrentCatalog(), s.catalogs.CurrentDatabase()
	switch p := st.Name.Parts; len(p) {
	case 0:
	case 1:
		db = p[0].Text
	case 2:
		cat, db = p[0].Text, p[1].Text
	default:
		names := make([]string, len(p))
		for i, id := range p {
			names[i] = id.Text
		}
		return "", "", flinkerr.Validation("SHOW %s from/in identifier [ %s ] format error, it should be [catalog_name.]database_name.", st.What, strings.Join(names, "."))
	}
	return cat, db, nil
}

// shownDatabase is the catalog and the database of showFrom, which must exist.
func (s *Session) shownDatabase(st *sql.Show) ([2]string, error) {
	cat, db, err := s.showFrom(st)
	switch {
	case err != nil:
	case !s.catalogs.HasCatalog(cat):
		err = flinkerr.Validation("Catalog %s does not exist", cat)
	case !s.catalogs.HasDatabase(cat, db):
		err = flinkerr.Validation("Database '%s'.'%s' doesn't exist.", cat, db)
	}
	return [2]string{cat, db}, err
}

// showModels lists no models: none can be made here.
func (s *Session) showModels(st *sql.Show, one func(string, []string) error) error {
	cat, db, err := s.showFrom(st)
	if err != nil {
		return err
	}
	if !s.catalogs.HasCatalog(cat) {
		return flinkerr.Validation("Catalog %s does not exist", cat)
	}
	if !s.catalogs.HasDatabase(cat, db) {
		return flinkerr.New("org.apache.flink.table.catalog.exceptions.DatabaseNotExistException", "Database %s does not exist in Catalog %s.", db, cat)
	}
	return one("model name", nil)
}

// like filters names by [NOT] LIKE or ILIKE.
func like(names []string, st *sql.Show) ([]string, error) {
	if st.Like == nil {
		return names, nil
	}
	re, err := likePattern(*st.Like, st.ILike)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, n := range names {
		if re.MatchString(n) != st.Not {
			out = append(out, n)
		}
	}
	return out, nil
}

func likePattern(pattern string, fold bool) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString("(?s")
	if fold {
		b.WriteString("i")
	}
	b.WriteString(")^")
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '%':
			b.WriteString(".*")
		case '_':
			b.WriteString(".")
		case '\\':
			if i+1 == len(pattern) {
				return nil, flinkerr.Validation("Invalid escape sequence '%s', %d", pattern, i)
			}
			i++
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		default:
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		}
	}
	b.WriteString("$")
	re, err := regexp.Compile(b.String())
	if err != nil {
		return nil, unsupported.New("the pattern %q", pattern)
	}
	return re, nil
}
