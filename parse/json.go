package parse

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
)

// JSONKind is the kind of a JSON value.
type JSONKind uint8

// The kinds.
const (
	JSONNull JSONKind = iota
	JSONBool
	JSONNumber
	JSONString
	JSONArray
	JSONObject
)

// String names the kind as messages do.
func (k JSONKind) String() string {
	switch k {
	case JSONBool:
		return "true or false"
	case JSONNumber:
		return "a number"
	case JSONString:
		return "a string"
	case JSONArray:
		return "an array"
	case JSONObject:
		return "an object"
	}
	return "null"
}

// JSONValue is a value with its place.
type JSONValue struct {
	Kind   JSONKind
	Line   int
	Column int // in bytes, 1-based
	Bool   bool
	// Text is the number as written, or the decoded string.
	Text    string
	Members []JSONMember // of an object, in order, duplicates included
	Elems   []JSONValue  // of an array
}

// JSONMember is a name and its value.
type JSONMember struct {
	Name  string
	Line  int
	Value JSONValue
}

// JSONDoc is a JSON file.
type JSONDoc struct {
	// Root is nil when the text is no JSON at all.
	Root     *JSONValue
	Notes    []Note
	Problems []Problem
}

// IntState says how an integer was found.
type IntState uint8

// The states.
const (
	IntOK       IntState = iota
	IntMissing           // no such member
	IntText              // a string with digits: "11"
	IntFraction          // a number that is integral but not written so: 11.0, 1.1e1
	IntHuge              // beyond 64 bits
	IntWrong             // another type or a number with a fraction
)

// Member finds a member of the root object; of duplicates the last counts, as in most
// JSON readers. nil when there is none or the root is no object.
func (d *JSONDoc) Member(name string) *JSONMember {
	if d.Root == nil {
		return nil
	}
	return d.Root.Member(name)
}

// Member finds a member of an object; of duplicates the last counts.
func (v *JSONValue) Member(name string) *JSONMember {
	for i := len(v.Members) - 1; i >= 0; i-- {
		if v.Members[i].Name == name {
			return &v.Members[i]
		}
	}
	return nil
}

// Int reads member name of the root object as an integer. In the states IntText and
// IntFraction n is the number that was meant. The member's value is returned for its
// line, nil when missing.
func (d *JSONDoc) Int(name string) (n int64, s IntState, v *JSONValue) {
	m := d.Member(name)
	if m == nil {
		return 0, IntMissing, nil
	}
	n, s = m.Value.Int()
	return n, s, &m.Value
}

// Int reads a value as an integer.
func (v *JSONValue) Int() (int64, IntState) {
	switch v.Kind {
	case JSONNumber:
		return intOf(v.Text, IntOK)
	case JSONString:
		t := strings.TrimSpace(v.Text)
		if t == "" || strings.Trim(t, "+-0123456789.eE_, ") != "" {
			return 0, IntWrong
		}
		if n, s := intOf(strings.TrimPrefix(t, "+"), IntText); s == IntText || s == IntFraction {
			return n, IntText
		}
	}
	return 0, IntWrong
}

func intOf(t string, exact IntState) (int64, IntState) {
	if n, err := strconv.ParseInt(t, 10, 64); err == nil {
		return n, exact
	} else if errors.Is(err, strconv.ErrRange) {
		return 0, IntHuge
	}
	// An exponent like 1e999999999 would make a number of a billion digits.
	if i := strings.IndexAny(t, "eE"); i >= 0 {
		if e, err := strconv.Atoi(strings.TrimPrefix(t[i+1:], "+")); err != nil || e > 400 || e < -400 {
			return 0, IntHuge
		}
	}
	r, ok := new(big.Rat).SetString(t)
	switch {
	case !ok || !r.IsInt():
		return 0, IntWrong
	case !r.Num().IsInt64():
		return 0, IntHuge
	}
	return r.Num().Int64(), IntFraction
}
