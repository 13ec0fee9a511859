package plan

import (
	"math"

	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// distinctRows estimates how many different values a calc has in columns, among the rows
// that pred keeps: FlinkRelMdDistinctRowCount. False where it is unknown, as it is for
// every column of a source that tells no statistics, but not for a primary key, for
// constants, and for what is computed.
func (b *builder) distinctRows(c *calc, columns []int, pred []rex.Expr) (float64, bool) {
	if c.trivial() {
		return b.nodeDistinctRows(c.in, columns, pred)
	}
	if len(columns) == 0 && len(pred) == 0 {
		return 1, true
	}
	var base, computed []int
	for _, k := range columns {
		if r, ok := c.exprs[k].(*rex.InputRef); ok {
			base = union(base, []int{r.Index})
		} else {
			computed = append(computed, k)
		}
	}
	below := append([]rex.Expr(nil), c.cond...)
	for _, e := range pred {
		below = append(below, rex.Substitute(e, c.exprs))
	}
	d, ok := b.nodeDistinctRows(c.in, base, below)
	if !ok || len(computed) == 0 {
		return d, ok
	}
	for _, k := range computed {
		x, ok := b.valuesOf(c, c.exprs[k])
		if !ok {
			return 0, false
		}
		d *= x
	}
	return atLeastOne(distinctOf(d, b.rows(c))), true
}

// valuesOf estimates the values of a computed column: FlinkRelMdUtil.CardOfCalcExpr.
// The oddity that literals and columns are compared with the width of a row is Flink's.
func (b *builder) valuesOf(c *calc, e rex.Expr) (float64, bool) {
	switch e := e.(type) {
	case *rex.InputRef:
		d, ok := b.nodeDistinctRows(c.in, []int{e.Index}, c.cond)
		return distinctOf(d, averageWidth(c)), ok
	case *rex.Literal:
		return distinctOf(1, averageWidth(c)), true
	case *rex.Call:
		d, ok := b.valuesOfCall(c, e)
		return distinctOf(d, b.rows(c)), ok
	}
	return 0, false
}

func (b *builder) valuesOfCall(c *calc, e *rex.Call) (float64, bool) {
	switch {
	case e.Op == rex.Plus || e.Op == rex.Minus || e.Op == rex.Times || e.Op == rex.Divide:
		x, ok := b.valuesOf(c, e.Args[0])
		y, ok2 := b.valuesOf(c, e.Args[1])
		if e.Op == rex.Plus || e.Op == rex.Minus {
			return math.Max(x, y), ok && ok2
		}
		return x * y, ok && ok2
	case e.Op.Name == "EXTRACT":
		if f, ok := e.Args[0].(*rex.Flag); ok {
			if n, known := unitValues(f.Text, e.Args[1].Type()); known {
				return n, true
			}
		}
		return b.valuesOf(c, e.Args[1])
	case len(e.Args) == 1:
		return b.valuesOf(c, e.Args[0])
	}
	return b.rows(c) / 10, true
}

// unitValues is how many values a part of a time can have, as Flink counts them.
func unitValues(unit string, t value.Type) (float64, bool) {
	plain := t.Kind == value.KindTimestamp || t.Kind == value.KindTime
	scaled := func(n, plainFactor float64) float64 {
		if plain {
			return n * plainFactor
		}
		return n
	}
	switch unit {
	case "YEAR":
		return 130, true
	case "MONTH":
		return 12, true
	case "DAY":
		return 31, true
	case "HOUR":
		return 24, true
	case "MINUTE":
		return 60, true
	case "SECOND", "MILLISECOND":
		return scaled(60, 1000), true
	case "MICROSECOND":
		return scaled(60, 1e6), true
	case "QUARTER":
		return 4, true
	case "WEEK":
		return 53, true
	case "DOW":
		return 7, true
	case "DOY":
		return 366, true
	case "EPOCH":
		return scaled(130*24*60*60, 1000), true
	case "DECADE":
		return 13, true
	case "CENTURY", "MILLENNIUM":
		return 2, true
	}
	return 0, false
}

func averageWidth(c *calc) float64 {
	w := 0.0
	for _, e := range c.exprs {
		w += averageSize(e.Type())
	}
	return w
}

// distinctOf is the number of different values among n picks out of d: numDistinctVals.
func distinctOf(d, n float64) float64 {
	if d <= 0 {
		return 0
	}
	x := d
	if d > 1 {
		x = -math.Expm1(n*math.Log1p(-1/d)) * d
	}
	return math.Max(0, math.Min(x, math.Min(d, n)))
}

// keptDistinct is adaptNdvBasedOnSelectivity: the values left of d in rows of which a part is kept.
func keptDistinct(rows, d, part float64) float64 {
	d = math.Min(d, rows)
	left, _ := fn.JavaPow(1-part, rows/d)
	return math.Max((1-left)*d, 1)
}

func (b *builder) nodeDistinctRows(n node, columns []int, pred []rex.Expr) (float64, bool) {
	if len(columns) == 0 && len(pred) == 0 {
		return 1, true
	}
	d, ok := b.distinctRowsBelow(n, columns, pred)
	return atLeastOne(d), ok
}

func (b *builder) distinctRowsBelow(n node, columns []int, pred []rex.Expr) (float64, bool) {
	switch n := n.(type) {
	case *scanNode:
		part := b.selectivity(n, pred)
		if uniqueInScan(n, columns) {
			return b.nodeRows(n) * part, true
		}
		if len(columns) > 0 {
			return 0, false
		}
		return keptDistinct(b.nodeRows(n), 1, part), true
	case *opaqueNode:
		if n.keyed && subset(n.unique, columns) {
			return b.nodeRows(n) * guessSelectivity(pred), true
		}
		return 0, false
	case *valuesNode:
		rows := b.nodeRows(n) / 2
		return distinctOf(rows, rows*guessSelectivity(pred)), true
	case *aggNode:
		return b.distinctGroups(n, columns, pred)
	case *expandNode:
		return b.distinctExpanded(n, columns, pred)
	case *joinNode:
		return b.distinctJoined(n, columns, pred)
	case *unionNode:
		sum := 0.0
		for _, in := range n.in {
			d, ok := b.distinctRows(in, columns, pred)
			if !ok {
				return 0, false
			}
			sum += d
		}
		return sum, true
	case *sortNode:
		d, ok := b.distinctRows(n.in, columns, pred)
		return math.Min(d, b.nodeRows(n)), ok
	}
	return 0, false
}

// uniqueInScan: the columns hold the source's primary key.
func uniqueInScan(s *scanNode, columns []int) bool {
	if len(s.table.PrimaryKey) == 0 {
		return false
	}
	have := map[string]bool{}
	for _, k := range columns {
		have[s.fields[k].Name] = true
	}
	for _, c := range s.table.PrimaryKey {
		if !have[c] {
			return false
		}
	}
	return true
}

// distinctGroups: the groups differ in their keys; what functions give is guessed only
// where not all keys are among the columns.
func (b *builder) distinctGroups(n *aggNode, columns []int, pred []rex.Expr) (float64, bool) {
	var below []int
	var calls []int
	for _, k := range columns {
		if k < len(n.keys) {
			below = union(below, []int{n.keys[k]})
		} else {
			calls = append(calls, k-len(n.keys))
		}
	}
	if len(columns)-len(calls) == len(n.keys) {
		calls = nil
	}
	onKeys, rest := n.splitConditions(pred)
	d, ok := b.distinctRows(n.in, below, onKeys)
	if !ok {
		return 0, false
	}
	rows := b.rows(n.in)
	for _, i := range calls {
		c := n.calls[i]
		x := math.Sqrt(2 * rows)
		if c.Fn.Name != "COUNT" {
			if len(c.Args) == 0 {
				return 0, false
			}
			y, ok := b.distinctRows(n.in, c.Args, onKeys)
			if !ok {
				return 0, false
			}
			x = 0.1 * y
		}
		d *= math.Max(x, 1)
	}
	if len(rest) > 0 {
		d = keptDistinct(b.nodeRows(n), d, b.resultSelectivity(n, rest))
	}
	return math.Min(d, rows), true
}

// splitConditions parts conditions on an aggregate's output into those on keys alone, over
// the input, and the others.
func (n *aggNode) splitConditions(pred []rex.Expr) (onKeys, rest []rex.Expr) {
	for _, e := range pred {
		keys := true
		for _, r := range rex.Refs(e) {
			keys = keys && r < len(n.keys)
		}
		if !keys {
			rest = append(rest, e)
			continue
		}
		onKeys = append(onKeys, rex.Renumber(e, func(i int) int { return n.keys[i] }))
	}
	return
}

// distinctExpanded adds up the sets where $e is among the columns.
func (b *builder) distinctExpanded(n *expandNode, columns []int, pred []rex.Expr) (float64, bool) {
	var plain []rex.Expr
	for _, e := range pred {
		expand := false
		for _, r := range rex.Refs(e) {
			expand = expand || r == n.col
		}
		if !expand {
			plain = append(plain, e)
		}
	}
	var others []int
	for _, k := range columns {
		if k != n.col {
			others = append(others, k)
		}
	}
	if len(others) == len(columns) {
		return b.distinctRows(n.in, columns, plain)
	}
	sum := 0.0
	for _, p := range n.projects {
		var below []int
		for _, k := range others {
			if r, ok := p[k].(*rex.InputRef); ok {
				below = union(below, []int{r.Index})
			}
		}
		d, ok := b.distinctRows(n.in, below, plain)
		if !ok {
			return 0, false
		}
		sum += d
	}
	return sum, true
}
