package plan

import (
	"slices"
	"strconv"

	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

func isGrouping(name string) bool {
	return name == "GROUPING" || name == "GROUPING_ID" || name == "GROUP_ID"
}

// groupingSets expands GROUPING SETS: DecomposeGroupingSetsRule. An Expand makes a
// row for each set, with NULL for the keys that the set lacks and $e telling the set;
// GROUPING calls become CASE over $e. A single set groups by all keys as they are.
// out holds the old output columns over the new aggregate.
func (b *builder) groupingSets(n *aggNode) []rex.Expr {
	ids := make([]int64, len(n.sets))
	for i, s := range n.sets {
		in := map[int]bool{}
		for _, k := range s {
			in[k] = true
		}
		for _, k := range n.keys {
			ids[i] <<= 1
			if !in[k] {
				ids[i]++
			}
		}
	}
	single := len(n.sets) == 1
	if !single {
		b.expand(n, ids)
	}
	nk := len(n.keys)
	var out []rex.Expr
	old := nk
	if !single {
		old = nk - 1
	}
	for i := range old {
		out = append(out, &rex.InputRef{Index: i, T: n.fields[i].Type})
	}
	var calls []rel.AggCall
	fields := append([]value.Field(nil), n.fields[:nk]...)
	e := &rex.InputRef{Index: nk - 1, T: bigint(false)}
	for _, c := range n.calls {
		if !isGrouping(c.Fn.Name) {
			out = append(out, &rex.InputRef{Index: nk + len(calls), T: c.T})
			name := c.Name
			if name == "" {
				name = "$f" + strconv.Itoa(nk+len(calls))
			}
			calls = append(calls, c)
			fields = append(fields, value.Field{Name: name, Type: c.T})
			continue
		}
		vals := make([]int64, len(ids))
		for i, id := range ids {
			for _, a := range c.Args {
				bit := old - 1 - keyPosition(n.keys[:old], a)
				vals[i] = vals[i]<<1 | id>>bit&1
			}
		}
		if single {
			out = append(out, bigintLiteral(vals[0]))
			continue
		}
		var args []rex.Expr
		for i, v := range vals {
			if i < len(vals)-1 {
				args = append(args, rex.Compare(rex.Eq, e, bigintLiteral(ids[i])))
			}
			args = append(args, bigintLiteral(v))
		}
		s := b.simplifier(nil)
		out = append(out, s.Value(&rex.Call{Op: rex.Case, Args: args, T: bigint(false)}))
	}
	n.calls, n.fields, n.sets = calls, fields, nil
	return out
}

func keyPosition(keys []int, col int) int {
	for i, k := range keys {
		if k == col {
			return i
		}
	}
	return 0
}

// expand puts an Expand below: the input's columns, $e, and a copy of each key that
// a call reads as an argument.
func (b *builder) expand(n *aggNode, ids []int64) {
	in := n.in
	isKey := map[int]bool{}
	// absent keys are NULL for some sets, where calls need the value all the same.
	absent := map[int]bool{}
	for _, k := range n.keys {
		isKey[k] = true
		for _, s := range n.sets {
			absent[k] = absent[k] || !slices.Contains(s, k)
		}
	}
	var copies []int
	at := map[int]int{}
	width := len(in.exprs)
	for _, c := range n.calls {
		if isGrouping(c.Fn.Name) {
			continue
		}
		for _, a := range callColumns(c) {
			if absent[a] {
				if _, ok := at[a]; !ok {
					at[a] = width + 1 + len(copies)
					copies = append(copies, a)
				}
			}
		}
	}
	x := &expandNode{in: in, col: width}
	for i := range in.exprs {
		t := in.exprs[i].Type()
		if isKey[i] {
			t = t.AsNullable()
		}
		x.fields = append(x.fields, value.Field{Name: in.fields[i].Name, Type: t})
	}
	expandID := freeName("$e", x.fields)
	x.fields = append(x.fields, value.Field{Name: expandID, Type: bigint(false)})
	for _, c := range copies {
		x.fields = append(x.fields, value.Field{Name: in.fields[c].Name + "_0", Type: in.exprs[c].Type()})
	}
	for si, s := range n.sets {
		has := map[int]bool{}
		for _, k := range s {
			has[k] = true
		}
		var p []rex.Expr
		for i, e := range in.exprs {
			if isKey[i] && !has[i] {
				p = append(p, rex.NullLiteral(e.Type()))
			} else {
				p = append(p, &rex.InputRef{Index: i, T: e.Type()})
			}
		}
		p = append(p, bigintLiteral(ids[si]))
		for _, c := range copies {
			p = append(p, &rex.InputRef{Index: c, T: in.exprs[c].Type()})
		}
		x.projects = append(x.projects, p)
	}
	n.in = identity(x)
	n.keys = append(append([]int(nil), n.keys...), width)
	n.fields = append(append(append([]value.Field(nil), n.fields[:len(n.keys)-1]...),
		value.Field{Name: expandID, Type: bigint(false)}), n.fields[len(n.keys)-1:]...)
	for i := range n.fields[:len(n.keys)-1] {
		n.fields[i].Type = n.fields[i].Type.AsNullable()
	}
	calls := append([]rel.AggCall(nil), n.calls...)
	for i := range calls {
		if isGrouping(calls[i].Fn.Name) {
			continue
		}
		args := append([]int(nil), calls[i].Args...)
		for j, a := range args {
			if c, ok := at[a]; ok {
				args[j] = c
			}
		}
		calls[i].Args = args
		if c, ok := at[calls[i].Filter]; ok {
			calls[i].Filter = c
		}
	}
	n.calls = calls
}

func callColumns(c rel.AggCall) []int {
	if c.Filter < 0 {
		return c.Args
	}
	return append(append([]int(nil), c.Args...), c.Filter)
}

// constantGrouping: with a single grouping set GROUPING calls are constants. Flink
// evaluates a condition on one, but keeps it where it is TRUE.
func (b *builder) constantGrouping(c *calc) {
	for i, e := range c.cond {
		x, ok := e.(*rex.Call)
		if !ok || len(rex.Refs(e)) > 0 || len(x.Args) != 2 {
			continue
		}
		if x.Op == rex.Eq && rex.Equal(x.Args[0], x.Args[1]) {
			c.cond[i] = rex.BoolLiteral(true)
			continue
		}
		b.doubtText("a condition on GROUPING with a single grouping set")
	}
}
