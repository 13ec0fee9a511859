package checks

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/sql"
)

// clauses are the parts of a query, and of the views that it reads, beyond SELECT, WHERE
// and GROUP BY: in the order of the text.
type clauses struct {
	windows []part[*sql.TableFunc]
	joins   []part[*sql.JoinExpr]
	matches []part[*sql.MatchRecognize]
	setOps  []part[*sql.SetOp]
	overs   []part[*sql.Call]
	// tables are the names of the tables that are read.
	tables []string
	// asOf are tables joined FOR SYSTEM_TIME AS OF.
	asOf []part[*sql.TableRef]
}

// part is a node with its statement: text for what has no form of its own, line before it.
type part[N sql.Node] struct {
	node N
	text string
	base int
}

func (p part[N]) line() int { return p.base + p.node.At().Start.Line }

// gatherer collects clauses.
type gatherer struct {
	out   *clauses
	views map[string]viewText
	text  string
	base  int
	depth int
}

type viewText struct {
	query *sql.Query
	text  string
	base  int
}

func (g *gatherer) query(q *sql.Query, ctes map[string]*sql.Query) {
	g.depth++
	defer func() { g.depth-- }()
	if q == nil || g.depth > maxDepth {
		return
	}
	if len(q.With) > 0 {
		inner := map[string]*sql.Query{}
		for k, v := range ctes {
			inner[k] = v
		}
		for _, c := range q.With {
			inner[c.Name.Text] = c.Query
		}
		ctes = inner
	}
	g.body(q.Body, ctes)
}

func (g *gatherer) body(b sql.QueryBody, ctes map[string]*sql.Query) {
	switch b := b.(type) {
	case *sql.Query:
		g.query(b, ctes)
	case *sql.SetOp:
		g.body(b.Left, ctes)
		g.out.setOps = append(g.out.setOps, part[*sql.SetOp]{b, g.text, g.base})
		g.body(b.Right, ctes)
	case *sql.ExplicitTable:
		g.named(lastPart(b.Name), ctes)
	case *sql.Select:
		for _, it := range b.Items {
			g.over(it.X)
			g.inner(it.X, ctes)
		}
		g.from(b.From, ctes)
		g.inner(b.Where, ctes)
	}
}

// inner follows the sub-queries of an expression.
func (g *gatherer) inner(x sql.Expr, ctes map[string]*sql.Query) {
	if x == nil {
		return
	}
	sql.Walk(x, func(e sql.Expr) {
		switch e := e.(type) {
		case *sql.Subquery:
			g.query(e.Query, ctes)
		case *sql.In:
			g.query(e.Query, ctes)
		case *sql.Quantified:
			g.query(e.Query, ctes)
		}
	})
}

// over finds calls with an OVER window.
func (g *gatherer) over(x sql.Expr) {
	if x == nil {
		return
	}
	sql.Walk(x, func(e sql.Expr) {
		if c, ok := e.(*sql.Call); ok && c.Over != nil {
			g.out.overs = append(g.out.overs, part[*sql.Call]{c, g.text, g.base})
		}
	})
}

func (g *gatherer) from(t sql.TableExpr, ctes map[string]*sql.Query) {
	switch t := t.(type) {
	case *sql.TableRef:
		if t.AsOf != nil {
			g.out.asOf = append(g.out.asOf, part[*sql.TableRef]{t, g.text, g.base})
		}
		g.named(lastPart(t.Name), ctes)
	case *sql.Derived:
		g.query(t.Query, ctes)
	case *sql.JoinExpr:
		g.from(t.Left, ctes)
		g.out.joins = append(g.out.joins, part[*sql.JoinExpr]{t, g.text, g.base})
		g.from(t.Right, ctes)
	case *sql.MatchRecognize:
		g.out.matches = append(g.out.matches, part[*sql.MatchRecognize]{t, g.text, g.base})
		g.from(t.Input, ctes)
	case *sql.TableFunc:
		if isWindow(t.Call) {
			g.out.windows = append(g.out.windows, part[*sql.TableFunc]{t, g.text, g.base})
		}
		for _, a := range t.Call.Args {
			if n, ok := a.(*sql.NamedArg); ok {
				a = n.Value
			}
			if arg, ok := a.(*sql.TableArg); ok {
				if arg.Query != nil {
					g.query(arg.Query, ctes)
				} else {
					g.named(lastPart(arg.Name), ctes)
				}
			}
		}
	}
}

// named follows a name to the view or CTE that it is.
func (g *gatherer) named(name string, ctes map[string]*sql.Query) {
	if q := ctes[name]; q != nil {
		g.query(q, nil)
		return
	}
	v, ok := g.views[name]
	if !ok {
		g.out.tables = append(g.out.tables, name)
		return
	}
	text, base := g.text, g.base
	g.text, g.base = v.text, v.base
	g.query(v.query, nil)
	g.text, g.base = text, base
}

func isWindow(c *sql.Call) bool {
	return slices.Contains([]string{"TUMBLE", "HOP", "CUMULATE", "SESSION"}, strings.ToUpper(lastPart(c.Name)))
}

// clauseFaults compares the clauses of the learner's query with those of the lab's; the
// first kind of clause that differs is told.
func (f *faultFinder) clauseFaults(a, b *clauses) {
	n := len(f.list)
	for _, compare := range []func(a, b *clauses){f.patterns, f.windowCalls, f.joinKinds, f.versions, f.joinConditions, f.setOperations, f.overWindows} {
		compare(a, b)
		if len(f.list) > n {
			return
		}
	}
}

// watermarks compares the watermarks of the tables that the lab's query reads.
func (f *faultFinder) watermarks(step *labs.Step, labQuery string, before []*answer) {
	var list []statement
	for i := range f.lab.Tables {
		list = append(list, statementsOf(f.lab.Tables[i].Statement())...)
	}
	setup := setupOf(f.lab, step)
	list = append(list, statementsOf(setup)...)
	var text strings.Builder
	for _, a := range before {
		text.WriteString(strings.Repeat("\n", max(0, a.line-1-strings.Count(text.String(), "\n"))))
		text.WriteString(strings.TrimRight(a.text, "; \n\t") + ";")
	}
	theirs := readFactText(f.lab, text.String())
	for _, st := range list {
		t, ok := st.stmt.(*sql.CreateTable)
		if !ok || t.Watermark == nil || !mentions(labQuery+" "+setup, lastPart(t.Name)) {
			continue
		}
		got, mark, line := theirs.table(lastPart(t.Name))
		c := canon{text: st.text}
		switch want := c.normal(t.Watermark.X); {
		case got == nil:
		case mark == nil:
			f.at("LG-SQL-045", line, "the table %s has no watermark; the task's has %s", lastPart(got.Name), bare(want))
		default:
			if have := (canon{}).normal(mark.X); have != want {
				f.at("LG-SQL-045", line, "the watermark of the table %s is %s, the task asks for %s", lastPart(got.Name), bare(have), bare(want))
			}
		}
	}
}

// clausesOf gathers the clauses of a query and of the views that the statements make.
func clausesOf(q *sql.Query, text string, base int, views []statementAt) *clauses {
	g := &gatherer{out: &clauses{}, views: map[string]viewText{}, text: text, base: base}
	for _, st := range views {
		if v, ok := st.stmt.(*sql.CreateView); ok && v.Query != nil {
			g.views[lastPart(v.Name)] = viewText{v.Query, st.text, st.base}
		}
	}
	g.query(q, nil)
	return g.out
}

// statementAt is a statement with the text that its places count in, and the line before.
type statementAt struct {
	stmt sql.Statement
	text string
	base int
}

// at adds a fault whose line is already that of the file.
func (f *faultFinder) at(code string, line int, format string, args ...any) {
	f.list = append(f.list, fault{code: code, line: line, says: fmt.Sprintf(format, args...)})
}

func (f *faultFinder) patterns(a, b *clauses) {
	for i, x := range a.matches {
		if i >= len(b.matches) {
			f.at("LG-SQL-029", 0, "the query does not use MATCH_RECOGNIZE")
			return
		}
		y := b.matches[i]
		m, n := x.node, y.node
		cm, cn := canon{text: x.text}, canon{text: y.text}
		switch {
		case patternText(&m.Pattern) != patternText(&n.Pattern):
			f.at("LG-SQL-038", y.line(), "the PATTERN is (%s), the task asks for (%s)", patternText(&n.Pattern), patternText(&m.Pattern))
		case skipText(m.After) != skipText(n.After):
			f.at("LG-SQL-037", y.line(), "AFTER MATCH is SKIP %s, the task asks for SKIP %s", skipText(n.After), skipText(m.After))
		case cm.normal(m.Within) != cn.normal(n.Within):
			f.at("LG-SQL-039", y.line(), "the pattern has %s, the task asks for %s", within(cn.normal(n.Within)), within(cm.normal(m.Within)))
		case defines(cm, m) != defines(cn, n):
			f.at("LG-SQL-040", y.line(), "DEFINE says %s, the task asks for %s", defines(cn, n), defines(cm, m))
		case cm.list(m.PartitionBy) != cn.list(n.PartitionBy):
			f.at("LG-SQL-041", y.line(), "the rows are partitioned by %s, the task asks for %s", orNothing(cn.list(n.PartitionBy)), orNothing(cm.list(m.PartitionBy)))
		}
		if len(f.list) > 0 {
			return
		}
	}
}

func within(s string) string {
	if s == "" {
		return "no WITHIN"
	}
	return "WITHIN " + s
}

func skipText(s sql.MatchSkip) string {
	kind := s.Kind
	if kind == "" {
		kind = "TO NEXT ROW" // where Flink leaves the standard, which says PAST LAST ROW
	}
	return strings.TrimSpace(kind + " " + s.Var)
}

// defines is the DEFINE clause in one form: by the names of the variables.
func defines(c canon, m *sql.MatchRecognize) string {
	var out []string
	for _, d := range m.Define {
		// Here the qualifier tells which row is meant: A.price is not B.price.
		out = append(out, d.Name.Text+" AS "+strings.ToUpper(strings.Join(strings.Fields(textOf(c.text, d.X.At())), " ")))
	}
	sort.Strings(out)
	return strings.Join(out, ", ")
}

// patternText writes a pattern in one form.
func patternText(p *sql.Pattern) string {
	var parts []string
	for i := range p.Items {
		parts = append(parts, patternText(&p.Items[i]))
	}
	s := p.Var
	switch p.Kind {
	case "VAR":
	case "ALT":
		s = strings.Join(parts, " | ")
	case "GROUP":
		s = "(" + strings.Join(parts, " ") + ")"
	case "CONCAT":
		s = strings.Join(parts, " ")
	default:
		s = p.Kind + "(" + strings.Join(parts, ", ") + ")"
	}
	if p.Quantified {
		switch {
		case p.Min == 0 && p.Max == -1:
			s += "*"
		case p.Min == 1 && p.Max == -1:
			s += "+"
		case p.Min == 0 && p.Max == 1:
			s += "?"
		default:
			s += fmt.Sprintf("{%d,%d}", p.Min, p.Max)
		}
		if p.Reluctant {
			s += "?"
		}
	}
	return s
}

func (f *faultFinder) windowCalls(a, b *clauses) {
	for i, x := range a.windows {
		name := strings.ToUpper(lastPart(x.node.Call.Name))
		if i >= len(b.windows) {
			f.at("LG-SQL-029", 0, "the query does not use %s", name)
			return
		}
		y := b.windows[i]
		if got := strings.ToUpper(lastPart(y.node.Call.Name)); got != name {
			f.at("LG-SQL-033", y.line(), "the windows are made by %s, the task asks for %s", got, name)
			return
		}
		want, got := windowArguments(x), windowArguments(y)
		for k := range max(len(want), len(got)) {
			w, g := "nothing", "nothing"
			if k < len(want) {
				w = want[k]
			}
			if k < len(got) {
				g = got[k]
			}
			if w != g {
				f.at("LG-SQL-034", y.line(), "%s has %s, the task asks for %s", name, g, w)
				return
			}
		}
	}
}

// windowArguments are the arguments of a window function behind its table, in one form:
// the partition of a session, the time column, the intervals.
func windowArguments(p part[*sql.TableFunc]) []string {
	c := canon{text: p.text}
	var out []string
	for _, a := range p.node.Call.Args {
		if n, ok := a.(*sql.NamedArg); ok {
			a = n.Value
		}
		switch x := a.(type) {
		case *sql.TableArg:
			if len(x.PartitionBy) > 0 {
				out = append(out, "PARTITION BY "+c.list(x.PartitionBy))
			}
		case *sql.Descriptor:
			out = append(out, "DESCRIPTOR("+c.descriptor(x)+")")
		default:
			out = append(out, c.normal(a))
		}
	}
	return out
}

func (f *faultFinder) joinKinds(a, b *clauses) {
	if len(a.joins) > 0 && len(b.joins) == 0 {
		f.at("LG-SQL-035", 0, "the query does not join")
		return
	}
	if len(a.joins) != len(b.joins) {
		return // joined otherwise: another plan, perhaps the same meaning
	}
	for i, x := range a.joins {
		y := b.joins[i]
		if joinKind(x.node) != joinKind(y.node) {
			f.at("LG-SQL-035", y.line(), "the tables are joined by %s, the task asks for %s", joinKind(y.node), joinKind(x.node))
			return
		}
	}
}

// joinKind takes the ways to write an inner join for one.
func joinKind(j *sql.JoinExpr) string {
	switch j.Type {
	case "LEFT", "RIGHT", "FULL":
		return j.Type + " JOIN"
	}
	return "an inner join"
}

// versions compares which tables are joined as of a time.
func (f *faultFinder) versions(a, b *clauses) {
	switch {
	case len(a.asOf) > len(b.asOf):
		line := 0
		if len(b.joins) > 0 {
			line = b.joins[0].line()
		}
		f.at("LG-SQL-036", line, "the join lacks FOR SYSTEM_TIME AS OF: it takes all versions of the table")
	case len(a.asOf) < len(b.asOf):
		f.at("LG-SQL-036", b.asOf[0].line(), "the join takes the version FOR SYSTEM_TIME AS OF a time; the task joins regularly")
	default:
		for i, x := range a.asOf {
			y := b.asOf[i]
			w, g := canon{text: x.text}.expr(x.node.AsOf), canon{text: y.text}.expr(y.node.AsOf)
			if w != g {
				f.at("LG-SQL-036", y.line(), "the version is that of %s, the task asks for that of %s", g, w)
				return
			}
		}
	}
}

// joinConditions compares the conditions one by one.
func (f *faultFinder) joinConditions(a, b *clauses) {
	if len(a.joins) != len(b.joins) {
		return
	}
	for i, x := range a.joins {
		y := b.joins[i]
		want, got := conditions(x), conditions(y)
		if len(got) == 0 && y.node.On == nil {
			continue // the condition stands in WHERE
		}
		for _, w := range want {
			if !slices.Contains(got, w) {
				f.at("LG-SQL-042", y.line(), "the join condition %s is missing", bare(w))
				return
			}
		}
		for _, g := range got {
			if !slices.Contains(want, g) {
				f.at("LG-SQL-042", y.line(), "the join has the condition %s, the task has not", bare(g))
				return
			}
		}
	}
}

// conditions are the parts of a join's condition that AND connects, in one form each.
func conditions(p part[*sql.JoinExpr]) []string {
	c := canon{text: p.text}
	var out []string
	var split func(x sql.Expr)
	split = func(x sql.Expr) {
		b, ok := x.(*sql.Binary)
		switch {
		case x == nil:
		case ok && b.Op == "AND":
			split(b.X)
			split(b.Y)
		case ok && b.Op == "=":
			s := []string{c.normal(b.X), c.normal(b.Y)}
			sort.Strings(s)
			out = append(out, "("+s[0]+" = "+s[1]+")")
		default:
			out = append(out, c.normal(x))
		}
	}
	split(p.node.On)
	for _, u := range p.node.Using {
		out = append(out, "("+u.Text+" = "+u.Text+")")
	}
	return out
}

func (f *faultFinder) setOperations(a, b *clauses) {
	if len(a.setOps) != len(b.setOps) {
		return
	}
	for i, x := range a.setOps {
		y := b.setOps[i]
		if setOpText(x.node) != setOpText(y.node) {
			f.at("LG-SQL-043", y.line(), "the parts are connected by %s, the task asks for %s", setOpText(y.node), setOpText(x.node))
			return
		}
	}
}

func setOpText(s *sql.SetOp) string {
	if s.All {
		return s.Op + " ALL"
	}
	return s.Op
}

func (f *faultFinder) overWindows(a, b *clauses) {
	for i, x := range a.overs {
		if i >= len(b.overs) {
			f.at("LG-SQL-044", 0, "the query does not use %s(...) OVER", strings.ToUpper(lastPart(x.node.Name)))
			return
		}
		y := b.overs[i]
		w, g := overText(x), overText(y)
		if w != g {
			f.at("LG-SQL-044", y.line(), "the query has %s, the task asks for %s", g, w)
			return
		}
	}
}

func overText(p part[*sql.Call]) string {
	c := canon{text: p.text}
	o := p.node.Over
	s := strings.ToUpper(lastPart(p.node.Name)) + "() OVER (PARTITION BY " + c.list(o.PartitionBy) + " ORDER BY "
	var order []string
	for _, it := range o.OrderBy {
		t := c.expr(it.X)
		if it.Desc {
			t += " DESC"
		}
		order = append(order, t)
	}
	s += strings.Join(order, ", ")
	if o.Frame != nil {
		kind := " RANGE"
		if o.Frame.Rows {
			kind = " ROWS"
		}
		s += kind + " FROM " + strings.TrimSpace(c.normal(o.Frame.Start.X)+" "+o.Frame.Start.Kind) + " TO " + strings.TrimSpace(c.normal(o.Frame.End.X)+" "+o.Frame.End.Kind)
	}
	return s + ")"
}

// list writes expressions in one form.
func (c canon) list(xs []sql.Expr) string {
	var out []string
	for _, x := range xs {
		out = append(out, c.expr(x))
	}
	return strings.Join(out, ", ")
}

// normal is expr with intervals of one unit: a minute is sixty seconds.
func (c canon) normal(x sql.Expr) string {
	switch x := x.(type) {
	case nil:
		return ""
	case *sql.IntervalLit:
		if s, ok := seconds(x); ok {
			return s
		}
	case *sql.Binary:
		op := x.Op
		a, b := c.normal(x.X), c.normal(x.Y)
		if flipped, ok := map[string]string{">": "<", ">=": "<="}[op]; ok {
			a, b, op = b, a, flipped
		}
		return "(" + a + " " + op + " " + b + ")"
	case *sql.Between:
		if !x.Not && !x.Symmetric {
			return "(" + c.normal(x.X) + " BETWEEN " + c.normal(x.Lo) + " AND " + c.normal(x.Hi) + ")"
		}
	}
	return c.expr(x)
}

// seconds is an interval of days to seconds as a number of seconds.
func seconds(x *sql.IntervalLit) (string, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(x.Text), 10, 64)
	unit := map[string]int64{"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86400}[strings.ToUpper(x.Unit.From)]
	if err != nil || unit == 0 || x.Unit.To != "" {
		return "", false
	}
	if x.Negative {
		n = -n
	}
	return fmt.Sprintf("%d seconds", n*unit), true
}
