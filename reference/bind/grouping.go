package bind

import (
	"sort"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// group registers GROUP BY: the product of its items' grouping sets.
func (a *aggregation) group(items []sql.GroupItem) error {
	product := [][]int{nil}
	simple := true
	for _, it := range items {
		alternatives, err := a.groupItem(it)
		if err != nil {
			return err
		}
		simple = simple && it.Kind != "ROLLUP" && it.Kind != "CUBE" && it.Kind != "GROUPING SETS"
		var next [][]int
		for _, p := range product {
			for _, s := range alternatives {
				next = append(next, unionSet(p, s))
			}
		}
		product = next
	}
	if !simple {
		a.sets = product
	}
	return nil
}

// groupItem is the list of sets that one item of GROUP BY stands for.
func (a *aggregation) groupItem(it sql.GroupItem) ([][]int, error) {
	switch it.Kind {
	case "ROLLUP", "CUBE":
		tuples, err := a.groupTuples(it.Items)
		if err != nil {
			return nil, err
		}
		if it.Kind == "ROLLUP" {
			return rollup(tuples), nil
		}
		return cube(tuples), nil
	case "GROUPING SETS":
		var out [][]int
		for _, sub := range it.Items {
			sets, err := a.groupItem(sub)
			if err != nil {
				return nil, err
			}
			out = append(out, sets...)
		}
		return out, nil
	}
	s, err := a.groupTuple(it)
	if err != nil {
		return nil, err
	}
	return [][]int{s}, nil
}

func (a *aggregation) groupTuples(items []sql.GroupItem) ([][]int, error) {
	var out [][]int
	for _, it := range items {
		s, err := a.groupTuple(it)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// groupTuple is the set of one expression, or of (a, b).
func (a *aggregation) groupTuple(it sql.GroupItem) ([]int, error) {
	switch it.Kind {
	case "()":
		return nil, nil
	case "TUPLE":
		var s []int
		for _, sub := range it.Items {
			t, err := a.groupTuple(sub)
			if err != nil {
				return nil, err
			}
			s = unionSet(s, t)
		}
		return s, nil
	case "":
		if r, ok := it.X.(*sql.RowExpr); ok { // ROW(a, b) groups as (a, b) does
			var s []int
			for _, e := range r.Items {
				i, err := a.addGroup(e)
				if err != nil {
					return nil, err
				}
				s = unionSet(s, []int{i})
			}
			return s, nil
		}
		if hasAggregate(it.X) {
			return nil, flinkerr.Validator("Aggregate expression is illegal in GROUP BY clause")
		}
		i, err := a.addGroup(it.X)
		if err != nil {
			return nil, err
		}
		return []int{i}, nil
	}
	return nil, unsupported.New("%s inside a grouping set", it.Kind)
}

func unionSet(a, b []int) []int {
	has := map[int]bool{}
	for _, x := range a {
		has[x] = true
	}
	out := append([]int(nil), a...)
	for _, x := range b {
		if !has[x] {
			has[x] = true
			out = append(out, x)
		}
	}
	sort.Ints(out)
	return out
}

func rollup(tuples [][]int) [][]int {
	var out [][]int
	for n := len(tuples); n >= 0; n-- {
		var s []int
		for _, t := range tuples[:n] {
			s = unionSet(s, t)
		}
		if !contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func cube(tuples [][]int) [][]int {
	var out [][]int
	for mask := 0; mask < 1<<len(tuples); mask++ {
		var s []int
		for i, t := range tuples {
			if mask&(1<<(len(tuples)-1-i)) == 0 {
				s = unionSet(s, t)
			}
		}
		if !contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func isGroupingFunction(name string) bool {
	return name == "GROUPING" || name == "GROUPING_ID" || name == "GROUP_ID"
}

// addGrouping registers GROUPING(a), GROUPING_ID(a, b) or GROUP_ID(), whose arguments
// have to be group expressions.
func (a *aggregation) addGrouping(c *sql.Call, canon string) error {
	name := strings.ToUpper(callName(c))
	x := a.blk.exprs()
	call := rel.AggCall{Fn: groupingOp(name), Filter: -1, Name: a.names[canon], T: value.Type{Kind: value.KindBigInt}}
	for _, arg := range c.Args {
		at := -1
		for i, g := range a.groups {
			if g == x.canon(arg) {
				at = i
			}
		}
		if at < 0 {
			return flinkerr.Validator("Argument to %s operator must be a grouped expression", name)
		}
		call.Args = append(call.Args, at)
	}
	a.register(canon, call)
	return nil
}

func groupingOp(name string) *rex.Op { return fn.AggregateOp(name) }
