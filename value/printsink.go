package value

import "time"

// AppendExternal appends the text of v as the print sink shows it: Java's toString of
// the object that leaves Flink: null, true, 1.000E-7, 2026-02-03T04:05, [0, -1], +I[1, x].
func AppendExternal(dst []byte, t *Type, v Value) []byte {
	if !v.set {
		return append(dst, "null"...)
	}
	switch t.Kind {
	case KindBoolean:
		if v.n != 0 {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case KindDecimal:
		return AppendBigDecimal(dst, v.Dec(), t.Scale)
	case KindBinary, KindVarbinary:
		dst = append(dst, '[')
		for i := 0; i < len(v.s); i++ {
			if i > 0 {
				dst = append(dst, ',', ' ')
			}
			dst = AppendInt(dst, int64(int8(v.s[i])))
		}
		return append(dst, ']')
	case KindDate:
		return appendISODate(dst, v.n)
	case KindTime:
		return appendISOTime(dst, v.n, 0)
	case KindTimestamp:
		days, ofDay := SplitMillis(v.n)
		dst = append(appendISODate(dst, days), 'T')
		return appendISOTime(dst, ofDay, int(v.hi))
	case KindTimestampLTZ:
		return appendInstant(dst, v.n, int(v.hi))
	case KindIntervalYearMonth:
		return appendPeriod(dst, v.n)
	case KindIntervalDayTime:
		return appendDuration(dst, v.n)
	case KindArray:
		return appendExternals(dst, "[", v.c.Elems, func(int) *Type { return t.Elem })
	case KindRow:
		return appendExternals(dst, "+I[", v.c.Elems, func(i int) *Type { return &t.Fields[i].Type })
	case KindMap, KindMultiset:
		kt, vt := t.Key, t.Elem
		if t.Kind == KindMultiset {
			count := TInt
			kt, vt = t.Elem, &count
		}
		dst = append(dst, '{')
		for n, i := range externalOrder(kt, v.c.Keys) {
			if n > 0 {
				dst = append(dst, ',', ' ')
			}
			dst = append(AppendExternal(dst, kt, v.c.Keys[i]), '=')
			dst = AppendExternal(dst, vt, v.c.Elems[i])
		}
		return append(dst, '}')
	}
	return appendText(dst, t, v, time.UTC, styleCast)
}

func appendExternals(dst []byte, open string, elems []Value, typ func(int) *Type) []byte {
	dst = append(dst, open...)
	for i, e := range elems {
		if i > 0 {
			dst = append(dst, ',', ' ')
		}
		dst = AppendExternal(dst, typ(i), e)
	}
	return append(dst, ']')
}

// appendISODate is LocalDate.toString: years beyond 9999 get a sign.
func appendISODate(dst []byte, days int64) []byte {
	y, m, d := CivilOf(days)
	switch {
	case y > 9999:
		dst = AppendInt(append(dst, '+'), int64(y))
	case y < 0:
		dst = append(dst, '-')
		if y > -1000 {
			dst = append4(dst, -y)
		} else {
			dst = AppendInt(dst, int64(-y))
		}
	default:
		dst = append4(dst, y)
	}
	dst = append(dst, '-')
	dst = append2(dst, m)
	dst = append(dst, '-')
	return append2(dst, d)
}

// appendISOTime is LocalTime.toString: seconds only if there are any, or a fraction,
// which has 3, 6 or 9 digits.
func appendISOTime(dst []byte, ofDay int64, nanoOfMilli int) []byte {
	ofDay = (ofDay%MillisPerDay + MillisPerDay) % MillisPerDay
	if ofDay%millisPerMinute == 0 && nanoOfMilli == 0 {
		dst = append2(dst, int(ofDay/millisPerHour))
		dst = append(dst, ':')
		return append2(dst, int(ofDay/millisPerMinute%60))
	}
	return appendGroupedFraction(appendHMS(dst, ofDay), int(ofDay%1000)*1e6+nanoOfMilli)
}

// appendGroupedFraction appends a fraction in 0, 3, 6 or 9 digits.
func appendGroupedFraction(dst []byte, nanos int) []byte {
	switch {
	case nanos == 0:
		return dst
	case nanos%1000000 == 0:
		return appendFraction(dst, nanos, 3)
	case nanos%1000 == 0:
		return appendFraction(dst, nanos, 6)
	}
	return appendFraction(dst, nanos, 9)
}

// appendInstant is Instant.toString: seconds always, Z behind.
func appendInstant(dst []byte, millis int64, nanoOfMilli int) []byte {
	days, ofDay := SplitMillis(millis)
	dst = append(appendISODate(dst, days), 'T')
	dst = appendGroupedFraction(appendHMS(dst, ofDay), int(ofDay%1000)*1e6+nanoOfMilli)
	return append(dst, 'Z')
}

// appendPeriod is Period.toString of whole years and months.
func appendPeriod(dst []byte, months int64) []byte {
	if months == 0 {
		return append(dst, "P0D"...)
	}
	dst = append(dst, 'P')
	if y := months / 12; y != 0 {
		dst = append(AppendInt(dst, y), 'Y')
	}
	if m := months % 12; m != 0 {
		dst = append(AppendInt(dst, m), 'M')
	}
	return dst
}

// appendDuration is Duration.toString: hours, minutes, seconds with a fraction.
func appendDuration(dst []byte, millis int64) []byte {
	if millis == 0 {
		return append(dst, "PT0S"...)
	}
	dst = append(dst, 'P', 'T')
	secs := millis / 1000
	if h := secs / 3600; h != 0 {
		dst = append(AppendInt(dst, h), 'H')
	}
	if m := secs % 3600 / 60; m != 0 {
		dst = append(AppendInt(dst, m), 'M')
	}
	s, ms := secs%60, millis%1000
	if s == 0 && ms == 0 {
		return dst
	}
	if millis < 0 {
		dst = append(dst, '-')
		s, ms = -s, -ms
	}
	dst = AppendInt(dst, s)
	if ms != 0 {
		n := 3
		for ms%10 == 0 {
			ms /= 10
			n--
		}
		dst = append(dst, '.')
		for i := n - 1; i >= 0; i-- {
			dst = append(dst, byte('0'+ms/int64(pow10Low[i])%10))
		}
	}
	return append(dst, 'S')
}
