package config

import (
	"math"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones must not depend on the machine

	"github.com/labgrade/labgrade/reference/flinkerr"
)

// ParseDuration reads a duration as Flink's TimeUtils does: digits and a unit, blanks
// between them allowed, milliseconds without a unit; or ISO-8601 as PT5S.
func ParseDuration(text string) (time.Duration, error) {
	t := strings.TrimSpace(text)
	if t == "" {
		return 0, flinkerr.New(classIllegalArgument, "argument is an empty- or whitespace-only string")
	}
	if strings.HasPrefix(t, "P") {
		d, err := isoDuration(t)
		if err != nil {
			return 0, noDuration(t)
		}
		return d, nil
	}
	n := 0
	for n < len(t) && t[n] >= '0' && t[n] <= '9' {
		n++
	}
	if n == 0 {
		return 0, noDuration(t)
	}
	v, err := strconv.ParseInt(t[:n], 10, 64)
	if err != nil {
		return 0, flinkerr.New(classIllegalArgument, "The value '%s' cannot be represented as java.time.Duration (numeric overflow).", t[:n])
	}
	unit, ok := durationUnit(strings.ToLower(strings.TrimSpace(t[n:])))
	if !ok {
		return 0, flinkerr.New(classIllegalArgument, "Time interval unit label '%s' does not match any of the recognized units: DAYS: (d | day | days), HOURS: (h | hour | hours), MINUTES: (min | m | minute | minutes), SECONDS: (s | sec | secs | second | seconds), MILLISECONDS: (ms | milli | millis | millisecond | milliseconds), MICROSECONDS: (µs | micro | micros | microsecond | microseconds), NANOSECONDS: (ns | nano | nanos | nanosecond | nanoseconds)", strings.ToLower(strings.TrimSpace(t[n:])))
	}
	if v > int64(math.MaxInt64/unit) {
		return math.MaxInt64, nil
	}
	return time.Duration(v) * unit, nil
}

func noDuration(text string) error {
	return flinkerr.New("java.lang.NumberFormatException", "text does not start with a number, and is not a valid ISO-8601 duration format: %s", text)
}

func durationUnit(u string) (time.Duration, bool) {
	switch u {
	case "", "ms", "milli", "millis", "millisecond", "milliseconds":
		return time.Millisecond, true
	case "d", "day", "days":
		return 24 * time.Hour, true
	case "h", "hour", "hours":
		return time.Hour, true
	case "min", "m", "minute", "minutes":
		return time.Minute, true
	case "s", "sec", "secs", "second", "seconds":
		return time.Second, true
	case "µs", "micro", "micros", "microsecond", "microseconds":
		return time.Microsecond, true
	case "ns", "nano", "nanos", "nanosecond", "nanoseconds":
		return time.Nanosecond, true
	}
	return 0, false
}

func isoDuration(t string) (time.Duration, error) {
	bad := flinkerr.New("java.time.format.DateTimeParseException", "Text cannot be parsed to a Duration")
	rest := strings.ToUpper(t[1:])
	var d time.Duration
	inTime := false
	for rest != "" {
		if rest[0] == 'T' {
			inTime = true
			rest = rest[1:]
			continue
		}
		n := 0
		for n < len(rest) && (rest[n] >= '0' && rest[n] <= '9' || rest[n] == '.' || rest[n] == '-') {
			n++
		}
		if n == 0 || n == len(rest) {
			return 0, bad
		}
		f, err := strconv.ParseFloat(rest[:n], 64)
		if err != nil {
			return 0, bad
		}
		switch {
		case rest[n] == 'D' && !inTime:
			d += time.Duration(f * float64(24*time.Hour))
		case rest[n] == 'H' && inTime:
			d += time.Duration(f * float64(time.Hour))
		case rest[n] == 'M' && inTime:
			d += time.Duration(f * float64(time.Minute))
		case rest[n] == 'S' && inTime:
			d += time.Duration(f * float64(time.Second))
		default:
			return 0, bad
		}
		rest = rest[n+1:]
	}
	return d, nil
}

// ParseZone reads a zone id (Asia/Seoul) or a fixed offset (GMT+08:00, GMT+8, UTC).
func ParseZone(id string) (*time.Location, error) {
	switch id {
	case "UTC", "GMT":
		return time.UTC, nil
	case "", "Local", "EST", "MST", "HST": // short names, which Java reads as offsets
		return nil, badZone()
	}
	if off, ok := strings.CutPrefix(id, "GMT"); ok && len(off) > 1 && (off[0] == '+' || off[0] == '-') {
		secs, ok := zoneOffset(off[1:])
		if !ok {
			return nil, badZone()
		}
		if off[0] == '-' {
			secs = -secs
		}
		return time.FixedZone(id, secs), nil
	}
	if loc, err := time.LoadLocation(id); err == nil {
		return loc, nil
	}
	return nil, badZone()
}

func badZone() error {
	return flinkerr.Validation("Invalid time zone. The value should be a Time Zone Database (TZDB) ID such as 'America/Los_Angeles' to include daylight saving time. Fixed offsets are supported using 'GMT-03:00' or 'GMT+03:00'. Or use 'UTC' without time zone and daylight saving time.")
}

// zoneOffset reads h, hh, hhmm or hh:mm, up to 18 hours: what both of Java's classes for zones
// take as the same offset.
func zoneOffset(s string) (int, bool) {
	hours, minutes, colon := strings.Cut(s, ":")
	if !colon && len(s) == 4 {
		hours, minutes = s[:2], s[2:]
	}
	digits := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	if !digits(hours) || !digits(minutes) || len(hours) > 2 || len(hours) == 0 || colon && len(hours) != 2 || minutes != "" && len(minutes) != 2 || colon && minutes == "" {
		return 0, false
	}
	h, _ := strconv.Atoi(hours)
	m, _ := strconv.Atoi("0" + minutes)
	secs := h*3600 + m*60
	return secs, m < 60 && secs <= 18*3600
}
