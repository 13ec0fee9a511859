package checks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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
