// Package value holds Flink's SQL types and values: how they are parsed, cast,
// compared and printed (table, CSV, JSON and print-sink styles).
// It knows neither SQL text nor files.
package value

// Kind is a type root (org.apache.flink.table.types.logical.LogicalTypeRoot).
type Kind uint8

// The type roots.
const (
	KindNull Kind = iota // the type of a bare NULL
	KindBoolean
	KindTinyInt
	KindSmallInt
	KindInt
	KindBigInt
	KindDecimal
	KindFloat
	KindDouble
	KindChar
	KindVarchar
	KindBinary
	KindVarbinary
	KindDate
	KindTime
	KindTimestamp
	KindTimestampLTZ
	KindIntervalYearMonth
	KindIntervalDayTime
	KindArray
	KindMap
	KindMultiset
	KindRow
	KindRaw
	KindSymbol     // a flag such as the YEAR of EXTRACT
	KindDescriptor // DESCRIPTOR(c)
)

// MaxLength is the length of STRING and BYTES.
const MaxLength = 2147483647

// TimeAttribute marks a column as rowtime or processing time.
type TimeAttribute uint8

// The kinds of time attribute.
const (
	NoTimeAttribute TimeAttribute = iota
	Rowtime
	Proctime
)

// Field is a named member of a ROW type, or a column.
type Field struct {
	Name    string
	Type    Type
	Comment string
}

// Type is a SQL type. The zero Type is NOT NULL of root KindNull; make types with
// the constructors. A Type is immutable once made and may be shared.
type Type struct {
	Kind     Kind
	Nullable bool
	// Precision: DECIMAL digits, fraction digits of TIME/TIMESTAMP, leading digits of intervals.
	Precision int
	// Scale: DECIMAL scale, fraction digits of day-time intervals.
	Scale int
	// Length of CHAR, VARCHAR, BINARY, VARBINARY.
	Length int
	// Unit of an interval as SQL writes it: "DAY", "DAY TO SECOND", "YEAR TO MONTH", ...
	Unit string
	// Time marks rowtime and proctime attributes (TIMESTAMP and TIMESTAMP_LTZ only).
	Time TimeAttribute
	// Elem is the element of ARRAY and MULTISET, the value of MAP.
	Elem *Type
	// Key of a MAP.
	Key *Type
	// Fields of a ROW.
	Fields []Field
}
