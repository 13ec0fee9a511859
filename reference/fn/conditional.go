package fn

import (
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

var conditionalFunctions = []function{
	{name: "CASE", op: rex.Case, isOperator: true, doc: "CASE WHEN condition1 THEN result1 ... ELSE resultZ END", check: checkCase, rewrite: asCase, eval: evalCase},
	{name: "NULLIF", doc: "NULLIF(value1, value2)", check: checkNullIf, rewrite: asNullIf},
	{name: "COALESCE", doc: "COALESCE(value1 [, value2]*)", check: inferred(varying(arg("", argCommon), arg("", argCommon))), result: coalesceType, eval: evalCoalesce},
	{name: "IFNULL", doc: "IFNULL(input, null_replacement)", check: inferred(params(arg("input", argCommon), arg("null_replacement", argCommon))), result: ifNullType, eval: evalCoalesce},
	{name: "IF", doc: "IF(condition, true_value, false_value)", forms: ifForms, result: ifType, eval: evalIf},
	{name: "GREATEST", doc: "GREATEST(value1[, value2]*)", check: checkExtreme, result: extremeType, eval: evalGreatest},
	{name: "LEAST", doc: "LEAST(value1[, value2]*)", check: checkExtreme, result: extremeType, eval: evalLeast},
}

// checkCase demands conditions of type BOOLEAN and at least one result with a type.
func checkCase(r *resolution) error {
	typed := false
	for i := range r.args {
		isCond := i%2 == 0 && i < len(r.args)-1
		k := r.arg(i).Kind
		if isCond && k != value.KindBoolean && k != value.KindNull {
			return flinkerr.Validator("Expected a boolean type")
		}
		if !isCond && k != value.KindNull {
			typed = true
		}
	}
	if !typed {
		return flinkerr.Validator("ELSE clause or at least one THEN clause must be non-NULL")
	}
	return nil
}

// asCase gives all results their common type.
func asCase(r *resolution) (rex.Expr, error) {
	n := len(r.args)
	var results []value.Type
	for i := range r.args {
		if i%2 == 1 || i == n-1 {
			results = append(results, r.arg(i))
		}
	}
	t, ok := leastRestrictive(results)
	if !ok && numbersAndTimes(results) {
		return nil, unsupported.New("CASE of numbers and times")
	}
	if !ok {
		return nil, flinkerr.Validator("Illegal mixing of types in CASE or COALESCE statement")
	}
	args := make([]rex.Expr, n)
	for i, a := range r.args {
		switch {
		case i%2 == 1 || i == n-1:
			if a.Type().Kind == value.KindNull {
				args[i] = nullLiteral(t)
			} else {
				args[i] = ensure(t, a, false)
			}
		case a.Type().Kind == value.KindNull:
			args[i] = nullLiteral(value.TBoolean)
		default:
			args[i] = a
		}
	}
	return &rex.Call{Op: rex.Case, Args: args, T: t}, nil
}

func checkNullIf(r *resolution) error {
	if len(r.args) != 2 {
		return wrongCountOf("NULLIF", 2)
	}
	return nil
}

// asNullIf: NULLIF(a, b) is CASE WHEN a = b THEN NULL ELSE a END.
func asNullIf(r *resolution) (rex.Expr, error) {
	eq, err := r.table.resolve(r.ctx, "=", r.args)
	if err != nil {
		return nil, err
	}
	null := &rex.Literal{T: value.TNull}
	return r.table.resolve(r.ctx, "CASE", []rex.Expr{eq, null, r.args[0]})
}

func evalCase(c *compiler, call *rex.Call) (Eval, error) {
	n := len(call.Args)
	conds := make([]Predicate, 0, n/2)
	results := make([]Eval, 0, n/2+1)
	for i, a := range call.Args {
		if i%2 == 0 && i < n-1 {
			p, err := c.predicate(a)
			if err != nil {
				return nil, err
			}
			conds = append(conds, p)
			continue
		}
		e, err := c.compile(a)
		if err != nil {
			return nil, err
		}
		results = append(results, e)
	}
	return func(ctx *Ctx, row value.Row) value.Value {
		for i, p := range conds {
			if p(ctx, row) {
				return results[i](ctx, row)
			}
		}
		return results[len(conds)](ctx, row)
	}, nil
}

func evalIf(c *compiler, call *rex.Call) (Eval, error) {
	p, err := c.predicate(call.Args[0])
	if err != nil {
		return nil, err
	}
	a, err := c.compile(makeCast(call.T, call.Args[1]))
	if err != nil {
		return nil, err
	}
	b, err := c.compile(makeCast(call.T, call.Args[2]))
	if err != nil {
		return nil, err
	}
	return func(ctx *Ctx, row value.Row) value.Value {
		if p(ctx, row) {
			return a(ctx, row)
		}
		return b(ctx, row)
	}, nil
}

// evalCoalesce computes all arguments, as Flink's function call does, and gives the
// first that is not NULL.
func evalCoalesce(c *compiler, call *rex.Call) (Eval, error) {
	args, err := c.args(call)
	if err != nil {
		return nil, err
	}
	return func(ctx *Ctx, row value.Row) value.Value {
		res := value.Null
		for _, x := range args {
			if v := x(ctx, row); res.IsNull() {
				res = v
			}
		}
		return res
	}, nil
}

// coalesceType is the common type; one NOT NULL argument makes it NOT NULL.
func coalesceType(r *resolution) (value.Type, error) {
	t, _ := commonType(r.types())
	all := true
	for i := range r.args {
		all = all && r.arg(i).Nullable
	}
	return t.WithNullable(all), nil
}

func ifNullType(r *resolution) (value.Type, error) {
	if !r.arg(0).Nullable {
		return r.arg(0), nil
	}
	t, _ := commonType(r.types())
	return t.WithNullable(r.arg(1).Nullable), nil
}

var ifForms = []form{
	{operands: []operand{boolean, numeric, numeric}, text: []string{"ANY_TYPE", "NUMERIC_TYPE", "NUMERIC_TYPE"}},
	takes(boolean, character, character), takes(boolean, boolean, boolean), takes(boolean, character, character),
	takes(boolean, binary, binary), takes(boolean, date, date), takes(boolean, timestamp, timestamp), takes(boolean, timeOfDay, timeOfDay),
}

// ifType: numbers, strings and bytes find a common type, others keep that of the first result.
func ifType(r *resolution) (value.Type, error) {
	a, b := r.arg(1), r.arg(2)
	null := r.anyNullable()
	for _, t := range []value.Type{a, b} {
		if !t.IsNumeric() && !t.IsCharacter() && !t.IsBinary() {
			return a.WithoutTime().WithNullable(null), nil
		}
	}
	t, ok := leastRestrictive([]value.Type{a, b})
	if !ok {
		return t, cannotApply(r.fn.op, r.args, describeAll(r.fn))
	}
	return t.WithNullable(null), nil
}

func wrongCountOf(name string, n int) error {
	return flinkerr.Validator("Invalid number of arguments to function '%s'. Was expecting %d arguments", name, n)
}

// checkExtreme: GREATEST and LEAST compare values of one family without casting them.
func checkExtreme(r *resolution) error {
	if len(r.args) == 0 {
		return noSignature(r, []signatureRule{varying(arg("", argumentRule{text: "COMPARABLE"}))})
	}
	for i := range r.args[1:] {
		a, b := r.arg(i), r.arg(i+1)
		same := a.IsNumeric() && b.IsNumeric() || a.IsCharacter() && b.IsCharacter() || a.IsBinary() && b.IsBinary() ||
			a.IsTimestamp() && b.IsTimestamp() || a.Kind == b.Kind && isOrdered(a) || a.Kind == value.KindNull || b.Kind == value.KindNull
		if !same {
			return flinkerr.Validation("All types in a comparison should support both 'EQUALS' and 'ORDER' comparison with each other. Can not compare %s with %s", a, b)
		}
	}
	return nil
}

func extremeType(r *resolution) (value.Type, error) {
	t, ok := commonType(r.types())
	if !ok {
		return t, flinkerr.Validation("Invalid input arguments.")
	}
	return t.WithNullable(r.anyNullable()), nil
}

func evalGreatest(c *compiler, call *rex.Call) (Eval, error) { return evalExtreme(c, call, rex.Gt) }
func evalLeast(c *compiler, call *rex.Call) (Eval, error)    { return evalExtreme(c, call, rex.Lt) }

// evalExtreme casts every argument to the result type and keeps the first that no
// other beats in the order of Java's compareTo (NaN above all); a NULL makes the
// result NULL, but all arguments are computed.
func evalExtreme(c *compiler, call *rex.Call, better *rex.Op) (Eval, error) {
	t := call.T
	if !isOrdered(t) {
		return nil, unsupported.New("%s of %s", call.Op.Name, t)
	}
	args := make([]Eval, len(call.Args))
	for i, a := range call.Args {
		x, err := c.compile(ensure(t, a, true))
		if err != nil {
			return nil, err
		}
		args[i] = x
	}
	return func(ctx *Ctx, row value.Row) value.Value {
		best := args[0](ctx, row)
		null := best.IsNull()
		for _, x := range args[1:] {
			v := x(ctx, row)
			if null = null || v.IsNull(); !null && holds(better, value.Compare(t, v, best)) {
				best = v
			}
		}
		if null {
			return value.Null
		}
		return best
	}, nil
}
