package source

import (
	"encoding/base64"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// jsonAnswer reads the file of a recorded case and prints its changes, as "+I[a|b]". What is
// refused ends in REFUSED.
func jsonAnswer(t *testing.T, line string) string {
	t.Helper()
	q := strings.Split(line, "|")
	cols := columnsOf(t, q[0])
	format := "json"
	var opts []sql.Option
	for _, kv := range strings.Split(q[2], ";;") {
		k, v, _ := strings.Cut(kv, "=")
		if k == "format" {
			format = v
		} else if k != "" {
			opts = append(opts, sql.Option{Key: k, Value: v})
		}
	}
	for i := range opts {
		opts[i].Key = format + "." + opts[i].Key
	}
	opts = append(opts, sql.Option{Key: "format", Value: format}, sql.Option{Key: "path", Value: "f"})
	data, err := base64.StdEncoding.DecodeString(q[3])
	if err != nil {
		t.Fatal(err)
	}
	table := &catalog.Table{Columns: cols, Options: opts}
	var proj []int
	for _, p := range strings.Split(q[1], ",") {
		n, _ := strconv.Atoi(p)
		proj = append(proj, n)
	}
	escape := strings.NewReplacer("\\", "\\\\", "\n", "\\n", "\r", "\\r")
	var got []string
	// Flink hands on the rows before an error line by line here, so read them one by one.
	f, err := newJSONFormat(table, format)
	if err == nil {
		var p *projection
		if p, err = newProjection(table, proj); err == nil {
			var r rowReader
			if r, err = openJSON(f, p, dataFile{path: "f"}, files{"f": string(data)}); err == nil {
				row := make(value.Row, len(proj))
				for {
					kind, ok, e := r.next(row)
					if err = e; !ok || e != nil {
						break
					}
					var s []string
					for k, c := range proj {
						s = append(s, escape.Replace(string(value.AppendCell(nil, &cols[c].Type, row[k], nil))))
					}
					got = append(got, kind.String()+"["+strings.Join(s, "|")+"]")
				}
			}
		}
	}
	if unsupported.Is(err) {
		got = append(got, "REFUSED")
	} else if err != nil {
		got = append(got, "ERR "+escape.Replace(err.Error()))
	}
	return strings.Join(got, "\n")
}

// TestJSONAgainstFlink compares with what Flink's own json readers gave.
func TestJSONAgainstFlink(t *testing.T) {
	data, err := os.ReadFile("testdata/json.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	n, refused := 0, 0
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
		got := jsonAnswer(t, line)
		if strings.HasSuffix(got, "REFUSED") {
			refused++
			continue
		}
		if d := cmp.Diff(strings.Join(want, "\n"), got); d != "" {
			t.Errorf("%s\n%s", line, d)
		}
	}
	if n < 500 || refused > n/40 {
		t.Errorf("%d cases, %d refused", n, refused)
	}
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"a":1,"b":"x","c":[{"x":1}]}`+"\n", uint8(0))
	f.Add(`{"before":null,"after":{"a":1},"op":"c"}`, uint8(2))
	f.Fuzz(func(t *testing.T, text string, bits uint8) {
		format := []string{"json", "json", "debezium-json", "canal-json", "maxwell-json", "ogg-json"}[bits%6]
		tb := table("f", "a INT, b STRING")
		tb.Columns = append(tb.Columns, catalog.Column{Name: "c", Type: value.ArrayType(value.RowType(value.Field{Name: "x", Type: value.TDouble}))})
		tb.Options[0].Value = format
		if bits&64 != 0 {
			tb.Options = append(tb.Options, sql.Option{Key: format + ".ignore-parse-errors", Value: "true"})
		}
		if bits&128 != 0 {
			tb.Options = append(tb.Options, sql.Option{Key: "json.decode.json-parser.enabled", Value: "false"})
		}
		readAll(tb, []int{2, 0, 1}, -1, files{"f": text})
	})
}
