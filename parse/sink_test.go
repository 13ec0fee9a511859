package parse

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	uuidA = "5db1c028-031c-4c01-b7c6-f65e97603b3d"
	uuidB = "0be420bb-5ae3-4ee5-b6c4-d605ff84acb4"
)

func sinkText(f *SinkFolder) string {
	var b strings.Builder
	fmt.Fprintf(&b, "runs=%d rows=%d\n", f.Runs, f.NRows)
	for _, s := range f.Files {
		fmt.Fprintf(&b, "%s run=%d subtask=%d counter=%d batch=%v partition=%v rows=%d\n", strings.ReplaceAll(strings.ReplaceAll(s.Name, uuidA, "A"), uuidB, "B"), s.Run, s.Subtask, s.Counter, s.Batch, s.Partition, s.NRows)
	}
	for _, r := range f.Rows {
		fmt.Fprintf(&b, "%d:%d", r.File, r.Line)
		if r.LastLine != r.Line {
			fmt.Fprintf(&b, "-%d", r.LastLine)
		}
		for i, c := range r.Fields {
			fmt.Fprintf(&b, " [%s]", strings.ReplaceAll(string(c), "\n", `\n`))
			if r.Quoted[i] {
				b.WriteByte('"')
			}
		}
		if r.JSON != nil {
			for _, m := range r.JSON.Members {
				fmt.Fprintf(&b, " %s=%s", m.Name, m.Value.Text)
			}
		}
		b.WriteByte('\n')
	}
	for _, n := range f.Notes {
		fmt.Fprintf(&b, "note %s: %s\n", n.Code, strings.ReplaceAll(n.Text, uuidA, "A"))
	}
	for _, p := range f.Problems {
		fmt.Fprintf(&b, "problem %s:%d %s: %s\n", strings.ReplaceAll(p.File, uuidA, "A"), p.Line, p.Code, p.Reason)
	}
	return b.String()
}

func TestReadSink(t *testing.T) {
	file := func(s string, sec int64) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(s), ModTime: time.Unix(sec, 0)}
	}
	for _, c := range []struct {
		name string
		fsys fstest.MapFS
		opts SinkOptions
		want string
	}{
		{"numbers, not names, give the order", fstest.MapFS{
			"d/part-" + uuidA + "-0-10": file("c\n", 1), "d/part-" + uuidA + "-0-2": file("b\n", 1), "d/part-" + uuidA + "-0-0": file("a\n", 1),
		}, SinkOptions{}, "runs=1 rows=3\npart-A-0-0 run=0 subtask=0 counter=0 batch=false partition=[] rows=1\npart-A-0-2 run=0 subtask=0 counter=2 batch=false partition=[] rows=1\npart-A-0-10 run=0 subtask=0 counter=10 batch=false partition=[] rows=1\n0:1 [a]\n1:1 [b]\n2:1 [c]\n"},
		{"what is no part of the table", fstest.MapFS{
			"d/part-" + uuidA + "-0-0": file("a,1\n", 1), "d/_SUCCESS": file("", 1), "d/.DS_Store": file("x", 1), "d/.part-" + uuidA + "-0-1.inprogress." + uuidB: file("z\n", 1),
			"d/part-" + uuidA + "-0-0.crc": file("x", 1), "d/_tmp/x": file("y", 1),
		}, SinkOptions{}, "runs=1 rows=1\npart-A-0-0 run=0 subtask=0 counter=0 batch=false partition=[] rows=1\n0:1 [a] [1]\n" +
			"note hidden-file: .DS_Store is no part of the table\nnote hidden-file: .part-A-0-1.inprogress." + uuidB + " was left by a job that did not end: its rows do not count\nnote hidden-file: _SUCCESS is no part of the table\nnote hidden-file: the folder _tmp is no part of the table\nnote hidden-file: part-A-0-0.crc is no part of the table\n"},
		{"two runs, batch names", fstest.MapFS{
			"d/part-" + uuidA + "-task-0-file-0": file("new\n", 9), "d/part-" + uuidB + "-task-0-file-0": file("old\n", 5),
		}, SinkOptions{}, "runs=2 rows=2\npart-B-task-0-file-0 run=0 subtask=0 counter=0 batch=true partition=[] rows=1\npart-A-task-0-file-0 run=1 subtask=0 counter=0 batch=true partition=[] rows=1\n0:1 [old]\n1:1 [new]\nnote several-runs: the folder holds the files of 2 runs: an INSERT adds to what is there\n"},
		{"quotes, line breaks, no final newline", fstest.MapFS{
			"d/part-" + uuidA + "-0-0": file("\"q\"\"x\",1,\r\n\"two\nlines\",\"a,b\"", 1),
		}, SinkOptions{}, "runs=1 rows=2\npart-A-0-0 run=0 subtask=0 counter=0 batch=false partition=[] rows=2\n0:1 [q\"x]\" [1] []\n0:2-3 [two\\nlines]\" [a,b]\"\n"},
		{"an open quote", fstest.MapFS{"d/part-" + uuidA + "-0-0": file("a,1\n\"b,2\nc,3\n", 1)}, SinkOptions{},
			"runs=1 rows=2\npart-A-0-0 run=0 subtask=0 counter=0 batch=false partition=[] rows=2\n0:1 [a] [1]\n0:2-3 [b,2\\nc,3]\"\nproblem part-A-0-0:2 csv: a quote is not closed\n"},
		{"delimiter, quote, escape", fstest.MapFS{"d/part-" + uuidA + "-0-0": file("'a;b';c\\;d;1\n", 1)}, SinkOptions{Delimiter: ';', Quote: '\'', Escape: '\\'},
			"runs=1 rows=1\npart-A-0-0 run=0 subtask=0 counter=0 batch=false partition=[] rows=1\n0:1 [a;b]\" [c;d] [1]\n"},
		{"partitions", fstest.MapFS{"d/day=2026-05-01/lvl=INFO/part-" + uuidA + "-0-3": file("x\n", 1)}, SinkOptions{},
			"runs=1 rows=1\nday=2026-05-01/lvl=INFO/part-A-0-3 run=0 subtask=0 counter=3 batch=false partition=[{day 2026-05-01} {lvl INFO}] rows=1\n0:1 [x]\n"},
		{"json", fstest.MapFS{"d/part-" + uuidA + "-0-0": file("{\"op\":\"INSERT\",\"n\":1}\n\n{\"op\":\n", 1)}, SinkOptions{Format: "json"},
			"runs=1 rows=1\npart-A-0-0 run=0 subtask=0 counter=0 batch=false partition=[] rows=1\n0:1 op=INSERT n=1\nproblem part-A-0-0:3 unclosed: the file ends where a value should stand\n"},
		{"empty folder", fstest.MapFS{"d": &fstest.MapFile{Mode: 0o755 | os.ModeDir}}, SinkOptions{}, "runs=0 rows=0\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := ReadSink(c.fsys, "d", c.opts)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, sinkText(f)); d != "" {
				t.Error(d)
			}
		})
	}
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("a,\"b\"\"c\",\n\"x\ny\",1"))
	f.Add([]byte("\"\"\"\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		fsys := fstest.MapFS{"d/part-" + uuidA + "-0-0": {Data: b}}
		f, err := ReadSink(fsys, "d", SinkOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range f.Rows {
			if r.Line < 1 || r.LastLine < r.Line {
				t.Fatalf("lines %d-%d", r.Line, r.LastLine)
			}
		}
	})
}
