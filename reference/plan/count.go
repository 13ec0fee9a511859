package plan

import (
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rel"
)

// checkCount refuses COUNT(a, b), which is valid SQL that no aggregate function of the
// runtime computes. Columns that cannot be NULL do not count as arguments.
func checkCount(n rel.Node) error {
	if a, ok := n.(*rel.Aggregate); ok {
		for _, c := range a.Calls {
			if c.Fn.Name == "COUNT" && len(c.Args) > 1 {
				return flinkerr.Table("We now only support the count of one field.")
			}
		}
	}
	for _, in := range n.Inputs() {
		if err := checkCount(in); err != nil {
			return err
		}
	}
	return nil
}
