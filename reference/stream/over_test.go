package stream_test

import (
	"testing"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/value"
)

var readings = []value.Field{
	field("reading_id", tInt), field("sensor", tString), field("temp", tDouble), field("ts", tTime),
}

func overPlan(in phys.Node, rows bool, partition []int, key int, calls ...phys.AggCall) *phys.OverAggregate {
	o := &phys.OverAggregate{
		Base: over(in, changelog.InsertOnly, in.Schema()...), PartitionBy: partition, Rows: rows, Calls: calls,
		Keys: []phys.SortKey{{Column: key}}, Lower: rex.Bound{Kind: "UNBOUNDED PRECEDING"}, Upper: rex.Bound{Kind: "CURRENT ROW"},
	}
	for _, c := range calls {
		o.Fields = append(o.Fields[:len(o.Fields):len(o.Fields)], field(c.Fn.Name, c.T))
	}
	return o
}

func onTemp(name string, t value.Type) phys.AggCall {
	c := call(name, t, 2)
	c.ArgTypes[0] = tDouble
	return c
}

func TestOverByRowtime(t *testing.T) {
	distinct := onTemp("COUNT", tBigint)
	distinct.Distinct = true
	sensor := []int{1}
	for _, c := range []struct {
		name      string
		rows      bool
		partition []int
		calls     []phys.AggCall
	}{
		{"over-range-unbounded-event-time", false, sensor, []phys.AggCall{onTemp("SUM", tDouble)}},
		{"over-rows-unbounded-event-time", true, sensor, []phys.AggCall{call("COUNT", tBigint), onTemp("MAX", tDouble)}},
		{"over-rank-event-time", false, sensor, []phys.AggCall{call("RANK", tBigint)}},
		{"over-lag-one-event-time", false, sensor, []phys.AggCall{onTemp("LAG", tDouble)}},
		{"over-no-partition-event-time", false, nil, []phys.AggCall{call("COUNT", tBigint)}},
		{"over-distinct-count-event-time", false, sensor, []phys.AggCall{distinct}},
	} {
		scan := &phys.TableSourceScan{Base: phys.Base{Fields: readings, Produce: changelog.InsertOnly}, Limit: -1}
		plan := overPlan(watermarked(scan, 3, 10000), c.rows, c.partition, 3, c.calls...)
		rows := loadCSV(t, window+c.name+"/readings.csv", readings)
		got := printed(t, plan, stream.Runtime{}, map[*phys.TableSourceScan][]change{scan: rows})
		compareLog(t, c.name, oneDecimal(got), oneDecimal(recorded(t, window+c.name+"/stream.txt")))
	}
}

func TestOverByPlainColumn(t *testing.T) {
	fields := append([]value.Field{}, readings...)
	fields[3].Type = tStamp
	scan := &phys.TableSourceScan{Base: phys.Base{Fields: fields, Produce: changelog.InsertOnly}, Limit: -1}
	src := map[*phys.TableSourceScan][]change{scan: loadCSV(t, window+"over-plain-row-number/readings.csv", readings)}
	plan := overPlan(scan, true, []int{1}, 3, call("ROW_NUMBER", tBigint))
	compareLog(t, "over-plain-row-number", oneDecimal(printed(t, plan, stream.Runtime{}, src)),
		oneDecimal(recorded(t, window+"over-plain-row-number/stream.txt")))

	count := groupBy(scan, changelog.Retract, 1, call("COUNT", tBigint))
	sum := overPlan(count, false, nil, 0, call("SUM", tBigint, 1))
	sum.Calls[0].ArgTypes[0] = tBigint
	src[scan] = loadCSV(t, window+"over-on-updating-input/readings.csv", readings)
	compareLog(t, "over-on-updating-input", printed(t, sum, stream.Runtime{}, src), recorded(t, window+"over-on-updating-input/stream.txt"))
}
