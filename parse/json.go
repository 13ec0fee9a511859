package parse

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

// ReadJSON reads one JSON document. It takes what strict JSON forbids but people
// write (a byte order mark, comments, a trailing comma, single quotes are not) as a
// problem with its line, and goes on where the meaning is clear.
func ReadJSON(file string, data []byte) *JSONDoc { return &JSONDoc{} }

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

// Int reads member name of the root object as an integer. In the states IntText and
// IntFraction n is the number that was meant. The member's value is returned for its
// line, nil when missing; of duplicates the last counts.
func (d *JSONDoc) Int(name string) (n int64, s IntState, v *JSONValue) { return 0, IntMissing, nil }
