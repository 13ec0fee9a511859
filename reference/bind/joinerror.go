package bind

import (
	"errors"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// isImplicit: the error is about text that is compared with a number.
func isImplicit(err error) bool {
	var fe *flinkerr.Error
	return errors.As(err, &fe) && strings.HasPrefix(fe.Message, "implicit type conversion")
}

// differentTypes is what becomes of a join whose condition compares text with a number.
// Flink finds it while it plans the join, after everything else, and words it otherwise
// than in WHERE, if an equality of the two sides compares them.
func (x *exprs) differentTypes(on sql.Expr, width int) (rex.Expr, error) {
	for _, e := range conjuncts(on) {
		c, ok := e.(*sql.Binary)
		if !ok || c.Op != "=" {
			continue
		}
		a, errA := x.bind(c.X)
		b, errB := x.bind(c.Y)
		if errA != nil || errB != nil {
			continue
		}
		if _, err := x.resolve("=", a, b); !isImplicit(err) {
			continue
		}
		left, right := side(a, width), side(b, width)
		if left == "" || right == "" || left == right {
			continue
		}
		if left == "right" {
			a, b = b, a
		}
		x.b.planError(a.Type(), b.Type())
		return trueLiteral(), nil
	}
	return nil, unsupported.New("comparison of different types in a join condition")
}

func (b *binder) planError(left, right value.Type) {
	if b.late == nil {
		b.late = flinkerr.Table("implicit type conversion between %s and %s is not supported on join's condition now",
			rex.TypeText(left, false), rex.TypeText(right, false))
	}
}

// side is the only side of a join that an expression reads, "" if there is none.
func side(e rex.Expr, width int) string {
	s := ""
	for _, r := range rex.Refs(e) {
		at := "left"
		if r >= width {
			at = "right"
		}
		if s != "" && s != at {
			return ""
		}
		s = at
	}
	return s
}

func conjuncts(e sql.Expr) []sql.Expr {
	if c, ok := e.(*sql.Binary); ok && strings.EqualFold(c.Op, "AND") {
		return append(conjuncts(c.X), conjuncts(c.Y)...)
	}
	return []sql.Expr{e}
}

func trueLiteral() *rex.Literal {
	return &rex.Literal{V: value.Bool(true), T: value.Type{Kind: value.KindBoolean}}
}
