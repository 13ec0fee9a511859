package fn

import (
	"fmt"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// signature is a call with its operand types (or families), as error texts show it:
// UPPER(<INTEGER>), <INTEGER> + <BOOLEAN>.
func signature(op *rex.Op, types []string) string {
	form := ""
	switch {
	case op.Syntax == rex.Infix && len(types) == 2:
		form = "{1} {0} {2}"
	case op.Syntax == rex.Prefix:
		form = "{0}{1}"
	case op.Syntax == rex.Postfix:
		form = "{1} {0}"
	}
	if form == "" {
		quoted := make([]string, len(types))
		for i, t := range types {
			quoted[i] = "<" + t + ">"
		}
		return op.Name + "(" + strings.Join(quoted, ", ") + ")"
	}
	r := []string{"{0}", op.Name}
	for i, t := range types {
		r = append(r, fmt.Sprintf("{%d}", i+1), "<"+t+">")
	}
	return strings.NewReplacer(r...).Replace(form)
}

// cannotApply is Calcite's error for operand types that no form of the operator takes.
func cannotApply(op *rex.Op, args []rex.Expr, forms []string) error {
	types := make([]string, len(args))
	for i, a := range args {
		types[i] = errorType(a.Type())
	}
	quoted := make([]string, len(forms))
	for i, f := range forms {
		quoted[i] = "'" + f + "'"
	}
	return flinkerr.Validator("Cannot apply '%s' to arguments of type '%s'. Supported form(s): %s",
		op.Name, signature(op, types), strings.Join(quoted, "\n"))
}

// errorType is a type as "Cannot apply" names it. Calcite upper-cases the text of structured types.
func errorType(t value.Type) string {
	if t.IsComposite() {
		return strings.ToUpper(t.Calcite())
	}
	return t.Calcite()
}

func illegalNull() error { return flinkerr.Validator("Illegal use of 'NULL'") }

// NotBetween is Calcite's error for x BETWEEN low AND high over types that do not compare.
func NotBetween(args []rex.Expr) error {
	x, low, high := errorType(args[0].Type()), errorType(args[1].Type()), errorType(args[2].Type())
	const name = "BETWEEN ASYMMETRIC"
	const any = "<COMPARABLE_TYPE>"
	return flinkerr.Validator("Cannot apply '%s' to arguments of type '<%s> %s <%s> AND <%s>'. Supported form(s): '%s %s %s AND %s'",
		name, x, name, low, high, any, name, any, any)
}
