package value

import (
	"math"
	"strings"
)

// javaTrim drops the characters up to blank at both ends, as String.trim.
func javaTrim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}

// notDigits is the refusal of a text that is no date or time; every other error of
// plainInt is Java's own.
var notDigits = &CastError{Class: classDateTime}

// plainInt reads digits alone; beyond Java's int range the error is Java's.
func plainInt(s string) (int, error) {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, notDigits
		}
		n = min(n*10+int(s[i]-'0'), math.MaxInt32+1)
	}
	switch {
	case s == "":
		return 0, notDigits
	case n > math.MaxInt32:
		return 0, &CastError{classNumberFormat, "For input string: \"" + s + "\""}
	}
	return n, nil
}

// ParseDate reads a date as CAST and TO_DATE do: yyyy-M-d, yyyy-M, yyyy; what follows
// a blank is dropped; the day must exist.
func ParseDate(s string) (days int64, ok bool) {
	days, err := parseCastDate(s)
	return days, err == nil
}

func parseCastDate(s string) (days int64, err error) {
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
		if *part[i], err = plainInt(javaTrim(s[:j])); err != nil {
			return 0, err
		}
		if j == len(s) {
			break
		}
		s = s[j+1:]
	}
	if y < 0 || y > 9999 || m < 1 || m > 12 || d < 1 || d > DaysInMonth(y, m) {
		return 0, notDigits
	}
	return DaysOf(y, m, d), nil
}

// ParseTime reads a time of day as CAST does: H, H:m, H:m:s, H:m:s.f with an optional
// +hh:mm or -hh:mm behind, which is added as it stands. The result is in
// milliseconds and may lie outside the day.
func ParseTime(s string) (millis int64, ok bool) {
	millis, err := parseCastTime(s)
	return millis, err == nil
}

func parseCastTime(s string) (millis int64, err error) {
	end := len(s)
	zoneAt, sign := strings.IndexByte(s, '-'), -1
	if zoneAt < 0 {
		zoneAt, sign = strings.IndexByte(s, '+'), 1
	}
	zh, zm := 0, 0
	if zoneAt >= 0 {
		end = zoneAt
		h, m, both := strings.Cut(s[zoneAt+1:], ":")
		if zh, err = plainInt(javaTrim(h)); err != nil {
			return 0, err
		}
		if both {
			if zm, err = plainInt(javaTrim(m)); err != nil {
				return 0, err
			}
		}
	}
	// The colons are looked for in the whole text: one of the zone makes the part
	// before it wrong.
	var hms [3]int
	milli, from := 0, 0
	for i := range hms {
		to, last := end, true
		if j := strings.IndexByte(s[from:], ':'); j >= 0 && i < 2 {
			to, last = from+j, false
		} else if i == 2 {
			if dot := strings.IndexByte(s[from:], '.'); dot >= 0 {
				to = from + dot
				milli = fractionMillis(javaTrim(s[min(to+1, end):end]))
			}
		}
		if to < from {
			return 0, notDigits
		}
		if hms[i], err = plainInt(javaTrim(s[from:to])); err != nil {
			return 0, err
		}
		if last {
			break
		}
		from = to + 1
	}
	if hms[0] > 23 || hms[1] > 59 || hms[2] > 59 {
		return 0, notDigits
	}
	h, m := hms[0]+sign*zh, hms[1]+sign*zm
	return int64(int32(h*millisPerHour + m*millisPerMinute + hms[2]*millisPerSecond + milli)), nil
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

// ParseTimestamp reads a timestamp as CAST and TO_TIMESTAMP do, by the pattern
// yyyy-[MM][M]-[dd][d][ [HH][H]:[mm][m]:[ss][s][.fraction]] and the rules of java.time. The
// fraction is cut to p digits. The error is a *CastError.
func ParseTimestamp(s string, p int) (millis int64, nanoOfMilli int, err error) {
	r := javaTime{s: s}
	if !r.number(fieldYear, 4, 19, signExceedsPad) || !r.literal('-') {
		return 0, 0, r.failure()
	}
	r.shortOrLong(fieldMonth)
	if !r.literal('-') {
		return 0, 0, r.failure()
	}
	r.shortOrLong(fieldDay)
	r.optional(func() bool {
		if !r.literal(' ') {
			return false
		}
		r.shortOrLong(fieldHour)
		if !r.literal(':') {
			return false
		}
		r.shortOrLong(fieldMinute)
		if !r.literal(':') {
			return false
		}
		r.shortOrLong(fieldSecond)
		return r.fraction()
	})
	if r.pos < len(s) {
		return 0, 0, r.unparsed()
	}
	return r.resolve(p)
}
