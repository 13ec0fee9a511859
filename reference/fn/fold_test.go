package fn

import (
	"testing"

	"github.com/labgrade/labgrade/reference/rex"
)

// TestFold has the literals that a Flink 2.3.0 planner showed.
func TestFold(t *testing.T) {
	for _, c := range []struct {
		expr string
		want string // "" where Flink leaves the expression
		err  string
	}{
		{expr: "PI()", want: "3.1415926535897931159E0:DOUBLE"},
		{expr: "E()", want: "2.7182818284590450907E0:DOUBLE"},
		{expr: "SQRT(2)", want: "1.4142135623730951454E0:DOUBLE"},
		{expr: "-0.0e0", want: "0E0:DOUBLE"},
		{expr: "2e0 * 3", want: "6E0:DOUBLE"},
		{expr: "1e-5 / 3", want: "3.3333333333333337471E-6:DOUBLE"},
		{expr: "1e300 * 1e300"},
		{expr: "1 + 10 / ABS(-2)", want: "6"},
		{expr: "CAST('0.1' AS FLOAT)", want: "1E-1:FLOAT"},
		{expr: "CAST('0.123456789' AS FLOAT)", want: "1.234568E-1:FLOAT"},
		{expr: "CAST('16777217' AS FLOAT)", want: "1.677722E7:FLOAT"},
		{expr: "CAST('3.0' AS FLOAT)", want: "3E0:FLOAT"},
		{expr: "CAST('1e-10' AS DOUBLE)", want: "1.0000000000000000364E-10:DOUBLE"},
		{expr: "CAST('NaN' AS DOUBLE)"},
		{expr: "CAST('NaN' AS FLOAT)", err: "java.lang.NumberFormatException: Infinite or NaN"},
		{expr: "UPPER('x')", want: "_UTF-16LE'X'"},
		{expr: "'a' || 'b'", want: "_UTF-16LE'ab'"},
		{expr: "CHAR_LENGTH('abc')", want: "3"},
		{expr: "1 + 1", want: "2"},
		{expr: "1.5 + 1", want: "2.5:DECIMAL(12, 1)"},
		{expr: "DATE '2020-01-31' + INTERVAL '1' MONTH", want: "2020-02-29"},
		{expr: "TIMESTAMP '2020-01-01 00:00:00' + INTERVAL '1' DAY", want: "2020-01-02 00:00:00"},
		{expr: "INTERVAL '1' DAY * 2", want: "172800000:INTERVAL DAY"},
		{expr: "ENCODE('a', 'UTF-8')", want: "X'61':VARBINARY(2147483647)"},
		{expr: "ARRAY[1 + 1]"},
		{expr: "MOD(5, 0)"},
		{expr: "CAST('x' AS INT)"},
		{expr: "CAST('10000-01-01 00:00:00' AS TIMESTAMP)"},
		{expr: "JSON_OBJECT('a' VALUE 1)"},
		{expr: "RAND_INTEGER(1)"},
		{expr: "i + 1"},
		{expr: "1 / 0", err: "java.lang.ArithmeticException: Division by zero"},
		{expr: "1 / 0.0", err: "java.lang.ArithmeticException: Division by zero"},
		{expr: "1e0 / 0", err: "java.lang.ArithmeticException: Division by zero"},
		{expr: "1 / (2 - 2)", err: "java.lang.ClassCastException: class org.apache.calcite.rex.RexCall cannot be cast to class org.apache.calcite.rex.RexLiteral (org.apache.calcite.rex.RexCall and org.apache.calcite.rex.RexLiteral are in unnamed module of loader 'app')"},
		{expr: "TO_DATE('0000-01-01')", err: "java.lang.IllegalArgumentException: Year out of range: [0]"},
	} {
		e, err := bind(c.expr)
		if err != nil {
			if c.want != "" || c.err != "" {
				t.Errorf("%s: %v", c.expr, err)
			}
			continue
		}
		lit, ok, err := Fold(e, nil)
		switch {
		case err != nil || c.err != "":
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: error %v, want %q", c.expr, err, c.err)
			}
		case ok != (c.want != ""):
			t.Errorf("%s: folded %v", c.expr, ok)
		case ok && rex.Digest(lit) != c.want:
			t.Errorf("%s is %s, want %s", c.expr, rex.Digest(lit), c.want)
		}
	}
}

func TestNumberTexts(t *testing.T) {
	for _, c := range []struct{ number, want string }{
		{number: "1.50", want: "1.50"}, {number: "1e10", want: "1E+10"}, {number: "12.5e3", want: "1.25E+4"}, {number: "0.00001", want: "0.00001"},
		{number: "1e-7", want: "1E-7"}, {number: "0e5", want: "0E+5"}, {number: "-0.0", want: "0.0"}, {number: "-1.0E10", want: "-1.0E+10"},
	} {
		if got, err := bigDecimalText(c.number); err != nil || got != c.want {
			t.Errorf("%s: %s, %v, want %s", c.number, got, err, c.want)
		}
	}
}

func TestJavaRegexRefusals(t *testing.T) {
	for _, c := range []struct{ pattern, why string }{
		{pattern: `(a)\1`, why: "back-reference"}, {pattern: `(?=a)b`, why: "lookahead"}, {pattern: `(?<!a)b`, why: "lookbehind"},
		{pattern: `a++`, why: "possessive quantifier"}, {pattern: `(?>a)b`, why: "atomic group"}, {pattern: `[a&&b]`, why: "intersection"},
	} {
		if _, err := compileJavaRegex(c.pattern); err == nil {
			t.Errorf("%s (%s) is accepted", c.pattern, c.why)
		}
	}
}
