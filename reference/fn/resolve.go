package fn

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// Context is what resolving a call may depend on besides its arguments.
type Context struct {
	// Written is the name as the user wrote it, for errors; Resolve takes it from
	// the name where it is empty.
	Written string
	// Batch is the runtime mode.
	Batch bool
}

// Resolve checks a call of a scalar function or operator, inserts implicit casts
// and infers the type. Operators go by the names that EXPLAIN prints ("+", "AND",
// "IS NULL", "LIKE", "CASE" with its alternating conditions and values, "ITEM",
// "ROW", "ARRAY", "MAP"); unary minus is "-" with one argument. Function names are
// taken in any letter case. Errors are Flink's own (flinkerr) or unsupported.
func Resolve(c *Context, name string, args []rex.Expr) (rex.Expr, error) {
	return resolve(c, name, args)
}

// Aggregate is a resolved aggregate or window-only function: Args may carry
// implicit casts.
type Aggregate struct {
	Op   *rex.Op
	Args []rex.Expr
	T    value.Type
}

// AggregateUse tells where an aggregate stands.
type AggregateUse struct {
	Distinct bool
	Filter   bool
	// Global: no GROUP BY keys, so that most results may be NULL although the
	// argument is not.
	Global bool
	// Over: a window function call (f(..) OVER ..).
	Over bool
	// Star: COUNT(*).
	Star bool
}

// IsAggregate reports whether a name is an aggregate function (COUNT, SUM, ...) or,
// with over, also a function that needs OVER (ROW_NUMBER, LAG, ...).
func IsAggregate(name string, over bool) bool { return isAggregate(strings.ToUpper(name), over) }

// ResolveAggregate checks an aggregate call.
func ResolveAggregate(c *Context, name string, args []rex.Expr, use AggregateUse) (*Aggregate, error) {
	return resolveAggregate(c, strings.ToUpper(name), args, use)
}

// ResolveCast makes CAST or TRY_CAST of x to a type, or Flink's refusal.
func ResolveCast(c *Context, x rex.Expr, to value.Type, try bool) (rex.Expr, error) {
	return resolveCast(c, x, to, try)
}

// LeastRestrictive is the common type of set operation branches, VALUES rows, CASE
// results: Calcite's leastRestrictive with Flink's type system.
func LeastRestrictive(types []value.Type) (value.Type, bool) { return leastRestrictive(types) }

// NoMatch is the error for a call that no signature fits.
func NoMatch(name string, args []rex.Expr) error {
	s := make([]string, len(args))
	for i, a := range args {
		s[i] = "<" + FamilyText(a.Type()) + ">"
	}
	return flinkerr.Validator("No match found for function signature %s(%s)", name, strings.Join(s, ", "))
}

// FamilyText is the type family that "No match found" errors print: NUMERIC, CHARACTER, ...
func FamilyText(t value.Type) string {
	switch t.Kind {
	case value.KindTinyInt, value.KindSmallInt, value.KindInt, value.KindBigInt,
		value.KindDecimal, value.KindFloat, value.KindDouble:
		return "NUMERIC"
	case value.KindChar, value.KindVarchar:
		return "CHARACTER"
	case value.KindBinary, value.KindVarbinary:
		return "BINARY"
	case value.KindTimestamp, value.KindTimestampLTZ:
		return "TIMESTAMP"
	case value.KindDescriptor:
		return "COLUMN_LIST"
	}
	return rex.TypeText(t, false)
}
