package fn

import (
	"math"
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // CONVERT_TZ must not depend on the machine

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

const defaultPattern = "yyyy-MM-dd HH:mm:ss"

// formatters keeps the last formatter of a call.
type cached[T any] struct {
	make  func(string) (*T, error)
	key   string
	value *T
	err   error
}

func (c *cached[T]) get(pattern string) (*T, error) {
	if c.value == nil && c.err == nil || c.key != pattern {
		c.value, c.err = c.make(pattern)
		c.key = pattern
	}
	return c.value, c.err
}

// evalDateFormat: a TIMESTAMP goes through DateTimeFormatter, a TIMESTAMP_LTZ in the
// session zone; a text is read by the default pattern and both run in UTC.
func evalDateFormat(c *compiler, call *rex.Call) (Eval, error) {
	t, zone := call.Args[0].Type(), c.zone()
	if t.IsCharacter() {
		from, err := newSimpleFormatter(defaultPattern)
		if err != nil {
			return nil, err
		}
		to := &cached[simpleFormatter]{make: newSimpleFormatter}
		return strict2(func(c *Ctx, a, p value.Value) value.Value {
			f, err := to.get(p.Str())
			if err != nil {
				return c.Fail(err)
			}
			ms, ok, err := from.parse(a.Str(), time.UTC)
			if err != nil {
				return c.Fail(err)
			}
			if !ok {
				return value.Null
			}
			return formatted(c, f, ms)
		})(c, call)
	}
	formatter := &cached[timeFormatter]{make: newTimeFormatter}
	return strict2(func(c *Ctx, a, p value.Value) value.Value {
		f, err := formatter.get(p.Str())
		if err != nil {
			return c.Fail(err)
		}
		ms := a.Millis()
		if t.Kind == value.KindTimestampLTZ {
			ms = localMillis(ms, zone)
		}
		return value.String(f.format(momentOf(ms, a.NanoOfMilli())))
	})(c, call)
}

func formatted(c *Ctx, f *simpleFormatter, local int64) value.Value {
	s, err := f.format(local)
	if err != nil {
		return c.Fail(err)
	}
	return value.String(s)
}

// evalFromUnixtime formats seconds in the session zone.
func evalFromUnixtime(c *compiler, call *rex.Call) (Eval, error) {
	zone := c.zone()
	to := &cached[simpleFormatter]{make: newSimpleFormatter}
	return strictN(func(c *Ctx, vs []value.Value) value.Value {
		pattern := defaultPattern
		if len(vs) == 2 {
			pattern = vs[1].Str()
		}
		f, err := to.get(pattern)
		if err != nil {
			return c.Fail(err)
		}
		if n := vs[0].Int(); n > 1<<40 || n < -1<<40 {
			return c.Fail(unsupported.New("FROM_UNIXTIME of %d", n))
		}
		return formatted(c, f, localMillis(vs[0].Int()*1000, zone))
	})(c, call)
}

// evalUnixTimestamp: a text that cannot be read gives the smallest BIGINT.
func evalUnixTimestamp(c *compiler, call *rex.Call) (Eval, error) {
	if len(call.Args) == 0 {
		return nil, unsupported.New("function UNIX_TIMESTAMP(): %s", notDeterministic)
	}
	zone := c.zone()
	from := &cached[simpleFormatter]{make: newSimpleFormatter}
	return strictN(func(c *Ctx, vs []value.Value) value.Value {
		pattern := defaultPattern
		if len(vs) == 2 {
			pattern = vs[1].Str()
		}
		f, err := from.get(pattern)
		if err != nil {
			return c.Fail(err)
		}
		ms, ok, err := f.parse(vs[0].Str(), zone)
		if err != nil {
			return c.Fail(err)
		}
		if !ok {
			return value.Int(math.MinInt64)
		}
		return value.Int(ms / 1000)
	})(c, call)
}

// zoneByID is TimeZone.getTimeZone for the ids that are known to mean the same here.
func zoneByID(id string) (*time.Location, error) {
	switch id {
	case "UTC", "GMT", "Z", "UT":
		return time.UTC, nil
	}
	if rest, ok := strings.CutPrefix(id, "GMT"); ok && len(rest) > 1 && (rest[0] == '+' || rest[0] == '-') {
		h, m, ok := offsetOf(rest[1:])
		if !ok {
			return nil, unsupported.New("the time zone '%s'", id)
		}
		secs := h*3600 + m*60
		if rest[0] == '-' {
			secs = -secs
		}
		return time.FixedZone(id, secs), nil
	}
	switch id {
	case "EST":
		return time.FixedZone(id, -5*3600), nil
	case "MST":
		return time.FixedZone(id, -7*3600), nil
	case "HST":
		return time.FixedZone(id, -10*3600), nil
	case "PST":
		id = "America/Los_Angeles"
	case "CST":
		id = "America/Chicago"
	case "JST":
		id = "Asia/Tokyo"
	case "IST":
		id = "Asia/Kolkata"
	case "", "Local":
		return nil, unsupported.New("the time zone '%s'", id)
	}
	if strings.Contains(id, "/") {
		if loc, err := time.LoadLocation(id); err == nil {
			return loc, nil
		}
	}
	if notZone.MatchString(id) {
		return time.UTC, nil // Java reads what is no zone as GMT
	}
	return nil, unsupported.New("the time zone '%s'", id)
}

// notZone are texts that cannot be the name of a zone in any version of the zone data.
var notZone = regexp.MustCompile(`\A(?:[a-z]|[+-][0-9:]+|[0-9]+)\z`)

// offsetOf reads h, hh, hmm, hhmm, h:mm, hh:mm.
func offsetOf(s string) (h, m int, ok bool) {
	hs, ms, colon := strings.Cut(s, ":")
	if !colon && len(s) > 2 {
		hs, ms = s[:len(s)-2], s[len(s)-2:]
	}
	for _, part := range []string{hs, ms} {
		for i := range len(part) {
			if part[i] < '0' || part[i] > '9' {
				return 0, 0, false
			}
		}
	}
	if hs == "" || len(hs) > 2 || ms != "" && len(ms) != 2 || colon && ms == "" {
		return 0, 0, false
	}
	for i := range len(hs) {
		h = h*10 + int(hs[i]-'0')
	}
	for i := range len(ms) {
		m = m*10 + int(ms[i]-'0')
	}
	return h, m, h < 24 && m < 60
}

// convertTz reads a text in one zone and writes it in another.
func convertTz(c *Ctx, vs []value.Value) value.Value {
	from, err := zoneByID(vs[1].Str())
	if err != nil {
		return c.Fail(err)
	}
	to, err := zoneByID(vs[2].Str())
	if err != nil {
		return c.Fail(err)
	}
	f, err := newSimpleFormatter(defaultPattern)
	if err != nil {
		return c.Fail(err)
	}
	ms, ok, err := f.parse(vs[0].Str(), from)
	if err != nil {
		return c.Fail(err)
	}
	if !ok {
		return value.Null
	}
	return formatted(c, f, localMillis(ms, to))
}

func evalToDate(c *compiler, call *rex.Call) (Eval, error) {
	from := &cached[simpleFormatter]{make: newSimpleFormatter}
	return strictN(func(c *Ctx, vs []value.Value) value.Value {
		if len(vs) == 1 {
			// Unlike CAST, TO_DATE of what is no date is NULL.
			if d, ok := value.ParseDate(vs[0].Str()); ok {
				return value.Int(d)
			}
			return value.Null
		}
		f, err := from.get(vs[1].Str())
		if err != nil {
			return c.Fail(err)
		}
		ms, ok, err := f.parse(vs[0].Str(), time.UTC)
		if err != nil {
			return c.Fail(err)
		}
		if !ok {
			return c.Fail(unsupported.New("TO_DATE of a text that does not fit the pattern"))
		}
		return value.Int(floorDiv(ms, millisPerDay))
	})(c, call)
}

// parseTimestampText is parseTimestampData with a pattern. Where the pattern does not
// fit, yyyy-m-d hh:mm:ss[.f] and yyyy-m-d are tried; else the result is NULL.
func parseTimestampText(f *timeFormatter, s string, precision int) (value.Value, error) {
	m, ok, err := f.parse(s)
	if err != nil {
		return value.Null, err
	}
	if ok {
		if m.year > 9999 {
			return value.Null, unsupported.New("reading a year beyond 9999")
		}
		if precision < 9 {
			unit := 1
			for range 9 - precision {
				unit *= 10
			}
			m.nano = m.nano / unit * unit
		}
		return value.Timestamp(m.millis(), m.nano%1000000), nil
	}
	return sqlTimestamp(strings.TrimFunc(s, func(r rune) bool { return r <= ' ' }))
}

// sqlTimestamp is java.sql.Timestamp.valueOf, and java.sql.Date.valueOf for a text
// without a blank.
func sqlTimestamp(s string) (value.Value, error) {
	date, clock, hasClock := strings.Cut(s, " ")
	parts := strings.Split(date, "-")
	if len(parts) != 3 || len(parts[0]) != 4 {
		return value.Null, nil
	}
	var ymd [3]int
	for i, p := range parts {
		n, ok := digitsOf(p)
		if !ok || i > 0 && len(p) > 2 {
			return value.Null, nil
		}
		ymd[i] = n
	}
	if ymd[1] < 1 || ymd[1] > 12 || ymd[2] < 1 || ymd[2] > 31 {
		return value.Null, nil
	}
	if ymd[0] < 1583 {
		return value.Null, unsupported.New("reading a date before 1583 by java.sql.Timestamp")
	}
	ms := (value.DaysOf(ymd[0], ymd[1], 1) + int64(ymd[2]) - 1) * millisPerDay
	if !hasClock {
		return value.Timestamp(ms, 0), nil
	}
	clock, frac, hasFrac := strings.Cut(clock, ".")
	hms := strings.Split(clock, ":")
	if len(hms) != 3 {
		return value.Null, nil
	}
	for i, p := range hms {
		n, ok := digitsOf(p)
		if !ok {
			return value.Null, nil
		}
		if n > 59 || i == 0 && n > 23 {
			return value.Null, unsupported.New("reading the time '%s' by java.sql.Timestamp", clock)
		}
		ms += int64(n) * []int64{3600000, 60000, 1000}[i]
	}
	nano := 0
	if hasFrac {
		if len(frac) > 9 || frac == "" {
			return value.Null, nil
		}
		n, ok := digitsOf(frac)
		if !ok {
			return value.Null, nil
		}
		for k := len(frac); k < 9; k++ {
			n *= 10
		}
		nano = n
	}
	return value.Timestamp(ms+int64(nano/1000000), nano%1000000), nil
}

func digitsOf(s string) (int, bool) {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, s != "" && len(s) < 10
}

func evalToTimestamp(c *compiler, call *rex.Call) (Eval, error) {
	from := &cached[timeFormatter]{make: newTimeFormatter}
	return strictN(func(c *Ctx, vs []value.Value) value.Value { return timestampFromText(c, from, vs, 3) })(c, call)
}

func timestampFromText(c *Ctx, from *cached[timeFormatter], vs []value.Value, precision int) value.Value {
	if len(vs) == 1 {
		ms, nano, err := value.ParseTimestamp(vs[0].Str(), precision)
		if err != nil {
			return value.Null
		}
		return value.Timestamp(ms, nano)
	}
	f, err := from.get(vs[1].Str())
	if err != nil {
		return c.Fail(err)
	}
	v, err := parseTimestampText(f, vs[0].Str(), precision)
	if err != nil {
		return c.Fail(err)
	}
	return v
}

func checkToTimestampLtz(r *resolution) error {
	if len(r.args) > 1 && r.arg(0).IsCharacter() && !r.arg(1).IsCharacter() {
		return flinkerr.Validation("Unsupported argument type. Expected type of family 'CHARACTER_STRING' but actual type was '%s'.", r.arg(1))
	}
	text := arg("", argString)
	pattern, zone := arg("pattern", argString), arg("timezone", argString)
	return inferred(params(text), params(text, pattern), params(text, pattern, zone),
		params(arg("", argNumber)), params(arg("", argNumber), arg("", argInteger)))(r)
}

// patternPrecision is the number of S at the end of a pattern, at least 3.
func patternPrecision(pattern string) int {
	n := len(pattern) - len(strings.TrimRight(pattern, "S"))
	return max(min(n, 9), 3)
}

func toTimestampLtzType(r *resolution) (value.Type, error) {
	p := 3
	if len(r.args) > 1 {
		if r.arg(0).IsNumeric() {
			if r.arg(1).Kind != value.KindInt {
				return value.Type{}, flinkerr.Validation("Unsupported argument type. TO_TIMESTAMP_LTZ(<NUMERIC>, <INTEGER>) requires the second argument to be <INTEGER>.")
			}
			if lit, ok := r.args[1].(*rex.Literal); ok {
				n := lit.V.Int()
				if n < 0 || n > 9 {
					return value.Type{}, flinkerr.Validation("Precision for TO_TIMESTAMP_LTZ must be between 0 and 9 but was %d.", n)
				}
				p = max(int(n), 3)
			}
		} else if text, ok := literalText(r.args[1]); ok {
			p = patternPrecision(text)
		}
	}
	return value.TimestampLTZType(p), nil
}

// The seconds between which TO_TIMESTAMP_LTZ works: years 0 to 9999.
const (
	minEpochSecond = -62167219200
	maxEpochSecond = 253402300799
)

func evalToTimestampLtz(c *compiler, call *rex.Call) (Eval, error) {
	if call.Args[0].Type().IsNumeric() {
		return evalEpoch(c, call)
	}
	from := &cached[timeFormatter]{make: newTimeFormatter}
	return strictN(func(c *Ctx, vs []value.Value) value.Value {
		precision := 3
		if len(vs) > 1 {
			precision = patternPrecision(vs[1].Str())
		}
		texts := vs
		if len(vs) == 3 {
			texts = vs[:2]
		}
		if len(vs) == 1 {
			ms, nano, err := value.ParseTimestamp(vs[0].Str(), precision)
			if err != nil {
				return failCast(c, err)
			}
			return value.Timestamp(ms, nano)
		}
		v := timestampFromText(c, from, texts, precision)
		if v.IsNull() || len(vs) < 3 {
			return v
		}
		z, err := zoneByID(vs[2].Str())
		if err != nil {
			return c.Fail(err)
		}
		return value.Timestamp(value.LocalToMillis(v.Millis(), z), v.NanoOfMilli())
	})(c, call)
}

// evalEpoch makes a point in time from a number of 10^-precision seconds.
func evalEpoch(c *compiler, call *rex.Call) (Eval, error) {
	t := call.Args[0].Type()
	return strictN(func(c *Ctx, vs []value.Value) value.Value {
		precision := int64(3)
		if len(vs) == 2 {
			precision = vs[1].Int()
		}
		if precision < 0 || precision > 9 {
			return c.Fail(unsupported.New("TO_TIMESTAMP_LTZ with the precision %d", precision))
		}
		if t.IsApprox() {
			f := toFloat(t)(vs[0])
			secs := f / math.Pow(10, float64(precision))
			if secs < minEpochSecond || secs > maxEpochSecond {
				return value.Null
			}
			return epoch(javaLong(f*math.Pow(10, float64(9-precision))), 9)
		}
		return epoch(toInt(t)(vs[0]), precision)
	})(c, call)
}

func epoch(n, precision int64) value.Value {
	factor, nanos := int64(1), int64(1)
	for k := range int64(9) {
		if k < precision {
			factor *= 10
		} else {
			nanos *= 10
		}
	}
	secs := floorDiv(n, factor)
	if secs < minEpochSecond || secs > maxEpochSecond {
		return value.Null
	}
	nano := floorMod(n, factor) * nanos
	return value.Timestamp(secs*1000+nano/1000000, int(nano%1000000))
}
