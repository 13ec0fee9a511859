package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/sql"
)

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
