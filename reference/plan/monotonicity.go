package plan

import (
	"slices"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// monotony says how updates of one row change a column.
type monotony int

const (
	monoNone     monotony = 0
	monoUp       monotony = 1
	monoDown     monotony = -1
	monoConstant monotony = 2
)

func (m *modes) monotonicity(n phys.Node, col int) monotony {
	if all := m.monotonicities(n); all != nil {
		return all[col]
	}
	return monoNone
}

// monotonicities is FlinkRelMdModifiedMonotonicity: that of every column, nil where rows
// may be deleted.
func (m *modes) monotonicities(n phys.Node) []monotony {
	switch n := n.(type) {
	case *phys.Exchange, *phys.DropUpdateBefore, *phys.WatermarkAssigner, *phys.MiniBatchAssigner:
		return m.monotonicities(n.Inputs()[0])
	case *phys.TableSourceScan, *phys.Values:
		if m.kinds[n] == kInsert {
			return all(monoConstant, len(n.Schema()))
		}
		return all(monoNone, len(n.Schema()))
	case *phys.Calc:
		return m.calculated(n)
	case *phys.Union:
		first := m.monotonicities(n.In[0])
		for _, in := range n.In[1:] {
			other := m.monotonicities(in)
			if first == nil || other == nil {
				return nil
			}
			for i := range first {
				if first[i] != other[i] {
					return all(monoNone, len(first))
				}
			}
		}
		return first
	case *phys.Join:
		return m.joined(n)
	case *phys.GroupAggregate:
		return m.aggregated(n.In[0], n.Keys, n.Calls)
	case *phys.GlobalGroupAggregate:
		return m.aggregated(n.Local.In[0], n.Local.Keys, n.Calls)
	case *phys.Rank:
		return m.ranked(n)
	}
	return nil
}

// ranked: the row of a place in the ranking only gives way to a better one.
func (m *modes) ranked(n *phys.Rank) []monotony {
	below := m.monotonicities(n.In[0])
	if below == nil {
		return nil
	}
	out := all(monoNone, len(n.Fields))
	for _, k := range n.PartitionBy {
		if below[k] != monoConstant {
			return nil
		}
		out[k] = monoConstant
	}
	if n.OutputRank {
		out[len(out)-1] = monoConstant
	}
	if len(n.Keys) > 0 {
		k := n.Keys[0]
		out[k.Column] = monoNone
		switch x := below[k.Column]; {
		case k.Desc && (x == monoUp || x == monoConstant):
			out[k.Column] = monoUp
		case !k.Desc && (x == monoDown || x == monoConstant):
			out[k.Column] = monoDown
		}
	}
	return out
}

func all(x monotony, n int) []monotony {
	out := make([]monotony, n)
	for i := range out {
		out[i] = x
	}
	return out
}

func changes(list []monotony) bool {
	for _, x := range list {
		if x != monoConstant {
			return true
		}
	}
	return false
}

// calculated: columns keep theirs, through casts too. A condition that may stop holding
// spoils all.
func (m *modes) calculated(n *phys.Calc) []monotony {
	if _, ranked := n.In[0].(*phys.Rank); ranked && !onlyRefs(n.Exprs) {
		return nil // seen where the rank is a literal (Top-N of rows that are first in their group)
	}
	in := m.monotonicities(n.In[0])
	if in == nil || !changes(in) {
		if in == nil {
			return nil
		}
		return all(monoConstant, len(n.Exprs))
	}
	out := all(monoNone, len(n.Exprs))
	if n.Cond != nil && mayCease(n.Cond, in) {
		return out
	}
	for i, e := range n.Exprs {
		if r, ok := withoutCast(e).(*rex.InputRef); ok {
			out[i] = in[r.Index]
		}
	}
	return out
}

func onlyRefs(exprs []rex.Expr) bool {
	return !slices.ContainsFunc(exprs, func(e rex.Expr) bool {
		_, ref := e.(*rex.InputRef)
		return !ref
	})
}

func withoutCast(e rex.Expr) rex.Expr {
	for {
		c, ok := e.(*rex.Call)
		if !ok || c.Op != rex.Cast {
			return e
		}
		e = c.Args[0]
	}
}

// mayCease tells whether updates can make a condition false: Flink's isNeedRetract, which
// looks at comparisons of plain columns, and at the first two terms of a conjunction.
func mayCease(e rex.Expr, in []monotony) bool {
	changing := func(e rex.Expr) (monotony, bool) {
		r, ok := withoutCast(e).(*rex.InputRef)
		if !ok || in[r.Index] == monoConstant {
			return 0, false
		}
		return in[r.Index], true
	}
	if _, ok := e.(*rex.InputRef); ok {
		_, yes := changing(e)
		return yes
	}
	c, ok := e.(*rex.Call)
	if !ok {
		return false
	}
	first := func() (monotony, bool) {
		for _, a := range c.Args {
			if x, ok := changing(a); ok {
				return x, true
			}
		}
		return 0, false
	}
	switch c.Op {
	case rex.And, rex.Or:
		return mayCease(c.Args[0], in) || mayCease(c.Args[1], in)
	case rex.Gt, rex.Ge:
		x, ok := first()
		return ok && x != monoUp
	case rex.Lt, rex.Le:
		x, ok := first()
		return ok && x != monoDown
	case rex.Search, rex.Eq, rex.Ne:
		_, ok := first()
		return ok
	case rex.Not, rex.IsNotTrue, rex.IsTrue, rex.IsNotNull, rex.IsNull:
		return mayCease(withoutCast(c.Args[0]), in)
	}
	return false
}

// joined: while the keys never change, a row's columns change as those of the inputs do.
// Flink does not count what an outer join takes back.
func (m *modes) joined(n *phys.Join) []monotony {
	if n.JoinType == "LeftAntiJoin" {
		return nil
	}
	left, right := m.monotonicities(n.In[0]), m.monotonicities(n.In[1])
	if left == nil || right == nil || (changes(left) || changes(right)) && n.NonEqui != nil {
		return nil
	}
	for i := range n.LeftKeys {
		if left[n.LeftKeys[i]] != monoConstant || right[n.RightKeys[i]] != monoConstant {
			return nil
		}
	}
	if n.JoinType == "LeftSemiJoin" {
		return left
	}
	return append(append([]monotony(nil), left...), right...)
}

// aggregated: an update may move a row to another group unless the keys never change with
// it. Over updates a function must go the way of its argument.
func (m *modes) aggregated(in phys.Node, keys []int, calls []phys.AggCall) []monotony {
	below := m.monotonicities(in)
	if below == nil {
		return nil
	}
	for _, k := range keys {
		if below[k] != monoConstant {
			return nil
		}
	}
	out := all(monoConstant, len(keys))
	updates := changes(below)
	for _, c := range calls {
		x := monoNone
		switch c.Fn.Name {
		case "COUNT", "MAX":
			x = monoUp
		case "MIN":
			x = monoDown
		case "SUM", "$SUM0":
			x = summed(in, c)
		}
		if updates && (len(c.Args) > 1 || len(c.Args) == 1 && c.Fn.Name != "COUNT" && below[c.Args[0]] != x) {
			x = monoNone
		}
		out = append(out, x)
	}
	return out
}

// summed: a sum of values that are not negative grows.
func summed(in phys.Node, c phys.AggCall) monotony {
	var cond rex.Expr
	if k, ok := in.(*phys.Exchange); ok {
		in = k.In[0]
	}
	if k, ok := in.(*phys.Calc); ok && c.Filter >= 0 {
		cond = k.Exprs[c.Filter]
		if _, lit := k.Exprs[c.Args[0]].(*rex.Literal); !lit {
			if _, ref := k.Exprs[c.Args[0]].(*rex.InputRef); !ref {
				return monoNone
			}
		}
	}
	r := columnRange(in, c.Args[0], cond)
	switch {
	case r.lower != nil && *r.lower >= 0:
		return monoUp
	case r.lower == nil && r.upper != nil && *r.upper <= 0:
		return monoDown
	}
	return monoNone
}

// valueRange is what is known of a column's least and greatest value.
type valueRange struct{ lower, upper *float64 }

// columnRange is FlinkRelMdColumnInterval without statistics: what literals, conditions and
// counts tell.
func columnRange(n phys.Node, col int, cond rex.Expr) valueRange {
	switch n := n.(type) {
	case *phys.Exchange:
		return columnRange(n.In[0], col, cond)
	case *phys.Calc:
		return calculatedRange(n, n.Exprs[col], cond)
	case *phys.GroupAggregate:
		if col < len(n.Keys) {
			return columnRange(n.In[0], n.Keys[col], nil)
		}
		switch c := n.Calls[col-len(n.Keys)]; c.Fn.Name {
		case "COUNT":
			zero := 0.0
			return valueRange{lower: &zero}
		case "SUM", "$SUM0":
			r := columnRange(n.In[0], c.Args[0], nil)
			switch {
			case r.lower != nil && *r.lower >= 0:
				return valueRange{lower: r.lower}
			case r.lower == nil && r.upper != nil && *r.upper <= 0:
				return valueRange{upper: r.upper}
			}
		}
	}
	return valueRange{}
}

func calculatedRange(n *phys.Calc, e rex.Expr, cond rex.Expr) valueRange {
	switch e := e.(type) {
	case *rex.Literal:
		if v, ok := literalNumber(e); ok {
			return valueRange{&v, &v}
		}
	case *rex.InputRef:
		r := columnRange(n.In[0], e.Index, nil)
		for _, c := range []rex.Expr{n.Cond, cond} {
			if c != nil {
				r.narrow(e.Index, c)
			}
		}
		return r
	}
	return valueRange{}
}

// narrow takes what the terms of a conjunction say of a column.
func (r *valueRange) narrow(col int, cond rex.Expr) {
	for _, e := range rex.Conjunctions(rex.ExpandSearches(cond)) {
		c, ok := e.(*rex.Call)
		if !ok || len(c.Args) == 0 {
			continue
		}
		if c.Op == rex.IsTrue {
			r.narrow(col, c.Args[0])
			continue
		}
		if len(c.Args) != 2 {
			continue
		}
		x, y, op := c.Args[0], c.Args[1], c.Op
		if _, ok := x.(*rex.Literal); ok {
			x, y, op = y, x, mirrored(op)
		}
		ref, ok := x.(*rex.InputRef)
		l, ok2 := y.(*rex.Literal)
		if !ok || !ok2 || ref.Index != col {
			continue
		}
		v, ok := literalNumber(l)
		if !ok {
			continue
		}
		if (op == rex.Gt || op == rex.Ge || op == rex.Eq) && (r.lower == nil || *r.lower < v) {
			r.lower = &v
		}
		if (op == rex.Lt || op == rex.Le || op == rex.Eq) && (r.upper == nil || *r.upper > v) {
			r.upper = &v
		}
	}
}

func literalNumber(l *rex.Literal) (float64, bool) {
	if l.V.IsNull() {
		return 0, false
	}
	switch {
	case l.T.IsInteger():
		return float64(l.V.Int()), true
	case l.T.Kind == value.KindDouble:
		return l.V.Double(), true
	case l.T.Kind == value.KindFloat:
		return float64(l.V.Float()), true
	case l.T.Kind == value.KindDecimal:
		return value.DecimalToDouble(l.V.Dec(), l.T.Scale), true
	}
	return 0, false
}
