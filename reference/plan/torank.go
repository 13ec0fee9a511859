package plan

import (
	"slices"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// rankBounds reads the conditions on the rank column: its first and last rank, and
// the conditions that are left.
func rankBounds(conj []rex.Expr, col int) (start, end int64, rest []rex.Expr, found bool) {
	start, end = 1, -1
	for _, e := range conj {
		refs := rex.Refs(e)
		if len(refs) != 1 || refs[0] != col {
			rest = append(rest, e)
			continue
		}
		terms := rex.Conjunctions(rex.ExpandSearches(e))
		ok := true
		for _, t := range terms {
			ok = ok && boundRank(t, col, &start, &end)
		}
		if !ok {
			rest = append(rest, e)
			continue
		}
		found = true
	}
	return
}

func boundRank(e rex.Expr, col int, start, end *int64) bool {
	c, ok := e.(*rex.Call)
	if !ok || len(c.Args) != 2 {
		return false
	}
	ref, isRef := c.Args[0].(*rex.InputRef)
	lit, isLit := c.Args[1].(*rex.Literal)
	op := c.Op
	if !isRef || !isLit {
		lit, isLit = c.Args[0].(*rex.Literal)
		ref, isRef = c.Args[1].(*rex.InputRef)
		switch op {
		case rex.Lt:
			op = rex.Gt
		case rex.Gt:
			op = rex.Lt
		case rex.Le:
			op = rex.Ge
		case rex.Ge:
			op = rex.Le
		}
	}
	if !isRef || !isLit || ref.Index != col || !lit.T.IsInteger() || lit.V.IsNull() {
		return false
	}
	v := lit.V.Int()
	low := func(x int64) {
		if x > *start {
			*start = x
		}
	}
	high := func(x int64) {
		if *end < 0 || x < *end {
			*end = x
		}
	}
	switch op {
	case rex.Eq:
		low(v)
		high(v)
	case rex.Lt:
		high(v - 1)
	case rex.Le:
		high(v)
	case rex.Gt:
		low(v + 1)
	case rex.Ge:
		low(v)
	default:
		return false
	}
	return true
}

// toRank makes a Rank of a window and the filter above it: FlinkLogicalRankRule,
// CalcRankTranspose and the two rules that take away the rank column.
func (b *builder) toRank(c *calc, n *overNode) bool {
	g := n.groups[0]
	w := len(n.in.exprs)
	start, end, rest, found := rankBounds(c.cond, w)
	if !found {
		return false
	}
	lost := losesRankName(c, w)
	name := g.calls[0].Agg.Name
	if end < 0 {
		b.fail(flinkerr.Table("Rank end is not specified. Currently rank only support TopN, which means the rank end must be specified."))
		return true
	}
	used := map[int]bool{}
	if b.cfg.Batch {
		// Batch takes all columns along.
		for i := range w {
			used[i] = true
		}
	}
	// A source is asked for its columns before there is a Rank, which then drops some; a Rank below
	// is made after this one.
	_, nested := n.in.in.(*overNode)
	if !nested {
		b.pruneColumns(n.in)
	}
	for _, p := range g.partition {
		used[p] = true
	}
	for _, k := range g.keys {
		used[k.Column] = true
	}
	c.cond = rest
	for _, r := range rex.Refs(append(append([]rex.Expr(nil), c.exprs...), c.cond...)...) {
		used[r] = true
	}
	for _, k := range logicalKeys(n.in, true) {
		for _, i := range k {
			used[i] = true
		}
	}
	rankUsed := used[w]
	var want []int
	to := map[int]int{}
	for i := range w {
		if used[i] {
			to[i] = len(want)
			want = append(want, i)
		}
	}
	to[w] = len(want)
	pruned := len(want) < w
	if pruned {
		n.in = n.in.keepOutputs(want)
		n.renumber(to)
		g = n.groups[0]
	}
	c.renumber(to)
	w = len(want)
	if nested {
		b.pruneColumns(n.in)
	}
	r := &rankNode{in: n.in, rankType: name, start: start, end: end, partition: g.partition, keys: g.keys, outputRank: rankUsed}
	r.fields = append([]value.Field(nil), n.in.fields...)
	for i := range r.fields {
		r.fields[i].Type = n.in.exprs[i].Type()
	}
	alias := rankAlias(c, w)
	rankField := value.Field{Name: "w0$o0", Type: bigint(false)}
	constant := name == "ROW_NUMBER" && start == end && rankUsed
	if rankUsed && !constant {
		r.fields = append(r.fields, rankField)
	}
	c.in = r
	switch {
	case constant:
		lit := bigintLiteral(start)
		wasTrivial := len(c.cond) == 0 && keepsAll(c, w+1)
		for i, e := range c.exprs {
			c.exprs[i] = rex.Transform(e, func(x rex.Expr) rex.Expr {
				if ref, ok := x.(*rex.InputRef); ok && ref.Index == w {
					return lit
				}
				return x
			})
		}
		for i, e := range c.cond {
			c.cond[i] = rex.Transform(e, func(x rex.Expr) rex.Expr {
				if ref, ok := x.(*rex.InputRef); ok && ref.Index == w {
					return lit
				}
				return x
			})
		}
		r.outputRank = false
		if lost {
			b.loseNames(c, r, w)
		} else if pruned && wasTrivial {
			c.fields = append([]value.Field(nil), c.fields...)
			for i := range c.fields {
				if i == w {
					c.fields[i].Name = "w0$o0"
				} else {
					c.fields[i].Name = r.fields[i].Name
				}
			}
		}
	case rankUsed && lost:
		b.loseNames(c, r, w)
	case rankUsed && !c.trivial() && alias != "":
		r.fields[w].Name = alias
	}
	return true
}

// losesRankName: the columns of the result and of the conditions on it are the same, in the order
// of the input, the rank last. Then the query's projection is pushed below the filter as it is
// (ProjectFilterTransposeRule), becomes the windows' own, and its names are lost. A rank that an
// equation fixes is a literal by then, which is not pushed.
func losesRankName(c *calc, rank int) bool {
	last := -1
	for _, e := range c.exprs {
		r, ok := e.(*rex.InputRef)
		if !ok || r.Index <= last {
			return false
		}
		last = r.Index
	}
	if last != rank {
		return false
	}
	for _, e := range c.cond {
		if x, ok := e.(*rex.Call); ok && x.Op == rex.Eq {
			return false
		}
		for _, r := range rex.Refs(e) {
			if !slices.ContainsFunc(c.exprs, func(o rex.Expr) bool { return o.(*rex.InputRef).Index == r }) {
				return false
			}
		}
	}
	return true
}

// loseNames gives a projection the names of what it reads.
func (b *builder) loseNames(c *calc, r *rankNode, rank int) {
	c.fields = append([]value.Field(nil), c.fields...)
	for i, e := range c.exprs {
		c.fields[i].Name = "w0$o0"
		if ref, ok := e.(*rex.InputRef); ok && ref.Index < rank {
			c.fields[i].Name = r.fields[ref.Index].Name
		}
	}
}

func keepsAll(c *calc, n int) bool {
	if len(c.exprs) != n {
		return false
	}
	for i, e := range c.exprs {
		if r, ok := e.(*rex.InputRef); !ok || r.Index != i {
			return false
		}
	}
	return true
}

// rankAlias is the name under which the query shows the rank.
func rankAlias(c *calc, col int) string {
	for i, e := range c.exprs {
		if r, ok := e.(*rex.InputRef); ok && r.Index == col {
			return c.fields[i].Name
		}
	}
	return ""
}

func (p *physical) rank(n *rankNode) phys.Node {
	in := p.calc(n.in)
	if p.err != nil {
		return in
	}
	fields := append([]value.Field(nil), in.Schema()...)
	if n.outputRank {
		f := n.fields[len(n.fields)-1]
		f.Name = freeName(f.Name, fields)
		fields = append(fields, f)
	}
	r := &phys.Rank{Base: base(fields), RankType: n.rankType, RankStart: n.start, RankEnd: n.end,
		PartitionBy: n.partition, Keys: sortKeys(n.keys), OutputRank: n.outputRank, Batch: p.cfg.Batch, Global: true}
	if !p.cfg.Batch {
		if w := p.windowRank(n, r, in); w != nil {
			return w
		}
		r.In = []phys.Node{distribute(in, n.partition)}
		return r
	}
	order := plainSort(n.partition)
	for _, k := range r.Keys {
		if !slices.Contains(n.partition, k.Column) {
			order = append(order, k)
		}
	}
	sorted := func(x phys.Node) phys.Node { return sortNodes(x, order) }
	local := *r
	local.Base = base(in.Schema(), sorted(in))
	local.Global, local.OutputRank = false, false
	local.RankStart = 1
	r.In = []phys.Node{sorted(distribute(&local, n.partition))}
	return r
}

func rankWithoutOrder(n *overNode) error {
	for _, g := range n.groups {
		if len(g.keys) == 0 && isRanking(g.calls[0].Agg.Name) {
			return flinkerr.Validation("Over Agg: The window rank function requires order by clause with non-constant fields. please re-check the over window statement.")
		}
	}
	return nil
}
