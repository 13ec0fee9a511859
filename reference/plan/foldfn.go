package plan

import (
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rex"
)

// Folder evaluates constants with package fn: what Config.Fold wants. An expression
// that fails, or that fn cannot compute exactly, stays as it is.
func Folder(env *fn.Env) func(rex.Expr) (*rex.Literal, bool) {
	return func(e rex.Expr) (*rex.Literal, bool) {
		f, err := fn.Compile(e, env)
		if err != nil {
			return nil, false
		}
		var c fn.Ctx
		v := f(&c, nil)
		if c.Err != nil {
			return nil, false
		}
		t := e.Type()
		if v.IsNull() {
			return rex.NullLiteral(t), true
		}
		return &rex.Literal{V: v, T: t.NotNull()}, true
	}
}
