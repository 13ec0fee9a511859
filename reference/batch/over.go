package batch

import (
	"slices"
	"sort"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// over evaluates OVER windows. The input is sorted by partition and order keys; each row
// goes on in that order with the results of all windows behind it.
func (j *job) over(n *phys.OverAggregate, in producer) (producer, error) {
	schema := n.In[0].Schema()
	groups := append([]phys.OverGroup{{
		PartitionBy: n.PartitionBy, Keys: n.Keys, Rows: n.Rows, Lower: n.Lower, Upper: n.Upper, Calls: n.Calls,
	}}, n.Groups...)
	var frames []*frame
	width := len(schema)
	for _, g := range groups {
		f, err := j.newFrame(g, schema)
		if err != nil {
			return nil, err
		}
		frames = append(frames, f)
		width += len(g.Calls)
	}
	return func(emit func(value.Row) error) error {
		out := make(value.Row, width)
		return partitions(in, n.PartitionBy, schema, func(rows []value.Row) error {
			results := make([][]value.Row, len(frames))
			for i, f := range frames {
				var err error
				if results[i], err = f.evaluate(rows); err != nil {
					return err
				}
			}
			for i, row := range rows {
				at := copy(out, row)
				for f := range frames {
					at += copy(out[at:], results[f][i])
				}
				if err := emit(out); err != nil {
					return err
				}
			}
			return nil
		})
	}, nil
}

// frame is one window definition with its calls.
type frame struct {
	job   *job
	group phys.OverGroup
	by    order
	// lo and hi are distances from the current row, in rows or in units of the order
	// column; unbounded ones are marked.
	lo, hi         int64
	loOpen, hiOpen bool
}

func (j *job) newFrame(g phys.OverGroup, schema []value.Field) (*frame, error) {
	f := &frame{job: j, group: g, by: newOrder(g.Keys, schema)}
	var err error
	if f.lo, f.loOpen, err = distance(g.Lower); err != nil {
		return nil, err
	}
	f.hi, f.hiOpen, err = distance(g.Upper)
	if err != nil {
		return nil, err
	}
	if !g.Rows && (!f.loOpen && f.lo != 0 || !f.hiOpen && f.hi != 0) {
		if len(g.Keys) == 1 && schema[g.Keys[0].Column].Type.IsTimestamp() {
			// Flink 2.3 generates code that does not compile.
			return nil, flinkerr.Runtime("org.codehaus.commons.compiler.CompileException", `Line 45, Column 55: Cannot cast "org.apache.flink.table.data.TimestampData" to "java.lang.Long"`)
		}
		if len(g.Keys) != 1 || !schema[g.Keys[0].Column].Type.IsInteger() {
			return nil, unsupported.New("a RANGE with a distance over this order column")
		}
	}
	return f, nil
}

func distance(b rex.Bound) (n int64, open bool, err error) {
	switch b.Kind {
	case "UNBOUNDED PRECEDING", "UNBOUNDED FOLLOWING":
		return 0, true, nil
	case "CURRENT ROW":
		return 0, false, nil
	}
	l, ok := b.X.(*rex.Literal)
	if !ok {
		return 0, false, unsupported.New("an OVER window whose bound is not constant")
	}
	if b.Kind == "PRECEDING" {
		return -l.V.Int(), false, nil
	}
	return l.V.Int(), false, nil
}

// bounds is the frame of row i as a half-open range of indexes.
func (f *frame) bounds(rows []value.Row, i int) (from, to int) {
	to = len(rows)
	if f.group.Rows {
		if !f.loOpen {
			from = min(max(0, i+int(f.lo)), len(rows))
		}
		if !f.hiOpen {
			to = max(0, min(len(rows), i+int(f.hi)+1))
		}
		return from, max(from, to)
	}
	if !f.loOpen {
		from = sort.Search(len(rows), func(k int) bool { return f.side(rows[k], rows[i], f.lo) >= 0 })
	}
	if !f.hiOpen {
		to = sort.Search(len(rows), func(k int) bool { return f.side(rows[k], rows[i], f.hi) > 0 })
	}
	return from, max(from, to)
}

// side compares row with the place at distance d from the current row; peers are at 0.
func (f *frame) side(row, current value.Row, d int64) int {
	if d == 0 {
		return f.by.compare(row, current)
	}
	k := f.group.Keys[0]
	x, y := row[k.Column], current[k.Column]
	if x.IsNull() || y.IsNull() {
		return f.by.compare(row, current) // a NULL is at no distance from anything else
	}
	a, b := x.Int(), y.Int()
	if k.Desc {
		a, b = -a, -b
	}
	switch {
	case a < b+d:
		return -1
	case a > b+d:
		return 1
	}
	return 0
}

// evaluate gives the results of the calls for each row of a partition.
func (f *frame) evaluate(rows []value.Row) ([]value.Row, error) {
	out := make([]value.Row, len(rows))
	for i := range out {
		out[i] = make(value.Row, len(f.group.Calls))
	}
	for c := range f.group.Calls {
		call := &f.group.Calls[c]
		set := func(i int, v value.Value) { out[i][c] = v }
		if done, err := f.positional(call, rows, set); done || err != nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		if err := f.aggregate(call, rows, set); err != nil {
			return nil, err
		}
	}
	return out, f.job.ctx.Err
}

// aggregate computes an aggregate over each frame. A frame that begins with the
// partition grows and its state with it; any other is added up anew, as Flink does, so
// that floating results are the same.
func (f *frame) aggregate(call *phys.AggCall, rows []value.Row, set func(int, value.Value)) error {
	ints := &intSlab{}
	states, err := f.job.newStates([]phys.AggCall{*call}, ints)
	if err != nil {
		return err
	}
	s, g, at := states[0], -1, 0
	accepts := func(row value.Row) bool {
		c := call.Filter
		return c < 0 || !row[c].IsNull() && row[c].Bool()
	}
	for i := range rows {
		from, to := f.bounds(rows, i)
		if g < 0 || !f.loOpen {
			ints.grow()
			s.grow()
			g, at = g+1, from
		}
		for ; at < to; at++ {
			if accepts(rows[at]) {
				s.add(g, rows[at])
			}
		}
		set(i, s.result(g))
	}
	return nil
}

// positional computes the functions that look at the place of a row.
func (f *frame) positional(call *phys.AggCall, rows []value.Row, set func(int, value.Value)) (bool, error) {
	n := len(rows)
	switch call.Fn.Name {
	case "ROW_NUMBER":
		for i := range rows {
			set(i, value.Int(int64(i+1)))
		}
	case "RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST":
		rank, dense := 0, 0
		peers := f.countsPeers(call)
		for i := range rows {
			if i == 0 || f.by.compare(rows[i-1], rows[i]) != 0 {
				rank, dense = i+1, dense+1
			}
			switch call.Fn.Name {
			case "RANK":
				set(i, value.Int(int64(rank)))
			case "DENSE_RANK":
				set(i, value.Int(int64(dense)))
			case "PERCENT_RANK":
				p := 0.0
				if n > 1 {
					p = float64(rank-1) / float64(n-1)
				}
				set(i, value.Double(p))
			default:
				to := i + 1
				for peers && to < n && f.by.compare(rows[i], rows[to]) == 0 {
					to++
				}
				set(i, value.Double(float64(to)/float64(n)))
			}
		}
	case "NTILE":
		if len(call.Constants) == 0 {
			return true, unsupported.New("NTILE without a constant number of buckets")
		}
		buckets := int(call.Constants[0].V.Int())
		size, larger := n/buckets, n%buckets
		for i := range rows {
			b := 0
			if i < larger*(size+1) {
				b = i / (size + 1)
			} else {
				b = larger + (i-larger*(size+1))/size
			}
			set(i, value.Int(int64(b+1)))
		}
	case "LAG", "LEAD":
		return true, f.offset(call, rows, set)
	default:
		return false, nil
	}
	return true, nil
}

// countsPeers tells how CUME_DIST counts. Flink evaluates neighbouring rank functions together, in the way
// of the first: row by row, but for CUME_DIST, which takes all equal rows first.
func (f *frame) countsPeers(call *phys.AggCall) bool {
	first := call
	for i := range f.group.Calls {
		c := &f.group.Calls[i]
		if isRankFunction(c.Fn.Name) && (i == 0 || !isRankFunction(f.group.Calls[i-1].Fn.Name)) {
			first = c
		}
		if c == call {
			break
		}
	}
	return first.Fn.Name == "CUME_DIST"
}

func isRankFunction(name string) bool {
	return slices.Contains([]string{"RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST"}, name)
}

func (f *frame) offset(call *phys.AggCall, rows []value.Row, set func(int, value.Value)) error {
	if len(call.Args) > 1 {
		if len(call.Args) == 2 && len(call.Constants) == 0 {
			return flinkerr.Runtime("java.lang.ClassCastException", "cannot assign instance of java.lang.invoke.SerializedLambda to field org.apache.flink.table.runtime.operators.over.frame.OffsetOverFrame.calcOffsetFunc of type org.apache.flink.table.runtime.operators.over.frame.OffsetOverFrame$CalcOffsetFunc in instance of org.apache.flink.table.runtime.operators.over.frame.OffsetOverFrame")
		}
		return unsupported.New("%s with an offset or default that is not constant", call.Fn.Name)
	}
	by, def := 1, value.Null
	if len(call.Constants) > 0 {
		by = int(call.Constants[0].V.Int())
	}
	if len(call.Constants) > 1 {
		def = call.Constants[1].V
	}
	if call.Fn.Name == "LAG" {
		by = -by
	}
	for i := range rows {
		if k := i + by; k >= 0 && k < len(rows) {
			set(i, rows[k][call.Args[0]])
		} else {
			set(i, def)
		}
	}
	return nil
}
