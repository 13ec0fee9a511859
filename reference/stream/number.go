package stream

import "github.com/labgrade/labgrade/value"

// number is arithmetic in the accumulator type of SUM and AVG.
type number struct {
	// in is the argument's type, sum the accumulator's.
	in, sum value.Type
}

func newNumber(in, sum value.Type) number { return number{in, sum} }

// convert brings an argument to the accumulator type. The scale of a DECIMAL sum is
// its argument's (agg.md 20).
func (n *number) convert(v value.Value) value.Value {
	if n.sum.Kind == value.KindDouble && n.in.Kind == value.KindFloat {
		return value.Double(float64(v.Float()))
	}
	return v
}

func (n *number) zero() value.Value {
	switch n.sum.Kind {
	case value.KindDouble:
		return value.Double(0)
	case value.KindFloat:
		return value.Float(0)
	case value.KindDecimal:
		return value.Decimal128(0, 0)
	}
	return value.Int(0)
}

// add is a + b, or a - b if minus. Integers wrap silently at the width of the type
// (agg.md 20), FLOAT is added in single precision, DECIMAL beyond 38 digits is NULL
// (agg.md 26).
func (n *number) add(a, b value.Value, minus bool) value.Value {
	switch n.sum.Kind {
	case value.KindDouble:
		if minus {
			return value.Double(a.Double() - b.Double())
		}
		return value.Double(a.Double() + b.Double())
	case value.KindFloat:
		if minus {
			return value.Float(a.Float() - b.Float())
		}
		return value.Float(a.Float() + b.Float())
	case value.KindDecimal:
		if minus {
			return value.DecimalSub(a, n.sum.Scale, b, n.sum.Scale, 38, n.sum.Scale)
		}
		return value.DecimalAdd(a, n.sum.Scale, b, n.sum.Scale, 38, n.sum.Scale)
	}
	x := a.Int() + b.Int()
	if minus {
		x = a.Int() - b.Int()
	}
	switch n.sum.Kind {
	case value.KindTinyInt:
		x = int64(int8(x))
	case value.KindSmallInt:
		x = int64(int16(x))
	case value.KindInt:
		x = int64(int32(x))
	}
	return value.Int(x)
}

// numberFloat reads any number as a double, as Java's Number.doubleValue does.
func numberFloat(t *value.Type, v value.Value) float64 {
	switch t.Kind {
	case value.KindDouble:
		return v.Double()
	case value.KindFloat:
		return float64(v.Float())
	case value.KindDecimal:
		return value.DecimalToDouble(v.Dec(), t.Scale)
	}
	return float64(v.Int())
}
