package checks

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"github.com/labgrade/labgrade/changelog"
)

// damageKind is how a saved log differs from the one that it once was.
type damageKind uint8

const (
	damageUnknown  damageKind = iota // too different for a copy
	damageNone                       // equal
	damageCut                        // the end is missing
	damageHead                       // the beginning is missing
	damageLost                       // rows in between are missing
	damageTwice                      // rows stand there twice
	damageExtra                      // rows were added
	damageSwapped                    // rows changed places
	damageEdited                     // values changed
	damageKinds                      // row kinds changed
	damageNoBefore                   // every update-before is missing
	damageSorted                     // the rows are sorted
	damageOrder                      // right for each key, another order of keys
	damageAppended                   // the whole log stands there more than once
	damageFinal                      // only the final rows
	damageMixed                      // a few changes of several kinds
)

// damage says how saved differs from want.
type damage struct {
	kind damageKind
	// want and saved are the rows concerned, as indexes; parallel for damageEdited and
	// damageKinds. For the others one of them may be empty.
	want, saved []int
}

// fewMoves is the number of single insertions and deletions up to which rows in
// another order are called moved by hand rather than written by several subtasks.
const fewMoves = 8

// findDamage classifies the difference. key are the columns that tell whose row it is.
// open says that both are windows of longer logs, which go on.
func findDamage(want, saved []row, key []int, open bool) damage {
	p := 0
	for p < len(want) && p < len(saved) && want[p].equal(&saved[p]) {
		p++
	}
	if open {
		return findDamageFrom(want, saved, p)
	}
	q := 0
	for q < len(want)-p && q < len(saved)-p && want[len(want)-1-q].equal(&saved[len(saved)-1-q]) {
		q++
	}
	w, s := want[p:len(want)-q], saved[p:len(saved)-q]
	switch {
	case len(w) == 0 && len(s) == 0:
		return damage{kind: damageNone}
	case len(s) == 0:
		d := damage{kind: damageLost, want: span(p, len(w))}
		if q == 0 {
			d.kind = damageCut
		} else if p == 0 {
			d.kind = damageHead
		}
		return d
	case len(w) == 0:
		return additional(want, saved, p, len(s))
	case len(w) == len(s):
		if d, ok := replaced(w, s, p); ok {
			return d
		}
	}
	script, few := editScript(len(w), len(s), maxEdits, false, func(e, i int) bool { return w[e].equal(&s[i]) })
	if len(w) == len(s) && sameBag(w, s) {
		switch {
		case few && len(script) <= fewMoves:
			return moved(script, p)
		case sameByKey(w, s, key):
			return damage{kind: damageOrder, want: []int{p}, saved: []int{p}}
		case isSorted(saved):
			return damage{kind: damageSorted, want: []int{p}, saved: []int{p}}
		case few:
			return moved(script, p)
		}
		return damage{kind: damageSwapped, want: []int{p}, saved: []int{p}}
	}
	if withoutBefore(want, saved) {
		return damage{kind: damageNoBefore, want: []int{p}, saved: []int{p}}
	}
	if few && 2*len(script) <= len(want)+len(saved)-len(script) {
		return scripted(script, want, saved, p)
	}
	if d, ok := onlyLost(want, saved); ok {
		return d
	}
	return damage{kind: damageUnknown, want: []int{p}, saved: []int{p}}
}

// findDamageFrom names a small damage at row p of a window.
func findDamageFrom(want, saved []row, p int) damage {
	w, s := want[p:], saved[p:]
	n := min(len(w), len(s))
	script, few := editScript(n, n, maxEdits, true, func(e, i int) bool { return w[e].equal(&s[i]) })
	if !few || len(script) == 0 || 2*len(script) > n {
		return damage{kind: damageUnknown, want: []int{p}, saved: []int{p}}
	}
	d := scripted(script, want, saved, p)
	if len(d.want) > 0 && len(d.want) == len(d.saved) && sameRows(want, d.want, saved, d.saved) {
		d.kind = damageSwapped
	}
	return d
}

// sameRows reports whether the chosen rows are the same bag.
func sameRows(a []row, ai []int, b []row, bi []int) bool {
	var x, y []row
	for _, i := range ai {
		x = append(x, a[i])
	}
	for _, i := range bi {
		y = append(y, b[i])
	}
	return sameBag(x, y)
}

// span is n numbers from start.
func span(start, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = start + i
	}
	return out
}

// additional looks at n saved rows from p that no expected row matches.
func additional(want, saved []row, p, n int) damage {
	d := damage{kind: damageExtra, saved: span(p, n)}
	switch {
	case len(want) > 0 && n%len(want) == 0 && repeats(saved, len(want)):
		d.kind = damageAppended
	case repeatOf(saved, p, n):
		d.kind = damageTwice
	}
	return d
}

// repeats reports whether rows consist of their first n rows over and over.
func repeats(rows []row, n int) bool {
	for i := n; i < len(rows); i++ {
		if !rows[i].equal(&rows[i-n]) {
			return false
		}
	}
	return true
}

// repeatOf reports whether the n rows from p stand there a second time: just before
// them, just behind them, or anywhere as single lines.
func repeatOf(rows []row, p, n int) bool {
	equalAt := func(at int) bool {
		if at < 0 || at+n > len(rows) {
			return false
		}
		for i := range n {
			if !rows[p+i].equal(&rows[at+i]) {
				return false
			}
		}
		return true
	}
	if equalAt(p-n) || equalAt(p+n) {
		return true
	}
	seen := map[string]bool{}
	for i := range rows {
		if i < p || i >= p+n {
			seen[rows[i].full()] = true
		}
	}
	for i := range n {
		if !seen[rows[p+i].full()] {
			return false
		}
	}
	return true
}

// replaced looks for rows that differ in place.
func replaced(w, s []row, p int) (damage, bool) {
	d := damage{kind: damageKinds}
	for i := range w {
		if w[i].equal(&s[i]) {
			continue
		}
		if !w[i].sameCells(&s[i]) {
			d.kind = damageEdited
		}
		d.want = append(d.want, p+i)
		d.saved = append(d.saved, p+i)
		if len(d.want) > fewMoves {
			return damage{}, false
		}
	}
	if len(d.want) > 1 && sameBag(w, s) {
		d.kind = damageSwapped
	}
	if len(d.want) > len(w)/2+1 && len(w) > 4 && d.kind == damageEdited {
		return damage{}, false
	}
	return d, true
}

func moved(script []edit, p int) damage {
	d := damage{kind: damageSwapped}
	for _, e := range script {
		if e.insert {
			d.saved = append(d.saved, p+e.s)
		} else {
			d.want = append(d.want, p+e.e)
		}
	}
	return d
}

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
