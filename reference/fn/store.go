package fn

import "github.com/labgrade/labgrade/value"

// Store guards a projected expression whose type says NOT NULL but which yields NULL: a
// csv null literal in a NOT NULL column does that. Flink's generated code writes the
// result of such an expression without looking at its null flag, so that the default of
// the generated variable appears: -1, FALSE, an empty string. Decimals, timestamps and
// nested values are objects, which stay NULL.
func Store(e Eval, t value.Type) Eval {
	if t.Nullable {
		return e
	}
	var d value.Value
	switch t.Kind {
	case value.KindTinyInt, value.KindSmallInt, value.KindInt, value.KindBigInt, value.KindDate, value.KindTime:
		d = value.Int(-1)
	case value.KindFloat:
		d = value.Float(-1)
	case value.KindDouble:
		d = value.Double(-1)
	case value.KindBoolean:
		d = value.Bool(false)
	case value.KindChar, value.KindVarchar:
		d = value.String("")
	default:
		return e
	}
	return func(c *Ctx, row value.Row) value.Value {
		v := e(c, row)
		if v.IsNull() && c.Err == nil {
			return d
		}
		return v
	}
}
