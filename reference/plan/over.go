package plan

import (
	"strconv"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// overGroup is one window specification with its calls.
type overGroup struct {
	partition    []int
	keys         []rel.SortKey
	rows         bool
	lower, upper rex.Bound
	calls        []*rex.Over
	key          string
}

// over splits a projection with OVER calls into the windows and what is computed
// from them: ProjectToWindowRule. Windows read the input's columns as they are;
// expressions in them become further columns, named by their place ($5).
func (b *builder) over(in *calc, n *rel.Project) *calc {
	below := *in
	below.exprs = append([]rex.Expr(nil), in.exprs...)
	below.fields = append([]value.Field(nil), in.fields...)
	column := func(e rex.Expr) int {
		if r, ok := e.(*rex.InputRef); ok {
			return r.Index
		}
		x := rex.Substitute(e, in.exprs)
		for i := len(in.exprs); i < len(below.exprs); i++ {
			if rex.Equal(below.exprs[i], x) {
				return i
			}
		}
		i := len(below.exprs)
		below.exprs = append(below.exprs, x)
		below.fields = append(below.fields, value.Field{Name: "$" + strconv.Itoa(i), Type: x.Type()})
		return i
	}
	o := &overNode{}
	where := map[string][2]int{}
	collect := func(e rex.Expr) bool {
		w, ok := e.(*rex.Over)
		if !ok {
			return true
		}
		if _, seen := where[rex.Digest(w)]; seen {
			return false
		}
		g := overGroup{rows: w.Rows, lower: w.Lower, upper: w.Upper}
		for _, p := range w.PartitionBy {
			g.partition = append(g.partition, column(p))
		}
		for _, k := range w.OrderBy {
			g.keys = append(g.keys, rel.SortKey{Column: column(k.X), Desc: k.Desc, NullsLast: k.NullsLast})
		}
		if w.Agg.Name == "ROW_NUMBER" {
			g.rows, g.lower, g.upper = true, rex.Bound{Kind: "UNBOUNDED PRECEDING"}, rex.Bound{Kind: "CURRENT ROW"}
		} else if g.lower.Kind == "" {
			g.lower, g.upper = rex.Bound{Kind: "UNBOUNDED PRECEDING"}, rex.Bound{Kind: "CURRENT ROW"}
		}
		g.key = windowKey(g)
		call := *w
		call.Args = append([]rex.Expr(nil), w.Args...)
		for i, a := range call.Args {
			if _, lit := a.(*rex.Literal); !lit {
				call.Args[i] = &rex.InputRef{Index: column(a), T: a.Type()}
			}
		}
		at := -1
		for i := range o.groups {
			if o.groups[i].key == g.key {
				at = i
			}
		}
		if at < 0 {
			at = len(o.groups)
			o.groups = append(o.groups, g)
		}
		where[rex.Digest(w)] = [2]int{at, len(o.groups[at].calls)}
		o.groups[at].calls = append(o.groups[at].calls, &call)
		return false
	}
	for _, e := range n.Exprs {
		rex.Walk(e, collect)
	}
	if b.cfg.Batch {
		b.pruneBelowOver(&below, n, o)
	}
	o.in = &below
	o.makeFields()
	place := func(at [2]int) int {
		i := len(below.exprs)
		for g := range at[0] {
			i += len(o.groups[g].calls)
		}
		return i + at[1]
	}
	out := &calc{in: o, fields: n.Fields, projected: true}
	for _, e := range n.Exprs {
		out.exprs = append(out.exprs, rex.Transform(o.renumberKept(e), func(x rex.Expr) rex.Expr {
			if w, ok := x.(*rex.Over); ok {
				i := place(where[o.digests[rex.Digest(w)]])
				return &rex.InputRef{Index: i, T: w.T}
			}
			return x
		}))
	}
	return out
}

// pruneBelowOver is ProjectWindowTranspose, which only batch has: the columns that
// neither the windows nor the projection reads are dropped at once.
func (b *builder) pruneBelowOver(below *calc, n *rel.Project, o *overNode) {
	used := map[int]bool{}
	for _, e := range n.Exprs {
		rex.Walk(e, func(x rex.Expr) bool {
			switch x := x.(type) {
			case *rex.Over:
				return false
			case *rex.InputRef:
				used[x.Index] = true
			}
			return true
		})
	}
	for _, g := range o.groups {
		for _, p := range g.partition {
			used[p] = true
		}
		for _, k := range g.keys {
			used[k.Column] = true
		}
		for _, c := range g.calls {
			for _, r := range rex.Refs(c.Args...) {
				used[r] = true
			}
		}
	}
	var want []int
	o.kept = map[int]int{}
	for i := range below.exprs {
		if used[i] {
			o.kept[i] = len(want)
			want = append(want, i)
		}
	}
	if len(want) == len(below.exprs) {
		o.kept = nil
		return
	}
	*below = *below.keepOutputs(want)
	o.renumber(o.kept)
}

// renumber rewrites the windows after the input lost columns.
func (n *overNode) renumber(to map[int]int) {
	f := func(i int) int { return to[i] }
	for i := range n.groups {
		g := &n.groups[i]
		p := make([]int, len(g.partition))
		for j, c := range g.partition {
			p[j] = to[c]
		}
		g.partition = p
		k := append([]rel.SortKey(nil), g.keys...)
		for j := range k {
			k[j].Column = to[k[j].Column]
		}
		g.keys = k
		for j, c := range g.calls {
			x := *c
			x.Args = append([]rex.Expr(nil), c.Args...)
			for a := range x.Args {
				x.Args[a] = rex.Renumber(x.Args[a], f)
			}
			g.calls[j] = &x
		}
	}
}

// renumberKept moves the input columns of an expression; the windows in it are found
// again by their first digest.
func (n *overNode) renumberKept(e rex.Expr) rex.Expr {
	if n.digests == nil {
		n.digests = map[string]string{}
	}
	rex.Walk(e, func(x rex.Expr) bool {
		if w, ok := x.(*rex.Over); ok {
			d := rex.Digest(w)
			n.digests[d] = d
			if n.kept != nil {
				n.digests[rex.Digest(rex.Renumber(w, func(i int) int { return n.kept[i] }))] = d
			}
			return false
		}
		return true
	})
	if n.kept == nil {
		return e
	}
	return rex.Renumber(e, func(i int) int { return n.kept[i] })
}

func (n *overNode) makeFields() {
	n.fields = append([]value.Field(nil), n.in.fields...)
	for i := range n.fields {
		n.fields[i].Type = n.in.exprs[i].Type()
	}
	for g := range n.groups {
		for i, c := range n.groups[g].calls {
			n.fields = append(n.fields, value.Field{Name: "w" + strconv.Itoa(g) + "$o" + strconv.Itoa(i), Type: c.T})
		}
	}
}

func windowKey(g overGroup) string {
	s := ""
	for _, p := range g.partition {
		s += strconv.Itoa(p) + ","
	}
	s += "|"
	for _, k := range g.keys {
		s += strconv.Itoa(k.Column) + strconv.FormatBool(k.Desc) + strconv.FormatBool(k.NullsLast) + ","
	}
	s += strconv.FormatBool(g.rows) + g.lower.Kind + g.upper.Kind
	if g.lower.X != nil {
		s += rex.Digest(g.lower.X)
	}
	if g.upper.X != nil {
		s += rex.Digest(g.upper.X)
	}
	return s
}

// isRanking: functions that a Top-N is made of.
func isRanking(name string) bool {
	return name == "ROW_NUMBER" || name == "RANK" || name == "DENSE_RANK"
}

// pruneOver turns a window with a bound on its rank into a Rank, and else keeps the
// windows, whose input stays whole.
func (b *builder) pruneOver(c *calc, n *overNode, refs []int) {
	if len(n.groups) == 1 && len(n.groups[0].calls) == 1 && isRanking(n.groups[0].calls[0].Agg.Name) && len(n.groups[0].keys) > 0 {
		name := n.groups[0].calls[0].Agg.Name
		if !b.cfg.Batch || name == "RANK" {
			if b.toRank(c, n) {
				return
			}
		}
	}
	b.pruneColumns(n.in)
}

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
	name := g.calls[0].Agg.Name
	if !b.cfg.Batch && name != "ROW_NUMBER" {
		b.fail(flinkerr.Table("%s() on streaming table is not supported currently", name))
		return true
	}
	if end < 0 {
		b.fail(flinkerr.Table("Rank end is not specified. Currently rank only support TopN, which means the rank end must be specified."))
		return true
	}
	b.pruneColumns(n.in)
	used := map[int]bool{}
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
		if pruned && wasTrivial {
			c.fields = append([]value.Field(nil), c.fields...)
			for i := range c.fields {
				if i == w {
					c.fields[i].Name = "w0$o0"
				} else {
					c.fields[i].Name = r.fields[i].Name
				}
			}
		}
	case rankUsed && !c.trivial():
		if alias == "" {
			b.fail(unsupported.New("a rank that is used only inside an expression"))
		}
		r.fields[w].Name = alias
	}
	return true
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
		fields = append(fields, n.fields[len(n.fields)-1])
	}
	r := &phys.Rank{Base: base(fields), RankType: n.rankType, RankStart: n.start, RankEnd: n.end,
		PartitionBy: n.partition, Keys: sortKeys(n.keys), OutputRank: n.outputRank, Batch: p.cfg.Batch, Global: true}
	if !p.cfg.Batch {
		r.In = []phys.Node{distribute(in, n.partition)}
		return r
	}
	sorted := func(x phys.Node) phys.Node {
		s := &phys.Sort{Base: base(x.Schema(), x)}
		for _, k := range n.partition {
			s.Keys = append(s.Keys, phys.SortKey{Column: k})
		}
		s.Keys = append(s.Keys, r.Keys...)
		return s
	}
	local := *r
	local.Base = base(in.Schema(), sorted(in))
	local.Global, local.OutputRank = false, false
	local.RankStart = 1
	r.In = []phys.Node{sorted(distribute(&local, n.partition))}
	return r
}

func (p *physical) overAggregate(n *overNode) phys.Node {
	if len(n.groups) > 1 {
		if !p.cfg.Batch {
			return p.fail(flinkerr.Table("Over Agg: Unsupported use of OVER windows. All aggregates must be computed on the same window. please re-check the over window statement."))
		}
		return p.fail(unsupported.New("several OVER windows in batch"))
	}
	in := p.calc(n.in)
	if p.err != nil {
		return in
	}
	g := n.groups[0]
	if !p.cfg.Batch {
		if err := checkStreamOver(g, in); err != nil {
			return p.fail(err)
		}
	}
	o := &phys.OverAggregate{PartitionBy: g.partition, Keys: sortKeys(g.keys), Rows: g.rows, Lower: g.lower, Upper: g.upper}
	o.Fields = append(append([]value.Field(nil), in.Schema()...), n.fields[len(n.in.fields):]...)
	for i, c := range g.calls {
		a := phys.AggCall{Fn: c.Agg, Distinct: c.Distinct, IgnoreNulls: c.IgnoreNulls, Filter: -1,
			Name: "w0$o" + strconv.Itoa(i), T: c.T}
		for _, x := range c.Args {
			switch x := x.(type) {
			case *rex.InputRef:
				if len(a.Constants) > 0 {
					return p.fail(unsupported.New("a column behind a constant argument of %s", c.Agg.Name))
				}
				a.Args = append(a.Args, x.Index)
				a.ArgTypes = append(a.ArgTypes, x.T)
			case *rex.Literal:
				a.Constants = append(a.Constants, x)
			}
		}
		o.Calls = append(o.Calls, a)
	}
	x := distribute(in, g.partition)
	if p.cfg.Batch {
		s := &phys.Sort{Base: base(x.Schema(), x)}
		for _, k := range g.partition {
			s.Keys = append(s.Keys, phys.SortKey{Column: k})
		}
		s.Keys = append(s.Keys, o.Keys...)
		if len(s.Keys) > 0 {
			x = s
		}
	}
	o.In = []phys.Node{x}
	return o
}

// checkStreamOver refuses what StreamExecOverAggregate does, in its order.
func checkStreamOver(g overGroup, in phys.Node) error {
	for _, c := range g.calls {
		if c.Agg.Name == "LEAD" {
			return flinkerr.Table("LEAD Function is not supported in stream mode.")
		}
	}
	if len(g.keys) != 1 {
		return flinkerr.Table("The window can only be ordered by a single time column.")
	}
	if g.keys[0].Desc {
		return flinkerr.Table("The window can only be ordered in ASCENDING mode.")
	}
	time := in.Schema()[g.keys[0].Column].Type.Time != value.NoTimeAttribute
	switch {
	case g.lower.Kind == "UNBOUNDED PRECEDING" && g.upper.Kind == "CURRENT ROW":
	case g.lower.Kind == "PRECEDING" && g.upper.Kind == "CURRENT ROW":
		if !time {
			return flinkerr.Table("Non-time attribute sort is not supported for bounded OVER window.")
		}
	case g.lower.Kind == "CURRENT ROW" && g.upper.Kind == "CURRENT ROW":
		return unsupported.New("OVER window of the current row alone")
	default:
		return flinkerr.Table("OVER RANGE FOLLOWING windows are not supported yet.")
	}
	return nil
}
