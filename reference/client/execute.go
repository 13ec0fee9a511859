package client

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/reference/bind"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

const (
	classGateway = "org.apache.flink.table.gateway.service.utils.SqlExecutionException"
	classClient  = "org.apache.flink.table.client.gateway.SqlExecutionException"
)

// execute parses and runs one statement.
func (s *Session) execute(r *Result) error {
	stmt, err := sql.ParseStatement(r.Text)
	r.Statement = stmt
	return s.executeParsed(r, err)
}

// executeParsed runs a statement and prints its answer, or the error that it met.
func (s *Session) executeParsed(r *Result, err error) error {
	r.Streaming = !s.settings.Batch()
	r.Kind = kindOf(r.Statement)
	if s.opt.Events.Begin != nil {
		s.opt.Events.Begin(r)
	}
	if err == nil {
		if c, ok := commandWord(r.Text); ok && c != "" {
			r.Kind = KindClient
			err = s.clientCommand(c)
		} else if err = s.dependsOnRefused(r); err == nil {
			err = s.guarded(r)
		}
		if unsupported.Is(err) {
			s.noteRefused(r)
		}
	}
	r.Err = err
	if err != nil && !s.initialize {
		s.fail(r, err)
	}
	if s.opt.Events.End != nil {
		s.opt.Events.End(r)
	}
	return err
}

// guarded keeps a fault of the engine from ending the whole session: the statement is
// refused with the place of the fault.
func (s *Session) guarded(r *Result) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = unsupported.New("a fault of labgrade itself: %v%s", x, faultPlace())
		}
	}()
	if err := threeParts(r.Statement); err != nil {
		return err
	}
	return s.calledFunction(r.Text, s.dispatch(r))
}

// threeParts: the name of an object has one to three parts.
func threeParts(stmt sql.Statement) error {
	var n sql.Name
	switch st := stmt.(type) {
	case *sql.CreateTable:
		n = st.Name
	case *sql.CreateView:
		n = st.Name
	case *sql.AlterTable:
		n = st.Name
	case *sql.AlterView:
		n = st.Name
	case *sql.Describe:
		n = st.Name
	case *sql.Drop:
		n = st.Name
	}
	if len(n.Parts) > 3 {
		return flinkerr.Validation("Object identifier must consist of 1 to 3 parts.")
	}
	return nil
}

// faultPlace is the innermost function of the engine on the stack of a panic.
func faultPlace() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if strings.Contains(f.Function, "/labgrade/") && !strings.HasSuffix(f.Function, "faultPlace") && !strings.Contains(f.Function, "guarded") {
			return fmt.Sprintf(" (%s, line %d)", f.Function[strings.LastIndexByte(f.Function, '/')+1:], f.Line)
		}
		if !more {
			return ""
		}
	}
}

// commandWord finds the client's own commands by their first word alone, whatever follows.
func commandWord(text string) (string, bool) {
	word := sql.FirstWord(text)
	switch up := strings.ToUpper(word); up {
	case "QUIT", "EXIT":
		return "QUIT", true
	case "CLEAR", "HELP":
		return up, true
	}
	return "", false
}

func kindOf(stmt sql.Statement) Kind {
	switch st := stmt.(type) {
	case *sql.CreateTable:
		if st.AsQuery != nil {
			return KindInsert
		}
	case nil:
		return KindUnknown
	case *sql.QueryStmt:
		return KindQuery
	case *sql.Insert, *sql.StatementSet, *sql.BeginStatementSet, *sql.EndStatementSet, *sql.Delete, *sql.Update, *sql.Truncate:
		return KindInsert
	case *sql.Explain:
		return KindExplain
	case *sql.Set, *sql.Reset, *sql.Use:
		return KindSetting
	case *sql.Show, *sql.Describe:
		return KindShow
	case *sql.ClientCommand:
		return KindClient
	}
	return KindDDL
}

func (s *Session) dispatch(r *Result) error {
	if s.inSet {
		return s.dispatchInSet(r)
	}
	switch st := r.Statement.(type) {
	case *sql.Set:
		return s.set1(r, st)
	case *sql.Reset:
		if st.All {
			s.settings.ResetAll()
		} else if err := s.settings.Reset(strings.TrimSpace(st.Key)); err != nil {
			return err
		}
	case *sql.Use:
		if err := s.use(st); err != nil {
			return err
		}
	case *sql.BeginStatementSet:
		s.inSet = true
	case *sql.EndStatementSet:
		return flinkerr.New(classGateway, "No Statement Set to submit. 'END' statement should be used after 'BEGIN STATEMENT SET'.")
	case *sql.StatementSet:
		return s.insert(r, st.Inserts)
	case *sql.Insert:
		return s.insert(r, []*sql.Insert{st})
	case *sql.QueryStmt:
		return s.query(r, st.Query)
	case *sql.Explain:
		return s.explain(r, st)
	case *sql.Show:
		return s.show(r, st)
	case *sql.Describe:
		return s.describe(r, st)
	case *sql.Delete:
		return s.rowLevel("DELETE", st.Table, st.Where)
	case *sql.Update:
		return s.rowLevel("UPDATE", st.Table, st.Where)
	case *sql.Truncate:
		p := s.catalogs.Qualify(st.Table)
		if t := s.catalogs.Table(p); t == nil {
			return flinkerr.Validation("Cannot find table '%s' in any of the catalogs [%s], nor as a temporary table.", p.Quoted(), strings.Join(s.catalogs.Catalogs(), ", "))
		} else if t.View != nil {
			return unsupported.New("TRUNCATE TABLE of a view")
		}
		if !s.settings.Batch() {
			return flinkerr.Table("TRUNCATE TABLE statement is not supported in streaming mode.")
		}
		return unsupported.New("TRUNCATE TABLE in batch mode")
	case *sql.CreateTable:
		if st.AsQuery != nil {
			return s.createTableAs(r, st)
		}
		if err := s.ddl(st); err != nil {
			return err
		}
	case *sql.Other:
		return s.other(r, st)
	default:
		if err := s.ddl(st); err != nil {
			return err
		}
	}
	s.succeeded()
	return nil
}

// dispatchInSet runs a statement between BEGIN STATEMENT SET and END.
func (s *Session) dispatchInSet(r *Result) error {
	switch st := r.Statement.(type) {
	case *sql.EndStatementSet:
		inserts := s.set
		s.set, s.inSet = nil, false
		if len(inserts) == 0 {
			s.succeeded()
			return nil
		}
		return s.insert(r, inserts)
	case *sql.Insert:
		if err := s.checkInsert(st); err != nil {
			return err
		}
		s.set = append(s.set, st)
		s.succeeded()
		return nil
	case *sql.CreateTable:
		if st.AsQuery != nil {
			return unsupported.New("CREATE TABLE AS in a statement set")
		}
	}
	return flinkerr.New(classGateway, "Only 'INSERT/CREATE TABLE AS' statement is allowed in Statement Set or use 'END' statement to submit Statement Set.")
}

// rowLevel refuses DELETE and UPDATE as Flink does, once names and condition are found valid.
func (s *Session) rowLevel(what string, table sql.Name, where sql.Expr) error {
	_, err := bind.Query(&sql.Query{Body: &sql.Select{Items: []sql.SelectItem{{X: &sql.Star{}}}, From: &sql.TableRef{Name: table}, Where: where}}, s.bindEnv())
	if err != nil {
		return err
	}
	if !s.settings.Batch() {
		return flinkerr.Table("%s statement is not supported for streaming mode now.", what)
	}
	return unsupported.New("%s in batch mode", what)
}

func (s *Session) use(st *sql.Use) error {
	switch st.Kind {
	case "CATALOG":
		return s.catalogs.UseCatalog(st.Names[0].Parts[0].Text)
	case "MODULES":
		var names []string
		for _, n := range st.Names {
			names = append(names, n.Parts[0].Text)
		}
		for i, n := range names {
			if slices.Contains(names[:i], n) {
				return flinkerr.Validation("Module '%s' appears more than once", n)
			}
			if n != "core" {
				return flinkerr.Validation("No module with name '%s' exists", n)
			}
		}
		s.modules = names
		return nil
	}
	parts := st.Names[0].Parts
	switch len(parts) {
	case 1:
		return s.catalogs.UseDatabase(s.catalogs.CurrentCatalog(), parts[0].Text)
	case 2:
		return s.catalogs.UseDatabase(parts[0].Text, parts[1].Text)
	}
	return flinkerr.Validation("use database identifier format error")
}

func (s *Session) clientCommand(name string) error {
	switch name {
	case "QUIT":
		s.quit = true
		s.info("Exiting Flink SQL CLI Client...")
	case "CLEAR":
		for i := 0; i < 200; i++ {
			fmt.Fprintln(s.out)
		}
	case "HELP":
		s.help()
	}
	return nil
}

// set1 runs SET: the listing, or one setting.
func (s *Session) set1(r *Result, st *sql.Set) error {
	if st.All {
		s.listSettings(r)
		return nil
	}
	if err := s.settings.Set(strings.TrimSpace(st.Key), strings.TrimSpace(st.Value)); err != nil {
		return err
	}
	s.succeeded()
	return nil
}
