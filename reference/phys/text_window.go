package phys

import (
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// windowNode prints the operators over windows, times and patterns.
func (w *writer) windowNode(n Node) {
	switch n := n.(type) {
	case *Rank:
		w.rank(n)
	case *OverAggregate:
		w.over(n)
	case *Deduplicate:
		w.deduplicate(n)
	case *WindowTableFunction:
		in := w.input(n, 0)
		w.a.name = "WindowTableFunction"
		w.a.add("window", windowText(n.Window, in, windowHead(n.Window, in)))
	case *WindowAggregate:
		w.windowAggregate(n)
	case *GroupWindowAggregate:
		w.groupWindowAggregate(n)
	case *BatchWindowAggregate:
		w.batchWindowAggregate(n)
	case *WindowRank:
		w.windowRank(n)
	case *WindowDeduplicate:
		w.windowDeduplicate(n)
	case *WindowJoin:
		w.windowJoin(n)
	case *Match:
		w.match(n)
	default:
		w.a.name = "?"
	}
}

// timeOrder is orderBy with the time attribute that Rank prints: ROWTIME ts ASC.
func timeOrder(fields []value.Field, keys []SortKey) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = fields[k.Column].Name + " ASC"
		if k.Desc {
			out[i] = fields[k.Column].Name + " DESC"
		}
		if fields[k.Column].Type.IsRowtime() {
			out[i] = "ROWTIME " + out[i]
		}
	}
	return strings.Join(out, ", ")
}

func (w *writer) rank(n *Rank) {
	a := w.a
	a.name = "Rank"
	in := w.input(n, 0)
	if !n.Batch {
		a.add("strategy", strategy(n.Strategy, n.PrimaryKeys, w.o))
	}
	a.add("rankType", n.RankType)
	a.add("rankRange", "rankStart="+strconv.FormatInt(n.RankStart, 10)+", rankEnd="+strconv.FormatInt(n.RankEnd, 10))
	a.add("partitionBy", pick(in, n.PartitionBy))
	if n.Batch {
		a.add("orderBy", orderBy(in, n.Keys))
		a.add("global", strconv.FormatBool(n.Global))
	} else {
		a.add("orderBy", timeOrder(n.Inputs()[0].Schema(), n.Keys))
	}
	a.add("select", strings.Join(fieldNames(n.Fields), ", "))
}

func (w *writer) deduplicate(n *Deduplicate) {
	a := w.a
	a.name = "Deduplicate"
	keep, time := "FirstRow", "PROCTIME"
	if n.KeepLast {
		keep = "LastRow"
	}
	if n.Rowtime {
		time = "ROWTIME"
	}
	a.add("keep", keep)
	a.add("key", pick(w.input(n, 0), n.Keys))
	a.add("order", time)
	a.add("outputInsertOnly", strconv.FormatBool(n.OutputInsertOnly))
}

func (w *writer) bound(x rex.Bound) string {
	if x.X == nil {
		return x.Kind
	}
	l, ok := x.X.(*rex.Literal)
	if !ok {
		return "? " + x.Kind
	}
	return rex.ValueText(l.V, l.T) + " " + x.Kind
}

// overCall prints FN(a, 2) with constants as they are.
func (w *writer) overCall(in []string, c AggCall) string {
	if len(c.Constants) == 0 {
		return callText(in, c, argText(in, c))
	}
	var args []string
	for _, a := range c.Args {
		args = append(args, in[a])
	}
	for _, l := range c.Constants {
		args = append(args, rex.Digest(l))
	}
	return callText(in, c, strings.Join(args, ", "))
}

func (w *writer) over(n *OverAggregate) {
	a := w.a
	a.name = "OverAggregate"
	in := w.input(n, 0)
	out := fieldNames(n.Fields)
	a.addIf(len(n.PartitionBy) > 0, "partitionBy", pick(in, n.PartitionBy))
	a.addIf(len(n.Keys) > 0, "orderBy", orderBy(in, n.Keys))
	groups := append([]OverGroup{{Rows: n.Rows, Lower: n.Lower, Upper: n.Upper, Calls: n.Calls}}, n.Groups...)
	batch := w.o.Batch || len(n.Groups) > 0
	if batch {
		groups = framedApart(groups)
	}
	at := len(in)
	for i, g := range groups {
		frame := "RANGE"
		if g.Rows {
			frame = "ROWS"
		}
		frame += " BETWEEN " + w.bound(g.Lower) + " AND " + w.bound(g.Upper)
		calls := make([]string, len(g.Calls))
		for i, c := range g.Calls {
			calls[i] = w.overCall(in, c) + " AS " + out[at]
			at++
		}
		if batch {
			a.add("window#"+strconv.Itoa(i), strings.Join(calls, ", ")+" "+frame)
			continue
		}
		a.add("window", " "+frame)
		out = append(out[:len(in):len(in)], calls...)
	}
	a.add("select", strings.Join(out, ", "))
}

// framedApart cuts groups where functions that a frame applies to meet others, and where those others
// are of several kinds (OverAggregateUtil.splitOutOffsetOrInsensitiveGroup).
func framedApart(groups []OverGroup) []OverGroup {
	var out []OverGroup
	for _, g := range groups {
		from := 0
		for i := range g.Calls {
			if i+1 < len(g.Calls) && frameless(g.Calls[i].Fn.Name) == frameless(g.Calls[i+1].Fn.Name) {
				continue
			}
			part := g
			part.Calls = g.Calls[from : i+1]
			out = append(out, part)
			from = i + 1
		}
	}
	return out
}

// frameless names the kind of a function that no frame applies to; "" is one that has a frame.
func frameless(name string) string {
	switch name {
	case "ROW_NUMBER", "RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST":
		return "rank"
	case "LAG", "LEAD":
		return "offset"
	case "NTILE":
		return "ntile"
	}
	return ""
}
