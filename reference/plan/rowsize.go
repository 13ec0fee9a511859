package plan

import (
	"unicode/utf16"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// columnSizes are the average sizes in bytes that Flink's planner gives the columns of a
// calc: FlinkRelMdSize.averageColumnSizes, without statistics of columns.
func (b *builder) columnSizes(c *calc) []float64 {
	in := b.nodeSizes(c.in)
	out := make([]float64, len(c.exprs))
	for i, e := range c.exprs {
		out[i] = expressionSize(e, in)
	}
	return out
}

func (b *builder) nodeSizes(n node) []float64 {
	switch n := n.(type) {
	case *aggNode:
		return append(pickSizes(b.columnSizes(n.in), n.keys), typeSizes(n.fields[len(n.keys):])...)
	case *joinNode:
		out := append([]float64(nil), b.columnSizes(n.left)...)
		if n.semi() {
			return out
		}
		return append(out, b.columnSizes(n.right)...)
	case *sortNode:
		return b.columnSizes(n.in)
	case *overNode:
		in := b.columnSizes(n.in)
		return append(append([]float64(nil), in...), typeSizes(n.fields[len(in):])...)
	case *rankNode:
		in := b.columnSizes(n.in)
		return append(append([]float64(nil), in...), typeSizes(n.fields[len(in):])...)
	case *unionNode:
		out := make([]float64, len(n.fields))
		for _, in := range n.in {
			for i, s := range b.columnSizes(in) {
				out[i] += s / float64(len(n.in))
			}
		}
		return out
	case *valuesNode:
		out := typeSizes(n.fields)
		for i := range out {
			if len(n.rows) == 0 {
				break
			}
			sum := 0.0
			for _, r := range n.rows {
				sum += literalSize(r[i])
			}
			out[i] = sum / float64(len(n.rows))
		}
		return out
	}
	return typeSizes(n.schema())
}

func pickSizes(sizes []float64, columns []int) []float64 {
	out := make([]float64, len(columns))
	for i, c := range columns {
		out[i] = sizes[c]
	}
	return out
}

func typeSizes(fields []value.Field) []float64 {
	out := make([]float64, len(fields))
	for i, f := range fields {
		out[i] = averageSize(f.Type)
	}
	return out
}

// expressionSize: a call is as wide as its first operand of the same type.
func expressionSize(e rex.Expr, in []float64) float64 {
	switch e := e.(type) {
	case *rex.InputRef:
		return in[e.Index]
	case *rex.Literal:
		return literalSize(e)
	case *rex.Call:
		for _, a := range e.Args {
			if a.Type().Kind == e.T.Kind {
				return expressionSize(a, in)
			}
		}
	}
	return averageSize(e.Type())
}

func literalSize(l *rex.Literal) float64 {
	if l.V.IsNull() {
		return 1
	}
	switch l.T.Kind {
	case value.KindChar, value.KindVarchar:
		return float64(2 * len(utf16.Encode([]rune(l.V.Str()))))
	}
	return averageSize(l.T)
}

// rowSize is the average size of a row: mq.getAverageRowSize.
func rowSize(sizes []float64) float64 {
	sum := 0.0
	for _, s := range sizes {
		sum += s
	}
	return sum
}

// binarySize is the size of a row in Flink's binary format: FlinkRelMdUtil.binaryRowAverageSize.
func binarySize(fields []value.Field, sizes []float64) float64 {
	w := 8 * float64((len(fields)+63+8)/64)
	for i, f := range fields {
		w += 8
		if !fixedPart(f.Type) {
			w += sizes[i]
		}
	}
	return w
}
