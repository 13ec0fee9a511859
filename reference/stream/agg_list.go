package stream

import (
	"strings"

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

// valueList is values in arrival order; texts are their keys, to find equal ones.
// missing are values that were taken back before they came.
type valueList struct {
	values  []value.Value
	keys    []string
	missing []string
}

func (l *valueList) add(key string, v value.Value) {
	l.values, l.keys = append(l.values, v), append(l.keys, key)
}

// remove takes out the earliest equal value.
func (l *valueList) remove(key string) bool {
	for i, k := range l.keys {
		if k == key {
			l.values = append(l.values[:i], l.values[i+1:]...)
			l.keys = append(l.keys[:i], l.keys[i+1:]...)
			return true
		}
	}
	return false
}

// merge appends o and settles what was taken back early.
func (l *valueList) merge(o *valueList) {
	l.values, l.keys = append(l.values, o.values...), append(l.keys, o.keys...)
	open := append(l.missing, o.missing...)
	l.missing = nil
	for _, k := range open {
		if !l.remove(k) {
			l.missing = append(l.missing, k)
		}
	}
}

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
	case len(l.values) == 0:
		return value.Null
	case f.last:
		return l.values[len(l.values)-1]
	}
	return l.values[0]
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
	texts   []string
	missing []string
	sep     string
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
		l.texts = append(l.texts, strings.Clone(s))
	}
}

func (f *listAgg) retract(a *acc, row value.Row) {
	if l, s, ok := f.begin(a, row); ok && !l.remove(s) {
		l.missing = append(l.missing, strings.Clone(s))
	}
}

func (l *textList) remove(s string) bool {
	for i, t := range l.texts {
		if t == s {
			l.texts = append(l.texts[:i], l.texts[i+1:]...)
			return true
		}
	}
	return false
}

func (f *listAgg) merge(a, b *acc) {
	l, o := a.ext.(*textList), b.ext.(*textList)
	if len(o.texts) == 0 && len(o.missing) == 0 {
		return
	}
	l.sep = o.sep
	l.texts = append(l.texts, o.texts...)
	open := append(l.missing, o.missing...)
	l.missing = nil
	for _, s := range open {
		if !l.remove(s) {
			l.missing = append(l.missing, s)
		}
	}
}

func (f *listAgg) result(a *acc) value.Value {
	l := a.ext.(*textList)
	if len(l.texts) == 0 {
		return value.Null
	}
	return value.String(strings.Join(l.texts, l.sep))
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
	if len(l.values) == 0 {
		return value.Null
	}
	return value.Array(append([]value.Value(nil), l.values...))
}
