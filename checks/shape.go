package checks

import (
	"sort"
	"strings"

	"github.com/labgrade/labgrade/sql"
)

// level is one SELECT of a query with what it does, in one form for all spellings.
type level struct {
	sel      *sql.Select
	distinct bool
	where    string
	group    []string
	grouped  bool
	having   string
	limit    bool
	items    []item
	// line is where the SELECT begins.
	line int
}

// item is a column of a level.
type item struct {
	name string // as the result calls it; "" for an unnamed expression
	expr string
	agg  *sql.Call
	node sql.Expr
	// argument and function of the aggregate, in one form.
	function, argument string
	star, plain        bool
	line               int
}

// aggregates reports whether the level is an aggregation.
func (l *level) aggregates() bool {
	if l.grouped {
		return true
	}
	for _, it := range l.items {
		if it.agg != nil {
			return true
		}
	}
	return false
}

// trivial reports a level that only passes columns on.
func (l *level) trivial() bool {
	if l.distinct || l.where != "" || l.grouped || l.having != "" || l.limit {
		return false
	}
	for _, it := range l.items {
		if !it.star && !it.plain {
			return false
		}
	}
	return true
}

// filters reports a level that only leaves rows out.
func (l *level) filters() bool {
	c := *l
	c.where = ""
	return l.where != "" && c.trivial()
}

// shape is a query as levels from the outermost to the innermost.
type shape struct {
	levels []*level
	// table is the base table, function the table function above a level ("TO_CHANGELOG").
	table    string
	function *sql.Call
	// complex: the query joins, unions or does what has no shape here.
	complex     bool
	complexLine int
	// outputs are the names of the result's columns.
	outputs []string
}

// shaper finds the shape of a query; views are those that the script has made.
type shaper struct {
	text  string
	views map[string]*sql.Query
	depth int
}

// maxDepth bounds views over views.
const maxDepth = 20

func newShaper(text string, stmts []sql.Statement) *shaper {
	s := &shaper{text: text, views: map[string]*sql.Query{}}
	for _, st := range stmts {
		if v, ok := st.(*sql.CreateView); ok && v.Query != nil {
			s.views[lastPart(v.Name)] = v.Query
		}
	}
	return s
}

func (s *shaper) shape(q *sql.Query) *shape {
	sh := &shape{}
	s.query(q, sh, s.views)
	if len(sh.levels) > 0 {
		for _, it := range sh.levels[0].items {
			sh.outputs = append(sh.outputs, it.name)
		}
	}
	kept := sh.levels[:0:0]
	for _, l := range sh.levels {
		if !l.trivial() {
			kept = append(kept, l)
		}
	}
	if len(kept) == 0 && len(sh.levels) > 0 {
		kept = sh.levels[len(sh.levels)-1:]
	}
	// A filter below an aggregation, as a view or subquery, is its WHERE.
	if n := len(kept); n > 1 && kept[n-1].filters() && kept[n-2].where == "" {
		kept[n-2].where = kept[n-1].where
		kept = kept[:n-1]
	}
	sh.levels = kept
	return sh
}

// query adds the levels of a query and returns what its columns mean.
func (s *shaper) query(q *sql.Query, sh *shape, views map[string]*sql.Query) map[string]string {
	s.depth++
	defer func() { s.depth-- }()
	if q == nil || s.depth > maxDepth {
		sh.complex = true
		return nil
	}
	if len(q.With) > 0 {
		inner := map[string]*sql.Query{}
		for k, v := range views {
			inner[k] = v
		}
		for _, cte := range q.With {
			inner[cte.Name.Text] = cte.Query
		}
		views = inner
	}
	switch b := q.Body.(type) {
	case *sql.Select:
		at := len(sh.levels)
		env := s.sel(b, sh, views)
		if q.Fetch != nil || q.Offset != nil || len(q.OrderBy) > 0 {
			if at < len(sh.levels) {
				sh.levels[at].limit = true
			}
		}
		return env
	case *sql.Query:
		return s.query(b, sh, views)
	case *sql.ExplicitTable:
		return s.named(lastPart(b.Name), sh, views)
	}
	sh.complex = true
	sh.complexLine = q.At().Start.Line
	return nil
}

func (s *shaper) sel(b *sql.Select, sh *shape, views map[string]*sql.Query) map[string]string {
	l := &level{sel: b, distinct: b.Distinct, grouped: b.Grouped || len(b.GroupBy) > 0, line: b.At().Start.Line}
	sh.levels = append(sh.levels, l)
	env := s.from(b.From, sh, views)
	c := canon{env: env, text: s.text}
	l.where = c.expr(b.Where)
	l.having = c.expr(b.Having)
	for _, g := range b.GroupBy {
		if g.X != nil && g.Kind == "" {
			l.group = append(l.group, c.expr(g.X))
		} else {
			l.group = append(l.group, strings.Join(strings.Fields(textOf(s.text, g.At())), " "))
		}
	}
	sort.Strings(l.group)
	if b.Qualify != nil || len(b.Windows) > 0 {
		sh.complex = true
	}
	out := map[string]string{}
	for _, x := range b.Items {
		it := item{line: x.X.At().Start.Line, node: x.X}
		if _, ok := x.X.(*sql.Star); ok {
			it.star = true
			for k, v := range env {
				out[k] = v
			}
		} else {
			it.expr = c.expr(x.X)
			if ref, ok := x.X.(*sql.ColumnRef); ok {
				it.name, it.plain = lastPart(ref.Name), true
			}
			if x.Alias != nil {
				it.name = x.Alias.Text
			}
			if call := aggregateOf(x.X); call != nil {
				it.agg = call
				it.function = strings.ToUpper(lastPart(call.Name))
				if call.Star {
					it.argument = "*"
				}
				for _, a := range call.Args {
					it.argument = c.expr(a)
				}
			}
			if it.name != "" {
				out[it.name] = it.expr
			}
		}
		l.items = append(l.items, it)
	}
	return out
}

func (s *shaper) from(t sql.TableExpr, sh *shape, views map[string]*sql.Query) map[string]string {
	switch t := t.(type) {
	case *sql.TableRef:
		return s.named(lastPart(t.Name), sh, views)
	case *sql.Derived:
		return s.query(t.Query, sh, views)
	case *sql.TableFunc:
		sh.function = t.Call
		for _, a := range t.Call.Args {
			if n, ok := a.(*sql.NamedArg); ok {
				a = n.Value
			}
			if arg, ok := a.(*sql.TableArg); ok {
				if arg.Query != nil {
					return s.query(arg.Query, sh, views)
				}
				return s.named(lastPart(arg.Name), sh, views)
			}
		}
		return nil
	}
	sh.complex = true
	if t != nil {
		sh.complexLine = t.At().Start.Line
	}
	return nil
}

func (s *shaper) named(name string, sh *shape, views map[string]*sql.Query) map[string]string {
	if q := views[name]; q != nil {
		return s.query(q, sh, views)
	}
	sh.table = name
	return nil
}
