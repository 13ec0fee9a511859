package checks

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"testing"
	"testing/fstest"

	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/report"
)

// TestOtherVersionsAreRight: the same SQL on other Flink versions is as right.
func TestOtherVersionsAreRight(t *testing.T) {
	lab := dynamicLab(t)
	const root = "../fixtures/recorded/versions/"
	source := clicksOf(t, root+"2.3.0/stream.out")
	g := New(lab, func(string) (fs.File, error) { return newMemFile(source), nil }, Reference())
	for _, v := range []string{"1.17.2", "1.19.1", "1.20.3", "2.0.0", "2.2.1", "2.3.0"} {
		for _, withSQL := range []bool{true, false} {
			files := fstest.MapFS{}
			steps := []string{"batch", "stream", "nested", "explain", "fs-sink", "upsert"}
			for _, s := range steps {
				for _, f := range []string{root + v + "/" + s + ".out", root + "sql/" + s + ".sql"} {
					b, err := os.ReadFile(f)
					if err != nil {
						t.Fatal(err)
					}
					if name := f[len(f)-len(s)-4:]; withSQL || name == s+".out" {
						files[name] = &fstest.MapFile{Data: b}
					}
				}
			}
			got, err := g.Check(context.Background(), files, steps)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range got {
				if c.Outcome != report.Pass || c.Worst() != "" && c.Worst() != report.Note {
					t.Errorf("%s, SQL %v: %s is %s\n%s", v, withSQL, c.ID, c.Outcome, wrongOnly(got))
				}
			}
		}
	}
}

// clicksOf makes the source of a recorded log again: each change of a user is a click,
// whose dwell is what the sum grew by.
func clicksOf(t *testing.T, logFile string) []byte {
	b, err := os.ReadFile(logFile)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := parse.Read(bytes.NewReader(b), parse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	sums := map[string]int{}
	n := 0
	for _, r := range tr.Results()[0].Rows {
		if !r.Kind.Adds() {
			continue
		}
		sum, err := strconv.Atoi(r.Text(2))
		if err != nil {
			t.Fatal(err)
		}
		n++
		fmt.Fprintf(&out, "%d,%s,/x,%d,2026-03-01 09:00:00.000\n", n, r.Text(0), sum-sums[r.Text(0)])
		sums[r.Text(0)] = sum
	}
	return out.Bytes()
}
