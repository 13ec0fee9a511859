package checks

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"github.com/labgrade/labgrade/changelog"
)

// scripted names a short edit script.
func scripted(script []edit, want, saved []row, p int) damage {
	d := moved(script, p)
	switch {
	case len(d.saved) == 0:
		d.kind = damageLost
		if len(want) > 0 && isTail(d.want, len(want)) {
			d.kind = damageCut
		}
	case len(d.want) == 0:
		d.kind = damageExtra
		all := true
		for _, i := range d.saved {
			all = all && repeatOf(saved, i, 1)
		}
		if all {
			d.kind = damageTwice
		}
	case len(d.want) == len(d.saved):
		d.kind = damageKinds
		for i := range d.want {
			if !want[d.want[i]].sameCells(&saved[d.saved[i]]) {
				d.kind = damageEdited
			}
		}
	default:
		d.kind = damageMixed
	}
	return d
}

func isTail(idx []int, n int) bool {
	for i, x := range idx {
		if x != n-len(idx)+i {
			return false
		}
	}
	return true
}

// sameBag reports whether both hold the same rows, in any order.
func sameBag(a, b []row) bool {
	if len(a) != len(b) {
		return false
	}
	count := map[string]int{}
	for i := range a {
		count[a[i].full()]++
	}
	for i := range b {
		k := b[i].full()
		if count[k] == 0 {
			return false
		}
		count[k]--
	}
	return true
}

// sameByKey reports whether each key has the same rows in the same order.
func sameByKey(a, b []row, key []int) bool {
	if len(a) != len(b) {
		return false
	}
	of := map[string][]int{}
	for i := range a {
		k := a[i].text(key)
		of[k] = append(of[k], i)
	}
	for i := range b {
		k := b[i].text(key)
		rest := of[k]
		if len(rest) == 0 || !a[rest[0]].equal(&b[i]) {
			return false
		}
		of[k] = rest[1:]
	}
	return true
}

// isSorted reports rows that are in alphabetical order of any one of their columns
// or of the whole line, as sort leaves them.
func isSorted(rows []row) bool {
	if len(rows) < 3 {
		return false
	}
	// A table's cells are right-aligned, so that the shorter text sorts first.
	padded := func(a, b []byte) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return bytes.Compare(a, b)
	}
	for _, compare := range []func(a, b []byte) int{padded, bytes.Compare} {
		if slices.IsSortedFunc(rows, func(a, b row) int {
			if c := strings.Compare(a.kind.String(), b.kind.String()); c != 0 {
				return c
			}
			for i := range a.cells {
				if c := compare(a.cells[i], b.cells[i]); c != 0 {
					return c
				}
			}
			return 0
		}) {
			return true
		}
	}
	for c := range rows[0].cells {
		text := sort.SliceIsSorted(rows, func(i, j int) bool {
			return bytes.Compare(rows[i].cells[c], rows[j].cells[c]) < 0
		})
		number := sort.SliceIsSorted(rows, func(i, j int) bool {
			a, b := rows[i].cells[c], rows[j].cells[c]
			if len(a) != len(b) {
				return len(a) < len(b)
			}
			return bytes.Compare(a, b) < 0
		})
		if text || number {
			return true
		}
	}
	return false
}

// withoutBefore reports whether saved is want without its update-before rows.
func withoutBefore(want, saved []row) bool {
	i, any := 0, false
	for j := range want {
		if want[j].kind == changelog.UpdateBefore {
			any = true
			continue
		}
		if i >= len(saved) || !want[j].equal(&saved[i]) {
			return false
		}
		i++
	}
	return any && i == len(saved)
}

// onlyLost reports whether saved is want with rows left out, however many.
func onlyLost(want, saved []row) (damage, bool) {
	d := damage{kind: damageLost}
	i := 0
	for j := range want {
		if i < len(saved) && want[j].equal(&saved[i]) {
			i++
			continue
		}
		d.want = append(d.want, j)
	}
	if i < len(saved) || len(saved) == 0 {
		return damage{}, false
	}
	if isTail(d.want, len(want)) {
		d.kind = damageCut
	}
	return d, true
}

// finalRows are the rows that a log leaves, by key, in the order of their last change.
func finalRows(rows []row, key []int) []row {
	last := map[string]int{}
	for i := range rows {
		k := rows[i].text(key)
		if rows[i].kind.Adds() {
			last[k] = i
		} else if rows[i].kind == changelog.Delete {
			delete(last, k)
		}
	}
	idx := make([]int, 0, len(last))
	for _, i := range last {
		idx = append(idx, i)
	}
	slices.Sort(idx)
	out := make([]row, len(idx))
	for n, i := range idx {
		out[n] = rows[i]
	}
	return out
}
