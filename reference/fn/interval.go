package fn

import (
	"math"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

const millisPerDay = 86400000

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }

// addMonths moves a date by months and clips the day to the length of the month.
func addMonths(days, months int64) int64 {
	y, m, d := value.CivilOf(days)
	n := int64(y)*12 + int64(m-1) + months
	y, m = int(floorDiv(n, 12)), int(floorMod(n, 12))+1
	return value.DaysOf(y, m, min(d, value.DaysInMonth(y, m)))
}

// addMonthsToMillis keeps the time of the day. Flink divides before 1970 towards
// zero, but only after the time of the day is off.
func addMonthsToMillis(millis, months int64) int64 {
	ofDay := floorMod(millis, millisPerDay)
	return addMonths((millis-ofDay)/millisPerDay, months)*millisPerDay + ofDay
}

// monthsBetween counts whole months from b to a as Flink's subtractMonths does.
func monthsBetween(a, b int64) int64 {
	if a < b {
		return -monthsBetween(b, a)
	}
	m := (a - b) / 31
	for {
		if addMonths(b, m) >= a {
			return m
		}
		if addMonths(b, m+1) > a {
			return m
		}
		m++
	}
}

func monthsBetweenMillis(a, b int64) int64 {
	ofA, ofB := floorMod(a, millisPerDay), floorMod(b, millisPerDay)
	da, db := floorDiv(a, millisPerDay), floorDiv(b, millisPerDay)
	m := monthsBetween(da, db)
	if addMonths(db, m) == da && ofA < ofB {
		m--
	}
	return m
}

// evalShift compiles datetime + interval, interval + datetime, datetime - interval.
func evalShift(c *compiler, call *rex.Call, minus bool) (Eval, error) {
	args, err := c.args(call)
	if err != nil {
		return nil, err
	}
	x, y := args[0], args[1]
	tx, ty := call.Args[0].Type(), call.Args[1].Type()
	if tx.IsInterval() {
		x, y, tx, ty = y, x, ty, tx
	}
	sign := int64(1)
	if minus {
		sign = -1
	}
	if tx.Kind == value.KindDate && call.T.Kind == value.KindTimestamp {
		return eval2(x, y, func(_ *Ctx, a, b value.Value) value.Value {
			return value.Timestamp(a.Int()*millisPerDay+sign*b.Int(), 0)
		}), nil
	}
	shift := shiftOf(tx, ty)
	if shift == nil {
		return nil, unsupported.New("%s + %s", tx, ty)
	}
	return eval2(x, y, func(c *Ctx, a, b value.Value) value.Value { return shift(c, a, sign*b.Int()) }), nil
}

// shiftOf adds a number of milliseconds or months to a point in time.
func shiftOf(t, by value.Type) func(c *Ctx, a value.Value, n int64) value.Value {
	months := by.Kind == value.KindIntervalYearMonth
	switch {
	case t.Kind == value.KindDate && months:
		return func(_ *Ctx, a value.Value, n int64) value.Value { return value.Int(addMonths(a.Int(), n)) }
	case t.Kind == value.KindDate:
		// Flink drops what is not a whole day.
		return func(c *Ctx, a value.Value, n int64) value.Value {
			d := n / millisPerDay
			if d > math.MaxInt32 || d < math.MinInt32 {
				return c.Fail(flinkerr.Runtime(classArithmetic, "integer overflow"))
			}
			return value.Int(int64(int32(a.Int() + d)))
		}
	case t.Kind == value.KindTime && months:
		return func(_ *Ctx, a value.Value, _ int64) value.Value { return a }
	case t.Kind == value.KindTime:
		return func(_ *Ctx, a value.Value, n int64) value.Value {
			return value.Int((a.Int() + millisPerDay + n%millisPerDay) % millisPerDay)
		}
	case t.IsTimestamp() && months:
		return func(_ *Ctx, a value.Value, n int64) value.Value {
			return value.Timestamp(addMonthsToMillis(a.Millis(), n), a.NanoOfMilli())
		}
	case t.IsTimestamp():
		return func(_ *Ctx, a value.Value, n int64) value.Value {
			return value.Timestamp(a.Millis()+n, a.NanoOfMilli())
		}
	}
	return nil
}

// evalDifference compiles (datetime - datetime) unit, whose result is an interval.
func evalDifference(c *compiler, call *rex.Call) (Eval, error) {
	ta, tb := call.Args[0].Type(), call.Args[1].Type()
	if (ta.Kind == value.KindTimestampLTZ) != (tb.Kind == value.KindTimestampLTZ) {
		return nil, flinkerr.New(classCodeGen,
			"TIMESTAMP_LTZ only supports diff between the same type.")
	}
	ma, mb := millisOf(ta), millisOf(tb)
	if call.T.Kind == value.KindIntervalYearMonth {
		// Flink counts the months between two DATEs in days, else in milliseconds.
		if ta.Kind == value.KindDate && tb.Kind == value.KindDate {
			return strict2(func(_ *Ctx, a, b value.Value) value.Value {
				return value.Int(monthsBetween(a.Int(), b.Int()))
			})(c, call)
		}
		return strict2(func(_ *Ctx, a, b value.Value) value.Value {
			return value.Int(monthsBetweenMillis(ma(a), mb(b)))
		})(c, call)
	}
	return strict2(func(_ *Ctx, a, b value.Value) value.Value { return value.Int(ma(a) - mb(b)) })(c, call)
}

// millisOf reads a point in time as milliseconds.
func millisOf(t value.Type) func(value.Value) int64 {
	if t.Kind == value.KindDate {
		return func(v value.Value) int64 { return v.Int() * millisPerDay }
	}
	return value.Value.Millis
}
