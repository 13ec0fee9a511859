package batch

import (
	"slices"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// sliced is GROUP BY TUMBLE or HOP (HashWindowCodeGenerator, SortWindowCodeGenerator): rows are
// collected by key and slice of time. A slice is the window itself, or a pane of windows that overlap:
// then groups come sorted by key, and each window is put together from its panes. Times are cut in UTC,
// whatever the session's zone.
type sliced struct {
	job    *job
	node   *phys.BatchWindowAggregate
	groups *groupTable
	from   *groupTable
	starts []int64
	rows   []value.Row // of groups whose rows must be kept
	schema []value.Field
	ints   *intSlab
	buf    []byte
}

func (j *job) groupWindows(n *phys.BatchWindowAggregate, in producer) (producer, error) {
	ints := &intSlab{}
	states, err := j.newStates(n.Calls, ints)
	if err != nil {
		return nil, err
	}
	s := &sliced{job: j, node: n, groups: &groupTable{states: states, ints: ints}, schema: n.In[0].Schema(), ints: ints}
	if n.Merge {
		if s.from = j.slices[n.Partial]; s.from == nil {
			return nil, unsupported.New("a merging aggregate without its local phase")
		}
	}
	if n.Local {
		j.slices[n] = s.groups
	}
	for i := range n.Calls {
		if f := n.Calls[i].Fn.Name; f == "FIRST_VALUE" || f == "LAST_VALUE" {
			// Flink's code for them does not compile.
			return nil, unsupported.New("%s in a group window in batch", f)
		}
	}
	if w := n.Window; w.Size < 0 || w.Slide < 0 {
		return nil, unsupported.New("a group window of a negative length in batch")
	}
	if w := n.Window; w.Kind == "HOP" && w.Slide > w.Size && !n.Merge {
		if _, scan := n.In[0].(*phys.TableSourceScan); !scan {
			return nil, unsupported.New("a HOP whose windows lie apart in batch")
		}
		// The generated code takes the time of a row for a number.
		return nil, flinkerr.Runtime("java.lang.ClassCastException", "class org.apache.flink.table.data.TimestampData cannot be cast to class java.lang.Long (org.apache.flink.table.data.TimestampData is in unnamed module of loader 'app'; java.lang.Long is in module java.base of loader 'bootstrap')")
	}
	take, emitAll := s.take, s.emit
	switch {
	case n.Pane && !n.Local:
		emitAll = s.emitPanes
	case n.Window.Kind == "HOP" && n.Window.Slide < n.Window.Size && !n.Pane:
		take, emitAll = s.keep, s.emitKept
	}
	return func(emit func(value.Row) error) error {
		if err := in(take); err != nil {
			return err
		}
		if err := emitAll(emit); err != nil {
			return err
		}
		return j.ctx.Err
	}, nil
}

// size is the length of a slice, step how far apart they begin.
func (s *sliced) step() int64 {
	w := s.node.Window
	switch {
	case w.Kind != "HOP":
		return w.Size
	case !s.node.Pane:
		return w.Slide
	}
	a, b := w.Size, w.Slide
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func floorTo(t, step int64) int64 {
	r := t % step
	if r < 0 {
		r += step
	}
	return t - r
}

// take adds a row, or an accumulator of the local phase, to its group. A row without a time is
// dropped, and so is one between windows that lie apart.
func (s *sliced) take(row value.Row) error {
	n := s.node
	var start int64
	if n.Merge {
		start = row[len(n.Keys)].Int()
	} else {
		v := row[n.Window.TimeColumn]
		if v.IsNull() {
			return nil
		}
		if s.step() == 0 {
			return flinkerr.Runtime("java.lang.ArithmeticException", "/ by zero")
		}
		start = floorTo(v.Millis(), s.step())
		if !n.Pane && v.Millis() >= start+n.Window.Size {
			return nil
		}
	}
	i := s.group(row, start)
	if s.from != nil {
		h := int(row[len(n.Keys)+1].Int())
		for k, st := range s.groups.states {
			st.merge(i, s.from.states[k], h)
		}
		return s.job.ctx.Err
	}
	for k, st := range s.groups.states {
		if c := n.Calls[k].Filter; c < 0 || !row[c].IsNull() && row[c].Bool() {
			st.add(i, row)
		}
	}
	return s.job.ctx.Err
}

func (s *sliced) group(row value.Row, start int64) int {
	s.buf = value.AppendKey(s.buf[:0], value.TBigInt, value.Int(start))
	for _, c := range s.node.Keys {
		s.buf = value.AppendKey(s.buf, s.schema[c].Type, row[c])
	}
	i, fresh := s.groups.index.number(s.buf)
	if fresh {
		k := make(value.Row, len(s.node.Keys))
		for p, c := range s.node.Keys {
			k[p] = ownValue(row[c])
		}
		s.groups.add(k)
		s.starts = append(s.starts, start)
	}
	return i
}

// emit sends groups as they were first seen.
func (s *sliced) emit(emit func(value.Row) error) error {
	for i, k := range s.groups.keys {
		out := make(value.Row, 0, len(s.node.Fields)+2)
		out = append(out, k...)
		if s.node.Local {
			out = append(out, value.Int(s.starts[i]), value.Int(int64(i)))
			for len(out) < len(s.node.Fields) {
				out = append(out, value.Null)
			}
		} else {
			out = s.result(out, s.groups, i, s.starts[i])
		}
		if err := emit(out); err != nil {
			return err
		}
	}
	return nil
}

// result appends the calls' results and the properties of the window.
func (s *sliced) result(out value.Row, g *groupTable, i int, start int64) value.Row {
	for _, st := range g.states {
		out = append(out, st.result(i))
	}
	for _, p := range s.node.Props {
		switch p {
		case "start":
			out = append(out, value.Timestamp(start, 0))
		case "end":
			out = append(out, value.Timestamp(start+s.node.Window.Size, 0))
		default:
			out = append(out, value.Timestamp(start+s.node.Window.Size-1, 0))
		}
	}
	return out
}

// byKey sorts the numbers of the groups by key and time.
func (s *sliced) byKey() []int {
	var keys []phys.SortKey
	var fields []value.Field
	for i, c := range s.node.Keys {
		keys = append(keys, phys.SortKey{Column: i})
		fields = append(fields, s.schema[c])
	}
	o := newOrder(keys, fields)
	at := make([]int, len(s.groups.keys))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(a, b int) int {
		if c := o.compare(s.groups.keys[a], s.groups.keys[b]); c != 0 {
			return c
		}
		return int(min(1, max(-1, s.starts[a]-s.starts[b])))
	})
	return at
}

// emitPanes puts windows together: a window's accumulator is that of its panes, in order.
func (s *sliced) emitPanes(emit func(value.Row) error) error {
	order := s.byKey()
	sameKey := func(a, b int) bool {
		return string(s.key(s.groups.keys[a])) == string(s.key(s.groups.keys[b]))
	}
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && sameKey(order[from], order[to]) {
			to++
		}
		run := order[from:to]
		times := make([]int64, len(run))
		for i, g := range run {
			times[i] = s.starts[g]
		}
		err := s.windows(times, s.node.Sorted, func(start int64, first, last int) error {
			return s.emitWindow(emit, s.groups.keys[run[0]], start, func(w *groupTable) {
				for _, g := range run[first:last] {
					for k, st := range w.states {
						st.merge(0, s.groups.states[k], g)
					}
				}
			})
		})
		if err != nil {
			return err
		}
		from = to
	}
	return nil
}

// emitWindow sends a window whose accumulators fill makes.
func (s *sliced) emitWindow(emit func(value.Row) error, key value.Row, start int64, fill func(*groupTable)) error {
	ints := &intSlab{}
	states, err := s.job.newStates(s.node.Calls, ints)
	if err != nil {
		return err
	}
	w := &groupTable{states: states, ints: ints}
	w.add(nil)
	fill(w)
	return emit(s.result(slices.Clone(key), w, 0, start))
}

func (s *sliced) key(row value.Row) []byte {
	var b []byte
	for i, c := range s.node.Keys {
		b = value.AppendKey(b, s.schema[c].Type, row[i])
	}
	return b
}

// windows calls each for every window that holds some of the ascending times, with their range. It is
// Flink's WindowsGrouping, step by step: after each time the windows that have ended are fired, and
// from an empty one it jumps to the windows of the newest time. Over sorted panes (endsWithLast) the last
// time ends all windows at once, without firing first; if an empty window comes up then, it jumps
// beyond the last windows, which are lost.
func (s *sliced) windows(times []int64, endsWithLast bool, each func(start int64, first, last int) error) error {
	w := s.node.Window
	var next int64
	began, skip := false, true
	mark := int64(0)
	jump := func() {
		if !skip {
			return
		}
		start := floorTo(mark, w.Slide)
		for start-w.Slide+w.Size > mark {
			start -= w.Slide
		}
		if !began || start > next {
			began, next = true, start
		}
		skip = false
	}
	fire := func(seen int) error {
		for {
			jump()
			if next+w.Size > mark {
				return nil
			}
			first := 0
			for first < seen && times[first] < next {
				first++
			}
			last := first
			for last < seen && times[last] < next+w.Size {
				last++
			}
			start := next
			next += w.Slide
			skip = first == last
			if skip {
				continue
			}
			if err := each(start, first, last); err != nil {
				return err
			}
		}
	}
	for i, t := range times {
		mark = t
		if endsWithLast && i == len(times)-1 {
			break
		}
		if err := fire(i + 1); err != nil {
			return err
		}
	}
	jump()
	mark += w.Size
	return fire(len(times))
}

// keep and emitKept are windows that overlap without panes: functions that cannot be merged see the
// rows of each window, which are sorted by key and time.
func (s *sliced) keep(row value.Row) error {
	if row[s.node.Window.TimeColumn].IsNull() {
		return nil
	}
	s.rows = append(s.rows, own(row))
	return nil
}

func (s *sliced) emitKept(emit func(value.Row) error) error {
	keyOf := func(row value.Row) value.Row {
		k := make(value.Row, len(s.node.Keys))
		for i, c := range s.node.Keys {
			k[i] = row[c]
		}
		return k
	}
	for from := 0; from < len(s.rows); {
		key := keyOf(s.rows[from])
		to := from + 1
		for to < len(s.rows) && string(s.key(keyOf(s.rows[to]))) == string(s.key(key)) {
			to++
		}
		run := s.rows[from:to]
		times := make([]int64, len(run))
		for i, row := range run {
			times[i] = row[s.node.Window.TimeColumn].Millis()
		}
		err := s.windows(times, false, func(start int64, first, last int) error {
			return s.emitWindow(emit, key, start, func(w *groupTable) {
				for _, row := range run[first:last] {
					for k, st := range w.states {
						if c := s.node.Calls[k].Filter; c < 0 || !row[c].IsNull() && row[c].Bool() {
							st.add(0, row)
						}
					}
				}
			})
		})
		if err != nil {
			return err
		}
		from = to
	}
	return nil
}
