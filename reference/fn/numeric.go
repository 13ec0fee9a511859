package fn

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

const (
	notDeterministic = "its results differ from run to run"
	classCodeGen     = "org.apache.flink.table.planner.codegen.CodeGenException"
)

var (
	number1     = []form{takes(numeric)}
	number2     = []form{takes(numeric, numeric)}
	roundForms  = []form{takes(numeric, integer), takes(numeric)}
	doubleOrNil = orNull(value.TDouble)
	isForms     = []form{takes(character), takes(numeric)}
)

var numericFunctions = []function{
	{name: "E", doc: "E()", check: checkNiladic, result: never(value.TDouble), eval: evalConstant(math.E)},
	{name: "PI", doc: "PI()", check: checkNiladic, result: never(value.TDouble), eval: evalConstant(math.Pi)},
	{name: "EXP", doc: "EXP(numeric)", forms: number1, result: doubleOrNil, eval: evalMath(javaExp)},
	{name: "LN", doc: "LN(numeric)", forms: number1, result: doubleOrNil, eval: evalMath(javaLog)},
	{name: "LOG", doc: "LOG(numeric2), LOG(numeric1, numeric2)", forms: []form{takes(numeric), takes(numeric, numeric)}, result: doubleOrNil, eval: evalLog},
	{name: "LOG2", doc: "LOG2(numeric)", forms: number1, result: doubleOrNil, eval: evalMath(log2)},
	{name: "LOG10", doc: "LOG10(numeric)", forms: number1, result: doubleOrNil, eval: evalMath(javaLog10)},
	{name: "POWER", op: rex.Power, doc: "POWER(numeric1, numeric2)", forms: number2, result: doubleOrNil, eval: evalMath2(javaPow)},
	{name: "SQRT", doc: "SQRT(numeric)", forms: number1, rewrite: asPowerHalf},
	{name: "SIN", doc: "SIN(numeric)", forms: number1, result: doubleOrNil, eval: evalMath(javaSin)},
	{name: "COS", doc: "COS(numeric)", forms: number1, result: doubleOrNil, eval: evalMath(javaCos)},
	{name: "TAN", doc: "TAN(numeric)", forms: number1, result: doubleOrNil, eval: evalMath(javaTan)},
	{name: "COT", doc: "COT(numeric)", forms: number1, result: doubleOrNil, eval: evalMath(func(x float64) (float64, bool) {
		t, ok := javaTan(x)
		return 1 / t, ok
	})},
	{name: "ASIN", doc: "ASIN(numeric)", forms: number1, result: doubleOrNil, eval: evalMath(certain(javaAsin))},
	{name: "ACOS", doc: "ACOS(numeric)", forms: number1, result: doubleOrNil, eval: evalMath(certain(javaAcos))},
	{name: "ATAN", doc: "ATAN(numeric)", forms: number1, result: doubleOrNil, eval: evalMath(certain(javaAtan))},
	{name: "ATAN2", doc: "ATAN2(numeric1, numeric2)", forms: number2, result: doubleOrNil, eval: evalAtan2},
	{name: "SINH", doc: "SINH(numeric)", forms: number1, result: doubleOrNil, eval: evalMath(certain(javaSinh))},
	{name: "COSH", doc: "COSH(numeric)", forms: number1, result: doubleOrNil, eval: evalMath(certain(javaCosh))},
	{name: "TANH", doc: "TANH(numeric)", forms: number1, result: doubleOrNil, eval: evalMath(certain(javaTanh))},
	{name: "DEGREES", doc: "DEGREES(numeric)", forms: number1, result: doubleOrNil, eval: evalMath(certain(func(x float64) float64 { return x * 57.29577951308232 }))},
	{name: "RADIANS", doc: "RADIANS(numeric)", forms: number1, result: doubleOrNil, eval: evalMath(certain(func(x float64) float64 { return x * 0.017453292519943295 }))},
	{name: "ABS", doc: "ABS(numeric)", forms: signForms, result: likeArg(0), eval: evalAbs},
	{name: "SIGN", doc: "SIGN(numeric)", forms: number1, result: likeArg(0), eval: evalSign},
	{name: "ROUND", doc: "ROUND(numeric, INT)", forms: roundForms, result: roundType, eval: evalRound},
	{name: "TRUNCATE", doc: "TRUNCATE(numeric1, integer2)", forms: roundForms, result: roundType, eval: evalTruncate},
	{name: "BIN", doc: "BIN(INT)", forms: []form{takes(integer)}, result: orNull(value.TString), eval: strict1(func(_ *Ctx, a value.Value) value.Value {
		return value.String(strconv.FormatUint(uint64(a.Int()), 2))
	})},
	{name: "HEX", doc: "HEX(numeric), HEX(string)", forms: []form{takes(integer), takes(character)}, result: orNull(value.TString), eval: evalHex},
	{name: "UNHEX", doc: "UNHEX(expr)", check: inferred(params(arg("expr", argString))), result: always(value.TBytes), eval: strict1(unhex)},
	{name: "IS_DECIMAL", doc: "internal: IS_DECIMAL(string or number)", forms: isForms, result: never(value.TBoolean), eval: evalIsText(isDecimalText, value.Type.IsNumeric)},
	{name: "IS_DIGIT", doc: "internal: IS_DIGIT(string or number)", forms: isForms, result: never(value.TBoolean), eval: evalIsText(isDigitText, value.Type.IsInteger)},
	{name: "IS_ALPHA", doc: "internal: IS_ALPHA(string or number)", forms: isForms, result: never(value.TBoolean), eval: evalIsText(isAlphaText, func(value.Type) bool { return false })},
	{name: "RAND", doc: "RAND(), RAND(INT)", forms: []form{takes(), takes(numeric)}, result: orNull(value.TDouble), refuse: notDeterministic},
	{name: "RAND_INTEGER", doc: "RAND_INTEGER(INT), RAND_INTEGER(INT1, INT2)", forms: []form{takes(numeric), takes(numeric, numeric)}, result: orNull(value.TInt), refuse: notDeterministic},
	{name: "UUID", doc: "UUID()", forms: []form{takes()}, result: never(value.CharType(36)), refuse: notDeterministic},
}

// checkNiladic is for functions whose name with arguments Flink does not find at all.
func checkNiladic(r *resolution) error {
	if len(r.args) > 0 {
		return NoMatch(r.name, r.args)
	}
	return nil
}

func evalConstant(f float64) builder {
	return func(*compiler, *rex.Call) (Eval, error) { return constant(value.Double(f)), nil }
}

// uncertain refuses a result whose last digit is not known.
func uncertain(c *Ctx, f float64) value.Value {
	return c.Fail(unsupported.New("the last digit of a DOUBLE function near %s", strconv.FormatFloat(f, 'g', -1, 64)))
}

func evalMath(f mathFunction) builder {
	return func(c *compiler, call *rex.Call) (Eval, error) {
		read := toFloat(call.Args[0].Type())
		return strict1(func(c *Ctx, a value.Value) value.Value {
			r, ok := f(read(a))
			if !ok {
				return uncertain(c, r)
			}
			return value.Double(r)
		})(c, call)
	}
}

func evalMath2(f func(a, b float64) (float64, bool)) builder {
	return func(c *compiler, call *rex.Call) (Eval, error) {
		fa, fb := toFloat(call.Args[0].Type()), toFloat(call.Args[1].Type())
		return strict2(func(c *Ctx, a, b value.Value) value.Value {
			r, ok := f(fa(a), fb(b))
			if !ok {
				return uncertain(c, r)
			}
			return value.Double(r)
		})(c, call)
	}
}

// log2 and LOG with a base are quotients of natural logarithms, so LOG(10, 1000) is not quite 3.
func log2(x float64) (float64, bool) {
	l, ok := javaLog(x)
	return l / math.Ln2, ok
}

func evalLog(c *compiler, call *rex.Call) (Eval, error) {
	if len(call.Args) == 1 {
		return evalMath(javaLog)(c, call)
	}
	return evalMath2(func(base, x float64) (float64, bool) {
		lx, ok1 := javaLog(x)
		lb, ok2 := javaLog(base)
		return lx / lb, ok1 && ok2
	})(c, call)
}

// evalAtan2: Flink has no code for a DECIMAL beside another type.
func evalAtan2(c *compiler, call *rex.Call) (Eval, error) {
	a, b := call.Args[0].Type(), call.Args[1].Type()
	if (a.Kind == value.KindDecimal) != (b.Kind == value.KindDecimal) {
		return nil, unsupportedCall(call)
	}
	return evalMath2(func(y, x float64) (float64, bool) { return javaAtan2(y, x), true })(c, call)
}

// unsupportedCall is Flink's own refusal of a call for whose types it has no code.
func unsupportedCall(call *rex.Call) error {
	s := call.Op.Name + "("
	for i, a := range call.Args {
		if i > 0 {
			s += ", "
		}
		s += a.Type().String()
	}
	return flinkerr.New(classCodeGen, "%s", "Unsupported call: "+s+") \nIf you think this function should be supported, you can create an issue and start a discussion for it.")
}

// asPowerHalf: plans show SQRT(x) as POWER(x, 0.5).
func asPowerHalf(r *resolution) (rex.Expr, error) {
	half := &rex.Literal{V: value.Decimal(value.DecOf(5)), T: value.DecimalType(2, 1).NotNull()}
	return r.table.resolve(r.ctx, "POWER", []rex.Expr{r.args[0], half})
}

func evalAbs(c *compiler, call *rex.Call) (Eval, error) {
	t := call.Args[0].Type()
	return strict1(func(_ *Ctx, a value.Value) value.Value {
		switch t.Kind {
		case value.KindDecimal:
			return value.Decimal(a.Dec().Abs())
		case value.KindDouble:
			return value.Double(math.Abs(a.Double()))
		case value.KindFloat:
			return value.Float(float32(math.Abs(float64(a.Float()))))
		}
		if n := a.Int(); n < 0 {
			return value.Int(wrapInt(t.Kind, -n))
		}
		return a
	})(c, call)
}

// evalSign: Flink's code for TINYINT and SMALLINT does not compile.
func evalSign(c *compiler, call *rex.Call) (Eval, error) {
	t := call.Args[0].Type()
	if t.Kind == value.KindTinyInt || t.Kind == value.KindSmallInt {
		return nil, unsupported.New("SIGN of %s (Flink fails to compile its own code)", t.Kind)
	}
	return strict1(func(_ *Ctx, a value.Value) value.Value {
		switch t.Kind {
		case value.KindDecimal:
			return signOfDecimal(a, t)
		case value.KindDouble:
			return value.Double(signum(a.Double()))
		case value.KindFloat:
			return value.Float(float32(signum(float64(a.Float()))))
		}
		switch n := a.Int(); {
		case n > 0:
			return value.Int(1)
		case n < 0:
			return value.Int(-1)
		}
		return a
	})(c, call)
}

// signOfDecimal: up to 18 digits Flink does not look whether 1 fits into the type.
func signOfDecimal(a value.Value, t value.Type) value.Value {
	if t.Precision > 18 && t.Precision == t.Scale && a.Dec().Sign() != 0 {
		return value.Null
	}
	return value.Decimal(decOfBig(new(big.Int).Mul(big.NewInt(int64(a.Dec().Sign())), bigPow10(t.Scale))))
}

// signum keeps NaN and both zeros.
func signum(f float64) float64 {
	if f > 0 {
		return 1
	}
	if f < 0 {
		return -1
	}
	return f
}

func evalHex(c *compiler, call *rex.Call) (Eval, error) {
	if call.Args[0].Type().IsInteger() {
		return strict1(func(_ *Ctx, a value.Value) value.Value {
			return value.String(strings.ToUpper(strconv.FormatUint(uint64(a.Int()), 16)))
		})(c, call)
	}
	return strict1(func(_ *Ctx, a value.Value) value.Value {
		return value.String(strings.ToUpper(hex.EncodeToString([]byte(a.Str()))))
	})(c, call)
}

// unhex reads pairs of digits from the end. An odd first digit must be one, but is
// lost: Flink leaves its byte 0. Anything else gives NULL.
func unhex(_ *Ctx, a value.Value) value.Value {
	s := a.Str()
	out := make([]byte, (len(s)+1)/2)
	if len(s)%2 == 1 {
		if hexValue(rune(s[0])) < 0 {
			return value.Null
		}
		s = "00" + s[1:]
	}
	b, err := hex.DecodeString(s)
	if err != nil {
		return value.Null
	}
	copy(out, b)
	return value.Bytes(out)
}

// evalIsText tests texts by their characters, a NULL text fails. Numbers pass by
// their type alone, a NULL too; DECIMALs never do.
func evalIsText(text func(string) bool, number func(value.Type) bool) builder {
	return func(c *compiler, call *rex.Call) (Eval, error) {
		t := call.Args[0].Type()
		x, err := c.compile(call.Args[0])
		if err != nil {
			return nil, err
		}
		return func(ctx *Ctx, row value.Row) value.Value {
			v := x(ctx, row)
			if !t.IsCharacter() {
				return value.Bool(t.Kind != value.KindDecimal && number(t))
			}
			return value.Bool(!v.IsNull() && v.Str() != "" && text(v.Str()))
		}, nil
	}
}

func isDecimalText(s string) bool {
	_, ok := value.ParseJavaDouble(s, 64)
	return ok
}

func isDigitText(s string) bool {
	for _, r := range s {
		if !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}

func isAlphaText(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}
