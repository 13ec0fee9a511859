package checks

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

// shippedGrader grades over the data that ship with a lab.
func shippedGrader(lab *labs.Lab) *Grader {
	return New(lab, func(table string) (fs.File, error) {
		for _, t := range lab.Tables {
			if t.Name == table {
				return lab.FS.Open("data/" + t.File)
			}
		}
		return nil, fs.ErrNotExist
	}, Reference())
}

func codesOf(list []report.Check) []string {
	r := report.Result{Checks: list}
	c := r.Codes()
	slices.Sort(c)
	return c
}

// wrongOnly prints the findings of checks that are not right.
func wrongOnly(list []report.Check) string {
	s := ""
	for _, c := range list {
		for _, f := range c.Findings {
			if f.Severity != report.Note {
				s += fmt.Sprintf("%s: %s %s %s (expected %s; found %s)\n", c.ID, f.Place(), f.Code, f.Message, f.Expected, f.Actual)
			}
		}
	}
	return s
}
