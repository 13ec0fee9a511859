package stream

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// nfa is the automaton that Flink's CEP library makes of a row pattern whose rows follow
// one another strictly. Each variable becomes states with two kinds of edges: take a row,
// or proceed to the next variable without one.
//
// It does not backtrack: after a greedy quantifier the following states accept a row only
// if the greedy variable does not (join.md E2).
type nfa struct {
	job    *job
	eval   *patternEval
	vars   []string
	start  *nfaNode
	within int64
	skip   string
	target string
}

type nfaNode struct {
	variable string
	start    bool
	final    bool
	edges    []*nfaEdge
}

// nfaEdge leads to a node if all its conditions hold (and none of not).
type nfaEdge struct {
	take bool
	to   *nfaNode
	cond *nfaCondition
	not  []*nfaCondition
}

// nfaCondition is the DEFINE of a variable; expr is nil for TRUE.
type nfaCondition struct {
	variable string
	known    []string // the variables up to this one
	expr     *fn.PatternExpr
}

// partialMatch is a way through the automaton so far: a node and the rows taken.
type partialMatch struct {
	node  *nfaNode
	last  *takenRow
	start *takenRow // nil for the start itself
}

type takenRow struct {
	variable string
	row      value.Row
	at       int64
	id       int64 // rank among the rows of one time
	before   *takenRow
	start    *takenRow
}

// matched is a complete match.
type matched struct {
	rows []*takenRow // in order
	vars []string
}

// events lists the rows of a variable, or of all in the order of the pattern.
func (m *matched) events(variable string) []value.Row {
	return eventsOf(m.rows, m.vars, variable)
}

func eventsOf(rows []*takenRow, vars []string, variable string) []value.Row {
	var out []value.Row
	if variable != fn.AnyVariable {
		vars = []string{variable}
	}
	for _, v := range vars {
		for _, r := range rows {
			if r.variable == v {
				out = append(out, r.row)
			}
		}
	}
	return out
}

// chain lists the rows of a way in order.
func (t *takenRow) chain() []*takenRow {
	var out []*takenRow
	for ; t != nil; t = t.before {
		out = append(out, t)
	}
	slices.Reverse(out)
	return out
}

// nfaState is what a key has.
type nfaState struct {
	partial, done matchHeap
	changed       bool
	started       bool // a first row was taken since the state was stored
	at, ids       int64
}

func (j *job) newNFA(spec *rel.Match, eval *patternEval) (*nfa, error) {
	p, ok := spec.Pattern.(*sql.Pattern)
	if !ok {
		return nil, unsupported.New("this row pattern")
	}
	within, err := literalMillis(spec.Within)
	if err != nil {
		return nil, err
	}
	n := &nfa{job: j, eval: eval, within: within, skip: spec.Skip, target: spec.SkipVar}
	parts, err := patternVariables(p)
	if err != nil {
		return nil, err
	}
	conds := make([]*nfaCondition, len(parts))
	for i, q := range parts {
		n.vars = append(n.vars, q.Var)
		conds[i] = &nfaCondition{variable: q.Var, known: n.vars[: i+1 : i+1]}
		for _, d := range spec.Defines {
			if d.Name == q.Var {
				if conds[i].expr, err = fn.CompilePattern(d.X, &j.rt.Env); err != nil {
					return nil, err
				}
			}
		}
	}
	sink := &nfaNode{final: true}
	for i := len(parts) - 1; i >= 0; i-- {
		sink = compileVariable(parts[i], conds[i], sink)
	}
	sink.start = true
	n.start = sink
	return n, nil
}

// patternVariables lists the variables of a pattern, which can only follow one another.
func patternVariables(p *sql.Pattern) ([]*sql.Pattern, error) {
	switch p.Kind {
	case "VAR":
		return []*sql.Pattern{p}, nil
	case "CONCAT", "GROUP":
		if p.Quantified {
			return nil, unsupported.New("a quantified group in a row pattern")
		}
		var out []*sql.Pattern
		for i := range p.Items {
			q, err := patternVariables(&p.Items[i])
			if err != nil {
				return nil, err
			}
			out = append(out, q...)
		}
		return out, nil
	case "START", "END":
		return nil, nil // Flink accepts and ignores anchors (join.md E10)
	}
	return nil, unsupported.New("%s in a row pattern", p.Kind)
}

// compileVariable makes the states of a variable before sink and returns the first.
func compileVariable(p *sql.Pattern, cond *nfaCondition, sink *nfaNode) *nfaNode {
	from, to := 1, 1
	if p.Quantified {
		from, to = p.Min, p.Max
	}
	optional := from == 0
	from = max(from, 1)
	looping := to < 0
	greedy := p.Quantified && !p.Reluctant && !(p.Min == 0 && p.Max == 1) && p.Min != p.Max
	if greedy {
		for _, e := range sink.edges {
			e.not = append(e.not, cond)
		}
	}
	single := func(to, proceed *nfaNode, optional bool) *nfaNode {
		s := &nfaNode{variable: p.Var}
		s.edges = append(s.edges, &nfaEdge{take: true, to: to, cond: cond})
		if optional {
			s.edges = append(s.edges, &nfaEdge{to: proceed})
		}
		return s
	}
	last := sink
	if looping {
		loop := &nfaNode{variable: p.Var}
		loop.edges = []*nfaEdge{{to: sink}, {take: true, to: loop, cond: cond}}
		last = loop
		to = from
	}
	for range to - from {
		last = single(last, sink, true)
	}
	for range from - 1 {
		last = single(last, nil, false)
	}
	return single(last, sink, optional)
}

func (n *nfa) begin() *nfaState {
	s := &nfaState{}
	s.partial.add(&partialMatch{node: n.start})
	return s
}

// holds evaluates a condition for row on top of the rows of a way.
func (n *nfa) holds(c *nfaCondition, m *partialMatch, row value.Row, t int64) bool {
	if c == nil || c.expr == nil {
		return true
	}
	chain := m.last.chain()
	v := n.eval.value(c.expr, func(variable string) []value.Row {
		rows := eventsOf(chain, c.known, variable)
		if variable == c.variable || variable == fn.AnyVariable {
			rows = append(rows, row)
		}
		return rows
	}, t)
	return !v.IsNull() && v.Bool()
}

func (n *nfa) passes(e *nfaEdge, m *partialMatch, row value.Row, t int64) bool {
	if !n.holds(e.cond, m, row, t) {
		return false
	}
	for _, c := range e.not {
		if n.holds(c, m, row, t) {
			return false
		}
	}
	return true
}

// takes lists the take edges that are open for a row, through proceed edges.
func (n *nfa) takes(m *partialMatch, row value.Row, t int64) []*nfaEdge {
	var open []*nfaEdge
	stack := []*nfaNode{m.node}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range s.edges {
			if !n.passes(e, m, row, t) {
				continue
			}
			if e.take {
				open = append(open, e)
			} else {
				stack = append(stack, e.to)
			}
		}
	}
	return open
}

// reachesEnd reports whether the end can be reached from a node without a further row.
func (n *nfa) reachesEnd(from *nfaNode, m *partialMatch, row value.Row, t int64) *nfaNode {
	stack := []*nfaNode{from}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range s.edges {
			if e.take || !n.passes(e, m, row, t) {
				continue
			}
			if e.to.final {
				return e.to
			}
			stack = append(stack, e.to)
		}
	}
	return nil
}

// process takes a row and returns the matches that come out.
func (n *nfa) process(s *nfaState, row value.Row, t int64) ([]*matched, error) {
	if s.at != t {
		s.at, s.ids = t, 0
	}
	var partial, potential matchHeap
	var id int64 = -1
	for _, m := range s.partial.items {
		next := n.step(s, m, row, t, &id)
		if len(next) != 1 || next[0] != m {
			s.changed = true
		}
		for _, x := range next {
			if m.node.start && x.start != nil && t > 0 {
				s.started = true
			}
			if x.node.final {
				potential.add(x)
			} else {
				partial.add(x)
			}
		}
		if n.job.ctx.Err != nil {
			return nil, n.job.ctx.Err
		}
	}
	if len(potential.items) > 0 {
		s.changed = true
	}
	return n.release(s, &potential, &partial)
}

// step gives the ways on which m goes on with row; the start always stays.
func (n *nfa) step(s *nfaState, m *partialMatch, row value.Row, t int64, id *int64) []*partialMatch {
	var out []*partialMatch
	for _, e := range n.takes(m, row, t) {
		if *id < 0 {
			*id = s.ids // rows that nobody takes have no number
			s.ids++
		}
		r := &takenRow{variable: e.cond.variable, row: row, at: t, id: *id, before: m.last}
		start := m.start
		if m.node.start {
			start = r
		}
		r.start = start
		out = append(out, &partialMatch{node: e.to, last: r, start: start})
		if end := n.reachesEnd(e.to, m, row, t); end != nil {
			out = append(out, &partialMatch{node: end, last: r, start: start})
		}
	}
	if m.node.start {
		out = append(out, m)
	}
	return out
}

// advance gives up ways that did not end within the time.
func (n *nfa) advance(s *nfaState, t int64) ([]*matched, error) {
	var partial, potential matchHeap
	for _, m := range s.partial.items {
		if n.within > 0 && !m.node.start && t-m.start.at >= n.within {
			s.changed = true
			continue
		}
		partial.add(m)
	}
	return n.release(s, &potential, &partial)
}

// release lets complete matches go, the earliest start first, as long as no way with an
// earlier start is still open; each one prunes others by the AFTER MATCH strategy.
func (n *nfa) release(s *nfaState, potential, partial *matchHeap) ([]*matched, error) {
	for _, m := range potential.items {
		s.done.add(m)
	}
	var out []*matched
	for len(s.done.items) > 0 {
		m := s.done.items[0]
		if len(partial.items) > 0 && compareMatches(m, partial.items[0]) > 0 {
			break
		}
		s.changed = true
		s.done.poll()
		x := &matched{rows: m.last.chain(), vars: n.vars}
		if err := n.prune(x, partial, &s.done); err != nil {
			return out, err
		}
		out = append(out, x)
	}
	s.partial = *partial
	return out, nil
}

func (n *nfa) prune(x *matched, heaps ...*matchHeap) error {
	last := x.rows[len(x.rows)-1]
	inclusive := true
	switch n.skip {
	case "", "TO NEXT ROW", "SKIP TO NEXT ROW":
		last = x.rows[0]
	case "PAST LAST ROW", "SKIP PAST LAST ROW":
	default:
		inclusive = false
		var hit *takenRow
		for _, r := range x.rows {
			if r.variable != n.target {
				continue
			}
			if hit == nil || strings.Contains(n.skip, "LAST") {
				hit = r
			}
		}
		if hit == nil {
			return flinkerr.Runtime("org.apache.flink.util.FlinkRuntimeException",
				"Could not skip to %s. No such element in the found match %s", n.target, x.describe())
		}
		if hit == x.rows[0] {
			return flinkerr.Runtime("org.apache.flink.util.FlinkRuntimeException", "Could not skip to first element of a match.")
		}
		last = hit
	}
	for _, h := range heaps {
		h.removeIf(func(m *partialMatch) bool {
			if m.start == nil {
				return false
			}
			c := compareRows(m.start, last)
			return c < 0 || inclusive && c == 0
		})
	}
	return nil
}

// describe prints a match as Flink's error does.
func (m *matched) describe() string {
	var b strings.Builder
	b.WriteByte('{')
	first := true
	for _, v := range m.vars {
		var ids []string
		for _, r := range m.rows {
			if r.variable == v {
				ids = append(ids, fmt.Sprintf("EventId{id=%d, timestamp=%d}", r.id, r.at))
			}
		}
		if len(ids) == 0 {
			continue
		}
		if !first {
			b.WriteString(", ")
		}
		first = false
		b.WriteString(v + "=[" + strings.Join(ids, ", ") + "]")
	}
	b.WriteByte('}')
	return b.String()
}
