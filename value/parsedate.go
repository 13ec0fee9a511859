package value

import (
	"math"
	"strings"
)

// javaTrim drops the characters up to blank at both ends, as String.trim.
func javaTrim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}

// plainInt reads an optional-sign integer of Java's int range.
func plainInt(s string) (int, bool) {
	i, neg := 0, false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		i = 1
	}
	if i == len(s) {
		return 0, false
	}
	n := 0
	for ; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
		if n > math.MaxInt32 {
			return 0, false
		}
	}
	if neg {
		n = -n
	}
	return n, true
}

// ParseDate reads a date as CAST and TO_DATE do: yyyy-M-d, yyyy-M, yyyy; what follows
// a blank is dropped; the day must exist.
func ParseDate(s string) (days int64, ok bool) {
	if i := strings.IndexByte(s, ' '); i > 0 {
		s = s[:i]
	}
	y, m, d := 0, 1, 1
	part := [3]*int{&y, &m, &d}
	for i := 0; ; i++ {
		j := strings.IndexByte(s, '-')
		if j < 0 || i == 2 {
			j = len(s)
		}
		if *part[i], ok = plainInt(javaTrim(s[:j])); !ok {
			return 0, false
		}
		if j == len(s) {
			break
		}
		s = s[j+1:]
	}
	if y < 0 || y > 9999 || m < 1 || m > 12 || d < 1 || d > DaysInMonth(y, m) {
		return 0, false
	}
	return DaysOf(y, m, d), true
}

// ParseTime reads a time of day as CAST does: H, H:m, H:m:s, H:m:s.f with an optional
// +hh:mm or -hh:mm behind; no range is checked. The result is in milliseconds.
func ParseTime(s string) (millis int64, ok bool) {
	end := len(s)
	zoneAt, sign := strings.IndexByte(s, '-'), -1
	if zoneAt < 0 {
		zoneAt, sign = strings.IndexByte(s, '+'), 1
	}
	zh, zm := 0, 0
	if zoneAt >= 0 {
		end = zoneAt
		z := s[zoneAt+1:]
		if i := strings.IndexByte(z, ':'); i < 0 {
			if zh, ok = plainInt(javaTrim(z)); !ok {
				return 0, false
			}
		} else {
			if zh, ok = plainInt(javaTrim(z[:i])); !ok {
				return 0, false
			}
			if zm, ok = plainInt(javaTrim(z[i+1:])); !ok {
				return 0, false
			}
		}
	}
	t := s[:end]
	var hms [3]int
	milli := 0
	for i := 0; i < 3; i++ {
		j := strings.IndexByte(t, ':')
		last := j < 0 || i == 2
		part := t
		if !last {
			part = t[:j]
		} else if i == 2 {
			if dot := strings.IndexByte(t, '.'); dot >= 0 {
				part = t[:dot]
				milli = fractionMillis(javaTrim(t[dot+1:]))
			}
		}
		if hms[i], ok = plainInt(javaTrim(part)); !ok {
			return 0, false
		}
		if last {
			break
		}
		t = t[j+1:]
	}
	h, m := hms[0]+sign*zh, hms[1]+sign*zm
	return int64(int32(h*millisPerHour + m*millisPerMinute + hms[2]*millisPerSecond + milli)), true
}

// fractionMillis reads three digits of a fraction, rounding by the fourth; what is no
// digit counts as zero.
func fractionMillis(s string) int {
	mult, r := 100, 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= '0' && c <= '9' {
			r += mult * int(c-'0')
		}
		if mult < 10 {
			if i+1 < len(s) && s[i+1] >= '5' {
				r++
			}
			break
		}
		mult /= 10
	}
	return r
}

// timestampReader reads the pattern of Flink's timestamps by the rules of
// java.time: yyyy-[MM][M]-[dd][d][ [HH][H]:[mm][m]:[ss][s][.fraction]].
type timestampReader struct {
	s string
	i int
}

// number reads a field of the form [XX][X]: two digits, else one or more; after two
// digits a further number of the same value is accepted too. Absent is ok = false.
func (r *timestampReader) number() (n int, ok bool) {
	digits := func(max int) (int, int) {
		n, k := 0, 0
		for k < max && r.i+k < len(r.s) && r.s[r.i+k] >= '0' && r.s[r.i+k] <= '9' {
			n = n*10 + int(r.s[r.i+k]-'0')
			k++
		}
		return n, k
	}
	if n, k := digits(2); k == 2 {
		r.i += 2
		if m, k := digits(18); k > 0 && m == n {
			r.i += k
		}
		return n, true
	}
	n, k := digits(18)
	r.i += k
	return n, k > 0
}

func (r *timestampReader) literal(c byte) bool {
	if r.i < len(r.s) && r.s[r.i] == c {
		r.i++
		return true
	}
	return false
}

// ParseTimestamp reads a timestamp as CAST does, into epoch milliseconds and nanoseconds of the
// milli, cut to p digits; days 29 to 31 that do not exist become the last of the month.
func ParseTimestamp(s string, p int) (millis int64, nanoOfMilli int, err error) {
	fail := func(at int) (int64, int, error) {
		return 0, 0, &CastError{classDateTimeParse, "Text '" + s + "' could not be parsed at index " + string(AppendInt(nil, int64(at)))}
	}
	r := timestampReader{s: s}
	year, k := 0, 0
	for k < 10 && k < len(s) && s[k] >= '0' && s[k] <= '9' {
		year = year*10 + int(s[k]-'0')
		k++
	}
	if k != 4 {
		return fail(0)
	}
	r.i = 4
	if !r.literal('-') {
		return fail(r.i)
	}
	month, hasMonth := r.number()
	if !r.literal('-') {
		return fail(r.i)
	}
	day, hasDay := r.number()
	var h, m, sec, nanos int
	if r.i < len(s) && s[r.i] == ' ' {
		at := r.i
		r.i++
		var ok bool
		h, _ = r.number()
		if ok = r.literal(':'); ok {
			m, _ = r.number()
			if ok = r.literal(':'); ok {
				sec, _ = r.number()
				nanos = r.fraction()
			}
		}
		if !ok {
			r.i, h, m = at, 0, 0
		}
	}
	if r.i < len(s) {
		return 0, 0, &CastError{classDateTimeParse, "Text '" + s + "' could not be parsed, unparsed text found at index " + string(AppendInt(nil, int64(r.i)))}
	}
	if !hasMonth {
		month = 1
	}
	if !hasDay {
		day = 1
	}
	if year == 0 || month < 1 || month > 12 || day < 1 || day > 31 || h > 23 || m > 59 || sec > 59 {
		return 0, 0, rangeError(s, year, month, day, h, m, sec)
	}
	day = min(day, DaysInMonth(year, month))
	nanos = cutNanos(nanos, p)
	ms := DaysOf(year, month, day)*MillisPerDay + int64(h)*millisPerHour + int64(m)*millisPerMinute + int64(sec)*millisPerSecond + int64(nanos/1e6)
	return ms, nanos % 1e6, nil
}

func (r *timestampReader) fraction() int {
	if r.i >= len(r.s) || r.s[r.i] != '.' {
		return 0
	}
	i, n, k := r.i+1, 0, 0
	for ; k < 9 && i < len(r.s) && r.s[i] >= '0' && r.s[i] <= '9'; k++ {
		n = n*10 + int(r.s[i]-'0')
		i++
	}
	r.i = i
	for ; k < 9; k++ {
		n *= 10
	}
	return n
}

// cutNanos drops the digits of a fraction beyond p.
func cutNanos(nanos, p int) int {
	d := 1
	for ; p < 9; p++ {
		d *= 10
	}
	return nanos / d * d
}

// rangeError is the message of java.time for the first field out of range.
func rangeError(s string, year, month, day, h, m, sec int) error {
	for _, f := range []struct {
		name      string
		v, lo, hi int
		limits    string
	}{
		{"YearOfEra", year, 1, 9999, "1 - 999999999/1000000000"},
		{"MonthOfYear", month, 1, 12, "1 - 12"},
		{"DayOfMonth", day, 1, 31, "1 - 28/31"},
		{"HourOfDay", h, 0, 23, "0 - 23"},
		{"MinuteOfHour", m, 0, 59, "0 - 59"},
		{"SecondOfMinute", sec, 0, 59, "0 - 59"},
	} {
		if f.v < f.lo || f.v > f.hi {
			return &CastError{classDateTimeParse, "Text '" + s + "' could not be parsed: Invalid value for " + f.name +
				" (valid values " + f.limits + "): " + string(AppendInt(nil, int64(f.v)))}
		}
	}
	return &CastError{classDateTimeParse, "Text '" + s + "' could not be parsed"}
}
