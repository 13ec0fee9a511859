package fn

import (
	"testing"

	"github.com/labgrade/labgrade/value"
)

// testRow is a row of testColumns; columns that are not listed are NULL.
func testRow(set map[string]value.Value) value.Row {
	row := make(value.Row, len(testColumns))
	for i, c := range testColumns {
		row[i] = set[c.Name]
	}
	return row
}

// run computes an expression and gives its text, or the error.
func run(t *testing.T, text string, row value.Row) string {
	t.Helper()
	e, err := bind(text)
	if err != nil {
		return err.Error()
	}
	f, err := Compile(e, nil)
	if err != nil {
		return err.Error()
	}
	var ctx Ctx
	v := f(&ctx, row)
	if ctx.Err != nil {
		return ctx.Err.Error()
	}
	typ := e.Type()
	return string(value.AppendCell(nil, &typ, v, nil))
}

func TestCompile(t *testing.T) {
	row := testRow(map[string]value.Value{
		"i": value.Int(7), "l": value.Int(-3), "c": value.Decimal(value.DecOf(1250)), "d": value.Double(2.5),
		"s": value.String("abc"), "b": value.Bool(true), "ts": value.Timestamp(1767225600000, 0), "dt": value.Int(20484),
		"nni": value.Int(2147483647),
	})
	tests := []struct{ expr, want string }{
		{"i + l", "4"},
		{"nni + 1", "-2147483648"},
		{"i / l", "-2"},
		{"MOD(i, l)", "1"},
		{"i / 0", "java.lang.ArithmeticException: / by zero"},
		{"c / 0", "java.lang.ArithmeticException: Division by zero"},
		{"c + 1", "13.50"},
		{"c * 2", "25.00"},
		{"d * i", "17.5"},
		{"ti + 1", "<NULL>"},
		{"i > 3 AND s = 'abc'", "TRUE"},
		{"ti > 3 AND i = 0", "FALSE"},
		{"ti > 3 AND i = 7", "<NULL>"},
		{"ti > 3 OR i = 7", "TRUE"},
		{"NOT (ti > 3)", "<NULL>"},
		{"ti IS NULL", "TRUE"},
		{"(ti = 1) IS NOT TRUE", "TRUE"},
		{"CASE WHEN ti = 1 THEN 'x' WHEN i = 7 THEN 'seven' END", "seven"},
		{"COALESCE(ti, i)", "7"},
		{"NULLIF(i, 7)", "<NULL>"},
		{"IF(ti = 1, 1, 2.5)", "2.5"},
		{"GREATEST(i, 1.5, l)", "7.0"},
		{"LEAST(i, ti)", "<NULL>"},
		{"i BETWEEN SYMMETRIC 9 AND 5", "TRUE"},
		{"i IS DISTINCT FROM ti", "TRUE"},
		{"dt > '2026-01-30'", "TRUE"},
		{"dt = '2026-01-31'", "TRUE"},
		{"dt + INTERVAL '1' MONTH", "2026-02-28"},
		{"ts + INTERVAL '1' DAY", "2026-01-02 00:00:00.000"},
		{"CAST(s AS INT)", "java.lang.NumberFormatException: For input string: 'abc'. Invalid character found."},
		{"TRY_CAST(s AS INT)", "<NULL>"},
		{"ARRAY[i, ti][1]", "7"},
		{"ARRAY[i][2]", "<NULL>"},
		{"MAP['a', i]['a']", "7"},
	}
	for _, tt := range tests {
		if got := run(t, tt.expr, row); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.expr, got, tt.want)
		}
	}
}

// AND goes on behind UNKNOWN, so that a failure there shows; it stops at FALSE.
func TestPredicateFailures(t *testing.T) {
	row := testRow(map[string]value.Value{"l": value.Int(0), "i": value.Int(1)})
	tests := []struct {
		expr  string
		fails bool
	}{
		{"ti > 1 AND 1 / l > 0", true},
		{"i > 1 AND 1 / l > 0", false},
		{"i = 1 OR 1 / l > 0", false},
	}
	for _, tt := range tests {
		p, err := CompilePredicate(mustBind(t, tt.expr), nil)
		if err != nil {
			t.Fatal(err)
		}
		var ctx Ctx
		p(&ctx, row)
		if (ctx.Err != nil) != tt.fails {
			t.Errorf("%s: error %v", tt.expr, ctx.Err)
		}
	}
}

func BenchmarkPredicate(b *testing.B) {
	e, err := bind("i > 3 AND s = 'abc'")
	if err != nil {
		b.Fatal(err)
	}
	p, err := CompilePredicate(e, nil)
	if err != nil {
		b.Fatal(err)
	}
	row := testRow(map[string]value.Value{"i": value.Int(7), "s": value.String("abc")})
	var ctx Ctx
	b.ReportAllocs()
	for b.Loop() {
		if !p(&ctx, row) {
			b.Fatal("false")
		}
	}
}
