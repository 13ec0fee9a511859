package plan

import (
	"slices"
	"sort"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
)

// A key set is a list of column sets, each sorted. A nil set says that nothing is
// known, an empty one that there is no key: Flink tells the two apart when a sink
// with a primary key asks (FROM_CHANGELOG gives nil).
type keySet [][]int

func none() keySet { return keySet{} }

func (k keySet) add(cols []int) keySet {
	cols = append([]int(nil), cols...)
	sort.Ints(cols)
	for _, o := range k {
		if slices.Equal(o, cols) {
			return k
		}
	}
	return append(k, cols)
}

// containing keeps the keys that contain all the given columns: a key that a
// shuffle splits is none any more.
func (k keySet) containing(cols []int) keySet {
	if k == nil {
		return nil
	}
	out := none()
	for _, c := range k {
		if subset(cols, c) {
			out = append(out, c)
		}
	}
	return out
}

// upsertKeys is FlinkRelMdUpsertKeys.
func upsertKeys(n phys.Node) keySet {
	in := func(i int) keySet { return upsertKeys(n.Inputs()[i]) }
	switch n := n.(type) {
	case *phys.TableSourceScan:
		return scanKeys(n)
	case *phys.Calc:
		return projectKeys(n.Exprs, in(0))
	case *phys.Exchange:
		if n.Distribution == "hash" {
			return in(0).containing(n.Keys)
		}
		return in(0)
	case *phys.GroupAggregate:
		return keySet{sequence(len(n.Keys))}
	case *phys.GlobalGroupAggregate:
		return keySet{sequence(len(n.Keys))}
	case *phys.BatchAggregate:
		if n.Local {
			return nil
		}
		return keySet{sequence(len(n.Keys))}
	case *phys.ChangelogNormalize:
		return none().add(n.Keys)
	case *phys.DropUpdateBefore, *phys.WatermarkAssigner, *phys.MiniBatchAssigner, *phys.Limit:
		return in(0)
	case *phys.Sort:
		return in(0).containing(sortColumns(n.Keys))
	case *phys.SortLimit:
		return in(0).containing(sortColumns(n.Keys))
	case *phys.Rank:
		return rankKeys(n, in(0))
	case *phys.Join:
		return joinKeys(n, in)
	case *phys.ProcessTableFunction:
		if n.Function == "FROM_CHANGELOG" {
			return nil
		}
		return none()
	case *phys.OverAggregate:
		return in(0).containing(n.PartitionBy)
	case *phys.Correlate, *phys.Union, *phys.Expand, *phys.Values, *phys.LocalGroupAggregate:
		return none()
	}
	return none()
}

func sortColumns(keys []phys.SortKey) []int {
	out := make([]int, len(keys))
	for i, k := range keys {
		out[i] = k.Column
	}
	return out
}

func scanKeys(n *phys.TableSourceScan) keySet {
	pk := n.Table.PrimaryKey
	if len(pk) == 0 {
		return none()
	}
	var cols []int
	for _, name := range pk {
		at := -1
		for i, c := range n.Columns {
			if n.Table.Columns[c].Name == name {
				at = i
			}
		}
		if at < 0 {
			return none()
		}
		cols = append(cols, at)
	}
	return none().add(cols)
}

// projectKeys keeps the keys whose columns are all handed on; a column handed on
// twice gives a key for each place.
func projectKeys(exprs []rex.Expr, in keySet) keySet {
	if in == nil {
		return nil
	}
	at := map[int][]int{}
	for i, e := range exprs {
		if from, ok := keySource(e); ok {
			at[from] = append(at[from], i)
		}
	}
	out := none()
	for _, k := range in {
		combos := [][]int{{}}
		for _, c := range k {
			var next [][]int
			for _, base := range combos {
				for _, p := range at[c] {
					next = append(next, append(append([]int(nil), base...), p))
				}
			}
			combos = next
		}
		for _, c := range combos {
			out = out.add(c)
		}
	}
	return out
}

// rankKeys: ROW_NUMBER makes (partition, rank) unique; with one row a partition the
// partition itself is the key.
func rankKeys(n *phys.Rank, in keySet) keySet {
	if isDeduplication(n) {
		return none().add(n.PartitionBy)
	}
	in = in.containing(n.PartitionBy)
	out := none()
	for _, k := range in {
		out = out.add(k)
	}
	if n.RankType == "ROW_NUMBER" {
		if n.OutputRank {
			out = out.add(append(append([]int(nil), n.PartitionBy...), len(n.Fields)-1))
		}
		if n.RankStart == 1 && n.RankEnd == 1 {
			out = out.add(n.PartitionBy)
		}
	}
	return out
}

// isDeduplication: ROW_NUMBER = 1 by a time attribute, without the number.
func isDeduplication(n *phys.Rank) bool {
	if n.RankType != "ROW_NUMBER" || n.RankStart != 1 || n.RankEnd != 1 || n.OutputRank || len(n.Keys) != 1 {
		return false
	}
	return n.Inputs()[0].Schema()[n.Keys[0].Column].Type.Time != 0
}

func joinKeys(n *phys.Join, in func(int) keySet) keySet {
	left, right := in(0), in(1)
	if n.JoinType == "LeftSemiJoin" || n.JoinType == "LeftAntiJoin" {
		return left.containing(n.LeftKeys)
	}
	leftUnique, rightUnique := sideUnique(left, n.LeftKeys), sideUnique(right, n.RightKeys)
	left, right = left.containing(n.LeftKeys), right.containing(n.RightKeys)
	w := len(n.Inputs()[0].Schema())
	out := none()
	nullsLeft := n.JoinType == "RightOuterJoin" || n.JoinType == "FullOuterJoin"
	nullsRight := n.JoinType == "LeftOuterJoin" || n.JoinType == "FullOuterJoin"
	shift := func(k []int) []int {
		s := make([]int, len(k))
		for i, c := range k {
			s[i] = c + w
		}
		return s
	}
	for _, r := range right {
		for _, l := range left {
			out = out.add(append(append([]int(nil), l...), shift(r)...))
		}
	}
	if rightUnique && !nullsLeft {
		for _, l := range left {
			out = out.add(l)
		}
	}
	if leftUnique && !nullsRight {
		for _, r := range right {
			out = out.add(shift(r))
		}
	}
	return out.minimal().enrich(n, w)
}

func sideUnique(k keySet, cols []int) bool {
	for _, c := range k {
		if subset(c, cols) {
			return true
		}
	}
	return false
}

// minimal drops keys that contain others.
func (k keySet) minimal() keySet {
	out := none()
	for i, a := range k {
		keep := true
		for j, b := range k {
			if i != j && subset(b, a) && (len(b) < len(a) || j < i) {
				keep = false
			}
		}
		if keep {
			out = append(out, a)
		}
	}
	return out
}

// enrich adds the keys in which a join column is replaced by its equal on the other
// side, where the join type lets no NULL stand there.
func (k keySet) enrich(n *phys.Join, w int) keySet {
	out := append(none(), k...)
	for i := 0; i < len(out) && len(out) < 128; i++ {
		for j := range n.LeftKeys {
			l, r := n.LeftKeys[j], n.RightKeys[j]+w
			if n.JoinType == "InnerJoin" || n.JoinType == "LeftOuterJoin" {
				out = replaceIn(out, out[i], r, l)
			}
			if n.JoinType == "InnerJoin" || n.JoinType == "RightOuterJoin" {
				out = replaceIn(out, out[i], l, r)
			}
		}
	}
	return out
}

func replaceIn(k keySet, key []int, from, to int) keySet {
	var n []int
	found := false
	for _, c := range key {
		if c == from {
			found = true
			c = to
		}
		dup := false
		for _, x := range n {
			dup = dup || x == c
		}
		if !dup {
			n = append(n, c)
		}
	}
	if !found {
		return k
	}
	return k.add(n)
}
