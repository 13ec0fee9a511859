package value

import (
	"strconv"
	"strings"
)

// String is Flink's summary form, as DESCRIBE, TYPEOF and error texts print it:
// "INT NOT NULL", "STRING", "TIMESTAMP(3) *ROWTIME*", "ROW<`a` INT>".
func (t Type) String() string {
	var b strings.Builder
	t.writeFlink(&b, false)
	return b.String()
}

// Serializable is the form that can be parsed again, as SHOW CREATE TABLE prints
// it: STRING is VARCHAR(2147483647), TIMESTAMP_LTZ(3) is TIMESTAMP(3) WITH LOCAL TIME ZONE.
func (t Type) Serializable() string {
	var b strings.Builder
	t.writeFlink(&b, true)
	return b.String()
}

func (t Type) writeFlink(b *strings.Builder, serializable bool) {
	switch t.Kind {
	case KindVarchar, KindVarbinary:
		if t.Length == MaxLength && !serializable {
			if t.Kind == KindVarchar {
				b.WriteString("STRING")
			} else {
				b.WriteString("BYTES")
			}
		} else {
			b.WriteString(t.Kind.String() + "(" + strconv.Itoa(t.Length) + ")")
		}
	case KindTimestampLTZ:
		if serializable {
			b.WriteString("TIMESTAMP(" + strconv.Itoa(t.Precision) + ") WITH LOCAL TIME ZONE")
		} else {
			b.WriteString("TIMESTAMP_LTZ(" + strconv.Itoa(t.Precision) + ")")
		}
	case KindIntervalYearMonth, KindIntervalDayTime:
		b.WriteString(t.intervalText())
	case KindArray, KindMultiset:
		b.WriteString(t.Kind.String() + "<")
		t.Elem.writeFlink(b, serializable)
		b.WriteByte('>')
	case KindMap:
		b.WriteString("MAP<")
		t.Key.writeFlink(b, serializable)
		b.WriteString(", ")
		t.Elem.writeFlink(b, serializable)
		b.WriteByte('>')
	case KindRow:
		b.WriteString("ROW<")
		for i, f := range t.Fields {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString("`" + strings.ReplaceAll(f.Name, "`", "``") + "` ")
			f.Type.writeFlink(b, serializable)
			if f.Comment != "" {
				b.WriteString(" '" + strings.ReplaceAll(f.Comment, "'", "''") + "'")
			}
		}
		b.WriteByte('>')
	case KindRaw:
		b.WriteString("RAW('" + t.Unit + "', '...')")
	case KindDecimal, KindChar, KindBinary, KindTime, KindTimestamp:
		b.WriteString(t.Kind.String())
		t.writeParameters(b)
	default:
		b.WriteString(t.Kind.String())
	}
	if !t.Nullable && t.Kind != KindNull {
		b.WriteString(" NOT NULL")
	}
	if !serializable {
		b.WriteString(t.timeMark())
	}
}

func (t Type) timeMark() string {
	switch t.Time {
	case Rowtime:
		return " *ROWTIME*"
	case Proctime:
		return " *PROCTIME*"
	}
	return ""
}

func (t Type) writeParameters(b *strings.Builder) {
	switch t.Kind {
	case KindDecimal:
		b.WriteString("(" + strconv.Itoa(t.Precision) + ", " + strconv.Itoa(t.Scale) + ")")
	case KindChar, KindVarchar, KindBinary, KindVarbinary:
		b.WriteString("(" + strconv.Itoa(t.Length) + ")")
	case KindTime, KindTimestamp, KindTimestampLTZ:
		b.WriteString("(" + strconv.Itoa(t.Precision) + ")")
	}
}

// intervalText is Flink's text of an interval: the leading digits in brackets
// after YEAR and DAY, the fraction digits after SECOND.
func (t Type) intervalText() string {
	lead, frac := "("+strconv.Itoa(t.Precision)+")", "("+strconv.Itoa(t.Scale)+")"
	parts := strings.Split(t.Unit, " TO ")
	for i, p := range parts {
		switch {
		case i == 0 && (p == "YEAR" || p == "DAY"):
			parts[i] = p + lead
		case p == "SECOND":
			parts[i] = p + frac
		}
	}
	return "INTERVAL " + strings.Join(parts, " TO ")
}

// String is the name of the root as Flink's type texts begin.
func (k Kind) String() string {
	return [...]string{"NULL", "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL", "FLOAT", "DOUBLE",
		"CHAR", "VARCHAR", "BINARY", "VARBINARY", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ",
		"INTERVAL", "INTERVAL", "ARRAY", "MAP", "MULTISET", "ROW", "RAW", "SYMBOL", "DESCRIPTOR"}[k]
}

// Calcite is Calcite's short form, without nullability and character set, as plans
// print it: "INTEGER", "VARCHAR(2147483647)", "RecordType(INTEGER a)".
func (t Type) Calcite() string {
	var b strings.Builder
	t.writeCalcite(&b, false)
	return b.String()
}

// CalciteFull is Calcite's full form with character set and nullability:
// `VARCHAR(2147483647) CHARACTER SET "UTF-16LE" NOT NULL`.
func (t Type) CalciteFull() string {
	var b strings.Builder
	t.writeCalcite(&b, true)
	return b.String()
}

// CalciteCharset is the full form without NOT NULL, as literals and casts print
// their type: `VARCHAR(2147483647) CHARACTER SET "UTF-16LE"`.
func (t Type) CalciteCharset() string {
	var b strings.Builder
	t.AsNullable().writeCalcite(&b, true)
	return b.String()
}

func writeRecord(b *strings.Builder, fields []Field, full bool) {
	for i, f := range fields {
		if i == 0 {
			b.WriteString("RecordType(")
		} else {
			b.WriteString(", ")
		}
		f.Type.writeCalcite(b, full)
		b.WriteString(" " + f.Name)
	}
	if len(fields) == 0 {
		b.WriteString("RecordType(")
	}
	b.WriteByte(')')
}

func (t Type) writeCalcite(b *strings.Builder, full bool) {
	switch t.Kind {
	case KindInt:
		b.WriteString("INTEGER")
	case KindDecimal, KindChar, KindVarchar, KindBinary, KindVarbinary, KindTime:
		b.WriteString(t.Kind.String())
		t.writeParameters(b)
		if full && t.IsCharacter() {
			b.WriteString(` CHARACTER SET "UTF-16LE"`)
		}
	case KindTimestamp:
		b.WriteString("TIMESTAMP")
		t.writeParameters(b)
	case KindTimestampLTZ:
		// A time attribute has Flink's own type class, which prints the short name.
		if t.Time == NoTimeAttribute {
			b.WriteString("TIMESTAMP_WITH_LOCAL_TIME_ZONE")
		} else {
			b.WriteString("TIMESTAMP_LTZ")
		}
		t.writeParameters(b)
	case KindIntervalYearMonth, KindIntervalDayTime:
		b.WriteString("INTERVAL " + t.Unit)
	case KindArray, KindMultiset:
		t.Elem.writeCalcite(b, full)
		b.WriteString(" " + t.Kind.String())
	case KindMap:
		b.WriteByte('(')
		t.Key.writeCalcite(b, full)
		b.WriteString(", ")
		t.Elem.writeCalcite(b, full)
		b.WriteString(") MAP")
	case KindRow:
		writeRecordOfRow(b, t.Fields, full)
	case KindRaw:
		b.WriteString("RAW('" + t.Unit + "', '...')")
	default:
		b.WriteString(t.Kind.String())
	}
	b.WriteString(t.timeMark())
	if full && !t.Nullable {
		b.WriteString(" NOT NULL")
	}
}

// writeRecordOfRow prints a ROW value's type, which Flink makes with the struct
// kind PEEK_FIELDS_NO_EXPAND.
func writeRecordOfRow(b *strings.Builder, fields []Field, full bool) {
	var r strings.Builder
	writeRecord(&r, fields, full)
	b.WriteString("RecordType:peek_no_expand" + strings.TrimPrefix(r.String(), "RecordType"))
}
