package phys

import (
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/rex"
)

// spanText prints milliseconds in the largest unit without remainder: 1 min, 90 s.
func spanText(ms int64) string {
	for _, u := range []struct {
		name string
		size int64
	}{{"d", 86400000}, {"h", 3600000}, {"min", 60000}, {"s", 1000}} {
		if ms != 0 && ms%u.size == 0 {
			return strconv.FormatInt(ms/u.size, 10) + " " + u.name
		}
	}
	return strconv.FormatInt(ms, 10) + " ms"
}

// windowText prints a window; head tells where its times come from.
func windowText(win Window, in []string, head string) string {
	s := win.Kind + "(" + head
	switch win.Kind {
	case "SESSION":
		s += ", gap=[" + spanText(win.Size) + "]"
		if len(win.PartitionBy) > 0 {
			s += ", partition keys=[" + pick(in, win.PartitionBy) + "]"
		}
	case "CUMULATE":
		s += ", max_size=[" + spanText(win.Size) + "], step=[" + spanText(win.Slide) + "]"
	case "HOP":
		s += ", size=[" + spanText(win.Size) + "], slide=[" + spanText(win.Slide) + "]"
	default:
		s += ", size=[" + spanText(win.Size) + "]"
	}
	if win.Offset != 0 {
		s += ", offset=[" + spanText(win.Offset) + "]"
	}
	return s + ")"
}

func windowHead(win Window, in []string) string {
	if win.TimeColumn < 0 {
		return "win_start=[" + in[win.StartCol] + "], win_end=[" + in[win.EndCol] + "]"
	}
	return "time_col=[" + in[win.TimeColumn] + "]"
}

var windowProperty = map[string][2]string{
	"start": {"start", "window_start"}, "end": {"end", "window_end"},
	"rowtime": {"rowtime", "window_time"}, "proctime": {"proctime", "window_time"},
}

func (w *writer) windowAggregate(n *WindowAggregate) {
	a := w.a
	in := w.input(n, 0)
	a.name = n.Phase + "WindowAggregate"
	a.addIf(len(n.Keys) > 0, "groupBy", pick(in, n.Keys))
	var items []string
	switch n.Phase {
	case "Local":
		a.add("window", windowText(n.Window, in, windowHead(n.Window, in)))
		end := "$slice_end"
		if n.Window.TimeColumn < 0 {
			end = "$window_end"
		}
		items = append(append(picked(in, n.Keys), localItems(in, n.Calls, windowCounter(n)...)...), "slice_end('w$) AS "+end)
	case "Global":
		head := "slice_end=[$slice_end]"
		if n.Window.TimeColumn < 0 {
			head = "win_end=[$window_end]"
		}
		a.add("window", windowText(n.Window, in, head))
		names := fieldNames(n.Fields)
		items = append(append(items, names[:len(n.Keys)]...), globalItems(n.Calls, names[len(n.Keys):])...)
		props := properties(n.Props)
		if counter := windowCounter(n); counter != nil {
			items = append(items, "COUNT("+counterColumn(n)+")")
			props = shifted(props, names[len(n.Keys)+len(n.Calls):], &items[len(items)-1])
		}
		items = append(items, props...)
	default:
		a.add("window", windowText(n.Window, in, windowHead(n.Window, in)))
		names := fieldNames(n.Fields)
		items = picked(in, n.Keys)
		for i, c := range n.Calls {
			items = append(items, callText(in, c, argText(in, c))+" AS "+names[len(n.Keys)+i])
		}
		items = append(items, properties(n.Props)...)
	}
	a.add("select", strings.Join(items, ", "))
}

// windowCounter is the COUNT(*) by which HOP windows in two phases know when a slice
// is empty, where no call of the query is one.
func windowCounter(n *WindowAggregate) []string {
	if n.Window.Kind != "HOP" {
		return nil
	}
	for _, c := range n.Calls {
		if c.Fn.Name == "COUNT" && len(c.Args) == 0 && c.Filter < 0 {
			return nil
		}
	}
	return []string{"COUNT(*) AS " + counterColumn(n)}
}

func counterColumn(n *WindowAggregate) string {
	columns := 0
	for _, acc := range accNames(n.Calls) {
		columns += len(acc)
	}
	return "count1$" + itoa(columns)
}

// shifted names the counter and the window's properties as Flink does: the counter
// takes the first property's name, each property the next one's, and the last one is
// not shown (recorded case window/hop-counts-rows).
func shifted(props, names []string, counter *string) []string {
	if len(names) == 0 {
		return props
	}
	*counter += " AS " + names[0]
	var out []string
	for i, p := range props {
		if i+1 == len(names) {
			break
		}
		call, _, _ := strings.Cut(p, " AS ")
		out = append(out, call+" AS "+names[i+1])
	}
	return out
}

func properties(props []string) []string {
	out := make([]string, len(props))
	for i, p := range props {
		t := windowProperty[p]
		out[i] = t[0] + "('w$) AS " + t[1]
	}
	return out
}

func (w *writer) groupWindowAggregate(n *GroupWindowAggregate) {
	a := w.a
	in := w.input(n, 0)
	a.name = "GroupWindowAggregate"
	a.addIf(len(n.Keys) > 0, "groupBy", pick(in, n.Keys))
	a.add("window", groupWindowText(n.Window, in))
	names := fieldNames(n.Fields)
	a.addIf(len(n.Props) > 0, "properties", strings.Join(names[len(n.Keys)+len(n.Calls):], ", "))
	items := picked(in, n.Keys)
	for i, c := range n.Calls {
		c.Retract = false // Flink does not show it here
		items = append(items, callText(in, c, argText(in, c))+" AS "+names[len(n.Keys)+i])
	}
	for _, p := range n.Props {
		items = append(items, p+"('w$) AS w$"+p)
	}
	a.add("select", strings.Join(items, ", "))
	var emit []string
	if n.EarlyFire >= 0 {
		emit = append(emit, "early "+delayText(n.EarlyFire))
	}
	if n.LateFire >= 0 {
		emit = append(emit, "late "+delayText(n.LateFire))
	}
	a.addIf(len(emit) > 0, "emit", strings.Join(emit, ", "))
}

func delayText(ms int64) string {
	if ms == 0 {
		return "no delay"
	}
	return "delay " + strconv.FormatInt(ms, 10) + " millisecond"
}

func groupWindowText(win Window, in []string) string {
	size := strconv.FormatInt(win.Size, 10)
	switch win.Kind {
	case "HOP":
		return "SlidingGroupWindow('w$, " + in[win.TimeColumn] + ", " + size + ", " + strconv.FormatInt(win.Slide, 10) + ")"
	case "SESSION":
		return "SessionGroupWindow('w$, " + in[win.TimeColumn] + ", " + size + ")"
	}
	return "TumblingGroupWindow('w$, " + in[win.TimeColumn] + ", " + size + ")"
}

func (w *writer) windowRank(n *WindowRank) {
	a := w.a
	in := w.input(n, 0)
	a.name = "WindowRank"
	a.add("window", windowText(n.Window, in, windowHead(n.Window, in)))
	a.add("rankType", "ROW_NUMBER")
	a.add("rankRange", "rankStart="+strconv.FormatInt(n.RankStart, 10)+", rankEnd="+strconv.FormatInt(n.RankEnd, 10))
	a.add("partitionBy", pick(in, n.PartitionBy))
	a.add("orderBy", orderBy(in, n.Keys))
	a.add("select", strings.Join(fieldNames(n.Fields), ", "))
}

func (w *writer) windowDeduplicate(n *WindowDeduplicate) {
	a := w.a
	in := w.input(n, 0)
	keep := "FirstRow"
	if n.KeepLast {
		keep = "LastRow"
	}
	a.name = "WindowDeduplicate"
	a.add("window", windowText(n.Window, in, windowHead(n.Window, in)))
	a.add("keep", keep)
	a.add("partitionKeys", pick(in, n.PartitionBy))
	a.add("orderKey", in[n.TimeColumn])
	time := "PROCTIME"
	if n.Window.Rowtime {
		time = "ROWTIME"
	}
	a.add("order", time)
}

func (w *writer) windowJoin(n *WindowJoin) {
	a := w.a
	l, r := w.input(n, 0), w.input(n, 1)
	a.name = "WindowJoin"
	a.add("leftWindow", windowText(n.LeftWindow, l, windowHead(n.LeftWindow, l)))
	a.add("rightWindow", windowText(n.RightWindow, r, windowHead(n.RightWindow, r)))
	a.add("joinType", n.JoinType)
	a.add("where", w.where(joinNames(l, r), n.Cond))
	a.add("select", strings.Join(fieldNames(n.Fields), ", "))
}

// match prints MATCH_RECOGNIZE; the execution plan writes its expressions the same way.
func (w *writer) match(n *Match) {
	a := w.a
	in := w.input(n, 0)
	a.name = "Match"
	a.addIf(len(n.PartitionBy) > 0, "partitionBy", pick(in, n.PartitionBy))
	a.addIf(len(n.Keys) > 0, "orderBy", orderBy(in, n.Keys))
	short := &rex.Printer{Names: in, Short: w.o.Execution || w.o.Batch}
	measures := make([]string, len(n.Measures))
	for i, m := range n.Measures {
		measures[i] = short.Text(m.X) + " AS " + m.Name
	}
	a.addIf(len(measures) > 0, "measures", strings.Join(measures, ", "))
	a.add("rowsPerMatch", "ONE ROW PER MATCH")
	a.add("after", n.After)
	a.add("pattern", n.Pattern)
	a.addIf(len(n.Subsets) > 0, "subset", strings.Join(n.Subsets, ", "))
	defines := make([]string, len(n.Defines))
	for i, d := range n.Defines {
		defines[i] = d.Name + "=" + rex.Digest(d.X)
	}
	a.add("define", "{"+strings.Join(defines, ", ")+"}")
}
