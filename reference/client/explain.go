package client

import (
	"github.com/labgrade/labgrade/reference/bind"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/plan"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

// explain prints the plans of a statement as a table of one cell.
func (s *Session) explain(r *Result, st *sql.Explain) error {
	var roots []rel.Node
	switch x := st.Stmt.(type) {
	case *sql.QueryStmt:
		root, err := bind.Query(x.Query, s.bindEnv())
		if err != nil {
			return err
		}
		roots = []rel.Node{root}
	case *sql.Insert:
		root, err := s.bindInsert(x)
		if err != nil {
			return err
		}
		roots = []rel.Node{root}
	case *sql.StatementSet:
		for _, in := range x.Inserts {
			root, err := s.bindInsert(in)
			if err != nil {
				return err
			}
			roots = append(roots, root)
		}
	default:
		return unsupported.New("EXPLAIN of this statement")
	}
	if err := s.checkTables(roots...); err != nil {
		return err
	}
	batch := s.settings.Batch()
	var opt phys.TextOptions
	for _, d := range st.Details {
		switch d {
		case "CHANGELOG_MODE":
			opt.ChangelogMode = true
		case "PLAN_ADVICE":
			if batch {
				return flinkerr.New("java.lang.UnsupportedOperationException", "EXPLAIN PLAN_ADVICE is not supported under batch mode.")
			}
			return unsupported.New("EXPLAIN %s", d)
		default:
			return unsupported.New("EXPLAIN %s", d)
		}
	}
	p, err := s.plan(r, roots, false)
	if err != nil {
		return err
	}
	env, err := s.env()
	if err != nil {
		return err
	}
	if err := translate(p.Roots, &env); err != nil {
		return err
	}
	if p.Doubt != nil {
		return p.Doubt
	}
	r.PlanText = explainText(roots, p, opt)
	s.table(r, []string{"result"}, [][]string{{r.PlanText}})
	return nil
}

// explainText is the text of EXPLAIN: three sections, each followed by an empty line but the last.
func explainText(roots []rel.Node, p *plan.Plan, opt phys.TextOptions) string {
	ast := ""
	for i, r := range roots {
		if i > 0 {
			ast += "\n"
		}
		ast += trimEnd(rel.Text(r)) + "\n"
	}
	return "== Abstract Syntax Tree ==\n" + ast +
		"\n== Optimized Physical Plan ==\n" + trimEnd(p.Text(opt)) + "\n" +
		"\n== Optimized Execution Plan ==\n" + trimEnd(p.Execution()) + "\n"
}

func trimEnd(s string) string {
	for len(s) > 0 && s[len(s)-1] == '\n' {
		s = s[:len(s)-1]
	}
	return s
}
