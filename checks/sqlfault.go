package checks

import (
	"fmt"
	"path"
	"slices"
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

// settingsOf are the settings that hold behind the statements, with their lines.
func settingsOf(before []*answer) map[string]setting {
	now := map[string]setting{}
	for _, a := range before {
		switch x := a.stmt.(type) {
		case *sql.Set:
			now[x.Key] = setting{x.Value, a.line}
		case *sql.Reset:
			if x.All {
				now = map[string]setting{}
			}
			delete(now, x.Key)
		}
	}
	return now
}

type setting struct {
	value string
	line  int
}

// settings looks at the SET statements before the query.
func (f *faultFinder) settings(step *labs.Step, before []*answer) {
	now := settingsOf(before)
	mode := "streaming"
	line := 0
	if m, ok := now["execution.runtime-mode"]; ok {
		mode, line = strings.ToLower(m.value), m.line
	}
	if mode != orStreaming(step.Mode) {
		f.add("LG-SQL-014", line, "the query runs in %s mode, the task asks for %s mode", mode, orStreaming(step.Mode))
	}
	if m, ok := now["table.exec.mini-batch.enabled"]; ok && strings.EqualFold(m.value, "true") {
		f.add("LG-SQL-015", m.line, "mini-batch is switched on")
	}
	if m, ok := now["parallelism.default"]; ok && m.value != "1" {
		f.add("LG-SQL-016", m.line, "the parallelism is %s", m.value)
	}
}

// tables looks at how the learner declares the source table.
func (f *faultFinder) tables(b *shape, before []*answer) {
	ddl, line := tableDDL(before, b.table)
	if ddl == nil {
		return
	}
	options := map[string]string{}
	for _, o := range ddl.Options {
		options[o.Key] = o.Value
	}
	var t *labs.Table
	for i := range f.lab.Tables {
		if f.lab.Tables[i].File == path.Base(options["path"]) || len(f.lab.Tables) == 1 {
			t = &f.lab.Tables[i]
		}
	}
	if t == nil || options["connector"] != "filesystem" {
		f.add("LG-SQL-017", line, "the table %s does not read the lab's file", b.table)
		return
	}
	for k := range options {
		if strings.HasPrefix(k, "csv.") && !t.HasOption(k) {
			f.add("LG-SQL-030", line, "the table %s has the option %s", b.table, k)
		}
	}
	var have []string
	for _, c := range ddl.Columns {
		if c.Computed == nil && !c.Metadata {
			have = append(have, c.Name.Text+" "+strings.ToUpper(typeText(&c.Type)))
		}
	}
	var want []string
	for _, c := range t.Physical() {
		want = append(want, columnText(c.Name, c.Type))
	}
	if len(have) > 0 && !slices.Equal(have, want) {
		for i := range max(len(have), len(want)) {
			x, y := "nothing", "nothing"
			if i < len(have) {
				x = have[i]
			}
			if i < len(want) {
				y = want[i]
			}
			if x != y {
				f.add("LG-SQL-026", line, "column %d of the table %s is declared as %s; in the file it is %s", i+1, b.table, x, y)
				break
			}
		}
	}
}

// tableDDL finds the CREATE TABLE of a name, and its line.
func tableDDL(before []*answer, name string) (ddl *sql.CreateTable, line int) {
	for _, a := range before {
		if c, ok := a.stmt.(*sql.CreateTable); ok && lastPart(c.Name) == name {
			ddl, line = c, a.line
		}
	}
	return ddl, line
}

// columnText brings a column into the form that typeText gives.
func columnText(name, typ string) string {
	t, err := sql.ParseType(typ)
	if err != nil {
		return name + " " + typ
	}
	return name + " " + strings.ToUpper(typeText(&t))
}

func typeText(t *sql.TypeName) string {
	s := t.Name
	if len(t.Params) > 0 {
		var p []string
		for _, n := range t.Params {
			p = append(p, fmt.Sprint(n))
		}
		s += "(" + strings.Join(p, ", ") + ")"
	}
	return s
}

// compare looks for differences of the queries, from the outermost level inwards.
func (f *faultFinder) compare(a, b *shape) {
	if b.complex && !a.complex {
		f.add("LG-SQL-032", b.complexLine, "the query joins or unions, or does more than the task asks")
		return
	}
	if !f.function(a, b) {
		return // without the function nothing else compares
	}
	x, y := a.levels, b.levels
	// SELECT DISTINCT around an aggregation is a level of its own, or a flag of one.
	if len(y) > len(x) {
		for i, l := range y {
			if !l.aggregates() && (l.distinct || l.limit || l.where != "") {
				f.extraLevel(l)
				y = append(append([]*level{}, y[:i]...), y[i+1:]...)
				break
			}
		}
	}
	switch {
	case len(y) > len(x):
		f.add("LG-SQL-021", y[0].line, "the query aggregates %d times, the task asks for %d", len(y), len(x))
		return
	case len(y) < len(x):
		if len(y) == 1 && len(x) > 1 && slices.Equal(y[0].group, x[len(x)-1].group) {
			f.add("LG-SQL-020", y[0].line, "the outer aggregation over %s is missing", strings.Join(x[0].group, ", "))
		} else {
			line := 0
			if len(y) > 0 {
				line = y[0].line
			}
			f.add("LG-SQL-019", line, "the inner aggregation is missing")
		}
		return
	}
	// From the inside out: what an inner level changes, the outer ones only pass on.
	for i := len(x) - 1; i >= 0; i-- {
		before := len(f.list)
		f.inTable = readsTable(x[i])
		f.level(x[i], y[i])
		f.dropHarmless(before)
		if len(f.list) > before {
			break
		}
	}
	if len(f.list) == 0 {
		f.names(a, b)
	}
}

func (f *faultFinder) extraLevel(l *level) {
	switch {
	case l.distinct:
		f.add("LG-SQL-010", l.line, "SELECT DISTINCT removes rows")
	case l.limit:
		f.add("LG-SQL-011", l.line, "LIMIT or ORDER BY changes the result")
	default:
		f.add("LG-SQL-001", l.line, "WHERE %s removes rows", bare(l.where))
	}
}

// function compares the table function above the query (TO_CHANGELOG); false when it is missing.
func (f *faultFinder) function(a, b *shape) bool {
	if a.function == nil {
		return true
	}
	if b.function == nil {
		f.add("LG-SQL-029", lineOf(b), "the query does not use %s", strings.ToUpper(lastPart(a.function.Name)))
		return false
	}
	if name := strings.ToUpper(lastPart(a.function.Name)); !strings.HasSuffix(name, "_CHANGELOG") || !strings.EqualFold(name, lastPart(b.function.Name)) {
		return true // a window function's arguments have other names and places; windowCalls compares them
	}
	ours, theirs := namedArgs(a.function), namedArgs(b.function)
	line := b.function.At().Start.Line
	if _, ok := theirs["op_mapping"]; ok && ours["op_mapping"] == nil {
		f.add("LG-SQL-028", line, "op_mapping replaces the change codes")
	}
	if d := ours["op"]; d != nil {
		w := strings.ReplaceAll(canon{}.descriptor(d), "`", "")
		if t := theirs["op"]; t == nil {
			f.add("LG-SQL-027", line, "op => DESCRIPTOR(%s) is missing", w)
		} else if g := strings.ReplaceAll(canon{}.descriptor(t), "`", ""); g != w {
			f.add("LG-SQL-027", line, "the column with the change is called %s, the task calls it %s", g, w)
		}
	}
	return true
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

// readsTable reports a level that reads a table, or windows of one.
func readsTable(l *level) bool {
	switch l.sel.From.(type) {
	case *sql.TableRef, *sql.TableFunc:
		return true
	}
	return false
}

// level compares one SELECT with the one of the task.
func (f *faultFinder) level(x, y *level) {
	switch {
	case wholeNumbers(x.where) == wholeNumbers(y.where):
	case x.where == "":
		f.add("LG-SQL-001", y.line, "WHERE %s removes rows", bare(y.where))
	case y.where == "":
		f.add("LG-SQL-002", y.line, "the condition %s is missing", bare(x.where))
		f.probe(x.sel.Where, "TRUE")
	default:
		f.add("LG-SQL-003", y.line, "the condition is %s, the task asks for %s", bare(y.where), bare(x.where))
		f.probe(x.sel.Where, y.where)
	}
	f.groups(x, y)
	f.aggregatesOf(x, y)
	if wholeNumbers(x.having) != wholeNumbers(y.having) {
		if x.having == "" {
			f.add("LG-SQL-018", y.line, "HAVING %s removes groups", bare(y.having))
		} else {
			f.add("LG-SQL-003", y.line, "HAVING is %s, the task asks for %s", bare(y.having), bare(x.having))
		}
	}
	if y.distinct && !x.distinct {
		f.add("LG-SQL-010", y.line, "SELECT DISTINCT removes rows")
	}
	if y.limit && !x.limit {
		f.add("LG-SQL-011", y.line, "LIMIT or ORDER BY changes the result")
	}
}

func (f *faultFinder) groups(x, y *level) {
	if slices.Equal(x.group, y.group) && x.grouped == y.grouped {
		return
	}
	switch {
	case x.grouped && !y.grouped:
		f.add("LG-SQL-006", y.line, "GROUP BY %s is missing", strings.Join(x.group, ", "))
	case !x.grouped && y.grouped:
		f.add("LG-SQL-021", y.line, "the query groups by %s, the task does not group", strings.Join(y.group, ", "))
	case containsAll(y.group, x.group):
		f.add("LG-SQL-005", y.line, "the query groups by %s, the task by %s", strings.Join(y.group, ", "), strings.Join(x.group, ", "))
	default:
		f.add("LG-SQL-004", y.line, "the query groups by %s, the task by %s", strings.Join(y.group, ", "), strings.Join(x.group, ", "))
	}
}

func containsAll(big, small []string) bool {
	for _, s := range small {
		if !slices.Contains(big, s) {
			return false
		}
	}
	return true
}

// aggregatesOf compares the aggregates column by column, by the names of the task.
func (f *faultFinder) aggregatesOf(x, y *level) {
	used := map[int]bool{}
	var open []item
	for _, w := range x.items {
		if w.agg == nil {
			continue
		}
		found := false
		for i, it := range y.items {
			if !used[i] && it.agg != nil && it.expr == w.expr {
				used[i], found = true, true
				break
			}
		}
		if !found {
			open = append(open, w)
		}
	}
	for _, w := range open {
		at := -1
		for i, it := range y.items {
			if !used[i] && it.name == w.name && it.name != "" {
				at = i
			}
		}
		for i, it := range y.items {
			if at < 0 && !used[i] && it.agg != nil {
				at = i
			}
		}
		if at < 0 {
			f.add("LG-SQL-013", y.line, "the column %s (%s) is missing", w.name, w.expr)
			continue
		}
		used[at] = true
		f.aggregate(w, y.items[at])
	}
}

func (f *faultFinder) aggregate(w, g item) {
	name := w.name
	if name == "" {
		name = "a column"
	}
	code := "LG-SQL-008"
	switch {
	case g.agg == nil:
		code = "LG-SQL-007"
	case g.agg.Distinct != w.agg.Distinct:
		code = "LG-SQL-009"
	case g.function != w.function:
		code = "LG-SQL-007"
	}
	f.add(code, g.line, "%s is %s, the task asks for %s", name, g.expr, w.expr)
	f.probe(w.node, g.expr)
}

// names compares the names of the result's columns.
func (f *faultFinder) names(a, b *shape) {
	for i, w := range a.outputs {
		if w == "" || slices.Contains(b.outputs, w) || slices.Contains(b.outputs, "") && len(b.outputs) < len(a.outputs) {
			continue
		}
		if len(b.outputs) < len(a.outputs) {
			f.add("LG-SQL-013", lineOf(b), "the column %s is missing", w)
			continue
		}
		got := b.outputs[min(i, len(b.outputs)-1)]
		if got == "" {
			got = "nothing (Flink calls it EXPR$" + fmt.Sprint(i) + ")"
		}
		f.add("LG-SQL-012", lineOf(b), "a column is called %s, the task calls it %s", got, w)
	}
}
