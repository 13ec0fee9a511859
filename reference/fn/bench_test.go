package fn

import (
	"testing"

	"github.com/labgrade/labgrade/value"
)

// BenchmarkEval runs common expressions over one row; the simple ones must not allocate.
func BenchmarkEval(b *testing.B) {
	row := make(value.Row, len(testColumns))
	for i, c := range testColumns {
		switch {
		case c.Type.IsInteger():
			row[i] = value.Int(42)
		case c.Type.Kind == value.KindDouble:
			row[i] = value.Double(2.5)
		case c.Type.Kind == value.KindDecimal:
			row[i] = value.Decimal(value.DecOf(12345))
		case c.Type.IsCharacter():
			row[i] = value.String("Hello World")
		case c.Type.IsTimestamp():
			row[i] = value.Timestamp(1700000000000, 0)
		}
	}
	for _, c := range []struct{ expr string }{
		{expr: "i"}, {expr: "i > 10"}, {expr: "i + l * 2"}, {expr: "c * 2"}, {expr: "c + nnc"}, {expr: "s = 'Hello World'"}, {expr: "s LIKE '%World'"},
		{expr: "i > 10 AND s <> 'x' OR d < 1e0"}, {expr: "CASE WHEN i > 10 THEN 'a' ELSE 'b' END"}, {expr: "COALESCE(s, 'x')"},
		{expr: "SUBSTRING(s, 1, 5)"}, {expr: "UPPER(s)"}, {expr: "CAST(i AS STRING)"}, {expr: "DATE_FORMAT(ts, 'yyyy-MM-dd')"}, {expr: "FLOOR(ts TO HOUR)"},
	} {
		b.Run(c.expr, func(b *testing.B) {
			e, err := bind(c.expr)
			if err != nil {
				b.Fatal(err)
			}
			f, err := Compile(e, nil)
			if err != nil {
				b.Fatal(err)
			}
			var ctx Ctx
			b.ReportAllocs()
			for b.Loop() {
				f(&ctx, row)
			}
			if ctx.Err != nil {
				b.Fatal(ctx.Err)
			}
		})
	}
}
