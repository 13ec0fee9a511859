package value

// The dates and times of the file formats (CSV, JSON), which read by other patterns
// than CAST does. Errors are *CastError.

const classIllegalArgument = "java.lang.IllegalArgumentException"

// isoDate reads the piece yyyy-MM-dd of java.time's ISO formats.
func (r *javaTime) isoDate() bool {
	return r.number(fieldProlepticYear, 4, 10, signExceedsPad) && r.literal('-') &&
		r.number(fieldMonth, 2, 2, signNotNegative) && r.literal('-') &&
		r.number(fieldDay, 2, 2, signNotNegative)
}

// sqlTime reads HH:mm:ss with an optional fraction.
func (r *javaTime) sqlTime() bool {
	return r.number(fieldHour, 2, 2, signNotNegative) && r.literal(':') &&
		r.number(fieldMinute, 2, 2, signNotNegative) && r.literal(':') &&
		r.number(fieldSecond, 2, 2, signNotNegative) && r.fraction()
}

// isoTime reads HH:mm with optional seconds and fraction.
func (r *javaTime) isoTime() bool {
	if !(r.number(fieldHour, 2, 2, signNotNegative) && r.literal(':') && r.number(fieldMinute, 2, 2, signNotNegative)) {
		return false
	}
	r.optional(func() bool {
		return r.literal(':') && r.number(fieldSecond, 2, 2, signNotNegative) && r.fraction()
	})
	return true
}

// TimestampFormat is the form of a timestamp in a file.
type TimestampFormat struct {
	// ISO: date and time are joined by T and the seconds may be missing; otherwise by a blank.
	ISO bool
	// Z: a letter Z ends the text (TIMESTAMP_LTZ).
	Z bool
}

// ParseFormatTimestamp reads a timestamp of a file into epoch milliseconds and
// nanoseconds of the milli. The fraction is not cut.
func ParseFormatTimestamp(s string, f TimestampFormat) (millis int64, nanoOfMilli int, err error) {
	if ms, nanos, ok := fastTimestamp(s, f); ok {
		return ms, nanos, nil
	}
	r := javaTime{s: s}
	sep, time := byte(' '), r.sqlTime
	if f.ISO {
		sep, time = 'T', r.isoTime
	}
	if !(r.isoDate() && r.literal(sep) && time() && (!f.Z || r.literal('Z'))) {
		return 0, 0, r.failure()
	}
	if r.pos < len(s) {
		return 0, 0, r.unparsed()
	}
	// ISO_LOCAL_DATE_TIME itself resolves strictly; what Flink composes is SMART.
	r.strict = f.ISO && !f.Z
	return r.resolve(9)
}

// ParseISOTime reads a time of day, HH:mm[:ss[.fraction]], into nanoseconds of the day.
func ParseISOTime(s string) (nanos int64, err error) {
	r := javaTime{s: s, strict: true}
	if !r.isoTime() {
		return 0, r.failure()
	}
	if r.pos < len(s) {
		return 0, r.unparsed()
	}
	r.has[fieldProlepticYear], r.fields[fieldProlepticYear] = true, 1970
	ms, rest, err := r.resolve(9)
	return ms*1e6 + int64(rest), err
}

// ParseSQLTime reads HH:mm:ss with an optional fraction, as JSON's times, into nanoseconds of the day.
func ParseSQLTime(s string) (nanos int64, err error) {
	r := javaTime{s: s}
	if !r.sqlTime() {
		return 0, r.failure()
	}
	if r.pos < len(s) {
		return 0, r.unparsed()
	}
	r.has[fieldProlepticYear], r.fields[fieldProlepticYear] = true, 1970
	ms, rest, err := r.resolve(9)
	return ms*1e6 + int64(rest), err
}

// ParseISODate reads yyyy-MM-dd strictly, into epoch days.
func ParseISODate(s string) (days int64, err error) {
	if d, ok := fastDate(s); ok {
		return d, nil
	}
	r := javaTime{s: s, strict: true}
	if !r.isoDate() {
		return 0, r.failure()
	}
	if r.pos < len(s) {
		return 0, r.unparsed()
	}
	ms, _, err := r.resolve(9)
	return floorDiv(ms, MillisPerDay), err
}

// fastTimestamp reads the plain form yyyy?MM?dd?HH:mm:ss[.f] with values in range;
// everything else is left to the full reader.
func fastTimestamp(s string, f TimestampFormat) (millis int64, nanoOfMilli int, ok bool) {
	n := len(s)
	if f.Z {
		if n == 0 || s[n-1] != 'Z' {
			return 0, 0, false
		}
		n--
	}
	sep := byte(' ')
	if f.ISO {
		sep = 'T'
	}
	if n < 19 || s[10] != sep || s[13] != ':' || s[16] != ':' {
		return 0, 0, false
	}
	days, ok := fastDate(s[:10])
	if !ok {
		return 0, 0, false
	}
	h, ok1 := twoDigits(s, 11, 23)
	m, ok2 := twoDigits(s, 14, 59)
	sec, ok3 := twoDigits(s, 17, 59)
	if !ok1 || !ok2 || !ok3 {
		return 0, 0, false
	}
	nanos := 0
	if n > 19 {
		if s[19] != '.' || n > 29 {
			return 0, 0, false
		}
		for i := 20; i < n; i++ {
			if s[i] < '0' || s[i] > '9' {
				return 0, 0, false
			}
			nanos = nanos*10 + int(s[i]-'0')
		}
		nanos *= int(pow10Low[29-n])
	}
	return days*MillisPerDay + int64(h)*millisPerHour + int64(m)*millisPerMinute + int64(sec)*millisPerSecond + int64(nanos/1e6), nanos % 1e6, true
}

// fastDate reads yyyy-MM-dd of an existing day in the years 0001 to 9999.
func fastDate(s string) (days int64, ok bool) {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return 0, false
	}
	c, ok1 := twoDigits(s, 0, 99)
	y, ok2 := twoDigits(s, 2, 99)
	m, ok3 := twoDigits(s, 5, 12)
	d, ok4 := twoDigits(s, 8, 31)
	if !ok1 || !ok2 || !ok3 || !ok4 || c+y == 0 || m == 0 || d == 0 || d > 28 && d > DaysInMonth(c*100+y, m) {
		return 0, false
	}
	return DaysOf(c*100+y, m, d), true
}

func twoDigits(s string, i, limit int) (int, bool) {
	a, b := s[i]-'0', s[i+1]-'0'
	if a > 9 || b > 9 {
		return 0, false
	}
	n := int(a)*10 + int(b)
	return n, n <= limit
}

// ParseJDBCDate reads a date as java.sql.Date.valueOf does: yyyy-M-d, where a day
// beyond the end of its month runs over into the next. Dates before 15 October 1582 are
// of the Julian calendar there, whose fields are kept.
func ParseJDBCDate(s string) (days int64, err error) {
	if d, ok := fastDate(s); ok && d >= gregorianStart {
		return d, nil
	}
	first := indexByte(s, '-', 0)
	second := indexByte(s, '-', first+1)
	n := len(s)
	if first != 4 || second < 0 || second-first < 2 || second-first > 3 || n-second < 2 || n-second > 3 {
		return 0, &CastError{Class: classIllegalArgument}
	}
	var f [3]int
	for i, p := range [3]string{s[:first], s[first+1 : second], s[second+1:]} {
		if f[i], err = parseIntPart(p); err != nil {
			return 0, err
		}
	}
	y, m, d := f[0], f[1], f[2]
	if m < 1 || m > 12 || d < 1 || d > 31 {
		return 0, &CastError{Class: classIllegalArgument}
	}
	return lenientDate(y, m, d)
}

// gregorianStart is 1582-10-15, the first day of the Gregorian calendar in java.util.Date.
const gregorianStart = -141427

// lenientDate normalises the fields in java.util's calendar, then takes them for a
// date of java.time.
func lenientDate(y, m, d int) (int64, error) {
	if y > 1582 || y == 1582 && (m > 10 || m == 10 && d >= 15) {
		return DaysOf(y, m, d), nil
	}
	last := DaysInMonth(y, m)
	if m == 2 && y%4 == 0 {
		last = 29
	}
	if d > last {
		d -= last
		if m++; m > 12 {
			y, m = y+1, 1
		}
	}
	if y == 0 {
		// The year 0 is 1 BC there, and the era is lost.
		y = 1
	}
	if y == 1582 && m == 10 && d > 4 {
		d += 10
	}
	if d > DaysInMonth(y, m) {
		return 0, &CastError{classDateTime, "Invalid date 'February 29' as '" + string(AppendInt(nil, int64(y))) + "' is not a leap year"}
	}
	return DaysOf(y, m, d), nil
}

func indexByte(s string, c byte, from int) int {
	for i := from; i < len(s); i++ {
		if s[i] == c {
			return i
		}
	}
	return -1
}

// parseIntPart is Integer.parseInt(text, begin, end, 10), whose error names a place.
func parseIntPart(s string) (int, error) {
	i := 0
	if s != "" && (s[0] == '+' || s[0] == '-') {
		i = 1
	}
	n := 0
	for j := i; j < len(s); j++ {
		if s[j] < '0' || s[j] > '9' {
			return 0, &CastError{classNumberFormat, "Error at index " + string(AppendInt(nil, int64(j))) + " in: \"" + s + "\""}
		}
		n = n*10 + int(s[j]-'0')
	}
	if i == len(s) {
		return 0, &CastError{classNumberFormat, "Error at index 1 in: \"" + s + "\""}
	}
	if s[0] == '-' {
		n = -n
	}
	return n, nil
}
