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
		return isoDuration(t)
	}
	n := 0
	for n < len(t) && t[n] >= '0' && t[n] <= '9' {
		n++
	}
	if n == 0 {
		return 0, flinkerr.New("java.lang.NumberFormatException", "text does not start with a number")
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

// ParseZone reads a zone id (Asia/Seoul) or a fixed offset (GMT+08:00, +08:00, UTC).
func ParseZone(id string) (*time.Location, error) {
	switch id {
	case "UTC", "GMT", "Z", "UT":
		return time.UTC, nil
	}
	off := strings.TrimPrefix(strings.TrimPrefix(id, "GMT"), "UTC")
	if len(off) > 1 && (off[0] == '+' || off[0] == '-') {
		if secs, ok := zoneOffset(off[1:]); ok {
			if off[0] == '-' {
				secs = -secs
			}
			return time.FixedZone(id, secs), nil
		}
	}
	if loc, err := time.LoadLocation(id); err == nil && id != "" && id != "Local" {
		return loc, nil
	}
	return nil, flinkerr.New("java.lang.IllegalArgumentException", "Invalid time zone. The value should be a Time Zone Database (TZDB) ID such as 'America/Los_Angeles' to include daylight saving time. Fixed offsets are supported using 'GMT-03:00' or 'GMT+03:00'. Or use 'UTC' without time zone and daylight saving time.")
}

func zoneOffset(s string) (int, bool) {
	parts := strings.Split(s, ":")
	total := 0
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || i > 2 {
			return 0, false
		}
		total += n * []int{3600, 60, 1}[i]
	}
	return total, true
}
