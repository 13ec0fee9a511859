package source

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/labgrade/labgrade/value"
)

// clicks is a file of the shape of the lab dynamic.
func clicks(rows int) string {
	var b strings.Builder
	for i := 0; i < rows; i++ {
		fmt.Fprintf(&b, "%d,user%05d,/page/%d,%d,2026-05-%02d %02d:%02d:%02d.%03d\n", i+1, i*7919%50000, i%97, i%300, i%28+1, i%24, i%60, i*7%60, i%1000)
	}
	return b.String()
}

// plainFS serves one file without copying it.
type plainFS struct{ fstest.MapFS }

func (p plainFS) Open(name string) (fs.File, error) { return p.MapFS.Open(name) }

func BenchmarkCSV(b *testing.B) {
	text := clicks(100_000)
	fsys := plainFS{fstest.MapFS{"f": {Data: []byte(text)}}}
	tb := table("f", "click_id BIGINT, user_id STRING, url STRING, dwell INT, ts TIMESTAMP(3)")
	for _, c := range []struct {
		name    string
		columns []int
	}{{"all", []int{0, 1, 2, 3, 4}}, {"user+dwell", []int{1, 3}}, {"id", []int{0}}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			row := make(value.Row, len(c.columns))
			for b.Loop() {
				r, err := Open(tb, c.columns, -1, fsys, Options{})
				if err != nil {
					b.Fatal(err)
				}
				n := 0
				for {
					_, ok, err := r.Next(row)
					if err != nil {
						b.Fatal(err)
					}
					if !ok {
						break
					}
					n++
				}
				if n != 100_000 {
					b.Fatal(n)
				}
			}
		})
	}
}
