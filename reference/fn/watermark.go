package fn

import (
	"math"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// watermarkFunctions read the watermark of the operator that evaluates them, see Ctx.Watermark.
var watermarkFunctions = []function{
	{name: "CURRENT_WATERMARK", op: &rex.Op{Name: "CURRENT_WATERMARK", NonDeterministic: true}, doc: "CURRENT_WATERMARK(rowtime)",
		check: checkCurrentWatermark, result: currentWatermarkType, eval: evalCurrentWatermark},
}

// checkCurrentWatermark: the argument is a rowtime attribute, which no column is in batch mode.
func checkCurrentWatermark(r *resolution) error {
	if len(r.args) != 1 {
		return noSignature(r, []signatureRule{params(arg("", argumentRule{text: "TIMESTAMP_WITHOUT_TIME_ZONE *ROWTIME*"})),
			params(arg("", argumentRule{text: "TIMESTAMP_WITH_LOCAL_TIME_ZONE *ROWTIME*"}))})
	}
	t := r.arg(0)
	if t.Kind != value.KindTimestamp && t.Kind != value.KindTimestampLTZ {
		return flinkerr.Validation("CURRENT_WATERMARK() must be called with a single rowtime attribute argument, but '%s' cannot be a time attribute.", t)
	}
	if !isRowtime(r.args[0]) {
		return flinkerr.Validation("The argument of CURRENT_WATERMARK() must be a rowtime attribute, but was '%s'.", t)
	}
	return nil
}

// isRowtime: a rowtime attribute that an interval is added to is one still, to the eye of the validator.
func isRowtime(e rex.Expr) bool {
	if c, ok := e.(*rex.Call); ok && (c.Op.Name == "+" || c.Op.Name == "-") && len(c.Args) == 2 && c.T.IsTimestamp() {
		return isRowtime(c.Args[0]) || isRowtime(c.Args[1])
	}
	return e.Type().Time == value.Rowtime
}

func currentWatermarkType(r *resolution) (value.Type, error) {
	t := r.arg(0).WithoutTime()
	t.Precision = 3
	return t.AsNullable(), nil
}

// evalCurrentWatermark is NULL until a watermark has come.
func evalCurrentWatermark(*compiler, *rex.Call) (Eval, error) {
	return func(c *Ctx, _ value.Row) value.Value {
		if c.Watermark == math.MinInt64 {
			return value.Null
		}
		return value.Timestamp(c.Watermark, 0)
	}, nil
}

// ReadsWatermark tells that an expression has CURRENT_WATERMARK in it.
func ReadsWatermark(es ...rex.Expr) bool {
	found := false
	for _, e := range es {
		if e == nil {
			continue
		}
		rex.Walk(e, func(x rex.Expr) bool {
			c, ok := x.(*rex.Call)
			found = found || ok && c.Op.Name == "CURRENT_WATERMARK"
			return !found
		})
	}
	return found
}
