package client

import (
	"github.com/labgrade/labgrade/reference/unsupported"
)

// listSettings prints SET's table. Flink lists the properties of its cluster with those of
// the session; they depend on the machine, so the list is given only for the session's own.
func (s *Session) listSettings(r *Result) error {
	return unsupported.New("SET without a key lists the properties of the cluster, which depend on the machine")
}
