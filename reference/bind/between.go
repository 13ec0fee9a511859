package bind

import (
	"errors"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

// between becomes two comparisons, as Calcite's convertlet does.
func (x *exprs) between(e *sql.Between) (rex.Expr, error) {
	args, err := x.bindAll(e.X, e.Lo, e.Hi)
	if err != nil {
		return nil, err
	}
	within := func(lo, hi rex.Expr) (rex.Expr, error) {
		ge, err := x.resolve(">=", args[0], lo)
		if err != nil {
			return nil, err
		}
		le, err := x.resolve("<=", args[0], hi)
		if err != nil {
			return nil, err
		}
		return x.resolve("AND", ge, le)
	}
	r, err := within(args[1], args[2])
	if err != nil {
		return nil, x.notBetween(e, args, err)
	}
	if e.Symmetric {
		r2, err := within(args[2], args[1])
		if err != nil {
			return nil, err
		}
		if r, err = x.resolve("OR", r, r2); err != nil {
			return nil, err
		}
	}
	if e.Not {
		return x.resolve("NOT", r)
	}
	return r, nil
}

// notBetween words the error of operands that do not compare: it names BETWEEN, not the
// comparison that it stands for.
func (x *exprs) notBetween(e *sql.Between, args []rex.Expr, err error) error {
	var f *flinkerr.Error
	if !errors.As(err, &f) || !strings.HasPrefix(f.Message, "Cannot apply '") {
		return err
	}
	if e.Not || e.Symmetric {
		return unsupported.New("the error text of BETWEEN over operands that do not compare")
	}
	return fn.NotBetween(args)
}
