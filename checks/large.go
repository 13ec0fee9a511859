package checks

import (
	"context"
	"fmt"

	"github.com/labgrade/labgrade/labs"
)

// A large log is not kept: its damage is looked for in a window around the first row
// that differs, and whether it is right for each key by one hash a key.
const (
	windowBefore = 64
	windowRows   = 4096
)

// damagedLarge names the damage of a log that is too large to keep.
func (d *diagnosis) damagedLarge(ctx context.Context) (bool, error) {
	at := d.res.cmp.at
	if at < 0 {
		return false, nil
	}
	from := max(0, at-windowBefore)
	want, err := window(d.want.feed(ctx), from, windowRows)
	if err != nil {
		return false, err
	}
	saved, err := d.savedWindow(ctx, from, windowRows)
	if err != nil {
		return false, err
	}
	total := int(d.res.counts.total())
	small := *d
	wantAnswer := *d.want
	wantAnswer.rows, wantAnswer.stored = want, true
	small.want, small.saved = &wantAnswer, saved
	small.whole, small.from = d.want, from
	if len(saved) < windowRows && from+len(saved) >= total && len(want) > len(saved) {
		// The file ends inside the window.
		if x := findDamage(want[:min(len(want), len(saved)+1)], saved, d.key, false); x.kind == damageCut {
			b := d.res.block
			if b.Footer != nil && b.Footer.Rows == total {
				f := small.rowFinding(ctx, x.want[0], -1)
				n := want[x.want[0]].cause.Line - 1
				f.Message = fmt.Sprintf("The log is the one of the first %s of the source.", plural(n, "line"))
				d.v.add("LG-DATA-003", f)
				return true, nil
			}
			return small.damageFinding(ctx, x), nil
		}
	}
	x := findDamage(want, saved, d.key, true)
	if x.kind != damageUnknown && !(x.kind == damageSwapped && d.parallel()) {
		return small.damageFinding(ctx, x), nil
	}
	perKey := *d.step
	perKey.Compare = labs.ComparePerKey
	out, bad, err := d.s.readOutput(ctx, d.out.name, d.want, &perKey)
	if err != nil || bad != nil {
		return false, err
	}
	for _, r := range out.results {
		if r.block.FirstLine == d.res.block.FirstLine && r.cmp.equal {
			return small.damageFinding(ctx, damage{kind: damageOrder, want: []int{at - from}, saved: []int{at - from}}), nil
		}
	}
	f := small.rowFinding(ctx, min(at-from, len(want)-1), min(at-from, len(saved)-1))
	f.Message = "The log is not the expected one, and no usual mistake explains it."
	d.v.add("LG-STREAM-015", f)
	return true, nil
}

// window reads n rows of a feed from row from on, and closes it.
func window(f feed, from, n int) ([]row, error) {
	defer f.close()
	var out []row
	for i := 0; len(out) < n; i++ {
		r, ok := f.next()
		if !ok {
			return out, f.err()
		}
		if i >= from {
			out = append(out, r.clone())
		}
	}
	return out, nil
}

// savedWindow reads rows of the chosen result again.
func (d *diagnosis) savedWindow(ctx context.Context, from, n int) ([]row, error) {
	idx := indexByName(d.want.columns, d.res.columns)
	if from+n <= len(d.res.rows) {
		return projectAll(d.res.rows[from:from+n], idx), nil
	}
	rows, err := d.s.readRows(ctx, d.out.name, d.res.block.FirstLine, from, n)
	if err != nil {
		return nil, err
	}
	return projectAll(rows, idx), nil
}
