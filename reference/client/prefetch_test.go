package client

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// oneFile is a file system for reading.
type oneFile struct {
	Files
	fs fstest.MapFS
}

func (f oneFile) Open(name string) (fs.File, error) { return f.fs.Open(strings.TrimPrefix(name, "/")) }
func (f oneFile) ReadDir(name string) ([]fs.DirEntry, error) {
	return f.fs.ReadDir(strings.TrimPrefix(name, "/"))
}

// Rows that were decoded ahead are those of the general reader, also when the file stops
// being plain on the way.
func TestPrefetchedRows(t *testing.T) {
	for _, odd := range []string{"", `7,"a,b",3`, "7,x,no number"} {
		var b strings.Builder
		for i := range 220_000 {
			if i == 100_000 && odd != "" {
				b.WriteString(odd + "\n")
				continue
			}
			fmt.Fprintf(&b, "%d,user_%05d,%d\n", i, i%1000, i%77)
		}
		table := &catalog.Table{Options: []sql.Option{{Key: "connector", Value: "filesystem"}, {Key: "path", Value: "/t.csv"}, {Key: "format", Value: "csv"}},
			Columns: []catalog.Column{{Name: "id", Type: value.TBigInt}, {Name: "u", Type: value.TString}, {Name: "n", Type: value.TInt}}}
		s := New(Options{Files: oneFile{fs: fstest.MapFS{"t.csv": {Data: []byte(b.String())}}}})
		scan := &phys.TableSourceScan{Table: table, Columns: []int{1, 2}, Limit: -1}
		ahead, err := s.openPrefetched(scan)
		if err != nil || ahead == nil {
			t.Fatal(ahead, err)
		}
		general, err := s.openGeneral(scan)
		if err != nil {
			t.Fatal(err)
		}
		a, g := make(value.Row, 2), make(value.Row, 2)
		for n := 0; ; n++ {
			ak, ap, aerr := ahead.Next(a)
			gk, gp, gerr := general.Next(g)
			if fmt.Sprint(aerr) != fmt.Sprint(gerr) {
				t.Fatalf("row %d: %v, want %v", n, aerr, gerr)
			}
			if aerr != nil {
				if odd == "" && !errors.Is(aerr, io.EOF) {
					t.Fatal(aerr)
				}
				break
			}
			if ak != changelog.Insert || gk != ak || ap != gp || a[0] != g[0] || a[1] != g[1] {
				t.Fatalf("row %d: %v %v, want %v %v", n, ap, a, gp, g)
			}
		}
		for _, r := range []stream.Reader{ahead, general} {
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
