package bind

import (
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

type usingColumn struct {
	name        string
	left, right sql.Expr
}

func (blk *block) commonColumn(name string) []sql.Expr { return nil }

func (blk *block) starColumns() []item {
	var out []item
	for _, k := range blk.sc.kids {
		for _, f := range k.fields {
			out = append(out, item{x: columnRef(blk.sel.Span, k.name, f.Name), name: f.Name})
		}
	}
	return out
}

func (blk *block) nameWindows() error {
	if len(blk.sel.Windows) > 0 {
		return unsupported.New("WINDOW clause")
	}
	return nil
}

func (blk *block) join(t *sql.JoinExpr) (rel.Node, error) { return nil, unsupported.New("join") }
func (blk *block) unnest(t *sql.Unnest) (rel.Node, error) { return nil, unsupported.New("UNNEST") }
func (blk *block) tableFunc(t *sql.TableFunc) (rel.Node, error) {
	return nil, unsupported.New("table function %s", callName(t.Call))
}
func (blk *block) match(t *sql.MatchRecognize) (rel.Node, error) {
	return nil, unsupported.New("MATCH_RECOGNIZE")
}
func (blk *block) snapshot(t *sql.TableRef, r *relation) (rel.Node, error) {
	return nil, unsupported.New("FOR SYSTEM_TIME AS OF")
}

func (x *exprs) scalarSubquery(e *sql.Subquery) (rex.Expr, error) {
	return nil, unsupported.New("scalar sub-query")
}
func (x *exprs) quantified(e *sql.Quantified) (rex.Expr, error) {
	return nil, unsupported.New("quantified comparison")
}
func (x *exprs) exists(e *sql.Unary) (rex.Expr, error) { return nil, unsupported.New("EXISTS") }
func (x *exprs) inQuery(e *sql.In) (rex.Expr, error)   { return nil, unsupported.New("IN sub-query") }
func (x *exprs) over(e *sql.Call) (rex.Expr, error)    { return nil, unsupported.New("OVER") }

func hasSubquery(e rex.Expr) bool { return false }

func (s *scope) mergeVariables(mark int) []int { return nil }

type patternScope struct{}

func (p *patternScope) ref(x *exprs, parts []string) (rex.Expr, error) {
	return nil, unsupported.New("MATCH_RECOGNIZE")
}

func isAuxiliary(name string) bool     { return false }
func groupOf(name string) string       { return name }
func isTableFunction(name string) bool { return false }

func (a *aggregation) bindGroup(x *exprs, e sql.Expr) (rex.Expr, error)     { return x.bind(e) }
func (a *aggregation) lookupAux(e sql.Expr, canon string) (rex.Expr, error) { return nil, nil }

func errSetTypes(i int) error {
	return unsupported.New("set operation over different types in column %d", i+1)
}

func sourceText(e sql.Expr) string {
	if c, ok := e.(*sql.ColumnRef); ok {
		return joinDots(nameParts(c.Name))
	}
	return "?"
}

func joinDots(p []string) string {
	s := ""
	for i, x := range p {
		if i > 0 {
			s += "."
		}
		s += x
	}
	return s
}

var _ = value.Null
