package plan

import (
	"slices"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// pruneGroupWindow drops unused calls and columns, and all properties if none is read.
func (b *builder) pruneGroupWindow(c *calc, n *groupWindowNode, refs []int) {
	for _, e := range append(append([]rex.Expr(nil), c.exprs...), c.cond...) {
		rex.Walk(e, func(x rex.Expr) bool {
			if call, ok := x.(*rex.Call); ok && isGroupWindow(call.Op) {
				b.fail(unsupported.New("a group window as a value"))
			}
			return true
		})
	}
	a := n.agg
	nk := len(a.keys)
	used := map[int]bool{}
	for _, r := range refs {
		used[r] = true
	}
	had := n.props
	n.props = false
	for r := range used {
		n.props = n.props || r >= len(a.fields)
	}
	if had && !n.props && b.cfg.Batch {
		b.doubtText("a group window whose start or end is selected and not used in batch")
	}
	rows := b.rows(a.in)
	vals, changed := b.reduceFunctions(a, rows, b.groupRows(a, rows))
	old := sequenceRefs(n.fields)
	if changed {
		copy(old[nk:], vals)
	}
	oldProps := n.fields[nk+len(vals):]
	if !changed {
		oldProps = n.fields[len(a.fields):]
	}
	first := len(n.fields) - len(oldProps)
	n.makeFields()
	for i := range oldProps {
		old[first+i] = &rex.InputRef{Index: len(a.fields) + i, T: oldProps[i].Type}
	}
	c.substitute(old)
	need := map[int]bool{n.window.TimeColumn: true}
	for _, k := range a.keys {
		need[k] = true
	}
	for _, call := range a.calls {
		for _, x := range call.Args {
			need[x] = true
		}
		if call.Filter >= 0 {
			need[call.Filter] = true
		}
	}
	at := map[int]int{}
	var want []int
	for i := range a.in.exprs {
		if need[i] {
			at[i] = len(want)
			want = append(want, i)
		}
	}
	if len(want) < len(a.in.exprs) {
		a.in = a.in.keepOutputs(want)
		a.renumberInput(at)
		n.window.TimeColumn = at[n.window.TimeColumn]
	}
	if !n.props {
		n.fields = n.fields[:len(a.fields)]
	}
	n.mergeProject(b.cfg.Batch)
	if _, scan := a.in.in.(*scanNode); b.cfg.Batch && scan && a.in.trivial() && !slices.IsSorted(a.keys) {
		b.doubtText("a group window by columns in another order than the table's in batch")
	}
	b.pruneColumns(a.in)
}

// needsMerge: HOP collects rows by panes, SESSION joins windows, and both merge accumulators.
func needsMerge(calls []rel.AggCall) error {
	for _, c := range calls {
		switch name := c.Fn.Name; {
		case mergeable(name):
		case name == "FIRST_VALUE", name == "LAST_VALUE":
			class := map[string]string{"FIRST_VALUE": "FirstValueAggFunction", "LAST_VALUE": "LastValueAggFunction"}[name]
			return flinkerr.Validation("Could not find an implementation method 'merge' in class 'org.apache.flink.table.runtime.functions.aggregate.%s' for function '%s' that matches the following signature:\nvoid merge(org.apache.flink.table.data.RowData, java.lang.Iterable)", class, name)
		default:
			return unsupported.New("%s over windows that are merged", name)
		}
	}
	return nil
}

// mergeProject: a projection above a condition that reads no other columns only reorders them, so the
// aggregate reads them where they stand. In batch so does one that only reorders all columns of a table.
func (n *groupWindowNode) mergeProject(batch bool) {
	a := n.agg
	s, scan := a.in.in.(*scanNode)
	all := batch && scan && len(a.in.exprs) == len(s.fields)
	if len(a.in.cond) == 0 && !all || !a.in.onlyRefs() {
		return
	}
	place := map[int]int{}
	for i, e := range a.in.exprs {
		r := e.(*rex.InputRef).Index
		if _, twice := place[r]; twice {
			return
		}
		place[r] = i
	}
	var columns []int
	for r := range place {
		columns = append(columns, r)
	}
	for _, r := range rex.Refs(a.in.cond...) {
		if _, ok := place[r]; !ok {
			return
		}
	}
	at := map[int]int{}
	var want []int
	for i, r := range ascending(columns) {
		at[place[r]] = i
		want = append(want, place[r])
	}
	a.in = a.in.keepOutputs(want)
	a.renumberInput(at)
	n.window.TimeColumn = at[n.window.TimeColumn]
}

func sequenceRefs(fields []value.Field) []rex.Expr {
	out := make([]rex.Expr, len(fields))
	for i, f := range fields {
		out[i] = &rex.InputRef{Index: i, T: f.Type}
	}
	return out
}

func (p *physical) groupWindowAggregate(n *groupWindowNode) phys.Node {
	if p.cfg.Batch {
		return p.batchWindowAggregate(n)
	}
	a := n.agg
	in := p.materialize(p.calc(a.in), a.aggregated)
	if p.err != nil {
		return in
	}
	if n.window.Kind != "TUMBLE" {
		if err := needsMerge(a.calls); err != nil {
			return p.fail(err)
		}
	}
	calls, fields := p.calls(a, in)
	g := &phys.GroupWindowAggregate{Window: n.window, Keys: a.keys, Calls: calls, EarlyFire: -1, LateFire: -1}
	if n.props {
		g.Props = []string{"start", "end"}
		if n.window.Rowtime {
			g.Props = append(g.Props, "rowtime")
		}
		g.Props = append(g.Props, "proctime")
		fields = append(fields, n.fields[len(a.fields):]...)
	}
	for _, f := range []struct {
		key string
		to  *int64
	}{{"early", &g.EarlyFire}, {"late", &g.LateFire}} {
		if !p.cfg.flag("table.exec.emit." + f.key + "-fire.enabled") {
			continue
		}
		if n.window.Kind == "SESSION" {
			return p.fail(flinkerr.Table("Session window doesn't support EMIT strategy currently."))
		}
		ms, err := p.cfg.millis("table.exec.emit."+f.key+"-fire.delay", 0)
		if err != nil {
			return p.fail(err)
		}
		*f.to = ms
	}
	if g.LateFire >= 0 {
		ms, err := p.cfg.millis("table.exec.emit.allow-lateness", 0)
		if err != nil {
			return p.fail(err)
		}
		g.AllowLateness = ms
	}
	g.Base = base(fields, distribute(in, a.keys))
	return g
}
