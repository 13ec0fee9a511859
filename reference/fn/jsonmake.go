package fn

import (
	"math"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

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
