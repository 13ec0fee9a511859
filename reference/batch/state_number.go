package batch

import (
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// newSums chooses the sum for a type. SUM keeps its argument's type and integers wrap
// (agg.md 20); a DECIMAL sum has 38 digits.
func newSums(arg int, in, out value.Type, zero bool, ints *intSlab) (state, error) {
	switch in.Kind {
	case value.KindTinyInt, value.KindSmallInt, value.KindInt, value.KindBigInt:
		return &intSums{arg: arg, kind: out.Kind, zero: zero, ints: ints, at: ints.reserve(2)}, nil
	case value.KindDouble, value.KindFloat:
		return &floatSums{arg: arg, single: in.Kind == value.KindFloat, zero: zero}, nil
	case value.KindDecimal:
		return &decimalSums{arg: arg, scale: in.Scale, zero: zero}, nil
	}
	return nil, unsupported.New("SUM over this type in batch mode")
}

// intSums is SUM ($SUM0 if zero) of integers: the sum, and whether there is one.
type intSums struct {
	arg  int
	kind value.Kind
	zero bool
	ints *intSlab
	at   int
}

func (s *intSums) grow() {
	if s.zero {
		s.ints.v[len(s.ints.v)-s.ints.stride+s.at+1] = 1
	}
}

func (s *intSums) add(g int, row value.Row) {
	if v := &row[s.arg]; !v.IsNull() {
		p := s.ints.v[g*s.ints.stride+s.at:]
		p[0], p[1] = p[0]+v.Int(), 1
	}
}

func (s *intSums) addAll(groups []int32, rows []value.Row) {
	for i, g := range groups {
		s.add(int(g), rows[i])
	}
}

func (s *intSums) merge(g int, from state, h int) {
	o := from.(*intSums)
	*s.ints.at(g, s.at) += *o.ints.at(h, o.at)
	*s.ints.at(g, s.at+1) |= *o.ints.at(h, o.at+1)
}

func (s *intSums) result(g int) value.Value {
	if *s.ints.at(g, s.at+1) == 0 {
		return value.Null
	}
	return value.Int(wrap(s.kind, *s.ints.at(g, s.at)))
}

// wrap cuts a 64-bit result to the width of an integer type; cutting once at the end
// gives the same as after each addition.
func wrap(k value.Kind, n int64) int64 {
	switch k {
	case value.KindTinyInt:
		return int64(int8(n))
	case value.KindSmallInt:
		return int64(int16(n))
	case value.KindInt:
		return int64(int32(n))
	}
	return n
}

// floatSums is SUM of FLOAT (added in single precision) or DOUBLE.
type floatSums struct {
	arg    int
	single bool
	zero   bool
	f      []float64
	any    []bool
}

func (s *floatSums) grow() { s.f, s.any = append(s.f, 0), append(s.any, s.zero) }

func (s *floatSums) plus(g int, x float64) {
	switch {
	case !s.any[g]:
		s.f[g], s.any[g] = x, true // not 0 + x: that would lose the sign of -0.0
	case s.single:
		s.f[g] = float64(float32(s.f[g]) + float32(x))
	default:
		s.f[g] += x
	}
}

func (s *floatSums) add(g int, row value.Row) {
	v := row[s.arg]
	switch {
	case v.IsNull():
	case s.single:
		s.plus(g, float64(v.Float()))
	default:
		s.plus(g, v.Double())
	}
}

func (s *floatSums) merge(g int, from state, h int) {
	if o := from.(*floatSums); o.any[h] {
		s.plus(g, o.f[h])
	}
}

func (s *floatSums) result(g int) value.Value {
	switch {
	case !s.any[g]:
		return value.Null
	case s.single:
		return value.Float(float32(s.f[g]))
	}
	return value.Double(s.f[g])
}

// decimalSums is SUM of DECIMAL. A sum beyond 38 digits is NULL; SUM then starts again
// with the next value (agg.md 26), $SUM0 stays NULL.
type decimalSums struct {
	arg, scale int
	zero       bool
	v          []value.Value
}

func (s *decimalSums) grow() {
	if s.zero {
		s.v = append(s.v, value.Decimal128(0, 0))
	} else {
		s.v = append(s.v, value.Null)
	}
}

func (s *decimalSums) plus(g int, x value.Value) {
	switch {
	case x.IsNull():
		if s.zero {
			s.v[g] = x
		}
	case !s.v[g].IsNull():
		s.v[g] = value.DecimalAdd(s.v[g], s.scale, x, s.scale, 38, s.scale)
	case !s.zero:
		s.v[g] = x
	}
}

func (s *decimalSums) add(g int, row value.Row) {
	if v := row[s.arg]; !v.IsNull() {
		s.plus(g, v)
	}
}
func (s *decimalSums) merge(g int, from state, h int) { s.plus(g, from.(*decimalSums).v[h]) }
func (s *decimalSums) result(g int) value.Value       { return s.v[g] }

// averages is AVG: a sum ($SUM0 in BIGINT, DOUBLE or DECIMAL(38, s)) and a count.
type averages struct {
	arg     int
	in, out value.Type
	sums    state
	n       []int64
	row     value.Row
}

func newAverages(arg int, in, out value.Type, ints *intSlab) (state, error) {
	a := &averages{arg: arg, in: in, out: out, row: make(value.Row, 1)}
	sumType := in
	switch in.Kind {
	case value.KindFloat:
		sumType.Kind = value.KindDouble
	case value.KindTinyInt, value.KindSmallInt, value.KindInt:
		sumType.Kind = value.KindBigInt
	}
	var err error
	a.sums, err = newSums(0, sumType, sumType, true, ints)
	return a, err
}

func (s *averages) grow() {
	s.sums.grow()
	s.n = append(s.n, 0)
}

func (s *averages) add(g int, row value.Row) {
	v := row[s.arg]
	if v.IsNull() {
		return
	}
	if s.in.Kind == value.KindFloat {
		v = value.Double(float64(v.Float()))
	}
	s.n[g]++
	s.row[0] = v
	s.sums.add(g, s.row)
}

func (s *averages) merge(g int, from state, h int) {
	o := from.(*averages)
	s.n[g] += o.n[h]
	s.sums.merge(g, o.sums, h)
}

func (s *averages) result(g int) value.Value {
	sum := s.sums.result(g)
	if s.n[g] == 0 || sum.IsNull() {
		return value.Null
	}
	switch s.in.Kind {
	case value.KindDecimal:

		q, _ := value.DecimalDiv(sum, s.in.Scale, value.Decimal(value.DecOf(s.n[g])), 0, s.out.Precision, s.out.Scale)
		return q
	case value.KindDouble:
		return value.Double(sum.Double() / float64(s.n[g]))
	case value.KindFloat:
		return value.Float(float32(sum.Double() / float64(s.n[g])))
	}
	return value.Int(wrap(s.out.Kind, sum.Int()/s.n[g]))
}

// variances is $WELFORD_M2$1, the sum of squared distances from the mean.
type variances struct {
	arg      int
	t        value.Type
	n        []int64
	mean, m2 []float64
}

func (s *variances) grow() {
	s.n, s.mean, s.m2 = append(s.n, 0), append(s.mean, 0), append(s.m2, 0)
}

func (s *variances) add(g int, row value.Row) {
	v := row[s.arg]
	if v.IsNull() {
		return
	}
	x := toFloat(s.t, v)
	s.n[g]++
	d := x - s.mean[g]
	s.mean[g] += d / float64(s.n[g])
	s.m2[g] += float64(d * (x - s.mean[g]))
}

func (s *variances) merge(g int, from state, h int) {
	o := from.(*variances)
	switch {
	case o.n[h] == 0:
	case s.n[g] == 0:
		s.n[g], s.mean[g], s.m2[g] = o.n[h], o.mean[h], o.m2[h]
	default:
		n := s.n[g] + o.n[h]
		d := o.mean[h] - s.mean[g]
		s.m2[g] = s.m2[g] + o.m2[h] + float64(float64(s.n[g])*float64(o.n[h])/float64(n)*d*d)
		s.mean[g] += float64(float64(o.n[h]) / float64(n) * d)
		s.n[g] = n
	}
}

func (s *variances) result(g int) value.Value {
	if s.n[g] == 0 || s.m2[g] < 0 {
		return value.Null
	}
	return value.Double(s.m2[g])
}

func toFloat(t value.Type, v value.Value) float64 {
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
