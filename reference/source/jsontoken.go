package source

import (
	"strconv"
	"unicode/utf8"
)

// jsonToken is a kind of token as Jackson's streaming parser gives them.
type jsonToken uint8

const (
	jsonNone jsonToken = iota // before the first token, and at the end of the text
	jsonStartObject
	jsonEndObject
	jsonStartArray
	jsonEndArray
	jsonFieldName
	jsonString
	jsonInt
	jsonFloat
	jsonTrue
	jsonFalse
	jsonNull
)

// jsonParser reads tokens as Jackson does with its default strictness (and, as Flink
// sets it, control characters allowed inside texts).
type jsonParser struct {
	b   []byte
	pos int
	tok jsonToken
	// start and end of the current token's text in b; of texts, without quotes.
	start, end int
	// decoded holds the text of a name or string that has escapes.
	decoded   []byte
	isDecoded bool
	// open holds '{' and '[' of what is not closed; inName tells that a name was the last token.
	open []byte
	// opened are the places of what is open.
	opened []int
	inName bool
	// pending is what is wrong with the string at hand. Jackson looks at strings late: it comes up
	// when the text is asked for, or else with the next token.
	pending error
	// first: no member has been read yet in the innermost open object or array.
	first bool
}

func newJSONParser(b []byte) *jsonParser {
	if len(b) >= 3 && b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf {
		b = b[3:]
	}
	return &jsonParser{b: b}
}

func (p *jsonParser) skipBlanks() {
	for p.pos < len(p.b) {
		switch p.b[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// next moves to the next token; at the end of the text the token is jsonNone.
func (p *jsonParser) next() error {
	if err := p.pending; err != nil {
		p.pending = nil
		return err
	}
	p.isDecoded = false
	p.skipBlanks()
	if len(p.open) == 0 {
		if p.pos == len(p.b) {
			p.tok = jsonNone
			return nil
		}
		return p.value()
	}
	inObject := p.open[len(p.open)-1] == '{'
	if p.inName {
		if p.pos >= len(p.b) {
			return p.eofError(" within/between Object entries")
		}
		if p.b[p.pos] != ':' {
			return p.unexpected("was expecting a colon to separate field name and value")
		}
		p.pos++
		p.skipBlanks()
		p.inName = false
		p.first = false
		return p.value()
	}
	if p.pos >= len(p.b) {
		return p.unclosed()
	}
	if c := p.b[p.pos]; c == '}' || c == ']' {
		if (c == '}') != inObject {
			return p.mismatch(c)
		}
		p.pos++
		p.open = p.open[:len(p.open)-1]
		p.opened = p.opened[:len(p.opened)-1]
		p.first = false
		if inObject {
			p.tok = jsonEndObject
		} else {
			p.tok = jsonEndArray
		}
		return nil
	}
	if !p.first {
		if p.b[p.pos] != ',' {
			return p.unexpected("was expecting comma to separate " + p.scope() + " entries")
		}
		p.pos++
		p.skipBlanks()
		if p.pos >= len(p.b) {
			return p.missing()
		}
	}
	p.first = false
	if !inObject {
		return p.value()
	}
	if p.b[p.pos] != '"' {
		return p.unexpected("was expecting double-quote to start field name")
	}
	p.tok = jsonFieldName
	if err := p.quoted(); err != nil {
		return err
	}
	p.tok, p.inName = jsonFieldName, true
	return nil
}

// value reads a value, or the opening of one.
func (p *jsonParser) value() error {
	if p.pos >= len(p.b) {
		return p.eofError(" within/between Object entries")
	}
	p.start = p.pos
	switch c := p.b[p.pos]; {
	case c == '{' || c == '[':
		p.open = append(p.open, c)
		p.opened = append(p.opened, p.pos)
		p.first = true
		p.pos++
		p.end = p.pos
		p.tok = jsonStartObject
		if c == '[' {
			p.tok = jsonStartArray
		}
		return nil
	case c == '"':
		p.tok = jsonString
		p.pending = p.quoted()
		return nil
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case c == 't':
		return p.word("true", jsonTrue)
	case c == 'f':
		return p.word("false", jsonFalse)
	case c == 'n':
		return p.word("null", jsonNull)
	}
	return p.oddValue()
}

func (p *jsonParser) word(w string, t jsonToken) error {
	for i := 0; i < len(w); i++ {
		if p.pos+i >= len(p.b) || p.b[p.pos+i] != w[i] {
			return p.unknownWord()
		}
	}
	end := p.pos + len(w)
	if end < len(p.b) && p.b[end] >= '0' && p.b[end] != ']' && p.b[end] != '}' && isWordPart(p.b[end:]) {
		return p.unknownWord()
	}
	p.pos, p.tok, p.end = end, t, end
	return nil
}

// number reads a number; a separator must follow it at the top level.
func (p *jsonParser) number() error {
	digits := func() int {
		n := 0
		for p.pos < len(p.b) && p.b[p.pos] >= '0' && p.b[p.pos] <= '9' {
			p.pos++
			n++
		}
		return n
	}
	if p.b[p.pos] == '-' {
		p.pos++
	}
	from := p.pos
	n := digits()
	if n == 0 && p.pos < len(p.b) && p.b[p.pos] == '.' {
		return p.unexpected("expected a valid value " + expectedValue)
	}
	if n == 0 {
		return p.oddNumber("expected digit (0-9) to follow minus sign, for valid numeric value")
	}
	if n > 1 && p.b[from] == '0' {
		p.pos = from + 1
		return p.parseError("Invalid numeric value: Leading zeroes not allowed", p.pos)
	}
	p.tok = jsonInt
	if p.pos < len(p.b) && p.b[p.pos] == '.' {
		p.pos++
		if digits() == 0 {
			return p.oddNumber("Decimal point not followed by a digit")
		}
		p.tok = jsonFloat
	}
	if p.pos < len(p.b) && p.b[p.pos]|0x20 == 'e' {
		p.pos++
		if p.pos < len(p.b) && (p.b[p.pos] == '+' || p.b[p.pos] == '-') {
			p.pos++
		}
		if digits() == 0 {
			return p.oddNumber("Exponent indicator not followed by a digit")
		}
		p.tok = jsonFloat
	}
	p.end = p.pos
	if len(p.open) == 0 && p.pos < len(p.b) {
		switch p.b[p.pos] {
		case ' ', '\t', '\n', '\r':
		default:
			return p.unexpected("Expected space separating root-level values")
		}
	}
	return nil
}

// quoted reads a text in quotes.
func (p *jsonParser) quoted() error {
	p.pos++
	p.start = p.pos
	ascii := true
	for ; p.pos < len(p.b); p.pos++ {
		switch c := p.b[p.pos]; {
		case c == '"':
			p.end = p.pos
			p.pos++
			if !ascii && !utf8.Valid(p.b[p.start:p.end]) {
				// Jackson stops in the middle of the text then.
				p.pos = p.start
				return p.fail()
			}
			return nil
		case c == '\\':
			return p.escaped()
		case c >= 0x80:
			ascii = false
		}
	}
	return p.unclosedText()
}

func (p *jsonParser) escaped() error {
	out := append(p.decoded[:0], p.b[p.start:p.pos]...)
	var high rune
	for p.pos < len(p.b) {
		c := p.b[p.pos]
		p.pos++
		if c == '"' {
			p.decoded, p.isDecoded = out, true
			if !utf8.Valid(out) {
				return p.fail()
			}
			return nil
		}
		if c != '\\' {
			out = append(out, c)
			continue
		}
		if p.pos == len(p.b) {
			return p.fail()
		}
		c = p.b[p.pos]
		p.pos++
		switch c {
		case '"', '\\', '/':
		case 'b':
			c = '\b'
		case 't':
			c = '\t'
		case 'n':
			c = '\n'
		case 'f':
			c = '\f'
		case 'r':
			c = '\r'
		case 'u':
			if p.pos+4 > len(p.b) {
				return p.fail()
			}
			for k := 0; k < 4; k, p.pos = k+1, p.pos+1 {
				if !isHex(p.b[p.pos]) {
					err := p.unexpected("expected a hex-digit for character escape sequence")
					p.pos++
					return err
				}
			}
			n, _ := strconv.ParseUint(string(p.b[p.pos-4:p.pos]), 16, 16)
			r := rune(n)
			if r >= 0xd800 && r < 0xdc00 && p.pos+1 < len(p.b) && p.b[p.pos] == '\\' && p.b[p.pos+1] == 'u' {
				high = r
				continue
			}
			if high != 0 {
				if r >= 0xdc00 && r < 0xe000 {
					r = 0x10000 + (high-0xd800)<<10 + (r - 0xdc00)
				} else {
					out = append(out, '?')
				}
				high = 0
			}
			if r >= 0xd800 && r < 0xe000 {
				// Half of a pair becomes a question mark when Flink encodes the text.
				r = '?'
			}
			out = utf8.AppendRune(out, r)
			continue
		default:
			return p.badEscape(c)
		}
		out = append(out, c)
	}
	return p.unclosedText()
}

// content is text, with what is wrong with it.
func (p *jsonParser) content() (string, error) {
	if err := p.pending; err != nil {
		p.pending = nil
		return "", err
	}
	return p.text(), nil
}

// text is the current token as Jackson's getText: of texts their content, of other
// tokens the characters that stand there. It is borrowed until the next token.
func (p *jsonParser) text() string {
	switch p.tok {
	case jsonNone:
		return ""
	case jsonEndObject:
		return "}"
	case jsonEndArray:
		return "]"
	}
	if p.isDecoded {
		return borrow(p.decoded)
	}
	return borrow(p.b[p.start:p.end])
}
