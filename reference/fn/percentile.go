package fn

import (
	"cmp"
	"math"
	"slices"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/value"
)

// Percentiles are the values of PERCENTILE's group with their numbers, as Flink keeps them:
// equal doubles together, -0.0 apart from 0.0.
type Percentiles struct {
	Counts map[uint64]int64
	// Shares are the percentages of the first row; nil without one.
	Shares []float64
	many   bool
}

// Open keeps the percentages of the group's first row.
func (p *Percentiles) Open(v value.Value, t value.Type) error {
	if p.Shares != nil {
		return nil
	}
	shares := []float64{}
	if p.many = t.Kind == value.KindArray; p.many {
		read := toFloat(*t.Elem)
		for _, e := range v.Composite().Elems {
			shares = append(shares, read(e))
		}
	} else {
		shares = append(shares, toFloat(t)(v))
	}
	for _, s := range shares {
		if s < 0 || s > 1 {
			return flinkerr.Runtime("java.lang.IllegalArgumentException", "Percentage of PERCENTILE should be between [0.0, 1.0], but was '%s'.", value.AppendDouble(nil, s))
		}
	}
	p.Shares = shares
	return nil
}

// Add counts a value n times; n is negative where it is taken back. NULL does not count.
func (p *Percentiles) Add(v value.Value, t value.Type, n int64) {
	if v.IsNull() {
		return
	}
	if p.Counts == nil {
		p.Counts = map[uint64]int64{}
	}
	f := toFloat(t)(v)
	if math.IsNaN(f) {
		f = math.NaN()
	}
	key := math.Float64bits(f)
	if p.Counts[key] += n; p.Counts[key] == 0 {
		delete(p.Counts, key)
	}
}

// Merge adds another group.
func (p *Percentiles) Merge(o *Percentiles) {
	if p.Shares == nil {
		p.Shares, p.many = o.Shares, o.many
	}
	for k, n := range o.Counts {
		if p.Counts == nil {
			p.Counts = map[uint64]int64{}
		}
		if p.Counts[k] += n; p.Counts[k] == 0 {
			delete(p.Counts, k)
		}
	}
}

// Result interpolates between the two values next to each share.
func (p *Percentiles) Result() value.Value {
	var keys []float64
	total := int64(0)
	for k, n := range p.Counts {
		keys = append(keys, math.Float64frombits(k))
		total += n
	}
	if len(p.Shares) == 0 || total <= 0 {
		return value.Null
	}
	slices.SortFunc(keys, totalFloatOrder)
	order := make([]int, len(p.Shares))
	for i := range order {
		order[i] = i
	}
	position := func(i int) float64 { return p.Shares[i]*float64(total-1) + 1 }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(position(a), position(b)) })
	count := func(i int) int64 { return p.Counts[math.Float64bits(keys[i])] }
	out := make([]value.Value, len(p.Shares))
	seen, at := count(0), 0
	for _, i := range order {
		pos := position(i)
		lower, higher := int64(math.Floor(pos)), int64(math.Ceil(pos))
		for seen < lower {
			at++
			seen += count(at)
		}
		if seen >= higher {
			out[i] = value.Double(keys[at])
			continue
		}
		below, above := (float64(higher)-pos)*keys[at], (pos-float64(lower))*keys[at+1]
		out[i] = value.Double(below + above)
	}
	if p.many {
		return value.Array(out)
	}
	return out[0]
}
