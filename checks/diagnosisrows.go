package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

// firstDifference says where the saved result leaves the expected one: aligned by key,
// so that one lost row does not make all that follow look wrong.
func (d *diagnosis) firstDifference(ctx context.Context) report.Finding {
	f := report.Finding{File: d.out.name, Line: d.res.block.FirstLine}
	if d.saved == nil || !d.want.stored {
		return f
	}
	if d.step.Kind == labs.KindTable {
		return d.tableDifference(ctx, compareBags(d.want.rows, d.saved, d.key))
	}
	if v := d.finalView(); v != nil {
		if b := compareBags(v.want.rows, v.saved, v.key); !b.equal() {
			return v.tableDifference(ctx, b)
		}
	}
	w, s := alignByKey(d.want.rows, d.saved, d.key)
	return d.rowFinding(ctx, w, s)
}

// alignByKey finds the first saved row that is not the next one of its key, and the
// expected row of that key; without one, the first expected row that never came. -1
// stands for none.
func alignByKey(want, saved []row, key []int) (w, s int) {
	of := map[string][]int{}
	for i := range want {
		k := want[i].text(key)
		of[k] = append(of[k], i)
	}
	for i := range saved {
		k := saved[i].text(key)
		rest := of[k]
		if len(rest) == 0 {
			return -1, i
		}
		if !want[rest[0]].equal(&saved[i]) {
			return rest[0], i
		}
		of[k] = rest[1:]
	}
	first := -1
	for _, rest := range of {
		if len(rest) > 0 && (first < 0 || rest[0] < first) {
			first = rest[0]
		}
	}
	if first >= 0 {
		return first, -1
	}
	for i := range want {
		if i >= len(saved) || !want[i].equal(&saved[i]) {
			return i, i
		}
	}
	return -1, -1
}

// rowFinding describes an expected and a saved row; -1 stands for none.
func (d *diagnosis) rowFinding(ctx context.Context, w, s int) report.Finding {
	f := report.Finding{File: d.out.name}
	kind := d.want.streaming
	if w >= 0 {
		r := &d.want.rows[w]
		f.Key = keyWords(r, d.want.columns, d.key)
		f.Expected = words(r, d.want.columns, kind)
		f.SourceRows = d.sourceRows(ctx, w)
		if list, fired := d.firedBy(ctx, r); fired != "" {
			f.SourceRows = list
			f.More = append(f.More, fired)
		}
		if kind && !r.kind.Adds() && r.cause.Line > 0 {
			if t := d.s.g.sourceRows([]Cause{r.cause}); len(t) == 1 {
				f.More = append(f.More, fmt.Sprintf("taken back when line %d arrives: %s", t[0].Line, t[0].Text))
			}
		}
	}
	if s >= 0 {
		r := &d.saved[s]
		f.Line = r.line
		if r.file != "" {
			f.File = r.file
		}
		if f.Key == "" {
			f.Key = keyWords(r, d.want.columns, d.key)
		}
		f.Actual = words(r, d.want.columns, kind)
	} else {
		f.Actual = "no such row"
		f.Line = d.res.block.LastLine
	}
	if w < 0 {
		f.Expected = "no such row"
	}
	return f
}

// maxSourceRows bounds the source rows that a finding lists.
const maxSourceRows = 12

// sourceRows are the lines of the source that make the w-th expected row: those that
// caused the rows of its key up to there.
func (d *diagnosis) sourceRows(ctx context.Context, w int) []report.SourceRow {
	rows, upTo := d.want.rows, w
	key := rows[w].text(d.key)
	if !d.want.streaming {
		// A batch result has no causes; the same query as a stream has.
		step := *d.step
		step.Mode = "streaming"
		a, err := d.s.labAnswer(ctx, labScript(d.s.g.lab, &step)+ended(d.step.Query), styleTable)
		if err != nil || a.err != nil || !a.stored {
			return nil
		}
		rows, upTo = a.rows, len(a.rows)-1
	}
	var feed feed = &storedFeed{rows: rows}
	if d.whole != nil {
		feed, upTo = d.whole.feed(ctx), d.from+w
	}
	defer feed.close()
	var causes []Cause
	seen := map[Cause]bool{}
	for i := 0; i <= upTo; i++ {
		r, ok := feed.next()
		if !ok {
			break
		}
		if c := r.cause; c.Line > 0 && !seen[c] && r.text(d.key) == key {
			seen[c] = true
			causes = append(causes, c)
			if len(causes) > 2*maxSourceRows {
				causes = slices.Delete(causes, 0, maxSourceRows)
			}
		}
	}
	if n := len(causes); n > 1 && d.want.streaming && !d.want.rows[w].kind.Adds() && causes[n-1] == d.want.rows[w].cause {
		causes = causes[:n-1] // the row that takes the value back did not make it
	}
	return d.s.g.sourceRows(causes)
}

// numbersOf are the lines of saved rows.
func numbersOf(rows []row, idx []int) []int {
	var out []int
	for _, i := range idx {
		if i < len(rows) {
			out = append(out, rows[i].line)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
