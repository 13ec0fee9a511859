package stream

import (
	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// bundledGroups is the state of an aggregate that works on bundles: the log has one
// change a key and bundle instead of one a record (sink.md E4).
type bundledGroups struct {
	next     operator
	job      *job
	calls    *aggCalls
	types    []value.Type
	counting bool
	before   bool
	groups   map[string]*group
	results  value.Row
}

func (j *job) newBundledGroups(calls []phys.AggCall, n phys.Node, counting bool, next operator) (*bundledGroups, error) {
	c, err := j.newAggCalls(calls)
	if err != nil {
		return nil, err
	}
	return &bundledGroups{
		next: next, job: j, calls: c, types: resultTypes(calls), counting: counting,
		before: wantsUpdateBefore(n), groups: map[string]*group{}, results: make(value.Row, len(calls)),
	}, nil
}

// change brings a bundle's changes into the group of a key and emits what follows.
// apply updates the accumulators and returns by how much the number of rows changed.
func (s *bundledGroups) change(id string, key value.Row, apply func(a []acc) (int64, error)) error {
	g := s.groups[id]
	first := g == nil
	if first {
		g = &group{accs: s.calls.newAccs(), out: make(value.Row, len(key)+len(s.results))}
		copy(g.out, key)
	}
	rows, err := apply(g.accs)
	if err != nil {
		return err
	}
	g.rows += rows
	if s.counting && g.rows == 0 {
		delete(s.groups, id)
		if first {
			return nil
		}
		return s.next.row(changelog.Delete, g.out)
	}
	if err := s.calls.results(s.results, g.accs); err != nil {
		return err
	}
	nk := len(key)
	if first {
		s.groups[id] = g
		g.keep(nk, s.results)
		return s.next.row(changelog.Insert, g.out)
	}
	if s.job.rt.StateTTL <= 0 && equalResults(s.types, g.out[nk:], s.results) {
		return nil
	}
	if s.before {
		if err := s.next.row(changelog.UpdateBefore, g.out); err != nil {
			return err
		}
	}
	g.keep(nk, s.results)
	return s.next.row(changelog.UpdateAfter, g.out)
}

// miniBatchAggregate is the one-phase aggregate with mini-batch: a bundle holds the
// records of each key.
type miniBatchAggregate struct {
	*bundledGroups
	bundle *bundle[[]bundledRow]
}

type bundledRow struct {
	kind changelog.RowKind
	row  value.Row
}

func (j *job) newMiniBatchAggregate(n *phys.GroupAggregate, next operator) (operator, error) {
	in := n.In[0]
	s, err := j.newBundledGroups(n.Calls, n, !insertOnly(in), next)
	if err != nil {
		return nil, err
	}
	return &miniBatchAggregate{s, newBundle[[]bundledRow](j, newKeyEncoder(n.Keys, in.Schema()))}, nil
}

func (o *miniBatchAggregate) row(kind changelog.RowKind, row value.Row) error {
	rows, _ := o.bundle.at(row)
	*rows = append(*rows, bundledRow{kind, keepRow(row)})
	if o.bundle.counted() {
		return o.flush()
	}
	return nil
}

func (o *miniBatchAggregate) flush() error {
	return o.bundle.flush(func(id string, key value.Row, rows *[]bundledRow) error {
		r := *rows
		if o.groups[id] == nil {
			// Retractions that come before anything was added are dropped.
			for len(r) > 0 && !r[0].kind.Adds() {
				r = r[1:]
			}
			if len(r) == 0 {
				return nil
			}
		}
		return o.change(id, key, func(a []acc) (int64, error) {
			var n int64
			for _, x := range r {
				if x.kind.Adds() {
					n++
				} else {
					n--
				}
				if err := o.calls.update(a, x.kind, x.row); err != nil {
					return 0, err
				}
			}
			return n, nil
		})
	})
}

func (o *miniBatchAggregate) watermark(w int64) error {
	if err := o.flush(); err != nil {
		return err
	}
	return o.next.watermark(w)
}

func (o *miniBatchAggregate) end() error {
	if err := o.flush(); err != nil {
		return err
	}
	return o.next.end()
}

// localAggregate is the first phase: partial accumulators of a bundle, sent on even if
// the records cancelled each other (sink.md E3).
type localAggregate struct {
	next   *globalAggregate
	calls  *aggCalls
	bundle *bundle[partial]
}

// partial is the accumulators of one key in a bundle and the change in the number of rows.
type partial struct {
	accs []acc
	rows int64
}

// globalAggregate merges the partial accumulators of a bundle, then with the state. Its
// own bundle counts the partials that it receives.
type globalAggregate struct {
	*bundledGroups
	bundle *bundle[partial]
}

func (j *job) newGlobalAggregate(n *phys.GlobalGroupAggregate, next operator) (*localAggregate, phys.Node, error) {
	l := n.Local
	if l == nil {
		return nil, nil, unsupported.New("a global aggregate without its local phase")
	}
	in := l.In[0]
	s, err := j.newBundledGroups(n.Calls, n, !insertOnly(in), next)
	if err != nil {
		return nil, nil, err
	}
	calls, err := j.newAggCalls(l.Calls)
	if err != nil {
		return nil, nil, err
	}
	keys := newKeyEncoder(l.Keys, in.Schema())
	merged := &keyEncoder{types: keys.types}
	for i := range keys.cols {
		merged.cols = append(merged.cols, i)
	}
	g := &globalAggregate{s, newBundle[partial](j, merged)}
	return &localAggregate{next: g, calls: calls, bundle: newBundle[partial](j, keys)}, in, nil
}

func (o *localAggregate) row(kind changelog.RowKind, row value.Row) error {
	p, fresh := o.bundle.at(row)
	if fresh {
		p.accs = o.calls.newAccs()
	}
	if kind.Adds() {
		p.rows++
	} else {
		p.rows--
	}
	if err := o.calls.update(p.accs, kind, row); err != nil {
		return err
	}
	if o.bundle.counted() {
		return o.flush()
	}
	return nil
}

func (o *localAggregate) flush() error {
	return o.bundle.flush(func(_ string, key value.Row, p *partial) error { return o.next.take(key, p) })
}

func (o *localAggregate) watermark(w int64) error {
	if err := o.flush(); err != nil {
		return err
	}
	return o.next.watermark(w)
}

func (o *localAggregate) end() error {
	if err := o.flush(); err != nil {
		return err
	}
	return o.next.end()
}

// take receives a partial.
func (o *globalAggregate) take(key value.Row, p *partial) error {
	b, fresh := o.bundle.at(key)
	if fresh {
		b.accs = o.calls.newAccs()
	}
	b.rows += p.rows
	if err := o.calls.merge(b.accs, p.accs); err != nil {
		return err
	}
	if o.bundle.counted() {
		return o.flush()
	}
	return nil
}

func (o *globalAggregate) flush() error {
	return o.bundle.flush(func(id string, key value.Row, p *partial) error {
		if o.counting && p.rows <= 0 && o.groups[id] == nil {
			return nil
		}
		return o.change(id, key, func(a []acc) (int64, error) { return p.rows, o.calls.merge(a, p.accs) })
	})
}

func (o *globalAggregate) watermark(w int64) error {
	if err := o.flush(); err != nil {
		return err
	}
	return o.next.watermark(w)
}

func (o *globalAggregate) end() error {
	if err := o.flush(); err != nil {
		return err
	}
	return o.next.end()
}
