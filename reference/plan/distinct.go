package plan

import (
	"slices"
	"sort"
	"strconv"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

func hasDistinct(calls []rel.AggCall) bool {
	for _, c := range calls {
		if c.Distinct {
			return true
		}
	}
	return false
}

// expandDistinct is FlinkAggregateExpandDistinctAggregatesRule, which batch needs: an
// aggregate below makes the values distinct, n aggregates what is left.
func (b *builder) expandDistinct(c *calc, n *aggNode) {
	if !b.cfg.Batch || !hasDistinct(n.calls) || b.err != nil {
		return
	}
	for _, call := range n.calls {
		if call.Fn.Name == "APPROX_COUNT_DISTINCT" {
			b.fail(flinkerr.Table("There are both Distinct AggCall and Approximate Distinct AggCall in one sql statement, it is not supported yet.\nPlease choose one of them."))
			return
		}
	}
	same := true
	for _, call := range n.calls {
		// To MIN and MAX DISTINCT makes no difference.
		if !call.Distinct && call.Fn.Name != "MIN" && call.Fn.Name != "MAX" ||
			!slices.Equal(call.Args, n.calls[0].Args) || call.Filter != n.calls[0].Filter {
			same = false
		}
		if call.Distinct && (call.Fn.Name == "MIN" || call.Fn.Name == "MAX") {
			b.fail(unsupported.New("%s(DISTINCT) in batch", call.Fn.Name))
			return
		}
	}
	if same {
		b.expandSameDistinct(n)
		return
	}
	if _, windows := n.in.in.(*windowTVFNode); windows {
		b.doubtText("DISTINCT beside other calls over windows in batch")
	}
	b.expandByGroupingSets(c, n)
}

// expandSameDistinct: all calls are DISTINCT over the same columns, so grouping by
// keys and columns first leaves each value once. Where a FILTER does not hold, the
// value is NULL, which functions leave out.
func (b *builder) expandSameDistinct(n *aggNode) {
	if f := n.calls[0].Filter; f >= 0 {
		b.filterArguments(n, f)
	}
	below := &aggNode{distinct: true, in: n.in, keys: union(n.keys, callColumns(n.calls[0]))}
	below.fields = aggFields(n.in, below.keys, nil)
	at := map[int]int{}
	for i, k := range below.keys {
		at[k] = i
		if l, ok := n.in.exprs[k].(*rex.Literal); ok && l != nil {
			below.aux = append(below.aux, i)
		}
	}
	n.in = identity(below)
	n.renumberInput(at)
	for i := range n.calls {
		n.calls[i].Distinct = false
		n.calls[i].Filter = -1
	}
}

// filterArguments puts CASE(filter, argument, NULL) in place of the calls' arguments.
func (b *builder) filterArguments(n *aggNode, filter int) {
	in := &calc{in: n.in.in, cond: n.in.cond, projected: true, reads: rex.Refs(n.in.exprs...)}
	at := map[int]int{}
	add := func(e rex.Expr, name string) int {
		in.exprs = append(in.exprs, e)
		in.fields = append(in.fields, value.Field{Name: name, Type: e.Type()})
		return len(in.exprs) - 1
	}
	for _, k := range append(ascending(n.keys), filter) {
		if _, ok := at[k]; !ok {
			at[k] = add(n.in.exprs[k], n.in.fields[k].Name)
		}
	}
	keys := make([]int, len(n.keys))
	for i, k := range n.keys {
		keys[i] = at[k]
	}
	args := make([]int, len(n.calls[0].Args))
	for i, a := range n.calls[0].Args {
		t := n.in.exprs[a].Type().AsNullable()
		// Flink does not simplify it: IS TRUE around the filter stays.
		x := &rex.Call{Op: rex.Case, Args: []rex.Expr{n.in.exprs[filter], n.in.exprs[a], rex.NullLiteral(t)}, T: t}
		args[i] = add(x, "i$"+n.in.fields[a].Name)
	}
	calls := append([]rel.AggCall(nil), n.calls...)
	for i := range calls {
		calls[i].Args, calls[i].Filter = args, at[filter]
	}
	n.in, n.keys, n.calls = in, keys, calls
}

func union(a, b []int) []int {
	seen := map[int]bool{}
	var out []int
	for _, x := range append(append([]int(nil), a...), b...) {
		if !seen[x] {
			seen[x] = true
			out = append(out, x)
		}
	}
	sort.Ints(out)
	return out
}

// setBefore orders grouping sets as Calcite does: at the first difference the set
// that has the column comes first.
func setBefore(a, b []int) bool {
	for i := 0; ; i++ {
		switch {
		case i >= len(a):
			return false
		case i >= len(b):
			return true
		case a[i] != b[i]:
			return a[i] < b[i]
		}
	}
}

// expandByGroupingSets: one pass groups by the keys with each list of DISTINCT
// columns and, for the plain calls, by the keys alone; $g_<id> then tells which rows
// a call takes. Plain results are carried upwards by MIN.
func (b *builder) expandByGroupingSets(c *calc, n *aggNode) {
	for _, call := range n.calls {
		if !call.Distinct && (call.Fn.Name == "MIN" || call.Fn.Name == "MAX") && slices.Contains(n.keys, call.Args[0]) && !fixedPart(call.T) {
			b.doubtText("%s of a group key beside DISTINCT calls in batch", call.Fn.Name)
		}
	}
	setOf := make([][]int, len(n.calls))
	var sets [][]int
	add := func(s []int) {
		for _, o := range sets {
			if slices.Equal(o, s) {
				return
			}
		}
		sets = append(sets, s)
	}
	keys := ascending(n.keys)
	for i, call := range n.calls {
		s := keys
		if call.Distinct {
			s = union(keys, callColumns(call))
		}
		setOf[i] = s
		add(s)
	}
	sort.Slice(sets, func(i, j int) bool { return setBefore(sets[i], sets[j]) })
	var full []int
	for _, s := range sets {
		full = union(full, s)
	}
	position := map[int]int{}
	for i, k := range full {
		position[k] = i
	}
	below := &aggNode{distinct: true, in: n.in, keys: full, sets: sets}
	for i, call := range n.calls {
		if !call.Distinct {
			if call.Name == "" {
				call.Name = n.fields[len(n.keys)+i].Name
			}
			below.calls = append(below.calls, call)
		}
	}
	plainAt := len(full)
	below.calls = append(below.calls, rel.AggCall{Fn: groupingOp, Args: full, Filter: -1, Name: "$g", T: bigint(false)})
	below.fields = aggFields(n.in, full, below.calls)
	out := b.groupingSets(below)
	mid := &calc{in: below, projected: true}
	push := func(e rex.Expr, name string) int {
		mid.exprs = append(mid.exprs, e)
		mid.fields = append(mid.fields, value.Field{Name: name, Type: e.Type()})
		return len(mid.exprs) - 1
	}
	for i, k := range full {
		push(out[i], n.in.fields[k].Name)
	}
	plain := 0
	for _, call := range n.calls {
		if !call.Distinct {
			push(out[plainAt+plain], below.calls[plain].Name)
			plain++
		}
	}
	group := out[len(out)-1]
	type flag struct {
		id     int64
		filter int
	}
	flagOf := make([]flag, len(n.calls))
	var flags []flag
	for i, call := range n.calls {
		f := flag{filter: -1}
		has := map[int]bool{}
		for _, k := range setOf[i] {
			has[k] = true
		}
		for _, k := range full {
			f.id <<= 1
			if !has[k] {
				f.id++
			}
		}
		if call.Distinct {
			f.filter = call.Filter
		}
		flagOf[i] = f
		known := false
		for _, o := range flags {
			known = known || o == f
			if o.id == f.id && o != f {
				b.fail(unsupported.New("several FILTERs on one DISTINCT column in batch"))
				return
			}
		}
		if !known {
			flags = append(flags, f)
		}
	}
	sort.Slice(flags, func(i, j int) bool { return flags[i].id < flags[j].id })
	column := map[flag]int{}
	for _, f := range flags {
		var e rex.Expr = rex.Compare(rex.Eq, group, intLiteral(f.id))
		if f.filter >= 0 {
			e = &rex.Call{Op: rex.And, Args: []rex.Expr{e, rex.IsOf(rex.IsTrue, out[position[f.filter]])}, T: rex.BoolType(false)}
		}
		column[f] = push(e, "$g_"+strconv.FormatInt(f.id, 10))
	}
	minOp := fn.AggregateOp("MIN")
	var calls []rel.AggCall
	var results []rex.Expr
	for i := range n.keys {
		results = append(results, &rex.InputRef{Index: i, T: n.fields[i].Type})
	}
	plain = 0
	for i, call := range n.calls {
		x := call
		x.Filter = column[flagOf[i]]
		at := len(n.keys) + i
		var res rex.Expr
		if call.Distinct {
			x.Distinct = false
			if call.Fn.Name == "SUM" && !call.T.Nullable {
				x.Fn = fn.AggregateOp("$SUM0") // under a FILTER a SUM could be NULL
			}
			x.Args = nil
			for _, a := range call.Args {
				x.Args = append(x.Args, position[a])
			}
			res = &rex.InputRef{Index: at, T: call.T}
		} else {
			x.Fn = minOp
			x.Args = []int{plainAt + plain}
			x.T = call.T.AsNullable()
			plain++
			ref := &rex.InputRef{Index: at, T: x.T}
			switch {
			case call.T.Nullable:
				res = ref
			case len(n.keys) == 0:
				res = &rex.Call{Op: rex.Case, Args: []rex.Expr{rex.IsOf(rex.IsNotNull, ref), ref, bigintLiteral(0)}, T: call.T}
			default:
				res = &rex.Call{Op: rex.Cast, Args: []rex.Expr{ref}, T: call.T}
			}
		}
		calls = append(calls, x)
		results = append(results, res)
	}
	keysNow := make([]int, len(n.keys))
	for i, k := range n.keys {
		keysNow[i] = position[k]
	}
	n.in, n.keys, n.calls = mid, keysNow, calls
	for i := range calls {
		n.fields[len(keysNow)+i].Type = calls[i].T
	}
	c.substitute(results)
	c.projected = true
}

var groupingOp = &rex.Op{Name: "GROUPING_ID", Aggregate: true}
