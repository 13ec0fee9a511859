package source

import (
	"math"
	"strings"
	"unicode"
	"unsafe"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// csvConverter turns the text of a field into a value. The text is borrowed.
type csvConverter func(b []byte) (value.Value, error)

// newCSVConverter makes the converter of a column, which looks for NULL first.
func newCSVConverter(f *csvFormat, t value.Type) (csvConverter, error) {
	switch t.Kind {
	case value.KindArray:
		elem, err := newNullableConverter(f, *t.Elem)
		if err != nil {
			return nil, err
		}
		return func(b []byte) (value.Value, error) {
			parts := splitArray(f, string(b))
			elems := make([]value.Value, len(parts))
			for i, p := range parts {
				v, err := elem([]byte(p))
				if err != nil {
					return value.Null, err
				}
				elems[i] = v
			}
			return value.Array(elems), nil
		}, nil
	case value.KindRow:
		return newCSVRowConverter(f, t)
	}
	return newNullableConverter(f, t)
}

// newCSVRowConverter reads a ROW from the elements of an array.
func newCSVRowConverter(f *csvFormat, t value.Type) (csvConverter, error) {
	fields := make([]csvConverter, len(t.Fields))
	for i, x := range t.Fields {
		c, err := newNullableConverter(f, x.Type)
		if err != nil {
			return nil, err
		}
		fields[i] = c
	}
	return func(b []byte) (value.Value, error) {
		parts := splitArray(f, string(b))
		if len(parts) == 0 {
			return value.Null, nil
		}
		if len(parts) < len(fields) && !f.ignoreErrors {
			return value.Null, flinkerr.Runtime("java.lang.RuntimeException", "Row length mismatch. %d fields expected but was %d.", len(fields), len(parts))
		}
		elems := make([]value.Value, len(fields))
		for i := range fields {
			if i >= len(parts) {
				continue
			}
			v, err := fields[i]([]byte(parts[i]))
			if err != nil {
				return value.Null, err
			}
			elems[i] = v
		}
		return value.Struct(elems), nil
	}, nil
}

// splitArray cuts the text of an array; a text of blanks alone is an empty array.
func splitArray(f *csvFormat, s string) []string {
	parts := strings.Split(s, f.arrayDelimiter)
	if len(parts) == 1 && trimJava(s) == "" {
		return nil
	}
	if f.trimSpaces {
		for i := range parts {
			parts[i] = trimJava(parts[i])
		}
	}
	return parts
}

// trimJava is String.trim.
func trimJava(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}

// newNullableConverter makes NULL of the null literal and, with ignore-parse-errors, of what
// cannot be read.
func newNullableConverter(f *csvFormat, t value.Type) (csvConverter, error) {
	conv, err := newScalarConverter(t)
	if err != nil {
		return nil, err
	}
	if !f.hasNullLiteral && !f.emptyAsNull && !f.ignoreErrors {
		return conv, nil
	}
	return func(b []byte) (value.Value, error) {
		if f.hasNullLiteral && string(b) == f.nullLiteral || f.emptyAsNull && len(b) == 0 {
			return value.Null, nil
		}
		v, err := conv(b)
		if err != nil && f.ignoreErrors && !unsupported.Is(err) {
			return value.Null, nil
		}
		return v, err
	}, nil
}

// borrow is b as a string for the time of a call.
func borrow(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// newScalarConverter makes the converter of a simple type.
func newScalarConverter(t value.Type) (csvConverter, error) {
	switch t.Kind {
	case value.KindNull:
		return func([]byte) (value.Value, error) { return value.Null, nil }, nil
	case value.KindBoolean:
		return func(b []byte) (value.Value, error) {
			return value.Bool(strings.EqualFold(trimJava(borrow(b)), "true")), nil
		}, nil
	case value.KindTinyInt, value.KindSmallInt, value.KindInt, value.KindBigInt:
		return integerConverter(t.Kind), nil
	case value.KindDecimal:
		return decimalConverter(t.Precision, t.Scale), nil
	case value.KindDouble:
		return convertDouble, nil
	case value.KindFloat:
		return func(b []byte) (value.Value, error) {
			f, ok := value.ParseJavaDouble(borrow(b), 32)
			if !ok {
				return value.Null, value.JavaDoubleError(string(b))
			}
			return value.Float(float32(f)), nil
		}, nil
	case value.KindChar, value.KindVarchar:
		return newInterner().convert, nil
	case value.KindBinary, value.KindVarbinary:
		return convertBytes, nil
	case value.KindDate:
		return func(b []byte) (value.Value, error) {
			d, err := value.ParseJDBCDate(borrow(b))
			if err != nil {
				return value.Null, err
			}
			return value.Int(d), nil
		}, nil
	case value.KindTime:
		return timeConverter(t.Precision)
	case value.KindTimestamp:
		return timestampConverter(value.TimestampFormat{}), nil
	case value.KindTimestampLTZ:
		return timestampConverter(value.TimestampFormat{Z: true}), nil
	}
	return nil, unsupported.New("reading the type %s from csv", t)
}

func integerRange(k value.Kind) (lo, hi int64) {
	switch k {
	case value.KindTinyInt:
		return math.MinInt8, math.MaxInt8
	case value.KindSmallInt:
		return math.MinInt16, math.MaxInt16
	case value.KindInt:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

// plainNumber reads up to 18 digits, which cannot overflow, with an optional minus.
func plainNumber(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	neg := b[0] == '-'
	if neg {
		b = b[1:]
		if len(b) == 0 {
			return 0, false
		}
	}
	var x int64
	for _, c := range b {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		x = x*10 + int64(d)
	}
	if neg {
		x = -x
	}
	return x, true
}

// integerConverter reads what is no plain integer, too. A null literal made of digits has been
// looked for before.
func integerConverter(k value.Kind) csvConverter {
	lo, hi := integerRange(k)
	return func(b []byte) (value.Value, error) {
		if x, ok := plainNumber(b); ok && x >= lo && x <= hi {
			return value.Int(x), nil
		}
		x, err := parseJavaInteger(string(b), k, lo, hi)
		if err != nil {
			return value.Null, err
		}
		return value.Int(x), nil
	}
}

// parseJavaInteger is Integer.parseInt (and its kin) of the trimmed text: the digits of every
// script count.
func parseJavaInteger(text string, k value.Kind, lo, hi int64) (int64, error) {
	s := trimJava(text)
	bad := func() (int64, error) {
		return 0, flinkerr.Runtime("java.lang.NumberFormatException", "For input string: \"%s\"", s)
	}
	digits, neg := s, false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		digits = s[1:]
	}
	if digits == "" {
		return bad()
	}
	// TINYINT and SMALLINT are first read as INT.
	min, max := lo, hi
	if k == value.KindTinyInt || k == value.KindSmallInt {
		min, max = math.MinInt32, math.MaxInt32
	}
	var n int64
	for _, r := range digits {
		d, ok := digitOf(r)
		if !ok || n < (min+d)/10 {
			return bad()
		}
		n = n*10 - d
	}
	if !neg {
		if n < -max {
			return bad()
		}
		n = -n
	}
	if n < lo || n > hi {
		return 0, flinkerr.Runtime("java.lang.NumberFormatException", "Value out of range. Value:\"%s\" Radix:10", s)
	}
	return n, nil
}

// digitOf is Character.digit(r, 10).
func digitOf(r rune) (int64, bool) {
	if r >= '0' && r <= '9' {
		return int64(r - '0'), true
	}
	if r < 0x80 || r > 0xffff || !unicode.Is(unicode.Nd, r) {
		return 0, false
	}
	for _, x := range unicode.Nd.R16 {
		if r <= rune(x.Hi) {
			return int64(r-rune(x.Lo)) % 10, true
		}
	}
	return 0, false
}

func decimalConverter(p, s int) csvConverter {
	return func(b []byte) (value.Value, error) {
		v, err := value.ParseBigDecimal(borrow(b), p, s)
		if err != nil {
			// The text of the error must not share the buffer.
			return value.ParseBigDecimal(string(b), p, s)
		}
		return v, nil
	}
}

func convertDouble(b []byte) (value.Value, error) {
	if f, ok := simpleDouble(b); ok {
		return value.Double(f), nil
	}
	f, ok := value.ParseJavaDouble(borrow(b), 64)
	if !ok {
		return value.Null, value.JavaDoubleError(string(b))
	}
	return value.Double(f), nil
}

// simpleDouble reads digits with an optional point, exact where the digits fit 53
// bits and the power of ten is exact.
func simpleDouble(b []byte) (float64, bool) {
	if len(b) == 0 || len(b) > 16 {
		return 0, false
	}
	i, neg := 0, b[0] == '-'
	if neg {
		i = 1
	}
	var n uint64
	point, digits := -1, 0
	for ; i < len(b); i++ {
		c := b[i]
		if c == '.' && point < 0 {
			point = i
			continue
		}
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
		digits++
	}
	if digits == 0 || digits > 15 {
		return 0, false
	}
	f := float64(n)
	if point >= 0 {
		f /= pow10[len(b)-1-point]
	}
	if neg {
		f = -f
	}
	return f, true
}

var pow10 = [16]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

func timeConverter(p int) (csvConverter, error) {
	if p > 3 {
		return nil, flinkerr.New("java.lang.IllegalArgumentException",
			"Csv does not support TIME type with precision: %d, it only supports precision 0 ~ 3.", p)
	}
	unit := [4]int64{1000, 100, 10, 1}[p]
	return func(b []byte) (value.Value, error) {
		n, err := value.ParseISOTime(string(b))
		if err != nil {
			return value.Null, err
		}
		return value.Int(n / 1e6 / unit * unit), nil
	}, nil
}

// timestampConverter keeps what the text has beyond the precision of the column; Flink
// cuts it only where rows are serialised or printed.
func timestampConverter(f value.TimestampFormat) csvConverter {
	return func(b []byte) (value.Value, error) {
		ms, nanos, err := value.ParseFormatTimestamp(trimJava(borrow(b)), f)
		if err != nil {
			_, _, err = value.ParseFormatTimestamp(trimJava(string(b)), f)
			return value.Null, err
		}
		return value.Timestamp(ms, nanos), nil
	}
}

func convertBytes(b []byte) (value.Value, error) {
	out, err := decodeBase64(string(b))
	if err != nil {
		return value.Null, err
	}
	return value.Bytes(out), nil
}
