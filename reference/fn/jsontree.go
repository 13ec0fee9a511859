package fn

import (
	"errors"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// jsonNode is a JSON value as Jackson reads it into Java objects: whole numbers are
// Integer, Long or BigInteger, others BigDecimal.
type jsonNode struct {
	kind jsonKind
	// text of a string, and of a number as Java's toString gives it; JSON text of a raw value.
	text  string
	items []jsonNode
	// keys of an object, beside items, in the order of their first occurrence.
	keys []string
}

type jsonKind byte

const (
	jsonNull jsonKind = iota
	jsonBool
	jsonInt
	jsonDecimal
	jsonString
	jsonArray
	jsonObject
	jsonRaw
)

func (n *jsonNode) isScalar() bool { return n.kind != jsonArray && n.kind != jsonObject }

func (n *jsonNode) get(key string) *jsonNode {
	if i := slices.Index(n.keys, key); i >= 0 {
		return &n.items[i]
	}
	return nil
}

func (n *jsonNode) set(key string, v jsonNode) {
	if i := slices.Index(n.keys, key); i >= 0 {
		n.items[i] = v
		return
	}
	n.keys, n.items = append(n.keys, key), append(n.items, v)
}

// errJSON says that a text is no JSON; Jackson's own words are not imitated.
var errJSON = errors.New("no JSON")

// maxJSONDepth is Jackson's limit of nesting.
const maxJSONDepth = 1000

// parseJSON reads the first JSON value of a text. Like Jackson it does not mind what
// stands behind it, except directly behind a number or a word.
func parseJSON(s string) (jsonNode, error) {
	p := jsonParser{s: s}
	n, err := p.value(0)
	if err != nil {
		return n, err
	}
	if c := p.peek(); n.kind == jsonInt || n.kind == jsonDecimal {
		if p.i < len(p.s) && !isJSONSpace(c) {
			return n, errJSON
		}
	}
	return n, nil
}

type jsonParser struct {
	s string
	i int
}

func isJSONSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (p *jsonParser) peek() byte {
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

func (p *jsonParser) space() byte {
	for p.i < len(p.s) && isJSONSpace(p.s[p.i]) {
		p.i++
	}
	return p.peek()
}

func (p *jsonParser) value(depth int) (jsonNode, error) {
	if depth > maxJSONDepth {
		return jsonNode{}, errJSON
	}
	switch c := p.space(); {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		s, err := p.str()
		return jsonNode{kind: jsonString, text: s}, err
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	for _, word := range []string{"null", "true", "false"} {
		if strings.HasPrefix(p.s[p.i:], word) {
			p.i += len(word)
			r, _ := utf8.DecodeRuneInString(p.s[p.i:])
			if p.i < len(p.s) && r >= '0' && r != ']' && r != '}' {
				if r >= 0x80 {
					return jsonNode{}, unsupported.New("JSON with %q behind a word", r)
				}
				if r == '_' || r == '$' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
					return jsonNode{}, errJSON
				}
			}
			if word == "null" {
				return jsonNode{}, nil
			}
			return jsonNode{kind: jsonBool, text: word}, nil
		}
	}
	return jsonNode{}, errJSON
}

func (p *jsonParser) object(depth int) (jsonNode, error) {
	n := jsonNode{kind: jsonObject}
	p.i++
	if p.space() == '}' {
		p.i++
		return n, nil
	}
	for {
		if p.space() != '"' {
			return n, errJSON
		}
		key, err := p.str()
		if err != nil {
			return n, err
		}
		if p.space() != ':' {
			return n, errJSON
		}
		p.i++
		v, err := p.value(depth + 1)
		if err != nil {
			return n, err
		}
		n.set(key, v)
		switch p.space() {
		case '}':
			p.i++
			return n, nil
		case ',':
			p.i++
		default:
			return n, errJSON
		}
	}
}

func (p *jsonParser) array(depth int) (jsonNode, error) {
	n := jsonNode{kind: jsonArray}
	p.i++
	if p.space() == ']' {
		p.i++
		return n, nil
	}
	for {
		v, err := p.value(depth + 1)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, v)
		switch p.space() {
		case ']':
			p.i++
			return n, nil
		case ',':
			p.i++
		default:
			return n, errJSON
		}
	}
}

// str reads a string; half a surrogate pair, which no UTF-8 text can hold, is refused.
func (p *jsonParser) str() (string, error) {
	p.i++
	start := p.i
	for p.i < len(p.s) && p.s[p.i] != '"' && p.s[p.i] != '\\' && p.s[p.i] >= ' ' {
		p.i++
	}
	if p.peek() == '"' {
		p.i++
		return p.s[start : p.i-1], nil
	}
	var b strings.Builder
	b.WriteString(p.s[start:p.i])
	for p.i < len(p.s) {
		c := p.s[p.i]
		p.i++
		switch {
		case c == '"':
			return b.String(), nil
		case c < ' ':
			return "", errJSON
		case c != '\\':
			b.WriteByte(c)
			continue
		}
		esc := p.peek()
		p.i++
		if at := strings.IndexByte(`"\/bfnrt`, esc); at >= 0 && p.i <= len(p.s) {
			b.WriteByte("\"\\/\b\f\n\r\t"[at])
			continue
		}
		if esc != 'u' {
			return "", errJSON
		}
		r, err := p.hex4()
		if err != nil {
			return "", err
		}
		if utf16.IsSurrogate(r) {
			if !strings.HasPrefix(p.s[p.i:], `\u`) {
				return "", unsupported.New("JSON with half a surrogate pair")
			}
			p.i += 2
			low, err := p.hex4()
			if err != nil {
				return "", err
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				return "", unsupported.New("JSON with half a surrogate pair")
			}
		}
		b.WriteRune(r)
	}
	return "", errJSON
}

func (p *jsonParser) hex4() (rune, error) {
	if p.i+4 > len(p.s) {
		return 0, errJSON
	}
	n, err := strconv.ParseUint(p.s[p.i:p.i+4], 16, 32)
	if err != nil {
		return 0, errJSON
	}
	p.i += 4
	return rune(n), nil
}

// maxJSONNumber is Jackson's limit for the length of a number.
const maxJSONNumber = 1000

func (p *jsonParser) number() (jsonNode, error) {
	start := p.i
	if p.peek() == '-' {
		p.i++
	}
	digits := func() int {
		from := p.i
		for c := p.peek(); c >= '0' && c <= '9' && p.i < len(p.s); c = p.peek() {
			p.i++
		}
		return p.i - from
	}
	zero := p.peek() == '0'
	if n := digits(); n == 0 || zero && n > 1 {
		return jsonNode{}, errJSON
	}
	whole := true
	if p.peek() == '.' {
		whole = false
		p.i++
		if digits() == 0 {
			return jsonNode{}, errJSON
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		whole = false
		p.i++
		if c := p.peek(); c == '+' || c == '-' {
			p.i++
		}
		if digits() == 0 {
			return jsonNode{}, errJSON
		}
	}
	text := p.s[start:p.i]
	if len(text) > maxJSONNumber {
		return jsonNode{}, unsupported.New("a number of more than %d digits in JSON", maxJSONNumber)
	}
	if whole {
		if text == "-0" {
			text = "0"
		}
		return jsonNode{kind: jsonInt, text: text}, nil
	}
	text, err := bigDecimalText(text)
	return jsonNode{kind: jsonDecimal, text: text}, err
}

// bigDecimalText is new BigDecimal(text).toString().
func bigDecimalText(text string) (string, error) {
	mantissa, exp := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		n, err := strconv.Atoi(text[i+1:])
		if err != nil || n > 1e8 || n < -1e8 {
			return "", unsupported.New("the exponent of the number %s", text)
		}
		mantissa, exp = text[:i], n
	}
	negative := strings.HasPrefix(mantissa, "-")
	whole, frac, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	digits := strings.TrimLeft(whole+frac, "0")
	if digits == "" {
		digits, negative = "0", false
	}
	sign := ""
	if negative {
		sign = "-"
	}
	return sign + scaledText(digits, len(frac)-exp), nil
}

// scaledText is BigDecimal.toString for digits * 10^-scale.
func scaledText(digits string, scale int) string {
	adjusted := len(digits) - 1 - scale
	switch {
	case scale >= 0 && adjusted >= -6:
		if scale == 0 {
			return digits
		}
		if len(digits) <= scale {
			digits = strings.Repeat("0", scale-len(digits)+1) + digits
		}
		return digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	s := digits[:1]
	if len(digits) > 1 {
		s += "." + digits[1:]
	}
	if adjusted == 0 {
		return s
	}
	if adjusted > 0 {
		return s + "E+" + strconv.Itoa(adjusted)
	}
	return s + "E" + strconv.Itoa(adjusted)
}

// appendJSON writes a node as Jackson does, with keys in the order of UTF-16.
func appendJSON(dst []byte, n *jsonNode) []byte {
	switch n.kind {
	case jsonNull:
		return append(dst, "null"...)
	case jsonString:
		return value.AppendJSONString(dst, n.text)
	case jsonArray:
		dst = append(dst, '[')
		for i := range n.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, &n.items[i])
		}
		return append(dst, ']')
	case jsonObject:
		order := make([]int, len(n.keys))
		for i := range order {
			order[i] = i
		}
		sort.Slice(order, func(a, b int) bool { return lessUTF16(n.keys[order[a]], n.keys[order[b]]) })
		dst = append(dst, '{')
		for k, i := range order {
			if k > 0 {
				dst = append(dst, ',')
			}
			dst = value.AppendJSONString(dst, n.keys[i])
			dst = append(dst, ':')
			dst = appendJSON(dst, &n.items[i])
		}
		return append(dst, '}')
	}
	return append(dst, n.text...)
}

func lessUTF16(a, b string) bool { return slices.Compare(units(a), units(b)) < 0 }

// javaText is Java's toString of the object: {a=1, b=[x, y]}.
func (n *jsonNode) javaText() string {
	switch n.kind {
	case jsonNull:
		return "null"
	case jsonArray:
		parts := make([]string, len(n.items))
		for i := range n.items {
			parts[i] = n.items[i].javaText()
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case jsonObject:
		parts := make([]string, len(n.items))
		for i := range n.items {
			parts[i] = n.keys[i] + "=" + n.items[i].javaText()
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return n.text
}

// javaClass is the class of the Java object.
func (n *jsonNode) javaClass() string {
	switch n.kind {
	case jsonBool:
		return "java.lang.Boolean"
	case jsonDecimal:
		return "java.math.BigDecimal"
	case jsonInt:
		i, _ := new(big.Int).SetString(n.text, 10)
		switch {
		case i.IsInt64() && int64(int32(i.Int64())) == i.Int64():
			return "java.lang.Integer"
		case i.IsInt64():
			return "java.lang.Long"
		}
		return "java.math.BigInteger"
	}
	return "java.lang.String"
}
