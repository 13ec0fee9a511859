package value

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTypeTexts(t *testing.T) {
	row := RowType(Field{Name: "x", Type: TInt.NotNull()}, Field{Name: "y`", Type: TString})
	for _, c := range []struct {
		t                                     Type
		summary, serial, calcite, calciteFull string
	}{
		{TInt.NotNull(), "INT NOT NULL", "INT NOT NULL", "INTEGER", "INTEGER NOT NULL"},
		{TString, "STRING", "VARCHAR(2147483647)", "VARCHAR(2147483647)", `VARCHAR(2147483647) CHARACTER SET "UTF-16LE"`},
		{DecimalType(10, 2), "DECIMAL(10, 2)", "DECIMAL(10, 2)", "DECIMAL(10, 2)", "DECIMAL(10, 2)"},
		{TimestampLTZType(3), "TIMESTAMP_LTZ(3)", "TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP_WITH_LOCAL_TIME_ZONE(3)", "TIMESTAMP_WITH_LOCAL_TIME_ZONE(3)"},
		{Type{Kind: KindTimestamp, Nullable: true, Precision: 3, Time: Rowtime}, "TIMESTAMP(3) *ROWTIME*", "TIMESTAMP(3)", "TIMESTAMP(3) *ROWTIME*", "TIMESTAMP(3) *ROWTIME*"},
		{ArrayType(TInt), "ARRAY<INT>", "ARRAY<INT>", "INTEGER ARRAY", "INTEGER ARRAY"},
		{MapType(CharType(1).NotNull(), TInt), "MAP<CHAR(1) NOT NULL, INT>", "MAP<CHAR(1) NOT NULL, INT>", "(CHAR(1), INTEGER) MAP", `(CHAR(1) CHARACTER SET "UTF-16LE" NOT NULL, INTEGER) MAP`},
		{row, "ROW<`x` INT NOT NULL, `y``` STRING>", "ROW<`x` INT NOT NULL, `y``` VARCHAR(2147483647)>", "RecordType:peek_no_expand(INTEGER x, VARCHAR(2147483647) y`)", "RecordType:peek_no_expand(INTEGER NOT NULL x, VARCHAR(2147483647) CHARACTER SET \"UTF-16LE\" y`)"},
		{IntervalType("DAY TO SECOND"), "INTERVAL DAY(2) TO SECOND(6)", "INTERVAL DAY(2) TO SECOND(6)", "INTERVAL DAY TO SECOND", "INTERVAL DAY TO SECOND"},
	} {
		got := []string{c.t.String(), c.t.Serializable(), c.t.Calcite(), c.t.CalciteFull()}
		if d := cmp.Diff([]string{c.summary, c.serial, c.calcite, c.calciteFull}, got); d != "" {
			t.Error(d)
		}
	}
}

// The casts of the recorded case cast-and-try-cast.
func TestCastsOfText(t *testing.T) {
	types := []Type{TInt, TDouble, DecimalType(6, 2), TBoolean, TDate, TimestampType(3), TTinyInt}
	for _, c := range []struct{ in, want string }{
		{"42", "42 42.0 42.00 - 0042-01-01 - 42"},
		{"7 ", "7 7.0 7.00 - 0007-01-01 - 7"},
		{"3.99", "3 3.99 3.99 - - - 3"},
		{"1e3", "- 1000.0 1000.00 - - - -"},
		{"true", "- - - TRUE - - -"},
		{"2026-01-02", "- - - - 2026-01-02 2026-01-02_00:00:00.000 -"},
		{"2026-01-02 03:04:05.678", "- - - - 2026-01-02 2026-01-02_03:04:05.678 -"},
		{"abc", "- - - - - - -"},
		{"T", "- - 0.00 TRUE - - -"},
		{"2026-02-30", "- - - - - 2026-02-28_00:00:00.000 -"},
		{"12345.678", "12345 12345.678 - - - - -"},
		{"yes", "- - - TRUE - - -"},
		{"2026-1-2", "- - - - 2026-01-02 2026-01-02_00:00:00.000 -"},
	} {
		var got []string
		for _, typ := range types {
			f, err := TryCaster(TString, typ, CastOptions{})
			if err != nil {
				t.Fatal(err)
			}
			s := strings.ReplaceAll(string(AppendCell(nil, &typ, f(String(c.in)), nil)), " ", "_")
			got = append(got, strings.Replace(s, "<NULL>", "-", 1))
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%q: got %s, want %s", c.in, g, c.want)
		}
	}
}

// zip 1, cap 2, bag 4, ink 13, pen 15 in an order that the recorded COLLECT shows.
func TestMultisetOrder(t *testing.T) {
	keys := []Value{String("pen"), String("ink"), String("bag"), String("zip")}
	elems := []Value{Int(1), Int(2), Int(3), Int(4)}
	SortJavaMap(&TString, keys, elems)
	typ := MultisetType(TString)
	if got := string(AppendCell(nil, &typ, MapOf(keys, elems), nil)); got != "{zip=4, bag=3, ink=2, pen=1}" {
		t.Error(got)
	}
}

func TestTableWriter(t *testing.T) {
	var b strings.Builder
	w := NewTableWriter(&b, []Field{{Name: "id", Type: TInt}, {Name: "s", Type: TString}}, TableOptions{Op: true})
	w.Header()
	w.Row("+I", Row{Int(8), String("이것은 서른 칸보다 훨씬 더 길어서 잘린다")})
	w.Row("-U", Row{Null, String("exactly-thirty-characters-here")})
	w.Border()
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	want := `+----+-------------+--------------------------------+
| op |          id |                              s |
+----+-------------+--------------------------------+
| +I |           8 | 이것은 서른 칸보다 훨씬 더 ... |
| -U |      <NULL> | exactly-thirty-characters-here |
+----+-------------+--------------------------------+
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

// Pairs of types as Flink's planner accepts and refuses them.
func TestRefusedCasts(t *testing.T) {
	row := RowType(Field{Name: "a", Type: TInt}, Field{Name: "b", Type: TString})
	for _, c := range []struct {
		from, to Type
		want     string
	}{
		{TDate, TInt, "org.apache.calcite.sql.validate.SqlValidatorException: Cast function cannot convert value of type DATE to type INTEGER"},
		{row, TInt, "org.apache.calcite.sql.validate.SqlValidatorException: Cast function cannot convert value of type RecordType:peek_no_expand(INTEGER a, VARCHAR(2147483647) b) to type INTEGER"},
		{ArrayType(TInt), ArrayType(TDate), "org.apache.calcite.sql.validate.SqlValidatorException: Cast function cannot convert value of type INTEGER ARRAY to type DATE ARRAY"},
		{MapType(CharType(1), TInt), MapType(TString, TDate), "org.apache.calcite.sql.validate.SqlValidatorException: Cast function cannot convert value of type (CHAR(1), INTEGER) MAP to type (VARCHAR(2147483647), DATE) MAP"},
		{IntervalType("DAY"), TInt, "org.apache.calcite.sql.validate.SqlValidatorException: Cast function cannot convert value of type INTERVAL DAY to type INTEGER"},
		{TInt, IntervalType("DAY"), ""},
		{TDouble, IntervalType("DAY"), "org.apache.calcite.sql.validate.SqlValidatorException: Cast function cannot convert value of type DOUBLE to type INTERVAL DAY"},
		{BinaryType(1).NotNull(), TDate.NotNull(), "org.apache.flink.table.planner.codegen.CodeGenException: Unsupported cast from 'BINARY(1) NOT NULL' to 'DATE NOT NULL'."},
		{DecimalType(10, 2), IntervalType("DAY"), "org.apache.flink.table.planner.codegen.CodeGenException: Unsupported cast from 'DECIMAL(10, 2)' to 'INTERVAL SECOND(3)'."},
		{TString, IntervalType("YEAR"), "org.apache.flink.table.planner.codegen.CodeGenException: Unsupported cast from 'STRING' to 'INTERVAL MONTH'."},
		{VarcharType(5), ArrayType(TInt), "org.apache.flink.table.planner.codegen.CodeGenException: Unsupported cast from 'VARCHAR(5)' to 'ARRAY<INT>'."},
		{ArrayType(TInt), ArrayType(TimestampType(3)), "org.apache.flink.table.api.ValidationException: The cast from NUMERIC type to TIMESTAMP type is not allowed. It's recommended to use TO_TIMESTAMP(FROM_UNIXTIME(numeric_col)) instead, note the numeric is in seconds."},
		{TimestampLTZType(3), TBigInt, "org.apache.flink.table.api.ValidationException: The cast from TIMESTAMP_LTZ type to NUMERIC type is not allowed."},
		{DecimalType(3, 1), TBoolean, ""},
	} {
		got := ""
		if _, err := Caster(c.from, c.to, CastOptions{}); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s -> %s: got %q, want %q", c.from, c.to, got, c.want)
		}
	}
}
