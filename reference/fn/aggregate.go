package fn

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// aggregate is one aggregate or window-only function.
type aggregate struct {
	name, doc string
	// forms are the operands as Calcite checks them; check is instead of them.
	forms []form
	check func(r *resolution) error
	// result infers the type; onEmpty tells that the function gives NULL for no rows,
	// so that it is nullable without GROUP BY or with FILTER.
	result  func(r *resolution) (value.Type, error)
	onEmpty bool
	// needsOver marks ROW_NUMBER, LAG, ...: no frame, and only with OVER.
	needsOver bool
	// internal functions are made by the planner alone.
	internal bool
	refuse   string
	op       *rex.Op
}

// aggregates lists Flink's aggregate functions and those that need OVER.
var aggregates = newAggregates([]aggregate{
	{name: "COUNT", doc: "COUNT([ ALL ] expression | DISTINCT expression1 [, expression2]*), COUNT(*)", forms: []form{takesMany(1, anyType)}, result: never(value.TBigInt)},
	{name: "SUM", doc: "SUM([ ALL | DISTINCT ] expression)", forms: []form{takes(numeric)}, result: sumAggType, onEmpty: true},
	{name: "AVG", doc: "AVG([ ALL | DISTINCT ] expression)", forms: []form{takes(numeric)}, result: avgAggType, onEmpty: true},
	{name: "MIN", doc: "MIN([ ALL | DISTINCT ] expression)", forms: []form{takes(anyType)}, result: sameAggType, onEmpty: true},
	{name: "MAX", doc: "MAX([ ALL | DISTINCT ] expression)", forms: []form{takes(anyType)}, result: sameAggType, onEmpty: true},
	{name: "STDDEV_POP", doc: "STDDEV_POP([ ALL | DISTINCT ] expression)", forms: []form{takes(numeric)}, result: avgAggType, onEmpty: true},
	{name: "STDDEV_SAMP", doc: "STDDEV_SAMP([ ALL | DISTINCT ] expression)", forms: []form{takes(numeric)}, result: avgAggType, onEmpty: true},
	{name: "STDDEV", doc: "STDDEV([ ALL | DISTINCT ] expression): STDDEV_SAMP", forms: []form{takes(numeric)}, result: avgAggType, onEmpty: true},
	{name: "VAR_POP", doc: "VAR_POP([ ALL | DISTINCT ] expression)", forms: []form{takes(numeric)}, result: avgAggType, onEmpty: true},
	{name: "VAR_SAMP", doc: "VAR_SAMP([ ALL | DISTINCT ] expression)", forms: []form{takes(numeric)}, result: avgAggType, onEmpty: true},
	{name: "VARIANCE", doc: "VARIANCE([ ALL | DISTINCT ] expression): VAR_SAMP", forms: []form{takes(numeric)}, result: avgAggType, onEmpty: true},
	{name: "COLLECT", doc: "COLLECT([ ALL | DISTINCT ] expression)", forms: []form{takes(anyType)}, result: func(r *resolution) (value.Type, error) {
		return value.MultisetType(r.arg(0).WithoutTime()).NotNull(), nil
	}},
	{name: "ARRAY_AGG", doc: "ARRAY_AGG([ ALL | DISTINCT ] expression [ RESPECT NULLS | IGNORE NULLS ])", forms: []form{takes(anyType)}, result: func(r *resolution) (value.Type, error) {
		return value.ArrayType(r.arg(0).WithoutTime()).WithNullable(r.anyNullable()), nil
	}},
	{name: "FIRST_VALUE", doc: "FIRST_VALUE(expression)", forms: []form{takes(anyType)}, result: sameAggType, onEmpty: true},
	{name: "LAST_VALUE", doc: "LAST_VALUE(expression)", forms: []form{takes(anyType)}, result: sameAggType, onEmpty: true},
	{name: "LISTAGG", doc: "LISTAGG(expression [, separator])", check: checkListAgg, result: likeArg0},
	{name: "SINGLE_VALUE", doc: "internal: the only row of a scalar subquery", forms: []form{takes(anyType)}, result: sameAggType, onEmpty: true},
	{name: "APPROX_COUNT_DISTINCT", doc: "APPROX_COUNT_DISTINCT(expression)", forms: []form{takesMany(1, anyType)}, result: never(value.TBigInt)},
	{name: "JSON_OBJECTAGG_NULL_ON_NULL", doc: "JSON_OBJECTAGG([KEY] key VALUE value [ NULL ON NULL ])", forms: []form{takes(character, anyType)}, result: never(value.VarcharType(2000))},
	{name: "JSON_OBJECTAGG_ABSENT_ON_NULL", doc: "JSON_OBJECTAGG([KEY] key VALUE value ABSENT ON NULL)", forms: []form{takes(character, anyType)}, result: never(value.VarcharType(2000))},
	{name: "JSON_ARRAYAGG_ABSENT_ON_NULL", doc: "JSON_ARRAYAGG(items [ ABSENT ON NULL ])", forms: []form{takes(anyType)}, result: never(value.VarcharType(2000))},
	{name: "JSON_ARRAYAGG_NULL_ON_NULL", doc: "JSON_ARRAYAGG(items NULL ON NULL)", forms: []form{takes(anyType)}, result: never(value.VarcharType(2000))},
	{name: "PERCENTILE", doc: "PERCENTILE(expr, percentage[, frequency])", check: checkPercentile, result: percentileType},
	{name: "GROUPING", doc: "GROUPING(expression1 [, expression2]*)", forms: []form{takesMany(1, anyType)}, result: never(value.TBigInt)},
	{name: "GROUPING_ID", doc: "GROUPING_ID(expression1 [, expression2]*)", forms: []form{takesMany(1, anyType)}, result: never(value.TBigInt)},
	{name: "GROUP_ID", doc: "GROUP_ID()", forms: []form{takes()}, result: never(value.TBigInt)},
	{name: "ROW_NUMBER", doc: "ROW_NUMBER()", forms: []form{takes()}, result: never(value.TBigInt), needsOver: true},
	{name: "RANK", doc: "RANK()", forms: []form{takes()}, result: never(value.TBigInt), needsOver: true},
	{name: "DENSE_RANK", doc: "DENSE_RANK()", forms: []form{takes()}, result: never(value.TBigInt), needsOver: true},
	{name: "PERCENT_RANK", doc: "PERCENT_RANK()", forms: []form{takes()}, result: never(value.TDouble), needsOver: true},
	{name: "CUME_DIST", doc: "CUME_DIST()", forms: []form{takes()}, result: never(value.TDouble), needsOver: true},
	{name: "NTILE", doc: "NTILE(n)", forms: []form{takes(integer)}, result: never(value.TBigInt), needsOver: true},
	{name: "LAG", doc: "LAG(expression [, offset] [, default])", forms: shiftForms, result: shiftType, needsOver: true},
	{name: "LEAD", doc: "LEAD(expression [, offset] [, default])", forms: shiftForms, result: shiftType, needsOver: true},
	{name: "BITMAP_AND_AGG", doc: "BITMAP_AND_AGG(..)", forms: variadic, refuse: "bitmaps"},
	{name: "BITMAP_AND_CARDINALITY_AGG", doc: "BITMAP_AND_CARDINALITY_AGG(..)", forms: variadic, refuse: "bitmaps"},
	{name: "BITMAP_BUILD_AGG", doc: "BITMAP_BUILD_AGG(..)", forms: variadic, refuse: "bitmaps"},
	{name: "BITMAP_BUILD_CARDINALITY_AGG", doc: "BITMAP_BUILD_CARDINALITY_AGG(..)", forms: variadic, refuse: "bitmaps"},
	{name: "BITMAP_OR_AGG", doc: "BITMAP_OR_AGG(..)", forms: variadic, refuse: "bitmaps"},
	{name: "BITMAP_OR_CARDINALITY_AGG", doc: "BITMAP_OR_CARDINALITY_AGG(..)", forms: variadic, refuse: "bitmaps"},
	{name: "BITMAP_XOR_AGG", doc: "BITMAP_XOR_AGG(..)", forms: variadic, refuse: "bitmaps"},
	{name: "BITMAP_XOR_CARDINALITY_AGG", doc: "BITMAP_XOR_CARDINALITY_AGG(..)", forms: variadic, refuse: "bitmaps"},
	{name: "$SUM0", doc: "internal: SUM that gives 0 for no rows", forms: []form{takes(numeric)}, internal: true, result: func(r *resolution) (value.Type, error) {
		t, err := sumAggType(r)
		return t.NotNull(), err
	}},
	{name: "$WELFORD_M2$1", doc: "internal: sum of squared distances from the mean", forms: []form{takes(numeric)}, internal: true, result: always(value.TDouble)},
})

var shiftForms = []form{takes(anyType), takes(anyType, numeric), takes(anyType, numeric, anyType)}

func newAggregates(list []aggregate) map[string]*aggregate {
	m := map[string]*aggregate{}
	for i := range list {
		a := &list[i]
		a.op = &rex.Op{Name: a.name, Aggregate: true, NoFrame: a.needsOver, Impl: a}
		m[a.name] = a
	}
	return m
}

// AggregateOp is the operator of an aggregate function by the name that plans
// print, the planner's own ($SUM0, $WELFORD_M2$1, SINGLE_VALUE) included; nil if there is none.
func AggregateOp(name string) *rex.Op {
	if a := aggregates[name]; a != nil {
		return a.op
	}
	return nil
}

// aggregateNames maps names of SQL to those of plans where they differ. The JSON
// functions get their NULL clause from the binder, by this name.
var aggregateNames = map[string]string{
	"JSON_OBJECTAGG": "JSON_OBJECTAGG_NULL_ON_NULL",
	"JSON_ARRAYAGG":  "JSON_ARRAYAGG_ABSENT_ON_NULL",
}

func lookupAggregate(name string) *aggregate {
	if n := aggregateNames[name]; n != "" {
		name = n
	}
	if a := aggregates[name]; a != nil && !a.internal {
		return a
	}
	return nil
}

func isAggregate(name string, over bool) bool {
	a := lookupAggregate(name)
	return a != nil && (over || !a.needsOver)
}

// resolveAggregate is the body of ResolveAggregate.
func resolveAggregate(c *Context, name string, args []rex.Expr, use AggregateUse) (*Aggregate, error) {
	a := lookupAggregate(name)
	if a == nil {
		written := name
		if c != nil && c.Written != "" {
			written = c.Written
		}
		return nil, NoMatch(written, args)
	}
	if a.needsOver && !use.Over {
		return nil, flinkerr.Validator("OVER clause is necessary for window functions")
	}
	if use.Star {
		return &Aggregate{Op: a.op, T: value.TBigInt.NotNull()}, nil
	}
	r := &resolution{table: registry, ctx: c, fn: &function{name: a.name, op: a.op, forms: a.forms}, name: name, args: args}
	if a.check != nil {
		if err := a.check(r); err != nil {
			return nil, err
		}
	} else {
		if !fitsAnyCount(a.forms, len(args)) {
			return nil, wrongCountOf(a.name, minCount(a.forms))
		}
		if err := checkForms(a.op, a.forms, args); err != nil {
			return nil, err
		}
		for i := range args {
			if r.arg(i).Kind == value.KindNull {
				return nil, illegalNull()
			}
		}
	}
	if a.refuse != "" {
		return nil, unsupported.New("function %s: %s", a.name, a.refuse)
	}
	t, err := a.result(r)
	if err != nil {
		return nil, err
	}
	if a.onEmpty && (use.Global || use.Filter) {
		t = t.AsNullable()
	}
	return &Aggregate{Op: a.op, Args: r.args, T: t}, nil
}

// sumAggType: SUM keeps the type of integers and floats; a DECIMAL gets 38 digits.
func sumAggType(r *resolution) (value.Type, error) {
	t := r.arg(0)
	if t.Kind == value.KindDecimal {
		return value.SumType(t).WithNullable(t.Nullable), nil
	}
	return t, nil
}

// avgAggType: AVG, STDDEV and VAR keep the type; a DECIMAL gets 38 digits and at least 6 behind the point.
func avgAggType(r *resolution) (value.Type, error) {
	t := r.arg(0)
	if t.Kind == value.KindDecimal {
		return value.DivType(value.DecimalType(value.MaxDecimalPrecision, t.Scale), value.DecimalType(20, 0)).WithNullable(t.Nullable), nil
	}
	return t, nil
}

func sameAggType(r *resolution) (value.Type, error) { return r.arg(0).WithoutTime(), nil }

func likeArg0(r *resolution) (value.Type, error) { return r.arg(0), nil }

// shiftType: LAG and LEAD give NULL before the first row, unless a default is given.
func shiftType(r *resolution) (value.Type, error) {
	t := r.arg(0).WithoutTime()
	if len(r.args) == 3 {
		return t.WithNullable(r.arg(2).Nullable), nil
	}
	return t.AsNullable(), nil
}

// checkListAgg: the separator must be a literal text.
func checkListAgg(r *resolution) error {
	if n := len(r.args); n != 1 && n != 2 {
		return wrongCountOf(r.fn.name, 1)
	}
	for i := range r.args {
		switch {
		case r.arg(i).Kind == value.KindNull:
			return illegalNull()
		case !r.arg(i).IsCharacter():
			return cannotApply(r.fn.op, r.args, []string{"LISTAGG(<CHARACTER>)", "LISTAGG(<CHARACTER>, <CHARACTER_LITERAL>)"})
		}
	}
	if len(r.args) == 2 {
		if _, ok := r.args[1].(*rex.Literal); !ok {
			return flinkerr.Validator("Argument to function 'LISTAGG' must be a literal")
		}
	}
	return nil
}

var argPercentage = argumentRule{text: "[<NUMERIC NOT NULL> | ARRAY<NUMERIC NOT NULL> NOT NULL]", infer: func(ts []value.Type, i int) (value.Type, bool) {
	t := ts[i]
	if t.Kind == value.KindArray && !t.Nullable && t.Elem.IsNumeric() && !t.Elem.Nullable {
		e := value.TDouble.NotNull()
		return value.ArrayType(e).NotNull(), true
	}
	return value.TDouble.NotNull(), t.IsNumeric() && !t.Nullable
}}

func checkPercentile(r *resolution) error {
	if len(r.args) > 1 {
		if lit, ok := r.args[1].(*rex.Literal); ok && lit.T.IsNumeric() {
			if p := literalFloat(lit); p < 0 || p > 1 {
				return flinkerr.Validation("Invalid input arguments.")
			}
		}
	}
	written := r.args
	err := inferred(params(arg("expr", argNumber), arg("percentage", argPercentage)),
		params(arg("expr", argNumber), arg("percentage", argPercentage), arg("frequency", argInteger)))(r)
	if err != nil && strings.HasPrefix(err.Error(), flinkerr.ClassValidator) {
		r.args = written
	}
	return err
}

func percentileType(r *resolution) (value.Type, error) {
	if r.arg(1).Kind == value.KindArray {
		return value.ArrayType(value.TDouble), nil
	}
	return value.TDouble, nil
}
