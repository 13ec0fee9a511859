package client

import (
	"slices"
	"strings"

	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

// refusals is what later statements may no longer rest on, since a statement that would have
// changed it was refused as unsupported and the run goes on.
type refusals struct {
	// session is the statement that leaves everything uncertain: a setting, a current catalog.
	session string
	// names are objects, by the last part of their names in lower case, with the statement.
	names map[string]string
	// lists is set where the lists of objects are uncertain, too.
	lists string
	// set: an INSERT of the open statement set was refused.
	set string
	// again: the statement at hand is refused because of an earlier one.
	again bool
}

// dependsOnRefused refuses a statement whose answer may rest on one that was refused.
func (s *Session) dependsOnRefused(r *Result) error {
	d := &s.refused
	after := func(stmt string) error {
		d.again = true
		return unsupported.New("this statement comes after one that was refused and may depend on it: %s", stmt)
	}
	switch st := r.Statement.(type) {
	case *sql.EndStatementSet:
		if stmt := d.set; stmt != "" && s.inSet {
			d.set, s.set, s.inSet = "", nil, false
			return after(stmt)
		}
	case *sql.Show:
		switch st.What {
		case "JARS", "MODULES", "FULL MODULES", "CURRENT CATALOG", "CURRENT DATABASE", "FUNCTIONS", "JOBS":
		default:
			if d.lists != "" && !strings.HasPrefix(st.What, "CREATE ") && st.What != "COLUMNS" && st.What != "PARTITIONS" {
				return after(d.lists)
			}
		}
	case *sql.Drop:
		if d.lists != "" && (st.Kind == "DATABASE" || st.Kind == "CATALOG") {
			return after(d.lists)
		}
	}
	if d.session != "" {
		return after(d.session)
	}
	if len(d.names) > 0 {
		for _, n := range sql.Names(r.Text) {
			if stmt, ok := d.names[strings.ToLower(n)]; ok {
				return after(stmt)
			}
		}
	}
	return nil
}

// noteRefused remembers what a refused statement would have changed. Queries, EXPLAIN, SHOW and
// DESCRIBE change nothing.
func (s *Session) noteRefused(r *Result) {
	d := &s.refused
	text := firstWords(r.Text)
	if d.again {
		text, d.again = "another statement", false
	}
	object := func(n sql.Name) {
		first(&d.lists, text)
		s.taint(n, text)
	}
	switch st := r.Statement.(type) {
	case nil, *sql.QueryStmt, *sql.Explain, *sql.Show, *sql.Describe, *sql.ClientCommand, *sql.EndStatementSet, *sql.BeginStatementSet:
	case *sql.Insert:
		s.taintSink(st.Table, text)
		if s.inSet {
			d.set = text
		}
	case *sql.StatementSet:
		for _, in := range st.Inserts {
			s.taintSink(in.Table, text)
		}
	case *sql.Delete:
		s.taintSink(st.Table, text)
	case *sql.Update:
		s.taintSink(st.Table, text)
	case *sql.Truncate:
		s.taintSink(st.Table, text)
	case *sql.CreateTable:
		object(st.Name)
		if st.AsQuery != nil {
			for _, o := range st.Options {
				if o.Key == "path" {
					s.taintPath(o.Value, text)
				}
			}
			if s.inSet {
				d.set = text
			}
		}
	case *sql.CreateView:
		object(st.Name)
	case *sql.CreateDatabase:
		object(st.Name)
	case *sql.CreateCatalog:
		object(sql.Name{Parts: []sql.Ident{st.Name}})
	case *sql.CreateFunction:
		object(st.Name)
	case *sql.AlterTable:
		object(st.Name)
		if len(st.NewName.Parts) > 0 {
			object(st.NewName)
		}
	case *sql.AlterView:
		object(st.Name)
		if st.NewName != nil {
			object(*st.NewName)
		}
	case *sql.Drop:
		object(st.Name)
	case *sql.Other:
		switch {
		case slices.Contains([]string{"DESCRIBE of a query", "DESCRIBE JOB", "COMPILE", "STOP JOB"}, st.Name):
		case strings.HasSuffix(st.Name, " MODEL"), strings.HasSuffix(st.Name, " CONNECTION"):
			first(&d.lists, text) // no table is made of them
		case strings.HasPrefix(st.Name, "ALTER TABLE") && len(st.Object.Parts) > 0:
			object(st.Object)
		default:
			first(&d.session, text)
		}
	default:
		first(&d.session, text)
	}
}

// first keeps the first reason.
func first(reason *string, text string) {
	if *reason == "" {
		*reason = text
	}
}

// firstWords are enough of a statement to know it again.
func firstWords(text string) string {
	const some = 4
	words := strings.Fields(text)
	if len(words) > some {
		words = append(words[:some:some], "...")
	}
	return strings.TrimSuffix(strings.Join(words, " "), ";")
}

// taint marks an object, and every view that names it or names such a view.
func (s *Session) taint(n sql.Name, stmt string) {
	if len(n.Parts) == 0 {
		return
	}
	if s.refused.names == nil {
		s.refused.names = map[string]string{}
	}
	name := strings.ToLower(n.Parts[len(n.Parts)-1].Text)
	if s.refused.names[name] != "" {
		return
	}
	s.refused.names[name] = stmt
	m := s.catalogs
	for _, cat := range m.Catalogs() {
		for _, db := range m.Databases(cat) {
			for _, o := range m.Objects(cat, db) {
				t := m.Table(m.Resolve([]string{o}, cat, db))
				if t == nil || t.View == nil {
					continue
				}
				if slices.ContainsFunc(sql.Names(t.View.Text), func(w string) bool { return strings.EqualFold(w, name) }) {
					s.taint(sql.Name{Parts: []sql.Ident{{Text: o}}}, stmt)
				}
			}
		}
	}
}

// taintSink marks a table that would have been written, and others over the same files.
func (s *Session) taintSink(n sql.Name, stmt string) {
	t := s.catalogs.Table(s.catalogs.Qualify(n))
	if t == nil {
		return
	}
	path, files := t.Option("path")
	if !files {
		return // print and blackhole leave nothing that could be read
	}
	s.taint(n, stmt)
	s.taintPath(path, stmt)
}

// taintPath marks the tables whose files lie in a folder, or hold it.
func (s *Session) taintPath(path, stmt string) {
	m := s.catalogs
	for _, cat := range m.Catalogs() {
		for _, db := range m.Databases(cat) {
			for _, o := range m.Objects(cat, db) {
				other := m.Table(m.Resolve([]string{o}, cat, db))
				if other == nil {
					continue
				}
				if p, ok := other.Option("path"); ok && (within(p, path) || within(path, p)) {
					s.taint(sql.Name{Parts: []sql.Ident{{Text: o}}}, stmt)
				}
			}
		}
	}
}

// within tells whether a path is another or lies below it.
func within(path, folder string) bool {
	clean := func(p string) string { return strings.TrimSuffix(strings.TrimPrefix(p, "file://"), "/") }
	path, folder = clean(path), clean(folder)
	return path == folder || strings.HasPrefix(path, folder+"/")
}
