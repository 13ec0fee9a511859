package reference_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/value"
)

const clicks = `SET 'sql-client.execution.result-mode' = 'tableau';
CREATE TABLE clicks (usr STRING, dwell INT)
WITH ('connector' = 'filesystem', 'path' = '/opt/lab/clicks.csv', 'format' = 'csv');
`

func data() reference.Files {
	return reference.ReadOnly(fstest.MapFS{"lab/clicks.csv": {Data: []byte("ann,1\nbob,2\nann,3\n")}},
		reference.Mapping{{From: "/opt/lab/", To: "lab"}})
}

// TestEvents runs a script for its rows: nothing is printed, everything is told.
func TestEvents(t *testing.T) {
	var got []string
	var end []*reference.Result
	s := reference.NewSession(reference.Options{
		Files: data(),
		Events: reference.Events{
			Row: func(r *reference.Result, k changelog.RowKind, row value.Row, c stream.Cause) error {
				got = append(got, k.String()+" "+row[0].Str()+" line "+string(rune('0'+c.Position.Line)))
				return nil
			},
			End: func(r *reference.Result) { end = append(end, r) },
		},
	})
	if err := s.Run(clicks+"SELECT usr, SUM(dwell) AS s FROM clicks GROUP BY usr;\n", true); err != nil {
		t.Fatal(err)
	}
	want := []string{"+I ann line 1", "+I bob line 2", "-U ann line 3", "+U ann line 3"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	last := end[len(end)-1]
	if last.Rows != 4 || len(last.Columns) != 2 || last.Columns[1].Name != "s" || last.Columns[1].Type.String() != "INT" {
		t.Errorf("result %+v", last)
	}
	if len(end) != 3 || end[2].Line != 4 {
		t.Errorf("%d statements, the last in line %d", len(end), end[len(end)-1].Line)
	}
}

// TestRowStops: an error of the callback ends the run as it is.
func TestRowStops(t *testing.T) {
	enough := errors.New("enough")
	n := 0
	s := reference.NewSession(reference.Options{Files: data(), Events: reference.Events{
		Row: func(*reference.Result, changelog.RowKind, value.Row, stream.Cause) error {
			n++
			return enough
		},
	}})
	if err := s.Run(clicks+"SELECT * FROM clicks;\n", true); !errors.Is(err, enough) || n != 1 {
		t.Errorf("error %v after %d rows", err, n)
	}
}

// TestErrors: Flink's own failures, refusals of the engine.
func TestErrors(t *testing.T) {
	cases := []struct {
		name, sql, text string
		unsupported     bool
	}{
		{name: "parse", sql: "SELECT FROM clicks;\n", text: "Incorrect syntax near the keyword 'FROM' at line 1, column 8."},
		{name: "validation", sql: "SELECT nope FROM clicks;\n", text: "Column 'nope' not found in any table"},
		{name: "refused", sql: "SET 'parallelism.default' = '3';\nSELECT usr FROM clicks;\n", text: "[UNSUPPORTED] ", unsupported: true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			s := reference.NewSession(reference.Options{Files: data(), Out: &out, Echo: reference.EchoNone})
			err := s.Run(clicks+c.sql, true)
			if reference.IsUnsupported(err) != c.unsupported || !c.unsupported && !errors.Is(err, reference.ErrFailed) {
				t.Errorf("error %v", err)
			}
			if !strings.Contains(out.String(), c.text) {
				t.Errorf("%q is not in\n%s", c.text, out.String())
			}
		})
	}
}

// TestOverlay: what a statement writes, later statements and the caller can read.
func TestOverlay(t *testing.T) {
	mem := reference.Overlay(data())
	var out bytes.Buffer
	s := reference.NewSession(reference.Options{Files: mem, Out: &out, Echo: reference.EchoNone, NoTimeCost: true})
	err := s.Run(clicks+`SET 'execution.runtime-mode' = 'batch';
SET 'table.dml-sync' = 'true';
CREATE TABLE o (usr STRING, s INT) WITH ('connector' = 'filesystem', 'path' = '/out/o', 'format' = 'csv');
INSERT INTO o SELECT usr, SUM(dwell) FROM clicks GROUP BY usr;
SELECT * FROM o;
INSERT INTO o SELECT usr, dwell FROM clicks WHERE dwell > 5;
`, true)
	if err != nil {
		t.Fatal(err, out.String())
	}
	written := mem.Written()
	if len(written) != 1 {
		t.Errorf("%d files", len(written))
	}
	for p, b := range written {
		if !strings.HasPrefix(p, "/out/o/part-") || string(b) != "ann,4\nbob,2\n" {
			t.Errorf("%s: %q", p, b)
		}
	}
	if !strings.Contains(out.String(), "2 rows in set") {
		t.Error(out.String())
	}
}

func TestMemoryFolders(t *testing.T) {
	mem := reference.Overlay(reference.ReadOnly(fstest.MapFS{"d/below": {Data: []byte("b")}}, nil))
	w, _ := mem.Create("/d/new")
	if _, err := io.WriteString(w, "n"); err != nil {
		t.Fatal(err)
	}
	list := func(p string) []string {
		entries, err := mem.ReadDir(p)
		if err != nil {
			return []string{err.Error()}
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	if got := list("/d"); len(got) != 2 {
		t.Errorf("/d has %v", got)
	}
	if err := mem.MkdirAll("/e"); err != nil {
		t.Fatal(err)
	}
	if got := list("/e"); len(got) != 0 {
		t.Errorf("/e has %v", got)
	}
	if err := mem.RemoveAll("/d"); err != nil {
		t.Fatal(err)
	}
	if _, err := mem.Open("/d/below"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a removed file opens: %v", err)
	}
	if got := list("/d"); len(got) != 1 || !strings.Contains(got[0], "not exist") {
		t.Errorf("/d has %v", got)
	}
}

func TestMapping(t *testing.T) {
	m := reference.Mapping{{From: "/opt/lab", To: "data"}, {From: "/tmp/", To: "/x"}}
	for in, want := range map[string]string{
		"/opt/lab/a.csv": "data/a.csv", "/opt/lab": "data", "/opt/labs/a": "/opt/labs/a", "/tmp/b/c": "/x/b/c",
	} {
		if got := m.Apply(in); got != want {
			t.Errorf("%s -> %s, want %s", in, got, want)
		}
	}
}
