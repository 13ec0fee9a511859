package stream

import (
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// percentile is PERCENTILE(value, percentage [, frequency]). The percentages are those of
// the first row that is added; rows without a positive frequency do not count.
type percentile struct {
	job       *job
	args      []int
	types     []value.Type
	frequency int
}

func newPercentile(j *job, c *phys.AggCall) *percentile {
	p := &percentile{job: j, args: c.Args, types: c.ArgTypes, frequency: -1}
	if len(c.Args) > 2 {
		p.frequency = c.Args[2]
	}
	return p
}

func (f *percentile) init(a *acc) { a.ext = &fn.Percentiles{} }

func (f *percentile) times(row value.Row) int64 {
	if f.frequency < 0 {
		return 1
	}
	if v := row[f.frequency]; !v.IsNull() {
		return max(v.Int(), 0)
	}
	return 0
}

func (f *percentile) add(a *acc, row value.Row) {
	p := a.ext.(*fn.Percentiles)
	if err := p.Open(row[f.args[1]], f.types[1]); err != nil {
		f.job.ctx.Fail(err)
		return
	}
	if n := f.times(row); n > 0 {
		p.Add(row[f.args[0]], f.types[0], n)
	}
}

func (f *percentile) retract(a *acc, row value.Row) {
	if n := f.times(row); n > 0 {
		a.ext.(*fn.Percentiles).Add(row[f.args[0]], f.types[0], -n)
	}
}

func (f *percentile) merge(a, b *acc) { a.ext.(*fn.Percentiles).Merge(b.ext.(*fn.Percentiles)) }

func (f *percentile) result(a *acc) value.Value { return a.ext.(*fn.Percentiles).Result() }
