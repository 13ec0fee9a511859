package plan

import (
	"slices"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// normalizes tells that events of a changelog source may repeat, so that its plan needs a
// ChangelogNormalize by the primary key.
func (b *builder) normalizes(t *catalog.Table) bool {
	return !b.cfg.Batch && len(t.PrimaryKey) > 0 && sourceKinds(t) != kInsert && b.cfg.flag("table.exec.source.cdc-events-duplicate")
}

// withKey adds the columns of the primary key to those that are read of a source: a
// ChangelogNormalize needs them.
func (b *builder) withKey(n *scanNode, refs []int) []int {
	if !b.normalizes(n.table) {
		return refs
	}
	refs = slices.Clone(refs)
	for _, k := range n.keyColumns() {
		if !slices.Contains(refs, k) {
			refs = append(refs, k)
		}
	}
	return refs
}

// keyColumns are the places of the primary key among the columns that a scan reads.
func (n *scanNode) keyColumns() []int {
	var out []int
	for _, name := range n.table.PrimaryKey {
		for i, c := range n.columns {
			if n.table.Columns[c].Name == name {
				out = append(out, i)
			}
		}
	}
	return out
}

func (p *physical) normalized(n *scanNode, scan phys.Node) phys.Node {
	if !p.normalizes(n.table) {
		return scan
	}
	keys := n.keyColumns()
	return &phys.ChangelogNormalize{Base: base(scan.Schema(), distribute(scan, keys)), Keys: keys}
}

// withoutNormalize takes the ChangelogNormalize of a versioned table away: the versions
// keep repeated events apart by themselves (EventTimeTemporalJoinRewriteRule).
func withoutNormalize(n phys.Node) phys.Node {
	switch n := n.(type) {
	case *phys.Calc, *phys.WatermarkAssigner:
		n.Inputs()[0] = withoutNormalize(n.Inputs()[0])
	case *phys.ChangelogNormalize:
		return n.In[0].Inputs()[0]
	}
	return n
}

// pushNormalize moves watermark assigners and calcs below ChangelogNormalize, as far as
// its keys allow (WatermarkAssignerChangelogNormalizeTransposeRule,
// PushCalcPastChangelogNormalizeRule).
func (p *physical) pushNormalize(n phys.Node) phys.Node {
	for i, in := range n.Inputs() {
		n.Inputs()[i] = p.pushNormalize(in)
	}
	switch n := n.(type) {
	case *phys.WatermarkAssigner:
		return p.watermarkBelow(n)
	case *phys.Calc:
		if x, ok := n.In[0].(*phys.ChangelogNormalize); ok && x.Cond == nil {
			return calcBelow(n, x)
		}
	}
	return n
}

func (p *physical) watermarkBelow(w *phys.WatermarkAssigner) phys.Node {
	below := w.In[0]
	calc, hasCalc := below.(*phys.Calc)
	if hasCalc {
		below = calc.In[0]
	}
	x, ok := below.(*phys.ChangelogNormalize)
	if !ok {
		return w
	}
	in := x.In[0].Inputs()[0]
	if !hasCalc {
		m := &phys.WatermarkAssigner{Base: base(w.Fields, in), Column: w.Column, Expr: w.Expr}
		return &phys.ChangelogNormalize{Base: base(w.Fields, distribute(m, x.Keys)), Keys: x.Keys}
	}
	to := make([]int, len(calc.Exprs))
	kept := 0
	for i, e := range calc.Exprs {
		r, ok := e.(*rex.InputRef)
		if !ok {
			return p.fail(unsupported.New("a watermark on a computed column of a table whose events may repeat"))
		}
		to[i] = r.Index
		if slices.Contains(x.Keys, r.Index) {
			kept++
		}
	}
	if calc.Cond != nil || kept == len(x.Keys) {
		return p.fail(unsupported.New("a watermark over this projection of a table whose events may repeat"))
	}
	column := to[w.Column]
	fields := slices.Clone(in.Schema())
	fields[column].Type.Time = w.Fields[w.Column].Type.Time
	m := &phys.WatermarkAssigner{Base: base(fields, in), Column: column, Expr: rex.Renumber(w.Expr, func(i int) int { return to[i] })}
	c := &phys.Calc{Base: base(w.Fields, &phys.ChangelogNormalize{Base: base(fields, distribute(m, x.Keys)), Keys: x.Keys})}
	for i, at := range to {
		c.Exprs = append(c.Exprs, &rex.InputRef{Index: at, T: w.Fields[i].Type})
	}
	return c
}

// calcBelow splits the calc's condition: what reads only the key filters events before
// they are normalized, the rest becomes the node's own condition. Columns that nobody
// reads are dropped below.
func calcBelow(c *phys.Calc, x *phys.ChangelogNormalize) phys.Node {
	used := map[int]bool{}
	for _, k := range x.Keys {
		used[k] = true
	}
	for _, r := range rex.Refs(c.Exprs...) {
		used[r] = true
	}
	var byKey, rest []rex.Expr
	if c.Cond != nil {
		for _, e := range rex.Conjunctions(rex.ToCNF(c.Cond)) {
			for _, r := range rex.Refs(e) {
				used[r] = true
			}
			if subset(rex.Refs(e), x.Keys) {
				byKey = append(byKey, e)
			} else {
				rest = append(rest, e)
			}
		}
	}
	in := x.In[0].Inputs()[0]
	schema := in.Schema()
	if len(used) == len(schema) && c.Cond == nil {
		return c
	}
	to := map[int]int{}
	if len(byKey) > 0 || len(used) < len(schema) {
		low := &phys.Calc{}
		for i, f := range schema {
			if used[i] {
				to[i] = len(low.Exprs)
				low.Exprs = append(low.Exprs, &rex.InputRef{Index: i, T: f.Type})
				low.Fields = append(low.Fields, f)
			}
		}
		if len(byKey) > 0 {
			low.Cond = rex.AndOf(byKey)
		}
		low.In = []phys.Node{in}
		in = low
	} else {
		for i := range schema {
			to[i] = i
		}
	}
	at := func(i int) int { return to[i] }
	keys := make([]int, len(x.Keys))
	for i, k := range x.Keys {
		keys[i] = to[k]
	}
	n := &phys.ChangelogNormalize{Base: base(in.Schema(), distribute(in, keys)), Keys: keys}
	if len(rest) > 0 {
		n.Cond = rex.Renumber(rex.AndOf(rest), at)
	}
	top := &phys.Calc{Base: base(c.Fields, n)}
	same := len(c.Exprs) == len(in.Schema())
	for i, e := range c.Exprs {
		e = rex.Renumber(e, at)
		r, ref := e.(*rex.InputRef)
		same = same && ref && r.Index == i
		top.Exprs = append(top.Exprs, e)
	}
	if same {
		return n
	}
	return top
}
