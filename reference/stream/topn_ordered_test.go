package stream

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// Rows in blocks are where one sorted list would have them.
func TestOrderedRows(t *testing.T) {
	schema := []value.Field{{Name: "a", Type: value.TInt}, {Name: "b", Type: value.TInt}}
	whole := wholeRow(schema)
	rapid.Check(t, func(t *rapid.T) {
		cmp := newRowComparator([]phys.SortKey{{Column: 0, Desc: rapid.Bool().Draw(t, "desc")}}, schema)
		s, want := newOrderedRows(cmp), sortedRows{cmp: cmp}
		keys, most := rapid.IntRange(1, 400).Draw(t, "keys"), rapid.IntRange(0, 300).Draw(t, "most")
		seed := uint64(rapid.Int64().Draw(t, "seed"))
		for step := range rapid.IntRange(1, 3000).Draw(t, "steps") {
			seed = seed*6364136223846793005 + 1442695040888963407
			row := value.Row{value.Int(int64(seed >> 33 % uint64(keys))), value.Int(int64(seed >> 60))}
			key := whole.append(nil, row)
			if seed>>50&3 != 0 || step < 600 {
				got, at := s.insert(row, key, most), want.insert(row)
				if got != at && (got <= most || at <= most) {
					t.Fatalf("inserted at %d, not %d", got, at)
				}
				continue
			}
			i := slices.IndexFunc(want.rows, func(r value.Row) bool { return r[0] == row[0] && r[1] == row[1] })
			old, got, ok := s.remove(row, key, most)
			if ok != (i >= 0) {
				t.Fatalf("removed: %v, not %v", ok, i >= 0)
			}
			if ok {
				if &old[0] != &want.rows[i][0] || got != i && (got <= most || i <= most) {
					t.Fatalf("removed from %d, not %d", got, i)
				}
				want.removeAt(i)
			}
		}
		if s.len() != len(want.rows) {
			t.Fatalf("%d rows, not %d", s.len(), len(want.rows))
		}
		for i, r := range want.rows {
			if &s.at(i)[0] != &r[0] {
				t.Fatalf("row %d differs", i)
			}
		}
	})
}
