package fn

import (
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
