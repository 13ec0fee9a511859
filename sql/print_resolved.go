package sql

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
)

// normalNumber is a number as Calcite prints it: plain digits, or one digit before the point
// of a number with an exponent.
func normalNumber(text string) string {
	mantissa, exponent, approx := text, "", false
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent, approx = text[:i], text[i+1:], true
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if !approx {
		if whole == "" {
			whole = "0"
		}
		if whole = strings.TrimLeft(whole, "0"); whole == "" {
			whole = "0"
		}
		if fraction == "" {
			return whole
		}
		return whole + "." + fraction
	}
	exp, err := strconv.Atoi(exponent)
	digits, ok := new(big.Int).SetString(whole+fraction, 10)
	if err != nil || !ok {
		return text
	}
	d := digits.String()
	e := len(d) - (len(fraction) - exp) - 1
	if len(d) > 1 {
		d = d[:1] + "." + d[1:]
	}
	return d + "E" + strconv.Itoa(e)
}

// unicodeText is a text literal with the code of every character that is no printable ASCII.
func unicodeText(s string) (string, bool) {
	plain := true
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		switch {
		case u < 32 || u >= 128:
			plain = false
			fmt.Fprintf(&b, "\\%04x", u)
		case u == '\'' || u == '\\':
			b.WriteByte(byte(u))
			b.WriteByte(byte(u))
		default:
			b.WriteByte(byte(u))
		}
	}
	return "u&'" + b.String() + "'", !plain
}

// datePart is the unit of a function such as YEAR(x), which is EXTRACT(YEAR FROM x).
func datePart(c *Call) string {
	if len(c.Name.Parts) != 1 || len(c.Args) != 1 {
		return ""
	}
	switch up := upperASCII(c.Name.Parts[0].Text); up {
	case "YEAR", "QUARTER", "MONTH", "WEEK", "HOUR", "MINUTE", "SECOND":
		return up
	case "DAYOFYEAR":
		return "DOY"
	case "DAYOFMONTH":
		return "DAY"
	case "DAYOFWEEK":
		return "DOW"
	}
	return ""
}

// nullClause is what a JSON constructor does with NULL when nothing is written.
func nullClause(c *Call, name string) string {
	clause := ""
	switch name {
	case "JSON_OBJECT", "JSON_OBJECTAGG":
		clause = " NULL ON NULL"
	case "JSON_ARRAY", "JSON_ARRAYAGG":
		clause = " ABSENT ON NULL"
	}
	for _, a := range c.Args {
		if f, ok := a.(*Flag); ok && strings.HasSuffix(f.Text, " ON NULL") {
			return ""
		}
	}
	return clause
}
