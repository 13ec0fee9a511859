package fn

import (
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

var (
	plusForms = []form{
		takes(numeric, numeric), takes(interval, interval), takes(datetime, interval), takes(interval, datetime)}
	minusForms = []form{takes(numeric, numeric), takes(interval, interval), takes(datetime, interval)}
	timesForms = []form{takes(numeric, numeric), takes(interval, numeric), takes(numeric, interval)}
	quotForms  = []form{takes(numeric, numeric), takes(interval, numeric)}
	signForms  = []form{takes(numeric), takes(interval)}
	modForms   = []form{takes(exactNumeric, exactNumeric)}
)

var arithmeticOperators = []function{
	{name: "+", op: rex.Plus, isOperator: true, doc: "numeric1 + numeric2, datetime + interval", forms: plusForms, result: sumType, eval: evalPlus},
	{name: "-", op: rex.Minus, isOperator: true, doc: "numeric1 - numeric2, datetime - interval", forms: minusForms, result: sumType, eval: evalMinus},
	{name: "*", op: rex.Times, isOperator: true, doc: "numeric1 * numeric2, interval * numeric", forms: timesForms, result: productType, eval: evalTimes},
	{name: "/", op: rex.Divide, isOperator: true, doc: "numeric1 / numeric2", forms: quotForms, result: quotientType, eval: evalDivide},
	{name: "%", op: &rex.Op{Name: "%", Syntax: rex.Infix}, isOperator: true, doc: "numeric1 % numeric2", forms: modForms, rewrite: asMod},
	{name: "MOD", doc: "MOD(numeric1, numeric2)", forms: modForms, result: modType, eval: evalMod},
	{name: "-", op: rex.UnaryMinus, isOperator: true, doc: "- numeric", forms: signForms, result: likeArg(0), eval: evalNegate},
	{name: "+", op: rex.UnaryPlus, isOperator: true, doc: "+ numeric", forms: signForms,
		rewrite: func(r *resolution) (rex.Expr, error) { return r.args[0], nil }},
	{name: "/INT", op: rex.DivideInt, isOperator: true, doc: "internal: whole part of a quotient", forms: quotForms, result: likeArg(0), eval: evalDivideInt},
	{name: "Reinterpret", op: rex.Reinterpret, isOperator: true, doc: "internal: the number inside an interval", forms: []form{takes(anyType)}, result: orNull(value.TBigInt), eval: evalReinterpret},
}

// sumType is Calcite's NULLABLE_SUM for + and -.
func sumType(r *resolution) (value.Type, error) {
	a, b := r.arg(0), r.arg(1)
	null := r.anyNullable()
	switch {
	case a.IsDatetime():
		return datetimeSum(a, b).WithNullable(null), nil
	case b.IsDatetime():
		return datetimeSum(b, a).WithNullable(null), nil
	case isDecimalPair(a, b):
		return value.AddType(exactDecimal(a), exactDecimal(b)).WithNullable(null), nil
	}
	return r.common()
}

// datetimeSum keeps the type of the point in time: Flink adds hours to a DATE
// without making a TIMESTAMP of it.
func datetimeSum(t, _ value.Type) value.Type { return t.WithoutTime() }

func isDecimalPair(a, b value.Type) bool {
	return isExact(a) && isExact(b) && (a.Kind == value.KindDecimal || b.Kind == value.KindDecimal)
}

// common is the least restrictive type of all arguments.
func (r *resolution) common() (value.Type, error) {
	t, ok := leastRestrictive(r.types())
	if !ok {
		return t, cannotApply(r.fn.op, r.args, describeAll(r.fn))
	}
	return t, nil
}

func describeAll(f *function) []string {
	var texts []string
	for _, x := range f.forms {
		texts = append(texts, x.describe(f.op))
	}
	return texts
}

func productType(r *resolution) (value.Type, error) {
	a, b := r.arg(0), r.arg(1)
	switch {
	case a.IsInterval():
		return a.WithNullable(r.anyNullable()), nil
	case b.IsInterval():
		return b.WithNullable(r.anyNullable()), nil
	case isDecimalPair(a, b):
		return value.MulType(exactDecimal(a), exactDecimal(b)).WithNullable(r.anyNullable()), nil
	}
	return r.common()
}

func quotientType(r *resolution) (value.Type, error) {
	a, b := r.arg(0), r.arg(1)
	switch {
	case a.IsInterval():
		return a.WithNullable(r.anyNullable()), nil
	case isDecimalPair(a, b):
		return value.DivType(exactDecimal(a), exactDecimal(b)).WithNullable(r.anyNullable()), nil
	}
	return r.common()
}

// modType: MOD has the type of the divisor unless a DECIMAL with a scale takes part.
func modType(r *resolution) (value.Type, error) {
	a, b := r.arg(0), r.arg(1)
	if isDecimalPair(a, b) {
		da, db := exactDecimal(a), exactDecimal(b)
		if da.Scale != 0 || db.Scale != 0 {
			return value.ModType(da, db).WithNullable(r.anyNullable()), nil
		}
	}
	return b.WithNullable(r.anyNullable()), nil
}

// asMod: plans show % as MOD.
func asMod(r *resolution) (rex.Expr, error) { return r.table.resolve(r.ctx, "MOD", r.args) }

var comparisonOperators = []function{
	{name: "=", op: rex.Eq, isOperator: true, doc: "value1 = value2", check: checkComparable, rewrite: asEquality, eval: evalCompare},
	{name: "<>", op: rex.Ne, isOperator: true, doc: "value1 <> value2", check: checkComparable, rewrite: asEquality, eval: evalCompare},
	{name: "<", op: rex.Lt, isOperator: true, doc: "value1 < value2", check: checkComparable, rewrite: asOrdering, eval: evalCompare},
	{name: "<=", op: rex.Le, isOperator: true, doc: "value1 <= value2", check: checkComparable, rewrite: asOrdering, eval: evalCompare},
	{name: ">", op: rex.Gt, isOperator: true, doc: "value1 > value2", check: checkComparable, rewrite: asOrdering, eval: evalCompare},
	{name: ">=", op: rex.Ge, isOperator: true, doc: "value1 >= value2", check: checkComparable, rewrite: asOrdering, eval: evalCompare},
	{name: "IS DISTINCT FROM", op: rex.IsDistinctFrom, isOperator: true, doc: "value1 IS DISTINCT FROM value2", check: checkComparable, rewrite: asDistinct, eval: evalDistinct},
	{name: "IS NOT DISTINCT FROM", op: rex.IsNotDistinctFrom, isOperator: true, doc: "value1 IS NOT DISTINCT FROM value2", check: checkComparable, rewrite: asDistinct, eval: evalDistinct},
	{name: "BETWEEN", isOperator: true, doc: "value1 BETWEEN [ASYMMETRIC] value2 AND value3", check: checkComparable3, rewrite: asBetween},
	{name: "NOT BETWEEN", op: &rex.Op{Name: "NOT BETWEEN"}, isOperator: true, doc: "value1 NOT BETWEEN [ASYMMETRIC] value2 AND value3", check: checkComparable3, rewrite: asBetween},
	{name: "BETWEEN SYMMETRIC", op: &rex.Op{Name: "BETWEEN SYMMETRIC"}, isOperator: true, doc: "value1 BETWEEN SYMMETRIC value2 AND value3", check: checkComparable3, rewrite: asBetween},
	{name: "NOT BETWEEN SYMMETRIC", op: &rex.Op{Name: "NOT BETWEEN SYMMETRIC"}, isOperator: true, doc: "value1 NOT BETWEEN SYMMETRIC value2 AND value3", check: checkComparable3, rewrite: asBetween},
	{name: "SEARCH", op: rex.Search, isOperator: true, doc: "internal: x in a set of ranges", forms: []form{takes(anyType, anyType)}, result: orNull(value.TBoolean), eval: evalSearch},
}

// comparable is Calcite's SqlTypeUtil.isComparable: one family, or text against
// anything that text can be converted to.
func comparable(a, b value.Type) bool {
	if a.Kind == value.KindRow || b.Kind == value.KindRow {
		if a.Kind != b.Kind || len(a.Fields) != len(b.Fields) {
			return a.Kind == value.KindNull || b.Kind == value.KindNull
		}
		for i := range a.Fields {
			if !comparable(a.Fields[i].Type, b.Fields[i].Type) {
				return false
			}
		}
		return true
	}
	switch {
	case a.Kind == value.KindNull || b.Kind == value.KindNull:
		return true
	case a.IsComposite() || b.IsComposite():
		return a.Kind == b.Kind
	case a.IsCharacter():
		return family(b) != "BINARY"
	case b.IsCharacter():
		return family(a) != "BINARY"
	}
	return family(a) == family(b)
}

func checkComparable(r *resolution) error {
	if len(r.args) == 2 && comparable(r.arg(0), r.arg(1)) {
		return nil
	}
	return cannotApply(r.fn.op, r.args, []string{signature(r.fn.op, []string{"COMPARABLE_TYPE", "COMPARABLE_TYPE"})})
}

func checkComparable3(r *resolution) error {
	if comparable(r.arg(0), r.arg(1)) && comparable(r.arg(1), r.arg(2)) && comparable(r.arg(0), r.arg(2)) {
		return nil
	}
	return cannotApply(r.fn.op, r.args, []string{signature(r.fn.op, []string{"COMPARABLE_TYPE", "COMPARABLE_TYPE", "COMPARABLE_TYPE"})})
}

// asEquality makes = and <> over the least restrictive type of both sides, where
// there is one. Text against another type stays as it is: that is refused later.
func asEquality(r *resolution) (rex.Expr, error) {
	args := r.args
	if a, b, ok := rowsOf(args[0], args[1]); ok && r.fn.op == rex.Eq {
		return rowEquality(r, a, b)
	}
	if t, ok := leastRestrictive(r.types()); ok {
		args = ensureAll(t, args)
	}
	if err := refuseImplicit(args); err != nil {
		return nil, err
	}
	return &rex.Call{Op: r.fn.op, Args: args, T: value.TBoolean.WithNullable(anyNullable(args))}, nil
}

// asOrdering makes <, <=, >, >=: sides of one family stay, a text beside a number
// is taken for a number with some headroom, beside a time for a time.
func asOrdering(r *resolution) (rex.Expr, error) {
	return &rex.Call{Op: r.fn.op, Args: consistent(r.args), T: value.TBoolean.WithNullable(r.anyNullable())}, nil
}

// consistent is Calcite's Consistency.COMPARE.
func consistent(args []rex.Expr) []rex.Expr {
	same := true
	for _, a := range args[1:] {
		same = same && family(a.Type()) == family(args[0].Type())
	}
	if same {
		return args
	}
	var rest []value.Type
	for _, a := range args {
		if !a.Type().IsCharacter() {
			rest = append(rest, a.Type())
		}
	}
	types := typesOf(args)
	if len(rest) > 0 {
		types = rest
		if len(rest) < len(args) && rest[0].IsNumeric() {
			types = append(types, value.TBigInt.NotNull())
		}
	}
	t, ok := leastRestrictive(types)
	if !ok {
		return args
	}
	return ensureAll(t, args)
}

func ensureAll(t value.Type, args []rex.Expr) []rex.Expr {
	out := make([]rex.Expr, len(args))
	for i, a := range args {
		out[i] = ensure(t, a, true)
	}
	return out
}

// refuseImplicit is Flink's refusal, while it generates code, to compare text with
// a number or BOOLEAN. Text and a point in time may be compared.
func refuseImplicit(args []rex.Expr) error {
	a, b := args[0].Type(), args[1].Type()
	if a.Kind == value.KindNull || b.Kind == value.KindNull {
		return nil
	}
	if a.IsCharacter() && b.IsNumeric() || b.IsCharacter() && a.IsNumeric() {
		return flinkerr.Validation("implicit type conversion between %s and %s is not supported now", rootName(a), rootName(b))
	}
	return nil
}

// rootName is LogicalTypeRoot.toString.
func rootName(t value.Type) string {
	switch t.Kind {
	case value.KindInt:
		return "INTEGER"
	case value.KindTimestamp:
		return "TIMESTAMP_WITHOUT_TIME_ZONE"
	case value.KindTimestampLTZ:
		return "TIMESTAMP_WITH_LOCAL_TIME_ZONE"
	case value.KindTime:
		return "TIME_WITHOUT_TIME_ZONE"
	case value.KindIntervalYearMonth:
		return "INTERVAL_YEAR_MONTH"
	case value.KindIntervalDayTime:
		return "INTERVAL_DAY_TIME"
	}
	return t.Kind.String()
}

func rowsOf(a, b rex.Expr) (x, y *rex.Call, ok bool) {
	x, ok1 := a.(*rex.Call)
	y, ok2 := b.(*rex.Call)
	return x, y, ok1 && ok2 && x.Op == rex.Row && y.Op == rex.Row
}

// rowEquality expands ROW(a, b) = ROW(c, d).
func rowEquality(r *resolution, a, b *rex.Call) (rex.Expr, error) {
	var all []rex.Expr
	for i := range a.Args {
		e, err := r.table.resolve(r.ctx, "=", []rex.Expr{a.Args[i], b.Args[i]})
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return conjunction(all), nil
}

func conjunction(all []rex.Expr) rex.Expr {
	if len(all) == 1 {
		return all[0]
	}
	return &rex.Call{Op: rex.And, Args: all, T: value.TBoolean.WithNullable(anyNullable(all))}
}

func asDistinct(r *resolution) (rex.Expr, error) {
	args := r.args
	if t, ok := leastRestrictive(r.types()); ok {
		args = ensureAll(t, args)
	}
	if err := refuseImplicit(args); err != nil {
		return nil, err
	}
	return &rex.Call{Op: r.fn.op, Args: args, T: value.TBoolean.NotNull()}, nil
}

// asBetween expands BETWEEN into comparisons.
func asBetween(r *resolution) (rex.Expr, error) {
	args := consistent(r.args)
	x, lo, hi := args[0], args[1], args[2]
	within := func(lo, hi rex.Expr) rex.Expr {
		return logic(rex.And, comparison(rex.Ge, x, lo), comparison(rex.Le, x, hi))
	}
	var e rex.Expr
	switch r.fn.name {
	case "BETWEEN", "NOT BETWEEN":
		e = within(lo, hi)
	default:
		e = logic(rex.Or, within(lo, hi), within(hi, lo))
	}
	if r.fn.name[:3] == "NOT" {
		e = &rex.Call{Op: rex.Not, Args: []rex.Expr{e}, T: e.Type()}
	}
	return e, nil
}

func comparison(op *rex.Op, a, b rex.Expr) rex.Expr {
	args := []rex.Expr{a, b}
	return &rex.Call{Op: op, Args: args, T: value.TBoolean.WithNullable(anyNullable(args))}
}

func logic(op *rex.Op, args ...rex.Expr) rex.Expr {
	return &rex.Call{Op: op, Args: args, T: value.TBoolean.WithNullable(anyNullable(args))}
}

var logicOperators = []function{
	{name: "AND", op: rex.And, isOperator: true, doc: "boolean1 AND boolean2", check: checkLogic, result: orNull(value.TBoolean), eval: evalAnd},
	{name: "OR", op: rex.Or, isOperator: true, doc: "boolean1 OR boolean2", check: checkLogic, result: orNull(value.TBoolean), eval: evalOr},
	{name: "NOT", op: rex.Not, isOperator: true, doc: "NOT boolean", forms: []form{takes(boolean)}, result: orNull(value.TBoolean), eval: evalNot},
	{name: "IS NULL", op: rex.IsNull, isOperator: true, doc: "value IS NULL", forms: []form{takes(anyType)}, result: never(value.TBoolean), eval: evalIsNull},
	{name: "IS NOT NULL", op: rex.IsNotNull, isOperator: true, doc: "value IS NOT NULL", forms: []form{takes(anyType)}, result: never(value.TBoolean), eval: evalIsNull},
	{name: "IS TRUE", op: rex.IsTrue, isOperator: true, doc: "boolean IS TRUE", forms: []form{takes(boolean)}, result: never(value.TBoolean), eval: evalIsTruth},
	{name: "IS NOT TRUE", op: rex.IsNotTrue, isOperator: true, doc: "boolean IS NOT TRUE", forms: []form{takes(boolean)}, result: never(value.TBoolean), eval: evalIsTruth},
	{name: "IS FALSE", op: rex.IsFalse, isOperator: true, doc: "boolean IS FALSE", forms: []form{takes(boolean)}, result: never(value.TBoolean), eval: evalIsTruth},
	{name: "IS NOT FALSE", op: rex.IsNotFalse, isOperator: true, doc: "boolean IS NOT FALSE", forms: []form{takes(boolean)}, result: never(value.TBoolean), eval: evalIsTruth},
	{name: "IS UNKNOWN", op: &rex.Op{Name: "IS UNKNOWN", Syntax: rex.Postfix}, isOperator: true, doc: "boolean IS UNKNOWN", forms: []form{takes(boolean)}, rewrite: as("IS NULL")},
	{name: "IS NOT UNKNOWN", op: &rex.Op{Name: "IS NOT UNKNOWN", Syntax: rex.Postfix}, isOperator: true, doc: "boolean IS NOT UNKNOWN", forms: []form{takes(boolean)}, rewrite: as("IS NOT NULL")},
}

// as makes plans show the call under another name.
func as(name string) func(*resolution) (rex.Expr, error) {
	return func(r *resolution) (rex.Expr, error) { return r.table.resolve(r.ctx, name, r.args) }
}

// checkLogic takes two or more conditions; the error shows two.
func checkLogic(r *resolution) error {
	for i := range r.args {
		if r.arg(i).Kind == value.KindNull {
			return illegalNull()
		}
		if r.arg(i).Kind != value.KindBoolean {
			shown := r.args
			if len(shown) > 2 {
				shown = shown[max(0, i-1):][:2]
			}
			return cannotApply(r.fn.op, shown, []string{signature(r.fn.op, []string{"BOOLEAN", "BOOLEAN"})})
		}
	}
	return nil
}
