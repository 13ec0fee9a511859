package rel

import (
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// ColumnsUnique says whether no two rows of n agree in these columns, as far as Flink's
// metadata knows when the tree is made: RelBuilder leaves DISTINCT out over such rows.
func ColumnsUnique(n Node, cols map[int]bool) bool {
	all := func() bool {
		for i := range n.Schema() {
			if !cols[i] {
				return false
			}
		}
		return true
	}
	switch n := n.(type) {
	case *Scan:
		key := n.Table.PrimaryKey
		for _, k := range key {
			if i := indexOf(n.Fields, k); i < 0 || !cols[i] {
				return false
			}
		}
		return len(key) > 0
	case *Project:
		in := map[int]bool{}
		for i, e := range n.Exprs {
			if r, ok := e.(*rex.InputRef); ok && cols[i] {
				in[r.Index] = true
			}
		}
		// If no column comes from below, nothing is known: not even that there is one row.
		return len(in) > 0 && ColumnsUnique(n.In[0], in)
	case *Filter, *Sort:
		return ColumnsUnique(n.Inputs()[0], cols)
	case *Aggregate:
		for i := range n.Keys {
			if !cols[i] {
				return false
			}
		}
		return true
	case *Union:
		return !n.All && all()
	case *Intersect:
		return !n.All && all() || ColumnsUnique(n.In[0], cols) || ColumnsUnique(n.In[1], cols)
	case *Minus:
		return !n.All && all() || ColumnsUnique(n.In[0], cols)
	case *Values:
		seen := map[string]bool{}
		for _, row := range n.Rows {
			k := ""
			for i, v := range row {
				if cols[i] {
					k += rex.Digest(v) + "\x00"
				}
			}
			if seen[k] {
				return false
			}
			seen[k] = true
		}
		return true
	case *Correlate:
		l, r := splitColumns(cols, len(n.In[0].Schema()))
		return len(l) > 0 && len(r) > 0 && ColumnsUnique(n.In[0], l) && ColumnsUnique(n.In[1], r)
	case *Join:
		return joinUnique(n, cols)
	}
	return false
}

func splitColumns(cols map[int]bool, mid int) (left, right map[int]bool) {
	left, right = map[int]bool{}, map[int]bool{}
	for i := range cols {
		if i < mid {
			left[i] = true
		} else {
			right[i-mid] = true
		}
	}
	return left, right
}

// joinUnique: columns of both sides are unique in both, or those of one side are and
// the other side matches each row at most once.
func joinUnique(n *Join, cols map[int]bool) bool {
	mid := len(n.In[0].Schema())
	l, r := splitColumns(cols, mid)
	lk, rk := map[int]bool{}, map[int]bool{}
	for _, t := range rex.Conjunctions(n.Cond) {
		c, ok := t.(*rex.Call)
		if !ok || c.Op != rex.Eq && c.Op != rex.IsNotDistinctFrom {
			continue
		}
		a, ok1 := c.Args[0].(*rex.InputRef)
		b, ok2 := c.Args[1].(*rex.InputRef)
		if !ok1 || !ok2 {
			continue
		}
		if a.Index > b.Index {
			a, b = b, a
		}
		if a.Index < mid && b.Index >= mid {
			lk[a.Index], rk[b.Index-mid] = true, true
		}
	}
	switch {
	case len(l) > 0 && len(r) > 0:
		return ColumnsUnique(n.In[0], l) && ColumnsUnique(n.In[1], r)
	case len(l) > 0:
		return n.Type != "right" && n.Type != "full" && ColumnsUnique(n.In[1], rk) && ColumnsUnique(n.In[0], l)
	case len(r) > 0:
		return n.Type != "left" && n.Type != "full" && ColumnsUnique(n.In[0], lk) && ColumnsUnique(n.In[1], r)
	}
	return false
}

// AtMostOneRow says whether n has at most one row.
func AtMostOneRow(n Node) bool {
	switch n := n.(type) {
	case *Aggregate:
		return len(n.Keys) == 0
	case *Sort:
		return n.Fetch == 0 || n.Fetch == 1 || AtMostOneRow(n.In[0])
	case *Values:
		return len(n.Rows) <= 1
	case *Filter:
		return neverTrue(n.Cond) || AtMostOneRow(n.In[0])
	case *Project, *WatermarkAssigner:
		return AtMostOneRow(n.Inputs()[0])
	case *Join:
		return (n.Type == "inner" || n.Type == "left") && AtMostOneRow(n.In[0]) && AtMostOneRow(n.In[1])
	}
	return false
}

// neverTrue says of a condition that it is FALSE by its form alone: RexNode.isAlwaysFalse.
func neverTrue(e rex.Expr) bool { return decided(e, false) }

func decided(e rex.Expr, as bool) bool {
	switch e := e.(type) {
	case *rex.Literal:
		return !e.V.IsNull() && e.T.Kind == value.KindBoolean && e.V.Bool() == as
	case *rex.Call:
		switch e.Op {
		case rex.IsNull, rex.IsNotNull:
			return as == (e.Op == rex.IsNotNull) && !e.Args[0].Type().Nullable
		case rex.Not, rex.IsNotTrue, rex.IsFalse:
			return decided(e.Args[0], !as)
		case rex.IsNotFalse, rex.IsTrue, rex.Cast:
			return decided(e.Args[0], as)
		}
	}
	return false
}

// AlreadyUnique: grouping by these columns would change nothing.
func AlreadyUnique(in Node, keys []int) bool {
	cols := map[int]bool{}
	for _, k := range keys {
		cols[k] = true
	}
	return ColumnsUnique(in, cols) || AtMostOneRow(in)
}

func indexOf(fields []value.Field, name string) int {
	for i, f := range fields {
		if f.Name == name {
			return i
		}
	}
	return -1
}
