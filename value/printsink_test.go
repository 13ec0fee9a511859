package value

import "testing"

// The texts are those that a print table of Flink wrote for the same maps.
func TestExternalMapOrder(t *testing.T) {
	timestamp := func(s string) Value {
		millis, nanos, err := ParseTimestamp(s, 9)
		if err != nil {
			t.Fatal(err)
		}
		return Timestamp(millis, nanos)
	}
	date := func(s string) Value {
		days, ok := ParseDate(s)
		if !ok {
			t.Fatal(s)
		}
		return Int(days)
	}
	hour := func(h int64) Value { return Int(h * millisPerHour) }
	inner := func(keys ...string) Value {
		var k, e []Value
		for i, s := range keys {
			k, e = append(k, String(s)), append(e, Int(int64(i+1)))
		}
		return MapOf(k, e)
	}
	for _, c := range []struct {
		key  Type
		keys []Value
		want string
	}{
		{TString, []Value{String("zz"), String("aa"), String("Aa"), String("BB"), String("日"), String("k1")}, "{zz=1, aa=2, Aa=3, BB=4, 日=5, k1=6}"},
		{TString, []Value{String("k1"), String("日"), String("b"), String("a")}, "{a=4, b=3, 日=2, k1=1}"},
		{TInt, []Value{Int(100), Int(-5), Int(17), Int(1), Int(65536)}, "{17=3, 1=4, 65536=5, 100=1, -5=2}"},
		{TBigInt, []Value{Int(9000000000), Int(-5), Int(17), Int(1)}, "{17=3, 1=4, 9000000000=1, -5=2}"},
		{DecimalType(10, 2), []Value{Decimal(DecOf(150)), Decimal(DecOf(-125)), Decimal(DecOf(10000))}, "{-1.25=2, 100.00=3, 1.50=1}"},
		{TDate, []Value{date("2026-02-03"), date("1970-01-01"), date("1969-01-01")}, "{2026-02-03=1, 1970-01-01=2, 1969-01-01=3}"},
		{TimestampType(3), []Value{timestamp("2026-02-03 04:05:06"), timestamp("1970-01-01 00:00:00"), timestamp("2025-01-01 10:00:00.123")}, "{2025-01-01T10:00:00.123=3, 2026-02-03T04:05:06=1, 1970-01-01T00:00=2}"},
		{TimestampLTZType(6), []Value{timestamp("2023-11-14 22:13:20.123"), timestamp("1970-01-01 00:00:00"), timestamp("1969-12-31 23:59:59.995")}, "{1970-01-01T00:00:00Z=2, 1969-12-31T23:59:59.995Z=3, 2023-11-14T22:13:20.123Z=1}"},
		{TimeType(0), []Value{hour(10), hour(0), Int(MillisPerDay - 1000)}, "{00:00=2, 23:59:59=3, 10:00=1}"},
		{TBoolean, []Value{Bool(true), Bool(false)}, "{false=2, true=1}"},
		{TDouble, []Value{Double(1.5), Double(0), Double(-7.25)}, "{0.0=2, 1.5=1, -7.25=3}"},
		{TTinyInt, []Value{Int(100), Int(-5), Int(17)}, "{17=3, 100=1, -5=2}"},
	} {
		typ := MapType(c.key, TInt)
		var elems []Value
		for i := range c.keys {
			elems = append(elems, Int(int64(i+1)))
		}
		if got := string(AppendExternal(nil, &typ, MapOf(c.keys, elems))); got != c.want {
			t.Errorf("%s: got %s, want %s", typ, got, c.want)
		}
	}
	nested := MapType(TString, MapType(TString, TInt))
	v := MapOf([]Value{String("zz"), String("k1")}, []Value{inner("b", "a"), inner("zz", "aa")})
	if got, want := string(AppendExternal(nil, &nested, v)), "{zz={a=2, b=1}, k1={zz=1, aa=2}}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
