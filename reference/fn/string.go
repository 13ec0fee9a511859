package fn

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

var (
	string1   = []form{takes(character)}
	stringOr2 = []form{takes(character), takes(character, character)}
	substring = []form{takes(character, integer), takes(character, integer, integer)}
	cutForms  = []form{takes(character, integer)}
	padForms  = []form{takes(character, integer, character)}
	hashForms = []form{takes(stringLike)}
	modern1   = inferred(params(arg("", argString)))
	modern2   = inferred(params(arg("", argString), arg("", argString)))
)

var stringFunctions = []function{
	{name: "||", op: rex.Concat, isOperator: true, doc: "string1 || string2", check: checkConcat, result: concatType, eval: strict2(func(_ *Ctx, a, b value.Value) value.Value { return value.String(a.Str() + b.Str()) })},
	{name: "CONCAT", doc: "CONCAT(string1, string2, ...)", forms: []form{takesMany(1, character)}, result: orNull(value.TString), eval: strictN(concat)},
	{name: "CONCAT_WS", doc: "CONCAT_WS(string1, string2, string3, ...)", forms: []form{takesMany(1, character)}, result: orNull(value.TString), eval: lenient(concatWs)},
	{name: "CHAR_LENGTH", doc: "CHAR_LENGTH(string)", forms: string1, result: orNull(value.TInt), eval: strict1(charLength)},
	{name: "CHARACTER_LENGTH", doc: "CHARACTER_LENGTH(string)", forms: string1, rewrite: as("CHAR_LENGTH")},
	{name: "UPPER", doc: "UPPER(string)", forms: string1, result: likeArg(0), eval: strict1(func(c *Ctx, a value.Value) value.Value { return fold(c, a.Str(), true) })},
	{name: "LOWER", doc: "LOWER(string)", forms: string1, result: likeArg(0), eval: strict1(func(c *Ctx, a value.Value) value.Value { return fold(c, a.Str(), false) })},
	{name: "INITCAP", doc: "INITCAP(string)", forms: string1, result: likeArg(0), eval: strict1(initcap)},
	{name: "SUBSTRING", doc: "SUBSTRING(string FROM integer1 [ FOR integer2 ])", forms: substring, result: cutType, eval: strictN(substr)},
	{name: "SUBSTR", doc: "SUBSTR(string, integer1[, integer2])", forms: substring, result: cutType, eval: strictN(substr)},
	{name: "LEFT", doc: "LEFT(string, integer)", forms: cutForms, result: cutType, eval: strict2(left)},
	{name: "RIGHT", doc: "RIGHT(string, integer)", forms: cutForms, result: cutType, eval: strict2(right)},
	{name: "TRIM", doc: "TRIM([ BOTH | LEADING | TRAILING ] string1 FROM string2)", check: checkTrim, result: trimType, eval: evalTrim},
	{name: "LTRIM", doc: "LTRIM(str[, trimStr])", forms: stringOr2, result: varyingArg0, eval: evalSideTrim(true, false)},
	{name: "RTRIM", doc: "RTRIM(str[, trimStr])", forms: stringOr2, result: varyingArg0, eval: evalSideTrim(false, true)},
	{name: "BTRIM", doc: "BTRIM(str[, trimStr])", check: inferred(params(arg("str", argString)), params(arg("str", argString), arg("trimStr", argString))), result: orNull(value.TString), eval: evalSideTrim(true, true)},
	{name: "LPAD", doc: "LPAD(string1, integer, string2)", forms: padForms, result: orNull(value.TString), eval: strictN(lpad)},
	{name: "RPAD", doc: "RPAD(string1, integer, string2)", forms: padForms, result: orNull(value.TString), eval: strictN(rpad)},
	{name: "REPEAT", doc: "REPEAT(string, int)", forms: cutForms, result: orNull(value.TString), eval: strict2(repeat)},
	{name: "REVERSE", doc: "REVERSE(string)", forms: string1, result: always(value.TString), eval: strict1(reverse)},
	{name: "REPLACE", doc: "REPLACE(string1, string2, string3)", forms: strings3, result: orNull(value.TString), eval: strictN(replace)},
	{name: "TRANSLATE3", doc: "TRANSLATE(expr, fromStr, toStr)", forms: []form{takes(stringLike, stringLike, stringLike)}, result: translateType, eval: lenient(translate)},
	{name: "TRANSLATE", op: &rex.Op{Name: "TRANSLATE"}, doc: "TRANSLATE(expr, fromStr, toStr)", check: checkTranslate, rewrite: as("TRANSLATE3")},
	{name: "OVERLAY", doc: "OVERLAY(string1 PLACING string2 FROM integer1 [ FOR integer2 ])", check: checkSpecial("OVERLAY", takes(stringLike, stringLike, integer), takes(stringLike, stringLike, integer, integer)), result: overlayType, eval: strictN(overlay)},
	{name: "POSITION", doc: "POSITION(string1 IN string2)", check: checkSpecial("POSITION", takes(stringLike, stringLike), takes(stringLike, stringLike, integer)), result: orNull(value.TInt), eval: strictN(position)},
	{name: "LOCATE", doc: "LOCATE(string1, string2[, integer])", forms: []form{takes(character, character), takes(character, character, integer)}, result: orNull(value.TInt), eval: strictN(position)},
	{name: "INSTR", doc: "INSTR(string1, string2[, integer1[, integer2]])", forms: []form{takes(character, character), takes(character, character, integer), takes(character, character, integer, integer)}, result: orNull(value.TInt), eval: strictN(instr)},
	{name: "ASCII", doc: "ASCII(string)", forms: string1, result: orNull(value.TInt), eval: strict1(ascii)},
	{name: "CHR", doc: "CHR(integer)", forms: []form{takes(integer)}, result: always(value.TString), eval: strict1(chr)},
	{name: "ENCODE", doc: "ENCODE(string1, string2)", forms: strings2, result: orNull(value.TBytes), eval: strict2(encode)},
	{name: "DECODE", doc: "DECODE(binary, string)", forms: []form{takes(binary, character)}, result: orNull(value.TString), eval: strict2(decode)},
	{name: "SPLIT_INDEX", doc: "SPLIT_INDEX(string1, string2, integer1)", forms: []form{takes(character, integer, integer), takes(character, character, integer)}, result: always(value.TString), eval: evalSplitIndex},
	{name: "STR_TO_MAP", doc: "STR_TO_MAP(string1[, string2, string3])", forms: []form{takes(character), takes(character, character, character)}, result: always(value.MapType(value.TString, value.TString)), eval: strictN(strToMap)},
	{name: "ELT", doc: "ELT(index, expr[, exprs]*)", check: checkElt, result: eltType, eval: evalElt},
	{name: "STARTSWITH", doc: "STARTSWITH(expr, startExpr)", check: affixCheck("startExpr"), result: orNull(value.TBoolean), eval: strict2(func(_ *Ctx, a, b value.Value) value.Value { return value.Bool(strings.HasPrefix(a.Str(), b.Str())) })},
	{name: "ENDSWITH", doc: "ENDSWITH(expr, endExpr)", check: affixCheck("endExpr"), result: orNull(value.TBoolean), eval: strict2(func(_ *Ctx, a, b value.Value) value.Value { return value.Bool(strings.HasSuffix(a.Str(), b.Str())) })},
	{name: "SPLIT", doc: "SPLIT(string, delimiter)", check: modern2, result: orNull(value.ArrayType(value.TString)), eval: strict2(splitString)},
	{name: "PRINT", doc: "internal: PRINT(string, value)", forms: []form{takes(character, anyType)}, result: likeArg(1), refuse: "it writes to the log of the cluster"},
}

// checkConcat: || takes texts or bytes; its errors show the operator form.
func checkConcat(r *resolution) error {
	for i := range r.args {
		if r.arg(i).Kind == value.KindNull {
			return illegalNull()
		}
	}
	a, b := r.arg(0), r.arg(1)
	if a.IsCharacter() && b.IsCharacter() {
		return nil
	}
	if a.IsBinary() && b.IsBinary() {
		return flinkerr.New(classCodeGen, "String expression type expected.")
	}
	return cannotApply(rex.Concat, r.args, []string{signature(rex.Concat, []string{"STRING", "STRING"}),
		signature(rex.Concat, []string{"EQUIVALENT_TYPE", "EQUIVALENT_TYPE"})})
}

// concatType adds the lengths; only two CHARs give a CHAR.
func concatType(r *resolution) (value.Type, error) {
	a, b := r.arg(0), r.arg(1)
	t := value.VarcharType(addLengths(a.Length, b.Length))
	if a.Kind == value.KindChar && b.Kind == value.KindChar {
		t.Kind = value.KindChar
	}
	return t.WithNullable(r.anyNullable()), nil
}

func addLengths(a, b int) int { return min(a+b, value.MaxLength) }

func overlayType(r *resolution) (value.Type, error) {
	return value.VarcharType(addLengths(r.arg(0).Length, r.arg(1).Length)).WithNullable(r.anyNullable()), nil
}

// cutType is VARCHAR of the argument's length, always nullable.
func cutType(r *resolution) (value.Type, error) {
	return value.VarcharType(r.arg(0).Length), nil
}

func varyingArg0(r *resolution) (value.Type, error) {
	return value.VarcharType(r.arg(0).Length).WithNullable(r.anyNullable()), nil
}

// checkSpecial checks the functions whose errors show their keyword form.
func checkSpecial(name string, forms ...form) func(*resolution) error {
	return func(r *resolution) error {
		if !fitsAnyCount(forms, len(r.args)) {
			return wrongCountOf(name, minCount(forms))
		}
		for _, f := range forms {
			if f.fits(r.args) {
				for i := range r.args {
					if r.arg(i).Kind == value.KindNull {
						return illegalNull()
					}
				}
				return nil
			}
		}
		show := func(ts []string) string {
			if name == "POSITION" {
				s := "POSITION(<" + ts[0] + "> IN <" + ts[1] + ">"
				if len(ts) > 2 {
					s += " FROM <" + ts[2] + ">"
				}
				return s + ")"
			}
			s := "OVERLAY(<" + ts[0] + "> PLACING <" + ts[1] + "> FROM <" + ts[2] + ">"
			if len(ts) > 3 {
				s += " FOR <" + ts[3] + ">"
			}
			return s + ")"
		}
		var texts []string
		for _, f := range forms {
			var names []string
			for _, o := range f.operands {
				names = append(names, o.name)
			}
			texts = append(texts, "'"+show(names)+"'")
		}
		if name == "POSITION" {
			texts = append(texts, "INSTR(<STRING>, <STRING>, <INTEGER>, <INTEGER>)")
		}
		var have []string
		for i := range r.args {
			have = append(have, errorType(r.arg(i)))
		}
		return flinkerr.Validator("Cannot apply '%s' to arguments of type '%s'. Supported form(s): %s", name, show(have), strings.Join(texts, "\n"))
	}
}

// trimArgs are the flag, the characters and the text, however TRIM was called.
func checkTrim(r *resolution) error {
	if len(r.args) == 1 {
		r.args = []rex.Expr{&rex.Flag{Text: "BOTH", T: value.TSymbol}, &rex.Literal{V: value.String(" "), T: value.CharType(1).NotNull()}, r.args[0]}
	}
	if len(r.args) != 3 {
		return wrongCountOf("TRIM", 3)
	}
	a, b := r.arg(1), r.arg(2)
	if a.Kind == value.KindNull || b.Kind == value.KindNull {
		return illegalNull()
	}
	if !a.IsCharacter() || !b.IsCharacter() {
		return flinkerr.Validator("Cannot apply 'TRIM' to arguments of type 'TRIM([BOTH|LEADING|TRAILING] <SYMBOL> FROM <%s>)'. "+
			"Supported form(s): 'TRIM([BOTH|LEADING|TRAILING] <ANY> FROM <STRING>)'", errorType(a))
	}
	return nil
}

func trimType(r *resolution) (value.Type, error) {
	return value.VarcharType(r.arg(2).Length).WithNullable(r.arg(1).Nullable || r.arg(2).Nullable), nil
}

func checkTranslate(r *resolution) error {
	if len(r.args) != 3 {
		fams := make([]string, len(r.args))
		for i := range r.args {
			fams[i] = "<" + FamilyText(r.arg(i)) + ">"
		}
		return flinkerr.Validator("No match found for function signature TRANSLATE3(%s).\nSupported signatures are:\n'TRANSLATE3(<STRING>, <STRING>, <STRING>)'", strings.Join(fams, ", "))
	}
	return nil
}

// translateType depends on the text alone.
func translateType(r *resolution) (value.Type, error) {
	return value.TString.WithNullable(r.arg(0).Nullable), nil
}

func affixCheck(name string) func(*resolution) error {
	return inferred(params(arg("expr", argString), arg(name, argString)), params(arg("expr", argBinary), arg(name, argBinary)))
}

var argIndex = argumentRule{text: "INTEGER_NUMERIC", infer: func(ts []value.Type, i int) (value.Type, bool) { return ts[i], ts[i].IsInteger() }}

// checkElt: the texts (or bytes) keep their types; a literal index must be positive.
func checkElt(r *resolution) error {
	rules := []signatureRule{
		varying(arg("index", argIndex), arg("expr", argString), arg("exprs", argString)),
		varying(arg("index", argIndex), arg("expr", argBinary), arg("exprs", argBinary)),
	}
	if len(r.args) < 2 {
		return noSignature(r, rules)
	}
	if !r.arg(0).IsInteger() {
		return flinkerr.Validation("Index can only be an INTEGER NUMERIC type.")
	}
	if n, ok := intConstant(r.args[0]); ok && n < 0 {
		return flinkerr.Validation("Index must be an integer starting from '0', but was '%d'.", n)
	}
	if err := inferred(rules...)(r); err != nil {
		return flinkerr.Validation("Could not infer arguments in range: [1, null].")
	}
	return nil
}

// intConstant reads an integer literal, with its sign.
func intConstant(e rex.Expr) (int64, bool) {
	if c, ok := e.(*rex.Call); ok && c.Op == rex.UnaryMinus {
		n, ok := intConstant(c.Args[0])
		return -n, ok
	}
	lit, ok := e.(*rex.Literal)
	if !ok || lit.V.IsNull() || !lit.T.IsInteger() {
		return 0, false
	}
	return lit.V.Int(), true
}

func eltType(r *resolution) (value.Type, error) {
	t, ok := commonType(r.types()[1:])
	if !ok {
		return t, flinkerr.Validation("Invalid input arguments.")
	}
	return t.AsNullable(), nil
}

// evalElt: an index that is no INT does not fit Flink's own method.
func evalElt(c *compiler, call *rex.Call) (Eval, error) {
	class := map[value.Kind]string{value.KindTinyInt: "java.lang.Byte", value.KindSmallInt: "java.lang.Short", value.KindBigInt: "java.lang.Long"}[call.Args[0].Type().Kind]
	if class == "" {
		return lenient(elt)(c, call)
	}
	index, err := c.compile(call.Args[0])
	if err != nil {
		return nil, err
	}
	return func(ctx *Ctx, row value.Row) value.Value {
		if index(ctx, row).IsNull() {
			return value.Null
		}
		return ctx.Fail(badClass(class, "java.lang.Integer"))
	}, nil
}

// badClass is Java's error for an object that is not of the wanted class.
func badClass(have, want string) error {
	return flinkerr.Runtime("java.lang.ClassCastException", "class %[1]s cannot be cast to class %[2]s (%[1]s and %[2]s are in module java.base of loader 'bootstrap')", have, want)
}

func elt(_ *Ctx, vs []value.Value) value.Value {
	if vs[0].IsNull() || vs[0].Int() < 1 || vs[0].Int() >= int64(len(vs)) {
		return value.Null
	}
	return vs[vs[0].Int()]
}

func concat(_ *Ctx, vs []value.Value) value.Value {
	var b strings.Builder
	for _, v := range vs {
		b.WriteString(v.Str())
	}
	return value.String(b.String())
}

// concatWs leaves NULLs out, but a NULL separator gives NULL.
func concatWs(_ *Ctx, vs []value.Value) value.Value {
	if vs[0].IsNull() {
		return value.Null
	}
	var parts []string
	for _, v := range vs[1:] {
		if !v.IsNull() {
			parts = append(parts, v.Str())
		}
	}
	return value.String(strings.Join(parts, vs[0].Str()))
}
