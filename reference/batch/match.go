package batch

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// match is MATCH_RECOGNIZE over complete partitions. A partition's rows are ordered by
// time, late ones included; partitions come in the order of Flink's sorted shuffle.
//
// The search begins at each row in turn. Rows of a match follow one another strictly, and
// the search does not backtrack: after a greedy quantifier a row goes on to the next
// variable only if the greedy one does not want it (join.md E2). A start whose search is
// still open when the input ends holds back every match that begins later.
type match struct {
	job      *job
	node     *phys.Match
	spec     *rel.Match
	vars     []patternVar
	names    []string
	within   int64
	measures []*fn.PatternExpr
	width    int
}

// patternVar is a variable with its quantifier; max is negative without a bound.
type patternVar struct {
	name     string
	min, max int
	greedy   bool
	cond     *fn.PatternExpr
}

func (j *job) match(n *phys.Match, in producer) (producer, error) {
	spec, ok := n.Spec.(*rel.Match)
	if !ok {
		return nil, unsupported.New("this row pattern")
	}
	pattern, ok := spec.Pattern.(*sql.Pattern)
	if !ok {
		return nil, unsupported.New("this row pattern")
	}
	schema := n.In[0].Schema()
	m := &match{job: j, node: n, spec: spec, width: len(schema)}
	if err := m.addVars(pattern); err != nil {
		return nil, err
	}
	if spec.Within != nil {
		l, ok := spec.Within.(*rex.Literal)
		if !ok {
			return nil, unsupported.New("WITHIN with an interval that is not constant")
		}
		m.within = l.V.Int()
	}
	for i := range m.vars {
		for _, d := range spec.Defines {
			if d.Name != m.vars[i].name {
				continue
			}
			var err error
			if m.vars[i].cond, err = fn.CompilePattern(d.X, &j.rt.Env); err != nil {
				return nil, err
			}
		}
		m.names = append(m.names, m.vars[i].name)
	}
	for _, x := range spec.Measures {
		p, err := fn.CompilePattern(x.X, &j.rt.Env)
		if err != nil {
			return nil, err
		}
		m.measures = append(m.measures, p)
	}
	return func(emit func(value.Row) error) error { return m.run(in, schema, emit) }, nil
}

func (m *match) addVars(p *sql.Pattern) error {
	switch p.Kind {
	case "VAR":
		v := patternVar{name: p.Var, min: 1, max: 1}
		if p.Quantified {
			v.min, v.max = p.Min, p.Max
			v.greedy = !p.Reluctant && p.Min != p.Max && !(p.Min == 0 && p.Max == 1)
		}
		m.vars = append(m.vars, v)
		return nil
	case "CONCAT", "GROUP":
		if p.Quantified {
			return unsupported.New("a quantified group in a row pattern")
		}
		for i := range p.Items {
			if err := m.addVars(&p.Items[i]); err != nil {
				return err
			}
		}
		return nil
	case "START", "END":
		return nil // accepted and ignored (join.md E10)
	}
	return unsupported.New("%s in a row pattern", p.Kind)
}

// run sorts all rows by partition and time, as the sorted shuffle does: ties come out as
// its quicksort leaves them.
func (m *match) run(in producer, schema []value.Field, emit func(value.Row) error) error {
	types := make([]value.Type, len(m.node.PartitionBy))
	for i, c := range m.node.PartitionBy {
		types[i] = schema[c].Type
	}
	byTime := len(m.node.Keys) > 0 && schema[m.node.Keys[0].Column].Type.Time != value.Proctime
	var rows []value.Row
	err := in(func(row value.Row) error {
		if byTime && row[m.node.Keys[0].Column].IsNull() {
			return unsupported.New("a row pattern over rows without a time in batch mode")
		}
		// The bytes of the partition stand behind the columns while rows are sorted.
		key := value.Bytes(serializedKey(types, row, m.node.PartitionBy))
		rows = append(rows, append(own(row), key))
		return nil
	})
	if err != nil {
		return err
	}
	at := len(schema)
	part := func(r value.Row) []byte { return []byte(r[at].Str()) }
	byPartition := func(a, b value.Row) int { return compareSigned(part(a), part(b)) }
	time := newOrder(m.node.Keys[:min(1, len(m.node.Keys))], schema)
	if byTime {
		quicksort(rows, func(a, b value.Row) int {
			if c := byPartition(a, b); c != 0 {
				return c
			}
			return time.compare(a, b)
		})
	} else {
		slices.SortStableFunc(rows, byPartition)
	}
	by := newOrder(m.node.Keys, schema)
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && byPartition(rows[0], rows[n]) == 0 {
			n++
		}
		mine := rows[:n:n]
		rows = rows[n:]
		for i := range mine {
			mine[i] = mine[i][:at]
		}
		if byTime && len(m.node.Keys) > 1 {
			slices.SortStableFunc(mine, by.compare)
		}
		if err := m.partition(mine, byTime, emit); err != nil {
			return err
		}
	}
	return nil
}

// serializedKey is the key as the sorted shuffle sees it: its length, then Flink's binary
// row (join.md E6).
func serializedKey(types []value.Type, row value.Row, cols []int) []byte {
	vals := make(value.Row, len(cols))
	for i, c := range cols {
		vals[i] = row[c]
	}
	b := value.BinaryRow(types, vals)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
}

// compareSigned compares bytes as Java's signed ones.
func compareSigned(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if c := cmp.Compare(int8(a[i]), int8(b[i])); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// way is a search in progress: the variable of each row since the start, the current
// variable and how many rows it has.
type way struct {
	vars []int
	at   int
	n    int
}

// outcome of the search from one start.
type outcome uint8

const (
	failed outcome = iota
	found
	open
)

func (m *match) partition(rows []value.Row, byTime bool, emit func(value.Row) error) error {
	timeOf := func(i int) int64 {
		if !byTime {
			return int64(i)
		}
		return rows[i][m.node.Keys[0].Column].Millis()
	}
	held := 0 // the row at which the last of the earlier starts gave up
	for start := 0; start < len(rows); {
		w, end, res, err := m.search(rows, start, timeOf)
		if err != nil {
			return err
		}
		if res != found {
			if res == open && m.within == 0 {
				return nil
			}
			held = max(held, end)
			start++
			continue
		}
		at := int64(math.MaxInt64)
		if k := max(held, end); k < len(rows) {
			at = timeOf(k)
		}
		if err := m.emit(rows[start:end+1], w.vars, at, emit); err != nil {
			return err
		}
		if start, err = m.skip(w, start, end, rows, timeOf); err != nil {
			return err
		}
	}
	return nil
}

// search looks for the first match that begins at start, and tells its last row, or the
// row at which the search gave up.
func (m *match) search(rows []value.Row, start int, timeOf func(int) int64) (way, int, outcome, error) {
	ways := []way{{at: 0}}
	for i := start; i < len(rows); i++ {
		if m.within > 0 && timeOf(i)-timeOf(start) >= m.within {
			return way{}, i, failed, nil
		}
		var next, complete []way
		for _, w := range ways {
			next = append(next, m.take(rows, start, i, w)...)
		}
		if m.job.ctx.Err != nil {
			return way{}, 0, failed, m.job.ctx.Err
		}
		ways = ways[:0]
		for _, w := range next {
			if m.ends(rows, start, i, w) {
				complete = append(complete, w)
			}
			if !(w.at == len(m.vars)-1 && w.n == m.vars[w.at].max) {
				ways = append(ways, w)
			}
		}
		if len(complete) > 0 {
			for _, w := range complete[1:] {
				if !slices.Equal(w.vars, complete[0].vars) {
					return way{}, 0, failed, unsupported.New("a row pattern that matches the same rows in several ways")
				}
			}
			return complete[0], i, found, nil
		}
		if len(ways) == 0 {
			return way{}, i, failed, nil
		}
	}
	return way{}, len(rows), open, nil
}

// take lists how a way can go on with row i: by a further row of its variable, or by the
// first row of a later one, if those between are optional.
func (m *match) take(rows []value.Row, start, i int, w way) []way {
	var out []way
	for v := w.at; v < len(m.vars); v++ {
		n := 0
		if v == w.at {
			n = w.n
		}
		x := &m.vars[v]
		if (x.max < 0 || n < x.max) && m.holds(v, rows, start, i, w) {
			out = append(out, way{vars: append(w.vars[:len(w.vars):len(w.vars)], v), at: v, n: n + 1})
		}
		if n < x.min {
			break
		}
		// Beyond a greedy variable a row counts only if the variable does not want it, even
		// when the variable has all the rows that it may have.
		if x.greedy && m.holds(v, rows, start, i, w) {
			break
		}
	}
	return out
}

// ends reports whether a way is complete after row i, its last one: the rest of the
// pattern is optional, and no greedy variable that would be left wants the row.
func (m *match) ends(rows []value.Row, start, i int, w way) bool {
	if w.n < m.vars[w.at].min {
		return false
	}
	before := way{vars: w.vars[:len(w.vars)-1]}
	for v := w.at + 1; v < len(m.vars); v++ {
		if m.vars[v].min > 0 || m.vars[v-1].greedy && m.holds(v-1, rows, start, i, before) {
			return false
		}
	}
	return true
}

// holds evaluates the condition of variable v for row i after the rows of w.
func (m *match) holds(v int, rows []value.Row, start, i int, w way) bool {
	c := m.vars[v].cond
	if c == nil {
		return true
	}
	vars := append(w.vars[:len(w.vars):len(w.vars)], v)
	x := m.value(c, func(name string) []value.Row {
		if name == fn.AnyVariable {
			return rows[start : i+1]
		}
		return m.rowsOf(rows[start:i+1], vars, name)
	}, 0)
	return !x.IsNull() && x.Bool()
}

// rowsOf lists the rows that a variable took.
func (m *match) rowsOf(rows []value.Row, vars []int, name string) []value.Row {
	var out []value.Row
	for k, v := range vars {
		if m.vars[v].name == name {
			out = append(out, rows[k])
		}
	}
	return out
}

func (m *match) value(p *fn.PatternExpr, rowsOf func(string) []value.Row, t int64) value.Value {
	terms := make(value.Row, len(p.Terms))
	for i := range p.Terms {
		x := &p.Terms[i]
		if x.Rowtime {
			terms[i] = value.Timestamp(t, 0)
			continue
		}
		rows := rowsOf(x.Var)
		if x.Agg != nil {
			terms[i] = m.aggregate(x, rows)
			continue
		}
		k := x.Offset
		if !x.First {
			k = len(rows) - 1 - k
		}
		row := make(value.Row, m.width)
		if k >= 0 && k < len(rows) {
			row = rows[k]
		}
		terms[i] = x.Inner(&m.job.ctx, row)
	}
	return p.Rest(&m.job.ctx, terms)
}

func (m *match) aggregate(x *fn.PatternTerm, rows []value.Row) value.Value {
	c := phys.AggCall{Fn: x.Agg.Op, Filter: -1, T: x.Agg.T}
	for i, a := range x.Agg.Args {
		c.Args, c.ArgTypes = append(c.Args, i), append(c.ArgTypes, a.Type())
	}
	ints := &intSlab{}
	s, err := m.job.newState(&c, ints)
	if err != nil {
		return m.job.ctx.Fail(err)
	}
	ints.grow()
	s.grow()
	args := make(value.Row, len(x.Args))
	for _, r := range rows {
		for i, f := range x.Args {
			args[i] = f(&m.job.ctx, r)
		}
		s.add(0, args)
	}
	return s.result(0)
}

func (m *match) emit(rows []value.Row, vars []int, t int64, emit func(value.Row) error) error {
	var out value.Row
	for _, c := range m.node.PartitionBy {
		out = append(out, rows[0][c])
	}
	for _, p := range m.measures {
		out = append(out, m.value(p, func(name string) []value.Row {
			if name == fn.AnyVariable {
				return rows
			}
			return m.rowsOf(rows, vars, name)
		}, t))
	}
	if m.job.ctx.Err != nil {
		return m.job.ctx.Err
	}
	return emit(out)
}

// skip is the next start after a match.
func (m *match) skip(w way, start, end int, rows []value.Row, timeOf func(int) int64) (int, error) {
	to := -1
	switch m.spec.Skip {
	case "", "TO NEXT ROW":
		return start + 1, nil
	case "PAST LAST ROW":
		return end + 1, nil
	}
	for k, v := range w.vars {
		if m.vars[v].name == m.spec.SkipVar && (to < 0 || m.spec.Skip == "TO LAST") {
			to = k
		}
	}
	const class = "org.apache.flink.util.FlinkRuntimeException"
	switch to {
	case -1:
		return 0, flinkerr.Runtime(class, "Could not skip to %s. No such element in the found match %s", m.spec.SkipVar, m.describe(w, start, rows, timeOf))
	case 0:
		return 0, flinkerr.Runtime(class, "Could not skip to first element of a match.")
	}
	return start + to, nil
}

// describe lists the rows of a match as Flink names them: by time, and by rank among the
// rows of one time.
func (m *match) describe(w way, start int, rows []value.Row, timeOf func(int) int64) string {
	var parts []string
	for v, name := range m.names {
		var ids []string
		for k, x := range w.vars {
			if x != v {
				continue
			}
			id, at := 0, timeOf(start+k)
			for p := start + k - 1; p >= 0 && timeOf(p) == at; p-- {
				id++
			}
			ids = append(ids, fmt.Sprintf("EventId{id=%d, timestamp=%d}", id, at))
		}
		if len(ids) > 0 {
			parts = append(parts, name+"=["+strings.Join(ids, ", ")+"]")
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
