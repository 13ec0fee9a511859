package client

import (
	"errors"
	"strings"

	"github.com/labgrade/labgrade/reference/batch"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/plan"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/source"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/reference/unsupported"
)

func atRuntime(err error) bool {
	var f *flinkerr.Error
	return errors.As(err, &f) && f.AtRuntime
}

// checkParallelism refuses what the engine does not model.
func (s *Session) checkParallelism() error {
	n, err := s.settings.Int("parallelism.default", 1)
	if err != nil {
		return err
	}
	if n != 1 && n != -1 { // -1 leaves it to the cluster, which has 1
		return unsupported.New("parallelism %d: the order of rows is not determined then", n)
	}
	return nil
}

// plan optimizes logical trees. collect tells that a SELECT is to be run.
func (s *Session) plan(r *Result, roots []rel.Node, collect bool) (*plan.Plan, error) {
	if err := s.checkParallelism(); err != nil {
		return nil, err
	}
	if s.settings.Batch() {
		if err := noProcessFunction(roots); err != nil {
			return nil, err
		}
	}
	env, err := s.env()
	if err != nil {
		return nil, err
	}
	p, err := plan.Optimize(roots, &plan.Config{
		Batch:  s.settings.Batch(),
		Option: s.settings.Get,
		Fold:   plan.Folder(&env), FoldFails: plan.FolderFails(&env),
		RowCount: func(t *catalog.Table) (float64, bool) {
			n, known := source.EstimateRows(t, s.opt.Files)
			return float64(n), known
		},
		Collect: collect,
	})
	if err != nil {
		return nil, err
	}
	r.Plan = p.Roots
	s.planned = append(s.planned, p)
	return p, phys.Check(p.Roots, s.settings.Batch())
}

func (s *Session) env() (fn.Env, error) {
	zone, err := s.settings.TimeZone()
	return fn.Env{Zone: zone, Now: s.opt.Now(), Database: s.catalogs.CurrentDatabase()}, err
}

func (s *Session) streamRuntime(r *Result) (*stream.Runtime, error) {
	env, err := s.env()
	if err != nil {
		return nil, err
	}
	ttl, err := s.settings.Millis("table.exec.state.ttl", 0)
	if err != nil {
		return nil, err
	}
	bundle, err := s.bundleSize()
	if err != nil {
		return nil, err
	}
	interval, err := s.settings.Millis("pipeline.auto-watermark-interval", 200)
	if err != nil {
		return nil, err
	}
	if interval == 0 {
		interval = -1 // the evaluator's 0 is the default
	}
	return &stream.Runtime{
		Env:               env,
		Open:              func(scan *phys.TableSourceScan) (stream.Reader, error) { return s.openStream(scan) },
		StateTTL:          ttl,
		MiniBatchSize:     bundle,
		Lead:              s.lead,
		WatermarkInterval: interval,
	}, nil
}

func (s *Session) batchRuntime(r *Result) (*batch.Runtime, error) {
	env, err := s.env()
	if err != nil {
		return nil, err
	}
	return &batch.Runtime{
		Env:  env,
		Open: func(scan *phys.TableSourceScan) (batch.Reader, error) { return s.openBatch(scan) },
		Blocks: func(scan *phys.TableSourceScan) (*source.Blocks, error) {
			return source.OpenBlocks(scan.Table, scan.Columns, scan.Limit, s.opt.Files, source.Options{})
		},
	}, nil
}

// bundleSize is the number of records in a mini-batch bundle, 0 without mini-batch.
func (s *Session) bundleSize() (int64, error) {
	on, err := s.settings.Bool("table.exec.mini-batch.enabled", false)
	if err != nil || !on {
		return 0, err
	}
	return s.settings.Long("table.exec.mini-batch.size", -1)
}

// noProcessFunction refuses process table functions, which batch has none of. Flink's message
// goes on with the state of its planner. The second line depends on that, too, where
// a join or an aggregation above the call asks for a distribution.
func noProcessFunction(roots []rel.Node) error {
	called, plain := false, true
	var walk func(n rel.Node, above bool)
	walk = func(n rel.Node, above bool) {
		switch n := n.(type) {
		case *rel.TableFunction:
			switch strings.ToUpper(n.Name) {
			case "TO_CHANGELOG", "FROM_CHANGELOG":
				// what lies under the uppermost call does not reach the message
				called, plain = true, plain && above
				return
			}
		case *rel.Project, *rel.Filter:
		default:
			above = false
		}
		for _, in := range n.Inputs() {
			walk(in, above)
		}
	}
	for _, r := range roots {
		walk(r, true)
	}
	if !called {
		return nil
	}
	text := "There are not enough rules to produce a node with desired properties: convention=BATCH_PHYSICAL, FlinkRelDistributionTraitDef=any, sort=[]."
	if plain {
		text += "\nMissing conversion is FlinkLogicalTableFunctionScan[convention: LOGICAL -> BATCH_PHYSICAL]"
	}
	return flinkerr.New("org.apache.calcite.plan.RelOptPlanner$CannotPlanException", "%s", text)
}

// tables finds the tables that logical trees read, in the order of the tree.
func tables(roots []rel.Node) []*catalog.Table {
	var out []*catalog.Table
	var walk func(rel.Node)
	walk = func(n rel.Node) {
		for _, in := range n.Inputs() {
			walk(in)
		}
		switch n := n.(type) {
		case *rel.Scan:
			out = append(out, n.Table)
		case *rel.Project:
			inQueries(n.Exprs, walk)
		case *rel.Filter:
			inQueries([]rex.Expr{n.Cond}, walk)
		case *rel.Join:
			inQueries([]rex.Expr{n.Cond}, walk)
		}
	}
	for _, r := range roots {
		walk(r)
	}
	return out
}

// inQueries visits the sub-queries of expressions.
func inQueries(exprs []rex.Expr, visit func(rel.Node)) {
	for _, e := range exprs {
		if e == nil {
			continue
		}
		rex.Walk(e, func(x rex.Expr) bool {
			if q, ok := x.(*rex.SubQuery); ok {
				if n, ok := q.Rel.(rel.Node); ok {
					visit(n)
				}
			}
			return true
		})
	}
}
