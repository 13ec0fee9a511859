package source

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// files is a file system in memory: path to content.
type files map[string]string

func (m files) mapFS() fstest.MapFS {
	out := fstest.MapFS{}
	for n, s := range m {
		out[strings.TrimPrefix(n, "/")] = &fstest.MapFile{Data: []byte(s)}
	}
	return out
}

func (m files) Open(name string) (fs.File, error) {
	return m.mapFS().Open(strings.TrimPrefix(name, "/"))
}

func (m files) ReadDir(name string) ([]fs.DirEntry, error) {
	return m.mapFS().ReadDir(strings.TrimPrefix(name, "/"))
}

// typesByName are the types that the recorded cases use.
var typesByName = map[string]value.Type{
	"INT": value.TInt, "STRING": value.TString, "BIGINT": value.TBigInt, "TINYINT": value.TTinyInt, "SMALLINT": value.TSmallInt,
	"BOOLEAN": value.TBoolean, "DOUBLE": value.TDouble, "FLOAT": value.TFloat, "DECIMAL(10, 2)": value.DecimalType(10, 2),
	"DECIMAL(38, 10)": value.DecimalType(38, 10), "DATE": value.TDate, "TIME(0)": value.TimeType(0), "TIME(3)": value.TimeType(3),
	"TIMESTAMP(3)": value.TimestampType(3), "TIMESTAMP(9)": value.TimestampType(9), "TIMESTAMP_LTZ(3)": value.TimestampLTZType(3),
	"BYTES": value.TBytes, "ARRAY<INT>": value.ArrayType(value.TInt), "ARRAY<STRING>": value.ArrayType(value.TString),
	"MAP<STRING, INT>":     value.MapType(value.TString, value.TInt),
	"ROW<x INT, y STRING>": value.RowType(value.Field{Name: "x", Type: value.TInt}, value.Field{Name: "y", Type: value.TString}),
}

// columnsOf reads "ROW<c0 INT, c1 STRING>".
func columnsOf(t *testing.T, s string) []catalog.Column {
	t.Helper()
	body := strings.TrimSuffix(strings.TrimPrefix(s, "ROW<"), ">")
	var cols []catalog.Column
	depth, from := 0, 0
	for i := 0; i <= len(body); i++ {
		if i == len(body) || body[i] == ',' && depth == 0 {
			name, typ, _ := strings.Cut(strings.TrimSpace(body[from:i]), " ")
			v, ok := typesByName[typ]
			if !ok {
				t.Fatalf("type %q", typ)
			}
			cols = append(cols, catalog.Column{Name: name, Type: v})
			from = i + 1
			continue
		}
		switch body[i] {
		case '<', '(':
			depth++
		case '>', ')':
			depth--
		}
	}
	return cols
}

// readAll reads a table and prints its rows as "[a|b]", and the error.
func readAll(table *catalog.Table, columns []int, limit int64, fsys FS) []string {
	escape := strings.NewReplacer("\\", "\\\\", "\n", "\\n", "\r", "\\r")
	var out []string
	r, err := Open(table, columns, limit, fsys, Options{})
	row := make(value.Row, len(columns))
	for err == nil {
		var ok bool
		if _, ok, err = r.Next(row); !ok || err != nil {
			break
		}
		var cells []string
		for i, c := range columns {
			cells = append(cells, escape.Replace(string(value.AppendCell(nil, &table.Columns[c].Type, row[i], nil))))
		}
		out = append(out, "["+strings.Join(cells, "|")+"]")
	}
	if err != nil {
		out = append(out, "ERR "+escape.Replace(err.Error()))
	}
	return out
}

// TestCSVAgainstFlink compares with what Flink's own csv reader gave.
func TestCSVAgainstFlink(t *testing.T) { againstFlink(t, "csv") }

func againstFlink(t *testing.T, format string) {
	data, err := os.ReadFile("testdata/" + format + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	n := 0
	for i := 0; i < len(lines); {
		line := lines[i]
		i++
		if strings.HasPrefix(line, "#") {
			continue
		}
		var want []string
		for ; i < len(lines) && strings.HasPrefix(lines[i], " "); i++ {
			want = append(want, lines[i][1:])
		}
		n++
		q := strings.Split(line, "|")
		table := &catalog.Table{Columns: columnsOf(t, q[0]), Options: []sql.Option{{Key: "format", Value: format}, {Key: "path", Value: "f"}}}
		for _, kv := range strings.Split(q[2], ";;") {
			if k, v, ok := strings.Cut(kv, "="); ok {
				table.Options = append(table.Options, sql.Option{Key: format + "." + k, Value: strings.ReplaceAll(v, "\\p", "|")})
			}
		}
		var columns []int
		for _, p := range strings.Split(q[1], ",") {
			c, err := strconv.Atoi(p)
			if err != nil {
				t.Fatal(err)
			}
			columns = append(columns, c)
		}
		text, err := base64.StdEncoding.DecodeString(q[3])
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, readAll(table, columns, -1, files{"f": string(text)})); d != "" {
			t.Errorf("%s\n%q\n%s", line, text, d)
		}
	}
	if n < 500 {
		t.Errorf("%d cases only", n)
	}
}

func table(path string, columns string, options ...string) *catalog.Table {
	tb := &catalog.Table{Options: []sql.Option{{Key: "format", Value: "csv"}, {Key: "path", Value: path}}}
	for _, c := range strings.Split(columns, ",") {
		name, typ, _ := strings.Cut(strings.TrimSpace(c), " ")
		col := catalog.Column{Name: name, Type: typesByName[typ]}
		if key, ok := strings.CutPrefix(typ, "META "); ok {
			col = catalog.Column{Name: name, Kind: catalog.Metadata, MetadataKey: key, Type: value.TString}
			if key == "file.size" {
				col.Type = value.TBigInt
			}
		}
		tb.Columns = append(tb.Columns, col)
	}
	for _, o := range options {
		k, v, _ := strings.Cut(o, "=")
		tb.Options = append(tb.Options, sql.Option{Key: k, Value: v})
	}
	return tb
}

func TestFolders(t *testing.T) {
	fsys := files{"/d/b.csv": "3,x\n", "/d/a.csv": "1,y\n2,z\n", "/d/.hidden": "9,h\n", "/d/_SUCCESS": "", "/d/sub/c": "4,w", "/d/_tmp/c": "5,w"}
	tb := table("file:///d", "id INT, s STRING, n META file.name, size META file.size")
	want := []string{"[1|y|a.csv|8]", "[2|z|a.csv|8]", "[3|x|b.csv|4]", "[4|w|c|3]"}
	if d := cmp.Diff(want, readAll(tb, []int{0, 1, 2, 3}, -1, fsys)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(want[:3], readAll(tb, []int{0, 1, 2, 3}, 3, fsys)); d != "" {
		t.Error("limit", d)
	}
}

func TestPartitions(t *testing.T) {
	fsys := files{"/p/day=2026-05-01/k=a%3Ab/part-1": "1\n", "/p/day=2026-05-02/k=__DEFAULT_PARTITION__/part-1": "2\n"}
	tb := table("/p", "id INT, day DATE, k STRING")
	tb.PartitionedBy = []string{"day", "k"}
	want := []string{"[a:b|1|2026-05-01]", "ERR reading the folder of the partition k=__DEFAULT_PARTITION__, which stands for NULL"}
	if d := cmp.Diff(want, readAll(tb, []int{2, 0, 1}, -1, fsys)); d != "" {
		t.Error(d)
	}
}

func TestMissingFile(t *testing.T) {
	got := readAll(table("file:///nowhere/x.csv", "id INT"), []int{0}, -1, files{})
	want := "ERR java.io.FileNotFoundException: File file:/nowhere/x.csv does not exist or the user running Flink ('root') has insufficient permissions to access it."
	if len(got) != 1 || got[0] != want {
		t.Error(got)
	}
	if _, err := files(nil).Open("x"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// An error within the first megabyte leaves no row, whatever the limit.
func TestErrorHidesRows(t *testing.T) {
	got := readAll(table("f", "id INT"), []int{0}, 1, files{"f": "1\n2\nx\n"})
	if d := cmp.Diff([]string{`ERR java.lang.NumberFormatException: For input string: "x"`}, got); d != "" {
		t.Error(d)
	}
}

func TestLines(t *testing.T) {
	r, err := Open(table("f", "id INT, s STRING", "csv.allow-comments=true"), []int{1}, -1, files{"f": "1,a\n#c\n2,\"b\nb\"\r\n\n3,c"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	row := make(value.Row, 1)
	for _, want := range []int{1, 3, 6} {
		if _, ok, err := r.Next(row); !ok || err != nil || r.Line() != want {
			t.Errorf("line %d, want %d (%v %v)", r.Line(), want, ok, err)
		}
	}
}

// Records that straddle the buffer, in every position.
func TestLongFile(t *testing.T) {
	var b strings.Builder
	n := 0
	for ; b.Len() < 3*bufferSize; n++ {
		b.WriteString(strconv.Itoa(n) + ",\"" + strings.Repeat("한\n", n%7) + "\"\r\n")
	}
	r, err := Open(table("f", "id INT, s STRING"), []int{0, 1}, -1, files{"f": b.String()}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	row := make(value.Row, 2)
	for i := 0; i < n; i++ {
		if _, ok, err := r.Next(row); !ok || err != nil || row[0].Int() != int64(i) || len(row[1].Str()) != 4*(i%7) {
			t.Fatalf("row %d: %v %v %v", i, row, ok, err)
		}
	}
	if _, ok, err := r.Next(row); ok || err != nil {
		t.Error(ok, err)
	}
}

func TestEstimateRows(t *testing.T) {
	for _, c := range []struct {
		name, text string
		rows       int64
		known      bool
	}{
		{"empty", "", 0, false},
		{"few", "a\nb\r\nc", 3, true},
		{"many", strings.Repeat("ab\n", 100) + strings.Repeat("c\n", 300), 300, true},
	} {
		rows, known := EstimateRows(table("f", "s STRING"), files{"f": c.text})
		if rows != c.rows || known != c.known {
			t.Errorf("%s: %d %v, want %d %v", c.name, rows, known, c.rows, c.known)
		}
	}
}

func FuzzCSV(f *testing.F) {
	f.Add("1,a\n2,\"b\"\"\n", uint8(0))
	f.Add("\xef\xbb\xbf'x';\\n\r#c\n", uint8(255))
	f.Fuzz(func(t *testing.T, text string, bits uint8) {
		tb := table("f", "a INT, b STRING, c TIMESTAMP(3)")
		for i, o := range []string{"csv.ignore-parse-errors", "csv.allow-comments", "csv.trim-spaces", "csv.ignore-trailing-unmappable", "csv.fail-on-missing-columns", "csv.empty-string-as-null"} {
			if bits&(1<<i) != 0 {
				tb.Options = append(tb.Options, sql.Option{Key: o, Value: "true"})
			}
		}
		if bits&64 != 0 {
			tb.Options = append(tb.Options, sql.Option{Key: "csv.escape-character", Value: "\\"})
		}
		if rows := readAll(tb, []int{2, 0, 1}, -1, files{"f": text}); len(rows) > len(text)+1 {
			t.Errorf("%d rows of %d bytes", len(rows), len(text))
		}
	})
}
