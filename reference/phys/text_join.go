package phys

import (
	"fmt"
	"strings"

	"github.com/labgrade/labgrade/reference/rex"
)

func (w *writer) join(n *Join) {
	all := joinNames(w.input(n, 0), w.input(n, 1))
	w.a.name = n.Kind
	if n.Kind == "" {
		w.a.name = "Join"
	}
	w.a.addIf(n.Original != "", "originalJoin", n.Original)
	w.a.add("joinType", n.JoinType)
	w.a.add("where", w.where(all, n.Cond))
	w.a.add("select", strings.Join(fieldNames(n.Fields), ", "))
	switch n.Kind {
	case "", "Join":
		w.a.add("leftInputSpec", n.LeftSpec)
		w.a.add("rightInputSpec", n.RightSpec)
	case "NestedLoopJoin", "HashJoin", "AdaptiveJoin":
		if n.Original == "SortMergeJoin" {
			break
		}
		side := "right"
		if n.BuildLeft {
			side = "left"
		}
		w.a.addIf(n.Broadcast, "isBroadcast", "true")
		w.a.add("build", side)
		w.a.addIf(n.SingleRow, "singleRowJoin", "true")
		w.a.addIf(n.DistinctBuild, "tryDistinctBuildRow", "true")
	}
}

func (w *writer) where(names []string, cond rex.Expr) string {
	if cond == nil {
		return "true"
	}
	return w.printer(names).Text(cond)
}

func (w *writer) intervalJoin(n *IntervalJoin) {
	w.a.name = "IntervalJoin"
	w.a.add("joinType", n.JoinType)
	w.a.add("windowBounds", fmt.Sprintf("isRowTime=%t, leftLowerBound=%d, leftUpperBound=%d, leftTimeIndex=%d, rightTimeIndex=%d",
		n.Rowtime, n.Lower, n.Upper, n.LeftTime, n.RightTime))
	w.a.add("where", w.where(joinNames(w.input(n, 0), w.input(n, 1)), n.Cond))
	w.a.add("select", strings.Join(fieldNames(n.Fields), ", "))
}

// joinNames makes the names of both sides unique: a right name that is taken gets 0,
// then 1, ... behind it (SqlValidatorUtil.uniquify).
func joinNames(left, right []string) []string {
	out := append([]string(nil), left...)
	used := map[string]bool{}
	for _, n := range left {
		used[n] = true
	}
	for _, n := range right {
		name := n
		for j := 0; used[name]; j++ {
			name = n + itoa(j)
		}
		used[name] = true
		out = append(out, name)
	}
	return out
}

// JoinNames is joinNames for the planner.
func JoinNames(left, right []string) []string { return joinNames(left, right) }

// correlate prints a table function applied to each row: in correlate=[..] its columns
// have names, without blanks between them.
func (w *writer) correlate(n *Correlate) {
	w.a.name = "Correlate"
	w.a.add("invocation", rex.Digest(n.Call))
	p := w.printer(w.input(n, 0))
	args := make([]string, len(n.Call.Args))
	for i, a := range n.Call.Args {
		args[i] = p.Text(a)
	}
	w.a.add("correlate", "table("+n.Call.Op.Name+"("+strings.Join(args, ",")+"))")
	w.a.add("select", strings.Join(fieldNames(n.Fields), ","))
	record := rex.RecordText(n.Fields, false)
	if len(w.input(n, 0)) == 0 {
		record = strings.Replace(record, "RecordType(", "RecordType:peek_no_expand(", 1)
	}
	w.a.add("rowType", record)
	w.a.add("joinType", n.JoinType)
	if n.Cond != nil {
		w.a.add("condition", rex.Digest(n.Cond))
	}
}
