package fn

import (
	"strings"
	"unicode/utf8"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

func charLength(_ *Ctx, a value.Value) value.Value {
	return value.Int(int64(utf8.RuneCountInString(a.Str())))
}

// initcap knows ASCII letters and digits alone; everything else parts words.
func initcap(_ *Ctx, a value.Value) value.Value {
	b := []byte(a.Str())
	start := true
	for i, c := range b {
		lower, upper := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z'
		switch {
		case start && lower:
			b[i] = c - 32
		case !start && upper:
			b[i] = c + 32
		}
		start = !lower && !upper && (c < '0' || c > '9')
	}
	return value.String(string(b))
}

// substringOf is SUBSTRING by code points: 0 is taken for 1, a negative start counts
// from the end, a negative length gives NULL.
func substringOf(s string, pos, length int64) value.Value {
	if length < 0 {
		return value.Null
	}
	if s == "" {
		return value.String("")
	}
	n := int64(utf8.RuneCountInString(s))
	start := int64(0)
	switch {
	case pos > 0:
		start = pos - 1
	case pos < 0:
		start = n + pos
	}
	if start >= n || start < 0 {
		return value.String("")
	}
	_, tail := splitAt(s, int(start))
	if n-start <= length {
		return value.String(tail)
	}
	head, _ := splitAt(tail, int(length))
	return value.String(head)
}

func substr(c *Ctx, vs []value.Value) value.Value {
	length := int64(value.MaxLength)
	if len(vs) == 3 {
		length = vs[2].Int()
	}
	return substringOf(vs[0].Str(), vs[1].Int(), length)
}

func left(_ *Ctx, a, n value.Value) value.Value {
	if n.Int() <= 0 {
		return value.String("")
	}
	return substringOf(a.Str(), 1, n.Int())
}

func right(_ *Ctx, a, n value.Value) value.Value {
	switch k := n.Int(); {
	case k <= 0:
		return value.String("")
	case k >= int64(utf8.RuneCountInString(a.Str())):
		return a
	default:
		return substringOf(a.Str(), -k, value.MaxLength)
	}
}

// trimOf removes characters of a set from the ends. A set that begins with a blank
// stands for blanks alone.
func trimOf(c *Ctx, s, set string, leading, trailing bool) value.Value {
	if set == "" {
		return c.Fail(unsupported.New("TRIM with an empty set of characters"))
	}
	if set[0] == ' ' && set != " " {
		return c.Fail(unsupported.New("TRIM with a set of several characters that begins with a blank"))
	}
	if leading {
		s = strings.TrimLeft(s, set)
	}
	if trailing {
		s = strings.TrimRight(s, set)
	}
	return value.String(s)
}

func evalTrim(c *compiler, call *rex.Call) (Eval, error) {
	flag, ok := call.Args[0].(*rex.Flag)
	if !ok {
		return nil, unsupported.New("TRIM without a flag")
	}
	set, err := c.compile(call.Args[1])
	if err != nil {
		return nil, err
	}
	x, err := c.compile(call.Args[2])
	if err != nil {
		return nil, err
	}
	lead, trail := flag.Text != "TRAILING", flag.Text != "LEADING"
	return eval2(x, set, func(c *Ctx, a, b value.Value) value.Value { return trimOf(c, a.Str(), b.Str(), lead, trail) }), nil
}

func evalSideTrim(lead, trail bool) builder {
	return strictN(func(c *Ctx, vs []value.Value) value.Value {
		set := " "
		if len(vs) == 2 {
			set = vs[1].Str()
		}
		return trimOf(c, vs[0].Str(), set, lead, trail)
	})
}

func lpad(c *Ctx, vs []value.Value) value.Value {
	base, n, pad := units(vs[0].Str()), vs[1].Int(), units(vs[2].Str())
	if n < 0 || len(pad) == 0 {
		return value.Null
	}
	if n > 1<<24 {
		return c.Fail(unsupported.New("LPAD to %d characters", n))
	}
	var out []uint16
	for k := int64(0); k < n-int64(len(base)); k++ {
		out = append(out, pad[k%int64(len(pad))])
	}
	out = append(out, base[:min(int(n), len(base))]...)
	return value.String(fromUnits(out))
}

func rpad(c *Ctx, vs []value.Value) value.Value {
	base, n, pad := units(vs[0].Str()), vs[1].Int(), units(vs[2].Str())
	if n < 0 || len(pad) == 0 {
		return value.Null
	}
	if n > 1<<24 {
		return c.Fail(unsupported.New("RPAD to %d characters", n))
	}
	out := append([]uint16{}, base[:min(int(n), len(base))]...)
	for k := int64(0); int64(len(out)) < n; k++ {
		out = append(out, pad[k%int64(len(pad))])
	}
	return value.String(fromUnits(out))
}

func repeat(c *Ctx, a, n value.Value) value.Value {
	if n.Int() <= 0 {
		return value.String("")
	}
	if n.Int()*int64(len(a.Str())) > 1<<26 {
		return c.Fail(unsupported.New("REPEAT of %d characters", n.Int()*int64(len(a.Str()))))
	}
	return value.String(strings.Repeat(a.Str(), int(n.Int())))
}

func reverse(_ *Ctx, a value.Value) value.Value {
	r := []rune(a.Str())
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return value.String(string(r))
}

// replace is String.replace, which finds an empty text before every code unit.
func replace(c *Ctx, vs []value.Value) value.Value {
	if vs[1].Str() == "" && !isASCII(vs[0].Str()) {
		return c.Fail(unsupported.New("REPLACE of an empty text in text outside ASCII"))
	}
	return value.String(strings.ReplaceAll(vs[0].Str(), vs[1].Str(), vs[2].Str()))
}

// translate maps code points; those without a partner vanish.
func translate(_ *Ctx, vs []value.Value) value.Value {
	if vs[0].IsNull() || vs[1].IsNull() || vs[0].Str() == "" || vs[1].Str() == "" {
		return vs[0]
	}
	to := []rune("")
	if !vs[2].IsNull() {
		to = []rune(vs[2].Str())
	}
	dict := map[rune]string{}
	for i, r := range []rune(vs[1].Str()) {
		if _, ok := dict[r]; ok {
			continue
		}
		dict[r] = ""
		if i < len(to) {
			dict[r] = string(to[i])
		}
	}
	var b strings.Builder
	for _, r := range vs[0].Str() {
		if s, ok := dict[r]; ok {
			b.WriteString(s)
		} else {
			b.WriteRune(r)
		}
	}
	return value.String(b.String())
}

// overlay follows Flink's code on Java strings: what stands behind the replaced part
// is kept only if it begins within the text.
func overlay(_ *Ctx, vs []value.Value) value.Value {
	s, r := units(vs[0].Str()), units(vs[1].Str())
	start, length := vs[2].Int(), int64(len(r))
	if len(vs) == 4 {
		length = vs[3].Int()
	}
	if start <= 0 || start > int64(len(s)) {
		return vs[0]
	}
	at, n := int(int32(start)), int(int32(length))
	out := append([]uint16{}, s[:at-1]...)
	out = append(out, r...)
	if at+n <= len(s) && n > 0 {
		out = append(out, s[at-1+n:]...)
	}
	return value.String(fromUnits(out))
}

// indexFrom is the place of a text in another, in code points from 0; -1 if there is none.
func indexFrom(s, seek string, from int64) int64 {
	if seek == "" {
		return 0
	}
	head, tail := splitAt(s, int(max(from, 0)))
	i := strings.Index(tail, seek)
	if i < 0 {
		return -1
	}
	return int64(utf8.RuneCountInString(head) + utf8.RuneCountInString(tail[:i]))
}

func position(_ *Ctx, vs []value.Value) value.Value {
	from := int64(1)
	if len(vs) == 3 {
		from = vs[2].Int()
	}
	return value.Int(indexFrom(vs[1].Str(), vs[0].Str(), from-1) + 1)
}

func instr(c *Ctx, vs []value.Value) value.Value {
	start, nth := int64(1), int64(1)
	if len(vs) > 2 {
		start = vs[2].Int()
	}
	if len(vs) > 3 {
		nth = vs[3].Int()
	}
	if nth <= 0 {
		return c.Fail(flinkerr.Runtime("java.lang.IllegalArgumentException", "nthAppearance must be positive!"))
	}
	s, sub := vs[0], vs[1]
	switch {
	case start == 0:
		return value.Int(0)
	case start > 0:
		return value.Int(nthIndex(s.Str(), sub.Str(), start, nth))
	}
	p := nthIndex(reverse(c, s).Str(), reverse(c, sub).Str(), -start, nth)
	if p == 0 {
		return value.Int(0)
	}
	return value.Int(int64(utf8.RuneCountInString(s.Str())+2-utf8.RuneCountInString(sub.Str())) - p)
}

func nthIndex(s, sub string, start, nth int64) int64 {
	at := int64(0)
	for range nth {
		at = indexFrom(s, sub, start-1) + 1
		if at == 0 {
			return 0
		}
		start = at + 1
	}
	return at
}

// ascii is the first byte, which Java takes for a signed number.
func ascii(_ *Ctx, a value.Value) value.Value {
	if a.Str() == "" {
		return value.Int(0)
	}
	return value.Int(int64(int8(a.Str()[0])))
}

func chr(_ *Ctx, a value.Value) value.Value {
	if a.Int() < 0 {
		return value.String("")
	}
	return value.String(string(rune(a.Int() & 0xff)))
}

func evalSplitIndex(c *compiler, call *rex.Call) (Eval, error) {
	byCode := call.Args[1].Type().IsInteger()
	return strictN(func(c *Ctx, vs []value.Value) value.Value {
		sep, i := "", vs[2].Int()
		if byCode {
			code := vs[1].Int()
			if code > 255 || code < 1 {
				return value.Null
			}
			sep = string(rune(code))
		} else {
			sep = vs[1].Str()
		}
		if i < 0 {
			return value.Null
		}
		s := vs[0].Str()
		if s == "" {
			return value.Null
		}
		if sep == "" {
			return c.Fail(unsupported.New("SPLIT_INDEX with an empty separator"))
		}
		parts := strings.Split(s, sep)
		if i >= int64(len(parts)) {
			return value.Null
		}
		return value.String(parts[i])
	})(c, call)
}

// splitString: an empty delimiter parts every UTF-16 unit; a delimiter at the very
// end gives no empty last part.
func splitString(_ *Ctx, a, d value.Value) value.Value {
	s, sep := a.Str(), d.Str()
	var out []value.Value
	if sep == "" {
		for _, u := range units(s) {
			out = append(out, value.String(fromUnits([]uint16{u})))
		}
		return value.Array(out)
	}
	if s == "" {
		return value.Array(nil)
	}
	for _, part := range strings.Split(s, sep) {
		out = append(out, value.String(part))
	}
	return value.Array(out)
}
