package fn

import (
	"errors"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

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
