package fn

import (
	"unicode/utf8"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// constantTime is the error of comparing a point in time with a constant text that is none:
// Flink reads the text when it generates code, and so refuses EXPLAIN, too. A text that is
// computed is NULL instead.
func (c *compiler) constantTime(e rex.Expr, t value.Type) error {
	lit, ok := e.(*rex.Literal)
	if !ok || lit.V.IsNull() || !lit.T.IsCharacter() {
		return nil
	}
	f, err := c.caster(lit.T, t.AsNullable())
	if err != nil {
		return err
	}
	if v, err := f(lit.V); err == nil && !v.IsNull() {
		return nil
	}
	text := lit.V.Str()
	switch t.Kind {
	case value.KindDate:
		return flinkerr.New(classDateTime, "For input string: '%s'.", text)
	case value.KindTime:
		return flinkerr.New(classDateTime, "Invalid time format: '%s'. Expected format: HH:mm:ss[.fff] where HH is 00-23, mm is 00-59, ss is 00-59", text)
	}
	at, rest := timestampFault(text)
	if at < 0 || utf8.RuneCountInString(text) > 64 {
		return unsupported.New("comparison of a time with the text %q", text)
	}
	what := "at"
	if rest {
		what = ", unparsed text found at"
	} else {
		what = " " + what
	}
	return flinkerr.New(classDateTimeParse, "Text '%s' could not be parsed%s index %d", text, what, at)
}

const (
	classDateTime      = "java.time.DateTimeException"
	classDateTimeParse = "java.time.format.DateTimeParseException"
)

// timestampFault is where java.time stops reading a text as yyyy-M-d[ H:m:s[.fraction]];
// rest: what is optional did not fit, and text is left. -1 where the syntax is no reason.
func timestampFault(text string) (at int, rest bool) {
	digits := func(i, most int) int {
		n := 0
		for i+n < len(text) && n < most && text[i+n] >= '0' && text[i+n] <= '9' {
			n++
		}
		return n
	}
	i := digits(0, 4)
	if i < 4 {
		if text != "" && (text[0] == '-' || text[0] == '+') {
			return -1, false
		}
		return 0, false
	}
	if digits(i, 1) > 0 {
		return -1, false
	}
	for range 2 { // month and day
		if i >= len(text) || text[i] != '-' {
			return i, false
		}
		n := digits(i+1, 2)
		if n == 0 {
			return i + 1, false
		}
		i += 1 + n
	}
	day := i
	for k := range 3 { // the clock fits as a whole or not at all
		if i >= len(text) || text[i] != " ::"[k] {
			return unread(text, day)
		}
		n := digits(i+1, 2)
		if n == 0 {
			return unread(text, day)
		}
		i += 1 + n
	}
	if i < len(text) && text[i] == '.' {
		if n := digits(i+1, 9); n > 0 {
			i += 1 + n
		}
	}
	return unread(text, i)
}

func unread(text string, at int) (int, bool) {
	if at >= len(text) {
		return -1, false
	}
	return at, true
}
