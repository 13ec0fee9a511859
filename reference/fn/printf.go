package fn

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

var printfFunctions = []function{
	{name: "PRINTF", doc: "PRINTF(format[, obj]*)", check: inferred(varying(arg("format", argString), arg("obj", argAny))), result: always(value.TString), eval: evalPrintf},
}

// A specifier of java.util.Formatter.
var formatSpecifier = regexp.MustCompile(`\A%(?:([0-9]+)\$)?([-#+ 0,(<]*)([1-9][0-9]*)?(?:\.([0-9]+))?([tT])?([a-zA-Z%])`)

type formatItem struct {
	literal          string
	flags            string
	width, precision int // -1 where not given
	verb             byte
	// arg is the position of the argument, -1 for none.
	arg int
}

func (f *formatItem) has(flag byte) bool { return strings.IndexByte(f.flags, flag) >= 0 }

// javaFormat is a compiled format; broken marks one that Java refuses, which gives NULL.
type javaFormat struct {
	items  []formatItem
	broken bool
}

func parseFormat(text string) (*javaFormat, error) {
	f := &javaFormat{}
	next, last := 0, -1
	for text != "" {
		i := strings.IndexByte(text, '%')
		if i < 0 {
			i = len(text)
		}
		if i > 0 {
			f.items = append(f.items, formatItem{literal: text[:i], arg: -1})
			text = text[i:]
			continue
		}
		m := formatSpecifier.FindStringSubmatch(text)
		if m == nil {
			f.broken = true
			return f, nil
		}
		text = text[len(m[0]):]
		if m[5] != "" || strings.ContainsAny(m[6], "aAgGhH") || strings.Contains(m[2], "#") {
			return nil, unsupported.New("PRINTF with %s", m[0])
		}
		it := formatItem{flags: m[2], width: -1, precision: -1, verb: m[6][0], arg: -1}
		if m[3] != "" {
			it.width, _ = strconv.Atoi(m[3])
		}
		if m[4] != "" {
			it.precision, _ = strconv.Atoi(m[4])
		}
		if it.width > 1000 || it.precision > 1000 || len(m[3]) > 9 || len(m[4]) > 9 {
			return nil, unsupported.New("PRINTF with %s", m[0])
		}
		if it.verb != '%' && it.verb != 'n' {
			switch {
			case it.has('<'):
				it.arg = last
				if last < 0 {
					f.broken = true
				}
			case m[1] != "":
				n, _ := strconv.Atoi(m[1])
				if n == 0 || len(m[1]) > 9 {
					return nil, unsupported.New("PRINTF with %s", m[0])
				}
				it.arg, last = n-1, n-1
			default:
				it.arg, last = next, next
				next++
			}
		}
		f.broken = f.broken || !it.isLegal()
		f.items = append(f.items, it)
	}
	return f, nil
}

// isLegal checks flags, width and precision as Java does before it formats.
func (f *formatItem) isLegal() bool {
	for i := range f.flags {
		if strings.IndexByte(f.flags[i+1:], f.flags[i]) >= 0 {
			return false
		}
	}
	only := func(allowed string) bool { return strings.Trim(f.flags, allowed+"<") == "" }
	if (f.has('-') || f.has('0')) && f.width < 0 && f.verb != 'n' || f.has('-') && f.has('0') || f.has('+') && f.has(' ') {
		return false
	}
	switch f.verb {
	case 's', 'S', 'b', 'B':
		return only("-")
	case 'c', 'C':
		return only("-") && f.precision < 0
	case 'd':
		return f.precision < 0
	case 'x', 'X', 'o':
		return f.precision < 0 && only("-0")
	case 'f':
		return true
	case 'e', 'E':
		return !f.has(',')
	case '%':
		return only("-") && f.precision < 0
	case 'n':
		return f.flags == "" && f.width < 0 && f.precision < 0
	}
	return false
}

func evalPrintf(c *compiler, call *rex.Call) (Eval, error) {
	types := typesOf(call.Args)
	formats := &cached[javaFormat]{make: parseFormat}
	return lenient(func(ctx *Ctx, vs []value.Value) value.Value {
		if vs[0].IsNull() {
			return value.Null
		}
		f, err := formats.get(vs[0].Str())
		if err != nil {
			return ctx.Fail(err)
		}
		if f.broken {
			return value.Null
		}
		var b strings.Builder
		for i := range f.items {
			it := &f.items[i]
			switch {
			case it.verb == 0:
				b.WriteString(it.literal)
				continue
			case it.verb == 'n':
				b.WriteByte('\n')
				continue
			case it.verb == '%':
				b.WriteString(it.pad("%"))
				continue
			case it.arg+1 >= len(vs):
				return value.Null
			}
			text, ok, err := it.format(types[it.arg+1], vs[it.arg+1])
			if err != nil {
				return ctx.Fail(err)
			}
			if !ok {
				return value.Null
			}
			b.WriteString(text)
		}
		return value.String(b.String())
	})(c, call)
}

func (f *formatItem) pad(s string) string {
	n := f.width - value.UTF16Len(s)
	switch {
	case n <= 0:
		return s
	case f.has('-'):
		return s + strings.Repeat(" ", n)
	}
	return strings.Repeat(" ", n) + s
}

// format writes one argument; ok is false where Java throws.
func (f *formatItem) format(t value.Type, v value.Value) (s string, ok bool, err error) {
	switch f.verb {
	case 's', 'S':
		if s, err = objectText(t, v); err != nil {
			return "", false, err
		}
		return f.general(s)
	case 'b', 'B':
		s = "true"
		if v.IsNull() || t.Kind == value.KindBoolean && !v.Bool() {
			s = "false"
		}
		return f.general(s)
	}
	if v.IsNull() {
		return f.general("null")
	}
	whole := t.IsInteger() || t.Kind == value.KindDate || t.Kind == value.KindTime
	switch f.verb {
	case 'c', 'C':
		if !whole || t.Kind == value.KindBigInt {
			return "", false, nil
		}
		r := rune(v.Int())
		if !utf8.ValidRune(r) {
			return "", r >= 0 && r <= utf8.MaxRune, unsupportedIf(r >= 0 && r <= utf8.MaxRune, "PRINTF of half a surrogate pair")
		}
		return f.general(string(r))
	case 'd':
		if t.IsInterval() {
			return "", false, unsupported.New("PRINTF of an interval")
		}
		if !whole {
			return "", false, nil
		}
		n := v.Int()
		digits := strconv.FormatInt(n, 10)
		return f.signed(strings.TrimPrefix(digits, "-"), n < 0), true, nil
	case 'x', 'X', 'o':
		if !whole {
			return "", false, nil
		}
		return f.unsigned(t, v.Int()), true, nil
	}
	if !t.IsApprox() {
		return "", false, nil
	}
	return f.float(toFloat(t)(v))
}

func unsupportedIf(is bool, what string) error {
	if is {
		return unsupported.New("%s", what)
	}
	return nil
}

// general cuts to the precision, in UTF-16 units, and pads.
func (f *formatItem) general(s string) (string, bool, error) {
	if us := units(s); f.precision >= 0 && f.precision < len(us) {
		s = fromUnits(us[:f.precision])
	}
	if f.verb >= 'A' && f.verb <= 'Z' {
		if !isASCII(s) {
			return "", false, unsupported.New("PRINTF with %%%c of text outside ASCII", f.verb)
		}
		s = strings.ToUpper(s)
	}
	return f.pad(s), true, nil
}

// objectText is toString of the object that Flink passes: DATE and TIME are numbers.
func objectText(t value.Type, v value.Value) (string, error) {
	if v.IsNull() {
		return "null", nil
	}
	switch t.Kind {
	case value.KindChar, value.KindVarchar:
		return v.Str(), nil
	case value.KindBoolean:
		return strconv.FormatBool(v.Bool()), nil
	case value.KindDecimal:
		return string(value.AppendDecimal(nil, v.Dec(), t.Scale)), nil
	case value.KindDouble:
		return string(value.AppendDouble(nil, v.Double())), nil
	case value.KindFloat:
		return string(value.AppendFloat(nil, v.Float())), nil
	case value.KindTimestamp, value.KindTimestampLTZ:
		return localDateTime(v), nil
	case value.KindTinyInt, value.KindSmallInt, value.KindInt, value.KindBigInt, value.KindDate, value.KindTime:
		return strconv.FormatInt(v.Int(), 10), nil
	}
	return "", unsupported.New("PRINTF of %s", t)
}

// localDateTime is LocalDateTime.toString: seconds only where needed, three, six or
// nine digits of fraction.
func localDateTime(v value.Value) string {
	text := strings.Replace(string(value.AppendTimestamp(nil, v.Millis(), v.NanoOfMilli(), 9)), " ", "T", 1)
	for range 3 {
		if !strings.HasSuffix(text, "000") {
			return text
		}
		text = text[:len(text)-3]
	}
	return strings.TrimSuffix(strings.TrimSuffix(text, "."), ":00")
}

// signed writes the digits of a number with its sign, grouped and padded.
func (f *formatItem) signed(digits string, negative bool) string {
	if f.has(',') {
		whole, frac, dot := strings.Cut(digits, ".")
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
		if digits = whole; dot {
			digits += "." + frac
		}
	}
	before, after := "", ""
	switch {
	case negative && f.has('('):
		before, after = "(", ")"
	case negative:
		before = "-"
	case f.has('+'):
		before = "+"
	case f.has(' '):
		before = " "
	}
	if n := f.width - len(before) - len(digits) - len(after); n > 0 && f.has('0') {
		digits = strings.Repeat("0", n) + digits
	}
	return f.pad(before + digits + after)
}

func (f *formatItem) unsigned(t value.Type, n int64) string {
	u := uint64(n)
	switch t.Kind {
	case value.KindTinyInt:
		u = uint64(uint8(n))
	case value.KindSmallInt:
		u = uint64(uint16(n))
	case value.KindInt, value.KindDate, value.KindTime:
		u = uint64(uint32(n))
	}
	base := 16
	if f.verb == 'o' {
		base = 8
	}
	s := strconv.FormatUint(u, base)
	if f.verb == 'X' {
		s = strings.ToUpper(s)
	}
	if n := f.width - len(s); n > 0 && f.has('0') {
		s = strings.Repeat("0", n) + s
	}
	return f.pad(s)
}

// float rounds the shortest decimal of the number half up, as Java's Formatter does.
func (f *formatItem) float(x float64) (string, bool, error) {
	if math.IsNaN(x) {
		return f.pad("NaN"), true, nil
	}
	precision := f.precision
	if precision < 0 {
		precision = 6
	}
	negative := math.Signbit(x)
	if math.IsInf(x, 0) {
		plain := *f
		plain.flags = strings.Trim(strings.ReplaceAll(f.flags, "0", ""), ",")
		return plain.signed("Infinity", negative), true, nil
	}
	digits, exp := decimalDigits(math.Abs(x))
	if f.verb == 'f' {
		return f.signed(fixedText(digits, exp, precision), negative), true, nil
	}
	if digits == "0" {
		exp = 1
	}
	rounded, carried := roundDigits(digits, precision+1)
	if carried {
		exp++
	}
	rounded += strings.Repeat("0", precision+1-len(rounded))
	s := rounded[:1]
	if precision > 0 {
		s += "." + rounded[1:]
	}
	e := exp - 1
	sign := "+"
	if e < 0 {
		sign, e = "-", -e
	}
	s += "e" + sign
	if e < 10 {
		s += "0"
	}
	s += strconv.Itoa(e)
	if f.verb == 'E' {
		s = strings.ToUpper(s)
	}
	return f.signed(s, negative), true, nil
}

// decimalDigits gives the digits of Double.toString: 0.digits * 10^exp.
func decimalDigits(x float64) (string, int) {
	text, exp := string(value.AppendDouble(nil, x)), 0
	if i := strings.IndexByte(text, 'E'); i >= 0 {
		exp, _ = strconv.Atoi(text[i+1:])
		text = text[:i]
	}
	whole, frac, _ := strings.Cut(text, ".")
	exp += len(whole)
	digits := whole + frac
	trimmed := strings.TrimLeft(digits, "0")
	exp -= len(digits) - len(trimmed)
	if trimmed = strings.TrimRight(trimmed, "0"); trimmed == "" {
		return "0", 1
	}
	return trimmed, exp
}

// roundDigits keeps n digits, half up; carried tells that the number got one digit longer.
func roundDigits(digits string, n int) (string, bool) {
	if n < 0 {
		return "", false
	}
	if n >= len(digits) {
		return digits, false
	}
	up := digits[n] >= '5'
	b := []byte(digits[:n])
	for i := n - 1; up && i >= 0; i-- {
		if b[i]++; b[i] <= '9' {
			up = false
		} else {
			b[i] = '0'
		}
	}
	if up {
		return "1" + string(b), true
	}
	return string(b), false
}

func fixedText(digits string, exp, precision int) string {
	rounded, carried := roundDigits(digits, exp+precision)
	if carried {
		exp++
	}
	if rounded == "" {
		rounded, exp = "0", 1
	}
	if exp <= 0 {
		rounded = strings.Repeat("0", 1-exp) + rounded
		exp = 1
	}
	if n := exp + precision - len(rounded); n > 0 {
		rounded += strings.Repeat("0", n)
	}
	if precision == 0 {
		return rounded[:exp]
	}
	return rounded[:exp] + "." + rounded[exp:exp+precision]
}
