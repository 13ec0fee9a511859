package fn

import (
	"math"
	"math/big"
	"time"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// evalFloor compiles FLOOR and CEIL of numbers and of points in time.
func evalFloor(c *compiler, call *rex.Call) (Eval, error) {
	t, floor := call.Args[0].Type(), call.Op.Name == "FLOOR"
	x, err := c.compile(call.Args[0])
	if err != nil {
		return nil, err
	}
	var f func(value.Value) value.Value
	if len(call.Args) == 2 {
		if f, err = floorTo(t, flagOf(call.Args[1]), floor, c.zone()); err != nil {
			return nil, err
		}
	} else {
		f = floorNumber(t, floor)
	}
	return func(ctx *Ctx, row value.Row) value.Value {
		v := x(ctx, row)
		if v.IsNull() {
			return value.Null
		}
		return f(v)
	}, nil
}

func floorNumber(t value.Type, floor bool) func(value.Value) value.Value {
	round := math.Ceil
	if floor {
		round = math.Floor
	}
	switch t.Kind {
	case value.KindDouble:
		return func(v value.Value) value.Value { return value.Double(round(v.Double())) }
	case value.KindFloat:
		return func(v value.Value) value.Value { return value.Float(float32(round(float64(v.Float())))) }
	case value.KindDecimal:
		unit := bigPow10(t.Scale)
		return func(v value.Value) value.Value {
			n := bigOf(v.Dec())
			if !floor {
				n.Neg(n)
			}
			q, m := new(big.Int).DivMod(n, unit, new(big.Int))
			_ = m
			if !floor {
				q.Neg(q)
			}
			return value.Decimal(decOfBig(q))
		}
	}
	return func(v value.Value) value.Value { return v }
}

// floorTo rounds a point in time to a unit.
func floorTo(t value.Type, unit string, floor bool, zone *time.Location) (func(value.Value) value.Value, error) {
	_, long := unitMonths[unit]
	long = long || unit == "WEEK" || unit == "DAY"
	width := unitMillis[unit]
	if !long && width == 0 {
		return nil, unsupported.New("FLOOR and CEIL TO %s", unit)
	}
	switch t.Kind {
	case value.KindDate:
		if !long {
			return func(v value.Value) value.Value { return v }, nil
		}
		return func(v value.Value) value.Value { return value.Int(floorDate(unit, v.Int(), floor)) }, nil
	case value.KindTime:
		if long {
			return nil, unsupported.New("FLOOR and CEIL of TIME TO %s", unit)
		}
		return func(v value.Value) value.Value { return value.Int(floorInt(v.Int(), width, floor)) }, nil
	case value.KindTimestamp:
		return floorTimestamp(unit, width, long, floor), nil
	case value.KindTimestampLTZ:
		return func(v value.Value) value.Value {
			offset := localMillis(v.Millis(), zone) - v.Millis()
			local := v.Millis() + offset
			switch {
			case !long || unit == "DAY":
				local = floorLong(local, width, floor)
			default:
				local = floorDate(unit, local/millisPerDay, floor) * millisPerDay
			}
			return value.Timestamp(local-offset, 0)
		}, nil
	}
	return nil, flinkerr.Validation("unsupported type %s", t)
}

// floorTimestamp: Flink finds the day of a TIMESTAMP by a division towards zero.
func floorTimestamp(unit string, width int64, long, floor bool) func(value.Value) value.Value {
	switch {
	case unit == "MILLISECOND":
		// What is below a millisecond goes, for CEIL too unless it is rounded up by the nanoseconds.
		return func(v value.Value) value.Value {
			m := v.Millis()
			if !floor {
				m += (int64(v.NanoOfMilli()) + 999999) / 1000000
			}
			return value.Timestamp(m, 0)
		}
	case unit == "DAY" || !long:
		return func(v value.Value) value.Value { return value.Timestamp(floorSQL(v.Millis(), width, floor), 0) }
	}
	return func(v value.Value) value.Value {
		return value.Timestamp(floorDate(unit, v.Millis()/millisPerDay, floor)*millisPerDay, 0)
	}
}

// floorSQL is SqlFunctionUtils.floor and ceil of two longs.
func floorSQL(a, b int64, floor bool) int64 {
	if !floor {
		a += b - 1
	}
	return a - floorMod(a, b)
}

// floorInt is the same of two ints.
func floorInt(a, b int64, floor bool) int64 {
	r := a % b
	if floor && r < 0 {
		r += b
	}
	if !floor && r > 0 {
		r -= b
	}
	return a - r
}

// floorLong is DateTimeUtils.floor and ceil.
func floorLong(a, b int64, floor bool) int64 {
	if floor {
		return floorDiv(a, b) * b
	}
	return -floorDiv(-a, b) * b
}

// floorDate rounds an epoch day to a unit of a day or longer, by the Julian calendar
// before 15 October 1582, as Flink does; weeks begin on Sunday.
func floorDate(unit string, days int64, floor bool) int64 {
	julian := days + 2440588
	b, c := int64(0), julian+32082
	if julian > 2299160 {
		a := julian + 32044
		b = (4*a + 3) / 146097
		c = a - b*146097/4
	}
	d := (4*c + 3) / 1461
	e := c - 1461*d/4
	m := (5*e + 2) / 153
	day := e - (153*m+2)/5 + 1
	month := m + 3 - 12*(m/10)
	year := b*100 + d - 4800 + m/10
	up := int64(1)
	if floor {
		up = 0
	}
	at := func(y, m int64) int64 { return value.DaysOf(int(y), int(m), 1) }
	switch unit {
	case "MILLENNIUM":
		return at(1000*((year+999)/1000)-999+up*1000, 1)
	case "CENTURY":
		return at(100*((year+99)/100)-99+up*100, 1)
	case "DECADE":
		return at(10*(year/10+up), 1)
	case "YEAR":
		if !floor && (month > 1 || day > 1) {
			year++
		}
		return at(year, 1)
	case "QUARTER":
		q := (month + 2) / 3
		if !floor && (month > 1 || day > 1) {
			q++
		}
		return firstOfMonth(year, q*3-2)
	case "MONTH":
		if !floor && day > 1 {
			month++
		}
		return firstOfMonth(year, month)
	case "WEEK":
		offset := floorMod(julian+1, 7)
		if !floor && offset > 0 {
			offset -= 7
		}
		return value.DaysOf(int(year), int(month), int(day)) - offset
	}
	return value.DaysOf(int(year), int(month), int(day)) + up
}

// firstOfMonth takes month 13 for January of the next year.
func firstOfMonth(year, month int64) int64 {
	return value.DaysOf(int(year+(month-1)/12), int((month-1)%12)+1, 1)
}
