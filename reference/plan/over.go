package plan

import (
	"slices"
	"strconv"
	"strings"

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

// windowed is a projection with OVER calls that is not split yet: the expressions
// read the columns of in.
type windowed struct {
	in     *calc
	exprs  []rex.Expr
	fields []value.Field
	// all: the windows read all columns, though nobody asks for them.
	all bool
}

// projection builds a Project. Streaming merges projections before it looks for
// windows (FlinkProjectMergeRule comes first), so that windows nobody reads vanish and
// the rest read the operator below; batch splits every projection on its own.
func (b *builder) projection(n *rel.Project) (*calc, *windowed) {
	var in *calc
	if p, ok := n.In[0].(*rel.Project); ok && !b.cfg.Batch {
		var w *windowed
		if in, w = b.projection(p); w != nil && nestsOver(n.Exprs, w.exprs) {
			// Windows of windows are not merged.
			return nil, &windowed{in: b.split(w), exprs: n.Exprs, fields: n.Fields}
		} else if w != nil {
			out := &windowed{in: w.in, fields: n.Fields}
			for _, e := range n.Exprs {
				out.exprs = append(out.exprs, rex.Substitute(e, w.exprs))
			}
			switch {
			case repeatsRandom(n.Exprs, w.exprs):
				b.fail(unsupported.New("a non-deterministic expression used more than once"))
			case hasOver(out.exprs):
				return nil, out
			}
			return b.compose(w.in, out.exprs, n.Fields), nil
		}
	} else {
		in = b.build(n.In[0])
	}
	switch {
	case b.err != nil:
		return in, nil
	case !hasOver(n.Exprs):
		return b.compose(in, n.Exprs, n.Fields), nil
	case b.cfg.Batch || repeatsRandom(n.Exprs, in.exprs):
		return nil, &windowed{in: in, exprs: n.Exprs, fields: n.Fields}
	}
	below := identity(in.in)
	below.cond = in.cond
	w := &windowed{in: below, fields: n.Fields}
	for _, e := range n.Exprs {
		w.exprs = append(w.exprs, rex.Substitute(e, in.exprs))
	}
	return nil, w
}

// nestsOver: a window of outer would read one of inner.
func nestsOver(outer, inner []rex.Expr) bool {
	found := false
	for _, e := range outer {
		rex.Walk(e, func(x rex.Expr) bool {
			if _, ok := x.(*rex.Over); ok {
				for _, r := range rex.Refs(x) {
					found = found || hasOver(inner[r:r+1])
				}
			}
			return !found
		})
	}
	return found
}

// windowProgram is Calcite's program of a projection with windows: its expressions in
// the order in which RexProgramBuilder registers them, each once.
type windowProgram struct {
	exprs []rex.Expr
	level []int
	at    map[string]int
	// used is the highest level that reads an expression.
	used []int
	// calc: something must be computed below the windows, be it a literal.
	calc bool
	bad  bool
}

const (
	levelInput = iota - 1
	levelCalc
	levelWindow
	levelTop
	levelLiteral = -2
)

func (p *windowProgram) add(e rex.Expr, level int) int {
	k := rex.Key(e)
	if i, ok := p.at[k]; ok {
		return i
	}
	p.at[k] = len(p.exprs)
	p.exprs = append(p.exprs, e)
	p.level = append(p.level, level)
	p.used = append(p.used, levelInput)
	return len(p.exprs) - 1
}

// register adds an expression after its operands and returns its place.
func (p *windowProgram) register(e rex.Expr) int {
	if i, ok := p.at[rex.Key(e)]; ok {
		return i
	}
	var operands []int
	level := levelCalc
	operand := func(x rex.Expr) {
		i := p.register(x)
		operands = append(operands, i)
		if p.level[i] >= levelWindow {
			level = levelTop
		}
	}
	switch e := e.(type) {
	case *rex.Literal:
		p.calc = true
		return p.add(e, levelLiteral)
	case *rex.Over:
		for _, a := range e.Args {
			operand(a)
		}
		for _, x := range e.PartitionBy {
			operand(x)
		}
		for _, k := range e.OrderBy {
			operand(k.X)
		}
		for _, x := range []rex.Expr{e.Lower.X, e.Upper.X} {
			p.calc = p.calc || x != nil
		}
		if level == levelTop {
			p.bad = true
		}
		level = levelWindow
	case *rex.Call:
		p.calc = true
		for _, a := range e.Args {
			operand(a)
		}
	case *rex.Field:
		p.calc = true
		operand(e.X)
	default:
		p.bad = true
	}
	for _, i := range operands {
		p.used[i] = max(p.used[i], level)
	}
	return p.add(e, level)
}

// split cuts a projection with windows into the windows, what is computed for them
// below, and what is computed from them above: ProjectToWindowRule. If anything has to
// be computed, the windows read only the columns in use, else all.
func (b *builder) split(w *windowed) *calc {
	p := &windowProgram{at: map[string]int{}}
	for i, e := range w.in.exprs {
		p.add(&rex.InputRef{Index: i, T: e.Type()}, levelInput)
	}
	inputs := len(p.exprs)
	var outs []int
	for _, e := range w.exprs {
		outs = append(outs, p.register(e))
	}
	for _, i := range outs {
		p.used[i] = levelTop + 1
	}
	if p.bad {
		return b.fail(unsupported.New("windows in windows"))
	}
	o := &overNode{}
	place := map[int]int{}
	below := &calc{in: w.in.in, cond: w.in.cond, projected: w.in.projected}
	for i, e := range p.exprs {
		switch {
		case p.level[i] == levelInput && (!p.calc && (!b.cfg.Batch || w.all) || p.used[i] >= levelWindow):
			place[i] = len(below.exprs)
			below.exprs = append(below.exprs, w.in.exprs[i])
			f := w.in.fields[i]
			if p.calc {
				f.Name = inherited(f.Name, place[i])
			}
			below.fields = append(below.fields, f)
		case p.level[i] == levelCalc && p.used[i] >= levelWindow:
			place[i] = len(below.exprs)
			below.exprs = append(below.exprs, rex.Substitute(e, w.in.exprs))
			below.fields = append(below.fields, value.Field{Name: inherited("$", place[i]), Type: e.Type()})
			below.projected = true
		}
	}
	o.in = below
	column := func(e rex.Expr) int { return place[p.at[rex.Key(e)]] }
	type slot struct{ group, call int }
	slots := map[int]slot{}
	for i, e := range p.exprs {
		x, ok := e.(*rex.Over)
		if !ok {
			continue
		}
		g := overGroup{rows: x.Rows, lower: x.Lower, upper: x.Upper}
		seen := map[int]bool{}
		for _, k := range x.PartitionBy {
			if _, lit := k.(*rex.Literal); lit {
				continue
			}
			if c := column(k); !seen[c] {
				seen[c] = true
				g.partition = append(g.partition, c)
			}
		}
		g.partition = ascending(g.partition)
		for _, k := range x.OrderBy {
			if _, lit := k.X.(*rex.Literal); lit {
				continue
			}
			// A column that orders already does not order again (RelCollations.of).
			c := column(k.X)
			if !slices.ContainsFunc(g.keys, func(o rel.SortKey) bool { return o.Column == c }) {
				g.keys = append(g.keys, rel.SortKey{Column: c, Desc: k.Desc, NullsLast: k.NullsLast})
			}
		}
		if x.Agg.Name == "ROW_NUMBER" {
			g.rows, g.lower, g.upper = true, rex.Bound{Kind: "UNBOUNDED PRECEDING"}, rex.Bound{Kind: "CURRENT ROW"}
		} else if g.lower.Kind == "" {
			g.lower, g.upper = rex.Bound{Kind: "UNBOUNDED PRECEDING"}, rex.Bound{Kind: "CURRENT ROW"}
		}
		g.key = windowKey(g)
		if !b.cfg.Batch && len(x.Args) == 3 && x.Args[2].Type().Kind != x.Args[0].Type().Kind {
			return b.fail(flinkerr.Table("Please explicitly cast default value %s to %s.", x.Args[2].Type(), x.Args[1].Type()))
		}
		call := *x
		call.Args = append([]rex.Expr(nil), x.Args...)
		for j, a := range call.Args {
			if _, lit := a.(*rex.Literal); !lit {
				call.Args[j] = &rex.InputRef{Index: column(a), T: a.Type()}
			}
		}
		at := -1
		for j := range o.groups {
			if o.groups[j].key == g.key {
				at = j
			}
		}
		if at < 0 {
			at = len(o.groups)
			o.groups = append(o.groups, g)
		}
		slots[i] = slot{at, len(o.groups[at].calls)}
		o.groups[at].calls = append(o.groups[at].calls, &call)
	}
	if b.cfg.Batch && !p.calc && !w.all && !slices.IsSorted(windowOrder(o.groups)) {
		// Where windows change places, a projection comes in between and nothing is pruned.
		x := *w
		x.all = true
		return b.split(&x)
	}
	o.makeFields()
	for i, s := range slots {
		place[i] = len(below.exprs) + s.call
		for g := range s.group {
			place[i] += len(o.groups[g].calls)
		}
	}
	return b.aboveWindows(w, p, o, outs, place, inputs)
}

// inherited is a column's name behind a split: names such as $3 are made anew.
func inherited(name string, at int) string {
	if strings.HasPrefix(name, "$") && !strings.HasPrefix(name, "$EXPR") {
		return "$" + strconv.Itoa(at)
	}
	return name
}

// aboveWindows is the projection that is left above. The windows' own projection holds
// what is still wanted, columns first; if that is the whole result, its names stay, and
// the query's are lost.
func (b *builder) aboveWindows(w *windowed, p *windowProgram, o *overNode, outs []int, place map[int]int, inputs int) *calc {
	out := &calc{in: o, fields: append([]value.Field(nil), w.fields...), projected: true}
	for _, e := range w.exprs {
		out.exprs = append(out.exprs, p.moved(e, place))
	}
	var kept []int
	for i := range p.exprs {
		if p.level[i] != levelLiteral && p.used[i] >= levelTop {
			kept = append(kept, i)
		}
	}
	if !slices.Equal(kept, outs) {
		return out
	}
	for j, i := range outs {
		name := "$"
		if i < inputs {
			name = w.in.fields[i].Name
		}
		out.fields[j].Name = inherited(name, j)
	}
	return out
}

// moved rewrites an expression to read what the windows pass on.
func (p *windowProgram) moved(e rex.Expr, place map[int]int) rex.Expr {
	if i, ok := p.at[rex.Key(e)]; ok {
		if at, ok := place[i]; ok {
			return &rex.InputRef{Index: at, T: e.Type()}
		}
	}
	switch e := e.(type) {
	case *rex.Call:
		n := *e
		n.Args = make([]rex.Expr, len(e.Args))
		for i, a := range e.Args {
			n.Args[i] = p.moved(a, place)
		}
		return &n
	case *rex.Field:
		n := *e
		n.X = p.moved(e.X, place)
		return &n
	}
	return e
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

// ranks: the only thing computed is a rank.
func (n *overNode) ranks() bool {
	return len(n.groups) == 1 && len(n.groups[0].calls) == 1 && isRanking(n.groups[0].calls[0].Agg.Name) && len(n.groups[0].keys) > 0
}

// pruneOver turns a window with a bound on its rank into a Rank, and else keeps the
// windows, whose input stays whole.
func (b *builder) pruneOver(c *calc, n *overNode, refs []int) {
	if n.ranks() {
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
	lost := losesRankName(c, w)
	name := g.calls[0].Agg.Name
	if !b.cfg.Batch && name != "ROW_NUMBER" {
		b.fail(flinkerr.Table("%s() on streaming table is not supported currently", name))
		return true
	}
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

func (p *physical) overAggregate(n *overNode) phys.Node {
	if err := rankWithoutOrder(n); err != nil {
		return p.fail(err)
	}
	if len(n.groups) > 1 {
		return p.fail(flinkerr.Table("Over Agg: Unsupported use of OVER windows. All aggregates must be computed on the same window. please re-check the over window statement."))
	}
	in := p.calc(n.in)
	if p.err != nil {
		return in
	}
	g := n.groups[0]
	if err := checkStreamOver(g, in); err != nil {
		return p.fail(err)
	}
	o := &phys.OverAggregate{PartitionBy: g.partition, Keys: sortKeys(g.keys), Rows: g.rows, Lower: g.lower, Upper: g.upper}
	o.Fields = append(append([]value.Field(nil), in.Schema()...), n.fields[len(n.in.fields):]...)
	o.Calls = p.overCalls(g, 0)
	o.In = []phys.Node{distribute(in, g.partition)}
	return o
}

// overCalls are the calls of a window, whose results are named by its number.
func (p *physical) overCalls(g overGroup, number int) []phys.AggCall {
	var out []phys.AggCall
	for i, c := range g.calls {
		a := phys.AggCall{Fn: c.Agg, Distinct: c.Distinct, IgnoreNulls: c.IgnoreNulls, Filter: -1,
			Name: "w" + strconv.Itoa(number) + "$o" + strconv.Itoa(i), T: c.T}
		for _, x := range c.Args {
			switch x := x.(type) {
			case *rex.InputRef:
				if len(a.Constants) > 0 {
					p.fail(unsupported.New("a column behind a constant argument of %s", c.Agg.Name))
					return nil
				}
				a.Args = append(a.Args, x.Index)
				a.ArgTypes = append(a.ArgTypes, x.T)
			case *rex.Literal:
				a.Constants = append(a.Constants, x)
			}
		}
		out = append(out, a)
	}
	return out
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
		return flinkerr.Table("OVER RANGE FOLLOWING windows are not supported yet.")
	default:
		return flinkerr.Table("OVER RANGE FOLLOWING windows are not supported yet.")
	}
	return nil
}
