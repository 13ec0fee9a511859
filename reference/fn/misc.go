package fn

import (
	"fmt"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

const notComputed = "its values are not computed here"

// functions that are known by name, of which TYPEOF is computed.
var otherFunctions = []function{
	{name: "TYPEOF", doc: "TYPEOF(input[, force_serializable])", check: checkTypeOf, result: always(value.TString), eval: evalTypeOf},
	{name: "CURRENT_DATABASE", doc: "CURRENT_DATABASE()", forms: []form{takes()}, result: never(value.TString), eval: evalCurrentDatabase},
	{name: "PARSE_JSON", doc: "PARSE_JSON(json_string[, allow_duplicate_keys])", forms: variadic, refuse: "the type VARIANT"},
	{name: "TRY_PARSE_JSON", doc: "TRY_PARSE_JSON(json_string[, allow_duplicate_keys])", forms: variadic, refuse: "the type VARIANT"},
	{name: "OBJECT_OF", doc: "OBJECT_OF(className, [key, value [, key, value , ...]])", forms: variadic, refuse: "structured types"},
	{name: "OBJECT_UPDATE", doc: "OBJECT_UPDATE(object, [key, value, ...])", forms: variadic, refuse: "structured types"},
	{name: "BITMAP_BUILD", doc: "BITMAP_BUILD(array)", forms: variadic, refuse: notComputed},
	{name: "BITMAP_AND", doc: "BITMAP_AND(bitmap1, bitmap2)", forms: variadic, refuse: notComputed},
	{name: "BITMAP_ANDNOT", doc: "BITMAP_ANDNOT(bitmap1, bitmap2)", forms: variadic, refuse: notComputed},
	{name: "BITMAP_OR", doc: "BITMAP_OR(bitmap1, bitmap2)", forms: variadic, refuse: notComputed},
	{name: "BITMAP_XOR", doc: "BITMAP_XOR(bitmap1, bitmap2)", forms: variadic, refuse: notComputed},
	{name: "BITMAP_CARDINALITY", doc: "BITMAP_CARDINALITY(bitmap)", forms: variadic, refuse: notComputed},
	{name: "BITMAP_FROM_BYTES", doc: "BITMAP_FROM_BYTES(bytes)", forms: variadic, refuse: notComputed},
	{name: "BITMAP_TO_ARRAY", doc: "BITMAP_TO_ARRAY(bitmap)", forms: variadic, refuse: notComputed},
	{name: "BITMAP_TO_BYTES", doc: "BITMAP_TO_BYTES(bitmap)", forms: variadic, refuse: notComputed},
	{name: "BITMAP_TO_STRING", doc: "BITMAP_TO_STRING(bitmap)", forms: variadic, refuse: notComputed},
	{name: "SOURCE_WATERMARK", doc: "SOURCE_WATERMARK()", forms: variadic, refuse: "sources that give watermarks"},
	{name: "ML_PREDICT", doc: "ML_PREDICT(..)", forms: variadic, refuse: "models"},
}

// variadic forms accept whatever comes: the functions are refused in any case.
var variadic = []form{takesMany(0, anyType)}

func checkTypeOf(r *resolution) error {
	if len(r.args) != 1 && len(r.args) != 2 {
		return noSignature(r, []signatureRule{params(arg("input", argAny)),
			params(arg("input", argAny), arg("force_serializable", argumentRule{text: "[<BOOLEAN> & <LITERAL NOT NULL>]"}))})
	}
	if r.arg(0).IsProctime() {
		return flinkerr.New(classCodeGen, "Mismatch of function's argument data type 'TIMESTAMP_LTZ(3) NOT NULL' and actual argument type 'TIMESTAMP_LTZ(3)'.")
	}
	if len(r.args) == 2 {
		if lit, ok := r.args[1].(*rex.Literal); !ok || lit.T.Kind != value.KindBoolean {
			return flinkerr.Validation("Invalid input arguments.")
		}
	}
	return nil
}

func evalCurrentDatabase(c *compiler, _ *rex.Call) (Eval, error) {
	if c.env.Database == "" {
		return nil, unsupported.New("function CURRENT_DATABASE")
	}
	return constant(value.String(c.env.Database)), nil
}

// evalTypeOf gives the type as a summary, or as SQL can read it.
func evalTypeOf(_ *compiler, call *rex.Call) (Eval, error) {
	t := call.Args[0].Type()
	if t.IsProctime() {
		return nil, flinkerr.New(classCodeGen, "Mismatch of function's argument data type 'TIMESTAMP_LTZ(3) NOT NULL' and actual argument type 'TIMESTAMP_LTZ(3)'.")
	}
	if len(call.Args) == 2 && call.Args[1].(*rex.Literal).V.Bool() {
		text, err := serializable(t)
		return constant(value.String(text)), err
	}
	return constant(value.String(shortIntervals(t).String())), nil
}

// shortIntervals writes an interval as Flink's own types do, without its unit.
func shortIntervals(t value.Type) value.Type {
	switch t.Kind {
	case value.KindIntervalDayTime:
		t.Unit, t.Scale = "SECOND", 3
	case value.KindIntervalYearMonth:
		t.Unit = "MONTH"
	}
	return t
}

// serializable is the type as SQL reads it back.
func serializable(t value.Type) (string, error) {
	null := ""
	if !t.Nullable {
		null = " NOT NULL"
	}
	switch t.Kind {
	case value.KindVarchar:
		return fmt.Sprintf("VARCHAR(%d)%s", t.Length, null), nil
	case value.KindVarbinary:
		return fmt.Sprintf("VARBINARY(%d)%s", t.Length, null), nil
	case value.KindTimestampLTZ:
		return fmt.Sprintf("TIMESTAMP(%d) WITH LOCAL TIME ZONE%s", t.Precision, null), nil
	case value.KindRow, value.KindArray, value.KindMap, value.KindMultiset, value.KindNull, value.KindIntervalDayTime, value.KindIntervalYearMonth:
		return "", unsupported.New("TYPEOF(.., TRUE) of %s", t)
	}
	return t.WithoutTime().String(), nil
}
