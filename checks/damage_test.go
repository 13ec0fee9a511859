package checks

import (
	"slices"
	"strings"
	"testing"

	"github.com/labgrade/labgrade/changelog"
)

// logOf makes rows of "+I u1 1" texts separated by commas.
func logOf(text string) []row {
	var out []row
	for i, s := range strings.Split(text, ",") {
		f := strings.Fields(s)
		if len(f) == 0 {
			continue
		}
		k, ok := changelog.ParseRowKind(f[0])
		if !ok {
			panic(s)
		}
		r := row{kind: k, line: i + 1}
		for _, c := range f[1:] {
			r.cells = append(r.cells, []byte(c))
		}
		out = append(out, r)
	}
	return out
}

func TestFindDamage(t *testing.T) {
	const log = "+I a 1,-U a 1,+U a 2,+I b 1,-U a 2,+U a 3,-U b 1,+U b 2,+I c 1,-U c 1,+U c 2,-U a 3,+U a 4"
	for _, c := range []struct {
		name, saved string
		kind        damageKind
		want, got   []int
	}{
		{"equal", log, damageNone, nil, nil},
		{"end missing", "+I a 1,-U a 1,+U a 2,+I b 1,-U a 2,+U a 3", damageCut, []int{6, 7, 8, 9, 10, 11, 12}, nil},
		{"beginning missing", "+U a 2,+I b 1,-U a 2,+U a 3,-U b 1,+U b 2,+I c 1,-U c 1,+U c 2,-U a 3,+U a 4", damageHead, []int{0, 1}, nil},
		{"one lost", "+I a 1,-U a 1,+U a 2,-U a 2,+U a 3,-U b 1,+U b 2,+I c 1,-U c 1,+U c 2,-U a 3,+U a 4", damageLost, []int{3}, nil},
		{"two lost", "+I a 1,-U a 1,+U a 2,-U a 2,+U a 3,-U b 1,+U b 2,+I c 1,+U c 2,-U a 3,+U a 4", damageLost, []int{3, 9}, nil},
		{"one twice", "+I a 1,-U a 1,+U a 2,+I b 1,+I b 1,-U a 2,+U a 3,-U b 1,+U b 2,+I c 1,-U c 1,+U c 2,-U a 3,+U a 4", damageTwice, nil, []int{4}},
		{"one added", "+I a 1,-U a 1,+U a 2,+I b 1,+I z 1,-U a 2,+U a 3,-U b 1,+U b 2,+I c 1,-U c 1,+U c 2,-U a 3,+U a 4", damageExtra, nil, []int{4}},
		{"all twice", log + "," + log, damageAppended, nil, span(13, 13)},
		{"neighbours swapped", "+I a 1,-U a 1,+I b 1,+U a 2,-U a 2,+U a 3,-U b 1,+U b 2,+I c 1,-U c 1,+U c 2,-U a 3,+U a 4", damageSwapped, []int{2, 3}, []int{2, 3}},
		{"value", "+I a 1,-U a 1,+U a 9,+I b 1,-U a 2,+U a 3,-U b 1,+U b 2,+I c 1,-U c 1,+U c 2,-U a 3,+U a 4", damageEdited, []int{2}, []int{2}},
		{"kind", "+I a 1,-D a 1,+U a 2,+I b 1,-U a 2,+U a 3,-U b 1,+U b 2,+I c 1,-U c 1,+U c 2,-U a 3,+U a 4", damageKinds, []int{1}, []int{1}},
		{"no update-before", "+I a 1,+U a 2,+I b 1,+U a 3,+U b 2,+I c 1,+U c 2,+U a 4", damageNoBefore, []int{1}, []int{1}},
		{"keys in another order", "+I c 1,-U c 1,+U c 2,+I b 1,-U b 1,+U b 2,+I a 1,-U a 1,+U a 2,-U a 2,+U a 3,-U a 3,+U a 4", damageOrder, []int{0}, []int{0}},
		{"another log", "+I x 1,+I y 1", damageUnknown, []int{0}, []int{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := findDamage(logOf(log), logOf(c.saved), []int{0}, false)
			if d.kind != c.kind || !slices.Equal(d.want, c.want) || !slices.Equal(d.saved, c.got) {
				t.Errorf("got %d %v %v, want %d %v %v", d.kind, d.want, d.saved, c.kind, c.want, c.got)
			}
		})
	}
}
