// Package authoring helps to make labs: it checks lab folders, tries whether their checks
// notice mistakes, writes solutions and new labs, and compares labs with real Flink.
//
// It knows the folder of a lab and the grader; it knows neither arguments nor terminals.
package authoring

import (
	"fmt"
	"io/fs"
	"path"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/labs"
)

// Grader judges over the data that the lab ships.
func Grader(lab *labs.Lab) *checks.Grader {
	return checks.New(lab, Shipped(lab), checks.Reference())
}

// Weight says how bad a problem of a lab is.
type Weight string

// The weights. A lab with an error cannot be used; a warning is advice.
const (
	Error   Weight = "error"
	Warning Weight = "warning"
)

// Problem is something wrong with a lab. Line and Column are 0 where the file as a whole
// is meant.
type Problem struct {
	Weight       Weight
	File         string
	Line, Column int
	Message      string
}

// String is FILE:LINE:COLUMN: WEIGHT: MESSAGE.
func (p Problem) String() string {
	where := p.File
	if p.Line > 0 {
		where += fmt.Sprintf(":%d:%d", p.Line, p.Column)
	}
	return fmt.Sprintf("%s: %s: %s", where, p.Weight, p.Message)
}

// exists reports a file or folder of the lab.
func exists(lab *labs.Lab, parts ...string) bool {
	_, err := fs.Stat(lab.FS, path.Join(parts...))
	return err == nil
}
