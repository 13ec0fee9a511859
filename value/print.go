package value

import "time"

// Text style of nested and binary values.
type textStyle uint8

const (
	styleCast  textStyle = iota // CAST(x AS STRING): bytes are decoded as UTF-8
	styleTable                  // a table cell: bytes in hexadecimal
)

// ZoneMillis shifts a TIMESTAMP_LTZ's epoch milliseconds to the local wall clock of
// the session time zone; nil means UTC.
func ZoneMillis(millis int64, zone *time.Location) int64 {
	if zone == nil || zone == time.UTC {
		return millis
	}
	_, off := time.UnixMilli(millis).In(zone).Zone()
	return millis + int64(off)*1000
}

// AppendCell appends the text of v as a table cell of the sql-client shows it, before
// any cutting: <NULL> at the top level, NULL inside, TRUE, x'00ff', [a, b], {k=v}, (1, a).
func AppendCell(dst []byte, t *Type, v Value, zone *time.Location) []byte {
	if !v.set {
		return append(dst, "<NULL>"...)
	}
	return appendText(dst, t, v, zone, styleTable)
}

// AppendString appends CAST(v AS STRING) of a value that is not NULL.
func AppendString(dst []byte, t *Type, v Value, zone *time.Location) []byte {
	return appendText(dst, t, v, zone, styleCast)
}

func appendText(dst []byte, t *Type, v Value, zone *time.Location, style textStyle) []byte {
	if !v.set {
		return append(dst, "NULL"...)
	}
	switch t.Kind {
	case KindBoolean:
		if v.n != 0 {
			return append(dst, "TRUE"...)
		}
		return append(dst, "FALSE"...)
	case KindTinyInt, KindSmallInt, KindInt, KindBigInt:
		return AppendInt(dst, v.n)
	case KindDecimal:
		return AppendDecimal(dst, v.Dec(), t.Scale)
	case KindFloat:
		return AppendFloat(dst, v.Float())
	case KindDouble:
		return AppendDouble(dst, v.Double())
	case KindChar, KindVarchar:
		return append(dst, v.s...)
	case KindBinary, KindVarbinary:
		if style == styleCast {
			return append(dst, v.s...)
		}
		return appendHexLiteral(dst, v.s)
	case KindDate:
		return AppendDate(dst, v.n)
	case KindTime:
		return AppendTime(dst, v.n, t.Precision)
	case KindTimestamp:
		return AppendTimestamp(dst, v.n, int(v.hi), t.Precision)
	case KindTimestampLTZ:
		return AppendTimestamp(dst, ZoneMillis(v.n, zone), int(v.hi), t.Precision)
	case KindIntervalYearMonth:
		return AppendIntervalYearMonth(dst, v.n)
	case KindIntervalDayTime:
		return AppendIntervalDayTime(dst, v.n)
	case KindArray:
		return appendElems(dst, '[', ']', v.c.Elems, func(int) *Type { return t.Elem }, zone, style)
	case KindRow:
		return appendElems(dst, '(', ')', v.c.Elems, func(i int) *Type { return &t.Fields[i].Type }, zone, style)
	case KindMap:
		return appendEntries(dst, t.Key, t.Elem, v.c, zone, style)
	case KindMultiset:
		count := TInt
		return appendEntries(dst, t.Elem, &count, v.c, zone, style)
	}
	return append(dst, "?"...)
}

func appendElems(dst []byte, open, end byte, elems []Value, typ func(int) *Type, zone *time.Location, style textStyle) []byte {
	dst = append(dst, open)
	for i, e := range elems {
		if i > 0 {
			dst = append(dst, ',', ' ')
		}
		dst = appendText(dst, typ(i), e, zone, style)
	}
	return append(dst, end)
}

func appendEntries(dst []byte, kt, vt *Type, c *Composite, zone *time.Location, style textStyle) []byte {
	dst = append(dst, '{')
	for i := range c.Keys {
		if i > 0 {
			dst = append(dst, ',', ' ')
		}
		dst = appendText(dst, kt, c.Keys[i], zone, style)
		dst = append(dst, '=')
		dst = appendText(dst, vt, c.Elems[i], zone, style)
	}
	return append(dst, '}')
}

const hexDigits = "0123456789abcdef"

func appendHexLiteral(dst []byte, s string) []byte {
	dst = append(dst, 'x', '\'')
	for i := 0; i < len(s); i++ {
		dst = append(dst, hexDigits[s[i]>>4], hexDigits[s[i]&15])
	}
	return append(dst, '\'')
}
