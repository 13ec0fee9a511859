package class

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/labgrade/labgrade/report"
)

// Format is a form in which the result of a class can be written.
type Format struct {
	Name string
	// Reads says who reads it, in a few words.
	Reads string
	write func(*Result) ([]byte, error)
}

func formats() []Format {
	return []Format{
		{"text", "people, on a terminal", plainText},
		{"json", "programs (docs/schema/class.schema.json)", (*Result).JSON},
		{"html", "people, in a browser or on paper", page},
		{"wide", "spreadsheets: a row a submission, a column a step (CSV)", wide},
		{"long", "statistics: a row a submission and step (CSV)", long},
		{"canvas", "Canvas: import into the gradebook (CSV)", canvas},
		{"moodle", "Moodle: offline grading worksheet (CSV)", moodle},
	}
}

// Formats lists the names of the formats that Emit writes.
func Formats() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.Name)
	}
	return names
}

// AllFormats lists the formats with their readers.
func AllFormats() []Format { return formats() }

// Emit writes the result in a format. It is a pure function of the result: points and
// outcomes are copied, never computed again.
func Emit(format string, r *Result) ([]byte, error) {
	for _, f := range formats() {
		if f.Name == format {
			return f.write(r)
		}
	}
	return nil, fmt.Errorf("there is no format %q for a class; the formats are %s", format, strings.Join(Formats(), ", "))
}

func plainText(r *Result) ([]byte, error) {
	var b bytes.Buffer
	err := Text(&b, r, report.Style{}, report.Normal)
	return b.Bytes(), err
}
