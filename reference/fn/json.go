package fn

import (
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
