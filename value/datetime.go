package value

// Milliseconds in a day, hour, minute, second.
const (
	MillisPerDay    = 86400000
	millisPerHour   = 3600000
	millisPerMinute = 60000
	millisPerSecond = 1000
)

// CivilOf splits epoch days into the proleptic Gregorian date.
func CivilOf(days int64) (year, month, day int) {
	z := days + 719468
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy - (153*mp+2)/5 + 1)
	month = int(mp + 3)
	if month > 12 {
		month -= 12
	}
	y := yoe + era*400
	if month <= 2 {
		y++
	}
	return int(y), month, day
}

// DaysOf is the epoch day of a date; day may lie outside its month, as in Flink's
// lenient reading of dates.
func DaysOf(year, month, day int) int64 {
	y := int64(year)
	if month <= 2 {
		y--
	}
	era := floorDiv(y, 400)
	yoe := y - era*400
	m := int64(month)
	if m > 2 {
		m -= 3
	} else {
		m += 9
	}
	doy := (153*m+2)/5 + int64(day) - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468
}

// DaysInMonth is the length of a month.
func DaysInMonth(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// SplitMillis splits epoch milliseconds into epoch days and milliseconds of the day.
func SplitMillis(millis int64) (days int64, ofDay int64) {
	days = floorDiv(millis, MillisPerDay)
	return days, millis - days*MillisPerDay
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func append2(dst []byte, n int) []byte { return append(dst, byte('0'+n/10%10), byte('0'+n%10)) }

func append4(dst []byte, n int) []byte {
	return append(dst, byte('0'+n/1000%10), byte('0'+n/100%10), byte('0'+n/10%10), byte('0'+n%10))
}

// AppendDate appends yyyy-MM-dd. Like Flink's printing it keeps four digits of the year.
func AppendDate(dst []byte, days int64) []byte {
	y, m, d := CivilOf(days)
	dst = append4(dst, y)
	dst = append(dst, '-')
	dst = append2(dst, m)
	dst = append(dst, '-')
	return append2(dst, d)
}

func appendHMS(dst []byte, ofDay int64) []byte {
	dst = append2(dst, int(ofDay/millisPerHour))
	dst = append(dst, ':')
	dst = append2(dst, int(ofDay/millisPerMinute%60))
	dst = append(dst, ':')
	return append2(dst, int(ofDay/millisPerSecond%60))
}

// AppendTime appends HH:mm:ss with at most p digits of fraction; trailing zeros are
// dropped but for the first digit: TIME(3) prints 00:00:00.0.
func AppendTime(dst []byte, millis int64, p int) []byte {
	for millis < 0 {
		millis += MillisPerDay
	}
	dst = appendHMS(dst, millis)
	if p > 0 {
		dst = append(dst, '.')
		ms := int(millis % 1000)
		for ; p > 0; p-- {
			dst = append(dst, byte('0'+ms/100%10))
			ms = ms % 100 * 10
			if ms == 0 {
				break
			}
		}
	}
	return dst
}

// AppendTimestamp appends yyyy-MM-dd HH:mm:ss and exactly p digits of fraction; what
// the value has beyond them is not shown.
func AppendTimestamp(dst []byte, millis int64, nanoOfMilli int, p int) []byte {
	days, ofDay := SplitMillis(millis)
	dst = AppendDate(dst, days)
	dst = append(dst, ' ')
	dst = appendHMS(dst, ofDay)
	return appendFraction(dst, int(ofDay%1000)*1e6+nanoOfMilli, p)
}

// appendFraction appends '.' and the first p of nine digits; nothing for p = 0.
func appendFraction(dst []byte, nanos, p int) []byte {
	if p == 0 {
		return dst
	}
	dst = append(dst, '.')
	for i := 8; i >= 9-p; i-- {
		dst = append(dst, byte('0'+nanos/int(pow10Low[i])%10))
	}
	return dst
}

// AppendIntervalYearMonth appends +years-months: "+2-03". Months are a Java int, whose
// smallest value has no opposite: "--178956970-0-8".
func AppendIntervalYearMonth(dst []byte, months int64) []byte {
	m := int32(months)
	if m < 0 {
		dst, m = append(dst, '-'), -m
	} else {
		dst = append(dst, '+')
	}
	dst = AppendInt(dst, int64(m/12))
	return appendJavaPadded(append(dst, '-'), m%12, 2)
}

// AppendIntervalDayTime appends "+days HH:mm:ss.SSS". The days are a Java int, the smallest
// number of milliseconds has no opposite.
func AppendIntervalDayTime(dst []byte, millis int64) []byte {
	if millis < 0 {
		dst, millis = append(dst, '-'), -millis
	} else {
		dst = append(dst, '+')
	}
	dst = AppendInt(dst, int64(int32(millis/MillisPerDay)))
	ofDay := int32(millis % MillisPerDay)
	dst = appendJavaPadded(append(dst, ' '), ofDay/3_600_000, 2)
	dst = appendJavaPadded(append(dst, ':'), ofDay/60_000%60, 2)
	dst = appendJavaPadded(append(dst, ':'), ofDay/1000%60, 2)
	return appendJavaPadded(append(dst, '.'), ofDay%1000, 3)
}

// appendJavaPadded appends zeros up to n digits and then the number, sign and all, as
// DateTimeUtils.number does.
func appendJavaPadded(dst []byte, v int32, n int) []byte {
	digits := 1
	for w := v / 10; w != 0; w /= 10 {
		digits++
	}
	for ; digits < n; digits++ {
		dst = append(dst, '0')
	}
	return AppendInt(dst, int64(v))
}
