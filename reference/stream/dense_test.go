package stream

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

var (
	denseInput = []value.Field{{Name: "k", Type: value.TString}, {Name: "i", Type: value.TInt}, {Name: "b", Type: value.TBigInt},
		{Name: "f", Type: value.TDouble}, {Name: "cond", Type: value.TBoolean}}
	denseCalls = []phys.AggCall{
		denseCall("COUNT", value.TBigInt), denseCall("COUNT", value.TBigInt, 1), denseCall("SUM", value.TInt, 1), denseCall("$SUM0", value.TBigInt, 2),
		denseCall("AVG", value.TInt, 1), denseCall("MIN", value.TBigInt, 2), denseCall("MAX", value.TInt, 1), denseCall("SUM", value.TDouble, 3),
		denseCall("AVG", value.TDouble, 3), denseCall("FIRST_VALUE", value.TInt, 1), denseCall("LAST_VALUE", value.TBoolean, 4),
	}
)

func denseCall(name string, t value.Type, args ...int) phys.AggCall {
	c := phys.AggCall{Fn: &rex.Op{Name: name, Aggregate: true}, Args: args, Filter: -1, T: t}
	for _, a := range args {
		c.ArgTypes = append(c.ArgTypes, denseInput[a].Type)
	}
	return c
}

// recorder is an operator that writes down what it is given.
type recorder struct {
	forward
	types []value.Type
	b     strings.Builder
}

func (r *recorder) row(k changelog.RowKind, row value.Row) error {
	r.b.WriteString(k.String())
	for i, v := range row {
		fmt.Fprintf(&r.b, " %s", value.AppendCell(nil, &r.types[i], v, nil))
	}
	r.b.WriteByte('\n')
	return nil
}

// The dense aggregate must log what the general one logs.
func TestDenseAggregateIsTheGeneralOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := changelog.InsertOnly
		if rapid.Bool().Draw(t, "retracts") {
			mode = changelog.All
		}
		n := &phys.GroupAggregate{Keys: rapid.SampledFrom([][]int{{0}, {}, {0, 2}}).Draw(t, "keys")}
		n.In = []phys.Node{&phys.TableSourceScan{Base: phys.Base{Fields: denseInput, Produce: mode}}}
		types := make([]value.Type, 0, 8)
		for _, k := range n.Keys {
			types = append(types, denseInput[k].Type)
		}
		for range rapid.IntRange(1, 4).Draw(t, "calls") {
			c := rapid.SampledFrom(denseCalls).Draw(t, "call")
			if rapid.IntRange(0, 3).Draw(t, "filter") == 0 {
				c.Filter = 4
			}
			if mode.Has(changelog.ModeUB) {
				switch c.Fn.Name {
				case "SUM", "AVG", "$SUM0", "COUNT":
					c.Retract = true
				default:
					continue
				}
			}
			n.Calls = append(n.Calls, c)
			types = append(types, c.T)
		}
		n.Produce = rapid.SampledFrom([]changelog.Mode{changelog.All, changelog.Upsert}).Draw(t, "produced")
		if !dense(n.Calls) {
			t.Fatal("the calls are not dense")
		}
		var logs [2]*recorder
		var ops [2]operator
		for i := range ops {
			logs[i] = &recorder{types: types}
			op, err := (&job{rt: &Runtime{StateTTL: int64(rapid.IntRange(0, 1).Draw(t, "ttl"))}}).newGroupAggregate(n, logs[i])
			if err != nil {
				t.Fatal(err)
			}
			ops[i] = op
		}
		d := ops[0].(*denseAggregate)
		d.repeat = ops[1].(*denseAggregate).repeat
		ops[1] = &groupAggregate{forward: forward{logs[1]}, job: d.job, keys: d.keys, calls: d.calls, types: d.types, counting: d.counting, before: d.before,
			repeat: d.repeat, groups: map[string]*group{}, results: make(value.Row, len(d.types))}
		maybe := func(v value.Value) value.Value {
			if rapid.IntRange(0, 4).Draw(t, "null") == 0 {
				return value.Null
			}
			return v
		}
		var in []value.Row
		for range rapid.IntRange(1, 40).Draw(t, "rows") {
			kind, row := changelog.Insert, value.Row(nil)
			if mode.Has(changelog.ModeUB) && len(in) > 0 && rapid.Bool().Draw(t, "retract") {
				i := rapid.IntRange(0, len(in)-1).Draw(t, "which")
				kind, row = changelog.Delete, in[i]
				in = append(in[:i], in[i+1:]...)
			} else {
				row = value.Row{maybe(value.String(rapid.SampledFrom([]string{"a", "b", "", "a key longer than a slot of the index"}).Draw(t, "k"))),
					maybe(value.Int(int64(rapid.Int32().Draw(t, "i")))), maybe(value.Int(rapid.Int64Range(-3, 3).Draw(t, "b"))),
					maybe(value.Double(rapid.Float64Range(-4, 4).Draw(t, "f"))), maybe(value.Bool(rapid.Bool().Draw(t, "cond")))}
				in = append(in, row)
			}
			for _, op := range ops {
				if err := op.row(kind, row); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got, want := logs[0].b.String(), logs[1].b.String(); got != want {
			t.Fatalf("dense:\n%s\ngeneral:\n%s", got, want)
		}
	})
}

// clicks is a source of many rows of the lab's shape.
type clicks struct{ i, n int }

func (c *clicks) Next(row value.Row) (changelog.RowKind, Position, error) {
	if c.i == c.n {
		return 0, Position{}, io.EOF
	}
	c.i++
	u := c.i * 7919 % 50000
	row[0], row[1] = value.String(users[u]), value.Int(int64(u%1000))
	return changelog.Insert, Position{File: 1, Line: c.i}, nil
}

func (c *clicks) Close() error { return nil }

var users = func() []string {
	out := make([]string, 50000)
	for i := range out {
		out[i] = fmt.Sprintf("user_%05d", i)
	}
	return out
}()

// BenchmarkGroupBy is one record per operation, over 50,000 groups.
func BenchmarkGroupBy(b *testing.B) {
	scan := &phys.TableSourceScan{Base: phys.Base{Fields: denseInput[:2], Produce: changelog.InsertOnly}, Limit: -1}
	n := &phys.GroupAggregate{Keys: []int{0}, Calls: []phys.AggCall{denseCall("COUNT", value.TBigInt), denseCall("SUM", value.TInt, 1)}}
	n.In = []phys.Node{scan}
	n.Produce = changelog.Retract
	b.ReportAllocs()
	b.ResetTimer()
	rows := 0
	err := Run(n, &Runtime{Open: func(*phys.TableSourceScan) (Reader, error) { return &clicks{n: b.N}, nil }},
		func(changelog.RowKind, value.Row, Cause) error { rows++; return nil })
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(rows)/float64(b.N), "rows/op")
}
