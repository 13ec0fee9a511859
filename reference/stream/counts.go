package stream

import (
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// countsDecide reports whether the state of a plan depends only on how many elements its one
// merge has taken of each input, not on their order. That holds for a regular join, whose
// sides keep their rows by themselves, and for UNION ALL; and above them for what keeps
// nothing or only sums up. Where it holds the state need not be read.
func countsDecide(n phys.Node) bool {
	for {
		switch x := n.(type) {
		case *phys.Calc, *phys.Exchange, *phys.DropUpdateBefore:
		case *phys.Sink:
			if x.Materialize {
				return false
			}
		case *phys.GroupAggregate:
			if x.MiniBatch || !commute(x.Calls) {
				return false
			}
		case *phys.Join:
			// A row that takes the place of another one under its unique key leaves the
			// counts of matches on the other side as they are, which then tell of the order.
			plain := x.LeftSpec == "NoUniqueKey" && x.RightSpec == "NoUniqueKey"
			return (x.JoinType == "InnerJoin" || plain) && oneLeaf(x)
		case *phys.Union:
			return oneLeaf(x)
		default:
			return false
		}
		if len(n.Inputs()) != 1 {
			return false
		}
		n = n.Inputs()[0]
	}
}

// oneLeaf: no input of a merge has a merge of its own.
func oneLeaf(merge phys.Node) bool {
	for _, in := range merge.Inputs() {
		for len(in.Inputs()) > 0 {
			if len(in.Inputs()) > 1 {
				return false
			}
			in = in.Inputs()[0]
		}
	}
	return true
}

// commute reports whether the accumulators of calls are the same in every order of their rows.
func commute(calls []phys.AggCall) bool {
	for _, c := range calls {
		if c.Distinct {
			return false
		}
		switch c.Fn.Name {
		case "COUNT":
			continue
		case "SUM", "$SUM0", "AVG", "MIN", "MAX":
		default:
			return false
		}
		switch c.ArgTypes[0].Kind {
		case value.KindTinyInt, value.KindSmallInt, value.KindInt, value.KindBigInt, value.KindDecimal, value.KindDate, value.KindTime, value.KindTimestamp:
		default:
			return false // sums of floating point numbers depend on their order
		}
	}
	return true
}
