package fn

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// testColumns are the columns of the table that tests write expressions over.
var testColumns = []value.Field{
	{Name: "ti", Type: value.TTinyInt}, {Name: "si", Type: value.TSmallInt}, {Name: "i", Type: value.TInt},
	{Name: "l", Type: value.TBigInt}, {Name: "f", Type: value.TFloat}, {Name: "d", Type: value.TDouble},
	{Name: "c", Type: value.DecimalType(10, 2)}, {Name: "e", Type: value.DecimalType(5, 3)}, {Name: "g", Type: value.DecimalType(38, 10)},
	{Name: "s", Type: value.TString}, {Name: "v", Type: value.VarcharType(10)}, {Name: "h", Type: value.CharType(5)},
	{Name: "b", Type: value.TBoolean}, {Name: "dt", Type: value.TDate}, {Name: "tm", Type: value.TimeType(0)},
	{Name: "ts", Type: value.TimestampType(3)}, {Name: "ts6", Type: value.TimestampType(6)}, {Name: "tz", Type: value.TimestampLTZType(3)},
	{Name: "y", Type: value.TBytes}, {Name: "bi", Type: value.BinaryType(3)},
	{Name: "ai", Type: value.ArrayType(value.TInt)}, {Name: "sa", Type: value.ArrayType(value.TString)},
	{Name: "m", Type: value.MapType(value.TString, value.TInt)},
	{Name: "r", Type: value.RowType(value.Field{Name: "x", Type: value.TInt}, value.Field{Name: "y", Type: value.TString})},
	{Name: "nni", Type: value.TInt.NotNull()}, {Name: "nns", Type: value.TString.NotNull()}, {Name: "nnl", Type: value.TBigInt.NotNull()},
	{Name: "nnd", Type: value.TDouble.NotNull()}, {Name: "nnc", Type: value.DecimalType(10, 2).NotNull()},
}

// bind turns expression text into a typed expression, as far as tests need it:
// the real binder stands in another package, which imports this one.
func bind(text string) (rex.Expr, error) { return (&testBinder{columns: testColumns}).parse(text) }

type testBinder struct{ columns []value.Field }

func (b *testBinder) parse(text string) (rex.Expr, error) {
	x, err := sql.ParseExpr(text)
	if err != nil {
		return nil, err
	}
	return b.expr(x)
}

func (b *testBinder) all(xs ...sql.Expr) ([]rex.Expr, error) {
	var out []rex.Expr
	for _, x := range xs {
		e, err := b.expr(x)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

func (b *testBinder) call(name string, xs ...sql.Expr) (rex.Expr, error) {
	args, err := b.all(xs...)
	if err != nil {
		return nil, err
	}
	return Resolve(&Context{Written: name}, name, args)
}

func (b *testBinder) expr(x sql.Expr) (rex.Expr, error) {
	switch x := x.(type) {
	case *sql.ColumnRef:
		for i, c := range b.columns {
			if c.Name != x.Name.Parts[0].Text {
				continue
			}
			var e rex.Expr = &rex.InputRef{Index: i, T: c.Type}
			for _, p := range x.Name.Parts[1:] {
				k := slices.IndexFunc(e.Type().Fields, func(f value.Field) bool { return f.Name == p.Text })
				if k < 0 {
					return nil, fmt.Errorf("field %s", p.Text)
				}
				e = FieldOf(e, k)
			}
			return e, nil
		}
		return nil, fmt.Errorf("column %v", x.Name.Parts)
	case *sql.NumberLit:
		return numberOf(x.Text)
	case *sql.StringLit:
		return &rex.Literal{V: value.String(x.Value), T: value.CharType(value.UTF16Len(x.Value)).NotNull()}, nil
	case *sql.BinaryLit:
		b, err := hex.DecodeString(x.Hex)
		return &rex.Literal{V: value.String(string(b)), T: value.BinaryType(len(b)).NotNull()}, err
	case *sql.BoolLit:
		return &rex.Literal{V: value.Bool(x.Value), T: value.TBoolean.NotNull()}, nil
	case *sql.NullLit:
		return &rex.Literal{T: value.TNull}, nil
	case *sql.TemporalLit:
		return temporalOf(x)
	case *sql.IntervalLit:
		return intervalOf(x)
	case *sql.Unary:
		return b.call(x.Op, x.X)
	case *sql.Binary:
		return b.call(x.Op, x.X, x.Y)
	case *sql.Between:
		name := "BETWEEN"
		if x.Symmetric {
			name += " SYMMETRIC"
		}
		if x.Not {
			name = "NOT " + name
		}
		return b.call(name, x.X, x.Lo, x.Hi)
	case *sql.Like:
		args := []sql.Expr{x.X, x.Pattern}
		if x.Escape != nil {
			args = append(args, x.Escape)
		}
		e, err := b.call(x.Op, args...)
		if err != nil || !x.Not {
			return e, err
		}
		return Resolve(nil, "NOT", []rex.Expr{e})
	case *sql.Case:
		return b.caseOf(x)
	case *sql.Cast:
		e, err := b.expr(x.X)
		if err != nil {
			return nil, err
		}
		return ResolveCast(nil, e, typeOf(x.Type), x.Try)
	case *sql.RowExpr:
		return b.call("ROW", x.Items...)
	case *sql.ArrayExpr:
		return b.call("ARRAY", x.Items...)
	case *sql.MapExpr:
		return b.call("MAP", x.Items...)
	case *sql.Index:
		return b.call("ITEM", x.X, x.I)
	case *sql.In:
		return b.in(x)
	case *sql.Flag:
		return &rex.Flag{Text: x.Text, T: value.TSymbol}, nil
	case *sql.Call:
		name := x.Name.Parts[len(x.Name.Parts)-1].Text
		return b.call(name, x.Args...)
	}
	return nil, fmt.Errorf("test binder: %T", x)
}

// in is x IN (a, b): a disjunction of comparisons.
func (b *testBinder) in(x *sql.In) (rex.Expr, error) {
	left, err := b.expr(x.X)
	if err != nil {
		return nil, err
	}
	var alternatives []rex.Expr
	for _, item := range x.List {
		e, err := b.expr(item)
		if err != nil {
			return nil, err
		}
		eq := &rex.Call{Op: rex.Eq, Args: []rex.Expr{left, ensure(left.Type(), e, true)}, T: value.TBoolean.WithNullable(left.Type().Nullable || e.Type().Nullable)}
		alternatives = append(alternatives, eq)
	}
	e := alternatives[0]
	if len(alternatives) > 1 {
		if e, err = Resolve(nil, "OR", alternatives); err != nil {
			return nil, err
		}
	}
	if x.Not {
		return Resolve(nil, "NOT", []rex.Expr{e})
	}
	return e, nil
}

func (b *testBinder) caseOf(x *sql.Case) (rex.Expr, error) {
	var args []rex.Expr
	for _, w := range x.When {
		cond, err := b.expr(w.Cond)
		if err == nil && x.X != nil {
			cond, err = b.call("=", x.X, w.Cond)
		}
		if err != nil {
			return nil, err
		}
		then, err := b.expr(w.Then)
		if err != nil {
			return nil, err
		}
		args = append(args, cond, then)
	}
	var last rex.Expr = &rex.Literal{T: value.TNull}
	if x.Else != nil {
		e, err := b.expr(x.Else)
		if err != nil {
			return nil, err
		}
		last = e
	}
	return Resolve(nil, "CASE", append(args, last))
}

func numberOf(text string) (rex.Expr, error) {
	switch {
	case strings.ContainsAny(text, "eE"):
		f, err := strconv.ParseFloat(text, 64)
		return &rex.Literal{V: value.Double(f), T: value.TDouble.NotNull()}, err
	case strings.Contains(text, "."):
		scale := len(text) - strings.IndexByte(text, '.') - 1
		digits := strings.Replace(text, ".", "", 1)
		n, err := strconv.ParseInt(digits, 10, 64)
		p := len(digits)
		return &rex.Literal{V: value.Decimal(value.DecOf(n)), T: value.DecimalType(p, scale).NotNull()}, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	t := value.TInt
	if n != int64(int32(n)) {
		t = value.TBigInt
	}
	return &rex.Literal{V: value.Int(n), T: t.NotNull()}, err
}

func temporalOf(x *sql.TemporalLit) (rex.Expr, error) {
	switch x.Kind {
	case "DATE":
		d, ok := value.ParseDate(x.Text)
		if !ok {
			return nil, fmt.Errorf("bad date %s", x.Text)
		}
		return &rex.Literal{V: value.Int(d), T: value.TDate.NotNull()}, nil
	case "TIME":
		ms, ok := value.ParseTime(x.Text)
		if !ok {
			return nil, fmt.Errorf("bad time %s", x.Text)
		}
		return &rex.Literal{V: value.Int(ms), T: value.TimeType(0).NotNull()}, nil
	}
	p := 0
	if i := strings.IndexByte(x.Text, '.'); i >= 0 {
		p = len(x.Text) - i - 1
	}
	ms, nano, err := value.ParseTimestamp(x.Text, p)
	return &rex.Literal{V: value.Timestamp(ms, nano), T: value.TimestampType(p).NotNull()}, err
}

func intervalOf(x *sql.IntervalLit) (rex.Expr, error) {
	unit := x.Unit.From
	if x.Unit.To != "" {
		unit += " TO " + x.Unit.To
	}
	if x.Value != nil || x.Unit.To != "" {
		return nil, fmt.Errorf("test binder: interval %s", unit)
	}
	f, err := strconv.ParseFloat(x.Text, 64)
	if err != nil {
		return nil, err
	}
	per := map[string]float64{"YEAR": 12, "MONTH": 1, "DAY": 86400000, "HOUR": 3600000, "MINUTE": 60000, "SECOND": 1000}[x.Unit.From]
	return &rex.Literal{V: value.Int(int64(f * per)), T: value.IntervalType(unit).NotNull()}, nil
}

func typeOf(t sql.TypeName) value.Type {
	p := func(i, def int) int {
		if i < len(t.Params) {
			return t.Params[i]
		}
		return def
	}
	switch t.Name {
	case "BOOLEAN":
		return value.TBoolean
	case "TINYINT":
		return value.TTinyInt
	case "SMALLINT":
		return value.TSmallInt
	case "INT":
		return value.TInt
	case "BIGINT":
		return value.TBigInt
	case "FLOAT":
		return value.TFloat
	case "DOUBLE":
		return value.TDouble
	case "DECIMAL":
		return value.DecimalType(p(0, 10), p(1, 0))
	case "CHAR":
		return value.CharType(p(0, 1))
	case "VARCHAR":
		return value.VarcharType(p(0, 1))
	case "STRING":
		return value.TString
	case "BYTES":
		return value.TBytes
	case "VARBINARY":
		return value.VarbinaryType(p(0, 1))
	case "BINARY":
		return value.BinaryType(p(0, 1))
	case "DATE":
		return value.TDate
	case "TIME":
		return value.TimeType(p(0, 0))
	case "TIMESTAMP":
		return value.TimestampType(p(0, 6))
	case "TIMESTAMP_LTZ":
		return value.TimestampLTZType(p(0, 6))
	case "ARRAY":
		return value.ArrayType(typeOf(t.Elems[0]))
	case "MAP":
		return value.MapType(typeOf(t.Elems[0]), typeOf(t.Elems[1]))
	case "ROW":
		var fields []value.Field
		for i, f := range t.Fields {
			fields = append(fields, value.Field{Name: f.Name.Text, Type: typeOf(t.Elems[i])})
		}
		return value.RowType(fields...)
	}
	panic("test binder: type " + t.Name)
}

func mustBind(t *testing.T, text string) rex.Expr {
	t.Helper()
	e, err := bind(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}
