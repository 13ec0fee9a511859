package checks

import (
	"fmt"
	"sort"
	"strings"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/sql"
)

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
