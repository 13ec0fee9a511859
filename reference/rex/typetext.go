package rex

import (
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/value"
)

// Charset is how Calcite writes the character set of every Flink string.
const Charset = `CHARACTER SET "UTF-16LE"`

// TypeText is a type as Calcite prints it in plans. With detail it is the full
// type string of digests (character sets and NOT NULL); without, the short form
// that stands in a rowType=[...]. Time attributes print as
// TIMESTAMP(3) *ROWTIME* and TIMESTAMP_LTZ(3) *PROCTIME* in both.
func TypeText(t value.Type, detail bool) string {
	s := typeBody(t, detail)
	if detail && !t.Nullable && t.Kind != value.KindNull {
		s += " NOT NULL"
	}
	return s
}

func typeBody(t value.Type, detail bool) string {
	switch t.Kind {
	case value.KindNull:
		return "NULL"
	case value.KindBoolean:
		return "BOOLEAN"
	case value.KindTinyInt:
		return "TINYINT"
	case value.KindSmallInt:
		return "SMALLINT"
	case value.KindInt:
		return "INTEGER"
	case value.KindBigInt:
		return "BIGINT"
	case value.KindDecimal:
		return "DECIMAL(" + strconv.Itoa(t.Precision) + ", " + strconv.Itoa(t.Scale) + ")"
	case value.KindFloat:
		return "FLOAT"
	case value.KindDouble:
		return "DOUBLE"
	case value.KindChar:
		return charType("CHAR", t, detail)
	case value.KindVarchar:
		return charType("VARCHAR", t, detail)
	case value.KindBinary:
		return "BINARY(" + strconv.Itoa(t.Length) + ")"
	case value.KindVarbinary:
		return "VARBINARY(" + strconv.Itoa(t.Length) + ")"
	case value.KindDate:
		return "DATE"
	case value.KindTime:
		return "TIME(" + strconv.Itoa(t.Precision) + ")"
	case value.KindTimestamp:
		return "TIMESTAMP(" + strconv.Itoa(t.Precision) + ")" + timeAttribute(t)
	case value.KindTimestampLTZ:
		if t.Time != value.NoTimeAttribute {
			return "TIMESTAMP_LTZ(" + strconv.Itoa(t.Precision) + ")" + timeAttribute(t)
		}
		return "TIMESTAMP_WITH_LOCAL_TIME_ZONE(" + strconv.Itoa(t.Precision) + ")"
	case value.KindIntervalYearMonth, value.KindIntervalDayTime:
		return "INTERVAL " + t.Unit
	case value.KindArray:
		return elemText(t.Elem, detail) + " ARRAY"
	case value.KindMultiset:
		return elemText(t.Elem, detail) + " MULTISET"
	case value.KindMap:
		return "(" + elemText(t.Key, detail) + ", " + elemText(t.Elem, detail) + ") MAP"
	case value.KindRow:
		return rowBody(t, detail)
	case value.KindSymbol:
		return "SYMBOL"
	case value.KindDescriptor:
		return "COLUMN_LIST"
	}
	return "RAW"
}

// elemText prints a nested type: NOT NULL is told there even in the short form
// only when detail is asked for.
func elemText(t *value.Type, detail bool) string {
	if t == nil {
		return "NULL"
	}
	return TypeText(*t, detail)
}

func charType(name string, t value.Type, detail bool) string {
	s := name + "(" + strconv.Itoa(t.Length) + ")"
	if detail {
		s += " " + Charset
	}
	return s
}

func timeAttribute(t value.Type) string {
	switch t.Time {
	case value.Rowtime:
		return " *ROWTIME*"
	case value.Proctime:
		return " *PROCTIME*"
	}
	return ""
}

func rowBody(t value.Type, detail bool) string {
	var b strings.Builder
	// ROW columns and casts to ROW are of the struct kind PEEK_FIELDS_NO_EXPAND.
	b.WriteString("RecordType:peek_no_expand(")
	writeFields(&b, t.Fields, detail)
	b.WriteString(")")
	return b.String()
}

// RecordText is RecordType(...) of a whole row, as in rowType=[...].
func RecordText(fields []value.Field, detail bool) string {
	var b strings.Builder
	b.WriteString("RecordType(")
	writeFields(&b, fields, detail)
	b.WriteString(")")
	return b.String()
}

func writeFields(b *strings.Builder, fields []value.Field, detail bool) {
	for i, f := range fields {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(TypeText(f.Type, detail))
		b.WriteByte(' ')
		b.WriteString(f.Name)
	}
}
