package stream

import (
	"strings"
	"unsafe"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/value"
)

// edgeValue is FIRST_VALUE or LAST_VALUE in arrival order; NULL is not a value (agg.md 12).
type edgeValue struct {
	arg  int
	last bool
}

func (f *edgeValue) init(*acc) {}
func (f *edgeValue) add(a *acc, row value.Row) {
	if v := row[f.arg]; !v.IsNull() && (f.last || a.v.IsNull()) {
		a.v = keepValue(v)
	}
}
func (f *edgeValue) retract(*acc, value.Row) {}
func (f *edgeValue) merge(a, b *acc) {
	if !b.v.IsNull() && (f.last || a.v.IsNull()) {
		a.v = b.v
	}
}
func (f *edgeValue) result(a *acc) value.Value { return a.v }

type valueList = arrivals[value.Value]

// edgeValueRetract is FIRST_VALUE or LAST_VALUE over updates: a retraction removes the
// earliest equal value, and the earliest (latest) of the rest is the result.
type edgeValueRetract struct {
	arg  int
	t    value.Type
	last bool
}

func (f *edgeValueRetract) init(a *acc) { a.ext = &valueList{} }
func (f *edgeValueRetract) add(a *acc, row value.Row) {
	if v := row[f.arg]; !v.IsNull() {
		a.ext.(*valueList).add(string(appendKeyValue(nil, &f.t, v)), keepValue(v))
	}
}
func (f *edgeValueRetract) retract(a *acc, row value.Row) {
	if v := row[f.arg]; !v.IsNull() {
		a.ext.(*valueList).remove(string(appendKeyValue(nil, &f.t, v)))
	}
}
func (f *edgeValueRetract) merge(a, b *acc) { a.ext.(*valueList).merge(b.ext.(*valueList)) }
func (f *edgeValueRetract) result(a *acc) value.Value {
	l := a.ext.(*valueList)
	switch {
	case l.len() == 0:
		return value.Null
	case f.last:
		return l.last()
	}
	return l.first()
}

// singleValue is SINGLE_VALUE, by which a scalar subquery demands one row.
type singleValue struct {
	job *job
	arg int
}

func (f *singleValue) init(*acc) {}
func (f *singleValue) add(a *acc, row value.Row) {
	if a.n > 0 {
		f.job.ctx.Fail(flinkerr.Runtime(flinkerr.ClassTableRuntime, "SingleValueAggFunction received more than one element."))
		return
	}
	a.n, a.v = 1, keepValue(row[f.arg])
}
func (f *singleValue) retract(a *acc, _ value.Row) {
	if a.n != 1 {
		f.job.ctx.Fail(flinkerr.Runtime(flinkerr.ClassTableRuntime, "SingleValueAggFunction received more than one element."))
		return
	}
	a.n, a.v = 0, value.Null
}
func (f *singleValue) merge(a, b *acc)           { a.n, a.v = a.n+b.n, b.v }
func (f *singleValue) result(a *acc) value.Value { return a.v }

// listAgg is LISTAGG: values that are not NULL, in arrival order, NULL for none
// (agg.md 11). The delimiter is that of the last row.
type listAgg struct {
	arg, sep int
	// delim stands until a row brings another; over windows it is a constant of the call.
	delim string
}

type textList struct {
	arrivals[struct{}]
	sep string
}

func (f *listAgg) init(a *acc) { a.ext = &textList{sep: f.delim} }

func (f *listAgg) begin(a *acc, row value.Row) (*textList, string, bool) {
	v := row[f.arg]
	if v.IsNull() {
		return nil, "", false
	}
	l := a.ext.(*textList)
	if f.sep >= 0 && row[f.sep].Str() != l.sep {
		l.sep = strings.Clone(row[f.sep].Str())
	}
	return l, v.Str(), true
}

func (f *listAgg) add(a *acc, row value.Row) {
	if l, s, ok := f.begin(a, row); ok {
		l.add(strings.Clone(s), struct{}{})
	}
}

func (f *listAgg) retract(a *acc, row value.Row) {
	if l, s, ok := f.begin(a, row); ok && !l.remove(s) {
		l.missing = append(l.missing, strings.Clone(s))
	}
}

func (f *listAgg) merge(a, b *acc) {
	l, o := a.ext.(*textList), b.ext.(*textList)
	if o.len() == 0 && len(o.missing) == 0 {
		return
	}
	l.sep = o.sep
	l.merge(&o.arrivals)
}

func (f *listAgg) result(a *acc) value.Value {
	l := a.ext.(*textList)
	if l.len() == 0 {
		return value.Null
	}
	size := 0
	l.all(func(t string, _ struct{}) { size += len(t) + len(l.sep) })
	b := make([]byte, 0, size)
	l.all(func(t string, _ struct{}) { b = append(append(b, t...), l.sep...) })
	b = b[:len(b)-len(l.sep)]
	return value.String(unsafe.String(unsafe.SliceData(b), len(b))) // nothing writes to b any more
}

// arrayAgg is ARRAY_AGG: NULL elements are kept (agg.md 13), no elements give NULL.
type arrayAgg struct {
	arg         int
	t           value.Type
	ignoreNulls bool
}

func (f *arrayAgg) init(a *acc) { a.ext = &valueList{} }

func (f *arrayAgg) add(a *acc, row value.Row) {
	v := row[f.arg]
	if !v.IsNull() || !f.ignoreNulls {
		a.ext.(*valueList).add(string(appendKeyValue(nil, &f.t, v)), keepValue(v))
	}
}

func (f *arrayAgg) retract(a *acc, row value.Row) {
	v := row[f.arg]
	if v.IsNull() && f.ignoreNulls {
		return
	}
	l, k := a.ext.(*valueList), string(appendKeyValue(nil, &f.t, v))
	if !l.remove(k) {
		l.missing = append(l.missing, k)
	}
}

func (f *arrayAgg) merge(a, b *acc) { a.ext.(*valueList).merge(b.ext.(*valueList)) }

func (f *arrayAgg) result(a *acc) value.Value {
	l := a.ext.(*valueList)
	if l.len() == 0 {
		return value.Null
	}
	values := make([]value.Value, 0, l.len())
	l.all(func(_ string, v value.Value) { values = append(values, v) })
	return value.Array(values)
}
