package client

import (
	"github.com/labgrade/labgrade/reference/bind"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

// query runs a SELECT and prints its rows.
func (s *Session) query(r *Result, q *sql.Query) error {
	if _, err := bind.Query(q, s.bindEnv()); err != nil {
		return err
	}
	return unsupported.New("running a query")
}

func (s *Session) insert(r *Result, inserts []*sql.Insert) error {
	for _, in := range inserts {
		if err := s.checkInsert(in); err != nil {
			return err
		}
	}
	return unsupported.New("INSERT")
}

func (s *Session) checkInsert(in *sql.Insert) error {
	_, err := bind.Insert(in, s.bindEnv())
	return err
}

func (s *Session) explain(r *Result, st *sql.Explain) error {
	if q, ok := st.Stmt.(*sql.QueryStmt); ok {
		if _, err := bind.Query(q.Query, s.bindEnv()); err != nil {
			return err
		}
	}
	return unsupported.New("EXPLAIN")
}
