package plan

import (
	"strconv"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

func windowKey(g overGroup) string {
	s := ""
	for _, p := range g.partition {
		s += strconv.Itoa(p) + ","
	}
	s += "|"
	for _, k := range g.keys {
		s += strconv.Itoa(k.Column) + strconv.FormatBool(k.Desc) + strconv.FormatBool(k.NullsLast) + ","
	}
	s += strconv.FormatBool(g.rows) + g.lower.Kind + g.upper.Kind
	if g.lower.X != nil {
		s += rex.Digest(g.lower.X)
	}
	if g.upper.X != nil {
		s += rex.Digest(g.upper.X)
	}
	return s
}

// isRanking: functions that a Top-N is made of.
func isRanking(name string) bool {
	return name == "ROW_NUMBER" || name == "RANK" || name == "DENSE_RANK"
}

// ranks: the only thing computed is a rank.
func (n *overNode) ranks() bool {
	return len(n.groups) == 1 && len(n.groups[0].calls) == 1 && isRanking(n.groups[0].calls[0].Agg.Name) && len(n.groups[0].keys) > 0
}

// pruneOver turns a window with a bound on its rank into a Rank, and else keeps the
// windows, whose input stays whole.
func (b *builder) pruneOver(c *calc, n *overNode, refs []int) {
	if n.ranks() {
		name := n.groups[0].calls[0].Agg.Name
		if !b.cfg.Batch || name == "RANK" {
			if b.toRank(c, n) {
				return
			}
		}
	}
	if _, windows := n.in.in.(*windowTVFNode); windows && b.cfg.Batch && !n.ranks() && len(rex.Refs(append(append([]rex.Expr(nil), c.exprs...), c.cond...)...)) < len(n.fields) {
		b.doubtText("OVER above a window function, of some of the columns, in batch")
	}
	b.pruneColumns(n.in)
}

func (p *physical) overAggregate(n *overNode) phys.Node {
	if err := rankWithoutOrder(n); err != nil {
		return p.fail(err)
	}
	if len(n.groups) > 1 {
		return p.fail(flinkerr.Table("Over Agg: Unsupported use of OVER windows. All aggregates must be computed on the same window. please re-check the over window statement."))
	}
	in := p.calc(n.in)
	if p.err != nil {
		return in
	}
	g := n.groups[0]
	if err := checkStreamOver(g, in); err != nil {
		return p.fail(err)
	}
	o := &phys.OverAggregate{PartitionBy: g.partition, Keys: sortKeys(g.keys), Rows: g.rows, Lower: g.lower, Upper: g.upper}
	o.Fields = append(append([]value.Field(nil), in.Schema()...), n.fields[len(n.in.fields):]...)
	o.Calls = p.overCalls(g, 0)
	o.In = []phys.Node{distribute(in, g.partition)}
	return o
}

// overCalls are the calls of a window, whose results are named by its number.
func (p *physical) overCalls(g overGroup, number int) []phys.AggCall {
	var out []phys.AggCall
	for i, c := range g.calls {
		a := phys.AggCall{Fn: c.Agg, Distinct: c.Distinct, IgnoreNulls: c.IgnoreNulls, Filter: -1,
			Name: "w" + strconv.Itoa(number) + "$o" + strconv.Itoa(i), T: c.T}
		for _, x := range c.Args {
			switch x := x.(type) {
			case *rex.InputRef:
				if len(a.Constants) > 0 {
					p.fail(unsupported.New("a column behind a constant argument of %s", c.Agg.Name))
					return nil
				}
				a.Args = append(a.Args, x.Index)
				a.ArgTypes = append(a.ArgTypes, x.T)
			case *rex.Literal:
				a.Constants = append(a.Constants, x)
			}
		}
		out = append(out, a)
	}
	return out
}

// checkStreamOver refuses what StreamExecOverAggregate does, in its order.
func checkStreamOver(g overGroup, in phys.Node) error {
	if len(g.keys) != 1 {
		return flinkerr.Table("The window can only be ordered by a single time column.")
	}
	if g.keys[0].Desc {
		return flinkerr.Table("The window can only be ordered in ASCENDING mode.")
	}
	for _, c := range g.calls {
		if c.Agg.Name == "LEAD" {
			return flinkerr.Table("LEAD Function is not supported in stream mode.")
		}
	}
	time := in.Schema()[g.keys[0].Column].Type.Time != value.NoTimeAttribute
	switch {
	case g.lower.Kind == "UNBOUNDED PRECEDING" && g.upper.Kind == "CURRENT ROW":
	case g.lower.Kind == "PRECEDING" && g.upper.Kind == "CURRENT ROW":
		if !time {
			return flinkerr.Table("Non-time attribute sort is not supported for bounded OVER window.")
		}
	case g.lower.Kind == "CURRENT ROW" && g.upper.Kind == "CURRENT ROW":
		return flinkerr.Table("OVER RANGE FOLLOWING windows are not supported yet.")
	default:
		return flinkerr.Table("OVER RANGE FOLLOWING windows are not supported yet.")
	}
	return nil
}
