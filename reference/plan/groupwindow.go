package plan

import (
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// groupWindowNode is GROUP BY TUMBLE(ts, size) and its like: output is keys, calls, and
// the window's properties start, end, rowtime, proctime.
type groupWindowNode struct {
	agg    *aggNode
	window phys.Window
	fields []value.Field
	// props: some property is read, so that Flink computes them all.
	props bool
	// batch windows have no processing time; proctime tells that it is read.
	batch, proctime bool
}

func (n *groupWindowNode) schema() []value.Field { return n.fields }

func isGroupWindow(op *rex.Op) bool {
	return op == rex.GroupTumble || op == rex.GroupHop || op == rex.GroupSession
}

// groupWindow builds an aggregate whose key at place is a group window; nil without
// one. In the result the window stands as the call itself, which the properties above
// it take as their argument.
func (b *builder) groupWindow(n *rel.Aggregate, in *calc) *calc {
	at := -1
	for i, k := range n.Keys {
		if c, ok := in.exprs[k].(*rex.Call); ok && isGroupWindow(c.Op) {
			if at >= 0 {
				return b.fail(flinkerr.Table("Only a single window group function may be used in GROUP BY"))
			}
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	if len(n.Sets) > 0 {
		return b.fail(noGroupingSets(in.exprs[n.Keys[at]]))
	}
	call, ok := in.exprs[n.Keys[at]].(*rex.Call)
	if !ok {
		return nil
	}
	w := phys.Window{StartCol: -1, EndCol: -1}
	if _, constant := call.Args[0].(*rex.Literal); constant {
		// A constant key is pulled up, and with it the window.
		return b.fail(noGroupingSets(call))
	}
	if !b.cfg.Batch && shiftsRowtime(call.Args[0]) {
		moved := *call.Args[0].(*rex.Call)
		moved.T.Time = value.Rowtime
		fixed := *call
		fixed.Args = append([]rex.Expr{&moved}, call.Args[1:]...)
		call = &fixed
	}
	if t := call.Args[0].Type(); b.cfg.Batch && (t.Kind == value.KindDate || t.Kind == value.KindTimestampLTZ && t.Time != value.Proctime && overColumn(n, n.Keys[at])) {
		return b.fail(flinkerr.Table("Unknown window type encountered. Please report this bug."))
	} else if !b.cfg.Batch && t.Time == value.NoTimeAttribute {
		return b.fail(flinkerr.Table("Window aggregate can only be defined over a time attribute column, but %s encountered.", rex.TypeText(t.NotNull(), false)))
	}
	if err := b.groupWindowSpans(call, &w); err != nil {
		return b.fail(err)
	}
	source := call.Args[0]
	time, plain := source.(*rex.InputRef)
	if !plain && !b.cfg.Batch && !shiftsRowtime(source) {
		return b.fail(unsupported.New("a group window over this expression"))
	}
	timeType := source.Type()
	w.Rowtime = timeType.Time != value.Proctime
	w.LTZ = timeType.Kind == value.KindTimestampLTZ
	// The window's column becomes its time column, in place.
	below := *in
	below.exprs = append([]rex.Expr(nil), in.exprs...)
	below.fields = append([]value.Field(nil), in.fields...)
	col := n.Keys[at]
	below.exprs[col] = source
	below.fields[col] = value.Field{Name: b.windowTimeName(n, in, col), Type: timeType}
	below.projected = true
	w.TimeColumn = col
	// The projection is made anew, without the query's names for what it computes.
	for i, e := range below.exprs {
		if _, ref := e.(*rex.InputRef); ref || i == col {
			continue
		}
		below.fields[i].Name = "$f" + strconv.Itoa(i)
		if r, ok := castOf(e); ok {
			below.fields[i].Name = in.in.schema()[r].Name
		}
	}
	for i := range col {
		if _, ref := below.exprs[i].(*rex.InputRef); !ref && below.fields[i].Name == below.fields[col].Name {
			below.fields[col].Name += "0"
		}
	}
	// An argument that is the time column, too, is not read twice.
	calls := append([]rel.AggCall(nil), n.Calls...)
	for j, e := range in.exprs {
		if r, ok := e.(*rex.InputRef); !ok || !plain || r.Index != time.Index {
			continue
		}
		if j < col {
			return b.fail(unsupported.New("the time column before its group window"))
		}
		for i := range calls {
			calls[i].Args = replaced(calls[i].Args, j, col)
		}
	}
	a := &aggNode{in: &below, calls: calls}
	var keyAt []int
	for i, k := range n.Keys {
		if i == at {
			keyAt = append(keyAt, -1)
			continue
		}
		keyAt = append(keyAt, len(a.keys))
		a.keys = append(a.keys, k)
	}
	for i, c := range calls {
		if c.Name == "" {
			calls[i].Name = "$f" + strconv.Itoa(len(a.keys)+i)
		}
		// Without other keys the aggregate may have no row to its planner's eye.
		if len(a.keys) == 0 && c.Fn.Name != "COUNT" {
			calls[i].T.Nullable = true
		}
	}
	a.fields = aggFields(&below, a.keys, calls)
	g := &groupWindowNode{agg: a, window: w, batch: b.cfg.Batch}
	g.makeFields()
	out := &calc{in: g, projected: true}
	for i, k := range n.Keys {
		f := in.fields[k]
		if i == at {
			out.exprs = append(out.exprs, call)
		} else {
			out.exprs = append(out.exprs, &rex.InputRef{Index: keyAt[i], T: g.fields[keyAt[i]].Type})
		}
		out.fields = append(out.fields, f)
	}
	for i := range n.Calls {
		at := len(a.keys) + i
		var x rex.Expr = &rex.InputRef{Index: at, T: g.fields[at].Type}
		if !n.Calls[i].T.Nullable && g.fields[at].Type.Nullable {
			x = &rex.Call{Op: rex.Cast, Args: []rex.Expr{x}, T: n.Calls[i].T}
		}
		out.exprs = append(out.exprs, x)
		out.fields = append(out.fields, g.fields[at])
	}
	return out
}

// shiftsRowtime: a rowtime that is moved by an interval or rounded is one still, to the eye of the planner,
// and so is that of a window below which is cast to NOT NULL.
func shiftsRowtime(e rex.Expr) bool {
	c, ok := e.(*rex.Call)
	if ok && c.Op == rex.Cast {
		return c.T.Time == value.Rowtime && c.Args[0].Type().Time == value.Rowtime
	}
	if !ok || !c.T.IsTimestamp() || len(c.Args) != 2 {
		return false
	}
	switch c.Op.Name {
	case "+", "-", "FLOOR", "CEIL":
		t := c.Args[0].Type()
		return t.IsTimestamp() && t.Time == value.Rowtime || shiftsRowtime(c.Args[0])
	}
	return false
}

func replaced(cols []int, old, new int) []int {
	out := append([]int(nil), cols...)
	for i := range out {
		if out[i] == old {
			out[i] = new
		}
	}
	return out
}

// makeFields puts the properties behind the aggregate's columns.
func (n *groupWindowNode) makeFields() {
	t := n.agg.in.exprs[n.window.TimeColumn].Type().AsNullable()
	plain := value.Type{Kind: value.KindTimestamp, Precision: 3}
	proc := value.Type{Kind: value.KindTimestampLTZ, Precision: 3, Time: value.Proctime}
	n.fields = append(append([]value.Field(nil), n.agg.fields...),
		value.Field{Name: "w$start", Type: plain}, value.Field{Name: "w$end", Type: plain})
	if n.window.Rowtime {
		n.fields = append(n.fields, value.Field{Name: "w$rowtime", Type: t})
	}
	if !n.batch {
		n.fields = append(n.fields, value.Field{Name: "w$proctime", Type: proc})
	}
}

// property finds the column of TUMBLE_START and so on.
func (n *groupWindowNode) property(op *rex.Op) int {
	i := len(n.agg.fields)
	switch op {
	case rex.TumbleStart, rex.HopStart, rex.SessionStart:
		return i
	case rex.TumbleEnd, rex.HopEnd, rex.SessionEnd:
		return i + 1
	case rex.TumbleRowtime, rex.HopRowtime, rex.SessionRowtime:
		return i + 2
	case rex.TumbleProctime, rex.HopProctime, rex.SessionProctime:
		return len(n.fields) - 1
	}
	return -1
}

// windowProperties replaces TUMBLE_START(window) and so on by the property's column.
func windowProperties(in node, e rex.Expr) rex.Expr {
	n, ok := in.(*groupWindowNode)
	if !ok {
		return e
	}
	return rex.Transform(e, func(x rex.Expr) rex.Expr {
		c, ok := x.(*rex.Call)
		if !ok || len(c.Args) != 1 {
			return x
		}
		w, ok := c.Args[0].(*rex.Call)
		if !ok || !isGroupWindow(w.Op) {
			return x
		}
		i := n.property(c.Op)
		if i < 0 {
			return x
		}
		n.props = true
		proctime := c.Op == rex.TumbleProctime || c.Op == rex.HopProctime || c.Op == rex.SessionProctime
		n.proctime = n.proctime || proctime
		rowtime := c.Op == rex.TumbleRowtime || c.Op == rex.HopRowtime || c.Op == rex.SessionRowtime
		if proctime || rowtime && !w.Args[0].Type().Nullable {
			// The column may be NULL (PlannerRowtimeAttribute and PlannerProctimeAttribute say so
			// of any window), and the call is as its time is.
			return &rex.Call{Op: rex.Cast, Args: []rex.Expr{&rex.InputRef{Index: i, T: n.fields[i].Type.AsNullable()}}, T: c.T}
		}
		return &rex.InputRef{Index: i, T: c.T}
	})
}

func isCast(e rex.Expr) bool {
	c, ok := e.(*rex.Call)
	return ok && c.Op == rex.Cast
}

// castOf is the column that an expression casts.
func castOf(e rex.Expr) (int, bool) {
	for isCast(e) {
		e = e.(*rex.Call).Args[0]
	}
	r, ok := e.(*rex.InputRef)
	if !ok {
		return 0, false
	}
	return r.Index, true
}

// overColumn: the window's time is a column of what is grouped, not computed for it.
func overColumn(n *rel.Aggregate, key int) bool {
	p, ok := n.In[0].(*rel.Project)
	if !ok {
		return false
	}
	c, ok := p.Exprs[key].(*rex.Call)
	if !ok || len(c.Args) == 0 {
		return false
	}
	_, ok = c.Args[0].(*rex.InputRef)
	return ok
}

// windowTimeName is the name of the column of times: that of the column below, where it is one or the
// cast of one (RelBuilder.project), else by its place.
func (b *builder) windowTimeName(n *rel.Aggregate, in *calc, col int) string {
	own := "$f" + strconv.Itoa(col)
	if !b.cfg.Batch {
		// Projections are merged first.
		r, ok := in.exprs[col].(*rex.Call).Args[0].(*rex.InputRef)
		if _, window := in.in.(*groupWindowNode); !ok || window {
			return own
		}
		return in.in.schema()[r.Index].Name
	}
	p, ok := n.In[0].(*rel.Project)
	if !ok {
		return own
	}
	call, ok := p.Exprs[col].(*rex.Call)
	if !ok {
		return own
	}
	x := call.Args[0]
	for {
		switch e := x.(type) {
		case *rex.InputRef:
			return p.In[0].Schema()[e.Index].Name
		case *rex.Call:
			if e.Op == rex.Cast {
				x = e.Args[0]
				continue
			}
		}
		return own
	}
}

// noGroupingSets: the window stays a function call, for which there is no code.
func noGroupingSets(e rex.Expr) error {
	c, ok := e.(*rex.Call)
	if !ok {
		return unsupported.New("GROUPING SETS with a group window")
	}
	types := make([]string, len(c.Args))
	for i, a := range c.Args {
		types[i] = rex.TypeText(a.Type(), true)
		if a.Type().IsInterval() {
			types[i] = "INTERVAL SECOND(3) NOT NULL"
		}
	}
	return flinkerr.New("org.apache.flink.table.planner.codegen.CodeGenException",
		"Unsupported call: %s(%s) \nIf you think this function should be supported, you can create an issue and start a discussion for it.",
		c.Op.Name, strings.Join(types, ", "))
}
