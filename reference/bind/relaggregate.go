package bind

import (
	"sort"
	"strconv"

	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// buildAggregate is RelBuilder.aggregate: unused columns of a Project below are
// pruned. sets is nil for a plain GROUP BY.
func (b *binder) buildAggregate(in rel.Node, keys []int, sets [][]int, calls []rel.AggCall) rel.Node {
	if len(keys) == 0 && len(calls) == 0 {
		// GROUP BY () without aggregates is always one row.
		t := &rex.Literal{V: value.Bool(true), T: value.Type{Kind: value.KindBoolean}}
		return &rel.Values{Base: rel.Base{Fields: []value.Field{{Name: "dummy", Type: t.T}}}, Rows: [][]*rex.Literal{{t}}}
	}
	if len(sets) <= 1 && onlyGrouping(calls) && rel.AlreadyUnique(in, keys) {
		// GROUPING of rows that are unique already becomes a constant.
		b.unsure = b.unsure || len(calls) > 0
		var es []rex.Expr
		var names []string
		for _, k := range keys {
			f := in.Schema()[k]
			es = append(es, &rex.InputRef{Index: k, T: f.Type})
			names = append(names, f.Name)
		}
		return b.project(in, es, names, false)
	}
	if hasGroupID(calls) || duplicateSets(sets) {
		return b.aggregatePerDuplicate(in, keys, sets, calls)
	}
	sets = sortSets(sets)
	if p, ok := in.(*rel.Project); ok {
		used := map[int]bool{}
		for _, k := range keys {
			used[k] = true
		}
		for _, c := range calls {
			for _, a := range c.Args {
				used[a] = true
			}
			if c.Filter >= 0 {
				used[c.Filter] = true
			}
			for _, s := range c.Collation {
				used[s.Column] = true
			}
		}
		switch {
		case len(used) == 0:
			in = p.In[0]
		case len(used) < len(p.Fields):
			in, keys, sets, calls = prune(p, used, keys, sets, calls)
		}
	}
	if len(sets) == 1 && len(sets[0]) == len(keys) {
		sets = nil
	}
	return newAggregate(in, keys, sets, calls)
}

func prune(p *rel.Project, used map[int]bool, keys []int, sets [][]int, calls []rel.AggCall) (rel.Node, []int, [][]int, []rel.AggCall) {
	order := make([]int, 0, len(used))
	for i := range used {
		order = append(order, i)
	}
	sort.Ints(order)
	to := map[int]int{}
	c := *p
	c.Exprs, c.Fields = nil, nil
	for i, o := range order {
		to[o] = i
		c.Exprs = append(c.Exprs, p.Exprs[o])
		c.Fields = append(c.Fields, p.Fields[o])
	}
	move := func(is []int) []int {
		out := make([]int, len(is))
		for i, x := range is {
			out[i] = to[x]
		}
		return out
	}
	var newSets [][]int
	for _, s := range sets {
		newSets = append(newSets, move(s))
	}
	newCalls := make([]rel.AggCall, len(calls))
	for i, a := range calls {
		a.Args = move(a.Args)
		if a.Filter >= 0 {
			a.Filter = to[a.Filter]
		}
		cs := append([]rel.SortKey(nil), a.Collation...)
		for j := range cs {
			cs[j].Column = to[cs[j].Column]
		}
		a.Collation = cs
		newCalls[i] = a
	}
	return &c, move(keys), newSets, newCalls
}

// newAggregate derives the output columns: keys under their input names (nullable
// where a grouping set leaves them out), then the calls.
func newAggregate(in rel.Node, keys []int, sets [][]int, calls []rel.AggCall) *rel.Aggregate {
	a := &rel.Aggregate{Base: rel.Base{In: []rel.Node{in}}, Keys: keys, Sets: sets, Calls: calls}
	taken := map[string]bool{}
	for _, k := range keys {
		f := in.Schema()[k]
		if sets != nil && !inAllSets(sets, k) {
			f.Type.Nullable = true
		}
		taken[f.Name] = true
		a.Fields = append(a.Fields, f)
	}
	for i, c := range calls {
		base := c.Name
		if base == "" {
			base = "$f" + strconv.Itoa(len(keys)+i)
		}
		name := base
		for j := 0; taken[name]; j++ {
			name = base + "_" + strconv.Itoa(j)
		}
		taken[name] = true
		a.Fields = append(a.Fields, value.Field{Name: name, Type: c.T})
	}
	return a
}

func inAllSets(sets [][]int, k int) bool {
	for _, s := range sets {
		found := false
		for _, x := range s {
			found = found || x == k
		}
		if !found {
			return false
		}
	}
	return true
}

// sortSets orders grouping sets as Calcite does: by their members one by one, a
// longer set before its own prefix.
func sortSets(sets [][]int) [][]int {
	out := append([][]int(nil), sets...)
	sort.SliceStable(out, func(i, j int) bool { return setBefore(out[i], out[j]) })
	return out
}

func setBefore(a, b []int) bool {
	for i := range a {
		if i >= len(b) {
			return true
		}
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func sameSet(a, b []int) bool { return !setBefore(a, b) && !setBefore(b, a) }

func duplicateSets(sets [][]int) bool {
	for i := range sets {
		for j := i + 1; j < len(sets); j++ {
			if sameSet(sets[i], sets[j]) {
				return true
			}
		}
	}
	return false
}

func onlyGrouping(calls []rel.AggCall) bool {
	for _, c := range calls {
		if !isGroupingFunction(c.Fn.Name) {
			return false
		}
	}
	return true
}

func hasGroupID(calls []rel.AggCall) bool {
	for _, c := range calls {
		if c.Fn.Name == "GROUP_ID" {
			return true
		}
	}
	return false
}

// aggregatePerDuplicate is Calcite's rewrite of duplicate grouping sets and of
// GROUP_ID(): one aggregate per repetition, each with its number as GROUP_ID().
func (b *binder) aggregatePerDuplicate(in rel.Node, keys []int, sets [][]int, calls []rel.AggCall) rel.Node {
	if sets == nil {
		sets = [][]int{keys}
	}
	names := schemaNames(newAggregate(in, keys, sets, calls))
	var rounds [][][]int
	for _, s := range sortSets(sets) {
		n := 0
		for n < len(rounds) && contains(rounds[n], s) {
			n++
		}
		if n == len(rounds) {
			rounds = append(rounds, nil)
		}
		rounds[n] = append(rounds[n], s)
	}
	var plain []rel.AggCall
	for _, c := range calls {
		if c.Fn.Name != "GROUP_ID" {
			plain = append(plain, c)
		}
	}
	var inputs []rel.Node
	for id, round := range rounds {
		agg := b.buildAggregate(in, keys, round, plain)
		all := refs(agg)
		es := append([]rex.Expr(nil), all[:len(keys)]...)
		next := len(keys)
		for _, c := range calls {
			if c.Fn.Name == "GROUP_ID" {
				es = append(es, &rex.Literal{V: value.Int(int64(id)), T: value.Type{Kind: value.KindBigInt}})
				continue
			}
			es = append(es, all[next])
			next++
		}
		inputs = append(inputs, b.project(agg, es, names, false))
	}
	if len(inputs) == 1 {
		return inputs[0]
	}
	return newUnion(inputs, true)
}
