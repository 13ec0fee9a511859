package source

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/labgrade/labgrade/reference/flinkerr"
)

const (
	classJSONEOF     = "org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.io.JsonEOFException"
	classJSONMapping = "org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonMappingException"
	// redacted is how Jackson names its source inside a message.
	redacted = "[Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: 1, column: %d]"
)

// unknownText is an error whose words in Flink are not known here. It is refused where
// they would show, and is an error like others where parse errors are ignored.
type unknownText struct{ reason string }

func (e *unknownText) Error() string { return e.reason }

func unknown(format string, a ...any) error { return &unknownText{fmt.Sprintf(format, a...)} }

func (p *jsonParser) fail() error { return unknown("malformed JSON at byte %d", p.pos) }

// jacksonError is an error of Jackson's parser at a byte, counted from 0. A carriage return begins
// a new line for Jackson; such texts are left alone.
func (p *jsonParser) jacksonError(class, message string, at int) error {
	if strings.IndexByte(borrow(p.b), '\r') >= 0 {
		return p.fail()
	}
	return &flinkerr.Error{Class: class, AtRuntime: true,
		Message: fmt.Sprintf("%s\n at [Source: UNKNOWN; line: 1, column: %d]", message, at+1)}
}

func (p *jsonParser) parseError(message string, at int) error {
	return p.jacksonError(classJSONParse, message, at)
}

// eofError is the end of the text in the middle of something.
func (p *jsonParser) eofError(where string) error {
	return p.jacksonError(classJSONEOF, "Unexpected end-of-input"+where, len(p.b))
}

func (p *jsonParser) scope() string {
	if len(p.open) == 0 {
		return "root"
	}
	if p.open[len(p.open)-1] == '{' {
		return "Object"
	}
	return "Array"
}

// unclosed: the text ends where an object or array could be closed.
func (p *jsonParser) unclosed() error {
	return p.eofError(fmt.Sprintf(": expected close marker for %s (start marker at "+redacted+")", p.scope(), p.opened[len(p.opened)-1]+1))
}

// missing: the text ends where a name or value must stand.
func (p *jsonParser) missing() error {
	return p.jacksonError(classJSONParse, "Unexpected end-of-input within/between "+p.scope()+" entries", len(p.b))
}

func (p *jsonParser) unclosedText() error {
	if p.tok == jsonFieldName {
		if p.start < len(p.b) {
			return p.eofError(" in field name")
		}
		return p.eofError(": was expecting closing '\"' for name")
	}
	return p.eofError(" in VALUE_STRING")
}

func (p *jsonParser) mismatch(c byte) error {
	want := byte(']')
	if p.scope() == "Object" {
		want = '}'
	}
	return p.parseError(fmt.Sprintf("Unexpected close marker '%c': expected '%c' (for %s starting at "+redacted+")",
		c, want, p.scope(), p.opened[len(p.opened)-1]+1), p.pos)
}

// unexpected refuses the character at the read position.
func (p *jsonParser) unexpected(comment string) error {
	r, _ := utf8.DecodeRune(p.b[p.pos:])
	if r >= utf8.RuneSelf {
		return p.fail()
	}
	// The parser stands behind the character then.
	p.pos++
	return p.parseError(fmt.Sprintf("Unexpected character (%s): %s", describeChar(r), comment), p.pos-1)
}

// oddNumber refuses what stands in a number at the read position.
func (p *jsonParser) oddNumber(comment string) error {
	if p.pos >= len(p.b) {
		return p.fail()
	}
	r, _ := utf8.DecodeRune(p.b[p.pos:])
	if r >= utf8.RuneSelf {
		return p.fail()
	}
	p.pos++
	return p.parseError(fmt.Sprintf("Unexpected character (%s) in numeric value: %s", describeChar(r), comment), p.pos-1)
}

const expectedValue = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')"

// oddValue refuses what cannot begin a value.
func (p *jsonParser) oddValue() error {
	c := p.b[p.pos]
	if c >= utf8.RuneSelf {
		return p.fail()
	}
	switch c {
	case '+', 'I', 'N':
		return p.fail()
	case ',', '}':
		if c == '}' && len(p.open) == 0 {
			p.pos++
			return p.parseError("Unexpected close marker '}': no open Object to close", p.pos-1)
		}
		return p.unexpected("expected a value")
	case ']':
		if len(p.open) == 0 {
			p.pos++
			return p.parseError("Unexpected close marker ']': no open Array to close", p.pos-1)
		}
		if p.scope() == "Array" {
			return p.unexpected("expected a value")
		}
	}
	if c == '_' || c == '$' || unicode.IsLetter(rune(c)) {
		return p.unknownWord()
	}
	return p.unexpected("expected a valid value " + expectedValue)
}

// isWordPart tells whether a Java identifier can go on here.
func isWordPart(b []byte) bool {
	r, _ := utf8.DecodeRune(b)
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// unknownWord refuses a word. The place is behind it and behind the character that ends it.
func (p *jsonParser) unknownWord() error {
	i := p.pos
	for i < len(p.b) && isWordPart(p.b[i:]) {
		if p.b[i] >= utf8.RuneSelf {
			return p.fail()
		}
		i++
	}
	if i-p.pos > 256 || i < len(p.b) && p.b[i] >= utf8.RuneSelf {
		return p.fail()
	}
	at := i
	if i < len(p.b) {
		at++
	}
	return p.parseError(fmt.Sprintf("Unrecognized token '%s': was expecting %s", p.b[p.pos:i], expectedValue), at)
}

// noContent is Flink's refusal of a line that begins with neither an object nor an array.
func (p *jsonParser) noContent() error {
	place := "line: 1"
	if p.tok != jsonNone {
		at := p.start
		if p.tok == jsonString {
			at--
		}
		place += fmt.Sprintf(", column: %d", at+1)
	}
	return &flinkerr.Error{Class: classJSONMapping, AtRuntime: true,
		Message: "No content to map due to end-of-input\n at [Source: UNKNOWN; " + place + "]"}
}

// badEscape refuses the character behind a backslash, which has been read.
func (p *jsonParser) badEscape(c byte) error {
	if c >= utf8.RuneSelf {
		return p.fail()
	}
	return p.parseError(fmt.Sprintf("Unrecognized character escape %s", describeChar(rune(c))), p.pos-1)
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// noToken is what Java says when Flink goes on behind the end of the text.
func noToken() error {
	return flinkerr.Runtime("java.lang.NullPointerException", "Cannot invoke \"%[1]sJsonToken.ordinal()\" because the return value of \"%[1]sJsonParser.currentToken()\" is null",
		"org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.")
}
