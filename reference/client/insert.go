package client

import (
	"github.com/labgrade/labgrade/reference/bind"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// bindInsert binds an INSERT and checks the connectors of its tables.
func (s *Session) bindInsert(in *sql.Insert) (rel.Node, error) {
	root, err := bind.Insert(in, s.bindEnv())
	if err != nil {
		return nil, err
	}
	if k, ok := root.(*rel.Sink); ok {
		if err := checkConnector(k.Table, true); err != nil {
			return nil, err
		}
	}
	return root, nil
}

// checkInsert makes the checks that an INSERT meets when it is added to a statement set.
func (s *Session) checkInsert(in *sql.Insert) error {
	_, err := bind.Insert(in, s.bindEnv())
	return err
}

// insert runs one INSERT, or those of a statement set as one job.
func (s *Session) insert(r *Result, inserts []*sql.Insert) error {
	var roots []rel.Node
	for _, in := range inserts {
		root, err := s.bindInsert(in)
		if err != nil {
			return err
		}
		roots = append(roots, root)
	}
	if err := s.checkTables(roots...); err != nil {
		return err
	}
	if _, err := s.plan(r, roots, false); err != nil {
		return err
	}
	return unsupported.New("running INSERT")
}

// SinkColumns are the columns that an INSERT writes: all but computed and virtual ones.
func SinkColumns(t *catalog.Table) []value.Field {
	var out []value.Field
	for _, c := range t.Columns {
		if c.Kind != catalog.Computed && !c.Virtual {
			out = append(out, value.Field{Name: c.Name, Type: c.Type})
		}
	}
	return out
}
