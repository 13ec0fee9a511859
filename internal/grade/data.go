package grade

import (
	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/report"
)

// Data gives the source data.
type Data interface {
	// PerStudent tells that everybody has data of their own.
	PerStudent() bool
	// Open gives the data of the person with an id; of everybody without PerStudent.
	Open(id string) (checks.Source, []report.Source, error)
}

// data is opened source data with its grader, which computes the truth once.
type data struct {
	sources []report.Source
	grader  *checks.Grader
}

func (r *run) open(id string) (*data, error) {
	src, list, err := r.o.Data.Open(id)
	if err != nil {
		return nil, err
	}
	return &data{list, checks.New(r.o.Lab, src, r.o.Engine)}, nil
}
