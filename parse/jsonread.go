package parse

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxJSONDepth is the deepest nesting that is read.
const maxJSONDepth = 100

// ReadJSON reads one JSON document. What strict JSON forbids but people write (a byte
// order mark, comments, a trailing comma) and members named twice are problems with
// their line; reading goes on where the meaning is clear.
func ReadJSON(file string, data []byte) *JSONDoc {
	d := &JSONDoc{}
	r, enc, _ := decoded(bytes.NewReader(data))
	if enc != "UTF-8" && enc != "" {
		var text bytes.Buffer
		if _, err := text.ReadFrom(r); err == nil {
			data = text.Bytes()
		}
		d.Notes = append(d.Notes, Note{Line: 1, Code: NoteEncoding, Text: "the file is " + enc})
	}
	p := &jsonParser{doc: d, file: file, b: data, line: 1}
	p.skip()
	if p.i >= len(p.b) {
		p.problem(ProblemJSON, "the file is empty")
		return d
	}
	if v, ok := p.value(0); ok {
		d.Root = &v
		if p.skip(); p.i < len(p.b) {
			p.problem(ProblemJSON, "text behind the end of the JSON value")
		}
	} else if v.Kind == JSONObject || v.Kind == JSONArray {
		d.Root = &v // as far as it goes
	}
	return d
}

// ParseJSONLine reads one JSON value of one line, such as a row of a JSON sink.
func ParseJSONLine(b []byte, line int) (*JSONValue, []Problem) {
	d := &JSONDoc{}
	p := &jsonParser{doc: d, b: b, line: line}
	p.skip()
	v, ok := p.value(0)
	if ok {
		if p.skip(); p.i < len(p.b) {
			p.problem(ProblemJSON, "text behind the end of the JSON value")
		}
	}
	if !ok || len(d.Problems) > 0 {
		return nil, d.Problems
	}
	return &v, nil
}

type jsonParser struct {
	doc       *JSONDoc
	file      string
	b         []byte
	i         int
	line      int
	lineStart int
	commented bool
}

func (p *jsonParser) problem(code, reason string) {
	p.problemAt(p.line, code, reason)
}

func (p *jsonParser) problemAt(line int, code, reason string) {
	if len(p.doc.Problems) >= 1000 {
		return
	}
	end := bytes.IndexByte(p.b[p.lineStart:], '\n')
	if end < 0 {
		end = len(p.b) - p.lineStart
	}
	text := trimRightSpace(p.b[p.lineStart : p.lineStart+min(end, 200)])
	p.doc.Problems = append(p.doc.Problems, Problem{File: p.file, Line: line, Code: code, Reason: reason, Text: string(text)})
}

func (p *jsonParser) newline() {
	p.line++
	p.lineStart = p.i + 1
}

// skip passes blanks and comments.
func (p *jsonParser) skip() {
	for p.i < len(p.b) {
		switch c := p.b[p.i]; {
		case c == '\n':
			p.newline()
			p.i++
		case c == ' ' || c == '\t' || c == '\r':
			p.i++
		case c == '#' || bytes.HasPrefix(p.b[p.i:], []byte("//")):
			p.comment()
			for p.i < len(p.b) && p.b[p.i] != '\n' {
				p.i++
			}
		case bytes.HasPrefix(p.b[p.i:], []byte("/*")):
			p.comment()
			end := bytes.Index(p.b[p.i:], []byte("*/"))
			if end < 0 {
				end = len(p.b) - p.i - 2
			}
			for stop := p.i + end + 2; p.i < stop; p.i++ {
				if p.b[p.i] == '\n' {
					p.newline()
				}
			}
		default:
			return
		}
	}
}

func (p *jsonParser) comment() {
	if !p.commented {
		p.commented = true
		p.problem(ProblemJSON, "JSON has no comments")
	}
}

// value reads a value; false after a problem that hides what follows.
func (p *jsonParser) value(depth int) (JSONValue, bool) {
	v := JSONValue{Line: p.line, Column: p.i - p.lineStart + 1}
	if p.i >= len(p.b) {
		p.problem(ProblemUnclosed, "the file ends where a value should stand")
		return v, false
	}
	if depth > maxJSONDepth {
		p.problem(ProblemJSON, "the JSON is nested deeper than "+itoa(maxJSONDepth)+" levels")
		return v, false
	}
	switch c := p.b[p.i]; {
	case c == '{':
		return p.object(v, depth)
	case c == '[':
		return p.array(v, depth)
	case c == '"':
		v.Kind = JSONString
		var ok bool
		v.Text, ok = p.str()
		return v, ok
	case c == '-' || c >= '0' && c <= '9':
		return p.number(v)
	}
	for _, w := range [...]struct {
		text string
		v    JSONValue
	}{{"true", JSONValue{Kind: JSONBool, Bool: true}}, {"false", JSONValue{Kind: JSONBool}}, {"null", JSONValue{}}} {
		if bytes.HasPrefix(p.b[p.i:], []byte(w.text)) && !wordAt(p.b, p.i+len(w.text)) {
			p.i += len(w.text)
			v.Kind, v.Bool = w.v.Kind, w.v.Bool
			return v, true
		}
	}
	p.problem(ProblemJSON, "here should stand a value (a number, a string in double quotes, an object, an array, true, false or null)")
	return v, false
}

func wordAt(b []byte, i int) bool {
	return i < len(b) && (b[i] >= 'a' && b[i] <= 'z' || b[i] >= 'A' && b[i] <= 'Z' || b[i] >= '0' && b[i] <= '9' || b[i] == '_')
}

func (p *jsonParser) object(v JSONValue, depth int) (JSONValue, bool) {
	v.Kind = JSONObject
	p.i++
	seen := map[string]int{}
	comma := 0 // the line of a comma that no member has followed yet
	for {
		p.skip()
		if p.i >= len(p.b) {
			p.problem(ProblemUnclosed, "the file ends inside an object: } is missing")
			return v, false
		}
		switch {
		case p.b[p.i] == '}':
			if comma > 0 {
				p.problemAt(comma, ProblemJSON, "a comma before } is not allowed")
			}
			p.i++
			return v, true
		case p.b[p.i] == '"':
		default:
			p.problem(ProblemJSON, "here should stand a member's name in double quotes, or }")
			return v, false
		}
		if len(v.Members) > 0 && comma == 0 {
			p.problem(ProblemJSON, "a comma is missing before this member")
		}
		m := JSONMember{Line: p.line}
		var ok bool
		if m.Name, ok = p.str(); !ok {
			return v, false
		}
		if first, dup := seen[m.Name]; dup {
			p.problem(ProblemDuplicateKey, "the member "+strconv.Quote(m.Name)+" is named twice, first at line "+itoa(first))
		} else {
			seen[m.Name] = m.Line
		}
		p.skip()
		if p.i >= len(p.b) || p.b[p.i] != ':' {
			p.problem(ProblemJSON, "a colon is missing behind "+strconv.Quote(m.Name))
			return v, false
		}
		p.i++
		p.skip()
		m.Value, ok = p.value(depth + 1)
		if !ok {
			if m.Value.Kind == JSONObject || m.Value.Kind == JSONArray {
				v.Members = append(v.Members, m)
			}
			return v, false
		}
		v.Members = append(v.Members, m)
		comma = 0
		p.skip()
		if p.i < len(p.b) && p.b[p.i] == ',' {
			comma = p.line
			p.i++
		}
	}
}

func (p *jsonParser) array(v JSONValue, depth int) (JSONValue, bool) {
	v.Kind = JSONArray
	p.i++
	comma := 0
	for {
		p.skip()
		if p.i >= len(p.b) {
			p.problem(ProblemUnclosed, "the file ends inside an array: ] is missing")
			return v, false
		}
		if p.b[p.i] == ']' {
			if comma > 0 {
				p.problemAt(comma, ProblemJSON, "a comma before ] is not allowed")
			}
			p.i++
			return v, true
		}
		if len(v.Elems) > 0 && comma == 0 {
			p.problem(ProblemJSON, "a comma is missing before this element")
		}
		e, ok := p.value(depth + 1)
		if !ok {
			return v, false
		}
		v.Elems = append(v.Elems, e)
		comma = 0
		p.skip()
		if p.i < len(p.b) && p.b[p.i] == ',' {
			comma = p.line
			p.i++
		}
	}
}

func (p *jsonParser) number(v JSONValue) (JSONValue, bool) {
	v.Kind = JSONNumber
	from := p.i
	for p.i < len(p.b) && bytes.IndexByte([]byte("+-0123456789.eE_"), p.b[p.i]) >= 0 {
		p.i++
	}
	v.Text = string(p.b[from:p.i])
	if !validNumber(v.Text) || wordAt(p.b, p.i) {
		p.problem(ProblemJSON, strconv.Quote(v.Text)+" is no number in JSON")
		return v, false
	}
	return v, true
}

func validNumber(t string) bool {
	if len(t) > 0 && t[0] == '-' {
		t = t[1:]
	}
	n := digits([]byte(t))
	if n == 0 || n > 1 && t[0] == '0' {
		return false
	}
	t = t[n:]
	if len(t) > 0 && t[0] == '.' {
		if n = digits([]byte(t[1:])); n == 0 {
			return false
		}
		t = t[1+n:]
	}
	if len(t) > 0 && (t[0] == 'e' || t[0] == 'E') {
		t = t[1:]
		if len(t) > 0 && (t[0] == '+' || t[0] == '-') {
			t = t[1:]
		}
		n = digits([]byte(t))
		return n > 0 && n == len(t)
	}
	return t == ""
}

// str reads a string from its opening quote on.
func (p *jsonParser) str() (string, bool) {
	p.i++
	var out []byte
	for p.i < len(p.b) {
		c := p.b[p.i]
		switch {
		case c == '"':
			p.i++
			return string(out), true
		case c == '\n':
			p.problem(ProblemUnclosed, "the line ends inside a string")
			return string(out), false
		case c == '\\':
			r, ok := p.escape()
			if !ok {
				return string(out), false
			}
			out = utf8.AppendRune(out, r)
			continue
		case c < ' ':
			p.problem(ProblemJSON, "a control character stands in a string")
		}
		out = append(out, c)
		p.i++
	}
	p.problem(ProblemUnclosed, "the file ends inside a string")
	return string(out), false
}

func (p *jsonParser) escape() (rune, bool) {
	p.i++
	if p.i >= len(p.b) {
		p.problem(ProblemUnclosed, "the file ends inside a string")
		return 0, false
	}
	c := p.b[p.i]
	p.i++
	switch c {
	case '"', '\\', '/':
		return rune(c), true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	case 'u':
		r, ok := p.hex4()
		if !ok {
			break
		}
		if utf16.IsSurrogate(r) && bytes.HasPrefix(p.b[p.i:], []byte(`\u`)) {
			save := p.i
			p.i += 2
			if r2, ok := p.hex4(); ok {
				if d := utf16.DecodeRune(r, r2); d != utf8.RuneError {
					return d, true
				}
			}
			p.i = save
		}
		return r, true
	}
	p.problem(ProblemJSON, "an unknown escape in a string")
	return 0, false
}

func (p *jsonParser) hex4() (rune, bool) {
	if p.i+4 > len(p.b) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(p.b[p.i:p.i+4]), 16, 16)
	if err != nil {
		return 0, false
	}
	p.i += 4
	return rune(n), true
}
