package value

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A row that is written the short way looks as if written the long way.
func TestPlainRowsAreRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		types := rapid.SliceOfN(rapid.SampledFrom([]Type{TInt, TBigInt, TString, TBoolean, TDouble}), 1, 4).Draw(t, "types")
		var cols []Field
		for range types {
			cols = append(cols, Field{Name: rapid.StringMatching("[a-z]{1,8}").Draw(t, "name"), Type: types[len(cols)]})
		}
		opt := TableOptions{Op: rapid.Bool().Draw(t, "op"), NullAsEmpty: rapid.Bool().Draw(t, "empty"), MaxWidth: rapid.IntRange(0, 12).Draw(t, "max")}
		var plain, long strings.Builder
		widths := make([]int, len(cols))
		for i := range widths {
			widths[i] = rapid.IntRange(4, 14).Draw(t, "width")
		}
		p, l := NewTableWriterWidths(&plain, cols, widths, opt), NewTableWriterWidths(&long, cols, widths, opt)
		if rapid.Bool().Draw(t, "by type") {
			p, l = NewTableWriter(&plain, cols, opt), NewTableWriter(&long, cols, opt)
		}
		for range rapid.IntRange(1, 20).Draw(t, "rows") {
			var row Row
			for _, typ := range types {
				row = append(row, rapid.Custom(func(t *rapid.T) Value {
					if rapid.IntRange(0, 4).Draw(t, "null") == 0 {
						return Null
					}
					switch typ.Kind {
					case KindVarchar:
						return String(rapid.StringOfN(rapid.RuneFrom([]rune("abc ~\t\néß红")), 0, 16, -1).Draw(t, "text"))
					case KindDouble:
						return Double(rapid.Float64().Draw(t, "double"))
					case KindBoolean:
						return Bool(rapid.Bool().Draw(t, "bool"))
					case KindInt:
						return Int(int64(rapid.Int32().Draw(t, "int")))
					}
					return Int(rapid.Int64().Draw(t, "bigint"))
				}).Draw(t, "value"))
			}
			p.Row("+U", row)
			l.anyRow("+U", row)
		}
		p.Flush()
		l.Flush()
		if plain.String() != long.String() {
			t.Fatalf("got\n%s\nwant\n%s", plain.String(), long.String())
		}
	})
}

func BenchmarkTableRow(b *testing.B) {
	w := NewTableWriter(nullWriter{}, []Field{{Name: "user_id", Type: TString}, {Name: "clicks", Type: TBigInt}, {Name: "dwell", Type: TInt}}, TableOptions{Op: true})
	row := Row{String("u12345"), Int(1234), Int(567890)}
	for b.Loop() {
		w.Row("+U", row)
	}
}

type nullWriter struct{}

func (nullWriter) Write(p []byte) (int, error) { return len(p), nil }
