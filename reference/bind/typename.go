package bind

import (
	"slices"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// maxTimestampPrecision and maxTimePrecision are the most decimal places of a second; where more
// are written, so many are taken.
const (
	maxTimestampPrecision = 9
	maxTimePrecision      = 3
)

// typeOf turns a written type into a type. Types are nullable unless NOT NULL stood
// behind them.
func typeOf(t sql.TypeName) (value.Type, error) {
	out := value.Type{Nullable: !t.NotNull}
	param := func(i, def int) int {
		if i < len(t.Params) {
			return t.Params[i]
		}
		return def
	}
	switch t.Name {
	case "BOOLEAN":
		out.Kind = value.KindBoolean
	case "TINYINT":
		out.Kind = value.KindTinyInt
	case "SMALLINT":
		out.Kind = value.KindSmallInt
	case "INT", "INTEGER":
		out.Kind = value.KindInt
	case "BIGINT":
		out.Kind = value.KindBigInt
	case "DECIMAL", "DEC", "NUMERIC":
		out.Kind = value.KindDecimal
		// A larger precision is cut at the largest one, as CAST and CREATE TABLE showed.
		out.Precision, out.Scale = min(param(0, 10), 38), param(1, 0)
		if out.Precision < 1 {
			return out, flinkerr.Validation("Decimal precision must be between 1 and 38 (both inclusive).")
		}
		if out.Scale > out.Precision {
			return out, flinkerr.Validation("Decimal scale must be between 0 and the precision %d (both inclusive).", out.Precision)
		}
	case "REAL":
		return out, flinkerr.Table("Type is not supported: REAL")
	case "RAW", "VARIANT", "BITMAP":
		return out, unsupported.New("type %s", t.Name)
	case "FLOAT":
		out.Kind = value.KindFloat
	case "DOUBLE", "DOUBLE PRECISION":
		out.Kind = value.KindDouble
	case "CHAR", "CHARACTER":
		out.Kind = value.KindChar
		out.Length = param(0, 1)
	case "VARCHAR", "CHARACTER VARYING", "CHAR VARYING":
		out.Kind = value.KindVarchar
		out.Length = param(0, 1)
	case "STRING":
		out.Kind = value.KindVarchar
		out.Length = value.MaxLength
	case "BINARY":
		out.Kind = value.KindBinary
		out.Length = param(0, 1)
	case "VARBINARY", "BINARY VARYING":
		out.Kind = value.KindVarbinary
		out.Length = param(0, 1)
	case "BYTES":
		out.Kind = value.KindVarbinary
		out.Length = value.MaxLength
	case "DATE":
		out.Kind = value.KindDate
	case "TIME":
		out.Kind = value.KindTime
		out.Precision = min(param(0, 0), maxTimePrecision)
	case "TIMESTAMP":
		out.Kind = value.KindTimestamp
		out.Precision = min(param(0, 6), maxTimestampPrecision)
	case "TIMESTAMP_LTZ":
		out.Kind = value.KindTimestampLTZ
		out.Precision = min(param(0, 6), maxTimestampPrecision)
	case "INTERVAL":
		it, err := intervalType(t.Unit)
		if err != nil {
			return out, err
		}
		it.Nullable = out.Nullable
		return it, nil
	case "ARRAY", "MULTISET":
		out.Kind = value.KindArray
		if t.Name == "MULTISET" {
			out.Kind = value.KindMultiset
		}
		if len(t.Elems) != 1 {
			return out, unsupported.New("type %s", t.Name)
		}
		e, err := typeOf(t.Elems[0])
		if err != nil {
			return out, err
		}
		out.Elem = &e
	case "MAP":
		out.Kind = value.KindMap
		if len(t.Elems) != 2 {
			return out, unsupported.New("type %s", t.Name)
		}
		k, err := typeOf(t.Elems[0])
		if err != nil {
			return out, err
		}
		v, err := typeOf(t.Elems[1])
		if err != nil {
			return out, err
		}
		out.Key, out.Elem = &k, &v
	case "ROW":
		out.Kind = value.KindRow
		var twice []string
		for i, f := range t.Fields {
			ft, err := typeOf(f.Type)
			if err != nil {
				return out, err
			}
			if slices.ContainsFunc(t.Fields[:i], func(e sql.TypeField) bool { return e.Name.Text == f.Name.Text }) && !slices.Contains(twice, f.Name.Text) {
				twice = append(twice, f.Name.Text)
			}
			out.Fields = append(out.Fields, value.Field{Name: f.Name.Text, Type: ft, Comment: f.Comment})
		}
		switch len(twice) {
		case 0:
		case 1:
			return out, flinkerr.Validation("Field names must be unique. Found duplicates: %s", twice)
		default:
			return out, unsupported.New("ROW with several names twice")
		}
	default:
		return out, flinkerr.Validator("Unknown identifier '%s'", t.Name)
	}
	return out, nil
}

// intervalType is the type of an interval with its unit as written.
func intervalType(u sql.IntervalUnit) (value.Type, error) {
	t := value.Type{Kind: value.KindIntervalDayTime, Unit: u.From}
	from := strings.ToUpper(u.From)
	switch from {
	case "YEAR", "MONTH", "QUARTER":
		t.Kind = value.KindIntervalYearMonth
	case "DAY", "HOUR", "MINUTE", "SECOND", "WEEK":
	default:
		return t, unsupported.New("interval unit %s", u.From)
	}
	if u.To != "" {
		t.Unit += " TO " + u.To
	}
	t.Precision, t.Scale = 2, 6
	if u.Precision > 0 {
		t.Precision = u.Precision
	}
	if u.ToPrecision >= 0 {
		t.Scale = u.ToPrecision
	}
	return t, nil
}

// TypeOf is the type that a declared type name means, or Flink's refusal of it.
func TypeOf(t sql.TypeName) (value.Type, error) { return typeOf(t) }
