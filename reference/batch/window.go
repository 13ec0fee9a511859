package batch

import (
	"slices"
	"strings"
	"time"

	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// zoneOf is the zone in which windows are cut: the session's over TIMESTAMP_LTZ, else UTC.
func (j *job) zoneOf(w phys.Window) *time.Location {
	if w.LTZ && j.rt.Env.Zone != nil {
		return j.rt.Env.Zone
	}
	return time.UTC
}

// localTime is the wall-clock time of an instant as milliseconds.
func localTime(zone *time.Location, instant int64) int64 {
	_, off := time.UnixMilli(instant).In(zone).Zone()
	return instant + int64(off)*1000
}

// instantOf is the instant of a wall-clock time; a time that does not exist moves forward.
func instantOf(zone *time.Location, local int64) int64 {
	const day = 24 * 3600 * 1000
	offset := func(t int64) int64 { return localTime(zone, t) - t }
	before, after := offset(local-day), offset(local+day)
	if before != after && offset(local-before) != before && offset(local-after) == after {
		return local - after
	}
	return local - before
}

// windowsOf lists start and end of the windows that hold a local time: HOP from the latest
// backwards, CUMULATE from the shortest.
func windowsOf(w phys.Window, t int64) [][2]int64 {
	floor := func(t, size int64) int64 {
		r := (t - w.Offset) % size
		if r < 0 {
			r += size
		}
		return t - r
	}
	var out [][2]int64
	switch w.Kind {
	case "HOP":
		for s := floor(t, w.Slide); s > t-w.Size; s -= w.Slide {
			out = append(out, [2]int64{s, s + w.Size})
		}
	case "CUMULATE":
		s := floor(t, w.Size)
		for e := floor(t, w.Slide) + w.Slide; e <= s+w.Size; e += w.Slide {
			out = append(out, [2]int64{s, e})
		}
	default:
		s := floor(t, w.Size)
		out = append(out, [2]int64{s, s + w.Size})
	}
	return out
}

// windowTableFunction appends window_start, window_end and window_time; a row without a
// time is dropped silently (window.md 22).
func (j *job) windowTableFunction(n *phys.WindowTableFunction, in producer) (producer, error) {
	if n.Window.Kind == "SESSION" {
		return nil, unsupported.New("session windows in batch mode")
	}
	zone := j.zoneOf(n.Window)
	return func(emit func(value.Row) error) error {
		out := make(value.Row, len(n.Fields))
		return in(func(row value.Row) error {
			v := row[n.Window.TimeColumn]
			if v.IsNull() {
				return nil
			}
			at := copy(out, row)
			for _, w := range windowsOf(n.Window, localTime(zone, v.Millis())) {
				out[at] = value.Timestamp(w[0], 0)
				out[at+1] = value.Timestamp(w[1], 0)
				out[at+2] = value.Timestamp(instantOf(zone, w[1]-1), 0)
				if err := emit(out); err != nil {
					return err
				}
			}
			return nil
		})
	}, nil
}

// windowAggregate is the aggregate over windows: groups of key and window come in the order in
// which they were first seen.
func (j *job) windowAggregate(w phys.Window, keys []int, calls []phys.AggCall, props []string, schema []value.Field, in producer) (producer, error) {
	if w.Kind == "SESSION" {
		return nil, unsupported.New("session windows in batch mode")
	}
	ints := &intSlab{}
	states, err := j.newStates(calls, ints)
	if err != nil {
		return nil, err
	}
	zone := j.zoneOf(w)
	g := &groupTable{states: states, ints: ints}
	return func(emit func(value.Row) error) error {
		var ends [][2]int64
		var buf []byte
		err := in(func(row value.Row) error {
			v := row[w.TimeColumn]
			if v.IsNull() {
				return nil
			}
			for _, x := range windowsOf(w, localTime(zone, v.Millis())) {
				buf = value.AppendKey(buf[:0], value.TBigInt, value.Int(x[1]))
				for _, c := range keys {
					buf = value.AppendKey(buf, schema[c].Type, row[c])
				}
				i, fresh := g.index.number(buf)
				if fresh {
					k := make(value.Row, len(keys))
					for p, c := range keys {
						k[p] = ownValue(row[c])
					}
					g.add(k)
					ends = append(ends, x)
				}
				for s, st := range states {
					if c := calls[s].Filter; c < 0 || !row[c].IsNull() && row[c].Bool() {
						st.add(i, row)
					}
				}
			}
			return j.ctx.Err
		})
		if err != nil {
			return err
		}
		out := make(value.Row, len(keys)+len(calls)+len(props))
		for i, k := range g.keys {
			at := copy(out, k)
			for _, st := range states {
				out[at] = st.result(i)
				at++
			}
			for _, p := range props {
				switch p {
				case "start":
					out[at] = value.Timestamp(ends[i][0], 0)
				case "end":
					out[at] = value.Timestamp(ends[i][1], 0)
				case "rowtime":
					out[at] = value.Timestamp(instantOf(zone, ends[i][1]-1), 0)
				default:
					out[at] = value.Null
				}
				at++
			}
			if err := emit(out); err != nil {
				return err
			}
		}
		return j.ctx.Err
	}, nil
}

// correlate emits each row with the rows of a table function of it; LEFT pads.
func (j *job) correlate(n *phys.Correlate, in producer) (producer, error) {
	var args []fn.Eval
	for _, a := range n.Call.Args {
		e, err := j.compile(ofOuterRow(a))
		if err != nil {
			return nil, err
		}
		args = append(args, e)
	}
	var cond fn.Eval
	if n.Cond != nil {
		var err error
		if cond, err = j.compile(n.Cond); err != nil {
			return nil, err
		}
	}
	name := n.Call.Op.Name
	if name != "$UNNEST_ROWS$1" && name != "$UNNEST_ROWS_WITH_ORDINALITY$1" && name != "$REPLICATE_ROWS$1" {
		return nil, unsupported.New("the table function %s", name)
	}
	width := len(n.In[0].Schema())
	pads := strings.HasPrefix(strings.ToUpper(n.JoinType), "LEFT")
	return func(emit func(value.Row) error) error {
		out := make(value.Row, len(n.Fields))
		vals := make([]value.Value, len(args))
		return in(func(row value.Row) error {
			for i, a := range args {
				vals[i] = a(&j.ctx, row)
			}
			if j.ctx.Err != nil {
				return j.ctx.Err
			}
			some := false
			if name == "$UNNEST_ROWS_WITH_ORDINALITY$1" && hasNullRow(n.Call.Args[0].Type(), vals[0]) {
				return unsupported.New("UNNEST WITH ORDINALITY of NULL rows, at which Flink fails")
			}
			for _, r := range tableRows(name, n.Call.Args[0].Type(), vals) {
				if cond != nil {
					if v := cond(&j.ctx, r); v.IsNull() || !v.Bool() {
						continue
					}
				}
				some = true
				copy(out, row)
				copy(out[width:], r)
				if err := emit(out); err != nil {
					return err
				}
			}
			if some || !pads {
				return j.ctx.Err
			}
			copy(out, row)
			clear(out[width:])
			return emit(out)
		})
	}, nil
}

// hasNullRow tells that an array of rows has a NULL among its elements.
func hasNullRow(t value.Type, v value.Value) bool {
	if t.Kind != value.KindArray || t.Elem.Kind != value.KindRow || v.IsNull() {
		return false
	}
	return slices.ContainsFunc(v.Composite().Elems, value.Value.IsNull)
}

// tableRows are the rows of a table function.
func tableRows(name string, t value.Type, args []value.Value) []value.Row {
	var out []value.Row
	if name == "$REPLICATE_ROWS$1" {
		for range args[0].Int() {
			out = append(out, args[1:])
		}
		return out
	}
	if args[0].IsNull() {
		return nil
	}
	c := args[0].Composite()
	for i, e := range c.Elems {
		n, item := int64(1), e
		switch t.Kind {
		case value.KindMap:
			out = append(out, value.Row{c.Keys[i], e})
			continue
		case value.KindMultiset:
			n, item = e.Int(), c.Keys[i]
		}
		row := value.Row{item}
		if t.Elem.Kind == value.KindRow {
			if item.IsNull() {
				continue // a NULL row is no row of the function
			}
			row = item.Composite().Elems
		}
		for range n {
			out = append(out, row)
		}
	}
	if name == "$UNNEST_ROWS_WITH_ORDINALITY$1" {
		for i, r := range out {
			out[i] = append(r[:len(r):len(r)], value.Int(int64(i+1)))
		}
	}
	return out
}

// ofOuterRow turns fields of the correlation variable into columns of the row.
func ofOuterRow(e rex.Expr) rex.Expr {
	switch e := e.(type) {
	case *rex.Field:
		if _, ok := e.X.(*rex.CorrelVar); ok {
			return &rex.InputRef{Index: e.Index, T: e.T}
		}
		c := *e
		c.X = ofOuterRow(e.X)
		return &c
	case *rex.Call:
		c := *e
		c.Args = nil
		for _, a := range e.Args {
			c.Args = append(c.Args, ofOuterRow(a))
		}
		return &c
	}
	return e
}
