package client

import (
	"errors"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
)

// translate gives the error with which Flink refuses to generate code for the
// expressions of plans, inputs first. EXPLAIN generates it as running the plan does.
func translate(roots []phys.Node, env *fn.Env) error {
	for _, n := range roots {
		if err := translate(n.Inputs(), env); err != nil {
			return err
		}
		calc, ok := n.(*phys.Calc)
		if !ok {
			continue
		}
		for _, e := range append([]rex.Expr{calc.Cond}, calc.Exprs...) {
			if e == nil {
				continue
			}
			var refused *flinkerr.Error
			if _, err := fn.Compile(e, env); errors.As(err, &refused) && !refused.AtRuntime {
				return err
			}
		}
	}
	return nil
}
