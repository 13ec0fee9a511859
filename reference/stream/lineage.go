package stream

import (
	"slices"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// Origin is a row of a source.
type Origin struct {
	Table    string
	Position Position
}

// Lineage follows source rows through a plan, if Runtime has one. It looks at operators from outside, at
// the rows that go in and come out, so that following them changes no operator: an aggregate's row
// comes from the rows of its group (and window), a row that an operator hands on is known by
// its content, and a row of a join comes from both its halves.
type Lineage struct {
	now []Origin
	// in are the watchers of nodes' outputs on their way into the operator above.
	in map[phys.Node]func(operator) operator
}

// Sources are the source rows behind the row that is being handed to Out, in no order and perhaps
// more than once. A row that was taken back stays among them. The slice is not to be changed.
func (l *Lineage) Sources() []Origin { return l.now }

// give pushes a row that has other sources than the one being worked on.
func (l *Lineage) give(next operator, kind changelog.RowKind, row value.Row, sources []Origin) error {
	saved := l.now
	l.now = sources
	err := next.row(kind, row)
	l.now = saved
	return err
}

// watcher sees the rows that go into an operator.
type watcher struct {
	operator
	see  func(kind changelog.RowKind, row value.Row)
	mark func(w int64)
}

func (w *watcher) row(kind changelog.RowKind, row value.Row) error {
	w.see(kind, row)
	return w.operator.row(kind, row)
}

func (w *watcher) watermark(x int64) error {
	if w.mark != nil {
		w.mark(x)
	}
	return w.operator.watermark(x)
}

// teller says of rows that come out of an operator which source rows they come from.
type teller struct {
	forward
	lineage *Lineage
	sources func(row value.Row) []Origin
}

func (t *teller) row(kind changelog.RowKind, row value.Row) error {
	return t.lineage.give(t.next, kind, row, t.sources(row))
}

// around puts watchers and a teller around the operator of a node. What emits each row while it has the
// one in hand that it comes from needs none.
func (l *Lineage) around(n phys.Node, next operator) operator {
	tell := func(sources func(value.Row) []Origin) operator {
		return &teller{forward: forward{next}, lineage: l, sources: sources}
	}
	switch n := n.(type) {
	case *phys.GroupAggregate:
		return tell(l.groups(n.In[0], n.Keys, nil))
	case *phys.GlobalGroupAggregate:
		return tell(l.groups(n.Local.In[0], n.Local.Keys, nil))
	case *phys.WindowAggregate:
		first := n
		if n.Local != nil {
			first = n.Local
		}
		return tell(l.groups(first.In[0], first.Keys, newSpan(first.Window, n.Props, len(n.Keys)+len(n.Calls))))
	case *phys.GroupWindowAggregate:
		return tell(l.groups(n.In[0], n.Keys, newSpan(n.Window, n.Props, len(n.Keys)+len(n.Calls))))
	case *phys.Match:
		return tell(l.groups(n.In[0], n.PartitionBy, nil))
	case *phys.OverAggregate:
		return tell(l.partition(n))
	case *phys.Rank, *phys.Deduplicate, *phys.WindowRank, *phys.WindowDeduplicate, *phys.SortLimit, *phys.Sort, *phys.WindowTableFunction, *phys.ChangelogNormalize:
		return tell(l.contents(n.Inputs()...))
	case *phys.Sink:
		if n.Materialize {
			return tell(l.contents(n.In[0]))
		}
	case *phys.Join:
		return tell(l.halves(n.JoinType, n.In))
	case *phys.IntervalJoin:
		return tell(l.halves(n.JoinType, n.In))
	case *phys.TemporalJoin:
		return tell(l.halves(n.JoinType, n.In))
	case *phys.WindowJoin:
		return tell(l.halves(n.JoinType, n.In))
	}
	return next
}

func (l *Lineage) watch(n phys.Node, see func(changelog.RowKind, value.Row), mark func(int64)) {
	if l.in == nil {
		l.in = map[phys.Node]func(operator) operator{}
	}
	l.in[n] = func(next operator) operator { return &watcher{operator: next, see: see, mark: mark} }
}

// span tells which rows are in the window of a result.
type span struct {
	window     phys.Window
	start, end int // columns of the result
}

// newSpan is nil where the result does not show its window, or shows it in another time zone.
func newSpan(w phys.Window, props []string, at int) *span {
	s, e := slices.Index(props, "start"), slices.Index(props, "end")
	if s < 0 || e < 0 || w.LTZ {
		return nil
	}
	return &span{w, at + s, at + e}
}

// late tells that no window takes a row any more; it is dropped then.
func (s *span) late(t, mark int64) bool {
	w := s.window
	var end int64
	switch w.Kind {
	case "TUMBLE", "CUMULATE":
		end = windowStart(t, w.Offset, w.Size) + w.Size
	case "HOP":
		end = windowStart(t, w.Offset, w.Slide) + w.Size
	default:
		return false
	}
	return end-1 <= mark
}

type timedOrigins struct {
	time    int64
	sources []Origin
}

// groups remembers the rows of each group; a result shows its group first.
func (l *Lineage) groups(in phys.Node, keys []int, s *span) func(value.Row) []Origin {
	schema := in.Schema()
	enter := newKeyEncoder(keys, schema)
	if s != nil && s.window.TimeColumn < 0 {
		// The rows carry their window.
		enter = newKeyEncoder(append(slices.Clone(keys), s.window.EndCol), schema)
	}
	known := map[string][]timedOrigins{}
	mark := int64(MinWatermark)
	l.watch(in, func(_ changelog.RowKind, row value.Row) {
		x := timedOrigins{sources: l.now}
		if s != nil && s.window.TimeColumn >= 0 {
			v := row[s.window.TimeColumn]
			if v.IsNull() || s.late(v.Millis(), mark) {
				return
			}
			x.time = v.Millis()
		}
		k := string(enter.append(nil, row))
		known[k] = append(known[k], x)
	}, func(w int64) { mark = w })
	return func(row value.Row) []Origin {
		var k []byte
		for i := range keys {
			k = appendKeyValue(k, &enter.types[i], row[i])
		}
		if len(enter.cols) > len(keys) {
			k = appendKeyValue(k, &enter.types[len(keys)], row[s.end])
		}
		var out []Origin
		for _, x := range known[string(k)] {
			if s == nil || s.window.TimeColumn < 0 || x.time >= row[s.start].Millis() && x.time < row[s.end].Millis() {
				out = append(out, x.sources...)
			}
		}
		return out
	}
}

// partition: the row of a window without GROUP BY comes from those of its partition up to its place.
func (l *Lineage) partition(n *phys.OverAggregate) func(value.Row) []Origin {
	schema := n.In[0].Schema()
	enter := newKeyEncoder(n.PartitionBy, schema)
	cmp := newRowComparator(n.Keys, schema)
	type seen struct {
		row     value.Row
		sources []Origin
	}
	known := map[string][]seen{}
	l.watch(n.In[0], func(_ changelog.RowKind, row value.Row) {
		k := string(enter.append(nil, row))
		known[k] = append(known[k], seen{keepRow(row), l.now})
	}, nil)
	return func(row value.Row) []Origin {
		var out []Origin
		for _, x := range known[string(enter.append(nil, row))] {
			if cmp.compare(x.row, row) <= 0 {
				out = append(out, x.sources...)
			}
		}
		return out
	}
}

// contents knows rows by their content: the last row that came in with the columns that come out.
func (l *Lineage) contents(in ...phys.Node) func(value.Row) []Origin {
	return l.columns(in[0], 0)
}

func (l *Lineage) columns(in phys.Node, at int) func(value.Row) []Origin {
	enter := wholeRow(in.Schema())
	known := map[string][]Origin{}
	l.watch(in, func(_ changelog.RowKind, row value.Row) {
		known[string(enter.append(nil, row))] = l.now
	}, nil)
	width := len(enter.cols)
	return func(row value.Row) []Origin {
		if len(row) < at+width {
			return l.now
		}
		return known[string(enter.append(nil, row[at:at+width]))]
	}
}

// halves: a joined row comes from the left and the right row; the half that LEFT pads is unknown.
func (l *Lineage) halves(joinType string, in []phys.Node) func(value.Row) []Origin {
	left := l.columns(in[0], 0)
	if joinType == "LeftSemiJoin" || joinType == "LeftAntiJoin" {
		return left
	}
	right := l.columns(in[1], len(in[0].Schema()))
	return func(row value.Row) []Origin {
		return append(slices.Clone(left(row)), right(row)...)
	}
}
