package stream

import (
	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// joinSide is the state of one input of a regular join. Flink keeps the rows of a join
// key in a hash map - by the unique key of the input if it has one, else by the whole
// row with a count - and matches come in the order of that map, not of arrival
// (join.md B2-B4).
type joinSide struct {
	key    *keyEncoder
	nulls  nullFilter
	id     *keyEncoder // the map key; nil if a join key holds one row
	hash   value.RowHash
	hashed value.Row
	counts bool // equal rows are counted
	outer  bool
	state  map[string]*value.JavaMap[joinRow]
	kbuf   []byte
	ibuf   []byte
}

// joinRow is a stored row: how often it is there and, on an outer side, with how many
// rows of the other side it matches.
type joinRow struct {
	row   value.Row
	n     int
	assoc int
}

func newJoinSide(in phys.Node, keys []int, filter []bool, spec string, unique []int, outer bool) (*joinSide, error) {
	s := &joinSide{
		key: newKeyEncoder(keys, in.Schema()), nulls: newNullFilter(keys, filter), outer: outer,
		state: map[string]*value.JavaMap[joinRow]{},
	}
	switch spec {
	case "JoinKeyContainsUniqueKey":
	case "HasUniqueKey":
		s.id = newKeyEncoder(unique, in.Schema())
	case "NoUniqueKey", "":
		s.id, s.counts = wholeRow(in.Schema()), true
	default:
		return nil, unsupported.New("the join input spec %s", spec)
	}
	if s.id != nil {
		s.hashed = make(value.Row, len(s.id.cols))
	}
	return s, nil
}

// joinKey is the join key of a row of this side, valid until the next call.
func (s *joinSide) joinKey(row value.Row) []byte {
	s.kbuf = s.key.append(s.kbuf[:0], row)
	return s.kbuf
}

func (s *joinSide) identity(row value.Row) ([]byte, int32) {
	if s.id == nil {
		return nil, 0
	}
	s.ibuf = s.id.append(s.ibuf[:0], row)
	s.id.project(s.hashed, row)
	return s.ibuf, s.hash.Hash(s.id.types, s.hashed)
}

func (s *joinSide) add(row value.Row, assoc int) {
	k := s.joinKey(row)
	m := s.state[string(k)]
	if m == nil {
		m = &value.JavaMap[joinRow]{}
		s.state[string(k)] = m
	}
	id, h := s.identity(row)
	e, had := m.Put(id, h)
	if had && s.counts {
		e.n++
		e.assoc = assoc
		return
	}
	*e = joinRow{row: keepRow(row), n: 1, assoc: assoc}
}

func (s *joinSide) remove(row value.Row) {
	k := s.joinKey(row)
	m := s.state[string(k)]
	if m == nil {
		return
	}
	id, h := s.identity(row)
	if _, had := m.Get(id); !had {
		return
	}
	e, _ := m.Put(id, h)
	if s.counts && e.n > 1 {
		e.n--
		return
	}
	m.Remove(id)
	if m.Len() == 0 {
		delete(s.state, string(k))
	}
}

// matcher finds the rows of one side that match a row of the other.
type matcher struct {
	job   *job
	cond  fn.Eval // what the keys do not say; may be nil
	buf   joinedRow
	found []*joinRow
}

func (m *matcher) accepts(left, right value.Row) bool {
	if m.cond == nil {
		return true
	}
	v := m.cond(&m.job.ctx, m.buf.of(left, right))
	return !v.IsNull() && v.Bool()
}

// matches lists the rows of other that match row, in the order of other's map; n counts
// them with their multiplicity.
func (m *matcher) matches(side int, own, other *joinSide, row value.Row) (found []*joinRow, n int, err error) {
	m.found = m.found[:0]
	if !own.nulls.excludes(row) {
		if rows := other.state[string(own.joinKey(row))]; rows != nil {
			for _, e := range rows.All() {
				if m.accepts(pair(side, row, e.row)) {
					m.found = append(m.found, e)
					n += e.n
				}
			}
		}
	}
	return m.found, n, m.job.ctx.Err
}

// join is INNER, LEFT, RIGHT and FULL. Padding of an outer side comes and goes row by
// row, interleaved with the joined rows; where no side of a change is outer the kind of
// the input is kept (semantics 3).
type join struct {
	forward
	matcher
	sides [2]*joinSide
	out   joinedRow
}

func (j *job) newJoin(n *phys.Join, next operator) (driver, error) {
	if n.Kind != "" && n.Kind != "Join" {
		return nil, unsupported.New("a %s in streaming", n.Kind)
	}
	l, r := n.In[0], n.In[1]
	leftOuter := n.JoinType == "LeftOuterJoin" || n.JoinType == "FullOuterJoin"
	rightOuter := n.JoinType == "RightOuterJoin" || n.JoinType == "FullOuterJoin"
	ls, err := newJoinSide(l, n.LeftKeys, n.FilterNulls, n.LeftSpec, n.LeftUnique, leftOuter)
	if err != nil {
		return nil, err
	}
	rs, err := newJoinSide(r, n.RightKeys, n.FilterNulls, n.RightSpec, n.RightUnique, rightOuter)
	if err != nil {
		return nil, err
	}
	m := matcher{job: j, buf: newJoinedRow(len(l.Schema()), len(r.Schema()))}
	if n.NonEqui != nil {
		if m.cond, err = j.compile(n.NonEqui); err != nil {
			return nil, err
		}
	}
	var op twoInput
	switch n.JoinType {
	case "InnerJoin", "LeftOuterJoin", "RightOuterJoin", "FullOuterJoin":
		if j.rt.MiniBatchSize > 0 {
			return nil, unsupported.New("joins with mini-batch")
		}
		op = &join{forward{next}, m, [2]*joinSide{ls, rs}, newJoinedRow(len(l.Schema()), len(r.Schema()))}
	case "LeftSemiJoin", "LeftAntiJoin":
		op = &semiJoin{forward{next}, m, [2]*joinSide{ls, rs}, n.JoinType == "LeftAntiJoin"}
	default:
		return nil, unsupported.New("a %s in streaming", n.JoinType)
	}
	return j.newTwoInput(op, n)
}

func (o *join) left(kind changelog.RowKind, row value.Row) error  { return o.take(0, kind, row) }
func (o *join) right(kind changelog.RowKind, row value.Row) error { return o.take(1, kind, row) }

func (o *join) take(side int, kind changelog.RowKind, row value.Row) error {
	if kind.Adds() {
		return o.add(side, kind, row)
	}
	return o.retract(side, kind, row)
}

// emit sends own and other as one row of the side's orientation.
func (o *join) emit(side int, kind changelog.RowKind, own, other value.Row) error {
	l, r := pair(side, own, other)
	return o.next.row(kind, o.out.of(l, r))
}

func (o *join) add(side int, kind changelog.RowKind, row value.Row) error {
	own, other := o.sides[side], o.sides[1-side]
	found, n, err := o.matches(side, own, other, row)
	if err != nil {
		return err
	}
	if own.outer {
		if n == 0 {
			own.add(row, 0)
			return o.emit(side, changelog.Insert, row, nil)
		}
	} else {
		own.add(row, 0)
	}
	if own.outer || other.outer {
		kind = changelog.Insert
	}
	for _, e := range found {
		for range e.n {
			if other.outer && e.assoc == 0 {
				if err := o.emit(side, changelog.Delete, nil, e.row); err != nil {
					return err
				}
			}
			if err := o.emit(side, kind, row, e.row); err != nil {
				return err
			}
		}
		if other.outer {
			e.assoc++
		}
	}
	if own.outer {
		own.add(row, n)
	}
	return nil
}

func (o *join) retract(side int, kind changelog.RowKind, row value.Row) error {
	own, other := o.sides[side], o.sides[1-side]
	own.remove(row)
	found, n, err := o.matches(side, own, other, row)
	if err != nil {
		return err
	}
	if own.outer {
		if n == 0 {
			return o.emit(side, changelog.Delete, row, nil)
		}
		kind = changelog.Delete
	}
	for _, e := range found {
		for range e.n {
			if err := o.emit(side, kind, row, e.row); err != nil {
				return err
			}
			if other.outer && e.assoc == 1 {
				if err := o.emit(side, changelog.Insert, nil, e.row); err != nil {
					return err
				}
			}
		}
		if other.outer {
			e.assoc--
		}
	}
	return nil
}

// semiJoin is LEFT SEMI and LEFT ANTI: it emits left rows alone. A left row keeps its
// kind; a right row that makes a left row appear or vanish lends a semi join its own
// kind, an anti join shows -D and +I.
type semiJoin struct {
	forward
	matcher
	sides [2]*joinSide
	anti  bool
}

func (o *semiJoin) left(kind changelog.RowKind, row value.Row) error {
	_, n, err := o.matches(0, o.sides[0], o.sides[1], row)
	if err != nil {
		return err
	}
	if kind.Adds() {
		o.sides[0].add(row, n)
	} else {
		o.sides[0].remove(row)
	}
	if n > 0 == o.anti {
		return nil
	}
	return o.next.row(kind, row)
}

func (o *semiJoin) right(kind changelog.RowKind, row value.Row) error {
	edge, by, shown := 0, 1, changelog.Delete
	if kind.Adds() {
		o.sides[1].add(row, 0)
	} else {
		o.sides[1].remove(row)
		edge, by, shown = 1, -1, changelog.Insert
	}
	if !o.anti {
		shown = kind
	}
	found, _, err := o.matches(1, o.sides[1], o.sides[0], row)
	if err != nil {
		return err
	}
	for _, e := range found {
		if e.assoc == edge {
			for range e.n {
				if err := o.next.row(shown, e.row); err != nil {
					return err
				}
			}
		}
		e.assoc += by
	}
	return nil
}
