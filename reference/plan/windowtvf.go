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

// windowColumns are what a window function appends: window_start, window_end, window_time.
const windowColumns = 3

// windowTVF reads the arguments of TUMBLE, HOP, CUMULATE and SESSION.
func (b *builder) windowTVF(n *rel.TableFunction, in *calc) *calc {
	t := &windowTVFNode{in: in, fields: n.Fields}
	w := phys.Window{Kind: strings.ToUpper(n.Call.Op.Name), StartCol: -1, EndCol: -1}
	args := n.Call.Args
	table, ok := args[0].(*rex.TableInput)
	desc, okD := descriptorName(args[1])
	if !ok || !okD {
		return b.fail(unsupported.New("arguments of %s", w.Kind))
	}
	w.PartitionBy = table.PartitionBy
	for i, f := range in.fields {
		if f.Name == desc {
			w.TimeColumn = i
		}
	}
	time := in.fields[w.TimeColumn].Type
	w.Rowtime = time.Time == value.Rowtime || b.cfg.Batch && time.Time != value.Proctime
	w.LTZ = time.Kind == value.KindTimestampLTZ
	if err := windowFunctionSpans(args[2:], &w); err != nil {
		return b.fail(err)
	}
	if w.Kind == "SESSION" && b.cfg.Batch {
		return b.fail(flinkerr.Table("Unaligned windows like session are not supported in batch mode yet."))
	}
	t.window = w
	return identity(t)
}

func descriptorName(e rex.Expr) (string, bool) {
	c, ok := e.(*rex.Call)
	if !ok || len(c.Args) != 1 {
		return "", false
	}
	l, ok := c.Args[0].(*rex.Literal)
	if !ok {
		return "", false
	}
	return l.V.Str(), true
}

// pruneWindowTVF drops columns below the function, in their order; time and partition
// columns stay (ProjectWindowTableFunctionTransposeRule).
func (b *builder) pruneWindowTVF(c *calc, n *windowTVFNode, refs []int) {
	w := len(n.in.exprs)
	need := map[int]bool{n.window.TimeColumn: true}
	for _, p := range n.window.PartitionBy {
		need[p] = true
	}
	for _, r := range refs {
		need[r] = true
	}
	to := map[int]int{}
	var want []int
	for i := range w {
		if need[i] {
			to[i] = len(want)
			want = append(want, i)
		}
	}
	if len(want) < w {
		var fields []value.Field
		for _, i := range want {
			fields = append(fields, n.fields[i])
		}
		for i := range windowColumns {
			to[w+i] = len(want) + i
		}
		n.fields = append(fields, n.fields[w:]...)
		n.in = n.in.keepOutputs(want)
		n.window.TimeColumn = to[n.window.TimeColumn]
		p := make([]int, len(n.window.PartitionBy))
		for i, k := range n.window.PartitionBy {
			p[i] = to[k]
		}
		n.window.PartitionBy = p
		c.renumber(to)
	}
	b.pruneColumns(n.in)
}

func (p *physical) windowTVF(n *windowTVFNode) phys.Node {
	in := p.calc(n.in)
	if p.err != nil {
		return in
	}
	time := in.Schema()[n.window.TimeColumn].Type
	if !p.cfg.Batch && time.Time == value.NoTimeAttribute {
		return p.fail(flinkerr.Validation("The window function requires the timecol is a time attribute type, but is %s.", rex.TypeText(time.NotNull(), false)))
	}
	if p.cfg.Batch && time.Time == value.Proctime {
		return p.fail(flinkerr.Table("Processing time Window TableFunction is not supported yet."))
	}
	if n.window.Kind == "SESSION" {
		in = distribute(in, n.window.PartitionBy)
	}
	t := &phys.WindowTableFunction{Base: base(nil, in), Window: n.window}
	t.Window.NotNull = !time.Nullable
	t.Fields = append(append([]value.Field(nil), in.Schema()...), n.fields[len(in.Schema()):]...)
	return t
}

// windowProps tells which columns of a node are start, end and time of a window.
type windowProps struct {
	start, end, time map[int]bool
	window           phys.Window
}

// windowsOf is FlinkRelMdWindowProperties; nil for none.
func windowsOf(n phys.Node) *windowProps {
	switch n := n.(type) {
	case *phys.WindowTableFunction:
		w := len(n.Fields) - windowColumns
		return &windowProps{map[int]bool{w: true}, map[int]bool{w + 1: true}, map[int]bool{w + 2: true}, n.Window}
	case *phys.WindowAggregate:
		p := &windowProps{map[int]bool{}, map[int]bool{}, map[int]bool{}, n.Window}
		for i, name := range n.Props {
			c := len(n.Keys) + len(n.Calls) + i
			switch name {
			case "start":
				p.start[c] = true
			case "end":
				p.end[c] = true
			case "rowtime", "proctime":
				p.time[c] = true
			}
		}
		return p
	case *phys.Calc:
		below := windowsOf(n.In[0])
		if below == nil {
			return nil
		}
		p := &windowProps{map[int]bool{}, map[int]bool{}, map[int]bool{}, below.window}
		for i, e := range n.Exprs {
			r, ok := e.(*rex.InputRef)
			if !ok {
				continue
			}
			if below.start[r.Index] {
				p.start[i] = true
			}
			if below.end[r.Index] {
				p.end[i] = true
			}
			if below.time[r.Index] {
				p.time[i] = true
			}
		}
		return p
	case *phys.Expand:
		below := windowsOf(n.In[0])
		if below == nil {
			return nil
		}
		p := &windowProps{map[int]bool{}, map[int]bool{}, map[int]bool{}, below.window}
		for i := range n.Fields {
			all := true
			src := -1
			for _, row := range n.Projects {
				r, ok := row[i].(*rex.InputRef)
				if !ok || src >= 0 && r.Index != src {
					all = false
					break
				}
				src = r.Index
			}
			if all {
				p.start[i], p.end[i], p.time[i] = below.start[src], below.end[src], below.time[src]
			}
		}
		return p
	case *phys.Exchange, *phys.WindowRank, *phys.WindowDeduplicate, *phys.WatermarkAssigner:
		return windowsOf(n.Inputs()[0])
	}
	return nil
}

// splitKeys takes the window's columns out of keys. ok: both start and end are there.
func (w *windowProps) splitKeys(keys []int) (plain, start, end, time []int, ok bool) {
	if w == nil {
		return keys, nil, nil, nil, false
	}
	for _, k := range keys {
		switch {
		case w.start[k]:
			start = append(start, k)
		case w.end[k]:
			end = append(end, k)
		case w.time[k]:
			time = append(time, k)
		default:
			plain = append(plain, k)
		}
	}
	return plain, start, end, time, len(start) > 0 && len(end) > 0
}

// sessionColumns are the columns that a session window function right below is partitioned by, as
// columns of in; nil if not all are there.
func sessionColumns(in phys.Node) []int {
	switch n := in.(type) {
	case *phys.WindowTableFunction:
		return append([]int{}, n.Window.PartitionBy...)
	case *phys.Calc:
		below := sessionColumns(n.In[0])
		if below == nil {
			return nil
		}
		out := []int{}
		for _, k := range below {
			at := slices.IndexFunc(n.Exprs, func(e rex.Expr) bool {
				r, ok := e.(*rex.InputRef)
				return ok && r.Index == k
			})
			if at < 0 {
				return nil
			}
			out = append(out, at)
		}
		return out
	}
	return nil
}

func sameColumns(a, b []int) bool {
	return b != nil && slices.Equal(ascending(a), ascending(b))
}

// attached is the window of rows that carry it in columns.
func (w *windowProps) attached(start, end int) phys.Window {
	x := w.window
	x.TimeColumn, x.StartCol, x.EndCol = -1, start, end
	x.PartitionBy = nil
	return x
}

// windowAggregate groups by windows. Where the window function is right below, the
// operator cuts the windows itself (PullUpWindowTableFunctionIntoWindowAggregate).
func (p *physical) windowAggregate(n *aggNode, in phys.Node) (phys.Node, bool) {
	props := windowsOf(in)
	plain, start, end, time, ok := props.splitKeys(n.keys)
	if !ok {
		return nil, false
	}
	if p.cfg.flag("table.exec.emit.early-fire.enabled") || p.cfg.flag("table.exec.emit.late-fire.enabled") {
		return p.fail(flinkerr.Table("Currently, window table function based aggregate doesn't support early-fire and late-fire configuration 'table.exec.emit.early-fire.enabled' and 'table.exec.emit.late-fire.enabled'.")), true
	}
	w := props.window
	if w.Kind == "HOP" && w.Size%w.Slide != 0 {
		return p.fail(flinkerr.Table("HOP table function based aggregate requires size must be an integral multiple of slide, but got size %d ms and slide %d ms", w.Size, w.Slide)), true
	}
	if w.Kind == "SESSION" && !sameColumns(plain, sessionColumns(in)) {
		// Sessions by other columns than the groups are not cut by the aggregate.
		return nil, false
	}
	schema := in.Schema()
	counts := slices.ContainsFunc(n.calls, func(c rel.AggCall) bool { return c.Fn.Name == "COUNT" && len(c.Args) == 0 && c.Filter < 0 })
	for _, c := range n.calls {
		if w.Kind == "HOP" && c.Fn.Name == "SUM" && len(n.calls) > 1 && !counts && !schema[c.Args[0]].Type.Nullable {
			p.doubtText("a SUM of a NOT NULL column in HOP windows, beside others") // Flink shows $SUM0 at times
		}
	}
	window := props.attached(start[0], end[0])
	columns := plain
	calls := n.calls
	source := in
	if x, to, tc, ok := pullWindow(in, props); ok {
		source = x
		window = w
		window.TimeColumn = tc
		columns = renumbered(plain, to)
		calls = append([]rel.AggCall(nil), n.calls...)
		for i := range calls {
			calls[i].Args = renumbered(calls[i].Args, to)
			if calls[i].Filter >= 0 {
				calls[i].Filter = to[calls[i].Filter]
			}
		}
		if w.Kind == "SESSION" {
			window.PartitionBy = renumberedAll(props, in, w.PartitionBy, to)
			if window.PartitionBy == nil && len(w.PartitionBy) > 0 {
				return p.fail(unsupported.New("SESSION windows by other columns than the groups")), true
			}
			if len(window.PartitionBy) < len(columns) {
				// The sessions are those of several groups together: an ordinary aggregate over
				// the rows that the function gives.
				return nil, false
			}
		}
	}
	a := &phys.WindowAggregate{Window: window, Keys: columns}
	sub := &aggNode{in: n.in, keys: columns, calls: calls}
	for _, k := range plain {
		sub.fields = append(sub.fields, value.Field{Name: schema[k].Name, Type: schema[k].Type})
	}
	for i, f := range n.fields[len(n.keys):] {
		if f.Name == "$f"+strconv.Itoa(len(n.keys)+i) {
			f.Name = "$f" + strconv.Itoa(len(plain)+i) // the columns of the window do not count
		}
		sub.fields = append(sub.fields, f)
	}
	var fields []value.Field
	a.Calls, fields = p.calls(sub, source)
	at := map[int]int{}
	for i, k := range plain {
		at[k] = i
	}
	prop := func(cols []int, kind, name string) {
		for _, k := range cols {
			at[k] = len(fields)
			a.Props = append(a.Props, kind)
			fields = append(fields, value.Field{Name: name, Type: schema[k].Type})
		}
	}
	prop(start, "start", "window_start")
	prop(end, "end", "window_end")
	if w.Rowtime {
		prop(time, "rowtime", "window_time")
	} else {
		prop(time, "proctime", "window_time")
	}
	a.Base = base(fields, distribute(source, columns))
	// The query's order of columns comes back in a Calc.
	c := &phys.Calc{Base: base(nil, a)}
	add := func(i int, name string) {
		c.Exprs = append(c.Exprs, &rex.InputRef{Index: i, T: fields[i].Type})
		c.Fields = append(c.Fields, value.Field{Name: name, Type: fields[i].Type})
	}
	for _, k := range n.keys {
		add(at[k], schema[k].Name)
	}
	for i := range n.calls {
		add(len(plain)+i, fields[len(plain)+i].Name)
	}
	if identityCalc(c) {
		return a, true
	}
	return c, true
}

func identityCalc(c *phys.Calc) bool {
	if c.Cond != nil || len(c.Exprs) != len(c.In[0].Schema()) {
		return false
	}
	for i, e := range c.Exprs {
		if r, ok := e.(*rex.InputRef); !ok || r.Index != i {
			return false
		}
	}
	return true
}

func renumbered(cols []int, to map[int]int) []int {
	var out []int
	for _, c := range cols {
		out = append(out, to[c])
	}
	return out
}

// renumberedAll finds the function's columns (below a projection) among the new ones.
func renumberedAll(props *windowProps, in phys.Node, cols []int, to map[int]int) []int {
	c, ok := in.(*phys.Calc)
	var out []int
	for _, k := range cols {
		found := -1
		if !ok {
			found = k
		} else {
			for i, e := range c.Exprs {
				if r, ok := e.(*rex.InputRef); ok && r.Index == k {
					found = i
				}
			}
		}
		if found < 0 {
			return nil
		}
		out = append(out, to[found])
	}
	return out
}
