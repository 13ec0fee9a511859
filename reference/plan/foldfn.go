package plan

import (
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rex"
)

// Folder evaluates constants with package fn: what Config.Fold wants. An expression
// that fails, or that fn cannot compute exactly, stays as it is.
func Folder(env *fn.Env) func(rex.Expr) (*rex.Literal, bool) {
	return func(e rex.Expr) (*rex.Literal, bool) {
		lit, ok, err := fn.Fold(e, env)
		return lit, ok && err == nil
	}
}

// FolderFails evaluates constants with package fn and tells only how they fail: what Config.FoldFails wants.
func FolderFails(env *fn.Env) func(rex.Expr) error {
	return func(e rex.Expr) error { return fn.Fails(e, env) }
}
