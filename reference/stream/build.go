package stream

import (
	"fmt"
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// build makes the operators of a plan, which push their rows to next, and returns what
// drives them.
func (j *job) build(n phys.Node, next operator) (driver, error) {
	if l := j.rt.Lineage; l != nil {
		if watched, ok := l.in[n]; ok {
			next = watched(next)
		}
		next = l.around(n, next)
	}
	if j.rt.Order == nil {
		return j.buildNode(n, next)
	}
	_, match := n.(*phys.Match)
	j.pathOnly = j.pathOnly || match
	j.parts = append(j.parts, next)
	d, err := j.buildNode(n, next)
	j.parts = append(j.parts, d)
	return d, err
}

func (j *job) buildNode(n phys.Node, next operator) (driver, error) {
	switch n := n.(type) {
	case *phys.TableSourceScan:
		return j.newScan(n, next)
	case *phys.Values:
		return &valuesDriver{job: j, rows: n.Rows, next: next}, nil
	case *phys.Union:
		return j.newUnion(n, next)
	case *phys.Join:
		return j.newJoin(n, next)
	case *phys.IntervalJoin:
		return j.newIntervalJoin(n, next)
	case *phys.TemporalJoin:
		return j.newTemporalJoin(n, next)
	case *phys.WindowJoin:
		return j.newWindowJoin(n, next)
	case *phys.WindowAggregate:
		op, in, err := j.newWindowAggregate(n, next)
		if err != nil {
			return nil, err
		}
		return j.build(in, op)
	case *phys.GlobalGroupAggregate:
		local, in, err := j.newGlobalAggregate(n, next)
		if err != nil {
			return nil, err
		}
		return j.build(in, local)
	}
	op, err := j.oneInput(n, next)
	if err != nil {
		return nil, err
	}
	if len(n.Inputs()) != 1 {
		return nil, fmt.Errorf("%T has %d inputs, not 1", n, len(n.Inputs()))
	}
	return j.build(n.Inputs()[0], op)
}

// oneInput makes the operator of a node with one input.
func (j *job) oneInput(n phys.Node, next operator) (operator, error) {
	switch n := n.(type) {
	case *phys.Exchange:
		return next, nil
	case *phys.Sink:
		return j.newSink(n, next)
	case *phys.Calc:
		return j.newCalc(n, next)
	case *phys.Expand:
		return j.newExpand(n, next)
	case *phys.DropUpdateBefore:
		return &dropUpdateBefore{forward{next}}, nil
	case *phys.WatermarkAssigner:
		return j.newWatermarkAssigner(n, next)
	case *phys.Match:
		return j.newMatch(n, next)
	case *phys.Sort:
		return j.newTemporalSort(n, next)
	case *phys.ChangelogNormalize:
		return j.newNormalize(n, next)
	case *phys.Correlate:
		return j.newCorrelate(n, next)
	case *phys.OverAggregate:
		return j.newOver(n, next)
	case *phys.WindowRank:
		return j.newWindowRank(n, next)
	case *phys.WindowDeduplicate:
		return j.newWindowDeduplicate(n, next)
	case *phys.WindowTableFunction:
		return j.newWindowTableFunction(n, next)
	case *phys.GroupWindowAggregate:
		return j.newGroupWindowAggregate(n, next)
	case *phys.MiniBatchAssigner:
		return j.newMiniBatchAssigner(n, next)
	case *phys.GroupAggregate:
		if n.MiniBatch {
			return j.newMiniBatchAggregate(n, next)
		}
		return j.newGroupAggregate(n, next)
	case *phys.Rank:
		return j.newRank(n, next)
	case *phys.Deduplicate:
		return j.newDeduplicate(n, next)
	case *phys.SortLimit:
		return j.newSortLimit(n, next)
	case *phys.Limit:
		return j.newLimit(n, next)
	case *phys.ProcessTableFunction:
		return j.newChangelogFunction(n, next)
	}
	return nil, unsupported.New("the streaming evaluator does not run %s", nodeName(n))
}

func nodeName(n phys.Node) string {
	return strings.TrimPrefix(fmt.Sprintf("%T", n), "*phys.")
}

// insertOnly reports whether the node's rows are all +I.
func insertOnly(n phys.Node) bool { return !n.Mode().Updating() }

// wantsUpdateBefore reports whether the node's consumers want -U rows.
func wantsUpdateBefore(n phys.Node) bool { return n.Mode().Has(changelog.ModeUB) }
