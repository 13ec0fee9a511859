package batch

import (
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/value"
)

// percentiles is PERCENTILE: args are the value, the percentage or percentages, and maybe
// how often the value counts.
type percentiles struct {
	job   *job
	args  []int
	types []value.Type
	v     []*fn.Percentiles
}

func (s *percentiles) grow() { s.v = append(s.v, &fn.Percentiles{}) }

func (s *percentiles) add(g int, row value.Row) {
	if err := s.v[g].Open(row[s.args[1]], s.types[1]); err != nil {
		s.job.ctx.Fail(err)
		return
	}
	n := int64(1)
	if len(s.args) > 2 {
		n = 0
		if v := row[s.args[2]]; !v.IsNull() {
			n = v.Int()
		}
	}
	if n > 0 {
		s.v[g].Add(row[s.args[0]], s.types[0], n)
	}
}

func (s *percentiles) merge(g int, from state, h int) { s.v[g].Merge(from.(*percentiles).v[h]) }

func (s *percentiles) result(g int) value.Value { return s.v[g].Result() }
