package stream

import (
	"slices"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// temporalSort is ORDER BY rowtime, and more: rows wait for the watermark to reach their
// time, and those of one time come out by the remaining keys, ties by arrival. Late is
// what is not newer than the last time that came out (window.md 47).
type temporalSort struct {
	next   operator
	job    *job
	time   int
	order  *rowComparator // nil without further keys
	timers *timers
	rows   map[int64][]value.Row
	last   int64
	any    bool
}

func (j *job) newTemporalSort(n *phys.Sort, next operator) (operator, error) {
	if len(n.Keys) == 0 || n.Keys[0].Desc {
		return nil, flinkerr.Table("Sort on a non-time-attribute field is not supported.")
	}
	in := n.In[0].Schema()
	switch in[n.Keys[0].Column].Type.Time {
	case value.Rowtime:
	case value.Proctime:
		if len(n.Keys) == 1 {
			return next, nil // rows arrive in the order of processing time
		}
		fallthrough
	default:
		return nil, flinkerr.Table("Sort on a non-time-attribute field is not supported.")
	}
	s := &temporalSort{next: next, job: j, time: n.Keys[0].Column, timers: newTimers(), rows: map[int64][]value.Row{}}
	if len(n.Keys) > 1 {
		s.order = newRowComparator(n.Keys[1:], in)
	}
	return s, nil
}

func (s *temporalSort) row(_ changelog.RowKind, row value.Row) error {
	t := row[s.time].Millis()
	if s.any && t <= s.last {
		return nil
	}
	if s.rows[t] == nil {
		s.timers.add(timer{at: t})
	}
	s.rows[t] = append(s.rows[t], keepRow(row))
	return nil
}

func (s *temporalSort) watermark(w int64) error {
	for {
		t, ok := s.timers.due(w)
		if !ok {
			return s.next.watermark(w)
		}
		rows := s.rows[t.at]
		delete(s.rows, t.at)
		if s.order != nil {
			slices.SortStableFunc(rows, s.order.compare)
		}
		s.job.byWatermark(w)
		for _, r := range rows {
			if err := s.next.row(changelog.Insert, r); err != nil {
				return err
			}
		}
		s.last, s.any = t.at, true
	}
}

func (s *temporalSort) end() error { return s.next.end() }
