package fn

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

var jsonFunctions = []function{
	isJSON("VALUE", func(n *jsonNode) bool { return true }),
	isJSON("OBJECT", func(n *jsonNode) bool { return n.kind == jsonObject }),
	isJSON("ARRAY", func(n *jsonNode) bool { return n.kind == jsonArray }),
	isJSON("SCALAR", (*jsonNode).isScalar),
	isNotJSON("VALUE", func(n *jsonNode) bool { return true }),
	isNotJSON("OBJECT", func(n *jsonNode) bool { return n.kind == jsonObject }),
	isNotJSON("ARRAY", func(n *jsonNode) bool { return n.kind == jsonArray }),
	isNotJSON("SCALAR", (*jsonNode).isScalar),
	{name: "JSON_EXISTS", doc: "JSON_EXISTS(jsonValue, path [ { TRUE | FALSE | UNKNOWN | ERROR } ON ERROR ])", check: checkJSONExists, rewrite: asJSONExists, eval: evalJSONExists},
	{name: "JSON_VALUE", doc: "JSON_VALUE(jsonValue, path [RETURNING <dataType>] [ { NULL | ERROR | DEFAULT <defaultExpr> } ON EMPTY ] [ ... ON ERROR ])", check: checkJSONPath, rewrite: asJSONValue, eval: evalJSONValue},
	{name: "JSON_QUERY", doc: "JSON_QUERY(jsonValue, path [RETURNING <dataType>] [ <wrapper> ] [ { NULL | EMPTY ARRAY | EMPTY OBJECT | ERROR } ON EMPTY ] [ ... ON ERROR ])", check: checkJSONPath, rewrite: asJSONQuery, eval: evalJSONQuery},
	{name: "JSON_OBJECT", doc: "JSON_OBJECT([[KEY] key VALUE value]* [ { NULL | ABSENT } ON NULL ])", check: checkJSONObject, rewrite: asJSONObject, eval: evalJSONObject},
	{name: "JSON_ARRAY", doc: "JSON_ARRAY([value]* [ { NULL | ABSENT } ON NULL ])", check: checkJSONArray, rewrite: asJSONArray, eval: evalJSONArray},
	{name: "JSON_STRING", doc: "JSON_STRING(value)", check: inferred(params(arg("", argJSON))), result: orNull(value.TString), eval: evalJSONString},
	{name: "JSON", doc: "JSON(value)", check: inferred(params(arg("", argString))), result: orNull(value.TString), eval: evalJSON},
	{name: "JSON_QUOTE", doc: "JSON_QUOTE(string)", check: modern1, result: orNull(value.TString), eval: strict1(jsonQuote)},
	{name: "JSON_UNQUOTE", doc: "JSON_UNQUOTE(string)", check: modern1, result: orNull(value.TString), eval: strict1(jsonUnquote)},
}

// argJSON is what JSON can hold.
var argJSON = argumentRule{
	text: "[<CHARACTER_STRING> | <BINARY_STRING> | <TIMESTAMP> | <CONSTRUCTED> | <NUMERIC> | <STRUCTURED_TYPE> | <DISTINCT_TYPE> | <BOOLEAN> | <VARIANT>]",
	infer: func(ts []value.Type, i int) (value.Type, bool) {
		t := ts[i]
		return t, t.IsCharacter() || t.IsBinary() || t.IsTimestamp() || t.IsComposite() || t.IsNumeric() || t.Kind == value.KindBoolean
	},
	fail: argString.fail,
}

func isJSON(what string, is func(*jsonNode) bool) function {
	name := "IS JSON " + what
	return function{name: name, op: &rex.Op{Name: name, Syntax: rex.Postfix}, isOperator: true, doc: "string " + name,
		forms: []form{takes(character)}, result: never(value.TBoolean), eval: evalIsJSON(is, true)}
}

func isNotJSON(what string, is func(*jsonNode) bool) function {
	f := isJSON(what, is)
	f.name = "IS NOT JSON " + what
	f.op = &rex.Op{Name: f.name, Syntax: rex.Postfix}
	f.doc = "string " + f.name
	f.eval = evalIsJSON(is, false)
	return f
}

func evalIsJSON(is func(*jsonNode) bool, want bool) builder {
	return lenient(func(ctx *Ctx, vs []value.Value) value.Value {
		if vs[0].IsNull() {
			return value.Bool(!want)
		}
		n, err := parseJSON(vs[0].Str())
		if unsupported.Is(err) {
			return ctx.Fail(err)
		}
		return value.Bool((err == nil && is(&n)) == want)
	})
}

// clauses are the arguments of a call that the parser gives: plain ones and keywords.
func flagText(e rex.Expr) (string, bool) {
	f, ok := e.(*rex.Flag)
	if !ok {
		return "", false
	}
	return f.Text, true
}

func newFlag(text string) rex.Expr { return &rex.Flag{Text: text, T: value.TSymbol} }

// checkJSONPath checks the first two arguments of JSON_VALUE and JSON_QUERY.
func checkJSONPath(r *resolution) error {
	for i := range r.args {
		if _, ok := flagText(r.args[i]); !ok && i < 2 && r.arg(i).Kind == value.KindNull {
			return illegalNull()
		}
	}
	if !r.arg(0).IsCharacter() || !r.arg(1).IsCharacter() {
		return unsupported.New("%s of arguments that are no text", r.fn.name)
	}
	return nil
}

func checkJSONExists(r *resolution) error {
	if len(r.args) < 2 {
		return wrongCountOf("JSON_EXISTS", 2)
	}
	return checkJSONPath(r)
}

func asJSONExists(r *resolution) (rex.Expr, error) {
	args := r.args
	if len(args) == 3 {
		text, _ := flagText(args[2])
		args = []rex.Expr{args[0], args[1], newFlag(strings.TrimSuffix(text, " ON ERROR"))}
	}
	return &rex.Call{Op: r.fn.op, Args: args, T: value.TBoolean}, nil
}

// returning takes the type of a RETURNING clause from the arguments behind the path.
func returning(args []rex.Expr) (value.Type, []rex.Expr) {
	if len(args) > 1 {
		if text, ok := flagText(args[0]); ok && text == "RETURNING" {
			return args[1].Type().AsNullable(), args[2:]
		}
	}
	return value.TString, args
}

// asJSONValue writes the clauses apart, as plans show them: FLAG(DEFAULT), x, FLAG(ON EMPTY).
func asJSONValue(r *resolution) (rex.Expr, error) {
	t, rest := returning(r.args[2:])
	out := append([]rex.Expr{}, r.args[:2]...)
	for i := 0; i < len(rest); i++ {
		text, ok := flagText(rest[i])
		if !ok {
			return nil, unsupported.New("JSON_VALUE with these clauses")
		}
		behaviour, on, _ := strings.Cut(text, " ON ")
		out = append(out, newFlag(behaviour))
		if behaviour == "DEFAULT" && i+1 < len(rest) {
			i++
			if rest[i].Type().Kind == value.KindNull {
				return nil, unsupported.New("JSON_VALUE with DEFAULT NULL")
			}
			out = append(out, rest[i])
		}
		out = append(out, newFlag("ON "+on))
	}
	return &rex.Call{Op: r.fn.op, Args: out, T: t}, nil
}

const queryFlag = "SqlJsonQueryEmptyOrErrorBehavior["

func asJSONQuery(r *resolution) (rex.Expr, error) {
	t, rest := returning(r.args[2:])
	wrapper, on := "WITHOUT_ARRAY", map[string]string{"EMPTY": "NULL", "ERROR": "NULL"}
	for _, a := range rest {
		text, ok := flagText(a)
		if !ok {
			return nil, unsupported.New("JSON_QUERY with these clauses")
		}
		if strings.HasSuffix(text, "WRAPPER") {
			switch {
			case strings.HasPrefix(text, "WITHOUT"):
			case strings.Contains(text, " CONDITIONAL"):
				wrapper = "WITH_CONDITIONAL_ARRAY"
			default:
				wrapper = "WITH_UNCONDITIONAL_ARRAY"
			}
			continue
		}
		behaviour, what, _ := strings.Cut(text, " ON ")
		on[what] = strings.ReplaceAll(behaviour, " ", "_")
	}
	if t.Kind == value.KindArray {
		if !t.Elem.IsCharacter() {
			return nil, flinkerr.Validation("Unsupported array element type '%s' for RETURNING ARRAY in JSON_QUERY().", t.Elem.Calcite())
		}
		for _, what := range []string{"ERROR", "EMPTY"} {
			if on[what] == "EMPTY_OBJECT" {
				return nil, unsupported.New("JSON_QUERY RETURNING ARRAY with EMPTY OBJECT ON %s", what)
			}
		}
	}
	args := []rex.Expr{r.args[0], r.args[1], newFlag(wrapper), newFlag(queryFlag + on["EMPTY"] + "]"), newFlag(queryFlag + on["ERROR"] + "]")}
	return &rex.Call{Op: r.fn.op, Args: args, T: t}, nil
}

// splitOnNull parts the arguments of JSON_OBJECT and JSON_ARRAY from the clause behind them.
func splitOnNull(args []rex.Expr, otherwise string) (rest []rex.Expr, clause string) {
	if n := len(args); n > 0 {
		if text, ok := flagText(args[n-1]); ok {
			return args[:n-1], strings.ReplaceAll(text, " ", "_")
		}
	}
	return args, otherwise
}

func checkJSONObject(r *resolution) error {
	args, _ := splitOnNull(r.args, "")
	for i, a := range args {
		if i%2 != 0 {
			continue
		}
		switch t := a.Type(); {
		case t.Kind == value.KindNull:
			return unsupported.New("JSON_OBJECT with the key NULL")
		case !t.IsCharacter():
			return flinkerr.Validator("Expected a character type")
		case t.Nullable:
			return unsupported.New("JSON_OBJECT with a key that may be NULL")
		}
	}
	return nil
}

func asJSONObject(r *resolution) (rex.Expr, error) {
	args, clause := splitOnNull(r.args, "NULL_ON_NULL")
	return jsonConstructor(r, args, clause)
}

func checkJSONArray(*resolution) error { return nil }

func asJSONArray(r *resolution) (rex.Expr, error) {
	args, clause := splitOnNull(r.args, "ABSENT_ON_NULL")
	return jsonConstructor(r, args, clause)
}

func jsonConstructor(r *resolution, args []rex.Expr, clause string) (rex.Expr, error) {
	out := []rex.Expr{newFlag(clause)}
	for _, a := range args {
		if lit, ok := a.(*rex.Literal); ok && lit.T.Kind == value.KindNull {
			return nil, unsupported.New("%s with the value NULL", r.fn.name)
		}
		out = append(out, a)
	}
	return &rex.Call{Op: r.fn.op, Args: out, T: value.TString.NotNull()}, nil
}

// Evaluation of paths.

// jsonResult is what a path finds in a text: a node (nil for an empty result) or a failure.
type jsonResult struct {
	lax     bool
	node    *jsonNode
	failure error
}

// jsonPaths keeps the last path, which rarely changes from row to row.
type jsonPaths struct{ cached[jsonPath] }

func newJSONPaths() *jsonPaths { return &jsonPaths{cached[jsonPath]{make: compileJSONPath}} }

// find reads the path in the text. Only what is refused is an error of find itself.
func (c *jsonPaths) find(text, spec string) (jsonResult, error) {
	p, err := c.get(spec)
	if err != nil {
		return jsonResult{}, err
	}
	root, err := parseJSON(text)
	switch {
	case unsupported.Is(err):
		return jsonResult{}, err
	case err != nil && p.lax:
		return jsonResult{lax: true}, nil
	case err != nil:
		return jsonResult{failure: err}, nil
	}
	node, err := p.read(&root)
	if err != nil {
		if p.lax && !p.isDefinite() {
			return jsonResult{lax: true, node: &jsonNode{kind: jsonArray}}, nil
		}
		if p.lax {
			return jsonResult{lax: true}, nil
		}
		return jsonResult{failure: err}, nil
	}
	if node.kind == jsonNull {
		if p.lax {
			return jsonResult{lax: true}, nil
		}
		return jsonResult{failure: tableRuntime("Strict jsonpath mode requires a non empty returned value, but is null")}, nil
	}
	return jsonResult{lax: p.lax, node: node}, nil
}

func tableRuntime(format string, args ...any) error {
	return flinkerr.Runtime(flinkerr.ClassTableRuntime, format, args...)
}

// jsonFailure is the error that ERROR ON ERROR shows.
func jsonFailure(err error) error {
	var p *pathError
	switch {
	case errors.As(err, &p) && p.message != "":
		return flinkerr.Runtime("org.apache.flink.shaded.com.jayway.jsonpath.PathNotFoundException", "%s", p.message)
	case errors.As(err, &p), errors.Is(err, errJSON):
		return unsupported.New("the error text of a JSON function")
	}
	return err
}

func evalJSONExists(c *compiler, call *rex.Call) (Eval, error) {
	onError := "FALSE"
	if len(call.Args) == 3 {
		onError, _ = flagText(call.Args[2])
	}
	paths := newJSONPaths()
	return c.withValues(call.Args[:2], func(ctx *Ctx, vs []value.Value) value.Value {
		r, err := paths.find(vs[0].Str(), vs[1].Str())
		switch {
		case err != nil:
			return ctx.Fail(err)
		case r.failure == nil:
			return value.Bool(r.node != nil)
		case onError == "UNKNOWN":
			return value.Null
		case onError == "ERROR":
			return ctx.Fail(jsonFailure(r.failure))
		}
		return value.Bool(onError == "TRUE")
	})
}

// withValues compiles arguments of which none may be NULL.
func (c *compiler) withValues(args []rex.Expr, f func(ctx *Ctx, vs []value.Value) value.Value) (Eval, error) {
	evals := make([]Eval, len(args))
	for i, a := range args {
		e, err := c.compile(a)
		if err != nil {
			return nil, err
		}
		evals[i] = e
	}
	return evalN(evals, f), nil
}

// jsonClause is what to do with an empty result or a failure.
type jsonClause struct {
	behaviour string
	// value is the position of the DEFAULT among the compiled arguments.
	value int
}

func evalJSONValue(c *compiler, call *rex.Call) (Eval, error) {
	switch call.T.Kind {
	case value.KindVarchar, value.KindBoolean, value.KindInt, value.KindDouble:
	default:
		return nil, flinkerr.New(classCodeGen,
			"Unsupported type '%s' for RETURNING in JSON_VALUE().", call.T)
	}
	clauses := map[string]jsonClause{"ON EMPTY": {behaviour: "NULL"}, "ON ERROR": {behaviour: "NULL"}}
	args := append([]rex.Expr{}, call.Args[:2]...)
	for i := 2; i < len(call.Args); i++ {
		behaviour, _ := flagText(call.Args[i])
		clause := jsonClause{behaviour: behaviour}
		if behaviour == "DEFAULT" {
			i++
			clause.value = len(args)
			args = append(args, call.Args[i])
			if _, ok := call.Args[i].(*rex.Literal); !ok {
				return nil, flinkerr.New("java.util.NoSuchElementException", "None.get")
			}
			if !fitsDefault(call.Args[i].Type(), call.T) {
				return nil, unsupported.New("JSON_VALUE RETURNING %s with a DEFAULT of %s", call.T, call.Args[i].Type())
			}
		}
		i++
		on, _ := flagText(call.Args[i])
		clauses[on] = clause
	}
	paths := newJSONPaths()
	kind := call.T.Kind
	act := func(ctx *Ctx, vs []value.Value, on string, failure error) value.Value {
		switch clause := clauses[on]; clause.behaviour {
		case "DEFAULT":
			return vs[clause.value]
		case "ERROR":
			return ctx.Fail(jsonFailure(failure))
		}
		return value.Null
	}
	return c.withValues(args, func(ctx *Ctx, vs []value.Value) value.Value {
		r, err := paths.find(vs[0].Str(), vs[1].Str())
		switch {
		case err != nil:
			return ctx.Fail(err)
		case r.failure != nil:
			return act(ctx, vs, "ON ERROR", r.failure)
		case r.node == nil || r.lax && !r.node.isScalar():
			return act(ctx, vs, "ON EMPTY", tableRuntime("Empty result of JSON_VALUE function is not allowed"))
		case !r.node.isScalar():
			return act(ctx, vs, "ON ERROR", tableRuntime("Strict jsonpath mode requires scalar value, and the actual value is: ''%s''", r.node.javaText()))
		}
		return scalarOf(ctx, r.node, kind)
	})
}

// fitsDefault tells whether the object of a DEFAULT is of the class that RETURNING wants.
func fitsDefault(t, returning value.Type) bool {
	if returning.Kind == value.KindVarchar {
		return t.IsCharacter()
	}
	return t.Kind == returning.Kind && returning.Kind != value.KindDouble
}

// scalarOf takes a scalar for a value of the RETURNING type; only the fitting Java
// class is accepted.
func scalarOf(ctx *Ctx, n *jsonNode, k value.Kind) value.Value {
	if k == value.KindVarchar {
		return value.String(n.javaText())
	}
	want := map[value.Kind]string{value.KindBoolean: "java.lang.Boolean", value.KindInt: "java.lang.Integer", value.KindDouble: "java.math.BigDecimal"}[k]
	if have := n.javaClass(); have != want {
		return ctx.Fail(badClass(have, want))
	}
	switch k {
	case value.KindBoolean:
		return value.Bool(n.text == "true")
	case value.KindInt:
		i, _ := digitsOf(strings.TrimPrefix(n.text, "-"))
		if strings.HasPrefix(n.text, "-") {
			i = -i
		}
		return value.Int(int64(i))
	}
	// Of a number beyond the range ParseFloat gives the infinity, as Java does.
	f, _ := strconv.ParseFloat(n.text, 64)
	return value.Double(f)
}

func evalJSONQuery(c *compiler, call *rex.Call) (Eval, error) {
	if call.T.Kind != value.KindVarchar && call.T.Kind != value.KindArray {
		return nil, flinkerr.New(classCodeGen,
			"Unsupported type '%s' for RETURNING in JSON_VALUE().", call.T)
	}
	wrapper, _ := flagText(call.Args[2])
	behaviour := func(i int) string {
		text, _ := flagText(call.Args[i])
		return strings.TrimSuffix(strings.TrimPrefix(text, queryFlag), "]")
	}
	onEmpty, onError := behaviour(3), behaviour(4)
	array := call.T.Kind == value.KindArray
	act := func(ctx *Ctx, how string, failure error) value.Value {
		switch how {
		case "ERROR":
			return ctx.Fail(jsonFailure(failure))
		case "EMPTY_ARRAY":
			if array {
				return value.Array(nil)
			}
			return value.String("[]")
		case "EMPTY_OBJECT":
			return value.String("{}")
		}
		return value.Null
	}
	paths := newJSONPaths()
	return c.withValues(call.Args[:2], func(ctx *Ctx, vs []value.Value) value.Value {
		r, err := paths.find(vs[0].Str(), vs[1].Str())
		if err != nil {
			return ctx.Fail(err)
		}
		if r.failure != nil {
			return act(ctx, onError, r.failure)
		}
		n := r.node
		if n != nil && (wrapper == "WITH_UNCONDITIONAL_ARRAY" || wrapper == "WITH_CONDITIONAL_ARRAY" && n.kind != jsonArray) {
			n = &jsonNode{kind: jsonArray, items: []jsonNode{*n}}
		}
		switch {
		case n == nil || r.lax && n.isScalar():
			return act(ctx, onEmpty, tableRuntime("Empty result of JSON_QUERY function is not allowed"))
		case n.isScalar():
			return act(ctx, onError, tableRuntime("Strict jsonpath mode requires array or object value, and the actual value is: ''%s''", n.javaText()))
		case array && n.kind != jsonArray:
			return act(ctx, onError, errJSON)
		case array:
			return jsonTexts(n)
		}
		return value.String(string(appendJSON(nil, n)))
	})
}

// jsonTexts makes an ARRAY<STRING> of a JSON array.
func jsonTexts(n *jsonNode) value.Value {
	out := make([]value.Value, len(n.items))
	for i := range n.items {
		switch e := &n.items[i]; {
		case e.kind == jsonNull:
		case e.isScalar():
			out[i] = value.String(e.javaText())
		default:
			out[i] = value.String(string(appendJSON(nil, e)))
		}
	}
	return value.Array(out)
}

// Construction.

// jsonMaker makes a node of a value that is not NULL.
type jsonMaker func(ctx *Ctx, v value.Value) jsonNode

// jsonOperand compiles an argument of JSON_OBJECT or JSON_ARRAY: nested calls of these
// and of JSON are JSON already.
func (c *compiler) jsonOperand(e rex.Expr) (Eval, jsonMaker, error) {
	if call, ok := e.(*rex.Call); ok {
		switch call.Op.Name {
		case "JSON_OBJECT", "JSON_ARRAY":
			f, err := c.compile(e)
			return f, rawJSON, err
		case "JSON":
			f, err := c.compile(call.Args[0])
			if err != nil {
				return nil, nil, err
			}
			return func(ctx *Ctx, row value.Row) value.Value { return normalJSON(ctx, f(ctx, row)) }, rawJSON, nil
		}
	}
	f, err := c.compile(e)
	if err != nil {
		return nil, nil, err
	}
	m, err := jsonMakerOf(e.Type())
	return f, m, err
}

func rawJSON(_ *Ctx, v value.Value) jsonNode { return jsonNode{kind: jsonRaw, text: v.Str()} }

// normalJSON is the value of JSON(..): NULL for an empty text.
func normalJSON(ctx *Ctx, v value.Value) value.Value {
	if v.IsNull() {
		return v
	}
	text := strings.TrimFunc(v.Str(), func(r rune) bool { return r <= ' ' })
	if text == "" {
		return value.Null
	}
	n, err := parseJSON(text)
	if err != nil {
		return ctx.Fail(unsupported.New("the error text of JSON(value) for a text that is no JSON"))
	}
	return value.String(string(appendJSON(nil, &n)))
}

func evalJSON(*compiler, *rex.Call) (Eval, error) {
	return nil, flinkerr.Validation("%s", `The JSON() function is currently only supported inside JSON_ARRAY() or as the VALUE param of JSON_OBJECT(). Example: JSON_OBJECT('a', JSON('{"key": "value"}')) or JSON_ARRAY(JSON('{"key": "value"}')).`)
}

func evalJSONObject(c *compiler, call *rex.Call) (Eval, error) {
	clause, _ := flagText(call.Args[0])
	type entry struct {
		key, value Eval
		make       jsonMaker
	}
	var entries []entry
	for i := 1; i+1 < len(call.Args); i += 2 {
		k, err := c.compile(call.Args[i])
		if err != nil {
			return nil, err
		}
		v, m, err := c.jsonOperand(call.Args[i+1])
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{k, v, m})
	}
	return func(ctx *Ctx, row value.Row) value.Value {
		n := jsonNode{kind: jsonObject}
		for _, e := range entries {
			k, v := e.key(ctx, row), e.value(ctx, row)
			switch {
			case ctx.Err != nil:
				return value.Null
			case !v.IsNull():
				n.set(k.Str(), e.make(ctx, v))
			case clause == "NULL_ON_NULL":
				n.set(k.Str(), jsonNode{})
			}
		}
		return value.String(string(appendJSON(nil, &n)))
	}, nil
}

func evalJSONArray(c *compiler, call *rex.Call) (Eval, error) {
	clause, _ := flagText(call.Args[0])
	evals, makers := make([]Eval, len(call.Args)-1), make([]jsonMaker, len(call.Args)-1)
	for i := range evals {
		var err error
		if evals[i], makers[i], err = c.jsonOperand(call.Args[i+1]); err != nil {
			return nil, err
		}
	}
	return func(ctx *Ctx, row value.Row) value.Value {
		n := jsonNode{kind: jsonArray}
		for i, f := range evals {
			switch v := f(ctx, row); {
			case ctx.Err != nil:
				return value.Null
			case !v.IsNull():
				n.items = append(n.items, makers[i](ctx, v))
			case clause == "NULL_ON_NULL":
				n.items = append(n.items, jsonNode{})
			}
		}
		return value.String(string(appendJSON(nil, &n)))
	}, nil
}

func evalJSONString(c *compiler, call *rex.Call) (Eval, error) {
	f, m, err := c.jsonOperand(call.Args[0])
	if err != nil {
		return nil, err
	}
	return func(ctx *Ctx, row value.Row) value.Value {
		v := f(ctx, row)
		if v.IsNull() {
			return v
		}
		n := m(ctx, v)
		return value.String(string(appendJSON(nil, &n)))
	}, nil
}

// jsonMakerOf makes nodes of values of a type as Flink's JSON functions do.
func jsonMakerOf(t value.Type) (jsonMaker, error) {
	switch t.Kind {
	case value.KindChar, value.KindVarchar:
		return func(_ *Ctx, v value.Value) jsonNode { return jsonNode{kind: jsonString, text: v.Str()} }, nil
	case value.KindBoolean:
		return func(_ *Ctx, v value.Value) jsonNode {
			if v.Bool() {
				return jsonNode{kind: jsonBool, text: "true"}
			}
			return jsonNode{kind: jsonBool, text: "false"}
		}, nil
	case value.KindDecimal:
		return func(_ *Ctx, v value.Value) jsonNode {
			return jsonNode{kind: jsonDecimal, text: decimalJSON(t, v)}
		}, nil
	case value.KindFloat, value.KindDouble:
		float := toFloat(t)
		return func(ctx *Ctx, v value.Value) jsonNode { return doubleJSON(ctx, float(v)) }, nil
	case value.KindTimestamp, value.KindTimestampLTZ:
		suffix := ""
		if t.Kind == value.KindTimestampLTZ {
			suffix = "Z"
		}
		return func(_ *Ctx, v value.Value) jsonNode {
			return jsonNode{kind: jsonString, text: isoTimestamp(v) + suffix}
		}, nil
	case value.KindBinary, value.KindVarbinary:
		return func(_ *Ctx, v value.Value) jsonNode {
			return jsonNode{kind: jsonString, text: string(value.AppendBase64(nil, v.Str()))}
		}, nil
	case value.KindArray:
		return jsonArrayMaker(*t.Elem)
	case value.KindRow:
		return jsonRowMaker(t)
	case value.KindMap:
		return jsonMapMaker(t)
	}
	if t.IsInteger() {
		return func(_ *Ctx, v value.Value) jsonNode {
			return jsonNode{kind: jsonInt, text: strconv.FormatInt(v.Int(), 10)}
		}, nil
	}
	return nil, flinkerr.New(classCodeGen,
		"Type '%s' is not scalar or cannot be converted into JSON.", t)
}

// orNullNode is null for NULL.
func (m jsonMaker) orNullNode(ctx *Ctx, v value.Value) jsonNode {
	if v.IsNull() {
		return jsonNode{}
	}
	return m(ctx, v)
}

func jsonArrayMaker(elem value.Type) (jsonMaker, error) {
	m, err := jsonMakerOf(elem)
	if err != nil {
		return nil, err
	}
	return func(ctx *Ctx, v value.Value) jsonNode {
		n := jsonNode{kind: jsonArray}
		for _, e := range v.Composite().Elems {
			n.items = append(n.items, m.orNullNode(ctx, e))
		}
		return n
	}, nil
}

func jsonRowMaker(t value.Type) (jsonMaker, error) {
	makers := make([]jsonMaker, len(t.Fields))
	for i, f := range t.Fields {
		var err error
		if makers[i], err = jsonMakerOf(f.Type); err != nil {
			return nil, err
		}
	}
	return func(ctx *Ctx, v value.Value) jsonNode {
		n := jsonNode{kind: jsonObject}
		for i, e := range v.Composite().Elems {
			n.set(t.Fields[i].Name, makers[i].orNullNode(ctx, e))
		}
		return n
	}, nil
}

func jsonMapMaker(t value.Type) (jsonMaker, error) {
	if !t.Key.IsCharacter() {
		return nil, flinkerr.New(classCodeGen,
			"Type '%s' is not supported for JSON conversion. The key type must be a character string.", *t.Key)
	}
	m, err := jsonMakerOf(*t.Elem)
	if err != nil {
		return nil, err
	}
	return func(ctx *Ctx, v value.Value) jsonNode {
		n := jsonNode{kind: jsonObject}
		c := v.Composite()
		for i, k := range c.Keys {
			if k.IsNull() {
				ctx.Fail(flinkerr.Runtime("java.lang.IllegalArgumentException", "Key at index %d was null. This is not supported during conversion to JSON.", i))
				return n
			}
			n.set(k.Str(), m.orNullNode(ctx, c.Elems[i]))
		}
		return n
	}, nil
}

// decimalJSON writes a DECIMAL as BigDecimal.toString does.
func decimalJSON(t value.Type, v value.Value) string {
	d := v.Dec()
	digits := strings.TrimPrefix(string(value.AppendDecimal(nil, d, 0)), "-")
	s := scaledText(digits, t.Scale)
	if d.Sign() < 0 {
		return "-" + s
	}
	return s
}

// doubleJSON writes a DOUBLE by way of BigDecimal.valueOf: 1e10 is 1.0E+10.
func doubleJSON(ctx *Ctx, f float64) jsonNode {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return jsonNode{kind: jsonString, text: string(value.AppendDouble(nil, f))}
	}
	text, err := bigDecimalText(string(value.AppendDouble(nil, f)))
	if err != nil {
		ctx.Fail(err)
	}
	return jsonNode{kind: jsonDecimal, text: text}
}

// isoTimestamp is ISO_LOCAL_DATE_TIME: no fraction where it is zero, else the
// digits that are needed.
func isoTimestamp(v value.Value) string {
	text := string(value.AppendTimestamp(nil, v.Millis(), v.NanoOfMilli(), 9))
	text = strings.Replace(text, " ", "T", 1)
	text = strings.TrimRight(text, "0")
	if strings.HasSuffix(text, ".") {
		return strings.TrimSuffix(text, ".")
	}
	return text
}

// jsonQuote escapes what is not ASCII as \uXXXX. Beyond U+FFFF Flink writes five
// digits, and then the second half of the surrogate pair once more.
func jsonQuote(_ *Ctx, v value.Value) value.Value {
	const hex = "0123456789abcdef"
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range v.Str() {
		switch at := strings.IndexRune("\"\\/\b\f\n\r\t", r); {
		case at >= 0:
			b.WriteByte('\\')
			b.WriteByte("\"\\/bfnrt"[at])
		case r < 0x80:
			b.WriteRune(r)
		default:
			us := []rune{r}
			if r > 0xffff {
				us = append(us, 0xdc00+(r-0x10000)&0x3ff)
			}
			for _, u := range us {
				b.WriteString(`\u`)
				digits := ""
				for n := u; n > 0 || len(digits) < 4; n >>= 4 {
					digits = string(hex[n&15]) + digits
				}
				b.WriteString(digits)
			}
		}
	}
	b.WriteByte('"')
	return value.String(b.String())
}

// jsonUnquote takes the quotes and escapes from a JSON string; other text stays.
func jsonUnquote(ctx *Ctx, v value.Value) value.Value {
	s := v.Str()
	n, err := parseJSON(s)
	switch {
	case unsupported.Is(err):
		return ctx.Fail(err)
	case err != nil || len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"':
		return v
	}
	inner := s[1 : len(s)-1]
	if n.kind == jsonString && !strings.Contains(strings.ReplaceAll(strings.ReplaceAll(inner, `\\`, ""), `\"`, ""), `"`) {
		return value.String(n.text)
	}
	return ctx.Fail(unsupported.New("JSON_UNQUOTE of more than one JSON string"))
}
