package batch

import "github.com/labgrade/labgrade/value"

// adapt chooses the algorithm and the build side of a join by the bytes of its inputs
// (AdaptiveBroadcastJoinOptimizationStrategy): a small input that the join type lets
// broadcast is built. Of two such inputs Flink takes the one that is there first, which we
// take to be the smaller one; if none is small, it takes the smaller one, too.
func (o *join) adapt(emit func(value.Row) error) error {
	left, err := collect(o.left)
	if err != nil {
		return err
	}
	right, err := collect(o.right)
	if err != nil {
		return err
	}
	l, r := binaryBytes(left, o.node.In[0].Schema()), binaryBytes(right, o.node.In[1].Schema())
	n := *o.node
	small := func(bytes int64, types ...string) bool {
		if bytes >= n.BroadcastBytes {
			return false
		}
		for _, t := range types {
			if t == n.JoinType {
				return true
			}
		}
		return false
	}
	switch {
	case small(l, "InnerJoin", "RightOuterJoin") && (l <= r || n.JoinType != "InnerJoin"):
		n.Kind, n.BuildLeft = "HashJoin", true
	case small(r, "InnerJoin", "LeftOuterJoin", "LeftSemiJoin", "LeftAntiJoin"):
		n.Kind, n.BuildLeft = "HashJoin", false
	default:
		n.BuildLeft = l < r
	}
	again := *o
	again.node, again.left, again.right = &n, kept(left), kept(right)
	if n.Kind == "SortMergeJoin" {
		return again.merge(emit)
	}
	return again.probe(emit)
}

func kept(rows []value.Row) producer {
	return func(emit func(value.Row) error) error {
		for _, r := range rows {
			if err := emit(r); err != nil {
				return err
			}
		}
		return nil
	}
}

// binaryBytes is the size of rows in Flink's binary format, each with its length.
func binaryBytes(rows []value.Row, fields []value.Field) int64 {
	types := fieldTypes(fields)
	var h value.RowHash
	n := int64(0)
	for _, r := range rows {
		n += int64(h.Size(types, r)) + 4
	}
	return n
}
