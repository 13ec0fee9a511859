package rex

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/labgrade/labgrade/value"
)

// typeMode says whether a literal prints its type: Calcite's RexDigestIncludeType.
type typeMode uint8

const (
	typeOptional typeMode = iota // as the literal itself decides
	typeNever
	typeAlways
)

// literalNeedsType is Calcite's rule for a literal that stands alone: BOOLEAN and
// INTEGER are obvious, and so are a CHAR of exactly its length and a DATE, TIME or
// TIMESTAMP of precision 0; a NULL always tells its type.
func literalNeedsType(l *Literal) bool {
	if l.T.Nullable || l.V.IsNull() {
		return true
	}
	switch l.T.Kind {
	case value.KindBoolean, value.KindInt, value.KindSymbol:
		return false
	case value.KindChar:
		return utf16Len(l.V.Str()) != l.T.Length
	case value.KindDate:
		return false
	case value.KindTime, value.KindTimestamp:
		return l.T.Precision != 0
	}
	return true
}

func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

func literalDigest(l *Literal, mode typeMode) string {
	body := literalBody(l)
	withType := mode == typeAlways || mode == typeOptional && literalNeedsType(l)
	if !withType {
		return body
	}
	t := l.T
	t.Nullable = true // a literal never prints NOT NULL
	return body + ":" + TypeText(t, true)
}

// LiteralText is a literal without its type, as LogicalValues shows it.
func LiteralText(l *Literal) string { return literalBody(l) }

func literalBody(l *Literal) string {
	if l.V.IsNull() {
		return "null"
	}
	if l.Text != "" {
		return l.Text
	}
	return ValueText(l.V, l.T)
}

// ValueText prints a constant as digests do, without its type.
func ValueText(v value.Value, t value.Type) string {
	switch t.Kind {
	case value.KindBoolean:
		return strconv.FormatBool(v.Bool())
	case value.KindTinyInt, value.KindSmallInt, value.KindInt, value.KindBigInt,
		value.KindIntervalDayTime, value.KindIntervalYearMonth:
		return strconv.FormatInt(v.Int(), 10)
	case value.KindDecimal:
		return DecimalText(Unscaled(v), t.Scale)
	case value.KindDouble:
		u, s := exactDecimal(v.Double())
		return ScientificText(u, s)
	case value.KindFloat:
		u, s := exactDecimal(float64(v.Float()))
		return ScientificText(u, s)
	case value.KindChar, value.KindVarchar:
		return "_UTF-16LE'" + strings.ReplaceAll(v.Str(), "'", "''") + "'"
	case value.KindBinary, value.KindVarbinary:
		return "X'" + hex.EncodeToString([]byte(v.Str())) + "'"
	case value.KindDate:
		return time.Unix(v.Int()*86400, 0).UTC().Format("2006-01-02")
	case value.KindTime:
		return clockText(v.Int(), 0)
	case value.KindTimestamp, value.KindTimestampLTZ:
		ms := v.Millis()
		sec := floorDiv(ms, 1000)
		day := time.Unix(sec, 0).UTC()
		return day.Format("2006-01-02") + " " + clockText(ms-floorDiv(ms, 86400000)*86400000, v.NanoOfMilli())
	}
	return "?"
}

// clockText prints hh:mm:ss and the fraction without trailing zeros.
func clockText(ms int64, nanoOfMilli int) string {
	s := fmt.Sprintf("%02d:%02d:%02d", ms/3600000, ms/60000%60, ms/1000%60)
	frac := fmt.Sprintf("%03d%06d", ms%1000, nanoOfMilli)
	if frac = strings.TrimRight(frac, "0"); frac != "" {
		s += "." + frac
	}
	return s
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func Unscaled(v value.Value) *big.Int {
	hi, lo := v.Decimal128()
	n := new(big.Int).Lsh(big.NewInt(hi), 64)
	return n.Add(n, new(big.Int).SetUint64(lo))
}

// DecimalText is Java's BigDecimal.toString of unscaled * 10^-scale.
func DecimalText(unscaled *big.Int, scale int) string {
	digits := new(big.Int).Abs(unscaled).String()
	sign := ""
	if unscaled.Sign() < 0 {
		sign = "-"
	}
	if scale == 0 {
		return sign + digits
	}
	adjusted := len(digits) - 1 - scale
	if scale > 0 && adjusted >= -6 {
		for len(digits) <= scale {
			digits = "0" + digits
		}
		return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	s := digits[:1]
	if len(digits) > 1 {
		s += "." + digits[1:]
	}
	if adjusted != 0 {
		s += "E"
		if adjusted > 0 {
			s += "+"
		}
		s += strconv.Itoa(adjusted)
	}
	return sign + s
}

// ScientificText is Calcite's form of an approximate number: 2E0, 1.50E1, at most 20 digits.
func ScientificText(unscaled *big.Int, scale int) string {
	digits := new(big.Int).Abs(unscaled).String()
	e := len(digits) - scale - 1
	sign := ""
	if unscaled.Sign() < 0 {
		sign = "-"
	}
	if len(digits) > 20 {
		digits = digits[:20]
	}
	if scale == 0 {
		for len(digits) > 1 && digits[len(digits)-1] == '0' {
			digits = digits[:len(digits)-1]
		}
	}
	s := sign + digits[:1]
	if len(digits) > 1 {
		s += "." + digits[1:]
	}
	return s + "E" + strconv.Itoa(e)
}

// exactDecimal is the exact decimal expansion of a double, as Java's new BigDecimal(double).
func exactDecimal(f float64) (*big.Int, int) {
	s := new(big.Float).SetFloat64(f).Text('f', 1100)
	s = strings.TrimRight(s, "0")
	scale := 0
	if i := strings.IndexByte(s, '.'); i >= 0 {
		scale = len(s) - i - 1
		s = s[:i] + s[i+1:]
	}
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		return new(big.Int), 0
	}
	return n, scale
}

// DoubleText is the digest of an approximate number that was a Java double: the
// shortest decimal text, with a fraction digit at least.
func DoubleText(v value.Value, t value.Type) string {
	f, bits := v.Double(), 64
	if t.Kind == value.KindFloat {
		f, bits = float64(v.Float()), 32
	}
	s := strconv.FormatFloat(f, 'f', -1, bits)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	i := strings.IndexByte(s, '.')
	n, ok := new(big.Int).SetString(s[:i]+s[i+1:], 10)
	if !ok {
		return s
	}
	return ScientificText(n, len(s)-i-1)
}
