package plan

import (
	"math"

	"github.com/labgrade/labgrade/reference/rex"
)

// joinRows estimates the rows of a join: FlinkRelMdRowCount.
func (b *builder) joinRows(n *joinNode) float64 {
	left, right := b.rows(n.left), b.rows(n.right)
	if n.semi() {
		return left * b.semiSelectivity(n)
	}
	keysL, keysR, _, rest := equiKeys(n.cond, len(n.left.exprs))
	if len(keysL) == 0 {
		if len(n.cond) == 0 {
			return left * right
		}
		return left * right * selectivity(rex.AndOf(n.cond))
	}
	inner := b.equiJoinRows(n, keysL, keysR, rest)
	switch n.typ {
	case "left":
		return math.Max(left, inner)
	case "right":
		return math.Max(right, inner)
	case "full":
		return math.Max(left, inner) + math.Max(right, inner) - inner
	}
	return inner
}

func (n *joinNode) semi() bool { return n.typ == "semi" || n.typ == "anti" }

func (b *builder) equiJoinRows(n *joinNode, keysL, keysR []int, rest []rex.Expr) float64 {
	left, right := b.rows(n.left), b.rows(n.right)
	part := 1.0
	if len(rest) > 0 {
		part = selectivity(rex.AndOf(rest))
	}
	dl, okL := b.distinctRows(n.left, union(nil, keysL), nil)
	dr, okR := b.distinctRows(n.right, union(nil, keysR), nil)
	if okL && okR {
		return left * right * math.Min(1, 1/math.Max(dl, dr)) * part
	}
	uniqueL, knownL := columnsUnique(n.left, keysL)
	uniqueR, knownR := columnsUnique(n.right, keysR)
	switch {
	case !knownL || !knownR:
	case uniqueL && uniqueR:
		return math.Min(left, right) * part
	case uniqueL:
		return right * part
	case uniqueR:
		return left * part
	}
	return (left + right) * selectivity(rex.AndOf(n.cond))
}

// semiSelectivity is the part of the left rows that a semi- or anti-join keeps:
// FlinkRelMdUtil.makeSemiAntiJoinSelectivityRexNode.
func (b *builder) semiSelectivity(n *joinNode) float64 {
	keysL, keysR, _, rest := equiKeys(n.cond, len(n.left.exprs))
	s := 1.0
	if len(keysL) > 0 {
		s = b.equiSemiSelectivity(n, keysL, keysR)
	}
	s *= guessSelectivity(rest)
	switch {
	case n.typ == "semi":
		return s
	case s == 1:
		return 0.1
	}
	return 1 - s
}

func (b *builder) equiSemiSelectivity(n *joinNode, keysL, keysR []int) float64 {
	population, ok := b.population(n.left, keysL)
	if !ok {
		population, ok = b.population(n.right, keysR)
	}
	if values, known := b.distinctRows(n.right, union(nil, keysR), nil); ok && known {
		return math.Min(1, values/math.Max(population, 1))
	}
	s, ok := b.percentageOriginal(n.right)
	if !ok {
		return math.Pow(0.1, float64(len(union(nil, keysR))))
	}
	return math.Min(1, s)
}

// population estimates the values that columns can have, conditions aside:
// FlinkRelMdPopulationSize.
func (b *builder) population(c *calc, columns []int) (float64, bool) {
	var base []int
	var computed []rex.Expr
	for _, k := range columns {
		if r, ok := c.exprs[k].(*rex.InputRef); ok {
			base = union(base, []int{r.Index})
		} else {
			computed = append(computed, c.exprs[k])
		}
	}
	p, ok := b.populationBelow(c.in, base)
	p = atLeastOne(p)
	if !ok || len(computed) == 0 {
		return p, ok
	}
	for _, e := range computed {
		x, ok := b.valuesOf(c, e)
		if !ok {
			return 0, false
		}
		p *= atLeastOne(x)
	}
	return atLeastOne(distinctOf(p, b.rows(c))), true
}

func (b *builder) populationBelow(n node, columns []int) (float64, bool) {
	switch n := n.(type) {
	case *aggNode:
		for _, k := range columns {
			if k >= len(n.keys) {
				return b.nodeDistinctRows(n, columns, nil)
			}
		}
		var keys []int
		for _, k := range columns {
			keys = union(keys, []int{n.keys[k]})
		}
		p, ok := b.population(n.in, keys)
		return math.Min(p, b.rows(n.in)), ok
	case *sortNode:
		return b.population(n.in, columns)
	case *joinNode:
		if n.semi() {
			return b.population(n.left, columns)
		}
	}
	return b.nodeDistinctRows(n, columns, nil)
}

// percentageOriginal is the part of a source's rows that filters have left.
func (b *builder) percentageOriginal(c *calc) (float64, bool) {
	p, ok := b.percentageBelow(c.in)
	if len(c.cond) > 0 {
		p *= b.rows(c) / b.nodeRows(c.in)
	}
	return p, ok && p <= 1
}

func (b *builder) percentageBelow(n node) (float64, bool) {
	switch n := n.(type) {
	case *scanNode, *valuesNode:
		return 1, true
	case *aggNode:
		return b.percentageOriginal(n.in)
	case *expandNode:
		return b.percentageOriginal(n.in)
	case *rankNode:
		return b.percentageOriginal(n.in)
	case *joinNode:
		l, ok := b.percentageOriginal(n.left)
		if n.semi() || !ok {
			return l, ok
		}
		r, ok := b.percentageOriginal(n.right)
		return l * r, ok
	case *unionNode:
		part, all := 0.0, 0.0
		for _, in := range n.in {
			if p, ok := b.percentageOriginal(in); ok && p != 0 {
				part, all = part+b.rows(in), all+b.rows(in)/p
			}
		}
		return part / all, all > 0
	case *sortNode:
		p, ok := b.percentageOriginal(n.in)
		return p * b.nodeRows(n) / b.rows(n.in), ok
	case *overNode:
		return b.percentageOriginal(n.in)
	case *watermarkNode:
		return b.percentageOriginal(n.in)
	case *windowTVFNode:
		return b.percentageOriginal(n.in)
	}
	return 0, false
}

// distinctJoined multiplies the values of both sides.
func (b *builder) distinctJoined(n *joinNode, columns []int, pred []rex.Expr) (float64, bool) {
	if n.semi() {
		d, ok := b.distinctRows(n.left, columns, pred)
		return keptDistinct(b.rows(n.left), d, b.semiSelectivity(n)), ok
	}
	if len(pred) > 0 {
		return 0, false
	}
	w := len(n.left.exprs)
	var left, right []int
	for _, k := range columns {
		if k < w {
			left = append(left, k)
		} else {
			right = append(right, k-w)
		}
	}
	l, okL := b.distinctRows(n.left, left, nil)
	r, okR := b.distinctRows(n.right, right, nil)
	return distinctOf(l*r, b.nodeRows(n)), okL && okR
}

// columnsUnique tells whether no two rows of a calc agree in the columns, if Flink knows that:
// of a table without a primary key it does not.
func columnsUnique(c *calc, columns []int) (unique, known bool) {
	var below []int
	for _, k := range columns {
		if r, ok := c.exprs[k].(*rex.InputRef); ok {
			below = append(below, r.Index)
		}
	}
	if len(below) == 0 && !c.trivial() {
		return false, false
	}
	switch n := c.in.(type) {
	case *scanNode:
		return uniqueInScan(n, below), len(below) == 0 || len(n.table.PrimaryKey) > 0
	case *valuesNode:
		return len(n.rows) < 2 || n.oneUnique(below), true
	case *aggNode:
		return subset(sequence(len(n.groupKeys())), below), true
	case *opaqueNode:
		return n.keyed && subset(n.unique, below), n.keyed
	case *expandNode, *unionNode:
		return false, true
	case *sortNode:
		return columnsUnique(n.in, below)
	case *joinNode:
		return n.columnsUnique(below)
	}
	return false, false
}

// oneUnique: one of the columns has another value in each row.
func (n *valuesNode) oneUnique(columns []int) bool {
	for _, k := range columns {
		seen := map[string]bool{}
		for _, r := range n.rows {
			seen[rex.UntypedText(r[k])] = true
		}
		if len(seen) == len(n.rows) {
			return true
		}
	}
	return false
}

func (n *joinNode) columnsUnique(columns []int) (unique, known bool) {
	if n.semi() {
		return columnsUnique(n.left, columns)
	}
	w := len(n.left.exprs)
	var left, right []int
	for _, k := range columns {
		if k < w {
			left = append(left, k)
		} else {
			right = append(right, k-w)
		}
	}
	keysL, keysR, _, _ := equiKeys(n.cond, w)
	both := func(l, r []int) (bool, bool) {
		a, ok := columnsUnique(n.left, l)
		b, ok2 := columnsUnique(n.right, r)
		return a && b, ok && ok2
	}
	switch {
	case len(columns) == 0:
		return false, true
	case len(left) > 0 && len(right) > 0:
		return both(left, right)
	case len(left) > 0:
		if n.typ == "right" || n.typ == "full" {
			return false, true
		}
		return both(left, keysR)
	case n.typ == "left" || n.typ == "full":
		return false, true
	}
	return both(keysL, right)
}
