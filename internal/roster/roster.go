// Package roster reads the list of a class, and finds who a submission belongs to by the
// name that a platform gave it.
package roster

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/gocarina/gocsv"
)

// Person is a line of the roster. All fields are text: an id's leading zeros count.
type Person struct {
	ID       string `csv:"id"`
	Name     string `csv:"name"`
	Email    string `csv:"email"`
	Login    string `csv:"login"`
	Section  string `csv:"section"`
	CanvasID string `csv:"canvas_id"`
	MoodleID string `csv:"moodle_id"`

	// First and Last stand in for Name where the file has them apart.
	First string `csv:"first_name"`
	Last  string `csv:"last_name"`
	// Line is the line of the file, from 1.
	Line int `csv:"-"`
}

// MaxBytes bounds a roster.
const MaxBytes = 16 << 20

// Error says what is wrong with a roster.
type Error struct {
	Line   int // 0 for the whole file
	Reason string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return "the roster: " + e.Reason
	}
	return fmt.Sprintf("the roster, line %d: %s", e.Line, e.Reason)
}

// headers maps the usual names of columns, in lower case and with blanks, to ours. Canvas
// calls its own number "ID" and the school's "SIS User ID": see canvas.
func headers() map[string]string {
	return map[string]string{
		"id": "id", "id number": "id", "student id": "id", "student number": "id", "sid": "id", "sis user id": "id", "matriculation number": "id", "user id": "id",
		"name": "name", "full name": "name", "student": "name", "student name": "name",
		"first name": "first_name", "given name": "first_name", "firstname": "first_name",
		"last name": "last_name", "surname": "last_name", "family name": "last_name", "lastname": "last_name",
		"email": "email", "email address": "email", "e mail": "email", "mail": "email",
		"login": "login", "username": "login", "user name": "login", "sis login id": "login", "login id": "login", "github": "login",
		"section": "section", "group": "section", "groups": "section", "class": "section",
		"canvas id": "canvas_id", "canvas user id": "canvas_id",
		"moodle id": "moodle_id", "identifier": "moodle_id", "participant": "moodle_id",
	}
}

// Roster is the list of a class.
type Roster struct {
	People []Person
	index  index
}

// Read reads a CSV file with a header: the column id is needed, the others are not. The
// separator is a comma, a semicolon or a tab. The error is an *Error.
func Read(r io.Reader) (*Roster, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, &Error{0, "it cannot be read: " + err.Error()}
	}
	if len(data) > MaxBytes {
		return nil, &Error{0, "it is larger than any class"}
	}
	rows, err := newRows(string(data))
	if err != nil {
		return nil, err
	}
	var people []Person
	// The reader is our own, so that gocsv's settings for the whole process stay untouched.
	if err := gocsv.UnmarshalCSV(rows, &people); err != nil {
		return nil, &Error{0, err.Error()}
	}
	out := &Roster{}
	seen := map[string]int{}
	for i := range people {
		p := &people[i]
		p.Line = rows.lines[i+1]
		p.trim()
		if p.isEmpty() || strings.EqualFold(p.Name, "Points Possible") || p.Name == "Student, Test" {
			continue // blank lines, and what Canvas adds to its own export
		}
		if p.ID == "" {
			return nil, &Error{p.Line, "the id is empty"}
		}
		if first, ok := seen[p.ID]; ok {
			return nil, &Error{p.Line, fmt.Sprintf("the id %s stands in line %d already", p.ID, first)}
		}
		seen[p.ID] = p.Line
		out.People = append(out.People, *p)
	}
	if len(out.People) == 0 {
		return nil, &Error{0, "it names nobody"}
	}
	out.index = newIndex(out.People)
	return out, nil
}

func (p *Person) trim() {
	for _, f := range []*string{&p.ID, &p.Name, &p.Email, &p.Login, &p.Section, &p.CanvasID, &p.MoodleID, &p.First, &p.Last} {
		*f = strings.TrimSpace(*f)
	}
	if p.Name == "" {
		p.Name = strings.TrimSpace(p.First + " " + p.Last)
	}
	p.MoodleID = strings.TrimSpace(strings.TrimPrefix(p.MoodleID, "Participant"))
}

func (p *Person) isEmpty() bool { return *p == Person{Line: p.Line} }

// rows is a csv reader that gives the header under our names.
type rows struct {
	records [][]string
	lines   []int
	at      int
}

func newRows(text string) (*rows, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	c := csv.NewReader(strings.NewReader(text))
	c.FieldsPerRecord = -1
	first, _, _ := strings.Cut(text, "\n")
	for _, sep := range []rune{';', '\t'} {
		if strings.Count(first, string(sep)) > strings.Count(first, ",") {
			c.Comma = sep
		}
	}
	r := &rows{}
	for {
		rec, err := c.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, &Error{0, err.Error()}
		}
		line, _ := c.FieldPos(0)
		r.records, r.lines = append(r.records, rec), append(r.lines, line)
	}
	if len(r.records) == 0 {
		return nil, &Error{0, "it is empty"}
	}
	return r, r.renameHeader()
}

func (r *rows) renameHeader() error {
	known := headers()
	head := r.records[0]
	canvas := false
	for _, h := range head {
		canvas = canvas || plain(h) == "sis user id"
	}
	seen := map[string]string{}
	out := make([]string, len(head))
	for i, h := range head {
		name := known[plain(h)]
		if canvas && plain(h) == "id" {
			name = "canvas_id"
		}
		if name == "" {
			continue
		}
		if first, ok := seen[name]; ok {
			return &Error{1, fmt.Sprintf("the columns %q and %q both say the %s", first, h, strings.ReplaceAll(name, "_", " "))}
		}
		seen[name], out[i] = h, name
	}
	if seen["id"] == "" {
		return &Error{1, fmt.Sprintf("there is no column id; the columns are %s", strings.Join(head, ", "))}
	}
	// gocsv needs a name for every column.
	for i := range out {
		if out[i] == "" {
			out[i] = fmt.Sprintf("-%d", i)
		}
	}
	r.records[0] = out
	width := len(out)
	for i, rec := range r.records[1:] {
		if len(rec) > width {
			return &Error{r.lines[i+1], fmt.Sprintf("there are %d fields; the header has %d", len(rec), width)}
		}
		for len(rec) < width {
			rec = append(rec, "")
		}
		r.records[i+1] = rec
	}
	return nil
}

func plain(h string) string {
	h = strings.NewReplacer("_", " ", "-", " ", ".", " ").Replace(strings.ToLower(h))
	return strings.Join(strings.Fields(h), " ")
}

// Read implements gocsv.CSVReader.
func (r *rows) Read() ([]string, error) {
	if r.at >= len(r.records) {
		return nil, io.EOF
	}
	r.at++
	return r.records[r.at-1], nil
}

// ReadAll implements gocsv.CSVReader.
func (r *rows) ReadAll() ([][]string, error) {
	rest := r.records[r.at:]
	r.at = len(r.records)
	return rest, nil
}
