package checks

import (
	"fmt"
	"strings"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/sql"
)

// fault is a difference between the learner's SQL and the lab's that changes results.
type fault struct {
	code string
	line int
	says string
	// probe is the lab's query with this difference alone; "" when there is none to try.
	probe string
}

// sqlFaults compares the n-th statement of a learner's script with the lab's query,
// clause by clause. The script's other statements give the settings, views and tables
// that the query uses.
func sqlFaults(lab *labs.Lab, step *labs.Step, labQuery string, script []*answer, n int) []fault {
	return changingFaults(lab, step, labQuery, script, n, nil)
}

// changingFaults are sqlFaults without those of which harmless shows that the lab's query
// gives the same with this difference, as far as others are left that explain the result.
func changingFaults(lab *labs.Lab, step *labs.Step, labQuery string, script []*answer, n int, harmless func(query string) bool) []fault {
	theirs := queryOf(script[n].stmt)
	labList := statementsOf(labQuery)
	if theirs == nil || len(labList) == 0 {
		return nil
	}
	ours := queryOf(labList[len(labList)-1].stmt)
	if ours == nil {
		return nil
	}
	var setup, before []sql.Statement
	for _, st := range statementsOf(setupOf(lab, step)) {
		setup = append(setup, st.stmt)
	}
	for _, a := range script[:n] {
		before = append(before, a.stmt)
	}
	a := newShaper(labQuery, setup).shape(ours)
	b := newShaper(script[n].text, before).shape(theirs)
	f := &faultFinder{lab: lab, labQuery: labQuery, harmless: harmless}
	for _, st := range setup {
		if _, ok := st.(*sql.CreateView); ok {
			f.harmless = nil // what the lab's query means stands in another text
		}
	}
	f.settings(step, script[:n])
	f.tables(b, script[:n])
	f.base = script[n].line - 1
	settings := len(f.list)
	labViews := make([]statementAt, len(setup))
	for i, st := range setup {
		labViews[i] = statementAt{stmt: st, text: setupOf(lab, step)}
	}
	var views []statementAt
	for _, a := range script[:n] {
		views = append(views, statementAt{a.stmt, a.text, a.line - 1})
	}
	f.clauseFaults(clausesOf(ours, labQuery, 0, labViews), clausesOf(theirs, script[n].text, f.base, views))
	if len(f.list) == settings {
		f.compare(a, b)
	}
	if len(f.list) == settings {
		f.watermarks(step, labQuery, script[:n])
	}
	if len(f.list) == 0 {
		return f.dropped
	}
	return f.list
}

// queryOf is the query of a SELECT, INSERT or EXPLAIN.
func queryOf(st sql.Statement) *sql.Query {
	switch x := st.(type) {
	case *sql.QueryStmt:
		return x.Query
	case *sql.Insert:
		return x.Query
	case *sql.Explain:
		return queryOf(x.Stmt)
	}
	return nil
}

type faultFinder struct {
	lab *labs.Lab
	// base is the number of lines before the statement at hand.
	base int
	list []fault
	// labQuery is the text of the lab's query. harmless, when not nil, reports that another
	// query gives the same; dropped are the faults of which it did.
	labQuery string
	harmless func(query string) bool
	// inTable: the level at hand reads a table itself, so that the learner's expressions,
	// which are written in the table's columns, mean the same in it.
	inTable bool
	dropped []fault
}

// probe gives the last fault the lab's query in which an expression is the learner's.
func (f *faultFinder) probe(at sql.Expr, theirs string) {
	if at != nil && f.inTable {
		f.list[len(f.list)-1].probe = edited(f.labQuery, over(at, theirs))
	}
}

// dropHarmless takes back the faults from the n-th on that change nothing.
func (f *faultFinder) dropHarmless(n int) {
	if f.harmless == nil {
		return
	}
	kept := f.list[:n:n]
	for _, x := range f.list[n:] {
		if x.probe != "" && f.harmless(x.probe) {
			f.dropped = append(f.dropped, x)
		} else {
			kept = append(kept, x)
		}
	}
	f.list = kept
}

func (f *faultFinder) add(code string, line int, format string, args ...any) {
	if line > 0 {
		line += f.base
	}
	f.list = append(f.list, fault{code: code, line: line, says: fmt.Sprintf(format, args...)})
}

func lineOf(s *shape) int {
	if len(s.levels) > 0 {
		return s.levels[0].line
	}
	return 0
}

func (c canon) descriptor(x sql.Expr) string {
	if d, ok := x.(*sql.Descriptor); ok {
		var p []string
		for _, e := range d.Columns {
			p = append(p, c.expr(e))
		}
		return strings.Join(p, ", ")
	}
	return c.expr(x)
}

// namedArgs are the arguments of a table function by name; by position for the
// parameters that TO_CHANGELOG and FROM_CHANGELOG share.
func namedArgs(c *sql.Call) map[string]sql.Expr {
	out := map[string]sql.Expr{}
	positional := []string{"input", "op", "op_mapping"}
	for i, a := range c.Args {
		if n, ok := a.(*sql.NamedArg); ok {
			out[n.Name.Text] = n.Value
		} else if i < len(positional) {
			out[positional[i]] = a
		}
	}
	return out
}

// bare removes the outer brackets of a canonical condition.
func bare(s string) string {
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
		return s[1 : len(s)-1]
	}
	return s
}
