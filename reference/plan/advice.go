package plan

import (
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/config"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// Advice is what EXPLAIN PLAN_ADVICE adds to a plan.
type Advice struct {
	// Text stands below the plan.
	Text string
	// marked are the nodes that advice[1] is about.
	marked map[phys.Node]bool
}

// Of gives the numbers of the advice about a node, "" for none.
func (a *Advice) Of(n phys.Node) string {
	if a.marked[n] {
		return "1"
	}
	return ""
}

// Advice analyses a streaming plan as Flink's GroupAggregationAnalyzer and
// NonDeterministicUpdateAnalyzer do.
func (p *Plan) Advice() (*Advice, error) {
	a := &Advice{marked: map[phys.Node]bool{}}
	visitInputsFirst(p.Roots, func(n phys.Node) {
		if g, ok := n.(*phys.GroupAggregate); ok && couldSplit(g) {
			a.marked[g] = true
		}
	})
	for _, r := range p.Roots {
		if err := updatesAtRandom(r); err != nil {
			return nil, err
		}
	}
	if len(a.marked) == 0 {
		a.Text = "No available advice..."
		return a, nil
	}
	text, err := p.cfg.splitAdvice()
	a.Text = "advice[1]: [ADVICE] " + text
	return a, err
}

// couldSplit: mini-batch would cut the aggregate into two phases.
func couldSplit(n *phys.GroupAggregate) bool {
	if _, ok := n.In[0].(*phys.Exchange); !ok {
		return false
	}
	for _, c := range n.Calls {
		if !mergeable(c.Fn.Name) {
			return false
		}
	}
	return true
}

// splitAdvice names the settings that keep aggregates in one phase.
func (c *Config) splitAdvice() (string, error) {
	var set []string
	if strings.EqualFold(c.option("table.optimizer.agg-phase-strategy"), "ONE_PHASE") {
		set = append(set, "'table.optimizer.agg-phase-strategy' to 'AUTO'")
	}
	if !c.flag(config.KeyMiniBatch) {
		set = append(set, "'"+config.KeyMiniBatch+"' to 'true'")
	}
	latency, err := c.millis(config.KeyMiniBatchLatency, 0)
	if err != nil {
		return "", err
	}
	if latency <= 0 {
		set = append(set, "'"+config.KeyMiniBatchLatency+"' to a positive long value")
	}
	if c.number(config.KeyMiniBatchSize, -1) <= 0 {
		set = append(set, "'"+config.KeyMiniBatchSize+"' to a positive long value")
	}
	return "You might want to enable local-global two-phase optimization by configuring (" + strings.Join(set, ", ") + ").", nil
}

// updatesAtRandom refuses plans in which an expression that is evaluated anew for each
// change of a row gives another value each time: what Flink says about them is not known.
func updatesAtRandom(root phys.Node) error {
	var err error
	found := func(what string) {
		if err == nil {
			err = unsupported.New("advice about %s", what)
		}
	}
	visitInputsFirst([]phys.Node{root}, func(n phys.Node) {
		changes := false
		for _, in := range n.Inputs() {
			changes = changes || in.Mode() != changelog.InsertOnly
		}
		random := func(list ...rex.Expr) {
			for _, e := range list {
				if e != nil && !rex.Deterministic(e) {
					found("random values of rows that change")
				}
			}
		}
		switch n := n.(type) {
		case *phys.TableSourceScan:
			for _, c := range n.Columns {
				if n.Mode() != changelog.InsertOnly && n.Table.Columns[c].Kind == catalog.Metadata {
					found("metadata of rows that change")
				}
			}
		case *phys.Calc:
			if changes {
				random(append(n.Exprs[:len(n.Exprs):len(n.Exprs)], n.Cond)...)
			}
		case *phys.Join:
			if changes || n.JoinType != "InnerJoin" && n.JoinType != "LeftSemiJoin" {
				random(n.Cond)
			}
		case *phys.ChangelogNormalize:
			random(n.Cond)
		case *phys.Correlate:
			if changes {
				random(n.Call, n.Cond)
			}
		case *phys.Match:
			if changes {
				found("MATCH_RECOGNIZE over rows that change")
			}
		case *phys.ProcessTableFunction:
			found("a process table function")
		}
	})
	return err
}
