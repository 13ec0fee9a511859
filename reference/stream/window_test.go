package stream_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/value"
)

// These tests run window plans made by hand over the data of recorded cases and compare
// with the recorded log, row by row and in order.

const window = "../../fixtures/recorded/corpus/window/"

var (
	rides = []value.Field{
		field("ride_id", tInt), field("zone", tString), field("fare", tInt), field("ts", tTime),
	}
	tStamp = value.Type{Kind: value.KindTimestamp, Precision: 3, Nullable: true}
)

// loadCSV reads a file of a case; an empty field is NULL.
func loadCSV(t *testing.T, path string, fields []value.Field) []change {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []change
	for _, l := range lines {
		var c change
		for i, s := range l {
			switch {
			case s == "":
				c.row = append(c.row, value.Null)
			case fields[i].Type.Kind == value.KindTimestamp:
				ts, err := time.Parse("2006-01-02 15:04:05.999", s)
				if err != nil {
					t.Fatal(err)
				}
				c.row = append(c.row, value.Timestamp(ts.UnixMilli(), 0))
			default:
				c.row = append(c.row, parse(fields[i].Type, s))
			}
		}
		rows = append(rows, c)
	}
	return rows
}

// recorded is the rows of a printed changelog: kind, then cells.
func recorded(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, l := range strings.Split(string(b), "\n") {
		if !strings.HasPrefix(l, "| ") || strings.HasPrefix(l, "| op") {
			continue
		}
		cells := strings.Split(strings.Trim(l, "|"), "|")
		for i, c := range cells {
			cells[i] = strings.TrimSpace(c)
		}
		out = append(out, strings.Join(cells, "|"))
	}
	return out
}

// printed runs a plan and prints its log as recorded does.
func printed(t *testing.T, root phys.Node, rt stream.Runtime, tables map[*phys.TableSourceScan][]change) []string {
	t.Helper()
	if rt.Compile == nil {
		rt.Compile = compile
	}
	rt.Open = func(n *phys.TableSourceScan) (stream.Reader, error) { return &table{rows: tables[n]}, nil }
	var out []string
	err := stream.Run(root, &rt, func(k changelog.RowKind, row value.Row, _ stream.Cause) error {
		cells := []string{k.String()}
		for i, v := range row {
			tp := root.Schema()[i].Type
			switch {
			case v.IsNull():
				cells = append(cells, "<NULL>")
			case tp.Kind == value.KindTimestamp:
				cells = append(cells, time.UnixMilli(v.Millis()).UTC().Format("2006-01-02 15:04:05.000"))
			default:
				cells = append(cells, text(tp, v))
			}
		}
		out = append(out, strings.Join(cells, "|"))
		return nil
	})
	if err != nil {
		out = append(out, "error: "+err.Error())
	}
	return out
}

func compareLog(t *testing.T, name string, got, want []string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-recorded +got):\n%s", name, d)
	}
}

// watermarked is a scan of rides with WATERMARK FOR ts AS ts - delay ms.
func watermarked(scan *phys.TableSourceScan, column int, delay int64) phys.Node {
	return &phys.WatermarkAssigner{
		Base: over(scan, scan.Produce, scan.Fields...), Column: column,
		Expr: &rex.Call{Op: &rex.Op{Name: "delay"}, Args: []rex.Expr{
			&rex.InputRef{Index: column, T: tTime}, &rex.Literal{V: value.Int(delay), T: tBigint},
		}},
	}
}

func project(in phys.Node, cols ...int) *phys.Calc {
	c := &phys.Calc{Base: over(in, in.Mode())}
	for _, i := range cols {
		f := in.Schema()[i]
		c.Fields = append(c.Fields, f)
		c.Exprs = append(c.Exprs, &rex.InputRef{Index: i, T: f.Type})
	}
	return c
}

// windowPlan aggregates windows over in by key columns, in one or two phases; the output
// is window_start, window_end, keys, calls.
func windowPlan(in phys.Node, w phys.Window, onePhase bool, keys []int, calls ...phys.AggCall) phys.Node {
	var fields []value.Field
	for _, k := range keys {
		fields = append(fields, in.Schema()[k])
	}
	for _, c := range calls {
		fields = append(fields, field(c.Fn.Name, c.T))
	}
	fields = append(fields, field("window_start", tStamp), field("window_end", tStamp))
	agg := &phys.WindowAggregate{Base: over(in, changelog.InsertOnly, fields...), Window: w, Keys: keys, Calls: calls, Props: []string{"start", "end"}}
	if !onePhase {
		local := &phys.WindowAggregate{Base: over(in, changelog.InsertOnly), Phase: "Local", Window: w, Keys: keys, Calls: calls}
		agg.In, agg.Phase, agg.Local = []phys.Node{&phys.Exchange{Base: over(local, changelog.InsertOnly)}}, "Global", local
	}
	n := len(keys) + len(calls)
	order := []int{n, n + 1}
	for i := range n {
		order = append(order, i)
	}
	return project(agg, order...)
}

func TestWindowAggregates(t *testing.T) {
	minute, second := int64(60000), int64(1000)
	w := func(kind string, size, slide, offset int64) phys.Window {
		return phys.Window{Kind: kind, TimeColumn: 3, Size: size, Slide: slide, Offset: offset, Rowtime: true}
	}
	zone := []int{1}
	for _, c := range []struct {
		name  string
		delay int64
		w     phys.Window
		one   bool
		keys  []int
	}{
		{"tumble-dense-milliseconds", 0, w("TUMBLE", second, 0, 0), false, zone},
		{"tumble-edges-one-ms-delay", 1, w("TUMBLE", minute, 0, 0), false, zone},
		{"tumble-key-order-in-order", 5 * second, w("TUMBLE", minute, 0, 0), false, zone},
		{"tumble-key-order-late-rows", 5 * second, w("TUMBLE", minute, 0, 0), false, zone},
		{"tumble-key-order-one-phase", 5 * second, w("TUMBLE", minute, 0, 0), true, zone},
		{"tumble-negative-offset-named-args", 5 * second, w("TUMBLE", minute, 0, -15*second), false, zone},
		{"hop-edges-no-delay", 0, w("HOP", minute, 30*second, 0), false, zone},
		{"hop-key-order-long-delay", 40 * second, w("HOP", minute, 30*second, 0), false, zone},
		{"cumulate-edges-late-rows", 0, w("CUMULATE", minute, 20*second, 0), false, zone},
		{"session-without-partition", 5 * second, w("SESSION", 50*second, 0, 0), true, nil},
		{"watermark-accumulated-steps", 0, w("TUMBLE", second, 0, 0), false, zone},
		{"watermark-before-1970", 0, w("TUMBLE", second, 0, 0), false, zone},
		{"watermark-step-201ms-eager", 0, w("TUMBLE", second, 0, 0), false, zone},
		{"tumble-null-rowtime", 5 * second, w("TUMBLE", minute, 0, 0), false, zone},
	} {
		scan := &phys.TableSourceScan{Base: phys.Base{Fields: rides, Produce: changelog.InsertOnly}, Limit: -1}
		plan := windowPlan(watermarked(scan, 3, c.delay), c.w, c.one, c.keys, call("COUNT", tBigint), call("SUM", tInt, 2))
		rows := loadCSV(t, window+c.name+"/rides.csv", rides)
		got := printed(t, plan, stream.Runtime{}, map[*phys.TableSourceScan][]change{scan: rows})
		want := recorded(t, window+c.name+"/stream.txt")
		if c.name == "tumble-null-rowtime" {
			// The client shows no row of a job that fails so soon.
			got = got[len(got)-1:]
			want = append(want, "error: java.lang.RuntimeException: RowTime field should not be null, please convert it to a non-null long value.")
		}
		compareLog(t, c.name, got, want)
	}
}

// In a zone without daylight saving whose offset a window does not divide, Flink loses
// rows; the recorded logs show how many.
func TestWindowsInZones(t *testing.T) {
	ltz := value.Type{Kind: value.KindTimestampLTZ, Precision: 3, Nullable: true, Time: value.Rowtime}
	fields := []value.Field{field("ride_id", tInt), field("zone", tString), field("fare", tInt), field("ts", ltz)}
	day := int64(24 * 3600000)
	shanghai, err := time.LoadLocation("Asia/Shanghai")
	if err != nil {
		t.Skip("no time zone data")
	}
	for _, c := range []struct {
		name string
		size int64
		one  bool
	}{
		{"tumble-ltz-day-shanghai-one-phase", day, true},
		{"tumble-ltz-hour-shanghai", day / 24, false},
	} {
		scan := &phys.TableSourceScan{Base: phys.Base{Fields: fields, Produce: changelog.InsertOnly}, Limit: -1}
		wm := &phys.WatermarkAssigner{Base: over(scan, scan.Produce, fields...), Column: 3, Expr: &rex.Call{Op: &rex.Op{Name: "delay"}, Args: []rex.Expr{
			&rex.InputRef{Index: 3, T: ltz}, &rex.Literal{V: value.Int(5000), T: tBigint},
		}}}
		plan := windowPlan(wm, phys.Window{Kind: "TUMBLE", TimeColumn: 3, Size: c.size, Rowtime: true, LTZ: true}, c.one, []int{1}, call("COUNT", tBigint))
		var rows []change
		for _, r := range loadCSV(t, window+c.name+"/rides.csv", []value.Field{fields[0], fields[1], fields[2], field("epoch_ms", tBigint)}) {
			r.row[3] = value.Timestamp(r.row[3].Int(), 0)
			rows = append(rows, r)
		}
		got := printed(t, plan, stream.Runtime{Env: fn.Env{Zone: shanghai}}, map[*phys.TableSourceScan][]change{scan: rows})
		compareLog(t, c.name, got, recorded(t, window+c.name+"/stream.txt"))
	}
}

func TestWindowTableFunctions(t *testing.T) {
	fields := append(append([]value.Field{}, rides...), field("window_start", tStamp), field("window_end", tStamp), field("window_time", tStamp))
	for _, c := range []struct {
		name string
		w    phys.Window
		cols []int
	}{
		{"tvf-tumble-alone", phys.Window{Kind: "TUMBLE", TimeColumn: 3, Size: 60000, Rowtime: true}, []int{0, 1, 2, 3, 4, 5, 6}},
		{"tvf-hop-alone", phys.Window{Kind: "HOP", TimeColumn: 3, Size: 60000, Slide: 30000, Rowtime: true}, []int{0, 4, 5, 6}},
		{"tvf-cumulate-alone", phys.Window{Kind: "CUMULATE", TimeColumn: 3, Size: 60000, Slide: 20000, Rowtime: true}, []int{0, 4, 5, 6}},
	} {
		scan := &phys.TableSourceScan{Base: phys.Base{Fields: rides, Produce: changelog.InsertOnly}, Limit: -1}
		tvf := &phys.WindowTableFunction{Base: over(watermarked(scan, 3, 0), changelog.InsertOnly, fields...), Window: c.w}
		rows := loadCSV(t, filepath.Join(window, c.name, "rides.csv"), rides)
		got := printed(t, project(tvf, c.cols...), stream.Runtime{}, map[*phys.TableSourceScan][]change{scan: rows})
		compareLog(t, c.name, got, recorded(t, window+c.name+"/stream.txt"))
	}
}

func TestGroupWindowWithLateFiring(t *testing.T) {
	scan := &phys.TableSourceScan{Base: phys.Base{Fields: rides, Produce: changelog.InsertOnly}, Limit: -1}
	agg := &phys.GroupWindowAggregate{
		Base:   over(watermarked(scan, 3, 5000), changelog.Retract, rides[1], field("n", tBigint), field("ws", tStamp)),
		Window: phys.Window{Kind: "TUMBLE", TimeColumn: 3, Size: 60000, Rowtime: true},
		Keys:   []int{1}, Calls: []phys.AggCall{call("COUNT", tBigint)}, Props: []string{"start"},
		EarlyFire: -1, LateFire: 0, AllowLateness: lateness(t),
	}
	rows := loadCSV(t, window+"legacy-tumble-late-fire/rides.csv", rides)
	got := printed(t, project(agg, 0, 2, 1), stream.Runtime{}, map[*phys.TableSourceScan][]change{scan: rows})
	compareLog(t, "legacy-tumble-late-fire", got, recorded(t, window+"legacy-tumble-late-fire/stream.txt"))
}

// lateness is the allow-lateness of the case.
func lateness(t *testing.T) int64 {
	b, err := os.ReadFile(window + "legacy-tumble-late-fire/config.sql")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), "allow-lateness") {
		t.Fatal("the case does not set allow-lateness")
	}
	return 60000
}

// oneDecimal prints whole doubles as Java does: 7.0 for 7.
func oneDecimal(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		cells := strings.Split(l, "|")
		for k, c := range cells {
			cells[k] = strings.TrimSuffix(c, ".0")
		}
		out[i] = strings.Join(cells, "|")
	}
	return out
}
