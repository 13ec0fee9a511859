package plan

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// temporalNode joins rows with the version of a table that was valid at their time.
// Nothing is pushed into or out of it: a filter would corrupt the versions
// (FlinkFilterJoinRule leaves event-time temporal joins alone).
type temporalNode struct {
	left, right *calc
	typ         string // inner, left
	// cond are the written conditions, over the columns of both sides.
	cond []rex.Expr
	// period is a column of the left side, time one of the right.
	period, time int
	proctime     bool
	// id is the correlation variable, which error texts show.
	id     int
	fields []value.Field
}

func (t *temporalNode) schema() []value.Field { return t.fields }

// The calls with which Flink marks the condition of a temporal join.
var (
	temporalCondition  = &rex.Op{Name: "__TEMPORAL_JOIN_CONDITION"}
	initialCondition   = &rex.Op{Name: "__INITIAL_TEMPORAL_JOIN_CONDITION"}
	temporalPrimaryKey = &rex.Op{Name: "__TEMPORAL_JOIN_CONDITION_PRIMARY_KEY"}
	temporalLeftKey    = &rex.Op{Name: "__TEMPORAL_JOIN_LEFT_KEY"}
	temporalRightKey   = &rex.Op{Name: "__TEMPORAL_JOIN_RIGHT_KEY"}
)

// snapshotOf finds FOR SYSTEM_TIME AS OF at the right of a correlation: a snapshot, or
// a filter over one.
func snapshotOf(n rel.Node) (s *rel.Snapshot, cond rex.Expr, ok bool) {
	if f, isFilter := n.(*rel.Filter); isFilter {
		n, cond = f.In[0], f.Cond
	}
	s, ok = n.(*rel.Snapshot)
	return s, cond, ok
}

// temporal makes a temporal join of a correlation with a snapshot
// (LogicalCorrelateToJoinFromGeneralTemporalTableRule, whose order of errors it keeps).
func (b *builder) temporal(n *rel.Correlate, s *rel.Snapshot, cond rex.Expr) *calc {
	l, r := copyCalc(b.build(n.In[0])), copyCalc(b.build(s.In[0]))
	if b.err != nil {
		return l
	}
	if b.cfg.Batch {
		if _, plain := s.Period.(*rex.Field); plain && cond != nil && hasCorrelVar(cond) {
			return b.fail(flinkerr.Table("unexpected correlate variable $cor%d in the plan", n.ID))
		}
		return b.fail(unsupported.New("the plan in the error text of this temporal join in batch mode"))
	}
	if cond != nil && hasSubQuery(cond) {
		return b.fail(unsupported.New("a sub-query in the condition of a temporal join"))
	}
	if !overTime(s.Period, l) {
		return b.fail(flinkerr.Validation("Temporal table join currently only supports 'FOR SYSTEM_TIME AS OF' left table's time attribute field"))
	}
	period, ok := outerField(s.Period, n.ID)
	if !ok {
		return b.fail(flinkerr.Validation("Temporal table join currently only supports 'FOR SYSTEM_TIME AS OF' left table's time attribute field'"))
	}
	t := &temporalNode{typ: n.Type, id: n.ID, period: period.Index, proctime: period.T.Time == value.Proctime}
	w, right := len(l.exprs), len(r.exprs)
	t.cond = t.decorrelated(cond, w)
	ls, rs := &side{l}, &side{r}
	t.pushOperands(ls, rs, w)
	t.left, t.right = ls.calc, rs.calc
	wide := len(l.exprs)
	if lk, _, _, _ := equiKeys(t.cond, wide); len(lk) == 0 {
		return b.fail(flinkerr.Validation("Currently the join key in Temporal Table Join can not be empty."))
	}
	if period.Index >= w {
		return b.fail(flinkerr.Validation("Temporal Table Join requires time attribute in the left table, but no time attribute found."))
	}
	if !t.proctime {
		if err := t.findRowtime(period.T); err != nil {
			return b.fail(err)
		}
	}
	t.setFields()
	out := &calc{in: t}
	for i, f := range n.Fields {
		at := i
		if i >= w {
			at += wide - w
		}
		out.exprs = append(out.exprs, &rex.InputRef{Index: at, T: t.fields[at].Type})
		out.fields = append(out.fields, value.Field{Name: f.Name, Type: t.fields[at].Type})
	}
	out.projected = wide > w || len(r.exprs) > right
	return out
}

// overTime tells that a period's type is a time attribute, which it stays when an
// interval is added or subtracted.
func overTime(e rex.Expr, left *calc) bool {
	switch e := e.(type) {
	case *rex.Call:
		if e.Op == rex.Plus || e.Op == rex.Minus {
			return overTime(e.Args[0], left)
		}
	case *rex.Field:
		if e.T.Time == value.NoTimeAttribute && e.Index < len(left.exprs) {
			return timeOf(left, e.Index) != value.NoTimeAttribute
		}
	}
	return e.Type().Time != value.NoTimeAttribute
}

// timeOf is the time attribute that Flink's types give an output: the largest or smallest
// rowtime of a group still counts as one.
func timeOf(c *calc, i int) value.TimeAttribute {
	e := c.exprs[i]
	if t := e.Type().Time; t != value.NoTimeAttribute {
		return t
	}
	r, ok := e.(*rex.InputRef)
	a, isAgg := c.in.(*aggNode)
	if !ok || !isAgg || r.Index < len(a.keys) {
		return value.NoTimeAttribute
	}
	switch call := a.calls[r.Index-len(a.keys)]; call.Fn.Name {
	case "MAX", "MIN":
		return timeOf(a.in, call.Args[0])
	}
	return value.NoTimeAttribute
}

// outerField reads a field of the row that the correlation variable stands for.
func outerField(e rex.Expr, id int) (*rex.Field, bool) {
	f, ok := e.(*rex.Field)
	if !ok {
		return nil, false
	}
	v, ok := f.X.(*rex.CorrelVar)
	return f, ok && v.ID == id
}

// decorrelated puts the condition over the columns of both sides.
func (t *temporalNode) decorrelated(cond rex.Expr, w int) []rex.Expr {
	if cond == nil {
		return nil
	}
	return rex.Conjunctions(rex.Transform(shift(cond, w), func(x rex.Expr) rex.Expr {
		if f, ok := outerField(x, t.id); ok {
			return &rex.InputRef{Index: f.Index, T: f.T}
		}
		return x
	}))
}

// pushOperands makes columns of the computed sides of equalities
// (RelOptUtil.pushDownJoinConditions).
func (t *temporalNode) pushOperands(l, r *side, w int) {
	type equality struct {
		at          int
		left, right int
		swapped     bool
	}
	var found []equality
	for i, e := range t.cond {
		c, ok := e.(*rex.Call)
		if !ok || c.Op != rex.Eq && c.Op != rex.IsNotDistinctFrom {
			continue
		}
		al, ar := sides(c.Args[0], w)
		bl, br := sides(c.Args[1], w)
		switch {
		case al && !ar && br && !bl:
			found = append(found, equality{i, l.pushed(c.Args[0]), r.pushed(shift(c.Args[1], -w)), false})
		case ar && !al && bl && !br:
			found = append(found, equality{i, l.pushed(c.Args[1]), r.pushed(shift(c.Args[0], -w)), true})
		}
	}
	wide := len(l.calc.exprs)
	for i, e := range t.cond {
		t.cond[i] = rex.Renumber(e, func(x int) int {
			if x >= w {
				return x + wide - w
			}
			return x
		})
	}
	for _, q := range found {
		c := t.cond[q.at].(*rex.Call)
		a := rex.Expr(&rex.InputRef{Index: q.left, T: l.calc.exprs[q.left].Type()})
		b := rex.Expr(&rex.InputRef{Index: wide + q.right, T: r.calc.exprs[q.right].Type()})
		if q.swapped {
			a, b = b, a
		}
		t.cond[q.at] = &rex.Call{Op: c.Op, Args: []rex.Expr{a, b}, T: c.T}
	}
}

// findRowtime looks for the one rowtime column of the versioned table.
func (t *temporalNode) findRowtime(left value.Type) error {
	t.time = -1
	n := 0
	for i := range t.right.exprs {
		if timeOf(t.right, i) == value.Rowtime {
			t.time = i
			n++
		}
	}
	if n != 1 {
		return flinkerr.Validation("Event-Time Temporal Table Join requires both primary key and row time attribute in versioned table, but no row time attribute can be found.")
	}
	right := t.right.exprs[t.time].Type()
	if left.Kind != right.Kind {
		return flinkerr.Validation("Event-Time Temporal Table Join requires same rowtime type in left table and versioned table, but the rowtime types are %s and %s.",
			rex.TypeText(left, false), rex.TypeText(right, false))
	}
	return nil
}

// setFields names the output: right names that are taken get a number.
func (t *temporalNode) setFields() {
	all := phys.JoinNames(names(t.left.fields), names(t.right.fields))
	t.fields = nil
	for i, e := range t.left.exprs {
		t.fields = append(t.fields, value.Field{Name: all[i], Type: e.Type()})
	}
	for i, e := range t.right.exprs {
		typ := e.Type()
		typ.Nullable = typ.Nullable || t.typ == "left"
		t.fields = append(t.fields, value.Field{Name: all[len(t.left.exprs)+i], Type: typ})
	}
}

// pruneTemporal keeps what is read above, the condition, and both times.
func (b *builder) pruneTemporal(c *calc, n *temporalNode, refs []int) {
	w := len(n.left.exprs)
	used := map[int]bool{n.period: true}
	if !n.proctime {
		used[w+n.time] = true
	}
	for _, r := range append(refs, rex.Refs(n.cond...)...) {
		used[r] = true
	}
	to := map[int]int{}
	var wantL, wantR []int
	for i := range n.fields {
		if !used[i] {
			continue
		}
		to[i] = len(to)
		if i < w {
			wantL = append(wantL, i)
		} else {
			wantR = append(wantR, i-w)
		}
	}
	n.left, n.right = n.left.keepOutputs(wantL), n.right.keepOutputs(wantR)
	for i, e := range n.cond {
		n.cond[i] = rex.Renumber(e, func(i int) int { return to[i] })
	}
	n.period = to[n.period]
	if !n.proctime {
		n.time = to[w+n.time] - len(wantL)
	}
	n.setFields()
	c.renumber(to)
	b.pruneColumns(n.left)
	b.pruneColumns(n.right)
}

// temporal converts a temporal join.
func (p *physical) temporal(n *temporalNode) phys.Node {
	l, r := p.calc(n.left), p.calc(n.right)
	if p.err != nil {
		return l
	}
	r = withoutNormalize(r)
	w := len(l.Schema())
	lk, rk, nulls, rest := equiKeys(n.cond, w)
	for _, filters := range nulls {
		if !filters {
			return p.fail(unsupported.New("IS NOT DISTINCT FROM in a temporal join"))
		}
	}
	key, err := p.versionKey(n, l, r, lk, rk)
	if err != nil {
		return p.fail(err)
	}
	if n.proctime {
		return p.fail(flinkerr.Table("Processing-time temporal join is not supported yet."))
	}
	if err := corruptsVersions(r); err != nil {
		return p.fail(err)
	}
	j := &phys.TemporalJoin{JoinType: joinTypes[n.typ], LeftKeys: lk, RightKeys: rk, LeftTime: n.period, RightTime: n.time, Rowtime: true}
	all := phys.JoinNames(names(l.Schema()), names(r.Schema()))
	in := append(append([]value.Field(nil), l.Schema()...), r.Schema()...)
	for i, f := range n.fields {
		t := f.Type
		t.Time = in[i].Type.Time
		j.Fields = append(j.Fields, value.Field{Name: all[i], Type: t})
	}
	if len(rest) > 0 {
		j.NonEqui = p.plainJoin(rex.AndOf(rest), in)
	}
	conj := append(append([]rex.Expr(nil), n.cond...), n.marked(temporalCondition, w, lk, rk, key))
	j.Cond = p.plainJoin(rex.AndOf(conj), in)
	j.In = []phys.Node{distribute(l, lk), distribute(r, rk)}
	return j
}

// withoutVersionTimes makes the times of the versioned table, columns from w on of the
// join below, plain timestamps above it.
func (p *physical) withoutVersionTimes(n, join phys.Node, w int) phys.Node {
	return p.materialize(n, func(i int, _ value.Type) bool {
		if n == join {
			return i >= w
		}
		r, ok := n.(*phys.Calc).Exprs[i].(*rex.InputRef)
		return ok && r.Index >= w
	})
}

// marked is the call that marks a temporal join: times, the primary key if known, the keys.
func (t *temporalNode) marked(op *rex.Op, w int, lk, rk, pk []int) rex.Expr {
	list := func(op *rex.Op, cols []int, by int) rex.Expr {
		c := &rex.Call{Op: op, T: rex.BoolType(false)}
		for _, i := range cols {
			c.Args = append(c.Args, &rex.InputRef{Index: i + by, T: t.fields[i+by].Type})
		}
		return c
	}
	ref := func(i int) rex.Expr { return &rex.InputRef{Index: i, T: t.fields[i].Type} }
	args := []rex.Expr{ref(t.period)}
	if !t.proctime {
		args = append(args, ref(w+t.time))
	}
	if pk != nil {
		args = append(args, list(temporalPrimaryKey, pk, w))
	}
	args = append(args, list(temporalLeftKey, lk, 0), list(temporalRightKey, rk, w))
	return &rex.Call{Op: op, Args: args, T: rex.BoolType(false)}
}

// versionKey is the shortest upsert key of the versioned table, which the join keys must
// contain (TemporalJoinRewriteWithUniqueKeyRule).
func (p *physical) versionKey(n *temporalNode, l, r phys.Node, lk, rk []int) ([]int, error) {
	var best []int
	for _, k := range upsertKeys(r) {
		if len(k) > 0 && (best == nil || len(k) < len(best)) {
			best = k
		}
	}
	if best == nil {
		plan, err := logicalText(n, l, r, lk, rk)
		if err != nil {
			return nil, err
		}
		return nil, flinkerr.Validation("Temporal Table Join requires primary key in versioned table, but no primary key can be found. The physical plan is:\n%s\n", plan)
	}
	if subset(best, rk) {
		return best, nil
	}
	all := phys.JoinNames(names(l.Schema()), names(r.Schema()))
	var key, pairs []string
	for _, i := range best {
		key = append(key, all[len(l.Schema())+i])
	}
	for i := range lk {
		pairs = append(pairs, l.Schema()[lk[i]].Name+"="+r.Schema()[rk[i]].Name)
	}
	return nil, flinkerr.Validation("Temporal table's primary key [%s] must be included in the equivalence condition of temporal join, but current temporal join condition is [%s].",
		strings.Join(key, ","), strings.Join(pairs, ","))
}

// simplify simplifies the written conditions.
func (t *temporalNode) simplify(b *builder) {
	if len(t.cond) > 0 {
		t.cond = rex.Conjunctions(b.joinCondition(t.cond))
	}
}
