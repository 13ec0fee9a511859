package checks

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/sql"
)

// mutation is the lab's query with one usual mistake.
type mutation struct {
	code, says, text string
}

// splice replaces the text of a span, or inserts behind one.
type splice struct {
	from, to int
	with     string
}

// edited applies splices, which must not overlap.
func edited(text string, s ...splice) string {
	sort.Slice(s, func(i, j int) bool { return s[i].from > s[j].from })
	for _, x := range s {
		if x.from < 0 || x.to > len(text) || x.from > x.to {
			return text
		}
		text = text[:x.from] + x.with + text[x.to:]
	}
	return text
}

func over(n sql.Node, with string) splice {
	sp := n.At()
	return splice{sp.Start.Offset, sp.End.Offset + 1, with}
}

// mutator makes the usual mistakes of a query by editing its text.
type mutator struct {
	lab  *labs.Lab
	step *labs.Step
	text string
	out  []mutation
}

// mutations lists the usual mistakes in the queries of a text: a query, an INSERT, or
// the views of a setup.
func mutations(lab *labs.Lab, step *labs.Step, query string) []mutation {
	m := &mutator{lab: lab, step: step, text: query}
	for _, st := range statementsOf(query) {
		q := queryOf(st.stmt)
		if v, ok := st.stmt.(*sql.CreateView); ok {
			q = v.Query
		}
		if q != nil {
			m.query(q, nil)
		}
	}
	return m.out
}

// limited is a query with a LIMIT of as many rows as were saved.
func limited(query string, rows int) mutation {
	return mutation{"LG-SQL-011", fmt.Sprintf("the query has LIMIT %d", rows), strings.TrimRight(query, "; \n\t\r") + fmt.Sprintf(" LIMIT %d", rows)}
}

func (m *mutator) add(code, says string, s ...splice) {
	t := edited(m.text, s...)
	if t != m.text {
		m.out = append(m.out, mutation{code, says, t})
	}
}

// columns are the names of the source table's columns that have a type of the kind.
func (m *mutator) columns(table string, numeric bool) []string {
	var out []string
	for _, t := range m.lab.Tables {
		if t.Name != table && table != "" {
			continue
		}
		for _, c := range t.Physical() {
			name, _, _ := strings.Cut(strings.ToUpper(c.Type), " ")
			isNumber := strings.Contains(" TINYINT SMALLINT INT INTEGER BIGINT FLOAT DOUBLE ", " "+name+" ") || strings.HasPrefix(name, "DECIMAL")
			if !numeric || isNumber {
				out = append(out, c.Name)
			}
		}
	}
	return out
}

// query mutates a query; outer is the SELECT around it.
func (m *mutator) query(q *sql.Query, outer *sql.Select) {
	sel, ok := q.Body.(*sql.Select)
	if !ok {
		return
	}
	inner, _ := sel.From.(*sql.Derived)
	base, _ := sel.From.(*sql.TableRef)
	if base != nil {
		m.base(sel, lastPart(base.Name), outer != nil)
	}
	m.aggregates(sel, base)
	if inner != nil && outer == nil {
		m.nesting(q, sel, inner)
	}
	if inner != nil {
		m.query(inner.Query, sel)
	}
}

// base mutates a SELECT over a source table.
func (m *mutator) base(sel *sql.Select, table string, nested bool) {
	end := sel.From.At().End.Offset + 1
	if t, ok := sel.From.(*sql.TableRef); ok && t.Alias != nil {
		end = max(end, t.Alias.Name.At().End.Offset+1)
	}
	if sel.Where == nil {
		for _, w := range m.conditions() {
			m.add("LG-SQL-001", "WHERE "+w+" is left in", splice{end, end, " WHERE " + w})
		}
	} else {
		m.add("LG-SQL-002", "the WHERE clause is missing", splice{end, sel.Where.At().End.Offset + 1, ""})
	}
	all := m.columns(table, false)
	for _, g := range sel.GroupBy {
		ref, ok := g.X.(*sql.ColumnRef)
		if !ok {
			continue
		}
		old := lastPart(ref.Name)
		var shown []splice
		var shownAs []splice
		for _, it := range sel.Items {
			if c, ok := it.X.(*sql.ColumnRef); ok && lastPart(c.Name) == old {
				shown = append(shown, over(c, "\x00"))
				if it.Alias == nil {
					shownAs = append(shownAs, over(c, "\x00 AS "+sql.QuoteName(old)))
				}
			}
		}
		for _, c := range all {
			if c == old {
				continue
			}
			name := sql.QuoteName(c)
			says := fmt.Sprintf("the query groups by %s instead of %s", c, old)
			m.add("LG-SQL-004", says, append(fill(shown, name), over(ref, name))...)
			m.add("LG-SQL-004", says, append(fill(shownAs, name), over(ref, name))...)
			says = fmt.Sprintf("the query groups by %s, too", c)
			m.add("LG-SQL-005", says, over(ref, sql.QuoteName(old)+", "+name))
			m.add("LG-SQL-005", says, append(fill(shown, sql.QuoteName(old)+", "+name), over(ref, sql.QuoteName(old)+", "+name))...)
		}
		if !nested {
			m.withoutGroup(sel, old)
		}
	}
}

// fill puts a name into prepared splices.
func fill(s []splice, name string) []splice {
	out := slices.Clone(s)
	for i := range out {
		out[i].with = strings.ReplaceAll(out[i].with, "\x00", name)
	}
	return out
}

// withoutGroup removes GROUP BY, and the grouping column from the SELECT list.
func (m *mutator) withoutGroup(sel *sql.Select, old string) {
	if len(sel.GroupBy) != 1 || len(sel.Items) < 2 {
		return
	}
	from := sel.From.At().End.Offset + 1
	if sel.Where != nil {
		from = sel.Where.At().End.Offset + 1
	}
	g := sel.GroupBy[0].At()
	s := []splice{{from, g.End.Offset + 1, ""}}
	for i, it := range sel.Items {
		if c, ok := it.X.(*sql.ColumnRef); ok && lastPart(c.Name) == old && i == 0 {
			s = append(s, splice{c.At().Start.Offset, sel.Items[1].X.At().Start.Offset, ""})
			m.add("LG-SQL-006", "GROUP BY is missing", s...)
		}
	}
}

// conditions are the WHERE clauses of the lab's queries: what may be left from another step.
func (m *mutator) conditions() []string {
	var out []string
	var texts []string
	for _, st := range m.lab.Steps {
		texts = append(texts, st.Query)
		for _, p := range st.Plans {
			texts = append(texts, p.Query)
		}
	}
	for _, t := range texts {
		for _, st := range statementsOf(t) {
			if q := queryOf(st.stmt); q != nil {
				if sel, ok := q.Body.(*sql.Select); ok && sel.Where != nil {
					if w := textOf(t, sel.Where.At()); !slices.Contains(out, w) {
						out = append(out, w)
					}
				}
			}
		}
	}
	return out
}

// aggregates replaces the aggregate functions and their arguments.
func (m *mutator) aggregates(sel *sql.Select, base *sql.TableRef) {
	table := ""
	if base != nil {
		table = lastPart(base.Name)
	}
	for _, it := range sel.Items {
		call := aggregateOf(it.X)
		if call == nil {
			continue
		}
		name := strings.ToUpper(lastPart(call.Name))
		says := func(with string) string {
			return fmt.Sprintf("the query has %s instead of %s", with, textOf(m.text, call.At()))
		}
		swap := func(code, with string) { m.add(code, says(with), over(call, with)) }
		if base == nil {
			// Over a subquery its columns are few: only the functions are tried.
			for _, g := range sel.GroupBy {
				if c, ok := g.X.(*sql.ColumnRef); ok {
					swap("LG-SQL-007", "SUM("+sql.QuoteName(lastPart(c.Name))+")")
					swap("LG-SQL-009", "COUNT(DISTINCT "+sql.QuoteName(lastPart(c.Name))+")")
				}
			}
			continue
		}
		if call.Star || name == "COUNT" {
			for _, c := range m.columns(table, false) {
				swap("LG-SQL-009", "COUNT(DISTINCT "+sql.QuoteName(c)+")")
			}
			for _, c := range m.columns(table, true) {
				for _, fn := range []string{"SUM", "MAX", "MIN", "AVG"} {
					swap("LG-SQL-007", fn+"("+sql.QuoteName(c)+")")
				}
			}
			continue
		}
		if len(call.Args) != 1 {
			continue
		}
		arg := textOf(m.text, call.Args[0].At())
		for _, fn := range []string{"COUNT", "SUM", "MAX", "MIN", "AVG"} {
			if fn != name {
				swap("LG-SQL-007", fn+"("+arg+")")
			}
		}
		swap("LG-SQL-007", "COUNT(*)")
		swap("LG-SQL-009", name+"(DISTINCT "+arg+")")
		for _, c := range m.columns(table, true) {
			if c != strings.Trim(arg, "`") {
				swap("LG-SQL-008", name+"("+sql.QuoteName(c)+")")
			}
		}
	}
}

// nesting removes the inner or the outer aggregation.
func (m *mutator) nesting(q *sql.Query, sel *sql.Select, inner *sql.Derived) {
	text := textOf(m.text, inner.Query.At())
	m.out = append(m.out, mutation{"LG-SQL-020", "the outer query is missing", text})
	isel, ok := inner.Query.Body.(*sql.Select)
	if !ok || isel.From == nil {
		return
	}
	table, ok := isel.From.(*sql.TableRef)
	if !ok {
		return
	}
	for _, it := range sel.Items {
		call := aggregateOf(it.X)
		if call == nil {
			continue
		}
		for _, g := range isel.GroupBy {
			key := textOf(m.text, g.At())
			for _, o := range sel.GroupBy {
				name := textOf(m.text, o.At())
				out := name
				if it.Alias != nil {
					out = it.Alias.Text
				}
				m.out = append(m.out,
					mutation{"LG-SQL-019", "the inner aggregation is missing", fmt.Sprintf("SELECT %s AS %s, COUNT(*) AS %s FROM %s GROUP BY %s", key, name, sql.QuoteName(out), lastPart(table.Name), key)},
					mutation{"LG-SQL-019", "the inner aggregation is missing", fmt.Sprintf("SELECT %s, COUNT(*) AS %s FROM %s GROUP BY %s", key, sql.QuoteName(out), lastPart(table.Name), key)})
			}
		}
	}
}
