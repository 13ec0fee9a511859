package bind

import (
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

func (blk *block) match(t *sql.MatchRecognize) (rel.Node, error) {
	return nil, unsupported.New("MATCH_RECOGNIZE")
}

type patternScope struct{}

func (p *patternScope) ref(x *exprs, parts []string) (rex.Expr, error) {
	return nil, unsupported.New("MATCH_RECOGNIZE")
}

func isAuxiliary(name string) bool { return false }
func groupOf(name string) string   { return name }

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
