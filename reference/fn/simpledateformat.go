package fn

import (
	"strings"
	"time"

	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// simpleLetters are the letters of SimpleDateFormat that are known here.
const simpleLetters = "yMLdDEaHhKkmsSu"

// simpleFormatter is a SimpleDateFormat made from a pattern.
type simpleFormatter struct{ items datePattern }

func newSimpleFormatter(pattern string) (*simpleFormatter, error) {
	items, err := parseDatePattern(pattern, simpleLetters)
	if err != nil {
		return nil, err
	}
	return &simpleFormatter{items}, nil
}

// format writes local milliseconds. Dates before 1582 are Julian in Java and refused.
func (f *simpleFormatter) format(local int64) (string, error) {
	m := momentOf(local, 0)
	if m.year < 1583 {
		return "", unsupported.New("a date before 1583 in a function that uses SimpleDateFormat")
	}
	var b strings.Builder
	for _, it := range f.items {
		switch it.letter {
		case 0:
			b.WriteString(it.text)
		case 'y':
			if it.count == 2 {
				b.WriteString(pad(m.year%100, 2))
			} else {
				b.WriteString(pad(m.year, it.count))
			}
		case 'M', 'L':
			switch {
			case it.count <= 2:
				b.WriteString(pad(m.month, it.count))
			case it.count == 3:
				b.WriteString(monthNames[m.month-1][:3])
			default:
				b.WriteString(monthNames[m.month-1])
			}
		case 'E':
			name := dayNames[m.weekday()-1]
			if it.count < 4 {
				name = name[:3]
			}
			b.WriteString(name)
		case 'a':
			b.WriteString(m.half())
		default:
			b.WriteString(pad(f.number(it.letter, m), it.count))
		}
	}
	return b.String(), nil
}

func (f *simpleFormatter) number(letter byte, m moment) int {
	switch letter {
	case 'd':
		return m.day
	case 'D':
		return int(dayOfYear(m.days))
	case 'H':
		return m.hour
	case 'k':
		return (m.hour+23)%24 + 1
	case 'K':
		return m.hour % 12
	case 'h':
		return m.clock12()
	case 'm':
		return m.minute
	case 's':
		return m.second
	case 'u':
		return m.weekday()
	}
	return m.nano / 1000000
}

// parse reads the beginning of a text leniently: numbers take all digits they find
// (a fixed number of them where the next field follows at once), values out of range
// roll over, what follows is ignored. ok is false where Java throws ParseException.
func (f *simpleFormatter) parse(s string, zone *time.Location) (millis int64, ok bool, err error) {
	year, month, day, dayOfYear := 1970, 1, 1, 0
	hour, minute, second, milli := 0, 0, 0, 0
	hour12, half := -1, -1
	i := 0
	for k, it := range f.items {
		if it.letter == 0 {
			if !strings.HasPrefix(s[i:], it.text) {
				return 0, false, nil
			}
			i += len(it.text)
			continue
		}
		for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
			i++
		}
		if i >= len(s) {
			return 0, false, nil
		}
		switch {
		case (it.letter == 'M' || it.letter == 'L') && it.count >= 3:
			n, next, err := looseName(monthNames, s, i)
			if err != nil || next < 0 {
				return 0, false, err
			}
			month, i = n, next
			continue
		case it.letter == 'E':
			_, next, err := looseName(dayNames, s, i)
			if err != nil || next < 0 {
				return 0, false, err
			}
			i = next
			continue
		case it.letter == 'a':
			switch {
			case len(s) >= i+2 && strings.EqualFold(s[i:i+2], "AM"):
				half = 0
			case len(s) >= i+2 && strings.EqualFold(s[i:i+2], "PM"):
				half = 1
			default:
				return 0, false, nil
			}
			i += 2
			continue
		case it.letter == 'u':
			return 0, false, unsupported.New("reading a weekday number")
		}
		fixed := 0
		if k+1 < len(f.items) && f.items[k+1].letter != 0 {
			fixed = it.count
		}
		n, next, ok, err := looseNumber(s, i, fixed)
		if err != nil || !ok {
			return 0, false, err
		}
		digits := next - i
		i = next
		switch it.letter {
		case 'y':
			if it.count <= 2 && digits == 2 {
				return 0, false, unsupported.New("reading a year of two digits, which depends on the clock")
			}
			year = n
		case 'M', 'L':
			month = n
		case 'd':
			day, dayOfYear = n, 0
		case 'D':
			dayOfYear = n
		case 'H':
			hour = n
		case 'k':
			if hour = n; n == 24 {
				hour = 0
			}
		case 'K':
			hour12 = n
		case 'h':
			if hour12 = n; n == 12 {
				hour12 = 0
			}
		case 'm':
			minute = n
		case 's':
			second = n
		case 'S':
			milli = n
		}
	}
	if hour12 >= 0 {
		hour = hour12 + 12*max(half, 0)
	} else if half >= 0 && !f.has('H') && !f.has('k') {
		hour = 12 * half
	}
	return assemble(year, month, day, dayOfYear, hour, minute, second, milli, zone)
}

func (f *simpleFormatter) has(letter byte) bool {
	for _, it := range f.items {
		if it.letter == letter {
			return true
		}
	}
	return false
}

// assemble is the lenient calendar: values out of range roll over.
func assemble(year, month, day, dayOfYear, hour, minute, second, milli int, zone *time.Location) (int64, bool, error) {
	y := int64(year) + floorDiv(int64(month-1), 12)
	mo := floorMod(int64(month-1), 12) + 1
	days := value.DaysOf(int(y), int(mo), 1) + int64(day) - 1
	if dayOfYear > 0 {
		days = value.DaysOf(year, 1, 1) + int64(dayOfYear) - 1
	}
	if days < value.DaysOf(1583, 1, 1) {
		return 0, false, unsupported.New("a date before 1583 in a function that uses SimpleDateFormat")
	}
	local := days*millisPerDay + int64(hour)*3600000 + int64(minute)*60000 + int64(second)*1000 + int64(milli)
	return calendarMillis(local, zone), true, nil
}

// calendarMillis turns local milliseconds into epoch milliseconds as
// java.util.GregorianCalendar does: of a time that occurs twice it takes the second.
func calendarMillis(local int64, zone *time.Location) int64 {
	if zone == time.UTC {
		return local
	}
	offset := func(millis int64) int64 {
		_, off := time.UnixMilli(millis).In(zone).Zone()
		return int64(off) * 1000
	}
	if after := offset(local + 26*3600000); offset(local-after) == after {
		return local - after
	}
	return value.LocalToMillis(local, zone)
}

// looseNumber reads digits; a sign is refused.
func looseNumber(s string, i, fixed int) (n, next int, ok bool, err error) {
	if s[i] == '-' || s[i] == '+' {
		return 0, 0, false, unsupported.New("reading a number with a sign in a date")
	}
	j := i
	for j < len(s) && s[j] >= '0' && s[j] <= '9' && (fixed == 0 || j < i+fixed) {
		if n = n*10 + int(s[j]-'0'); n > 100000000 {
			return 0, 0, false, unsupported.New("reading a very large number in a date")
		}
		j++
	}
	if j < len(s) && s[j] >= 0x80 {
		return 0, 0, false, unsupported.New("reading a date outside ASCII")
	}
	return n, j, j > i && (fixed == 0 || j == i+fixed), nil
}

// looseName reads a full or short name in any letter case.
func looseName(names []string, s string, i int) (n, next int, err error) {
	for k, name := range names {
		for _, t := range []string{name, name[:3]} {
			if len(s) >= i+len(t) && strings.EqualFold(s[i:i+len(t)], t) {
				return k + 1, i + len(t), nil
			}
		}
	}
	return 0, -1, nil
}
