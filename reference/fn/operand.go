package fn

import (
	"strings"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// operand is a family of types that an argument may have, under the name by which
// Calcite's error texts call it.
type operand struct {
	name    string
	accepts func(value.Type) bool
}

func kinds(name string, ks ...value.Kind) operand {
	return operand{name, func(t value.Type) bool {
		for _, k := range ks {
			if t.Kind == k {
				return true
			}
		}
		return false
	}}
}

// The operand families (SqlTypeFamily).
var (
	anyType      = operand{"ANY", func(value.Type) bool { return true }}
	numeric      = operand{"NUMERIC", value.Type.IsNumeric}
	integer      = operand{"INTEGER", value.Type.IsInteger}
	exactNumeric = operand{"EXACT_NUMERIC", isExact}
	character    = operand{"CHARACTER", value.Type.IsCharacter}
	stringLike   = operand{"STRING", func(t value.Type) bool { return t.IsCharacter() || t.IsBinary() }}
	binary       = operand{"BINARY", value.Type.IsBinary}
	boolean      = kinds("BOOLEAN", value.KindBoolean)
	date         = kinds("DATE", value.KindDate)
	timeOfDay    = kinds("TIME", value.KindTime)
	timestamp    = operand{"TIMESTAMP", value.Type.IsTimestamp}
	datetime     = operand{"DATETIME", value.Type.IsDatetime}
	interval     = operand{"DATETIME_INTERVAL", value.Type.IsInterval}
	arrayType    = kinds("ARRAY", value.KindArray)
	mapType      = kinds("MAP", value.KindMap)
	multisetType = kinds("MULTISET", value.KindMultiset)
)

// form is one accepted list of operands; with many, the last may repeat.
type form struct {
	operands []operand
	many     bool
	// least is the fewest operands of a form with many.
	least int
	// text replaces the listed operands in error texts.
	text []string
}

func takes(ops ...operand) form { return form{operands: ops} }

// takesMany accepts least or more operands of one family.
func takesMany(least int, op operand) form {
	return form{operands: []operand{op}, many: true, least: least}
}

func (f form) fitsCount(n int) bool {
	if f.many {
		return n >= f.least
	}
	return n == len(f.operands)
}

func (f form) at(i int) operand {
	if i >= len(f.operands) {
		i = len(f.operands) - 1
	}
	return f.operands[i]
}

func (f form) fits(args []rex.Expr) bool {
	if !f.fitsCount(len(args)) {
		return false
	}
	for i, a := range args {
		t := a.Type()
		if t.Kind != value.KindNull && !f.at(i).accepts(t) {
			return false
		}
	}
	return true
}

// describe is the form as "Supported form(s)" lists it.
func (f form) describe(op *rex.Op) string {
	names := f.text
	if names == nil {
		for _, o := range f.operands {
			names = append(names, o.name)
		}
	}
	return signature(op, names)
}

// checkForms is the operand check of Calcite's functions: a bare NULL is never an
// argument, some form must take the types.
func checkForms(op *rex.Op, forms []form, args []rex.Expr) error {
	var texts []string
	for _, f := range forms {
		if f.fits(args) {
			for i, a := range args {
				if a.Type().Kind == value.KindNull && f.at(i).name != "ANY" {
					return illegalNull()
				}
			}
			return nil
		}
		texts = append(texts, f.describe(op))
	}
	for _, a := range args {
		if a.Type().Kind == value.KindNull {
			return illegalNull()
		}
	}
	return cannotApply(op, args, texts)
}

// minCount is the fewest arguments that any form takes.
func minCount(forms []form) int {
	least := -1
	for _, f := range forms {
		n := len(f.operands)
		if f.many {
			n = f.least
		}
		if least < 0 || n < least {
			least = n
		}
	}
	return least
}

func fitsAnyCount(forms []form, n int) bool {
	for _, f := range forms {
		if f.fitsCount(n) {
			return true
		}
	}
	return false
}

func upper(s string) string { return strings.ToUpper(s) }
