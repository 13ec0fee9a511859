package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

// finalView looks at the tables that the two logs of a step with compare: final lead to,
// since their changes may differ in any way. nil for other steps.
func (d *diagnosis) finalView() *diagnosis {
	if d.step.Kind != labs.KindChangelog || d.step.Compare != labs.CompareFinal || d.saved == nil || d.res.overflow || !d.want.stored || d.res.hasOp != d.want.streaming {
		return nil
	}
	want := *d.want
	want.rows, want.streaming = replayed(d.want.rows, d.key), false
	v := *d
	v.want, v.saved = &want, replayed(d.saved, d.key)
	return &v
}

// tableDifference is the first difference of two tables.
func (d *diagnosis) tableDifference(ctx context.Context, b bagDifference) report.Finding {
	switch {
	case len(b.pairs) > 0:
		return d.rowFinding(ctx, b.pairs[0][0], b.pairs[0][1])
	case len(b.missing) > 0:
		return d.rowFinding(ctx, b.missing[0], -1)
	case len(b.extra) > 0:
		return d.rowFinding(ctx, -1, b.extra[0])
	case len(b.twice) > 0:
		return d.rowFinding(ctx, -1, b.twice[0])
	}
	return report.Finding{File: d.out.name, Line: d.res.block.FirstLine}
}

// damagedFinal names the rows in which the final tables differ: a few of them.
func (d *diagnosis) damagedFinal(ctx context.Context, v *diagnosis) bool {
	b := compareBags(v.want.rows, v.saved, v.key)
	n := len(b.pairs) + len(b.missing) + len(b.extra) + len(b.twice)
	if n == 0 || n > 3 && 3*n > len(v.want.rows) && len(b.missing) != n {
		return false
	}
	f := v.tableDifference(ctx, b)
	var says []string
	code := ""
	say := func(c string, n int, text string) {
		if n > 0 {
			says = append(says, text)
			if code == "" {
				code = c
			}
		}
	}
	say("LG-STREAM-009", len(b.pairs), have(len(b.pairs), "row")+" another value")
	say("LG-STREAM-006", len(b.missing), are(len(b.missing), "row")+" missing")
	say("LG-STREAM-012", len(b.extra), are(len(b.extra), "row")+" not expected")
	say("LG-STREAM-007", len(b.twice), stand(len(b.twice), "row")+" there twice")
	f.Message = fmt.Sprintf("In the table that the log leads to, %s.", strings.Join(says, ", "))
	var keys []string
	for _, p := range b.pairs {
		keys = append(keys, v.tableRowWords(p[0], p[1]))
	}
	for _, w := range b.missing {
		keys = append(keys, v.tableRowWords(w, -1))
	}
	for _, s := range append(b.extra, b.twice...) {
		keys = append(keys, v.tableRowWords(-1, s))
	}
	f.More = append(f.More, keys[1:min(len(keys), 1+maxFinalRows)]...)
	d.v.add(code, f)
	return true
}

// maxFinalRows bounds the further rows that a finding lists.
const maxFinalRows = 5

// tableRowWords writes an expected and a saved row of a table; -1 stands for none.
func (d *diagnosis) tableRowWords(w, s int) string {
	want, found := "no such row", "no such row"
	if w >= 0 {
		want = words(&d.want.rows[w], d.want.columns, false)
	}
	if s >= 0 {
		found = words(&d.saved[s], d.want.columns, false)
	}
	return "expected " + want + "; found " + found
}
