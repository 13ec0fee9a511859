package phys

import (
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/value"
)

// Check gives the error with which Flink refuses to translate the aggregate functions of
// plans. It is reported by EXPLAIN as well as by running the plan.
func Check(roots []Node, batch bool) error {
	for _, n := range roots {
		if err := Check(n.Inputs(), batch); err != nil {
			return err
		}
		if a, ok := n.(*BatchAggregate); ok {
			if err := orderable(a); err != nil {
				return err
			}
		}
		_, over := n.(*OverAggregate)
		for _, calls := range aggCalls(n) {
			for i := range calls {
				if batch && over && calls[i].Distinct {
					return flinkerr.New("org.apache.calcite.tools.ValidationException", "Distinct not supported in Windowing function!")
				}
				if over && calls[i].Fn.Name == "APPROX_COUNT_DISTINCT" {
					continue
				}
				if err := checkCall(&calls[i], batch); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// orderable: batch considers sorting by the group keys, which maps have no order for.
func orderable(a *BatchAggregate) error {
	in := a.In[0].Schema()
	for _, k := range a.Keys {
		if t := in[k].Type; t.Kind == value.KindMap {
			return flinkerr.New("java.lang.UnsupportedOperationException",
				"Type(%s) is not an orderable data type, it is not supported as a ORDER_BY/GROUP_BY/JOIN_EQUAL field.", t)
		}
	}
	return nil
}

func aggCalls(n Node) [][]AggCall {
	switch n := n.(type) {
	case *GroupAggregate:
		return [][]AggCall{n.Calls}
	case *LocalGroupAggregate:
		return [][]AggCall{n.Calls}
	case *BatchAggregate:
		if !n.Merge {
			return [][]AggCall{n.Calls}
		}
	case *BatchWindowAggregate:
		if !n.Merge {
			return [][]AggCall{n.Calls}
		}
	case *WindowAggregate:
		if n.Phase != "Global" {
			return [][]AggCall{n.Calls}
		}
	case *GroupWindowAggregate:
		return [][]AggCall{n.Calls}
	case *OverAggregate:
		out := [][]AggCall{n.Calls}
		for _, g := range n.Groups {
			out = append(out, g.Calls)
		}
		return out
	}
	return nil
}

func checkCall(c *AggCall, batch bool) error {
	switch name := c.Fn.Name; name {
	case "COUNT":
		if len(c.Args) > 1 {
			return flinkerr.Table("We now only support the count of one field.")
		}
	case "APPROX_COUNT_DISTINCT":
		if !batch {
			return flinkerr.Table("APPROX_COUNT_DISTINCT aggregate function does not support yet for streaming.")
		}
	case "MIN", "MAX":
		if comparable(c.ArgTypes[0]) {
			return nil
		}
		// Flink finds it before it knows whether rows are retracted.
		return noType(map[string]string{"MIN": "Min", "MAX": "Max"}[name], c.ArgTypes[0])
	case "CUME_DIST", "PERCENT_RANK", "NTILE":
		if !batch {
			return flinkerr.Table("%s Function is not supported in stream mode.", name)
		}
	case "LEAD", "LAG":
		switch {
		case batch:
			if t := c.ArgTypes[0]; !comparable(t) || t.Kind == value.KindTimestampLTZ {
				return noType("LeadLag", t)
			}
		case name == "LEAD":
			return flinkerr.Table("LEAD Function is not supported in stream mode.")
		case c.Retract:
			return flinkerr.Table("LAG Function with retraction is not supported in stream mode.")
		default:
			return checkDefault(c)
		}
	}
	return nil
}

// checkDefault: the default of a LAG must be of the class of its first argument. Flink's
// message names the type of the offset instead.
func checkDefault(c *AggCall) error {
	types := c.ArgTypes[:len(c.Args):len(c.Args)]
	for _, l := range c.Constants {
		types = append(types, l.T)
	}
	if len(types) < 3 || types[2].Kind == value.KindNull {
		return nil
	}
	class := func(t value.Type) value.Kind {
		if t.IsCharacter() {
			return value.KindVarchar
		}
		if t.IsBinary() {
			return value.KindVarbinary
		}
		return t.Kind
	}
	if class(types[2]) != class(types[0]) {
		return flinkerr.Table("Please explicitly cast default value %s to %s.", types[2], types[1])
	}
	return nil
}

// comparable tells that MIN and MAX work on a type.
func comparable(t value.Type) bool {
	return t.IsNumeric() || t.IsCharacter() || t.IsDatetime() || t.Kind == value.KindBoolean
}

func noType(function string, t value.Type) error {
	return flinkerr.Table("%s aggregate function does not support type: ''%s''.\nPlease re-check the data type.", function, typeRoot(t))
}

// typeRoot is the name of a type in Flink's LogicalTypeRoot.
func typeRoot(t value.Type) string {
	switch t.Kind {
	case value.KindInt:
		return "INTEGER"
	case value.KindTime:
		return "TIME_WITHOUT_TIME_ZONE"
	case value.KindTimestamp:
		return "TIMESTAMP_WITHOUT_TIME_ZONE"
	case value.KindTimestampLTZ:
		return "TIMESTAMP_WITH_LOCAL_TIME_ZONE"
	case value.KindIntervalYearMonth:
		return "INTERVAL_YEAR_MONTH"
	case value.KindIntervalDayTime:
		return "INTERVAL_DAY_TIME"
	}
	return t.Kind.String()
}
