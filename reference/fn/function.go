package fn

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// function is one row of the registry: a built-in function or operator of Flink SQL.
type function struct {
	// name is the SQL name in upper case; doc says in a line what Flink's
	// documentation says of it.
	name, doc string
	// forms are the accepted operands, checked as Calcite checks them. A function
	// with check instead has Flink's newer type inference, which words errors and
	// inserts casts in its own way.
	forms []form
	check func(c *resolution) error
	// result infers the type from checked arguments.
	result func(c *resolution) (value.Type, error)
	// rewrite, if set, makes the expression that plans show instead of the call.
	rewrite func(c *resolution) (rex.Expr, error)
	// eval compiles a call.
	eval builder
	// refuse names why the function cannot be computed here (not deterministic, ...).
	refuse string
	// op is the operator of plans; the registry makes it from name where nil.
	op *rex.Op
	// isOperator marks entries that are not called by name.
	isOperator bool
}

// resolution is one call on its way from arguments to a typed expression.
type resolution struct {
	table *table
	ctx   *Context
	fn    *function
	name  string // as written
	args  []rex.Expr
	// given are the types of the arguments before implicit casts.
	given []value.Type
}

func (r *resolution) types() []value.Type        { return typesOf(r.args) }
func (r *resolution) anyNullable() bool          { return anyNullable(r.args) }
func (r *resolution) arg(i int) value.Type       { return r.args[i].Type() }
func (r *resolution) call(t value.Type) rex.Expr { return &rex.Call{Op: r.fn.op, Args: r.args, T: t} }

// result rules. orNull: nullable as soon as an argument is; always: nullable; never: NOT NULL.
type typeRule = func(*resolution) (value.Type, error)

func orNull(t value.Type) typeRule {
	return func(r *resolution) (value.Type, error) { return t.WithNullable(r.anyNullable()), nil }
}

func always(t value.Type) typeRule {
	return func(*resolution) (value.Type, error) { return t.AsNullable(), nil }
}

func never(t value.Type) typeRule {
	return func(*resolution) (value.Type, error) { return t.NotNull(), nil }
}

// likeArg is the type of argument i, nullable as soon as any argument is.
func likeArg(i int) typeRule {
	return func(r *resolution) (value.Type, error) {
		return r.arg(i).WithoutTime().WithNullable(r.anyNullable()), nil
	}
}

// resolve is the body of Resolve.
func resolve(c *Context, name string, args []rex.Expr) (rex.Expr, error) {
	return registry.resolve(c, name, args)
}

func (t *table) resolve(c *Context, name string, args []rex.Expr) (rex.Expr, error) {
	written := name
	if c != nil && c.Written != "" {
		written = c.Written
	}
	f := t.lookup(name, len(args))
	if f == nil {
		return nil, NoMatch(written, args)
	}
	r := &resolution{table: t, ctx: c, fn: f, name: written, args: args, given: typesOf(args)}
	if f.check != nil {
		if err := f.check(r); err != nil {
			return nil, err
		}
	} else {
		if !fitsAnyCount(f.forms, len(args)) {
			return nil, wrongCount(f, written, args)
		}
		if err := checkForms(f.op, f.forms, args); err != nil {
			return nil, err
		}
	}
	if f.refuse != "" {
		return nil, unsupported.New("function %s: %s", f.name, f.refuse)
	}
	if f.rewrite != nil {
		return f.rewrite(r)
	}
	typ, err := f.result(r)
	if err != nil {
		return nil, err
	}
	return r.call(typ), nil
}

// wrongCount is Calcite's error for a built-in called with too few or too many
// arguments; it names the fewest that would do.
func wrongCount(f *function, written string, args []rex.Expr) error {
	n := minCount(f.forms)
	return flinkerr.Validator("Invalid number of arguments to function '%s'. Was expecting %d arguments", f.name, n)
}

// table is the registry: functions by upper-case name, operators by name and operand count.
type table struct {
	byName map[string]*function
	unary  map[string]*function
	byOp   map[*rex.Op]*function
}

func (t *table) lookup(name string, n int) *function {
	if n == 1 {
		if f := t.unary[strings.ToUpper(name)]; f != nil {
			return f
		}
	}
	return t.byName[strings.ToUpper(name)]
}

// registry is fixed when the package is loaded.
var registry = newTable(
	arithmeticOperators, comparisonOperators, logicOperators, collectionOperators, collectionFunctions,
	conditionalFunctions, castOperators, numericFunctions,
	patternOperators, regexpFunctions, stringFunctions, hashFunctions, temporalFunctions, jsonFunctions, urlFunctions, printfFunctions, watermarkFunctions, otherFunctions,
)

func newTable(groups ...[]function) *table {
	t := &table{byName: map[string]*function{}, unary: map[string]*function{}, byOp: map[*rex.Op]*function{}}
	for _, g := range groups {
		for i := range g {
			f := &g[i]
			if f.op == nil {
				f.op = &rex.Op{Name: f.name}
			}
			f.op.Impl = f
			t.byOp[f.op] = f
			if f.op == rex.UnaryMinus || f.op == rex.UnaryPlus {
				t.unary[f.name] = f
			} else {
				t.byName[f.name] = f
			}
		}
	}
	return t
}
