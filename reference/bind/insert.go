package bind

import (
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

// Insert binds INSERT INTO.
func Insert(s *sql.Insert, env *Env) (rel.Node, error) {
	return nil, unsupported.New("INSERT")
}
