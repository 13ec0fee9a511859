package stream

import (
	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// groupAggregate is the one-phase streaming aggregate. Per record it loads the group,
// accumulates or retracts, and compares the result with the one before (agg.md 1):
// the first record of a group gives +I, a changed result -U and +U, an unchanged one
// nothing (unless state may expire, agg.md 70), and a group whose last row left -D. A
// retraction for a group that does not exist is dropped.
//
// Without keys the whole input is one group: nothing is emitted for an empty input, and
// a group that lost all its rows is deleted (agg.md 7).
type groupAggregate struct {
	forward
	job      *job
	keys     *keyEncoder
	calls    *aggCalls
	types    []value.Type // of the results
	counting bool         // the input takes rows back
	before   bool         // consumers want -U
	repeat   bool         // unchanged results are sent again
	groups   map[string]*group
	buf      []byte
	results  value.Row
}

// group is the state of one key. out is the row as last emitted: keys, then results.
type group struct {
	accs []acc
	rows int64
	out  value.Row
}

func (j *job) newGroupAggregate(n *phys.GroupAggregate, next operator) (operator, error) {
	calls, err := j.newAggCalls(n.Calls)
	if err != nil {
		return nil, err
	}
	in := n.In[0]
	g := &groupAggregate{
		forward:  forward{next},
		job:      j,
		keys:     newKeyEncoder(n.Keys, in.Schema()),
		calls:    calls,
		types:    resultTypes(n.Calls),
		counting: !insertOnly(in),
		before:   wantsUpdateBefore(n),
		repeat:   j.rt.StateTTL > 0,
		groups:   map[string]*group{},
		results:  make(value.Row, len(n.Calls)),
	}
	if dense(n.Calls) {
		return newDenseAggregate(g, n.Calls), nil
	}
	return g, nil
}

func fieldTypes(schema []value.Field) []value.Type {
	t := make([]value.Type, len(schema))
	for i, f := range schema {
		t[i] = f.Type
	}
	return t
}

func resultTypes(calls []phys.AggCall) []value.Type {
	t := make([]value.Type, len(calls))
	for i, c := range calls {
		t[i] = c.T
	}
	return t
}

func (o *groupAggregate) row(kind changelog.RowKind, row value.Row) error {
	o.buf = o.keys.append(o.buf[:0], row)
	g := o.groups[string(o.buf)]
	first := g == nil
	if first {
		if !kind.Adds() {
			return nil
		}
		g = o.newGroup(row)
	}
	if kind.Adds() {
		g.rows++
	} else {
		g.rows--
	}
	if err := o.calls.update(g.accs, kind, row); err != nil {
		return err
	}
	if o.counting && g.rows == 0 {
		delete(o.groups, string(o.buf))
		return o.next.row(changelog.Delete, g.out)
	}
	if err := o.calls.results(o.results, g.accs); err != nil {
		return err
	}
	nk := len(o.keys.cols)
	if first {
		o.groups[string(o.buf)] = g
		g.keep(nk, o.results)
		return o.next.row(changelog.Insert, g.out)
	}
	if !o.repeat && equalResults(o.types, g.out[nk:], o.results) {
		g.keep(nk, o.results) // 0.0 and -0.0 are equal, and the next -U shows the later one
		return nil
	}
	if o.before {
		if err := o.next.row(changelog.UpdateBefore, g.out); err != nil {
			return err
		}
	}
	g.keep(nk, o.results)
	return o.next.row(changelog.UpdateAfter, g.out)
}

func (o *groupAggregate) newGroup(row value.Row) *group {
	nk := len(o.keys.cols)
	g := &group{accs: o.calls.newAccs(), out: make(value.Row, nk+len(o.results))}
	for i, c := range o.keys.cols {
		g.out[i] = keepValue(row[c])
	}
	return g
}

// keep stores new results. Results are values of the accumulators and as such already owned.
func (g *group) keep(nk int, results value.Row) { copy(g.out[nk:], results) }
