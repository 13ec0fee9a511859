package plan

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// logicalText is the tree of FlinkLogical nodes that an error about a temporal join
// shows, read off the physical inputs.
func logicalText(n *temporalNode, l, r phys.Node, lk, rk []int) (string, error) {
	var b strings.Builder
	conj := append(append([]rex.Expr(nil), n.cond...), n.marked(initialCondition, len(l.Schema()), lk, rk, nil))
	b.WriteString("FlinkLogicalJoin(condition=[" + rex.Digest(rex.AndOf(conj)) + "], joinType=[" + n.typ + "])\n")
	if err := logicalTree(&b, l, 1); err != nil {
		return "", err
	}
	period := &rex.Field{X: &rex.CorrelVar{ID: n.id}, Name: n.fields[n.period].Name, Index: n.period}
	b.WriteString("  FlinkLogicalSnapshot(period=[" + rex.Digest(period) + "])\n")
	if err := logicalTree(&b, r, 2); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n") + "\n", nil
}

func logicalTree(b *strings.Builder, n phys.Node, depth int) error {
	line := ""
	switch n := n.(type) {
	case *phys.Exchange:
		return logicalTree(b, n.In[0], depth)
	case *phys.WatermarkAssigner:
		line = "WatermarkAssigner(rowtime=[" + n.Fields[n.Column].Name + "], watermark=[" + rex.Digest(n.Expr) + "])"
	case *phys.TableSourceScan, *phys.Calc:
		// Logical nodes print types and literals short.
		line = phys.Line(n, phys.TextOptions{Batch: true})
	case *phys.Union:
		line = "Union(all=[true])"
	case *phys.ProcessTableFunction:
		f := *n
		line = "TableFunctionScan(invocation=[" + phys.Invocation(&f) + "], rowType=[" + rex.RecordText(n.Fields, false) + "])"
	case *phys.Rank:
		r := *n
		r.Strategy = ""
		line = strings.Replace(phys.Line(&r, phys.TextOptions{}), "strategy=[UndefinedStrategy], ", "", 1)
		line = strings.Replace(line, "ROWTIME ", "", 1)
	default:
		return unsupported.New("the plan in the error text of this temporal join")
	}
	b.WriteString(strings.Repeat("  ", depth) + "FlinkLogical" + line + "\n")
	for _, in := range n.Inputs() {
		if err := logicalTree(b, in, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// corruptsVersions refuses a filter between a versioned table and the join
// (EventTimeTemporalJoinRewriteRule). Over a deduplication it is allowed.
func corruptsVersions(right phys.Node) error {
	filtered := false
	for {
		switch n := right.(type) {
		case *phys.Calc:
			filtered = filtered || n.Cond != nil
			right = n.In[0]
		case *phys.WatermarkAssigner:
			right = n.In[0]
		case *phys.TableSourceScan:
			if filtered {
				return flinkerr.Table("Filter is not allowed for right changelog input of event time temporal join, it will corrupt the versioning of data. Please consider removing the filter before joining.")
			}
			return nil
		default:
			return nil
		}
	}
}
