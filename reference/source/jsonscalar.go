package source

import (
	"math"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// scalarConverter turns a token that is not null into a value; text is borrowed. The
// token is that of a whole value, or the opening of an object or array.
type scalarConverter func(tok jsonToken, text string) (value.Value, error)

func newJSONScalar(f *jsonFormat, t value.Type) (scalarConverter, error) {
	switch t.Kind {
	case value.KindNull:
		return func(jsonToken, string) (value.Value, error) { return value.Null, nil }, nil
	case value.KindBoolean:
		return func(tok jsonToken, text string) (value.Value, error) {
			if tok == jsonTrue || tok == jsonFalse {
				return value.Bool(tok == jsonTrue), nil
			}
			return value.Bool(strings.EqualFold(trimJava(text), "true")), nil
		}, nil
	case value.KindTinyInt, value.KindSmallInt, value.KindInt, value.KindBigInt:
		return jsonInteger(f, t.Kind), nil
	case value.KindFloat, value.KindDouble:
		bits := 64
		if t.Kind == value.KindFloat {
			bits = 32
		}
		return func(tok jsonToken, text string) (value.Value, error) {
			x, ok := value.ParseJavaDouble(text, bits)
			if !ok {
				return value.Null, value.JavaDoubleError(strings.Clone(text))
			}
			if bits == 32 {
				if f.tree && tok == jsonFloat && !f.decimals {
					// Read as a DOUBLE first.
					x, _ = value.ParseJavaDouble(text, 64)
				}
				return value.Float(float32(x)), nil
			}
			return value.Double(x), nil
		}, nil
	case value.KindDecimal:
		return func(tok jsonToken, text string) (value.Value, error) {
			switch tok {
			case jsonString:
				if !f.tree {
					text = trimJava(text)
				}
			case jsonInt, jsonFloat:
			default:
				if !f.tree {
					return value.Null, flinkJSONError("not a number")
				}
			}
			return value.ParseBigDecimal(strings.Clone(text), t.Precision, t.Scale)
		}, nil
	case value.KindBinary, value.KindVarbinary:
		return func(tok jsonToken, text string) (value.Value, error) {
			if tok != jsonString {
				if f.tree {
					return value.Null, nil
				}
				return value.Null, flinkJSONError("not a text")
			}
			b, err := decodeBase64(strings.Clone(text))
			if err != nil && f.ignoreErrors && !f.tree && !plainASCII(text) {
				// Jackson stops in the middle of the text, and what follows is read from there.
				return value.Null, unsupported.New("a BYTES field that is not in base64, with ignore-parse-errors")
			}
			return value.Bytes(b), err
		}, nil
	case value.KindDate:
		return func(_ jsonToken, text string) (value.Value, error) {
			d, err := value.ParseISODate(strings.Clone(text))
			return value.Int(d), err
		}, nil
	case value.KindTime:
		return func(_ jsonToken, text string) (value.Value, error) {
			n, err := value.ParseSQLTime(strings.Clone(text))
			return value.Int(n / 1e6), err
		}, nil
	case value.KindTimestamp, value.KindTimestampLTZ:
		form := f.time
		form.Z = t.Kind == value.KindTimestampLTZ
		return func(_ jsonToken, text string) (value.Value, error) {
			ms, nanos, err := value.ParseFormatTimestamp(strings.Clone(text), form)
			return value.Timestamp(ms, nanos), err
		}, nil
	}
	return nil, unsupported.New("reading the type %s from json", t)
}

func jsonInteger(f *jsonFormat, k value.Kind) scalarConverter {
	lo, hi := integerRange(k)
	wide := k == value.KindInt || k == value.KindBigInt
	return func(tok jsonToken, text string) (value.Value, error) {
		if tok == jsonFloat && wide {
			// The number is cut; beyond the range it is refused.
			x, err := strconv.ParseFloat(text, 64)
			if err != nil && math.IsInf(x, 0) || x < float64(lo) || x > float64(hi) {
				return value.Null, flinkerr.Runtime("java.lang.NumberFormatException", "For input string: \"%s\"", strings.Clone(text))
			}
			return value.Int(value.FloatToInteger(k, x)), nil
		}
		n, err := parseJavaInteger(strings.Clone(text), k, lo, hi)
		return value.Int(n), err
	}
}

// plainASCII tells texts without backslashes and characters beyond ASCII.
func plainASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 || s[i] == '\\' {
			return false
		}
	}
	return true
}
