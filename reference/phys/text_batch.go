package phys

import (
	"strings"

	"github.com/labgrade/labgrade/value"
)

// Buffer lists the accumulator columns of a call in a local aggregate, as Flink's
// declarative functions name them (sum, count, count1, min, ...). Imperative
// functions (COLLECT, ARRAY_AGG, ...) keep one column under the call's own name: nil.
func Buffer(c AggCall) []string {
	switch c.Fn.Name {
	case "COUNT":
		if len(c.Args) == 0 {
			return []string{"count1"}
		}
		return []string{"count"}
	case "SUM", "$SUM0":
		return []string{"sum"}
	case "MIN":
		return []string{"min"}
	case "MAX":
		return []string{"max"}
	case "AVG":
		return []string{"sum", "count"}
	case "LISTAGG":
		return []string{"accDelimiter", "concatAcc"}
	case "SINGLE_VALUE":
		return []string{"value", "count"}
	}
	return nil
}

// BufferFields names the columns of a local aggregate behind its keys: the buffer's
// name and its running number.
func BufferFields(calls []AggCall, names []string) []value.Field {
	var out []value.Field
	number := 0
	for i, c := range calls {
		buf := Buffer(c)
		if buf == nil {
			out = append(out, value.Field{Name: names[i], Type: c.T})
			continue
		}
		for _, b := range buf {
			out = append(out, value.Field{Name: b + "$" + itoa(number), Type: c.T})
			number++
		}
	}
	return out
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

func (w *writer) batchAggregate(n *BatchAggregate) {
	kind := "HashAggregate"
	if n.Sorted {
		kind = "SortAggregate"
	}
	if n.Local {
		kind = "Local" + kind
	}
	w.a.name = kind
	in := w.input(n, 0)
	if !n.Local {
		merge := "false"
		if n.Merge {
			merge = "true"
		}
		w.a.add("isMerge", merge)
	}
	full := append(append([]int(nil), n.Keys...), n.AuxKeys...)
	w.a.addIf(len(n.Keys) > 0, "groupBy", pick(in, n.Keys))
	w.a.addIf(len(n.AuxKeys) > 0, "auxGrouping", pick(in, n.AuxKeys))
	out := fieldNames(n.Fields)
	var items []string
	for i, k := range full {
		items = append(items, as(in[k], out[i]))
	}
	items = append(items, batchCalls(n.Calls, in, out, len(full), len(full), n.Merge, n.Local)...)
	w.a.add("select", strings.Join(items, ", "))
}

// batchCalls prints the calls of a phase; at and o are where the accumulators begin in the input of a
// merging phase, and the results in the output.
func batchCalls(calls []AggCall, in, out []string, at, o int, merge, local bool) []string {
	var items []string
	for _, c := range calls {
		var args string
		if !merge {
			args = argText(in, c)
		} else {
			k := max(1, len(Buffer(c)))
			args = strings.Join(in[at:at+k], ", ")
			at += k
		}
		text := c.Fn.Name + "(" + args + ")"
		if c.Fn.Name == "APPROX_COUNT_DISTINCT" {
			text = "COUNT(APPROXIMATE DISTINCT " + args + ")"
		}
		// The global phase drops filters, but not one that is its first column: Flink's
		// rules test filterArg > 0.
		if c.Filter == 0 || c.Filter > 0 && !merge {
			text += " FILTER " + in[c.Filter]
		}
		switch {
		case merge:
			text = "Final_" + text
		case local:
			text = "Partial_" + text
		}
		name := out[o]
		if local {
			k := max(1, len(Buffer(c)))
			name = strings.Join(out[o:o+k], ", ")
			if k > 1 {
				name = "(" + name + ")"
			}
			o += k
		} else {
			o++
		}
		items = append(items, text+" AS "+name)
	}
	return items
}

// batchWindowAggregate prints HashWindowAggregate, SortWindowAggregate and their local phases. The
// assigned window of a local phase is a column that is not shown.
func (w *writer) batchWindowAggregate(n *BatchWindowAggregate) {
	w.a.name = "HashWindowAggregate"
	if n.Sorted {
		w.a.name = "SortWindowAggregate"
	}
	at, o := len(n.Keys), len(n.Keys)
	if n.Local {
		w.a.name = "Local" + w.a.name
		o++
	}
	if n.Merge {
		at++
	}
	in, out := w.input(n, 0), fieldNames(n.Fields)
	w.a.addIf(len(n.Keys) > 0, "groupBy", pick(in, n.Keys))
	times := in
	if n.Merge {
		times = fieldNames(n.Partial.In[0].Schema())
	}
	w.a.add("window", groupWindowText(n.Window, times))
	var props []string
	for _, p := range n.Props {
		props = append(props, "w$"+p)
	}
	w.a.addIf(len(props) > 0, "properties", strings.Join(props, ", "))
	calls := batchCalls(n.Calls, in, out, at, o, n.Merge, n.Local)
	for i, c := range n.Calls {
		// The place of a FILTER in the first phase's input is looked up in that of the second, too.
		if n.Merge && c.Filter >= 0 && c.Filter < len(in) {
			call, name, _ := strings.Cut(calls[i], " AS ")
			calls[i] = call + " FILTER " + in[c.Filter] + " AS " + name
		}
	}
	w.a.add("select", strings.Join(append(picked(in, n.Keys), calls...), ", "))
}

func as(text, name string) string {
	if text == name {
		return text
	}
	return text + " AS " + name
}
