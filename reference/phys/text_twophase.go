package phys

import (
	"slices"
	"strings"
)

// Texts of two-phase streaming aggregates: the local phase names its accumulator's
// columns, the global phase takes them as arguments. DISTINCT values of the same
// arguments are kept once, in further columns distinct$0, distinct$1.

// distinctColumns numbers the DISTINCT argument lists of calls.
func distinctColumns(calls []AggCall) (of []int, args [][]int) {
	of = make([]int, len(calls))
	for i, c := range calls {
		of[i] = -1
		if !c.Distinct {
			continue
		}
		for j, a := range args {
			if slices.Equal(a, c.Args) {
				of[i] = j
			}
		}
		if of[i] < 0 {
			of[i] = len(args)
			args = append(args, c.Args)
		}
	}
	return of, args
}

func accNames(calls []AggCall) [][]string {
	out := make([][]string, len(calls))
	number := 0
	for i, c := range calls {
		for _, b := range streamBuffer(c) {
			out[i] = append(out[i], b+"$"+itoa(number))
			number++
		}
	}
	return out
}

// streamBuffer names the accumulator columns of a streaming call: SUM_RETRACT also
// counts its values, to know when the last one is gone.
func streamBuffer(c AggCall) []string {
	if c.Retract && c.Fn.Name == "SUM" {
		return []string{"sum", "count"}
	}
	return Buffer(c)
}

// rowCounter is the item that counts the rows of a group over a changing input, where
// no call does.
func rowCounter(n *LocalGroupAggregate) []string {
	if !n.In[0].Mode().Updating() {
		return nil
	}
	columns := 0
	for i, c := range n.Calls {
		if c.Fn.Name == "COUNT" && len(c.Args) == 0 && c.Filter < 0 {
			return nil
		}
		columns += len(accNames(n.Calls)[i])
	}
	return []string{"COUNT_RETRACT(*) AS count1$" + itoa(columns)}
}

func tuple(names []string) string {
	s := strings.Join(names, ", ")
	if len(names) == 1 {
		return s
	}
	return "(" + s + ")"
}

// localItems are the select items behind the keys of a local aggregate; counter is an
// item between the calls and the sets of DISTINCT values.
func localItems(in []string, calls []AggCall, counter ...string) []string {
	of, distinct := distinctColumns(calls)
	acc := accNames(calls)
	var out []string
	for i, c := range calls {
		args := argText(in, c)
		if of[i] >= 0 {
			args = "distinct$" + itoa(of[i]) + " " + args
		}
		c.Distinct = false
		out = append(out, callText(in, c, args)+" AS "+tuple(acc[i]))
	}
	out = append(out, counter...)
	for i, a := range distinct {
		out = append(out, "DISTINCT("+pick(in, a)+") AS distinct$"+itoa(i))
	}
	return out
}

// globalItems are the calls over the accumulators; names are the results'.
func globalItems(calls []AggCall, names []string) []string {
	of, _ := distinctColumns(calls)
	acc := accNames(calls)
	var out []string
	for i, c := range calls {
		args := tuple(acc[i])
		if of[i] >= 0 {
			args = "distinct$" + itoa(of[i]) + " " + args
		}
		c.Distinct, c.Filter = false, -1
		out = append(out, callText(nil, c, args)+" AS "+names[i])
	}
	return out
}

func (w *writer) twoPhase(n Node) {
	a := w.a
	in := w.input(n, 0)
	switch n := n.(type) {
	case *LocalGroupAggregate:
		a.name = "LocalGroupAggregate"
		a.addIf(len(n.Keys) > 0, "groupBy", pick(in, n.Keys))
		a.add("select", strings.Join(append(picked(in, n.Keys), localItems(in, n.Calls, rowCounter(n)...)...), ", "))
	case *GlobalGroupAggregate:
		a.name = "GlobalGroupAggregate"
		a.addIf(len(n.Keys) > 0, "groupBy", pick(in, n.Keys))
		names := fieldNames(n.Fields)
		a.add("select", strings.Join(append(append([]string(nil), names[:len(n.Keys)]...), globalItems(n.Calls, names[len(n.Keys):])...), ", "))
	}
}

func picked(names []string, cols []int) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = names[c]
	}
	return out
}
