package fn

import (
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// Flink formats and reads points in time with two Java classes of different habits:
// java.time.format.DateTimeFormatter (DATE_FORMAT of a TIMESTAMP, TO_TIMESTAMP) and
// java.text.SimpleDateFormat (DATE_FORMAT of a text, FROM_UNIXTIME, UNIX_TIMESTAMP,
// TO_DATE with a pattern, CONVERT_TZ). Patterns are parsed once into items.

// patternItem is a run of one letter, or literal text (letter 0).
type patternItem struct {
	letter byte
	count  int
	text   string
}

// datePattern is a parsed pattern.
type datePattern []patternItem

// parseDatePattern splits a pattern; letters are what it may use, others are refused.
func parseDatePattern(pattern, letters string) (datePattern, error) {
	var p datePattern
	literal := func(s string) {
		if n := len(p); n > 0 && p[n-1].letter == 0 {
			p[n-1].text += s
		} else {
			p = append(p, patternItem{text: s})
		}
	}
	for i := 0; i < len(pattern); {
		c := pattern[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			if !strings.ContainsRune(letters, rune(c)) {
				return nil, unsupported.New("the letter %c in the date pattern '%s'", c, pattern)
			}
			n := 1
			for i+n < len(pattern) && pattern[i+n] == c {
				n++
			}
			p = append(p, patternItem{letter: c, count: n})
			i += n
		case c == '\'':
			text, next, ok := quotedText(pattern, i)
			if !ok {
				return nil, unsupported.New("an open quote in the date pattern '%s'", pattern)
			}
			literal(text)
			i = next
		case c == '[' || c == ']' || c == '{' || c == '}' || c == '#':
			return nil, unsupported.New("%c in the date pattern '%s'", c, pattern)
		default:
			n := 1
			for i+n < len(pattern) && pattern[i+n] >= 0x80 {
				n++
			}
			literal(pattern[i : i+n])
			i += n
		}
	}
	return p, nil
}

// quotedText reads 'text', with two quotes for one.
func quotedText(s string, i int) (text string, next int, ok bool) {
	if strings.HasPrefix(s[i:], "''") {
		return "'", i + 2, true
	}
	var b strings.Builder
	for i++; i < len(s); i++ {
		if s[i] != '\'' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '\'' {
			b.WriteByte('\'')
			i++
			continue
		}
		return b.String(), i + 1, true
	}
	return "", i, false
}

var (
	monthNames = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	dayNames   = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
)

// moment is a point in time taken apart.
type moment struct {
	days                 int64
	year, month, day     int
	hour, minute, second int
	nano                 int
}

// momentOf takes apart local milliseconds.
func momentOf(millis int64, nanoOfMilli int) moment {
	days, ofDay := value.SplitMillis(millis)
	m := moment{days: days, hour: int(ofDay / 3600000), minute: int(ofDay / 60000 % 60), second: int(ofDay / 1000 % 60),
		nano: int(ofDay%1000)*1000000 + nanoOfMilli}
	m.year, m.month, m.day = value.CivilOf(days)
	return m
}

func (m moment) weekday() int { return int(floorMod(m.days+3, 7)) + 1 }

// clock12 is the hour on the face of a clock.
func (m moment) clock12() int {
	if m.hour%12 == 0 {
		return 12
	}
	return m.hour % 12
}

func (m moment) half() string {
	if m.hour < 12 {
		return "AM"
	}
	return "PM"
}

func pad(n, width int) string {
	s := strconv.Itoa(n)
	if n < 0 {
		return "-" + strings.Repeat("0", max(0, width-len(s)+1)) + s[1:]
	}
	return strings.Repeat("0", max(0, width-len(s))) + s
}

// textOf is a month or weekday name: short, full, or its first letter.
func textOf(name string, count int) string {
	switch {
	case count == 5:
		return name[:1]
	case count == 4:
		return name
	}
	return name[:3]
}
