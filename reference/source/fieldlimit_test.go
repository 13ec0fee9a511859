package source

import (
	"strings"
	"testing"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// Flink's reader takes texts of up to 20,000,000 characters, in lines that may be longer.
func TestLongestField(t *testing.T) {
	table := &catalog.Table{Options: []sql.Option{{Key: "connector", Value: "filesystem"}, {Key: "path", Value: "/t.csv"}, {Key: "format", Value: "csv"}},
		Columns: []catalog.Column{{Name: "a", Type: value.TString}, {Name: "b", Type: value.TString}}}
	for _, c := range []struct {
		name    string
		chars   int
		refused bool
	}{
		{name: "longest", chars: maxFieldChars},
		{name: "longer", chars: maxFieldChars + 1, refused: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Open(table, []int{0, 1}, -1, files{"/t.csv": strings.Repeat("x", c.chars) + ",some more\n"}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			row := make(value.Row, 2)
			_, _, err = r.Next(row)
			if c.refused != unsupported.Is(err) || err == nil && len(row[0].Str()) != c.chars {
				t.Errorf("%d characters, %v", len(row[0].Str()), err)
			}
		})
	}
}
