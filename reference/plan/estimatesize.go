package plan

import (
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// sizes are the average sizes in bytes of a node's columns: FlinkRelMdSize.averageColumnSizes.
// What it does not know it sizes by type.
func (e *estimates) sizes(n phys.Node) []float64 {
	in := func() []float64 { return e.sizes(n.Inputs()[0]) }
	switch n := n.(type) {
	case *phys.Values:
		return e.b.nodeSizes(&valuesNode{rows: n.Literals, fields: n.Fields})
	case *phys.Calc:
		below := in()
		out := make([]float64, len(n.Exprs))
		for i, x := range n.Exprs {
			out[i] = expressionSize(x, below)
		}
		return out
	case *phys.Exchange, *phys.Sort, *phys.SortLimit, *phys.Limit:
		return in()
	case *phys.Expand:
		return expandSizes(n, in())
	case *phys.Rank:
		out := append([]float64(nil), in()...)
		if n.OutputRank {
			out = append(out, averageSize(n.Fields[len(n.Fields)-1].Type))
		}
		return out
	case *phys.OverAggregate:
		if e.cfg.Batch {
			below := in()
			return append(append([]float64(nil), below...), typeSizes(n.Fields[len(below):])...)
		}
	case *phys.BatchAggregate:
		keys := append(append([]int(nil), n.Keys...), n.AuxKeys...)
		return append(pickSizes(in(), keys), typeSizes(e.columns(n)[len(keys):])...)
	case *phys.BatchWindowAggregate:
		return append(pickSizes(in(), n.Keys), typeSizes(e.columns(n)[len(n.Keys):])...)
	case *phys.Join, *phys.IntervalJoin, *phys.TemporalJoin, *phys.WindowJoin:
		out := append([]float64(nil), in()...)
		if len(n.Schema()) > len(out) {
			out = append(out, e.sizes(n.Inputs()[1])...)
		}
		return out
	case *phys.Union:
		out := make([]float64, len(n.Fields))
		for _, x := range n.In {
			for i, s := range e.sizes(x) {
				out[i] += s
			}
		}
		for i := range out {
			out[i] /= float64(len(n.In))
		}
		return out
	}
	return typeSizes(e.columns(n))
}

// expandSizes: a column has the size of the input's column that it shows, if it shows one alone.
func expandSizes(n *phys.Expand, in []float64) []float64 {
	out := typeSizes(n.Fields)
	for i := range out {
		if i == n.ExpandCol {
			continue
		}
		var at *rex.InputRef
		differ := false
		for _, p := range n.Projects {
			if r, ok := p[i].(*rex.InputRef); ok {
				differ = differ || at != nil && at.Index != r.Index
				at = r
			}
		}
		switch {
		case differ:
		case at != nil:
			out[i] = in[at.Index]
		default:
			out[i] = 1
			for _, p := range n.Projects {
				if l, ok := p[i].(*rex.Literal); ok && !l.V.IsNull() {
					out[i] = literalSize(l)
					break
				}
			}
		}
	}
	return out
}

// columns are a node's columns with the types that Flink gives to buffers between the phases
// of aggregates.
func (e *estimates) columns(n phys.Node) []value.Field {
	switch n := n.(type) {
	case *phys.BatchAggregate:
		if n.Local {
			keys := len(n.Keys) + len(n.AuxKeys)
			return append(append([]value.Field(nil), n.Fields[:keys]...), e.bufferFields(n.Calls)...)
		}
	case *phys.LocalGroupAggregate:
		return append(append([]value.Field(nil), n.Fields[:len(n.Keys)]...), e.bufferFields(n.Calls)...)
	case *phys.WindowAggregate:
		if n.Phase == "Local" {
			f := append(append([]value.Field(nil), n.Fields[:len(n.Keys)]...), e.bufferFields(n.Calls)...)
			return append(f, n.Fields[len(n.Fields)-1])
		}
	case *phys.BatchWindowAggregate:
		if n.Local {
			f := append([]value.Field(nil), n.Fields[:len(n.Keys)]...)
			f = append(f, value.Field{Type: value.TBigInt}) // the start of the slice
			return append(f, e.bufferFields(n.Calls)...)
		}
	}
	return n.Schema()
}

func (e *estimates) bufferFields(calls []phys.AggCall) []value.Field {
	var out []value.Field
	add := func(t ...value.Type) {
		for _, t := range t {
			out = append(out, value.Field{Type: t})
		}
	}
	for _, c := range calls {
		if !e.cfg.Batch && (c.Distinct || c.Retract) {
			e.refuse("a DISTINCT or retracting aggregate in two phases")
		}
		switch c.Fn.Name {
		case "COUNT":
			add(value.TBigInt)
		case "SUM", "$SUM0", "MIN", "MAX":
			add(c.T)
		case "AVG":
			switch t := c.ArgTypes[0]; {
			case t.Kind == value.KindDecimal:
				add(value.DecimalType(38, t.Scale), value.TBigInt)
			case t.Kind == value.KindFloat || t.Kind == value.KindDouble:
				add(value.TDouble, value.TBigInt)
			default:
				add(value.TBigInt, value.TBigInt)
			}
		case "LISTAGG":
			add(value.TString, value.TString)
		default:
			e.refuse("%s in two phases", c.Fn.Name)
			for range max(1, len(phys.Buffer(c))) {
				add(c.T)
			}
		}
	}
	return out
}

func (e *estimates) rowBytes(n phys.Node) float64 { return rowSize(e.sizes(n)) }

// binaryBytes is FlinkRelMdUtil.binaryRowAverageSize.
func (e *estimates) binaryBytes(n phys.Node) float64 {
	sizes := e.sizes(n)
	w := 0.0
	for i, f := range e.columns(n) {
		if fixedPart(f.Type) {
			w += 8
		} else {
			w += sizes[i] + 8
		}
	}
	return w + 8*float64((len(sizes)+63+8)/64)
}
