package plan

import (
	"slices"
	"strconv"

	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// Aggregate functions that only rewritings make.
var (
	sum0    = &rex.Op{Name: "$SUM0", Aggregate: true}
	welford = &rex.Op{Name: "$WELFORD_M2$1", Aggregate: true}
)

func bigint(nullable bool) value.Type {
	return value.Type{Kind: value.KindBigInt, Nullable: nullable}
}

func intLiteral(n int64) *rex.Literal {
	return &rex.Literal{V: value.Int(n), T: value.Type{Kind: value.KindInt}}
}

func bigintLiteral(n int64) *rex.Literal { return &rex.Literal{V: value.Int(n), T: bigint(false)} }

// aggList collects calls without duplicates: RexBuilder.addAggCall.
type aggList struct {
	in     *calc
	keys   int
	count  *rex.Op
	calls  []rel.AggCall
	fields []value.Field
}

// add gives the output column of a call; COUNT of a NOT NULL column counts rows.
func (l *aggList) add(c rel.AggCall) *rex.InputRef {
	if c.Fn.Name == "COUNT" && !c.Distinct && len(c.Args) == 1 && !l.in.exprs[c.Args[0]].Type().Nullable {
		c.Args = nil
	}
	for i, o := range l.calls {
		if sameCall(o, c) {
			return &rex.InputRef{Index: l.keys + i, T: o.T}
		}
	}
	i := l.keys + len(l.calls)
	name := c.Name
	if name == "" {
		name = "$f" + strconv.Itoa(i)
	}
	l.calls = append(l.calls, c)
	l.fields = append(l.fields, value.Field{Name: name, Type: c.T})
	return &rex.InputRef{Index: i, T: c.T}
}

func sameCall(a, b rel.AggCall) bool {
	if a.Fn.Name != b.Fn.Name || a.Distinct != b.Distinct || a.Filter != b.Filter || len(a.Args) != len(b.Args) || a.IgnoreNulls != b.IgnoreNulls {
		return false
	}
	for i := range a.Args {
		if a.Args[i] != b.Args[i] {
			return false
		}
	}
	return len(a.Collation) == 0 && len(b.Collation) == 0
}

func isVariance(name string) bool {
	switch name {
	case "STDDEV_POP", "STDDEV_SAMP", "VAR_POP", "VAR_SAMP", "STDDEV", "VARIANCE":
		return true
	}
	return false
}

// reduceFunctions rewrites STDDEV and VAR always, and AVG and SUM where that saves
// calls: AggregateReduceFunctionsRule under Flink's cost. out[i] is the value of old
// call i over the new output.
func (b *builder) reduceFunctions(n *aggNode, rowsIn, rowsOut float64) (out []rex.Expr, changed bool) {
	hasVar := slices.ContainsFunc(n.calls, func(c rel.AggCall) bool { return isVariance(c.Fn.Name) })
	if !reducesAny(n.calls) {
		return nil, false
	}
	l, vals := n.reduced(keepAverages)
	// The rule rewrites all functions of an aggregate at once.
	all, allVals := n.reducedAll()
	if saved := len(l.calls) - len(all.calls); hasVar || saved > 0 && rowsIn*float64(saved) > rowsOut*float64(computations(allVals)) {
		l, vals, hasVar = all, allVals, true
	}
	if !hasVar {
		return nil, false
	}
	if _, windows := n.in.in.(*windowTVFNode); windows && b.cfg.Batch &&
		slices.ContainsFunc(n.calls, func(c rel.AggCall) bool { return (c.Fn.Name == "AVG" || c.Fn.Name == "SUM") && c.T.Nullable }) {
		b.doubtText("STDDEV or VAR beside AVG or SUM over windows in batch")
	}
	n.calls, n.fields = l.calls, l.fields
	return vals, true
}

// reducesAny: the rule looks at aggregates with one of these functions only.
func reducesAny(calls []rel.AggCall) bool {
	return slices.ContainsFunc(calls, func(c rel.AggCall) bool {
		return isVariance(c.Fn.Name) || c.Fn.Name == "AVG" || c.Fn.Name == "SUM"
	})
}

// How much of an aggregate is rewritten: STDDEV and VAR alone; AVG, SUM and functions of group keys too; or those
// once more, so that the SUM which AVG became is rewritten itself.
const (
	keepAverages = iota
	reduceOnce
	reduceTwice
)

// reducedAll rewrites all functions, a second time where that leaves fewer calls.
func (n *aggNode) reducedAll() (*aggList, []rex.Expr) {
	l, vals := n.reduced(reduceOnce)
	if again, more := n.reduced(reduceTwice); len(again.calls) < len(l.calls) {
		return again, more
	}
	return l, vals
}

// reduced rewrites the calls of an aggregate.
func (n *aggNode) reduced(depth int) (*aggList, []rex.Expr) {
	all := depth > keepAverages
	l := &aggList{in: n.in, keys: len(n.keys), count: countOp(n.calls), fields: slices.Clone(n.fields[:len(n.keys)])}
	vals := make([]rex.Expr, len(n.calls))
	for i, c := range n.calls {
		switch {
		case all && n.tellsKey(c):
			vals[i] = l.keyItself(n, c)
		case isVariance(c.Fn.Name):
			vals[i] = l.variance(c)
		case all && c.Fn.Name == "AVG":
			vals[i] = l.average(c, depth == reduceTwice)
		case all && c.Fn.Name == "SUM":
			vals[i] = l.sum(c)
		default:
			vals[i] = l.add(c)
		}
	}
	return l, vals
}

// computations counts what a projection has to work out.
func computations(exprs []rex.Expr) int {
	n := 0
	for _, e := range exprs {
		if x, ok := e.(*rex.Call); ok && x.Op != rex.Cast {
			n++
		}
	}
	return n
}

// reduceBeforePruning rewrites the calls while those that nobody uses are still there: Flink tries
// both orders. A call that nobody uses can be what lets the rule look at the others, or be a group key, so that nothing of
// it is left: at equal cost what was complete first stays. Before DISTINCT calls are taken apart each call counts twice.
func (b *builder) reduceBeforePruning(c *calc, n *aggNode, used map[int]bool) {
	nk := len(n.keys)
	wanted := 0
	for i := range n.calls {
		if used[nk+i] {
			wanted++
		}
	}
	apart := b.cfg.Batch && hasDistinct(n.calls)
	if len(n.sets) > 0 || nk == 0 || wanted == 0 && len(n.calls) > 0 && !apart || !reducesAny(n.calls) || wanted == len(n.calls) && !apart {
		return
	}
	l, vals := n.reducedAll()
	var mine []rex.Expr
	for i, v := range vals {
		if used[nk+i] {
			mine = append(mine, v)
		}
	}
	kept := map[int]bool{}
	for _, r := range rex.Refs(mine...) {
		kept[r] = kept[r] || r >= nk
	}
	left := 0
	for _, k := range kept {
		if k {
			left++
		}
	}
	rows := b.rows(n.in)
	saved, work := wanted-left, computations(mine)
	better := saved > 0 && rows*float64(saved) > b.groupRows(n, rows)*float64(work)
	if !better && (saved != 0 || work > 0 || wanted == len(n.calls) || left < len(l.calls)) {
		return
	}
	old := make([]rex.Expr, 0, nk+len(vals))
	for i := range n.keys {
		old = append(old, &rex.InputRef{Index: i, T: n.fields[i].Type})
	}
	n.calls, n.fields = l.calls, l.fields
	c.substitute(append(old, vals...))
	clear(used)
	for _, r := range rex.Refs(append(slices.Clone(c.exprs), c.cond...)...) {
		used[r] = true
	}
}

// tellsKey: the function of a group key is the key itself.
func (n *aggNode) tellsKey(c rel.AggCall) bool {
	switch c.Fn.Name {
	case "AVG", "MAX", "MIN", "FIRST_VALUE", "LAST_VALUE":
	default:
		return false
	}
	return len(c.Args) == 1 && c.Filter < 0 && len(c.Collation) == 0 && slices.Contains(n.keys, c.Args[0])
}

func (l *aggList) keyItself(n *aggNode, c rel.AggCall) rex.Expr {
	i := slices.Index(n.keys, c.Args[0])
	ref := &rex.InputRef{Index: i, T: n.fields[i].Type}
	if rex.SameType(ref.T, c.T) {
		return ref
	}
	return &rex.Call{Op: rex.Cast, Args: []rex.Expr{ref}, T: c.T}
}

// countOp finds the COUNT operator that the binder used, so that pointers agree.
func countOp(calls []rel.AggCall) *rex.Op {
	for _, c := range calls {
		if c.Fn.Name == "COUNT" {
			return c.Fn
		}
	}
	return &rex.Op{Name: "COUNT", Aggregate: true}
}

func (l *aggList) countOf(c rel.AggCall) *rex.InputRef {
	return l.add(rel.AggCall{Fn: l.count, Args: c.Args, Distinct: c.Distinct, Filter: c.Filter, T: bigint(false)})
}

// sum is CASE(=(COUNT(x), 0), null, $SUM0(x)).
func (l *aggList) sum(c rel.AggCall) rex.Expr {
	s := l.add(rel.AggCall{Fn: sum0, Args: c.Args, Distinct: c.Distinct, Filter: c.Filter, Name: c.Name, T: c.T.NotNull()})
	if !c.T.Nullable {
		return s
	}
	n := l.countOf(c)
	return &rex.Call{Op: rex.Case, Args: []rex.Expr{
		rex.Compare(rex.Eq, n, intLiteral(0)), rex.NullLiteral(s.T), s,
	}, T: c.T}
}

// average is CAST(SUM(x) / COUNT(x)); twice says that the SUM is rewritten, too.
func (l *aggList) average(c rel.AggCall, twice bool) rex.Expr {
	arg := l.in.exprs[c.Args[0]].Type()
	sumType := arg.WithNullable(c.T.Nullable)
	if arg.Kind == value.KindDecimal {
		sumType = value.DecimalType(38, arg.Scale).WithNullable(c.T.Nullable)
	}
	call := rel.AggCall{Fn: fn.AggregateOp("SUM"), Args: c.Args, Distinct: c.Distinct, Filter: c.Filter, T: sumType}
	var num rex.Expr
	if twice {
		num = l.sum(call)
	} else {
		num = l.add(call)
	}
	den := l.countOf(c)
	if !rex.SameTypeSansNullability(num.Type(), c.T) {
		num = &rex.Call{Op: rex.Cast, Args: []rex.Expr{num}, T: c.T.WithNullable(num.Type().Nullable)}
	}
	div := &rex.Call{Op: rex.Divide, Args: []rex.Expr{num, den}, T: quotientType(num.Type(), den.T)}
	if rex.SameType(div.T, c.T) {
		return div
	}
	return &rex.Call{Op: rex.Cast, Args: []rex.Expr{div}, T: c.T}
}

// quotientType is the type of x / BIGINT.
func quotientType(a, b value.Type) value.Type {
	null := a.Nullable || b.Nullable
	switch {
	case a.IsApprox():
		return a.WithNullable(null)
	case a.Kind == value.KindDecimal:
		s := max(6, a.Scale+19+1)
		p := a.Precision - a.Scale + s
		if p > 38 {
			digits := a.Precision - a.Scale
			s = max(38-digits, min(s, 6))
			p = 38
		}
		return value.DecimalType(p, s).WithNullable(null)
	case a.IsInteger():
		return bigint(null)
	}
	return a.WithNullable(null)
}

// variance divides Welford's sum of squared differences by n or n-1; STDDEV takes
// the square root.
func (l *aggList) variance(c rel.AggCall) rex.Expr {
	m2Type := value.Type{Kind: value.KindDouble, Nullable: true}
	m2 := l.add(rel.AggCall{Fn: welford, Args: c.Args, Distinct: c.Distinct, Filter: c.Filter, T: m2Type})
	n := l.countOf(c)
	var den rex.Expr = n
	if name := c.Fn.Name; name == "STDDEV_SAMP" || name == "VAR_SAMP" || name == "STDDEV" || name == "VARIANCE" {
		den = &rex.Call{Op: rex.Case, Args: []rex.Expr{
			rex.Compare(rex.Eq, n, intLiteral(1)), rex.NullLiteral(bigint(true)),
			&rex.Call{Op: rex.Minus, Args: []rex.Expr{n, intLiteral(1)}, T: bigint(false)},
		}, T: bigint(true)}
	}
	var x rex.Expr = &rex.Call{Op: rex.Divide, Args: []rex.Expr{m2, den}, T: m2Type}
	switch c.Fn.Name {
	case "STDDEV_POP", "STDDEV_SAMP", "STDDEV":
		half := &rex.Literal{V: value.Decimal128(0, 5), T: value.DecimalType(2, 1).NotNull()}
		x = &rex.Call{Op: rex.Power, Args: []rex.Expr{x, half}, T: m2Type}
	}
	if rex.SameType(c.T, m2Type) {
		return x
	}
	return &rex.Call{Op: rex.Cast, Args: []rex.Expr{x}, T: c.T}
}
