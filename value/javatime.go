package value

import "math"

// javaTime reads texts by the rules of java.time's formatters (JDK 17, strict
// parsing, SMART resolving), on which Flink's reading of timestamps rests: which
// texts are accepted, and the index and words of the errors.
type javaTime struct {
	s   string
	pos int
	// errAt is where the last failed piece gave up.
	errAt int
	// strict resolving: the day must exist, there is no hour 24.
	strict bool
	has    [fieldCount]bool
	fields [fieldCount]int64
}

type timeField uint8

const (
	fieldYear timeField = iota
	fieldMonth
	fieldDay
	fieldHour
	fieldMinute
	fieldSecond
	fieldNano
	fieldProlepticYear
	fieldCount
)

type signStyle uint8

const (
	signNormal      signStyle = iota // a minus is allowed
	signNotNegative                  // no sign
	signExceedsPad                   // a plus is needed beyond the least width
)

func (r *javaTime) fail(at int) bool { r.errAt = at; return false }

func (r *javaTime) literal(c byte) bool {
	if r.pos < len(r.s) && r.s[r.pos] == c {
		r.pos++
		return true
	}
	return r.fail(r.pos)
}

// optional undoes a part that fails.
func (r *javaTime) optional(part func() bool) {
	saved := *r
	if !part() {
		*r = saved
	}
}

// shortOrLong is the pattern [XX][X].
func (r *javaTime) shortOrLong(f timeField) {
	r.optional(func() bool { return r.number(f, 2, 2, signNotNegative) })
	r.optional(func() bool { return r.number(f, 1, 19, signNormal) })
}

func (r *javaTime) number(f timeField, minWidth, maxWidth int, style signStyle) bool {
	at := r.pos
	if at == len(r.s) {
		return r.fail(at)
	}
	negative, positive := false, false
	switch r.s[at] {
	case '+':
		if style != signExceedsPad {
			return r.fail(at)
		}
		positive = true
		at++
	case '-':
		if style == signNotNegative {
			return r.fail(at)
		}
		negative = true
		at++
	}
	if at+minWidth > len(r.s) {
		return r.fail(at)
	}
	limit := uint64(math.MaxInt64)
	if negative {
		limit++
	}
	pos, magnitude := at, uint64(0)
	for pos < len(r.s) && pos < at+maxWidth && r.s[pos] >= '0' && r.s[pos] <= '9' {
		d := uint64(r.s[pos] - '0')
		if magnitude > (limit-d)/10 {
			// Java keeps as many digits as fit a long.
			break
		}
		magnitude = magnitude*10 + d
		pos++
	}
	total := int64(magnitude)
	if pos < at+minWidth {
		return r.fail(at)
	}
	if negative {
		if total == 0 {
			return r.fail(at - 1)
		}
		total = -total
	} else if style == signExceedsPad {
		if positive && pos-at <= minWidth {
			return r.fail(at - 1)
		}
		if !positive && pos-at > minWidth {
			return r.fail(at)
		}
	}
	return r.set(f, total, at, pos)
}

// set keeps a field; the same field twice must have the same value.
func (r *javaTime) set(f timeField, v int64, at, pos int) bool {
	if r.has[f] && r.fields[f] != v {
		r.fields[f] = v
		return r.fail(at)
	}
	r.has[f], r.fields[f] = true, v
	r.pos = pos
	return true
}

// fraction reads an optional point and up to nine digits.
func (r *javaTime) fraction() bool {
	if r.pos >= len(r.s) || r.s[r.pos] != '.' {
		return true
	}
	at := r.pos + 1
	pos, total := at, int64(0)
	for pos < len(r.s) && pos < at+9 && r.s[pos] >= '0' && r.s[pos] <= '9' {
		total = total*10 + int64(r.s[pos]-'0')
		pos++
	}
	return r.set(fieldNano, total*int64(pow10Low[9-(pos-at)]), at, pos)
}

// abbreviated is the text as errors show it.
func (r *javaTime) abbreviated() string {
	if UTF16Len(r.s) <= 64 {
		return r.s
	}
	return fitUTF16(r.s, VarcharType(64)) + "..."
}

// index counts in UTF-16 units.
func (r *javaTime) index(at int) string {
	return string(AppendInt(nil, int64(UTF16Len(r.s[:at]))))
}

func (r *javaTime) failure() error {
	return &CastError{classDateTimeParse, "Text '" + r.abbreviated() + "' could not be parsed at index " + r.index(r.errAt)}
}

func (r *javaTime) unparsed() error {
	return &CastError{classDateTimeParse, "Text '" + r.abbreviated() + "' could not be parsed, unparsed text found at index " + r.index(r.pos)}
}

var fieldRanges = [fieldCount]struct {
	name, limits string
	lo, hi       int64
}{
	{"YearOfEra", "1 - 999999999/1000000000", 1, 1000000000},
	{"MonthOfYear", "1 - 12", 1, 12},
	{"DayOfMonth", "1 - 28/31", 1, 31},
	{"HourOfDay", "0 - 23", 0, 23},
	{"MinuteOfHour", "0 - 59", 0, 59},
	{"SecondOfMinute", "0 - 59", 0, 59},
	{"NanoOfSecond", "0 - 999999999", 0, 999999999},
	{"Year", "-999999999 - 999999999", -999999999, 999999999},
}

func (r *javaTime) check(fields ...timeField) error {
	for _, f := range fields {
		x := &fieldRanges[f]
		if v := r.fields[f]; r.has[f] && (v < x.lo || v > x.hi) {
			return &CastError{classDateTime, "Invalid value for " + x.name + " (valid values " + x.limits + "): " + string(AppendInt(nil, v))}
		}
	}
	return nil
}

// resolve makes epoch milliseconds and nanoseconds of the milli, the fraction cut to p
// digits. What is missing is 1 or 0; the days 29 to 31 are cut to the month's last; 24:00:00
// is the next day.
func (r *javaTime) resolve(p int) (int64, int, error) {
	if err := r.check(fieldYear, fieldProlepticYear, fieldMonth, fieldDay); err != nil {
		return 0, 0, err
	}
	nextDay := !r.strict && r.has[fieldHour] && r.fields[fieldHour] == 24 && r.fields[fieldMinute] == 0 && r.fields[fieldSecond] == 0 && r.fields[fieldNano] == 0 &&
		(r.has[fieldMinute] || !r.has[fieldSecond] && !r.has[fieldNano])
	if nextDay {
		r.fields[fieldHour] = 0
	}
	if err := r.check(fieldMinute, fieldNano, fieldHour, fieldSecond); err != nil {
		return 0, 0, err
	}
	f := &r.fields
	for _, d := range []timeField{fieldMonth, fieldDay} {
		if !r.has[d] {
			f[d] = 1
		}
	}
	if !r.has[fieldProlepticYear] {
		f[fieldProlepticYear] = f[fieldYear]
		r.has[fieldProlepticYear] = true
		if err := r.check(fieldProlepticYear); err != nil {
			return 0, 0, err
		}
	}
	year, month, day := int(f[fieldProlepticYear]), int(f[fieldMonth]), int(f[fieldDay])
	if last := DaysInMonth(year, month); day > last {
		if r.strict {
			return 0, 0, noSuchDay(year, month, day)
		}
		day = last
	}
	days := DaysOf(year, month, day)
	if nextDay && r.has[fieldMonth] && r.has[fieldDay] {
		days++
	}
	nanos := cutNanos(int(f[fieldNano]), p)
	ms := days*MillisPerDay + f[fieldHour]*millisPerHour + f[fieldMinute]*millisPerMinute + f[fieldSecond]*millisPerSecond + int64(nanos/1e6)
	return ms, nanos % 1e6, nil
}

// cutNanos drops the digits of a fraction beyond p.
func cutNanos(nanos, p int) int {
	d := int(pow10Low[max(0, 9-p)])
	return nanos / d * d
}

// noSuchDay is LocalDate's refusal of a day.
func noSuchDay(year, month, day int) error {
	if month == 2 && day == 29 {
		return &CastError{classDateTime, "Invalid date 'February 29' as '" + string(AppendInt(nil, int64(year))) + "' is not a leap year"}
	}
	names := [...]string{"JANUARY", "FEBRUARY", "MARCH", "APRIL", "MAY", "JUNE", "JULY", "AUGUST", "SEPTEMBER", "OCTOBER", "NOVEMBER", "DECEMBER"}
	return &CastError{classDateTime, "Invalid date '" + names[month-1] + " " + string(AppendInt(nil, int64(day))) + "'"}
}
