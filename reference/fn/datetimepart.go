package fn

import (
	"time"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

func checkExtract(r *resolution) error {
	if len(r.args) != 2 {
		return wrongCountOf("EXTRACT", 2)
	}
	t := r.arg(1)
	switch {
	case t.Kind == value.KindNull:
		return illegalNull()
	case t.IsDatetime() || t.IsInterval():
		return nil
	}
	return flinkerr.Validator("Cannot apply 'EXTRACT' to arguments of type 'EXTRACT(<%s> FROM <%s>)'. Supported form(s): "+
		"'EXTRACT(<DATETIME_INTERVAL> FROM <DATETIME_INTERVAL>)'\n'EXTRACT(<DATETIME_INTERVAL> FROM <DATETIME>)'", unitText(r.args[0]), errorType(t))
}

// checkPart: the short functions have the errors of EXTRACT.
func checkPart(r *resolution) error {
	if len(r.args) != 1 {
		return wrongCountOf(r.fn.name, 1)
	}
	return nil
}

func asExtract(unit string) func(*resolution) (rex.Expr, error) {
	return func(r *resolution) (rex.Expr, error) {
		return r.table.resolve(r.ctx, "EXTRACT", []rex.Expr{&rex.Flag{Text: unit, T: value.TSymbol}, r.args[0]})
	}
}

// Milliseconds of the units that have a fixed length.
var unitMillis = map[string]int64{
	"MILLISECOND": 1, "SECOND": 1000, "MINUTE": 60000, "HOUR": 3600000, "DAY": millisPerDay, "WEEK": 7 * millisPerDay,
}

// unitMonths are the units that count months.
var unitMonths = map[string]int64{
	"MONTH": 1, "QUARTER": 3, "YEAR": 12, "DECADE": 120, "CENTURY": 1200, "MILLENNIUM": 12000,
}

// evalExtract follows Flink's code: the parts of a day are remainders, so they are
// negative before 1970, and the date is found by a division towards zero.
func evalExtract(c *compiler, call *rex.Call) (Eval, error) {
	unit, t := flagOf(call.Args[0]), call.Args[1].Type()
	part, err := extractPart(unit, t, c.zone())
	if err != nil {
		return nil, err
	}
	x, err := c.compile(call.Args[1])
	if err != nil {
		return nil, err
	}
	return func(ctx *Ctx, row value.Row) value.Value {
		v := x(ctx, row)
		if v.IsNull() {
			return value.Null
		}
		return value.Int(part(v))
	}, nil
}

func extractPart(unit string, t value.Type, zone *time.Location) (func(value.Value) int64, error) {
	if t.IsInterval() {
		return extractInterval(unit, t)
	}
	if part := datePart(unit); part != nil {
		switch t.Kind {
		case value.KindDate:
			return func(v value.Value) int64 { return part(v.Int()) }, nil
		case value.KindTimestamp:
			return func(v value.Value) int64 { return part(v.Millis() / millisPerDay) }, nil
		case value.KindTimestampLTZ:
			return func(v value.Value) int64 { return part(localMillis(v.Millis(), zone) / millisPerDay) }, nil
		}
		return nil, flinkerr.Validation("unit %s can not be applied to time variable", unit)
	}
	if t.Kind == value.KindDate {
		return extractFromDate(unit, t)
	}
	millis := value.Value.Millis
	if t.Kind == value.KindTimestampLTZ {
		millis = func(v value.Value) int64 { return localMillis(v.Millis(), zone) }
	}
	switch unit {
	case "EPOCH":
		if t.Kind == value.KindTime {
			return nil, flinkerr.Validation("unit EPOCH can not be applied to time variable")
		}
		return func(v value.Value) int64 { return millis(v) / 1000 }, nil
	case "HOUR":
		return func(v value.Value) int64 { return millis(v) % millisPerDay / 3600000 }, nil
	case "MINUTE":
		return func(v value.Value) int64 { return millis(v) % 3600000 / 60000 }, nil
	case "SECOND":
		return func(v value.Value) int64 { return millis(v) % 60000 / 1000 }, nil
	case "MILLISECOND":
		return func(v value.Value) int64 { return millis(v) % 1000 }, nil
	case "MICROSECOND", "NANOSECOND":
		return extractFraction(unit, t, millis)
	}
	return nil, unsupported.New("EXTRACT(%s FROM %s)", unit, t)
}

// extractFraction counts the units within the second.
func extractFraction(unit string, t value.Type, millis func(value.Value) int64) (func(value.Value) int64, error) {
	per, nanos := int64(1000), int64(1000)
	if unit == "NANOSECOND" {
		per, nanos = 1000000, 1
	}
	if t.Kind == value.KindTime {
		return nil, flinkerr.Validation("unit %s can not be applied to %s variable", unit, t)
	}
	return func(v value.Value) int64 { return millis(v)%1000*per + int64(v.NanoOfMilli())/nanos }, nil
}

// extractFromDate: the parts of the day of a DATE. Flink computes the remainders of
// its number of days.
func extractFromDate(unit string, t value.Type) (func(value.Value) int64, error) {
	switch unit {
	case "EPOCH":
		return func(v value.Value) int64 { return v.Int() * 86400 }, nil
	case "HOUR":
		return func(v value.Value) int64 { return v.Int() % millisPerDay / 3600000 }, nil
	case "MINUTE":
		return func(v value.Value) int64 { return v.Int() % 3600000 / 60000 }, nil
	case "SECOND":
		return func(v value.Value) int64 { return v.Int() % 60000 / 1000 }, nil
	case "MILLISECOND":
		return func(v value.Value) int64 { return v.Int() % 1000 }, nil
	case "MICROSECOND", "NANOSECOND":
		return nil, flinkerr.Validation("unit %s can not be applied to %s variable", unit, t)
	}
	return nil, unsupported.New("EXTRACT(%s FROM DATE)", unit)
}

func extractInterval(unit string, t value.Type) (func(value.Value) int64, error) {
	type part struct{ factor, multiplier int64 }
	var p part
	if t.Kind == value.KindIntervalYearMonth {
		switch unit {
		case "YEAR":
			p = part{1, 12}
		case "MONTH":
			p = part{12, 1}
		case "QUARTER":
			return func(v value.Value) int64 { return (v.Int()%12-1)/3 + 1 }, nil
		case "CENTURY":
			p = part{1, 1200}
		case "MILLENNIUM":
			p = part{1, 12000}
		}
	} else {
		switch unit {
		case "DAY":
			p = part{1, millisPerDay}
		case "HOUR":
			p = part{millisPerDay, 3600000}
		case "MINUTE":
			p = part{3600000, 60000}
		case "SECOND":
			p = part{60000, 1000}
		case "MILLISECOND":
			p = part{1000, 1}
		}
	}
	switch p.factor {
	case 0:
		return nil, unsupported.New("EXTRACT(%s FROM %s)", unit, t)
	case 1:
		return func(v value.Value) int64 { return v.Int() / p.multiplier }, nil
	}
	return func(v value.Value) int64 { return v.Int() % p.factor / p.multiplier }, nil
}

// localMillis is a point in time as the clock of a zone shows it.
func localMillis(millis int64, zone *time.Location) int64 { return value.ZoneMillis(millis, zone) }

// datePart computes a part of a date from the epoch day; nil for the parts of a day.
func datePart(unit string) func(days int64) int64 {
	switch unit {
	case "YEAR":
		return func(d int64) int64 { y, _, _ := value.CivilOf(d); return int64(y) }
	case "MONTH":
		return func(d int64) int64 { _, m, _ := value.CivilOf(d); return int64(m) }
	case "DAY", "DAYOFMONTH":
		return func(d int64) int64 { _, _, x := value.CivilOf(d); return int64(x) }
	case "QUARTER":
		return func(d int64) int64 { _, m, _ := value.CivilOf(d); return int64(m+2) / 3 }
	case "DOW", "DAYOFWEEK": // 1 is Sunday
		return func(d int64) int64 { return floorMod(d+4, 7) + 1 }
	case "ISODOW": // 1 is Monday
		return func(d int64) int64 { return floorMod(d+3, 7) + 1 }
	case "DOY", "DAYOFYEAR":
		return dayOfYear
	case "WEEK":
		return func(d int64) int64 { _, w := isoWeek(d); return w }
	case "ISOYEAR":
		return func(d int64) int64 { y, _ := isoWeek(d); return y }
	case "DECADE":
		return func(d int64) int64 { y, _, _ := value.CivilOf(d); return int64(y / 10) }
	case "CENTURY":
		return func(d int64) int64 { return ageOf(d, 100) }
	case "MILLENNIUM":
		return func(d int64) int64 { return ageOf(d, 1000) }
	}
	return nil
}

func dayOfYear(d int64) int64 {
	y, _, _ := value.CivilOf(d)
	return d - value.DaysOf(y, 1, 1) + 1
}

func ageOf(d, years int64) int64 {
	y, _, _ := value.CivilOf(d)
	if y > 0 {
		return (int64(y) + years - 1) / years
	}
	return (int64(y) - years + 1) / years
}

// isoWeek is the ISO year and week.
func isoWeek(d int64) (year, week int64) {
	thursday := d - floorMod(d+3, 7) + 3
	y, _, _ := value.CivilOf(thursday)
	return int64(y), (thursday-value.DaysOf(y, 1, 1))/7 + 1
}
