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
		sinks := map[string]bool{}
		for _, in := range x.Inserts {
			root, err := s.bindInsert(in)
			if err != nil {
				return err
			}
			if k, ok := root.(*rel.Sink); ok {
				if name := k.Table.Path.String(); sinks[name] {
					return unsupported.New("EXPLAIN of several INSERTs into one table") // Flink joins them
				} else {
					sinks[name] = true
				}
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
	var opt explainOptions
	for _, d := range st.Details {
		switch d {
		case "CHANGELOG_MODE":
			opt.ChangelogMode = true
		case "JSON_EXECUTION_PLAN":
			opt.json = true
		case "ESTIMATED_COST":
			opt.cost = true
		case "PLAN_ADVICE":
			if batch {
				return flinkerr.New("java.lang.UnsupportedOperationException", "EXPLAIN PLAN_ADVICE is not supported under batch mode.")
			}
			opt.advice = true
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
	if r.PlanText, err = s.explainText(roots, p, opt); err != nil {
		return err
	}
	s.table(r, []string{"result"}, [][]string{{r.PlanText}})
	return nil
}

// explainOptions are the details that EXPLAIN was asked for.
type explainOptions struct {
	phys.TextOptions
	advice, json, cost bool
}

// explainText is the text of EXPLAIN: sections, each followed by an empty line but the last.
func (s *Session) explainText(roots []rel.Node, p *plan.Plan, opt explainOptions) (string, error) {
	ast := ""
	for i, r := range roots {
		if i > 0 {
			ast += "\n"
		}
		ast += trimEnd(rel.Text(r)) + "\n"
	}
	title, below := "", ""
	if opt.advice {
		a, err := p.Advice()
		if err != nil {
			return "", err
		}
		opt.Advice = a.Of
		title, below = " With Advice", "\n"+a.Text+"\n"
	}
	if opt.cost {
		costs, err := p.Costs()
		if err != nil {
			return "", err
		}
		opt.Suffix, opt.Full = costs, true
	}
	text := "== Abstract Syntax Tree ==\n" + ast +
		"\n== Optimized Physical Plan" + title + " ==\n" + trimEnd(p.Text(opt.TextOptions)) + "\n" + below +
		"\n== Optimized Execution Plan ==\n" + trimEnd(p.Execution()) + "\n"
	if opt.json {
		job, err := s.streamGraph(p)
		if err != nil {
			return "", err
		}
		text += "\n== Physical Execution Plan ==\n" + job
	}
	return text, nil
}

// streamGraph is a statement's job as JSON. Its numbers go on from those of the statements before.
func (s *Session) streamGraph(p *plan.Plan) (string, error) {
	text := ""
	for _, q := range s.planned {
		t, err := q.StreamGraph(&s.counters)
		if q == p {
			if err != nil {
				return "", err
			}
			text = t
		}
		// What the numbers of a statement before are does not matter where they are not known: they
		// count what the client has done since it started, and differ from run to run.
	}
	s.planned = s.planned[:0]
	return text, nil
}

func trimEnd(s string) string {
	for len(s) > 0 && s[len(s)-1] == '\n' {
		s = s[:len(s)-1]
	}
	return s
}
