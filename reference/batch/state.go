package batch

import (
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// state is one aggregate call over all groups, stored by group number.
type state interface {
	// grow begins the next group.
	grow()
	add(group int, row value.Row)
	// merge adds group h of a state of the same call.
	merge(group int, from state, h int)
	result(group int) value.Value
}

// newStates makes the states of calls, which keep their integers in ints.
func (j *job) newStates(calls []phys.AggCall, ints *intSlab) ([]state, error) {
	var out []state
	for i := range calls {
		c := &calls[i]
		s, err := j.newState(c, ints)
		if err != nil {
			return nil, err
		}
		if c.Distinct {
			s = newDistinct(c, s)
		}
		out = append(out, s)
	}
	return out, nil
}

func (j *job) newState(c *phys.AggCall, ints *intSlab) (state, error) {
	arg := -1
	var t value.Type
	if len(c.Args) > 0 {
		arg, t = c.Args[0], c.ArgTypes[0]
	}
	switch c.Fn.Name {
	case "COUNT":
		return &counts{args: c.Args, ints: ints, at: ints.reserve(1)}, nil
	case "SUM", "$SUM0":
		return newSums(arg, t, c.T, c.Fn.Name == "$SUM0", ints)
	case "AVG":
		return newAverages(arg, t, c.T, ints)
	case "MIN":
		return &extrema{arg: arg, t: t}, nil
	case "MAX":
		return &extrema{arg: arg, t: t, max: true}, nil
	case "FIRST_VALUE":
		return &edges{arg: arg}, nil
	case "LAST_VALUE":
		return &edges{arg: arg, last: true}, nil
	case "SINGLE_VALUE":
		return &singles{job: j, arg: arg}, nil
	case "LISTAGG":
		s := &lists{arg: arg, sep: -1, delim: ","}
		if len(c.Args) > 1 {
			s.sep = c.Args[1]
		}
		if len(c.Constants) > 0 {
			s.delim = c.Constants[0].V.Str()
		}
		return s, nil
	case "ARRAY_AGG":
		return &arrays{arg: arg, ignoreNulls: c.IgnoreNulls}, nil
	case "COLLECT":
		return &multisets{arg: arg, t: t}, nil
	case "JSON_OBJECTAGG_NULL_ON_NULL", "JSON_OBJECTAGG_ABSENT_ON_NULL":
		return &jsonObjects{job: j, key: c.Args[0], val: c.Args[1], skipNulls: c.Fn.Name == "JSON_OBJECTAGG_ABSENT_ON_NULL"}, nil
	case "JSON_ARRAYAGG_NULL_ON_NULL", "JSON_ARRAYAGG_ABSENT_ON_NULL":
		return &jsonArrays{arg: arg, skipNulls: c.Fn.Name == "JSON_ARRAYAGG_ABSENT_ON_NULL"}, nil
	case "PERCENTILE":
		return &percentiles{job: j, args: c.Args, types: c.ArgTypes}, nil
	case "$WELFORD_M2$1":
		return &variances{arg: arg, t: t}, nil
	}
	return nil, unsupported.New("the aggregate function %s is not supported in batch mode", c.Fn.Name)
}

// counts is COUNT.
type counts struct {
	args []int
	ints *intSlab
	at   int
}

func (s *counts) grow() {}
func (s *counts) add(g int, row value.Row) {
	for _, a := range s.args {
		if row[a].IsNull() {
			return
		}
	}
	*s.ints.at(g, s.at)++
}
func (s *counts) addAll(groups []int32, rows []value.Row) {
	if len(s.args) > 0 {
		for i, g := range groups {
			s.add(int(g), rows[i])
		}
		return
	}
	v, stride, at := s.ints.v, s.ints.stride, s.at
	for _, g := range groups {
		v[int(g)*stride+at]++
	}
}
func (s *counts) merge(g int, from state, h int) {
	o := from.(*counts)
	*s.ints.at(g, s.at) += *o.ints.at(h, o.at)
}
func (s *counts) result(g int) value.Value { return value.Int(*s.ints.at(g, s.at)) }

// extrema is MIN and MAX: a value replaces the one before only if it is strictly
// smaller (greater) by the SQL operator, which is never so with NaN (agg.md 73).
type extrema struct {
	arg int
	t   value.Type
	max bool
	v   []value.Value
}

func (s *extrema) grow() { s.v = append(s.v, value.Null) }

func (s *extrema) offer(g int, v value.Value, owned bool) {
	if v.IsNull() {
		return
	}
	old := s.v[g]
	if !old.IsNull() {
		a, b := v, old
		if s.max {
			a, b = old, v
		}
		if !value.Less(s.t, a, b) {
			return
		}
	}
	if !owned {
		v = ownValue(v)
	}
	s.v[g] = v
}

func (s *extrema) add(g int, row value.Row)       { s.offer(g, row[s.arg], false) }
func (s *extrema) merge(g int, from state, h int) { s.offer(g, from.(*extrema).v[h], true) }
func (s *extrema) result(g int) value.Value       { return s.v[g] }

// edges is FIRST_VALUE and LAST_VALUE of the values that are not NULL, in input order.
type edges struct {
	arg  int
	last bool
	v    []value.Value
}

func (s *edges) grow() { s.v = append(s.v, value.Null) }
func (s *edges) add(g int, row value.Row) {
	if v := row[s.arg]; !v.IsNull() && (s.last || s.v[g].IsNull()) {
		s.v[g] = ownValue(v)
	}
}
func (s *edges) merge(g int, from state, h int) {
	if v := from.(*edges).v[h]; !v.IsNull() && (s.last || s.v[g].IsNull()) {
		s.v[g] = v
	}
}
func (s *edges) result(g int) value.Value { return s.v[g] }
