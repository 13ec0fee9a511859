package checks

import "github.com/labgrade/labgrade/value"

// appendSinkField appends a value as the CSV format writes it, without quotes: NULL is
// an empty field, BOOLEAN is in small letters, DECIMAL loses its trailing zeros.
func appendSinkField(dst []byte, t *value.Type, v value.Value) []byte {
	if v.IsNull() {
		return dst
	}
	switch t.Kind {
	case value.KindBoolean:
		if v.Bool() {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	}
	return value.AppendCell(dst, t, v, nil)
}
