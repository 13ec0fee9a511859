package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
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
		for _, a := range e.Args {
			operand(a)
		}
		// What is computed from windows alone needs nothing below them.
		p.calc = p.calc || level == levelCalc
	case *rex.Field:
		operand(e.X)
		p.calc = p.calc || level == levelCalc
	default:
		p.bad = true
	}
	for _, i := range operands {
		p.used[i] = max(p.used[i], level)
	}
	return p.add(e, level)
}

// computeProperties: what the windows read of a group window's start, end and rowtime is computed for them.
func (p *windowProgram) computeProperties(w *windowed) {
	g, ok := w.in.in.(*groupWindowNode)
	if !ok {
		return
	}
	for _, e := range w.exprs {
		for _, r := range rex.Refs(e) {
			if col, ok := castOf(w.in.exprs[r]); ok && col >= len(g.agg.fields) {
				p.level[r], p.calc = levelCalc, true
			}
		}
	}
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
	if !b.cfg.Batch {
		p.computeProperties(w)
	}
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
		if i < inputs && p.level[i] == levelInput {
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
