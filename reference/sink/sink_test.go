package sink

import (
	"bytes"
	"io"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// memory is a file system of whole files.
type memory map[string]string

type memoryFile struct {
	bytes.Buffer
	m    memory
	name string
}

func (f *memoryFile) Close() error { f.m[f.name] = f.String(); return nil }

func (m memory) Create(name string) (io.WriteCloser, error) {
	return &memoryFile{m: m, name: name}, nil
}
func (m memory) MkdirAll(name string) error { m[name+"/"] = ""; return nil }
func (m memory) RemoveAll(name string) error {
	for n := range m {
		if n == name || strings.HasPrefix(n, name+"/") {
			delete(m, n)
		}
	}
	return nil
}

func (m memory) list() []string {
	var out []string
	for n, s := range m {
		out = append(out, n+": "+s)
	}
	sort.Strings(out)
	return out
}

func sinkTable(columns []catalog.Column, options ...string) *catalog.Table {
	t := &catalog.Table{Columns: columns}
	for _, o := range options {
		k, v, _ := strings.Cut(o, "=")
		t.Options = append(t.Options, sql.Option{Key: k, Value: v})
	}
	return t
}

func timestamp(t *testing.T, s string, p int) value.Value {
	t.Helper()
	ms, nanos, err := value.ParseTimestamp(s, p)
	if err != nil {
		t.Fatal(err)
	}
	return value.Timestamp(ms, nanos)
}

// allTypes is the table of the recorded cases print-all-types-and-null and
// fs-json-all-types-and-null, with their first row.
func allTypes(t *testing.T) ([]catalog.Column, value.Row) {
	day, _ := value.ParseDate("2026-02-03")
	at, _ := value.ParseTime("10:11:12")
	all := []struct {
		name string
		t    value.Type
		v    value.Value
	}{
		{"b", value.TBoolean, value.Bool(true)}, {"ti", value.TTinyInt, value.Int(1)}, {"si", value.TSmallInt, value.Int(-2)},
		{"i", value.TInt, value.Int(3)}, {"bi", value.TBigInt, value.Int(9223372036854775807)}, {"f", value.TFloat, value.Float(1.5)},
		{"d", value.TDouble, value.Double(1e10)}, {"dc", value.DecimalType(10, 2), value.Decimal(value.DecOf(1250))},
		{"dc0", value.DecimalType(10, 0), value.Decimal(value.DecOf(100))}, {"dcb", value.DecimalType(30, 10), value.Decimal(value.DecOf(1000))},
		{"s", value.TString, value.String("txt")}, {"c", value.CharType(3), value.String("ab ")}, {"v", value.VarcharType(5), value.String("hello")},
		{"dt", value.TDate, value.Int(day)}, {"t0", value.TimeType(0), value.Int(at)},
		{"ts0", value.TimestampType(0), timestamp(t, "2026-02-03 04:05:00", 0)}, {"ts3", value.TimestampType(3), timestamp(t, "2026-02-03 04:05:06.120", 3)},
		{"ts6", value.TimestampType(6), timestamp(t, "2026-02-03 04:05:06.123456", 6)}, {"lt", value.TimestampLTZType(3), timestamp(t, "2026-02-03 04:05:06.100", 3)},
		{"bin", value.TBytes, value.Bytes([]byte{0, 0xff, 0x10})},
	}
	var cols []catalog.Column
	var row value.Row
	for _, a := range all {
		cols = append(cols, catalog.Column{Name: a.name, Type: a.t})
		row = append(row, a.v)
	}
	return cols, row
}

func TestPrintAllTypes(t *testing.T) {
	cols, row := allTypes(t)
	var b bytes.Buffer
	s, err := Open(sinkTable(cols, "connector=print", "print-identifier=ID"), Options{Out: &b})
	if err != nil {
		t.Fatal(err)
	}
	write(t, s, changelog.UpdateAfter, row)
	write(t, s, changelog.Insert, make(value.Row, len(row)))
	want := "ID> +U[true, 1, -2, 3, 9223372036854775807, 1.5, 1.0E10, 12.50, 100, 1.000E-7, txt, ab , hello, 2026-02-03, 10:11:12, 2026-02-03T04:05, 2026-02-03T04:05:06.120, 2026-02-03T04:05:06.123456, 2026-02-03T04:05:06.100Z, [0, -1, 16]]\n" +
		"ID> +I[null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null]\n"
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

func write(t *testing.T, s Sink, kind changelog.RowKind, row value.Row) {
	t.Helper()
	if err := s.Write(kind, row); err != nil {
		t.Fatal(err)
	}
}

func TestJSONAllTypes(t *testing.T) {
	cols, row := allTypes(t)
	for _, c := range []struct {
		name    string
		options []string
		want    string
	}{
		{"plain", nil, `{"b":true,"ti":1,"si":-2,"i":3,"bi":9223372036854775807,"f":1.5,"d":1.0E10,"dc":12.5,"dc0":1E+2,"dcb":1E-7,"s":"txt","c":"ab ","v":"hello","dt":"2026-02-03","t0":"10:11:12","ts0":"2026-02-03 04:05:00","ts3":"2026-02-03 04:05:06.12","ts6":"2026-02-03 04:05:06.123456","lt":"2026-02-03 04:05:06.1Z","bin":"AP8Q"}
`},
		{"iso", []string{"json.timestamp-format.standard=ISO-8601"}, `{"b":true,"ti":1,"si":-2,"i":3,"bi":9223372036854775807,"f":1.5,"d":1.0E10,"dc":12.5,"dc0":1E+2,"dcb":1E-7,"s":"txt","c":"ab ","v":"hello","dt":"2026-02-03","t0":"10:11:12","ts0":"2026-02-03T04:05:00","ts3":"2026-02-03T04:05:06.12","ts6":"2026-02-03T04:05:06.123456","lt":"2026-02-03T04:05:06.1Z","bin":"AP8Q"}
`},
	} {
		m := memory{}
		s, err := Open(sinkTable(cols, append([]string{"connector=filesystem", "format=json", "path=file:///o"}, c.options...)...), Options{FS: m, UUID: "u"})
		if err != nil {
			t.Fatal(err)
		}
		write(t, s, changelog.Insert, row)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"/o/part-u-0-0: " + c.want}, m.list()); d != "" {
			t.Error(c.name, d)
		}
	}
}

// The texts of the recorded case fs-csv-delimiter-and-quote-options.
func TestCSVQuoting(t *testing.T) {
	texts := []string{"plain", "two words", "quote \" inside", "exactly-24-characters-xx", "exactly-25-characters-xxx", "한국어", "", `back\slash`, "semi;colon", "it's", "a-b.c/d:e@f_g~h|i", "emoji😀", "-5", "NULL", "é-accent"}
	for _, c := range []struct {
		option string
		want   []string
	}{
		{"", []string{"plain", `"two words"`, `"quote "" inside"`, "exactly-24-characters-xx", `"exactly-25-characters-xxx"`, "한국어", "", `"back\slash"`, "semi;colon", `"it's"`, "a-b.c/d:e@f_g~h|i", "emoji😀", "-5", "NULL", "é-accent"}},
		{"csv.field-delimiter=;", []string{"plain", `"two words"`, `"quote "" inside"`, `"exactly-24-characters-xx"`, `"exactly-25-characters-xxx"`, "한국어", "", `"back\slash"`, `"semi;colon"`, `"it's"`, `"a-b.c/d:e@f_g~h|i"`, "emoji😀", `"-5"`, "NULL", `"é-accent"`}},
		{`csv.field-delimiter=\t`, []string{"plain", `"two words"`, `"quote "" inside"`, "exactly-24-characters-xx", `"exactly-25-characters-xxx"`, "한국어", "", `"back\slash"`, "semi;colon", "it's", "a-b.c/d:e@f_g~h|i", "emoji😀", "-5", "NULL", "é-accent"}},
		{"csv.quote-character='", []string{"plain", "'two words'", `'quote " inside'`, "exactly-24-characters-xx", "'exactly-25-characters-xxx'", "한국어", "", `'back\slash'`, "semi;colon", "'it''s'", "a-b.c/d:e@f_g~h|i", "emoji😀", "-5", "NULL", "é-accent"}},
		{`csv.escape-character=\`, []string{"plain", `"two words"`, `"quote "" inside"`, "exactly-24-characters-xx", `"exactly-25-characters-xxx"`, "한국어", "", `"back\\slash"`, "semi;colon", `"it's"`, "a-b.c/d:e@f_g~h|i", "emoji😀", "-5", "NULL", "é-accent"}},
		{"csv.disable-quote-character=true", texts},
	} {
		m := memory{}
		s, err := Open(sinkTable([]catalog.Column{{Name: "s", Type: value.TString}}, "connector=filesystem", "format=csv", "path=/o", c.option), Options{FS: m, UUID: "u", Batch: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range texts {
			write(t, s, changelog.Insert, value.Row{value.String(x)})
		}
		s.Close()
		if d := cmp.Diff(strings.Join(c.want, "\n")+"\n", m["/o/part-u-task-0-file-0"]); d != "" {
			t.Error(c.option, d)
		}
	}
}

func TestChangelogFormats(t *testing.T) {
	cols := []catalog.Column{{Name: "k", Type: value.TString}, {Name: "n", Type: value.TInt}}
	for _, c := range []struct{ format, del, ins string }{
		{"debezium-json", `{"before":{"k":"a","n":1},"after":null,"op":"d"}`, `{"before":null,"after":{"k":"a","n":2},"op":"c"}`},
		{"canal-json", `{"data":[{"k":"a","n":1}],"type":"DELETE"}`, `{"data":[{"k":"a","n":2}],"type":"INSERT"}`},
		{"maxwell-json", `{"data":{"k":"a","n":1},"type":"delete"}`, `{"data":{"k":"a","n":2},"type":"insert"}`},
		{"ogg-json", `{"before":{"k":"a","n":1},"after":null,"op_type":"D"}`, `{"before":null,"after":{"k":"a","n":2},"op_type":"I"}`},
	} {
		m := memory{}
		s, err := Open(sinkTable(cols, "connector=filesystem", "path=/o", "format="+c.format), Options{FS: m, UUID: "u"})
		if err != nil {
			t.Fatal(err)
		}
		write(t, s, changelog.UpdateBefore, value.Row{value.String("a"), value.Int(1)})
		write(t, s, changelog.UpdateAfter, value.Row{value.String("a"), value.Int(2)})
		s.Close()
		if d := cmp.Diff(c.del+"\n"+c.ins+"\n", m["/o/part-u-0-0"]); d != "" {
			t.Error(c.format, d)
		}
	}
}

func TestPartitions(t *testing.T) {
	tb := sinkTable([]catalog.Column{{Name: "id", Type: value.TInt}, {Name: "lvl", Type: value.TString}, {Name: "day", Type: value.TString}},
		"connector=filesystem", "format=csv", "path=/pt", "sink.partition-commit.policy.kind=success-file")
	tb.PartitionedBy = []string{"lvl", "day"}
	rows := []value.Row{{value.Int(1), value.String("INFO"), value.String("05:01")}, {value.Int(2), value.String(""), value.String("x")}, {value.Int(3), value.String("INFO"), value.String("05:01")}}
	for _, c := range []struct {
		batch bool
		want  []string
	}{
		{false, []string{
			"/pt/lvl=INFO/day=05%3A01/_SUCCESS: ", "/pt/lvl=INFO/day=05%3A01/part-u-0-0: 1\n3\n",
			"/pt/lvl=__DEFAULT_PARTITION__/day=x/_SUCCESS: ", "/pt/lvl=__DEFAULT_PARTITION__/day=x/part-u-0-1: 2\n"}},
		{true, []string{
			"/pt/lvl=INFO/day=05%3A01/_SUCCESS: ", "/pt/lvl=INFO/day=05%3A01/part-u-task-0-file-1: 1\n3\n",
			"/pt/lvl=__DEFAULT_PARTITION__/day=x/_SUCCESS: ", "/pt/lvl=__DEFAULT_PARTITION__/day=x/part-u-task-0-file-0: 2\n"}},
	} {
		m := memory{}
		s, err := Open(tb, Options{FS: m, UUID: "u", Batch: c.batch})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			write(t, s, changelog.Insert, r)
		}
		s.Close()
		if d := cmp.Diff(c.want, m.list()); d != "" {
			t.Error(c.batch, d)
		}
	}
}

func TestOverwrite(t *testing.T) {
	tb := sinkTable([]catalog.Column{{Name: "id", Type: value.TInt}}, "connector=filesystem", "format=csv", "path=/o")
	m := memory{"/o/part-old": "9\n", "/other": ""}
	s, err := Open(tb, Options{FS: m, UUID: "u", Batch: true, Overwrite: true})
	if err != nil {
		t.Fatal(err)
	}
	write(t, s, changelog.Insert, value.Row{value.Int(1)})
	s.Close()
	if d := cmp.Diff([]string{"/o/part-u-task-0-file-0: 1\n", "/other: "}, m.list()); d != "" {
		t.Error(d)
	}
	if _, err := Open(tb, Options{FS: m, Overwrite: true}); err == nil || !strings.Contains(err.Error(), "Streaming mode not support overwrite.") {
		t.Error(err)
	}
}

func TestNotNull(t *testing.T) {
	tb := sinkTable([]catalog.Column{{Name: "id", Type: value.TInt.NotNull()}}, "connector=blackhole")
	s, err := Open(tb, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Write(changelog.Insert, value.Row{value.Null}); err == nil || !strings.Contains(err.Error(), "Column 'id' is NOT NULL") {
		t.Error(err)
	}
	if s, _ = Open(tb, Options{DropNulls: true}); s.Write(changelog.Insert, value.Row{value.Null}) != nil {
		t.Error("not dropped")
	}
}
