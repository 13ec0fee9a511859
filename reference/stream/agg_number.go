package stream

import "github.com/labgrade/labgrade/value"

// count is COUNT(*), or COUNT(x) of the rows in which no argument is NULL.
type count struct{ args []int }

func (f *count) counts(row value.Row) bool {
	for _, c := range f.args {
		if row[c].IsNull() {
			return false
		}
	}
	return true
}

func (f *count) init(*acc) {}
func (f *count) add(a *acc, row value.Row) {
	if f.counts(row) {
		a.n++
	}
}
func (f *count) retract(a *acc, row value.Row) {
	if f.counts(row) {
		a.n--
	}
}
func (f *count) merge(a, b *acc)           { a.n += b.n }
func (f *count) result(a *acc) value.Value { return value.Int(a.n) }

// sum is SUM: NULL until the first value that is not NULL, and with retraction NULL
// again when as many values were taken back as were added. The sum itself is never
// reset, so the residue of floating numbers stays (agg.md 24, 25).
type sum struct {
	arg      int
	num      number
	retracts bool
}

func (f *sum) init(*acc) {}
func (f *sum) add(a *acc, row value.Row) {
	v := row[f.arg]
	if v.IsNull() {
		return
	}
	if f.retracts {
		a.n++
	}
	v = f.num.convert(v)
	if a.v.IsNull() {
		a.v = v
	} else {
		a.v = f.num.add(a.v, v, false)
	}
}

func (f *sum) retract(a *acc, row value.Row) {
	v := row[f.arg]
	if v.IsNull() || !f.retracts {
		return
	}
	a.n--
	v = f.num.convert(v)
	if a.v.IsNull() {
		a.v = f.num.add(f.num.zero(), v, true)
	} else {
		a.v = f.num.add(a.v, v, true)
	}
}

func (f *sum) merge(a, b *acc) {
	a.n += b.n
	switch {
	case b.v.IsNull():
	case a.v.IsNull():
		a.v = b.v
	default:
		a.v = f.num.add(a.v, b.v, false)
	}
}

func (f *sum) result(a *acc) value.Value {
	if f.retracts && a.n == 0 {
		return value.Null
	}
	return a.v
}

// sum0 is $SUM0: 0 without values. A DECIMAL overflow stays NULL, since NULL plus
// anything is NULL.
type sum0 struct {
	arg int
	num number
}

func (f *sum0) init(a *acc) { a.v = f.num.zero() }
func (f *sum0) update(a *acc, v value.Value, minus bool) {
	if !v.IsNull() && !a.v.IsNull() {
		a.v = f.num.add(a.v, f.num.convert(v), minus)
	}
}
func (f *sum0) add(a *acc, row value.Row)     { f.update(a, row[f.arg], false) }
func (f *sum0) retract(a *acc, row value.Row) { f.update(a, row[f.arg], true) }
func (f *sum0) merge(a, b *acc) {
	if a.v.IsNull() || b.v.IsNull() {
		a.v = value.Null
		return
	}
	a.v = f.num.add(a.v, b.v, false)
}
func (f *sum0) result(a *acc) value.Value { return a.v }

// avgSumType is the type in which AVG sums: BIGINT, DOUBLE or DECIMAL(38, s).
func avgSumType(t value.Type) value.Type {
	switch t.Kind {
	case value.KindDecimal:
		return value.Type{Kind: value.KindDecimal, Nullable: true, Precision: 38, Scale: t.Scale}
	case value.KindFloat, value.KindDouble:
		return value.Type{Kind: value.KindDouble, Nullable: true}
	}
	return value.Type{Kind: value.KindBigInt, Nullable: true}
}

// avg is AVG: integers divide as BIGINT, truncating toward zero (agg.md 21).
type avg struct {
	arg     int
	in, out value.Type
	num     number
}

func (f *avg) init(a *acc) { a.v = f.num.zero() }

func (f *avg) update(a *acc, v value.Value, minus bool) {
	if v.IsNull() {
		return
	}
	if minus {
		a.n--
	} else {
		a.n++
	}
	if !a.v.IsNull() {
		a.v = f.num.add(a.v, f.num.convert(v), minus)
	}
}

func (f *avg) add(a *acc, row value.Row)     { f.update(a, row[f.arg], false) }
func (f *avg) retract(a *acc, row value.Row) { f.update(a, row[f.arg], true) }

func (f *avg) merge(a, b *acc) {
	a.n += b.n
	if a.v.IsNull() || b.v.IsNull() {
		a.v = value.Null
		return
	}
	a.v = f.num.add(a.v, b.v, false)
}

func (f *avg) result(a *acc) value.Value {
	if a.n == 0 || a.v.IsNull() {
		return value.Null
	}
	switch f.num.sum.Kind {
	case value.KindDecimal:
		q, _ := value.DecimalDiv(a.v, f.num.sum.Scale, value.Decimal(value.DecOf(a.n)), 0, f.out.Precision, f.out.Scale)
		return q
	case value.KindDouble:
		d := a.v.Double() / float64(a.n)
		if f.out.Kind == value.KindFloat {
			return value.Float(float32(d))
		}
		return value.Double(d)
	}
	q := a.v.Int() / a.n
	switch f.out.Kind {
	case value.KindTinyInt:
		q = int64(int8(q))
	case value.KindSmallInt:
		q = int64(int16(q))
	case value.KindInt:
		q = int64(int32(q))
	}
	return value.Int(q)
}

// welfordM2 is $WELFORD_M2$1, the sum of squared distances from the mean, which
// STDDEV and VAR divide (agg.md 23). Retraction runs Welford's step backwards.
type welfordM2 struct {
	arg int
	t   value.Type
}

// moments is the mean and M2; the count is acc.n.
type moments struct{ mean, m2 float64 }

func (f *welfordM2) init(a *acc) { a.ext = new(moments) }

func (f *welfordM2) add(a *acc, row value.Row) {
	v := row[f.arg]
	if v.IsNull() {
		return
	}
	a.n++
	if a.n <= 0 {
		return
	}
	m, x := a.ext.(*moments), numberFloat(&f.t, v)
	delta := x - m.mean
	m.mean += delta / float64(a.n)
	m.m2 += float64(delta * (x - m.mean))
}

func (f *welfordM2) retract(a *acc, row value.Row) {
	v := row[f.arg]
	if v.IsNull() {
		return
	}
	a.n--
	m := a.ext.(*moments)
	if a.n <= 0 {
		if a.n == 0 {
			*m = moments{}
		}
		return
	}
	x := numberFloat(&f.t, v)
	delta2 := x - m.mean
	m.mean -= delta2 / float64(a.n)
	m.m2 -= float64((x - m.mean) * delta2)
}

func (f *welfordM2) merge(a, b *acc) {
	if b.n <= 0 {
		a.n += b.n
		if a.n <= 0 {
			*a.ext.(*moments) = moments{}
		}
		return
	}
	x, y := a.ext.(*moments), b.ext.(*moments)
	if a.n == 0 {
		a.n, *x = b.n, *y
		return
	}
	n := float64(a.n + b.n)
	d := y.mean - x.mean
	x.m2 = x.m2 + y.m2 + float64(float64(a.n)*float64(b.n)/n*d*d)
	x.mean += float64(float64(b.n) / n * d)
	a.n += b.n
}

func (f *welfordM2) result(a *acc) value.Value {
	m := a.ext.(*moments)
	if a.n <= 0 || m.m2 < 0 {
		return value.Null
	}
	return value.Double(m.m2)
}
