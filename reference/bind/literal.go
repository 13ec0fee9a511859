package bind

import (
	"encoding/hex"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

func stringLiteral(s string) *rex.Literal {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return &rex.Literal{V: value.String(s), T: value.Type{Kind: value.KindChar, Length: n}}
}

func intLiteral(n int64) *rex.Literal {
	return &rex.Literal{V: value.Int(n), T: value.Type{Kind: value.KindInt}}
}

func binaryLiteral(h string) (rex.Expr, error) {
	b, err := hex.DecodeString(h)
	if err != nil {
		return nil, unsupported.New("binary literal X'%s'", h)
	}
	return &rex.Literal{V: value.Bytes(b), T: value.Type{Kind: value.KindBinary, Length: len(b)}}, nil
}

// negated folds minus signs in front of a number, as Calcite's parser does.
func negated(e sql.Expr) (rex.Expr, bool) {
	neg := true
	for {
		switch n := e.(type) {
		case *sql.Unary:
			if n.Op != "-" {
				return nil, false
			}
			neg = !neg
			e = n.X
		case *sql.NumberLit:
			r, err := numberLiteral(n.Text, neg)
			return r, err == nil
		default:
			return nil, false
		}
	}
}

// numberLiteral types a number: INT or BIGINT by size, DECIMAL(p, s) with a point,
// DOUBLE with an exponent.
func numberLiteral(text string, neg bool) (rex.Expr, error) {
	if strings.ContainsAny(text, "eE") {
		return doubleLiteral(text, neg)
	}
	i := strings.IndexByte(text, '.')
	if i < 0 || i == len(text)-1 {
		digits := strings.TrimSuffix(text, ".")
		n, ok := new(big.Int).SetString(digits, 10)
		if !ok {
			return nil, unsupported.New("number %s", text)
		}
		if neg {
			n.Neg(n)
		}
		if !n.IsInt64() {
			return nil, flinkerr.Validator("Numeric literal '%s' out of range", n.String())
		}
		v := n.Int64()
		if v >= -1<<31 && v < 1<<31 {
			return intLiteral(v), nil
		}
		return &rex.Literal{V: value.Int(v), T: value.Type{Kind: value.KindBigInt}}, nil
	}
	scale := len(text) - i - 1
	precision := len(text) - 1
	n, ok := new(big.Int).SetString(text[:i]+text[i+1:], 10)
	if !ok {
		return nil, unsupported.New("number %s", text)
	}
	if neg {
		n.Neg(n)
	}
	if !n.IsInt64() { // Calcite wants the digits of a decimal literal to fit in 64 bits
		if neg {
			text = "-" + text
		}
		return nil, flinkerr.Validator("Numeric literal '%s' out of range", text)
	}
	return &rex.Literal{V: decimalValue(n), T: value.Type{Kind: value.KindDecimal, Precision: precision, Scale: scale}}, nil
}

func decimalValue(n *big.Int) value.Value {
	lo := new(big.Int).And(n, new(big.Int).SetUint64(^uint64(0)))
	hi := new(big.Int).Rsh(n, 64)
	return value.Decimal128(hi.Int64(), lo.Uint64())
}

// doubleLiteral keeps the digits as written: 1.50e1 prints as 1.50E1.
func doubleLiteral(text string, neg bool) (rex.Expr, error) {
	f, err := strconv.ParseFloat(text, 64)
	if f == 0 {
		neg = false // a literal has no negative zero
	}
	if err != nil {
		return nil, unsupported.New("number %s", text)
	}
	i := strings.IndexAny(text, "eE")
	mant := text[:i]
	exp, err := strconv.Atoi(strings.TrimPrefix(text[i+1:], "+"))
	if err != nil {
		return nil, unsupported.New("number %s", text)
	}
	scale := 0
	if p := strings.IndexByte(mant, '.'); p >= 0 {
		scale = len(mant) - p - 1
		mant = mant[:p] + mant[p+1:]
	}
	n, ok := new(big.Int).SetString(mant, 10)
	if !ok {
		return nil, unsupported.New("number %s", text)
	}
	if neg {
		f = -f
		n.Neg(n)
	}
	return &rex.Literal{V: value.Double(f), T: value.Type{Kind: value.KindDouble}, Text: rex.ScientificText(n, scale-exp)}, nil
}

func temporalLiteral(kind, text string) (rex.Expr, error) {
	format, ok := map[string]string{"DATE": "yyyy-MM-dd", "TIME": "HH:mm:ss", "TIMESTAMP": "yyyy-MM-dd HH:mm:ss"}[kind]
	if !ok {
		return nil, unsupported.New("%s literal", kind)
	}
	bad := flinkerr.New(flinkerr.ClassCalcite, "Illegal %s literal '%s': not in format '%s'", kind, text, format)
	switch kind {
	case "DATE":
		t, ok := parseTime(text, datePattern)
		if !ok {
			return nil, bad
		}
		return &rex.Literal{V: value.Int(t.Unix() / 86400), T: value.Type{Kind: value.KindDate}}, nil
	case "TIME":
		clock, frac, ok := splitFraction(text)
		if !ok {
			return nil, bad
		}
		t, ok := parseTime(clock, clockPattern)
		if !ok {
			return nil, bad
		}
		ms := int64(t.Hour()*3600+t.Minute()*60+t.Second())*1000 + millisOf(frac)
		return &rex.Literal{V: value.Int(ms), T: value.Type{Kind: value.KindTime, Precision: len(frac)}}, nil
	case "TIMESTAMP":
		clock, frac, ok := splitFraction(text)
		if !ok {
			return nil, bad
		}
		t, ok := parseTime(clock, timestampPattern)
		if !ok && frac == "" {
			t, ok = parseTime(clock, datePattern)
		}
		if !ok {
			return nil, bad
		}
		nano := (frac + "000000000")[:9]
		n, err := strconv.Atoi(nano)
		if err != nil {
			return nil, bad
		}
		v := value.Timestamp(t.UnixMilli()+int64(n/1000000), n%1000000)
		return &rex.Literal{V: v, T: value.Type{Kind: value.KindTimestamp, Precision: len(frac)}}, nil
	}
	return nil, bad
}

var (
	datePattern      = regexp.MustCompile(`^(\d+)-(\d+)-(\d+)$`)
	clockPattern     = regexp.MustCompile(`^()()()(\d+):(\d+):(\d+)$`)
	timestampPattern = regexp.MustCompile(`^(\d+)-(\d+)-(\d+) (\d+):(\d+):(\d+)$`)
)

// parseTime reads a date, a time of day or both, as a SimpleDateFormat of Java that is
// not lenient: any number of digits, but no 30th of February.
func parseTime(text string, pattern *regexp.Regexp) (time.Time, bool) {
	m := pattern.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}, false
	}
	n := [6]int{1970, 1, 1}
	for i, d := range m[1:] {
		if d == "" {
			continue
		}
		v, err := strconv.Atoi(d)
		if err != nil || len(d) > 4 {
			return time.Time{}, false
		}
		n[i] = v
	}
	t := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, time.UTC)
	same := t.Year() == n[0] && int(t.Month()) == n[1] && t.Day() == n[2] && t.Hour() == n[3] && t.Minute() == n[4] && t.Second() == n[5]
	return t, same
}

func splitFraction(s string) (clock, frac string, ok bool) {
	clock, frac, _ = strings.Cut(s, ".")
	if len(frac) > 9 {
		frac = frac[:9]
	}
	for _, r := range frac {
		if r < '0' || r > '9' {
			return "", "", false
		}
	}
	return clock, frac, true
}

func millisOf(frac string) int64 {
	n, err := strconv.Atoi((frac + "000")[:3])
	if err != nil {
		return 0
	}
	return int64(n)
}

// interval binds INTERVAL '1' DAY (a literal) or INTERVAL x DAY (x times one day).
func (x *exprs) interval(e *sql.IntervalLit) (rex.Expr, error) {
	t, err := intervalType(e.Unit)
	if err != nil {
		return nil, err
	}
	if e.Value == nil {
		n, err := intervalValue(e.Text, e.Unit)
		if err != nil {
			return nil, err
		}
		if e.Negative {
			n = -n
		}
		return &rex.Literal{V: value.Int(n), T: t}, nil
	}
	n, err := x.bind(e.Value)
	if err != nil {
		return nil, err
	}
	one, err := intervalValue("1", e.Unit)
	if err != nil {
		return nil, err
	}
	return x.resolve("*", n, &rex.Literal{V: value.Int(one), T: t})
}

// unitMillis are the sizes of the day-time units.
func unitMillis(u string) int64 {
	switch u {
	case "WEEK":
		return 7 * 86400000
	case "DAY":
		return 86400000
	case "HOUR":
		return 3600000
	case "MINUTE":
		return 60000
	case "SECOND":
		return 1000
	}
	return 0
}

// intervalValue is the number of milliseconds, or months, of an interval's text. Its first field has
// two digits, or as many as the unit says: INTERVAL '100' SECOND is too much.
func intervalValue(text string, u sql.IntervalUnit) (int64, error) {
	n, err := intervalFields(text, u)
	if err != nil {
		return 0, err
	}
	s := strings.TrimSpace(text)
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign = "-"
	}
	s = strings.TrimLeft(s, "+-")
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(s)
	}
	digits, precision := strings.TrimLeft(s[:end], "0"), u.Precision
	if precision < 0 {
		precision = 2
	}
	if len(digits) > precision {
		return 0, flinkerr.Validator("Interval field value %s%s exceeds precision of %s(%d) field", sign, thousands(digits), u.From, precision)
	}
	return n, nil
}

// thousands writes a number with commas, as Java's MessageFormat does.
func thousands(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func intervalFields(text string, u sql.IntervalUnit) (int64, error) {
	bad := flinkerr.Validator("Illegal interval literal format '%s' for INTERVAL %s", text, unitText(u))
	s := strings.TrimSpace(text)
	sign := int64(1)
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	num := func(t string) (int64, bool) {
		n, err := strconv.ParseInt(t, 10, 64)
		return n, err == nil && t != "" && t[0] >= '0' && t[0] <= '9'
	}
	switch {
	case u.From == "YEAR" && u.To == "MONTH":
		y, m, ok := strings.Cut(s, "-")
		ny, ok1 := num(y)
		nm, ok2 := num(m)
		if !ok || !ok1 || !ok2 || nm >= 12 {
			return 0, bad
		}
		return sign * (ny*12 + nm), nil
	case u.From == "YEAR" || u.From == "MONTH" || u.From == "QUARTER":
		n, ok := num(s)
		if !ok {
			return 0, bad
		}
		return sign * n * map[string]int64{"YEAR": 12, "MONTH": 1, "QUARTER": 3}[u.From], nil
	}
	n, ok := dayTime(s, u, num)
	if !ok {
		return 0, bad
	}
	return sign * n, nil
}

// dayTime reads the fields of a day-time interval from its first unit to its last.
func dayTime(s string, u sql.IntervalUnit, num func(string) (int64, bool)) (int64, bool) {
	units := []string{"DAY", "HOUR", "MINUTE", "SECOND"}
	from, to := u.From, u.To
	if to == "" {
		to = from
	}
	if from == "WEEK" {
		n, ok := num(s)
		return n * unitMillis("WEEK"), ok
	}
	lo, hi := -1, -1
	for i, n := range units {
		if n == from {
			lo = i
		}
		if n == to {
			hi = i
		}
	}
	if lo < 0 || hi < lo {
		return 0, false
	}
	var parts []string
	if lo == 0 && hi > 0 {
		d, rest, ok := strings.Cut(s, " ")
		if !ok {
			return 0, false
		}
		parts = append([]string{d}, strings.Split(strings.TrimSpace(rest), ":")...)
	} else {
		parts = strings.Split(s, ":")
	}
	if len(parts) != hi-lo+1 {
		return 0, false
	}
	var ms int64
	for i, p := range parts {
		if units[lo+i] == "SECOND" {
			sec, frac, _ := strings.Cut(p, ".")
			n, ok := num(sec)
			if !ok || len(frac) > 9 {
				return 0, false
			}
			ms += n*1000 + millisOf(frac)
			continue
		}
		n, ok := num(p)
		if !ok {
			return 0, false
		}
		ms += n * unitMillis(units[lo+i])
	}
	return ms, true
}

func unitText(u sql.IntervalUnit) string {
	if u.To != "" {
		return u.From + " TO " + u.To
	}
	return u.From
}
