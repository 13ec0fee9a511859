package stream

import (
	"slices"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// overCalls evaluates the calls of an OVER window and puts their values behind a row.
type overCalls struct {
	*aggCalls
	next  operator
	job   *job
	key   *keyEncoder
	out   value.Row
	width int
	buf   []byte
}

// id is the partition of a row.
func (o *overCalls) id(row value.Row) string {
	o.buf = o.key.append(o.buf[:0], row)
	return string(o.buf)
}

// emit sends a row with the results of accs.
func (o *overCalls) emit(kind changelog.RowKind, row value.Row, a []acc) error {
	n := copy(o.out, row)
	if err := o.results(o.out[n:], a); err != nil {
		return err
	}
	return o.next.row(kind, o.out)
}

func (o *overCalls) add(a []acc, row value.Row) error { return o.update(a, changelog.Insert, row) }

// newOver chooses by the order key: rowtime, processing time, or another column.
func (j *job) newOver(n *phys.OverAggregate, next operator) (operator, error) {
	if len(n.Groups) > 0 || n.Upper.Kind != "CURRENT ROW" {
		return nil, unsupported.New("this OVER window in streaming")
	}
	bound := int64(-1)
	if n.Lower.Kind != "UNBOUNDED PRECEDING" {
		l, ok := n.Lower.X.(*rex.Literal)
		if !ok && n.Lower.Kind != "CURRENT ROW" || n.Lower.Kind != "PRECEDING" && n.Lower.Kind != "CURRENT ROW" {
			return nil, unsupported.New("an OVER window from %s", n.Lower.Kind)
		}
		bound = 0
		if ok {
			bound = l.V.Int()
		}
	}
	in := n.In[0]
	time := value.NoTimeAttribute
	if len(n.Keys) == 1 {
		time = in.Schema()[n.Keys[0].Column].Type.Time
	}
	calls := slices.Clone(n.Calls)
	distinct := false
	plain := time == value.NoTimeAttribute && bound < 0 && len(n.Keys) > 0
	for i := range calls {
		calls[i].Retract = bound >= 0 // a bounded window takes rows back, others never
		if calls[i].Fn.Name == "APPROX_COUNT_DISTINCT" {
			// Flink runs it as a plain COUNT, of equal values, too.
			calls[i].Fn = &rex.Op{Name: "COUNT", Aggregate: true}
		}
		if plain && calls[i].Distinct {
			// Flink forgets after each row which values it has seen.
			distinct, calls[i].Distinct = true, false
		}
	}
	c, err := j.newAggCalls(calls)
	if err != nil {
		return nil, err
	}
	o := overCalls{
		aggCalls: c, next: next, job: j, key: newKeyEncoder(n.PartitionBy, in.Schema()),
		out: make(value.Row, len(n.Fields)), width: len(in.Schema()),
	}
	switch {
	case time == value.Rowtime && bound < 0:
		return &overUnbounded{
			overCalls: o, time: n.Keys[0].Column, rows: n.Rows, timers: newTimers(), mark: MinWatermark,
			accs: map[string][]acc{}, pending: map[windowKey][]value.Row{},
		}, nil
	case time == value.Rowtime:
		return &overBounded{
			overCalls: o, time: n.Keys[0].Column, rows: n.Rows, bound: bound, timers: newTimers(),
			state: map[string]*overState{},
		}, nil
	case time == value.Proctime && (bound < 0 || n.Rows):
		return &overArrival{overCalls: o, bound: bound, state: map[string]*arrivalState{}}, nil
	case plain:
		return newOverPlain(o, n, calls, distinct)
	}
	return nil, unsupported.New("this OVER window in streaming")
}

// overUnbounded runs from the beginning to the current row by rowtime. A row at or
// before the watermark is late. Each (key, time) has a timer at which its rows are
// processed: with ROWS one by one, with RANGE all are added first and then share the
// result, whatever the function (window.md 39, 40).
type overUnbounded struct {
	overCalls
	time    int
	rows    bool
	timers  *timers
	mark    int64
	accs    map[string][]acc
	pending map[windowKey][]value.Row
}

func (o *overUnbounded) row(_ changelog.RowKind, row value.Row) error {
	t := row[o.time].Millis()
	if t <= o.mark {
		return nil
	}
	k := windowKey{o.id(row), t}
	if o.pending[k] == nil {
		o.timers.add(timer{at: t, key: k.key})
	}
	o.pending[k] = append(o.pending[k], keepRow(row))
	return nil
}

func (o *overUnbounded) watermark(w int64) error {
	o.mark = w
	for {
		t, ok := o.timers.due(w)
		if !ok {
			return o.next.watermark(w)
		}
		o.job.byWatermark(w)
		k := windowKey{t.key, t.at}
		rows := o.pending[k]
		delete(o.pending, k)
		a := o.accs[t.key]
		if a == nil {
			a = o.newAccs()
			o.accs[t.key] = a
		}
		if err := o.process(a, rows); err != nil {
			return err
		}
	}
}

func (o *overUnbounded) process(a []acc, rows []value.Row) error {
	if !o.rows {
		for _, r := range rows {
			if err := o.add(a, r); err != nil {
				return err
			}
		}
	}
	for _, r := range rows {
		if o.rows {
			if err := o.add(a, r); err != nil {
				return err
			}
		}
		if err := o.emit(changelog.Insert, r, a); err != nil {
			return err
		}
	}
	return nil
}

func (o *overUnbounded) end() error { return o.next.end() }

// overArrival works by processing time: each row at once, in order of arrival. With a
// bound the oldest row is taken back when bound rows precede the new one.
type overArrival struct {
	overCalls
	bound int64
	state map[string]*arrivalState
}

type arrivalState struct {
	accs []acc
	rows []value.Row
}

func (o *overArrival) row(_ changelog.RowKind, row value.Row) error {
	id := o.id(row)
	s := o.state[id]
	if s == nil {
		s = &arrivalState{accs: o.newAccs()}
		o.state[id] = s
	}
	if o.bound >= 0 {
		if int64(len(s.rows)) > o.bound {
			if err := o.update(s.accs, changelog.Delete, s.rows[0]); err != nil {
				return err
			}
			s.rows = s.rows[1:]
		}
		s.rows = append(s.rows, keepRow(row))
	}
	if err := o.add(s.accs, row); err != nil {
		return err
	}
	return o.emit(changelog.Insert, row, s.accs)
}

func (o *overArrival) watermark(w int64) error { return o.next.watermark(w) }
func (o *overArrival) end() error              { return o.next.end() }
