package checks

import (
	"context"
	"fmt"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/replay"
	"github.com/labgrade/labgrade/report"
)

// damaged: the file was right once, and rows were lost, added, moved or changed; or the
// log is right for each key, or merged.
func (d *diagnosis) damaged(ctx context.Context) (bool, error) {
	if d.saved == nil {
		return false, nil
	}
	if d.step.Kind == labs.KindTable {
		return d.damagedTable(ctx), nil
	}
	if d.res.overflow || !d.want.stored {
		return d.damagedLarge(ctx)
	}
	want, open := d.want.rows, d.step.Compare == labs.ComparePrefix
	if open {
		// The saved log need not reach the end of the expected one.
		want = want[:min(len(want), len(d.saved)+maxEdits)]
	}
	x := findDamage(want, d.saved, d.key, open)
	if x.kind == damageUnknown && open && len(d.saved) < len(d.want.rows) {
		// What is wrong with the last rows is seen when no row is missing before them.
		x = findDamage(d.want.rows[:len(d.saved)], d.saved, d.key, false)
	}
	if x.kind == damageSwapped && d.parallel() && sameByKey(d.want.rows, d.saved, d.key) {
		x.kind = damageOrder
	}
	if v := d.finalView(); v != nil && x.kind != damageCut && x.kind != damageAppended {
		return d.damagedFinal(ctx, v), nil
	}
	if x.kind == damageUnknown || x.kind == damageMixed {
		if d.merged(ctx) {
			return true, nil
		}
	}
	return d.damageFinding(ctx, x), nil
}

// parallel reports whether the learner's SQL asks for more than one subtask.
func (d *diagnosis) parallel() bool {
	p, ok := settingsOf(d.learner.list)["parallelism.default"]
	return ok && p.value != "1"
}

// damageFinding reports a damage; false when it has no name.
func (d *diagnosis) damageFinding(ctx context.Context, x damage) bool {
	one := func(list []int) int {
		if len(list) > 0 {
			return list[0]
		}
		return -1
	}
	w, s := one(x.want), one(x.saved)
	lines := numbersOf(d.saved, x.saved)
	var f report.Finding
	var code string
	switch x.kind {
	case damageCut:
		code = "LG-STREAM-005"
		f = d.rowFinding(ctx, w, -1)
		f.Message = fmt.Sprintf("The log ends after %s; %s missing.", plural(len(d.saved), "row"), are(len(x.want), "row"))
		if d.whole != nil {
			f.Message = fmt.Sprintf("The log ends after %s; the rest is missing.", plural(int(d.res.counts.total()), "row"))
		}
		if d.footerTells() {
			code = "LG-STREAM-006"
			f.Message = fmt.Sprintf("%s missing at the end, though the footer counts them.", are(len(x.want), "row"))
			if d.whole != nil {
				f.Message = "Rows are missing at the end, though the footer counts them."
			}
		}
	case damageHead, damageLost:
		code = "LG-STREAM-006"
		f = d.rowFinding(ctx, w, -1)
		f.Line = d.lineBehind(w, x)
		f.Message = fmt.Sprintf("%s missing.", are(len(x.want), "row"))
		if x.kind == damageHead && d.res.block.HeaderLine == 0 {
			code = "LG-STREAM-013"
			f.Message = fmt.Sprintf("The first %s missing.", are(len(x.want), "row"))
		}
	case damageTwice, damageAppended:
		code = "LG-STREAM-007"
		f = d.rowFinding(ctx, -1, s)
		f.Message = fmt.Sprintf("%s there twice, at %s.", stand(len(x.saved), "row"), lineWords(lines))
		if x.kind == damageAppended {
			f.Message = "The whole log stands there more than once."
		}
	case damageExtra:
		code = "LG-STREAM-012"
		f = d.rowFinding(ctx, -1, s)
		f.Message = fmt.Sprintf("%s not in the expected log, at %s.", are(len(x.saved), "row"), lineWords(lines))
	case damageSwapped:
		code = "LG-STREAM-008"
		if w < 0 {
			w, s = d.firstUnequal()
		}
		f = d.rowFinding(ctx, d.atSaved(w, s), s)
		f.Message = fmt.Sprintf("Rows have changed places, at %s.", lineWords(lines))
	case damageEdited:
		code = "LG-STREAM-009"
		f = d.rowFinding(ctx, w, s)
		f.Message = fmt.Sprintf("%s another value, at %s.", have(len(x.saved), "row"), lineWords(lines))
	case damageKinds:
		code = "LG-STREAM-010"
		f = d.rowFinding(ctx, w, s)
		f.Message = fmt.Sprintf("%s the wrong row kind, at %s.", have(len(x.saved), "row"), lineWords(lines))
	case damageMixed:
		code = "LG-STREAM-012"
		if len(x.want) > len(x.saved) {
			code = "LG-STREAM-006"
		}
		w, s := d.firstUnequal()
		f = d.rowFinding(ctx, w, s)
		f.Message = fmt.Sprintf("%s missing, and %s not expected.", are(len(x.want), "row"), are(len(x.saved), "row"))
	case damageNoBefore:
		code = "LG-STREAM-011"
		f = d.rowFinding(ctx, w, s)
		f.Message = "The log has no update-before rows."
	case damageSorted:
		code = "LG-STREAM-014"
		f = d.rowFinding(ctx, w, s)
		f.Message = "The rows are sorted; the log has them in the order of the events."
	case damageOrder:
		code = "LG-STREAM-004"
		f = d.rowFinding(ctx, w, s)
		f.Message = "The rows of each key are right and in order, but the keys interleave in another way than with one subtask."
	default:
		return false
	}
	d.v.add(code, f)
	return true
}

// footerTells reports a footer that counts more rows than the file holds.
func (d *diagnosis) footerTells() bool {
	b := d.res.block
	return b.Footer != nil && b.Footer.Rows > int(d.res.counts.total())
}

// firstUnequal is the first place where the two logs differ.
func (d *diagnosis) firstUnequal() (w, s int) {
	for i := range d.saved {
		if i >= len(d.want.rows) {
			return -1, i
		}
		if !d.want.rows[i].equal(&d.saved[i]) {
			return i, i
		}
	}
	return len(d.saved), -1
}

// atSaved is the expected row that belongs at the place of a saved one.
func (d *diagnosis) atSaved(w, s int) int {
	if s >= 0 && s < len(d.want.rows) {
		return s
	}
	return w
}

// lineBehind is the line of the saved row behind a gap at the expected row w.
func (d *diagnosis) lineBehind(w int, x damage) int {
	// Rows before the gap stand at their own places.
	if w >= 0 && w < len(d.saved) {
		return d.saved[w].line
	}
	return d.res.block.LastLine
}

// merged: the log leads to the right table in fewer changes, or in others.
func (d *diagnosis) merged(ctx context.Context) bool {
	if len(d.saved) == 0 {
		return false
	}
	rep := func(rows []row) *replay.Result {
		p := replay.New(replay.Options{Key: d.key})
		for i := range rows {
			p.Add(replay.Change{Kind: rows[i].kind, Cells: rows[i].cells})
		}
		return p.Finish()
	}
	if r := rep(d.saved); !r.OK() {
		return false
	}
	b := compareBags(replayed(d.want.rows, d.key), replayed(d.saved, d.key), d.key)
	if !b.equal() {
		return false
	}
	want, saved := changes(d.want.rows, d.key), changes(d.saved, d.key)
	fewer := false
	for k, n := range want {
		if saved[k] > n {
			return false
		}
		fewer = fewer || saved[k] < n
	}
	f := d.firstDifference(ctx)
	switch {
	case !fewer:
		f.Message = "The log leads to the right table with as many changes for each key, but in another order: several subtasks wrote it."
		d.v.add("LG-STREAM-004", f)
	case onlyInserts(d.saved) && d.handMade():
		f.Message = "The log has only the last row of each key, as an insert."
		d.v.add("LG-STREAM-016", f)
	default:
		f.Message = fmt.Sprintf("The log leads to the right table, but in %s instead of %d: intermediate changes were merged.", plural(len(d.saved), "row"), len(d.want.rows))
		d.v.add("LG-STREAM-003", f)
	}
	return true
}

// handMade reports the final rows in an order that people make: that of the first or
// the last change of each key, or sorted. Mini-batch leaves them in the order of a hash map.
func (d *diagnosis) handMade() bool {
	final := finalRows(d.want.rows, d.key)
	if len(d.saved) != len(final) || d.miniBatch() {
		return false
	}
	same := func(keys []string) bool {
		for i := range d.saved {
			if d.saved[i].text(d.key) != keys[i] {
				return false
			}
		}
		return true
	}
	var last, first []string
	live := map[string]bool{}
	for i := range final {
		k := final[i].text(d.key)
		last = append(last, k)
		live[k] = true
	}
	for i := range d.want.rows {
		if k := d.want.rows[i].text(d.key); live[k] {
			delete(live, k)
			first = append(first, k)
		}
	}
	return same(last) || same(first) || isSorted(d.saved)
}

// miniBatch reports whether the learner's SQL switches mini-batch on.
func (d *diagnosis) miniBatch() bool {
	m, ok := settingsOf(d.learner.list)["table.exec.mini-batch.enabled"]
	return ok && m.value == "true"
}

func onlyInserts(rows []row) bool {
	for i := range rows {
		if rows[i].kind != changelog.Insert {
			return false
		}
	}
	return true
}

// changes counts the changes of each key: an insert, a delete, or a pair of an update.
func changes(rows []row, key []int) map[string]int {
	n := map[string]int{}
	for i := range rows {
		if rows[i].kind != changelog.UpdateBefore {
			n[rows[i].text(key)]++
		}
	}
	return n
}

// damagedTable names the damage of a batch result.
func (d *diagnosis) damagedTable(ctx context.Context) bool {
	if !d.want.stored {
		return false
	}
	b := compareBags(d.want.rows, d.saved, d.key)
	n := len(b.pairs) + len(b.missing) + len(b.extra) + len(b.twice)
	if n > 3 && 3*n > len(d.want.rows) && len(b.missing) != n && len(b.twice) != n {
		return false
	}
	if x := d.foreign(b); x {
		f := d.firstDifference(ctx)
		f.Message = fmt.Sprintf("The result has %s that the source does not have.", plural(len(b.extra), "key"))
		d.v.add("LG-DATA-001", f)
		return true
	}
	var f report.Finding
	var code string
	switch {
	case len(b.twice) > 0 && len(b.missing)+len(b.pairs)+len(b.extra) == 0:
		code, f = "LG-TABLE-004", d.rowFinding(ctx, -1, b.twice[0])
		f.Message = fmt.Sprintf("%s there twice.", stand(len(b.twice), "row"))
	case len(b.pairs) > 0:
		code, f = "LG-TABLE-005", d.rowFinding(ctx, b.pairs[0][0], b.pairs[0][1])
		f.Message = fmt.Sprintf("%s a wrong value.", have(len(b.pairs), "row"))
	case len(b.extra) > 0 && len(b.missing) == len(b.extra):
		// A changed key looks like one row lost and another added.
		code, f = "LG-TABLE-005", d.rowFinding(ctx, b.missing[0], b.extra[0])
		f.Message = fmt.Sprintf("%s a wrong value.", have(len(b.extra), "row"))
	case len(b.missing) > 0:
		code, f = "LG-TABLE-002", d.rowFinding(ctx, b.missing[0], -1)
		f.Message = fmt.Sprintf("%s missing.", are(len(b.missing), "row"))
		if blk := d.res.block; blk.Footer == nil && blk.Kind == parse.KindTable {
			code = "LG-TABLE-007"
			f.Message = fmt.Sprintf("The table is cut off: %s missing.", are(len(b.missing), "row"))
		}
	case len(b.extra) > 0:
		code, f = "LG-TABLE-003", d.rowFinding(ctx, -1, b.extra[0])
		f.Message = fmt.Sprintf("%s not in the expected result.", are(len(b.extra), "row"))
	default:
		return false
	}
	d.v.add(code, f)
	return true
}

// foreign reports a table about other keys: made from other data.
func (d *diagnosis) foreign(b bagDifference) bool {
	return len(b.extra) >= 3 && 2*len(b.extra) > len(d.saved)
}

func are(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return fmt.Sprintf("%d %ss are", n, noun)
}

func have(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " has"
	}
	return fmt.Sprintf("%d %ss have", n, noun)
}

func stand(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " stands"
	}
	return fmt.Sprintf("%d %ss stand", n, noun)
}

// lineWords writes "line 5" or "lines 5, 7 and 9 more".
func lineWords(lines []int) string {
	switch len(lines) {
	case 0:
		return "an unknown line"
	case 1:
		return fmt.Sprintf("line %d", lines[0])
	}
	return "lines " + list(lines, 6)
}
