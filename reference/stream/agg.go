package stream

import (
	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// acc is the accumulator of one aggregate call for one group. Numbers live in n and v;
// functions that must remember values hang their collection on ext.
type acc struct {
	n   int64
	v   value.Value
	ext any
}

// aggFunc is an aggregate function. A function keeps no state of its own besides
// scratch space, so that one aggFunc serves all groups.
type aggFunc interface {
	// init gives the accumulator of a new group.
	init(a *acc)
	add(a *acc, row value.Row)
	// retract takes a row back. A function that is planned without retraction ignores it.
	retract(a *acc, row value.Row)
	// merge adds the accumulator of a bundle or slice to a, and leaves b as it is: the
	// slices of HOP windows are merged several times.
	merge(a, b *acc)
	result(a *acc) value.Value
}

// aggCalls evaluates the calls of one aggregate node.
type aggCalls struct {
	job   *job
	funcs []aggFunc
	// filter[i] is the column of FILTER, or -1.
	filter []int
}

func (j *job) newAggCalls(calls []phys.AggCall) (*aggCalls, error) {
	s := &aggCalls{job: j}
	for i := range calls {
		c := &calls[i]
		f, err := j.newAggFunc(c)
		if err != nil {
			return nil, err
		}
		if c.Distinct {
			f = newDistinct(c, f)
		}
		s.funcs = append(s.funcs, f)
		s.filter = append(s.filter, c.Filter)
	}
	return s, nil
}

func (s *aggCalls) newAccs() []acc {
	a := make([]acc, len(s.funcs))
	for i, f := range s.funcs {
		f.init(&a[i])
	}
	return a
}

// update accumulates a row with kind +I or +U and retracts one with -U or -D. FILTER
// takes a row only if the condition is TRUE (agg.md 10).
func (s *aggCalls) update(a []acc, kind changelog.RowKind, row value.Row) error {
	adds := kind.Adds()
	for i, f := range s.funcs {
		if c := s.filter[i]; c >= 0 && (row[c].IsNull() || !row[c].Bool()) {
			continue
		}
		if adds {
			f.add(&a[i], row)
		} else {
			f.retract(&a[i], row)
		}
	}
	return s.job.ctx.Err
}

func (s *aggCalls) merge(a, b []acc) error {
	for i, f := range s.funcs {
		f.merge(&a[i], &b[i])
	}
	return s.job.ctx.Err
}

// results writes the values of the calls to dst.
func (s *aggCalls) results(dst value.Row, a []acc) error {
	for i, f := range s.funcs {
		dst[i] = f.result(&a[i])
	}
	return s.job.ctx.Err
}

// newAggFunc gives the function of a call. Names are those that EXPLAIN prints,
// without _RETRACT.
func (j *job) newAggFunc(c *phys.AggCall) (aggFunc, error) {
	arg := -1
	var t value.Type
	if len(c.Args) > 0 {
		arg, t = c.Args[0], c.ArgTypes[0]
	}
	switch c.Fn.Name {
	case "COUNT":
		return &count{args: c.Args}, nil
	case "SUM":
		return &sum{arg: arg, num: newNumber(t, c.T), retracts: c.Retract}, nil
	case "$SUM0":
		return &sum0{arg: arg, num: newNumber(t, c.T)}, nil
	case "AVG":
		return &avg{arg: arg, in: t, num: newNumber(t, avgSumType(t)), out: c.T}, nil
	case "MIN", "MAX":
		if c.Retract {
			return &extremumRetract{arg: arg, t: t, max: c.Fn.Name == "MAX"}, nil
		}
		return &extremum{arg: arg, t: t, max: c.Fn.Name == "MAX"}, nil
	case "FIRST_VALUE", "LAST_VALUE":
		last := c.Fn.Name == "LAST_VALUE"
		if c.Retract {
			return &edgeValueRetract{arg: arg, t: t, last: last}, nil
		}
		return &edgeValue{arg: arg, last: last}, nil
	case "ROW_NUMBER", "RANK", "DENSE_RANK":
		// Streaming plans give RANK and DENSE_RANK no order keys, so that no two rows are
		// ever of one rank (window.md 40).
		return &count{}, nil
	case "LAG":
		return newLag(arg, c)
	case "SINGLE_VALUE":
		return &singleValue{job: j, arg: arg}, nil
	case "LISTAGG":
		sep := -1
		if len(c.Args) > 1 {
			sep = c.Args[1]
		}
		delim := ","
		if len(c.Constants) > 0 {
			delim = c.Constants[0].V.Str()
		}
		return &listAgg{arg: arg, sep: sep, delim: delim}, nil
	case "ARRAY_AGG":
		return &arrayAgg{arg: arg, t: t, ignoreNulls: c.IgnoreNulls}, nil
	case "COLLECT":
		return &collect{arg: arg, t: t}, nil
	case "JSON_OBJECTAGG_NULL_ON_NULL", "JSON_OBJECTAGG_ABSENT_ON_NULL":
		return &jsonObjectAgg{job: j, key: c.Args[0], val: c.Args[1], skipNulls: c.Fn.Name == "JSON_OBJECTAGG_ABSENT_ON_NULL"}, nil
	case "JSON_ARRAYAGG_NULL_ON_NULL", "JSON_ARRAYAGG_ABSENT_ON_NULL":
		return &jsonArrayAgg{arg: arg, skipNulls: c.Fn.Name == "JSON_ARRAYAGG_ABSENT_ON_NULL"}, nil
	case "PERCENTILE":
		return newPercentile(j, c), nil
	case "$WELFORD_M2$1":
		return &welfordM2{arg: arg, t: t}, nil
	}
	return nil, unsupported.New("the aggregate function %s is not supported in streaming", c.Fn.Name)
}
