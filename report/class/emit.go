package class

import (
	"bytes"

	"github.com/labgrade/labgrade/report"
)

// forms lists the forms of the result of a class, and who reads them.
func forms() report.Forms[*Result] {
	return report.Forms[*Result]{
		{Name: "text", Write: plainText},      // people, on a terminal
		{Name: "json", Write: (*Result).JSON}, // programs (docs/schema/class.schema.json)
		{Name: "html", Write: page},           // people, in a browser or on paper
		{Name: "wide", Write: wide},           // spreadsheets: a row a submission, a column a step (CSV)
		{Name: "long", Write: long},           // statistics: a row a submission and step (CSV)
		{Name: "canvas", Write: canvas},       // Canvas: import into the gradebook (CSV)
		{Name: "moodle", Write: moodle},       // Moodle: offline grading worksheet (CSV)
	}
}

// Formats lists the names of the formats that Emit writes.
func Formats() []string { return forms().Names() }

// Emit writes the result in a format. It is a pure function of the result: points and
// outcomes are copied, never computed again.
func Emit(format string, r *Result) ([]byte, error) { return forms().Emit(format, r) }

func plainText(r *Result) ([]byte, error) {
	var b bytes.Buffer
	err := Text(&b, r, report.Style{}, report.Normal)
	return b.Bytes(), err
}
