package value

import "time"

// LocalToMillis turns local wall-clock milliseconds into epoch milliseconds, as
// java.time does: a time that occurs twice is the earlier one, a time that the clock
// skips is moved forward by the gap.
func LocalToMillis(local int64, zone *time.Location) int64 {
	if zone == nil || zone == time.UTC {
		return local
	}
	offset := func(millis int64) int64 {
		_, off := time.UnixMilli(millis).In(zone).Zone()
		return int64(off) * 1000
	}
	const reach = 26 * millisPerHour
	before, after := offset(local-reach), offset(local+reach)
	if before == after || offset(local-before) == before {
		return local - before
	}
	if offset(local-after) == after {
		return local - after
	}
	return local - before
}

// TruncateTimestamp cuts the fraction to p digits. Like Flink's own cutting it goes
// toward zero below the epoch for p <= 3, and looks at the fraction as a number: one
// with at most p digits, such as 5 nanoseconds, stays.
func TruncateTimestamp(v Value, p int) Value {
	if !v.set {
		return v
	}
	nanos := v.n%1000*1e6 + v.hi
	if v.n%1000 < 0 {
		nanos += 1e9
	}
	digits := 1
	for n := nanos; n >= 10; n /= 10 {
		digits++
	}
	if digits <= p {
		return v
	}
	if p <= 3 {
		d := int64(pow10Low[3-p])
		return Timestamp(v.n/d*d, 0)
	}
	d := int64(pow10Low[9-p])
	return Timestamp(v.n, int(v.hi/d*d))
}

func truncateTime(millis int64, p int) int64 {
	if p >= 3 {
		return millis
	}
	d := int64(pow10Low[3-p])
	return millis / d * d
}

// toDatetimeCaster covers DATE, TIME, TIMESTAMP and TIMESTAMP_LTZ.
func toDatetimeCaster(from, to Type, opt CastOptions) CastFunc {
	p := to.Precision
	if from.IsCharacter() {
		return stringToDatetime(to, opt)
	}
	switch to.Kind {
	case KindDate:
		return func(v Value) (Value, error) {
			ms := v.n
			if from.Kind == KindTimestampLTZ {
				days, _ := SplitMillis(ZoneMillis(ms, opt.Zone))
				return Int(days), nil
			}
			return Int(int64(int32(ms / MillisPerDay))), nil
		}
	case KindTime:
		return func(v Value) (Value, error) {
			switch from.Kind {
			case KindTime:
				return Int(truncateTime(v.n, p)), nil
			case KindTimestampLTZ:
				_, ofDay := SplitMillis(ZoneMillis(v.n, opt.Zone))
				return Int(truncateTime(ofDay, p)), nil
			}
			return Int(truncateTime(v.n%MillisPerDay, p)), nil
		}
	}
	ltz := to.Kind == KindTimestampLTZ
	return func(v Value) (Value, error) {
		switch from.Kind {
		case KindDate, KindTime:
			ms := v.n
			if from.Kind == KindDate {
				ms *= MillisPerDay
			}
			if ltz {
				ms = LocalToMillis(ms, opt.Zone)
			}
			return Timestamp(ms, 0), nil
		}
		ms := v.n
		switch {
		case from.Kind == KindTimestampLTZ && !ltz:
			ms = ZoneMillis(ms, opt.Zone)
		case from.Kind == KindTimestamp && ltz:
			ms = LocalToMillis(ms, opt.Zone)
		}
		return TruncateTimestamp(Timestamp(ms, int(v.hi)), p), nil
	}
}

func stringToDatetime(to Type, opt CastOptions) CastFunc {
	return func(v Value) (Value, error) {
		switch to.Kind {
		case KindDate:
			d, err := parseCastDate(v.s)
			if err == notDigits {
				err = &CastError{classDateTime, "For input string: '" + v.s + "'."}
			}
			if err != nil {
				return Null, err
			}
			return Int(d), nil
		case KindTime:
			t, err := parseCastTime(v.s)
			if err == notDigits {
				err = &CastError{classDateTime, "Invalid time format: '" + v.s +
					"'. Expected format: HH:mm:ss[.fff] where HH is 00-23, mm is 00-59, ss is 00-59"}
			}
			if err != nil {
				return Null, err
			}
			return Int(truncateTime(t, to.Precision)), nil
		}
		ms, nanos, err := ParseTimestamp(v.s, to.Precision)
		if err != nil {
			return Null, err
		}
		if to.Kind == KindTimestampLTZ {
			ms = LocalToMillis(ms, opt.Zone)
		}
		return Timestamp(ms, nanos), nil
	}
}

// toIntervalCaster: an integer counts months or milliseconds, whatever the unit of the
// interval is called.
func toIntervalCaster(_, to Type) CastFunc {
	if to.Kind == KindIntervalYearMonth {
		return func(v Value) (Value, error) { return Int(int64(int32(v.n))), nil }
	}
	return identity
}
