package fn

import (
	"strings"

	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// timeLetters are the letters of DateTimeFormatter that are known here.
const timeLetters = "yuMLdDEaHhKkmsSn"

// timeFormatter is a DateTimeFormatter made from a pattern.
type timeFormatter struct{ items datePattern }

func newTimeFormatter(pattern string) (*timeFormatter, error) {
	items, err := parseDatePattern(pattern, timeLetters)
	if err != nil {
		return nil, err
	}
	for _, it := range items {
		if !timeCountOK(it) {
			return nil, unsupported.New("%s in the date pattern '%s'", strings.Repeat(string(it.letter), it.count), pattern)
		}
	}
	return &timeFormatter{items}, nil
}

func timeCountOK(it patternItem) bool {
	switch it.letter {
	case 'M', 'L', 'E':
		return it.count <= 5
	case 'd', 'H', 'h', 'K', 'k', 'm', 's':
		return it.count <= 2
	case 'D':
		return it.count <= 3
	case 'a':
		return it.count == 1
	case 'S':
		return it.count <= 9
	case 'y', 'u':
		return it.count <= 4
	case 'n':
		return it.count == 1 || it.count == 9
	}
	return true
}

// format writes a moment; years beyond 9999 get a + with four letters.
func (f *timeFormatter) format(m moment) string {
	var b strings.Builder
	for _, it := range f.items {
		switch it.letter {
		case 0:
			b.WriteString(it.text)
		case 'y', 'u':
			y := m.year
			if it.letter == 'y' && y <= 0 {
				y = 1 - y
			}
			switch {
			case it.count == 2:
				b.WriteString(pad(int(floorMod(int64(y), 100)), 2))
			case it.count == 4 && y > 9999:
				b.WriteString("+" + pad(y, 4))
			default:
				b.WriteString(pad(y, it.count))
			}
		case 'M', 'L':
			if it.count <= 2 {
				b.WriteString(pad(m.month, it.count))
			} else {
				b.WriteString(textOf(monthNames[m.month-1], it.count))
			}
		case 'd':
			b.WriteString(pad(m.day, it.count))
		case 'D':
			b.WriteString(pad(int(dayOfYear(m.days)), it.count))
		case 'E':
			b.WriteString(textOf(dayNames[m.weekday()-1], it.count))
		case 'a':
			b.WriteString(m.half())
		case 'H':
			b.WriteString(pad(m.hour, it.count))
		case 'k':
			b.WriteString(pad((m.hour+23)%24+1, it.count))
		case 'h':
			b.WriteString(pad(m.clock12(), it.count))
		case 'K':
			b.WriteString(pad(m.hour%12, it.count))
		case 'm':
			b.WriteString(pad(m.minute, it.count))
		case 's':
			b.WriteString(pad(m.second, it.count))
		case 'S':
			b.WriteString(pad(m.nano, 9)[:it.count])
		case 'n':
			b.WriteString(pad(m.nano, it.count))
		}
	}
	return b.String()
}

// parsedFields collects what a text says; -1 for what it does not.
type parsedFields struct {
	year, month, day, dayOfYear  int
	hour, clock12, half          int
	minute, second, nano, hour12 int
}

// parse reads a text by the smart rules of java.time: fields have their widths, the
// whole text must be used, days 29 to 31 that do not exist become the last of the
// month. ok is false where Java throws.
func (f *timeFormatter) parse(s string) (m moment, ok bool, err error) {
	p := parsedFields{year: -1, month: -1, day: -1, dayOfYear: -1, hour: -1, clock12: -1, half: -1, minute: -1, second: -1, nano: -1, hour12: -1}
	i := 0
	for k, it := range f.items {
		if it.letter == 0 {
			if !strings.HasPrefix(s[i:], it.text) {
				return m, false, nil
			}
			i += len(it.text)
			continue
		}
		n, next, found, err := f.field(k, s, i)
		if err != nil || !found {
			return m, false, err
		}
		i = next
		if !p.set(it, n) {
			return m, false, nil
		}
	}
	if i != len(s) {
		return m, false, nil
	}
	return p.resolve()
}

// field reads one field at i.
func (f *timeFormatter) field(k int, s string, i int) (n, next int, ok bool, err error) {
	it := f.items[k]
	switch {
	case (it.letter == 'M' || it.letter == 'L') && it.count > 2:
		return nameField(monthNames, s, i, it.count)
	case it.letter == 'E':
		return nameField(dayNames, s, i, it.count)
	case it.letter == 'a':
		return nameField([]string{"AM", "PM"}, s, i, 4)
	}
	least, most := it.count, it.count
	switch it.letter {
	case 'y', 'u':
		if it.count != 2 {
			most = 19
		}
	case 'D':
		most = 3
	case 'S':
	default:
		if it.count == 1 {
			most = 19
		}
	}
	// Adjacent numbers: a field of open width leaves room for the fixed ones behind it.
	if most == 19 {
		reserve := 0
		for _, later := range f.items[k+1:] {
			if later.letter == 0 || later.letter == 'E' || later.letter == 'a' || later.count > 2 && (later.letter == 'M' || later.letter == 'L') {
				break
			}
			if later.letter == 'S' || later.count == 1 || later.letter == 'D' {
				return 0, 0, false, unsupported.New("reading adjacent numbers of open width")
			}
			reserve += later.count
		}
		digits := 0
		for i+digits < len(s) && s[i+digits] >= '0' && s[i+digits] <= '9' {
			digits++
		}
		if reserve > 0 {
			most = min(most, max(least, digits-reserve))
		}
	}
	w := 0
	for w < most && i+w < len(s) && s[i+w] >= '0' && s[i+w] <= '9' {
		if n = n*10 + int(s[i+w]-'0'); n > 1<<40 {
			return 0, 0, false, nil
		}
		w++
	}
	if w < least {
		if i < len(s) && (s[i] == '+' || s[i] == '-') && (it.letter == 'y' || it.letter == 'u') {
			return 0, 0, false, unsupported.New("reading a year with a sign")
		}
		return 0, 0, false, nil
	}
	if it.letter == 'y' && it.count == 4 && w > 4 {
		return 0, 0, false, nil // more than four digits need a +
	}
	if it.letter == 'u' && it.count == 4 && w > 4 {
		return 0, 0, false, nil
	}
	if it.letter == 'S' {
		for k := w; k < 9; k++ {
			n *= 10
		}
	}
	if it.count == 2 && (it.letter == 'y' || it.letter == 'u') {
		n += 2000
	}
	return n, i + w, true, nil
}

func nameField(names []string, s string, i, count int) (n, next int, ok bool, err error) {
	if count == 5 {
		return 0, 0, false, unsupported.New("reading a name by its first letter")
	}
	for k, name := range names {
		if t := textOf(name, count); strings.HasPrefix(s[i:], t) {
			return k + 1, i + len(t), true, nil
		}
	}
	return 0, 0, false, nil
}

// set stores a field and checks its range.
func (p *parsedFields) set(it patternItem, n int) bool {
	put := func(f *int, lo, hi int) bool {
		if *f >= 0 && *f != n {
			return false
		}
		*f = n
		return n >= lo && n <= hi
	}
	switch it.letter {
	case 'y', 'u':
		return put(&p.year, 0, 999999999)
	case 'M', 'L':
		return put(&p.month, 1, 12)
	case 'd':
		return put(&p.day, 1, 31)
	case 'D':
		return put(&p.dayOfYear, 1, 366)
	case 'E':
		return true
	case 'a':
		n--
		return put(&p.half, 0, 1)
	case 'H':
		return put(&p.hour, 0, 23)
	case 'k':
		if n == 24 {
			n = 0
		}
		return put(&p.hour, 0, 23)
	case 'h':
		if n == 12 {
			n = 0
		}
		return put(&p.hour12, 0, 11)
	case 'K':
		return put(&p.hour12, 0, 11)
	case 'm':
		return put(&p.minute, 0, 59)
	case 's':
		return put(&p.second, 0, 59)
	}
	return put(&p.nano, 0, 999999999)
}

func (p *parsedFields) resolve() (m moment, ok bool, err error) {
	def := func(n, d int) int {
		if n < 0 {
			return d
		}
		return n
	}
	if p.half >= 0 && p.hour12 >= 0 {
		h := p.half*12 + p.hour12
		if p.hour >= 0 && p.hour != h {
			return m, false, nil
		}
		p.hour = h
	}
	if p.dayOfYear >= 0 {
		if p.year < 0 || p.month >= 0 || p.day >= 0 {
			return m, false, unsupported.New("reading a day of the year beside other fields")
		}
		days := value.DaysOf(p.year, 1, 1) + int64(p.dayOfYear) - 1
		y, mo, d := value.CivilOf(days)
		if y != p.year {
			return m, false, nil
		}
		p.month, p.day = mo, d
	}
	m = moment{year: def(p.year, 1970), month: def(p.month, 1), day: def(p.day, 1), hour: def(p.hour, 0), minute: def(p.minute, 0), second: def(p.second, 0), nano: def(p.nano, 0)}
	if last := value.DaysInMonth(m.year, m.month); m.day > last {
		if p.year < 0 || p.month < 0 {
			return m, false, nil
		}
		m.day = last
	}
	m.days = value.DaysOf(m.year, m.month, m.day)
	return m, true, nil
}

// millis is the moment in milliseconds.
func (m moment) millis() int64 {
	return m.days*millisPerDay + int64(m.hour)*3600000 + int64(m.minute)*60000 + int64(m.second)*1000 + int64(m.nano/1000000)
}
