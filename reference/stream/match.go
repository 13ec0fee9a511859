package stream

import (
	"maps"
	"slices"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// match is MATCH_RECOGNIZE. Rows at or before the watermark are late; others wait per
// key and time, and each time has a timer. When one of them fires, all waiting rows of
// the key up to the watermark go through the key's automaton in order of time, so a
// watermark that jumps groups the output by key (join.md E4, E5).
type match struct {
	next     operator
	job      *job
	key      *keyEncoder
	time     int
	arrival  bool           // ordered by processing time: rows are taken at once
	order    *rowComparator // nil unless rows of one time have an order
	nfa      *nfa
	measures []*fn.PatternExpr
	eval     *patternEval
	timers   *timers
	mark     int64
	queues   map[string]map[int64][]value.Row
	states   map[string]*nfaState
	out      value.Row
	buf      []byte
}

func (j *job) newMatch(n *phys.Match, next operator) (operator, error) {
	spec, ok := n.Spec.(*rel.Match)
	if !ok {
		return nil, unsupported.New("this row pattern")
	}
	in := n.In[0].Schema()
	m := &match{
		next: next, job: j, key: newKeyEncoder(n.PartitionBy, in), time: n.Keys[0].Column,
		timers: newTimers(), mark: MinWatermark, queues: map[string]map[int64][]value.Row{},
		states: map[string]*nfaState{}, out: make(value.Row, len(n.Fields)), eval: &patternEval{job: j, width: len(in)},
	}
	switch in[m.time].Type.Time {
	case value.Rowtime:
	case value.Proctime:
		if m.arrival = true; len(n.Keys) > 1 {
			return nil, unsupported.New("a row pattern by processing time with further order keys")
		}
	default:
		return nil, unsupported.New("a row pattern that is not ordered by a time attribute")
	}
	if len(n.Keys) > 1 {
		m.order = newRowComparator(n.Keys, in)
	}
	var err error
	if m.nfa, err = j.newNFA(spec, m.eval); err != nil {
		return nil, err
	}
	for _, x := range spec.Measures {
		p, err := fn.CompilePattern(x.X, &j.rt.Env)
		if err != nil {
			return nil, err
		}
		m.measures = append(m.measures, p)
	}
	return m, nil
}

func (m *match) row(kind changelog.RowKind, row value.Row) error {
	if !kind.Adds() {
		return unsupported.New("a row pattern over updates")
	}
	m.buf = m.key.append(m.buf[:0], row)
	id := string(m.buf)
	if m.arrival {
		s := m.state(id)
		return m.process(s, id, keepRow(row), 1)
	}
	t := row[m.time].Millis()
	if t <= m.mark {
		return nil
	}
	q := m.queues[id]
	if q == nil {
		q = map[int64][]value.Row{}
		m.queues[id] = q
	}
	if _, ok := q[t]; !ok {
		m.timers.add(timer{at: t, key: id})
	}
	q[t] = append(q[t], keepRow(row))
	return nil
}

func (m *match) state(id string) *nfaState {
	s := m.states[id]
	if s == nil {
		s = m.nfa.begin()
		m.states[id] = s
	}
	return s
}

func (m *match) watermark(w int64) error {
	m.mark = w
	for {
		t, ok := m.timers.due(w)
		if !ok {
			return m.next.watermark(w)
		}
		m.job.byWatermark(w)
		if err := m.fire(t.key); err != nil {
			return err
		}
	}
}

func (m *match) end() error { return m.next.end() }

// fire takes all rows of a key up to the watermark.
func (m *match) fire(id string) error {
	s, q := m.state(id), m.queues[id]
	for _, t := range slices.Sorted(maps.Keys(q)) {
		if t > m.mark {
			break
		}
		if err := m.advance(s, t); err != nil {
			return err
		}
		rows := q[t]
		delete(q, t)
		if m.order != nil {
			slices.SortStableFunc(rows, m.order.compare)
		}
		for _, r := range rows {
			if err := m.process(s, id, r, t); err != nil {
				return err
			}
		}
	}
	if err := m.advance(s, m.mark); err != nil {
		return err
	}
	if s.changed {
		s.changed, s.started = false, false
	}
	if len(s.partial.items) == 1 && len(s.done.items) == 0 {
		delete(m.states, id) // only the start is left
	}
	return nil
}

func (m *match) process(s *nfaState, id string, row value.Row, t int64) error {
	found, err := m.nfa.process(s, row, t)
	if err != nil {
		return err
	}
	// A pattern WITHIN a time wakes the key again when its first rows run out.
	if m.nfa.within > 0 && s.started && !m.arrival {
		m.timers.add(timer{at: t + m.nfa.within, key: id})
	}
	return m.emit(found, t)
}

func (m *match) advance(s *nfaState, t int64) error {
	found, err := m.nfa.advance(s, t)
	if err != nil {
		return err
	}
	return m.emit(found, t)
}

// emit sends the measures of matches: the partition columns, then the measures.
func (m *match) emit(found []*matched, t int64) error {
	for _, x := range found {
		n := len(m.key.cols)
		first := x.events(fn.AnyVariable)[0]
		m.key.project(m.out[:n], first)
		for i, p := range m.measures {
			m.out[n+i] = m.eval.value(p, x.events, t)
		}
		if m.job.ctx.Err != nil {
			return m.job.ctx.Err
		}
		if err := m.next.row(changelog.Insert, m.out); err != nil {
			return err
		}
	}
	return nil
}

// patternEval evaluates expressions over pattern variables.
type patternEval struct {
	job   *job
	width int
	row   value.Row
}

// value computes p where events lists the rows of a variable and t is the time of the match.
func (e *patternEval) value(p *fn.PatternExpr, events func(variable string) []value.Row, t int64) value.Value {
	terms := make(value.Row, len(p.Terms))
	for i := range p.Terms {
		x := &p.Terms[i]
		switch {
		case x.Rowtime:
			terms[i] = value.Timestamp(t, 0)
		case x.Agg != nil:
			terms[i] = e.aggregate(x, events(x.Var))
		default:
			rows := events(x.Var)
			k := x.Offset
			if !x.First {
				k = len(rows) - 1 - x.Offset
			}
			row := e.nulls()
			if k >= 0 && k < len(rows) {
				row = rows[k]
			}
			terms[i] = x.Inner(&e.job.ctx, row)
		}
	}
	return p.Rest(&e.job.ctx, terms)
}

func (e *patternEval) nulls() value.Row {
	if e.row == nil {
		e.row = make(value.Row, e.width)
	}
	return e.row
}

func (e *patternEval) aggregate(x *fn.PatternTerm, rows []value.Row) value.Value {
	c := phys.AggCall{Fn: x.Agg.Op, Filter: -1, T: x.Agg.T}
	for i, a := range x.Agg.Args {
		c.Args, c.ArgTypes = append(c.Args, i), append(c.ArgTypes, a.Type())
	}
	f, err := e.job.newAggFunc(&c)
	if err != nil {
		return e.job.ctx.Fail(err)
	}
	var a acc
	f.init(&a)
	args := make(value.Row, len(x.Args))
	for _, r := range rows {
		for i, g := range x.Args {
			args[i] = g(&e.job.ctx, r)
		}
		f.add(&a, args)
	}
	return f.result(&a)
}

// literalMillis is a constant interval of MATCH_RECOGNIZE, 0 without one.
func literalMillis(e rex.Expr) (int64, error) {
	if e == nil {
		return 0, nil
	}
	l, ok := e.(*rex.Literal)
	if !ok {
		return 0, unsupported.New("WITHIN with an interval that is not constant")
	}
	return l.V.Int(), nil
}
