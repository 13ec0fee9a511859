package fn

import (
	"time"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

var (
	textOrTexts = []form{takes(character), takes(character, character)}
	noArgument  = []form{takes()}
	tzStrings   = []form{takes(character, character, character)}
)

var temporalFunctions = []function{
	{name: "EXTRACT", doc: "EXTRACT(timeintervalunit FROM temporal)", check: checkExtract, result: func(r *resolution) (value.Type, error) {
		return value.TBigInt.WithNullable(r.arg(1).Nullable), nil
	}, eval: evalExtract},
	{name: "YEAR", doc: "YEAR(date)", check: checkPart, rewrite: asExtract("YEAR")},
	{name: "QUARTER", doc: "QUARTER(date)", check: checkPart, rewrite: asExtract("QUARTER")},
	{name: "MONTH", doc: "MONTH(date)", check: checkPart, rewrite: asExtract("MONTH")},
	{name: "WEEK", doc: "WEEK(date)", check: checkPart, rewrite: asExtract("WEEK")},
	{name: "DAYOFYEAR", doc: "DAYOFYEAR(date)", check: checkPart, rewrite: asExtract("DOY")},
	{name: "DAYOFMONTH", doc: "DAYOFMONTH(date)", check: checkPart, rewrite: asExtract("DAY")},
	{name: "DAYOFWEEK", doc: "DAYOFWEEK(date)", check: checkPart, rewrite: asExtract("DOW")},
	{name: "HOUR", doc: "HOUR(timestamp)", check: checkPart, rewrite: asExtract("HOUR")},
	{name: "MINUTE", doc: "MINUTE(timestamp)", check: checkPart, rewrite: asExtract("MINUTE")},
	{name: "SECOND", doc: "SECOND(timestamp)", check: checkPart, rewrite: asExtract("SECOND")},
	{name: "FLOOR", doc: "FLOOR(numeric), FLOOR(timepoint TO timeintervalunit)", check: checkFloor, result: floorType, eval: evalFloor},
	{name: "CEIL", doc: "CEIL(numeric), CEIL(timepoint TO timeintervalunit)", check: checkFloor, result: floorType, eval: evalFloor},
	{name: "CEILING", doc: "CEILING(numeric)", check: checkFloorAs("CEIL"), rewrite: as("CEIL")},
	{name: "DATE_FORMAT", doc: "DATE_FORMAT(timestamp, date_format)", forms: []form{takes(timestamp, character), takes(character, character)}, result: always(value.TString), eval: evalDateFormat},
	{name: "TIMESTAMPADD", doc: "TIMESTAMPADD(timeintervalunit, interval, timepoint)", check: checkTimestampAdd, rewrite: asTimestampAdd},
	{name: "MINUS_DATE", op: &rex.Op{Name: "MINUS_DATE"}, isOperator: true, doc: "(timepoint1 - timepoint2) interval unit", check: checkMinusDate, rewrite: asMinusDate},
	{name: "TIMESTAMPDIFF", doc: "TIMESTAMPDIFF(timepointunit, timepoint1, timepoint2)", check: checkTimestampDiff, rewrite: asTimestampDiff},
	{name: "CONVERT_TZ", doc: "CONVERT_TZ(string1, string2, string3)", forms: tzStrings, result: always(value.TString), eval: strictN(convertTz)},
	{name: "FROM_UNIXTIME", doc: "FROM_UNIXTIME(numeric[, string])", forms: []form{takes(integer), takes(integer, character)}, result: always(value.TString), eval: evalFromUnixtime},
	{name: "UNIX_TIMESTAMP", doc: "UNIX_TIMESTAMP(string1[, string2])", forms: []form{takes(), takes(character), takes(character, character)}, result: orNull(value.TBigInt), eval: evalUnixTimestamp},
	{name: "TO_DATE", doc: "TO_DATE(string1[, string2])", forms: textOrTexts, result: always(value.TDate), eval: evalToDate},
	{name: "TO_TIMESTAMP", doc: "TO_TIMESTAMP(string1[, string2])", forms: textOrTexts, result: always(value.TimestampType(3)), eval: evalToTimestamp},
	{name: "TO_TIMESTAMP_LTZ", doc: "TO_TIMESTAMP_LTZ(numeric[, precision]), TO_TIMESTAMP_LTZ(string1[, string2[, string3]])", check: checkToTimestampLtz, result: toTimestampLtzType, eval: evalToTimestampLtz},
	{name: "OVERLAPS", op: &rex.Op{Name: "OVERLAPS", Syntax: rex.Infix}, isOperator: true, doc: "(timepoint1, temporal1) OVERLAPS (timepoint2, temporal2)", check: checkOverlaps, rewrite: asOverlaps},
	{name: "CURRENT_DATE", op: &rex.Op{Name: "CURRENT_DATE", Bare: true}, doc: "CURRENT_DATE", forms: noArgument, result: never(value.TDate), eval: evalNow},
	{name: "CURRENT_TIME", op: &rex.Op{Name: "CURRENT_TIME", Bare: true}, doc: "CURRENT_TIME", forms: noArgument, result: never(value.TimeType(0)), eval: evalNow},
	{name: "CURRENT_TIMESTAMP", op: &rex.Op{Name: "CURRENT_TIMESTAMP", Bare: true}, doc: "CURRENT_TIMESTAMP", forms: noArgument, result: never(value.TimestampLTZType(3)), eval: evalNow},
	{name: "LOCALTIME", op: &rex.Op{Name: "LOCALTIME", Bare: true}, doc: "LOCALTIME", forms: noArgument, result: never(value.TimeType(0)), eval: evalNow},
	{name: "LOCALTIMESTAMP", op: &rex.Op{Name: "LOCALTIMESTAMP", Bare: true}, doc: "LOCALTIMESTAMP", forms: noArgument, result: never(value.TimestampType(3)), eval: evalNow},
	{name: "NOW", doc: "NOW()", forms: noArgument, result: never(value.TimestampLTZType(3)), eval: evalNow},
	{name: "CURRENT_ROW_TIMESTAMP", op: &rex.Op{Name: "CURRENT_ROW_TIMESTAMP", NonDeterministic: true}, doc: "CURRENT_ROW_TIMESTAMP()", forms: noArgument, result: never(value.TimestampLTZType(3)), eval: evalNow},
	{name: "PROCTIME", op: &rex.Op{Name: "PROCTIME", NonDeterministic: true}, doc: "PROCTIME()", forms: noArgument, result: proctimeType, eval: evalNow},
	{name: "PROCTIME_MATERIALIZE", op: &rex.Op{Name: "PROCTIME_MATERIALIZE", NonDeterministic: true}, doc: "internal: the time of a processing-time column", forms: []form{takes(timestamp)}, result: orNull(value.TimestampLTZType(3)), eval: evalNow},
}

func proctimeType(*resolution) (value.Type, error) {
	t := value.TimestampLTZType(3).NotNull()
	t.Time = value.Proctime
	return t, nil
}

// flagOf is the unit of EXTRACT, FLOOR, TIMESTAMPADD.
func flagOf(x rex.Expr) string {
	if f, ok := x.(*rex.Flag); ok {
		return f.Text
	}
	return ""
}

// unitText is a unit as error texts show it.
func unitText(x rex.Expr) string {
	if u := flagOf(x); u != "" {
		return "INTERVAL " + u
	}
	return errorType(x.Type())
}

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

var floorErrors = "'%[1]s(<NUMERIC>)'\n'%[1]s(<DATETIME_INTERVAL>)'\n'%[1]s(<DATE> TO <TIME_UNIT>)'\n'%[1]s(<TIME> TO <TIME_UNIT>)'\n'%[1]s(<TIMESTAMP> TO <TIME_UNIT>)'"

func checkFloor(r *resolution) error { return checkFloorAs(r.fn.name)(r) }

func checkFloorAs(name string) func(*resolution) error {
	return func(r *resolution) error {
		if n := len(r.args); n != 1 && n != 2 {
			return wrongCountOf(name, 1)
		}
		t := r.arg(0)
		switch {
		case t.Kind == value.KindNull:
			return illegalNull()
		case len(r.args) == 1 && (t.IsNumeric() || t.IsInterval()), len(r.args) == 2 && t.IsDatetime() && flagOf(r.args[1]) != "":
			return nil
		}
		have := name + "(<" + errorType(t) + ">"
		if len(r.args) == 2 {
			have += ", <" + unitText(r.args[1]) + ">"
		}
		return flinkerr.Validator("Cannot apply '"+name+"' to arguments of type '%[2]s)'. Supported form(s): "+floorErrors, name, have)
	}
}

// floorType: a DECIMAL loses its scale and keeps its precision.
func floorType(r *resolution) (value.Type, error) {
	t := r.arg(0).WithoutTime()
	if t.Kind == value.KindDecimal {
		return value.DecimalType(t.Precision, 0).WithNullable(t.Nullable), nil
	}
	return t, nil
}

func checkTimestampAdd(r *resolution) error {
	if len(r.args) != 3 {
		return wrongCountOf("TIMESTAMPADD", 3)
	}
	if r.arg(1).Kind == value.KindNull || r.arg(2).Kind == value.KindNull {
		return illegalNull()
	}
	if r.arg(1).IsInteger() && r.arg(2).IsDatetime() {
		return nil
	}
	return flinkerr.Validator("Cannot apply 'TIMESTAMPADD' to arguments of type 'TIMESTAMPADD(<%s>, <%s>, <%s>)'. Supported form(s): 'TIMESTAMPADD(<ANY>, <INTEGER>, <DATETIME>)'",
		unitText(r.args[0]), errorType(r.arg(1)), errorType(r.arg(2)))
}

// intervalOne is INTERVAL '1' unit.
func intervalOne(unit string) (*rex.Literal, error) {
	t := value.IntervalType(unit).NotNull()
	n, ok := unitMillis[unit]
	if unit == "WEEK" {
		t.Kind = value.KindIntervalDayTime
	}
	if !ok {
		if n, ok = unitMonths[unit]; !ok {
			return nil, unsupported.New("the unit %s", unit)
		}
		t.Kind = value.KindIntervalYearMonth
	}
	return &rex.Literal{V: value.Int(n), T: t}, nil
}

// asTimestampAdd: plans show t + INTERVAL '1' unit * n. A DATE with a unit below a day
// has the type TIMESTAMP.
func asTimestampAdd(r *resolution) (rex.Expr, error) {
	unit := flagOf(r.args[0])
	switch unit {
	case "MICROSECOND", "NANOSECOND", "MILLISECOND":
		return nil, unsupported.New("TIMESTAMPADD of %s", unit)
	}
	one, err := intervalOne(unit)
	if err != nil {
		return nil, err
	}
	by := &rex.Call{Op: rex.Times, Args: []rex.Expr{one, r.args[1]}, T: one.T.WithNullable(r.arg(1).Nullable)}
	t := r.arg(2).WithoutTime()
	if t.Kind == value.KindDate && (unit == "HOUR" || unit == "MINUTE" || unit == "SECOND") {
		t = value.TimestampType(6)
	}
	return &rex.Call{Op: rex.Plus, Args: []rex.Expr{r.args[2], by}, T: t.WithNullable(r.arg(1).Nullable || r.arg(2).Nullable)}, nil
}

func checkTimestampDiff(r *resolution) error {
	if len(r.args) != 3 {
		return wrongCountOf("TIMESTAMPDIFF", 3)
	}
	if r.arg(1).Kind == value.KindNull || r.arg(2).Kind == value.KindNull {
		return illegalNull()
	}
	if r.arg(1).IsDatetime() && r.arg(2).IsDatetime() {
		return nil
	}
	return flinkerr.Validator("Cannot apply 'TIMESTAMPDIFF' to arguments of type 'TIMESTAMPDIFF(<%s>, <%s>, <%s>)'. Supported form(s): 'TIMESTAMPDIFF(<ANY>, <DATETIME>, <DATETIME>)'",
		unitText(r.args[0]), errorType(r.arg(1)), errorType(r.arg(2)))
}

// asTimestampDiff: plans show the interval between the points, read as a number and
// divided by the length of the unit. Weeks go by way of seconds, quarters of months.
func asTimestampDiff(r *resolution) (rex.Expr, error) {
	if (r.arg(1).Kind == value.KindTime) != (r.arg(2).Kind == value.KindTime) {
		return nil, unsupported.New("TIMESTAMPDIFF of TIME and another type, at which Flink fails")
	}
	unit := flagOf(r.args[0])
	null := r.arg(1).Nullable || r.arg(2).Nullable
	inner, further := unit, int64(0)
	switch unit {
	case "WEEK":
		inner, further = "SECOND", 604800
	case "QUARTER":
		inner, further = "MONTH", 3
	case "YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND":
	default:
		return nil, unsupported.New("TIMESTAMPDIFF of %s", unit)
	}
	one, err := intervalOne(inner)
	if err != nil {
		return nil, err
	}
	diff := &rex.Call{Op: rex.Minus, Args: []rex.Expr{r.args[2], r.args[1]}, T: one.T.WithNullable(null)}
	var n rex.Expr = &rex.Call{Op: rex.Reinterpret, Args: []rex.Expr{diff}, T: value.TBigInt.WithNullable(null)}
	per := one.V.Int()
	if per != 1 {
		n = &rex.Call{Op: rex.DivideInt, Args: []rex.Expr{n, intLiteral(per)}, T: value.TBigInt.WithNullable(null)}
	}
	n = &rex.Call{Op: rex.Cast, Args: []rex.Expr{n}, T: value.TInt.WithNullable(null)}
	if further != 0 {
		n = &rex.Call{Op: rex.DivideInt, Args: []rex.Expr{n, intLiteral(further)}, T: value.TInt.WithNullable(null)}
	}
	return n, nil
}

// checkMinusDate: the points in time must be of one type root.
func checkMinusDate(r *resolution) error {
	a, b := r.arg(0), r.arg(1)
	switch {
	case a.Kind == value.KindNull || b.Kind == value.KindNull:
		return illegalNull()
	case !a.IsDatetime() || !b.IsDatetime():
		return flinkerr.Validator("Cannot apply '-' to arguments of type '-(<%s>, <%s>, <INTERVAL %s>)'. Supported form(s): '-(<DATETIME>, <DATETIME>, <DATETIME_INTERVAL>)'",
			errorType(a), errorType(b), flagOf(r.args[2]))
	case a.Kind != b.Kind && (!a.IsTimestamp() || !b.IsTimestamp()):
		return flinkerr.Validator("Parameters must be of the same type")
	}
	return nil
}

func asMinusDate(r *resolution) (rex.Expr, error) {
	t := value.IntervalType(flagOf(r.args[2])).WithNullable(r.arg(0).Nullable || r.arg(1).Nullable)
	return &rex.Call{Op: rex.Minus, Args: r.args[:2], T: t}, nil
}

// checkOverlaps: both sides are pairs of a point in time and a point or an interval.
func checkOverlaps(r *resolution) error {
	a, b, ok := rowsOf(r.args[0], r.args[1])
	if ok && len(a.Args) == 2 && len(b.Args) == 2 {
		return nil
	}
	return unsupported.New("OVERLAPS of these operands")
}

// asOverlaps orders both periods and compares their ends, as plans show it.
func asOverlaps(r *resolution) (rex.Expr, error) {
	a, b, _ := rowsOf(r.args[0], r.args[1])
	type period struct{ first, last rex.Expr }
	order := func(x *rex.Call) (period, error) {
		p, q := x.Args[0], x.Args[1]
		if q.Type().IsInterval() {
			sum, err := r.table.resolve(r.ctx, "+", []rex.Expr{p, q})
			if err != nil {
				return period{}, err
			}
			q = sum
		}
		le, err := r.table.resolve(r.ctx, "<=", []rex.Expr{p, q})
		if err != nil {
			return period{}, err
		}
		t := p.Type().WithNullable(p.Type().Nullable || q.Type().Nullable)
		pick := func(a, b rex.Expr) rex.Expr { return &rex.Call{Op: rex.Case, Args: []rex.Expr{le, a, b}, T: t} }
		return period{pick(p, q), pick(q, p)}, nil
	}
	p, err := order(a)
	if err != nil {
		return nil, err
	}
	q, err := order(b)
	if err != nil {
		return nil, err
	}
	return logic(rex.And, comparison(rex.Ge, p.last, q.first), comparison(rex.Ge, q.last, p.first)), nil
}

// evalNow gives the time of the query's start, which is what a batch job and, but
// for the milliseconds between, a streaming one see.
func evalNow(c *compiler, call *rex.Call) (Eval, error) {
	now, zone := c.env.Now, c.zone()
	if now.IsZero() {
		return nil, unsupported.New("function %s without a clock", call.Op.Name)
	}
	millis := now.UnixMilli()
	local := localMillis(millis, zone)
	switch call.Op.Name {
	case "CURRENT_DATE":
		return constant(value.Int(floorDiv(local, millisPerDay))), nil
	case "CURRENT_TIME", "LOCALTIME":
		return constant(value.Int(floorMod(local, millisPerDay) / 1000 * 1000)), nil
	case "LOCALTIMESTAMP":
		return constant(value.Timestamp(local, 0)), nil
	}
	return constant(value.Timestamp(millis, 0)), nil
}
