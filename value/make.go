package value

// Bare nullable types of each root, for those that have no parameters.
var (
	TNull      = Type{Kind: KindNull, Nullable: true}
	TBoolean   = Type{Kind: KindBoolean, Nullable: true}
	TTinyInt   = Type{Kind: KindTinyInt, Nullable: true}
	TSmallInt  = Type{Kind: KindSmallInt, Nullable: true}
	TInt       = Type{Kind: KindInt, Nullable: true}
	TBigInt    = Type{Kind: KindBigInt, Nullable: true}
	TFloat     = Type{Kind: KindFloat, Nullable: true}
	TDouble    = Type{Kind: KindDouble, Nullable: true}
	TString    = Type{Kind: KindVarchar, Nullable: true, Length: MaxLength}
	TBytes     = Type{Kind: KindVarbinary, Nullable: true, Length: MaxLength}
	TDate      = Type{Kind: KindDate, Nullable: true}
	TTimestamp = Type{Kind: KindTimestamp, Nullable: true, Precision: 6}
	TSymbol    = Type{Kind: KindSymbol}
)

// DecimalType makes DECIMAL(p, s).
func DecimalType(p, s int) Type {
	return Type{Kind: KindDecimal, Nullable: true, Precision: p, Scale: s}
}

// CharType makes CHAR(n).
func CharType(n int) Type { return Type{Kind: KindChar, Nullable: true, Length: n} }

// VarcharType makes VARCHAR(n).
func VarcharType(n int) Type { return Type{Kind: KindVarchar, Nullable: true, Length: n} }

// BinaryType makes BINARY(n).
func BinaryType(n int) Type { return Type{Kind: KindBinary, Nullable: true, Length: n} }

// VarbinaryType makes VARBINARY(n).
func VarbinaryType(n int) Type { return Type{Kind: KindVarbinary, Nullable: true, Length: n} }

// TimeType makes TIME(p).
func TimeType(p int) Type { return Type{Kind: KindTime, Nullable: true, Precision: p} }

// TimestampType makes TIMESTAMP(p).
func TimestampType(p int) Type { return Type{Kind: KindTimestamp, Nullable: true, Precision: p} }

// TimestampLTZType makes TIMESTAMP_LTZ(p).
func TimestampLTZType(p int) Type {
	return Type{Kind: KindTimestampLTZ, Nullable: true, Precision: p}
}

// IntervalType makes an interval of a unit as SQL writes it: "DAY TO SECOND",
// "YEAR", ... with Flink's default precisions (2 leading digits, 6 of fraction
// as in INTERVAL literals of Calcite).
func IntervalType(unit string) Type {
	k := KindIntervalDayTime
	switch unit {
	case "YEAR", "MONTH", "YEAR TO MONTH", "QUARTER":
		k = KindIntervalYearMonth
	}
	return Type{Kind: k, Nullable: true, Unit: unit, Precision: 2, Scale: 6}
}

// ArrayType makes ARRAY<elem>.
func ArrayType(elem Type) Type { return Type{Kind: KindArray, Nullable: true, Elem: &elem} }

// MapType makes MAP<key, elem>.
func MapType(key, elem Type) Type {
	return Type{Kind: KindMap, Nullable: true, Key: &key, Elem: &elem}
}

// MultisetType makes MULTISET<elem>.
func MultisetType(elem Type) Type { return Type{Kind: KindMultiset, Nullable: true, Elem: &elem} }

// RowType makes ROW<fields>.
func RowType(fields ...Field) Type { return Type{Kind: KindRow, Nullable: true, Fields: fields} }

// NotNull returns t as NOT NULL.
func (t Type) NotNull() Type { t.Nullable = false; return t }

// AsNullable returns t as nullable.
func (t Type) AsNullable() Type { t.Nullable = true; return t }

// WithNullable returns t with the given nullability.
func (t Type) WithNullable(nullable bool) Type { t.Nullable = nullable; return t }

// WithoutTime returns t as an ordinary type, no longer a time attribute.
func (t Type) WithoutTime() Type { t.Time = NoTimeAttribute; return t }

// IsRowtime and IsProctime tell time attributes.
func (t Type) IsRowtime() bool { return t.Time == Rowtime }

// IsProctime reports a processing-time attribute.
func (t Type) IsProctime() bool { return t.Time == Proctime }

// IsInteger reports TINYINT to BIGINT.
func (t Type) IsInteger() bool { return t.Kind >= KindTinyInt && t.Kind <= KindBigInt }

// IsNumeric reports the integers, DECIMAL, FLOAT and DOUBLE.
func (t Type) IsNumeric() bool { return t.Kind >= KindTinyInt && t.Kind <= KindDouble }

// IsApprox reports FLOAT and DOUBLE.
func (t Type) IsApprox() bool { return t.Kind == KindFloat || t.Kind == KindDouble }

// IsCharacter reports CHAR and VARCHAR.
func (t Type) IsCharacter() bool { return t.Kind == KindChar || t.Kind == KindVarchar }

// IsBinary reports BINARY and VARBINARY.
func (t Type) IsBinary() bool { return t.Kind == KindBinary || t.Kind == KindVarbinary }

// IsTimestamp reports TIMESTAMP and TIMESTAMP_LTZ.
func (t Type) IsTimestamp() bool { return t.Kind == KindTimestamp || t.Kind == KindTimestampLTZ }

// IsDatetime reports DATE, TIME, TIMESTAMP and TIMESTAMP_LTZ.
func (t Type) IsDatetime() bool { return t.Kind >= KindDate && t.Kind <= KindTimestampLTZ }

// IsInterval reports both interval kinds.
func (t Type) IsInterval() bool {
	return t.Kind == KindIntervalYearMonth || t.Kind == KindIntervalDayTime
}

// IsComposite reports ARRAY, MAP, MULTISET and ROW.
func (t Type) IsComposite() bool { return t.Kind >= KindArray && t.Kind <= KindRow }

// Equal reports that both types are the same, nullability and time attribute included.
func (t Type) Equal(o Type) bool {
	return t.Nullable == o.Nullable && t.Time == o.Time && t.EqualIgnoreNull(o)
}

// EqualIgnoreNull reports that both types are the same but for the nullability of
// the outermost level and for being a time attribute.
func (t Type) EqualIgnoreNull(o Type) bool {
	if t.Kind != o.Kind {
		return false
	}
	switch t.Kind {
	case KindDecimal:
		return t.Precision == o.Precision && t.Scale == o.Scale
	case KindChar, KindVarchar, KindBinary, KindVarbinary:
		return t.Length == o.Length
	case KindTime, KindTimestamp, KindTimestampLTZ:
		return t.Precision == o.Precision
	case KindIntervalYearMonth, KindIntervalDayTime:
		return t.Unit == o.Unit
	case KindArray, KindMultiset:
		return t.Elem.Equal(*o.Elem)
	case KindMap:
		return t.Key.Equal(*o.Key) && t.Elem.Equal(*o.Elem)
	case KindRow:
		if len(t.Fields) != len(o.Fields) {
			return false
		}
		for i := range t.Fields {
			if t.Fields[i].Name != o.Fields[i].Name || !t.Fields[i].Type.Equal(o.Fields[i].Type) {
				return false
			}
		}
	case KindRaw:
		return t.Unit == o.Unit
	}
	return true
}
