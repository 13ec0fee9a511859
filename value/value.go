package value

import "math"

// Value is one SQL value without its type (the type stands in the schema, as in
// Flink's RowData). The zero Value is NULL. It is 48 bytes, holds no interface and
// may be copied; strings and composites are shared, never changed in place.
type Value struct {
	set bool
	// n: BOOLEAN 0/1; TINYINT..BIGINT; DOUBLE and FLOAT as math.Float64bits /
	// math.Float32bits; DATE epoch days; TIME milliseconds of the day; TIMESTAMP and
	// TIMESTAMP_LTZ epoch milliseconds; intervals months or milliseconds; the low 64
	// bits of a DECIMAL's unscaled value.
	n int64
	// hi: the high 64 bits of a DECIMAL, the nanoseconds within the millisecond of a timestamp.
	hi int64
	// s: CHAR, VARCHAR (UTF-8) and BINARY, VARBINARY (bytes).
	s string
	// c: ARRAY, MAP, MULTISET, ROW.
	c *Composite
}

// Row is a sequence of values; its schema says their types.
type Row []Value

// Composite is the content of an ARRAY or ROW (Elems), or of a MAP or MULTISET
// (Keys and Elems in parallel, in the order in which Flink prints them; the Elems
// of a MULTISET are INT counts).
type Composite struct {
	Keys  []Value
	Elems []Value
}

// Null is the SQL NULL of every type.
var Null = Value{}

// Constructors. Ints cover TINYINT to BIGINT, DATE (epoch days), TIME
// (milliseconds of the day) and intervals (months, milliseconds).
func Bool(b bool) Value {
	if b {
		return Value{set: true, n: 1}
	}
	return Value{set: true}
}

// Int makes an integer-like value.
func Int(n int64) Value { return Value{set: true, n: n} }

// Double makes a DOUBLE.
func Double(f float64) Value { return Value{set: true, n: int64(math.Float64bits(f))} }

// Float makes a FLOAT.
func Float(f float32) Value { return Value{set: true, n: int64(math.Float32bits(f))} }

// String makes a CHAR or VARCHAR.
func String(s string) Value { return Value{set: true, s: s} }

// Bytes makes a BINARY or VARBINARY; b is copied.
func Bytes(b []byte) Value { return Value{set: true, s: string(b)} }

// Timestamp makes a TIMESTAMP or TIMESTAMP_LTZ from epoch milliseconds and the
// nanoseconds (0..999999) within that millisecond.
func Timestamp(millis int64, nanoOfMilli int) Value {
	return Value{set: true, n: millis, hi: int64(nanoOfMilli)}
}

// Decimal128 makes a DECIMAL from the two's-complement 128-bit unscaled value.
func Decimal128(hi int64, lo uint64) Value { return Value{set: true, n: int64(lo), hi: hi} }

// Array makes an ARRAY; Struct makes a ROW; MapOf makes a MAP or MULTISET.
func Array(elems []Value) Value { return Value{set: true, c: &Composite{Elems: elems}} }

// Struct makes a ROW value.
func Struct(fields []Value) Value { return Value{set: true, c: &Composite{Elems: fields}} }

// MapOf makes a MAP or MULTISET with keys and elems in parallel.
func MapOf(keys, elems []Value) Value {
	return Value{set: true, c: &Composite{Keys: keys, Elems: elems}}
}

// IsNull reports SQL NULL.
func (v Value) IsNull() bool { return !v.set }

// Bool is the BOOLEAN.
func (v Value) Bool() bool { return v.n != 0 }

// Int is the integer, days, milliseconds or months.
func (v Value) Int() int64 { return v.n }

// Double is the DOUBLE.
func (v Value) Double() float64 { return math.Float64frombits(uint64(v.n)) }

// Float is the FLOAT.
func (v Value) Float() float32 { return math.Float32frombits(uint32(v.n)) }

// Str is the text of a CHAR or VARCHAR, or the bytes of a BINARY or VARBINARY.
func (v Value) Str() string { return v.s }

// Millis and NanoOfMilli are the parts of a timestamp.
func (v Value) Millis() int64 { return v.n }

// NanoOfMilli is the part of a timestamp below the millisecond, 0..999999.
func (v Value) NanoOfMilli() int { return int(v.hi) }

// Decimal128 is the unscaled value of a DECIMAL.
func (v Value) Decimal128() (hi int64, lo uint64) { return v.hi, uint64(v.n) }

// Composite is the content of an ARRAY, MAP, MULTISET or ROW.
func (v Value) Composite() *Composite { return v.c }
