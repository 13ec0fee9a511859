package class

import (
	"cmp"
	"slices"

	"github.com/labgrade/labgrade/report"
)

// maxExamples bounds the examples of a code.
const maxExamples = 3

func summarize(r *Result) Summary {
	var s Summary
	at := map[string]int{}
	s.Steps = make([]StepSummary, len(r.Steps))
	for i, step := range r.Steps {
		s.Max += step.Max
		s.Steps[i].ID = step.ID
		at[step.ID] = i
	}
	codes := map[string]*CodeSummary{}
	var points []float64
	for i := range r.Submissions {
		sub := &r.Submissions[i]
		sub.Codes = (&report.Result{Checks: sub.Checks}).Codes()
		switch sub.Outcome {
		case report.Pass:
			s.Pass++
		case report.Fail:
			s.Fail++
		case report.Ungradable:
			s.Ungradable++
		case Missing:
			s.Missing++
		default:
			s.Errored++
		}
		if sub.Outcome != Missing {
			s.Submissions++
		}
		if sub.Graded() {
			points = append(points, sub.Score.Points)
		}
		for _, c := range sub.Checks {
			if j, ok := at[c.ID]; ok {
				s.Steps[j].add(c.Outcome)
			}
		}
		for _, code := range sub.Codes {
			c := codes[code]
			if c == nil {
				c = &CodeSummary{Code: code}
				codes[code] = c
			}
			c.Submissions++
			if len(c.Examples) < maxExamples {
				c.Examples = append(c.Examples, sub.ID)
			}
		}
	}
	for _, c := range codes {
		s.Codes = append(s.Codes, *c)
	}
	slices.SortFunc(s.Codes, func(a, b CodeSummary) int {
		return cmp.Or(cmp.Compare(b.Submissions, a.Submissions), cmp.Compare(a.Code, b.Code))
	})
	s.Mean, s.Median = averages(points)
	return s
}

func (s *StepSummary) add(o report.Outcome) {
	switch o {
	case report.Pass:
		s.Pass++
	case report.Fail:
		s.Fail++
	case report.Skip:
		s.Skip++
	case report.Ungradable:
		s.Ungradable++
	default:
		s.Errored++
	}
}

// averages sorts before it adds, so that the order of submissions cannot change the sum.
func averages(points []float64) (mean, median float64) {
	n := len(points)
	if n == 0 {
		return 0, 0
	}
	slices.Sort(points)
	for _, p := range points {
		mean += p
	}
	median = points[n/2]
	if n%2 == 0 {
		median = (points[n/2-1] + points[n/2]) / 2
	}
	return mean / float64(n), median
}
