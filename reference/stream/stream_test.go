package stream_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/value"
)

// The tests build plans by hand over tables of a few columns and compare the whole log
// as text: kind, then the values.

var (
	tString = value.Type{Kind: value.KindVarchar, Length: value.MaxLength, Nullable: true}
	tInt    = value.Type{Kind: value.KindInt, Nullable: true}
	tBigint = value.Type{Kind: value.KindBigInt}
	tDouble = value.Type{Kind: value.KindDouble, Nullable: true}
	tTime   = value.Type{Kind: value.KindTimestamp, Precision: 3, Nullable: true, Time: value.Rowtime}
)

func field(name string, t value.Type) value.Field { return value.Field{Name: name, Type: t} }

// change is one row of a table.
type change struct {
	kind changelog.RowKind
	row  value.Row
}

// table is an in-memory source.
type table struct {
	rows []change
	i    int
}

func (t *table) Next(row value.Row) (changelog.RowKind, stream.Position, error) {
	if t.i == len(t.rows) {
		return 0, stream.Position{}, io.EOF
	}
	c := t.rows[t.i]
	t.i++
	copy(row, c.row)
	return c.kind, stream.Position{File: 1, Line: t.i}, nil
}

func (t *table) Close() error { return nil }

// source is a scan whose rows are given as text: "+I a 1", blanks between values, "-" for NULL.
func source(mode changelog.Mode, fields []value.Field, lines string) (*phys.TableSourceScan, []change) {
	n := &phys.TableSourceScan{Base: phys.Base{Fields: fields, Produce: mode}, Limit: -1}
	var rows []change
	for _, l := range strings.Split(strings.TrimSpace(lines), "\n") {
		p := strings.Fields(l)
		k, ok := changelog.ParseRowKind(p[0])
		if !ok {
			panic(l)
		}
		c := change{kind: k}
		for i, s := range p[1:] {
			c.row = append(c.row, parse(fields[i].Type, s))
		}
		rows = append(rows, c)
	}
	return n, rows
}

func parse(t value.Type, s string) value.Value {
	if s == "-" {
		return value.Null
	}
	switch t.Kind {
	case value.KindVarchar:
		return value.String(s)
	case value.KindDouble:
		var f float64
		fmt.Sscan(s, &f)
		return value.Double(f)
	case value.KindBoolean:
		return value.Bool(s == "true")
	case value.KindTimestamp:
		var n int64
		fmt.Sscan(s, &n)
		return value.Timestamp(n, 0)
	}
	var n int64
	fmt.Sscan(s, &n)
	return value.Int(n)
}

func text(t value.Type, v value.Value) string {
	if v.IsNull() {
		return "-"
	}
	switch t.Kind {
	case value.KindVarchar:
		return v.Str()
	case value.KindDouble:
		return fmt.Sprint(v.Double())
	case value.KindBoolean:
		return fmt.Sprint(v.Bool())
	}
	return fmt.Sprint(v.Int())
}

// compile knows columns, literals and a comparison: what the tests need.
func compile(e rex.Expr) (fn.Eval, error) {
	switch e := e.(type) {
	case *rex.InputRef:
		return func(_ *fn.Ctx, row value.Row) value.Value { return row[e.Index] }, nil
	case *rex.Literal:
		return func(*fn.Ctx, value.Row) value.Value { return e.V }, nil
	case *rex.Call:
		a, err := compile(e.Args[0])
		if err != nil {
			return nil, err
		}
		b, err := compile(e.Args[1])
		if err != nil {
			return nil, err
		}
		if e.Op.Name == "delay" {
			return func(c *fn.Ctx, row value.Row) value.Value {
				return value.Timestamp(a(c, row).Millis()-b(c, row).Int(), 0)
			}, nil
		}
		if e.Op.Name == "=" {
			return func(c *fn.Ctx, row value.Row) value.Value {
				x, y := a(c, row), b(c, row)
				if x.IsNull() || y.IsNull() {
					return value.Null
				}
				return value.Bool(x == y)
			}, nil
		}
	}
	return nil, fmt.Errorf("no test meaning for %T", e)
}

func run(t *testing.T, root phys.Node, rt stream.Runtime, tables map[*phys.TableSourceScan][]change) string {
	t.Helper()
	rt.Compile = compile
	rt.Open = func(n *phys.TableSourceScan) (stream.Reader, error) { return &table{rows: tables[n]}, nil }
	var b strings.Builder
	err := stream.Run(root, &rt, func(k changelog.RowKind, row value.Row, _ stream.Cause) error {
		b.WriteString(k.String())
		for i, v := range row {
			b.WriteByte(' ')
			b.WriteString(text(root.Schema()[i].Type, v))
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	}
	return b.String()
}

func check(t *testing.T, got, want string) {
	t.Helper()
	trim := func(s string) []string {
		var out []string
		for _, l := range strings.Split(strings.TrimSpace(s), "\n") {
			out = append(out, strings.TrimSpace(l))
		}
		return out
	}
	if d := cmp.Diff(trim(want), trim(got)); d != "" {
		t.Errorf("log differs (-want +got):\n%s", d)
	}
}

func call(name string, t value.Type, args ...int) phys.AggCall {
	c := phys.AggCall{Fn: &rex.Op{Name: name, Aggregate: true}, Args: args, Filter: -1, T: t}
	for range args {
		c.ArgTypes = append(c.ArgTypes, tInt)
	}
	return c
}

func over(in phys.Node, mode changelog.Mode, fields ...value.Field) phys.Base {
	return phys.Base{In: []phys.Node{in}, Fields: fields, Produce: mode}
}

// groupBy is SELECT key, calls FROM in GROUP BY key.
func groupBy(in phys.Node, mode changelog.Mode, key int, calls ...phys.AggCall) *phys.GroupAggregate {
	g := &phys.GroupAggregate{Base: over(in, mode), Calls: calls}
	if key >= 0 {
		g.Keys = []int{key}
		g.Fields = append(g.Fields, in.Schema()[key])
	}
	for _, c := range calls {
		g.Fields = append(g.Fields, field(c.Fn.Name, c.T))
	}
	return g
}

var clicks = []value.Field{field("u", tString), field("n", tInt)}

func TestGroupAggregate(t *testing.T) {
	in, rows := source(changelog.InsertOnly, clicks, `
		+I ann 3
		+I bob 5
		+I ann 4
		+I ann -
		+I - 1
		+I - 2`)
	src := map[*phys.TableSourceScan][]change{in: rows}
	t.Run("every change of a group is a pair", func(t *testing.T) {
		g := groupBy(in, changelog.Retract, 0, call("COUNT", tBigint), call("SUM", tInt, 1))
		check(t, run(t, g, stream.Runtime{}, src), `
			+I ann 1 3
			+I bob 1 5
			-U ann 1 3
			+U ann 2 7
			-U ann 2 7
			+U ann 3 7
			+I - 1 1
			-U - 1 1
			+U - 2 3`)
	})
	t.Run("unchanged results are silent, and -U only if wanted", func(t *testing.T) {
		g := groupBy(in, changelog.Upsert, 0, call("SUM", tInt, 1))
		check(t, run(t, g, stream.Runtime{}, src), `
			+I ann 3
			+I bob 5
			+U ann 7
			+I - 1
			+U - 3`)
	})
	t.Run("with a state TTL they are repeated", func(t *testing.T) {
		g := groupBy(in, changelog.Upsert, 0, call("MAX", tInt, 1))
		check(t, run(t, g, stream.Runtime{StateTTL: 1}, src), `
			+I ann 3
			+I bob 5
			+U ann 4
			+U ann 4
			+I - 1
			+U - 2`)
	})
	t.Run("counts of counts delete", func(t *testing.T) {
		g := groupBy(in, changelog.Retract, 0, call("COUNT", tBigint))
		n := groupBy(g, changelog.All, 1, call("COUNT", tBigint))
		check(t, run(t, n, stream.Runtime{}, src), `
			+I 1 1
			-U 1 1
			+U 1 2
			-U 1 2
			+U 1 1
			+I 2 1
			-D 2 1
			+I 3 1
			-U 1 1
			+U 1 2
			-U 1 2
			+U 1 1
			+I 2 1`)
	})
	t.Run("nothing for an empty input without keys", func(t *testing.T) {
		g := groupBy(in, changelog.Retract, -1, call("COUNT", tBigint))
		check(t, run(t, g, stream.Runtime{}, nil), "")
	})
}

func TestHavingPassesHalfAnUpdate(t *testing.T) {
	in, rows := source(changelog.InsertOnly, clicks, `
		+I ann 1
		+I ann 2
		+I ann 3`)
	g := groupBy(in, changelog.Retract, 0, call("COUNT", tBigint))
	two := &rex.Call{Op: &rex.Op{Name: "="}, Args: []rex.Expr{&rex.InputRef{Index: 1, T: tBigint}, &rex.Literal{V: value.Int(2), T: tBigint}}}
	c := &phys.Calc{
		Base:  over(g, changelog.Retract, g.Fields...),
		Exprs: []rex.Expr{&rex.InputRef{Index: 0, T: tString}, &rex.InputRef{Index: 1, T: tBigint}}, Cond: two,
	}
	check(t, run(t, c, stream.Runtime{}, map[*phys.TableSourceScan][]change{in: rows}), `
		+U ann 2
		-U ann 2`)
}

func TestRetractingFunctions(t *testing.T) {
	retracting := func(name string, tp value.Type, distinct bool) phys.AggCall {
		c := call(name, tp, 1)
		c.Retract, c.Distinct = true, distinct
		return c
	}
	in, rows := source(changelog.All, clicks, `
		+I a 5
		+I a 2
		+I a 5
		-U a 5
		+U a 9
		-D a 5
		-D a 9
		-D a 2
		+I a 1`)
	g := groupBy(in, changelog.All, 0, retracting("MAX", tInt, false), retracting("MIN", tInt, false),
		retracting("LAST_VALUE", tInt, false), retracting("FIRST_VALUE", tInt, false), retracting("SUM", tInt, true), retracting("AVG", tInt, false))
	check(t, run(t, g, stream.Runtime{}, map[*phys.TableSourceScan][]change{in: rows}), `
		+I a 5 5 5 5 5 5
		-U a 5 5 5 5 5 5
		+U a 5 2 2 5 7 3
		-U a 5 2 2 5 7 3
		+U a 5 2 5 5 7 4
		-U a 5 2 5 5 7 4
		+U a 5 2 5 2 7 3
		-U a 5 2 5 2 7 3
		+U a 9 2 9 2 16 5
		-U a 9 2 9 2 16 5
		+U a 9 2 9 2 11 5
		-U a 9 2 9 2 11 5
		+U a 2 2 2 2 2 2
		-D a 2 2 2 2 2 2
		+I a 1 1 1 1 1 1`)
}

func TestUnionTakesBranchesInOrder(t *testing.T) {
	a, ra := source(changelog.InsertOnly, clicks, "+I a 1\n+I a 2")
	b, rb := source(changelog.InsertOnly, clicks, "+I b 1")
	u := &phys.Union{Base: phys.Base{In: []phys.Node{a, b}, Fields: clicks, Produce: changelog.InsertOnly}}
	check(t, run(t, u, stream.Runtime{}, map[*phys.TableSourceScan][]change{a: ra, b: rb}), `
		+I a 1
		+I a 2
		+I b 1`)
}

func TestChangelogFunctions(t *testing.T) {
	in, rows := source(changelog.Retract, clicks, `
		+I a 1
		-U a 1
		+U a 2`)
	to := &phys.ProcessTableFunction{
		Base:     over(in, changelog.InsertOnly, field("op", tString), clicks[0], clicks[1]),
		Function: "TO_CHANGELOG", OpColumn: "op",
		To: map[changelog.RowKind]string{changelog.Insert: "i", changelog.UpdateAfter: "u"},
	}
	check(t, run(t, to, stream.Runtime{}, map[*phys.TableSourceScan][]change{in: rows}), `
		+I i a 1
		+I u a 2`)
	from := &phys.ProcessTableFunction{
		Base: over(to, changelog.All, clicks...), Function: "FROM_CHANGELOG", OpColumn: "op",
		From: map[string]changelog.RowKind{"i": changelog.Insert, "u": changelog.UpdateAfter},
	}
	check(t, run(t, from, stream.Runtime{}, map[*phys.TableSourceScan][]change{in: rows}), `
		+I a 1
		+U a 2`)
	from.From = map[string]changelog.RowKind{"i": changelog.Insert}
	check(t, run(t, from, stream.Runtime{}, map[*phys.TableSourceScan][]change{in: rows}), `
		+I a 1
		error: org.apache.flink.table.api.TableRuntimeException: Received invalid op code 'u'. Defined op codes are: [i].`)
}

// The logs of bundles were recorded from Flink (minibatch-size-5 and its kin) and
// reproduced by the mechanism; here the same mechanism runs on the same rows.
func TestMiniBatch(t *testing.T) {
	var lines []string
	for i := 1; i <= 30; i++ {
		lines = append(lines, fmt.Sprintf("+I %c%d %d", "abacabadab"[i%10], i%3, i))
	}
	in, rows := source(changelog.InsertOnly, clicks, strings.Join(lines, "\n"))
	src := map[*phys.TableSourceScan][]change{in: rows}
	assigner := &phys.MiniBatchAssigner{Base: over(in, changelog.InsertOnly, clicks...), IntervalMillis: 60000, TimeMode: "ProcTime"}
	calls := []phys.AggCall{call("COUNT", tBigint)}
	one := groupBy(assigner, changelog.Retract, 0, calls...)
	one.MiniBatch = true
	local := &phys.LocalGroupAggregate{Base: over(assigner, changelog.InsertOnly, clicks[0], field("count1$0", tBigint)), Keys: []int{0}, Calls: calls}
	exchange := &phys.Exchange{Base: over(local, changelog.InsertOnly, local.Fields...)}
	global := &phys.GlobalGroupAggregate{Base: over(exchange, changelog.Retract, one.Fields...), Keys: []int{0}, Calls: calls, Local: local}
	plain := groupBy(in, changelog.Retract, 0, calls...)
	want := run(t, plain, stream.Runtime{}, src)
	check(t, run(t, one, stream.Runtime{MiniBatchSize: 1}, src), want)
	check(t, run(t, global, stream.Runtime{MiniBatchSize: 1}, src), want)
	check(t, run(t, global, stream.Runtime{MiniBatchSize: 1000}, src), `
		+I b2 3
		+I d0 1
		+I a1 5
		+I a0 5
		+I c2 1
		+I b0 3
		+I b1 3
		+I d1 1
		+I a2 5
		+I c0 1
		+I d2 1
		+I c1 1`)
	check(t, run(t, global, stream.Runtime{MiniBatchSize: 10}, src), `
		+I b2 2
		+I a1 2
		+I a0 3
		+I b0 1
		+I b1 1
		+I d1 1
		+I a2 2
		+I c0 1
		+I d0 1
		-U b2 2
		+U b2 3
		-U a1 2
		+U a1 5
		+I c2 1
		-U b0 1
		+U b0 2
		-U b1 1
		+U b1 2
		-U a2 2
		+U a2 4
		+I d2 1
		+I c1 1
		-U a0 3
		+U a0 5
		-U b0 2
		+U b0 3
		-U b1 2
		+U b1 3
		-U a2 4
		+U a2 5`)
}
