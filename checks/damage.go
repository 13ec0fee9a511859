package checks

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
