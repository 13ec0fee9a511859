package checks

import (
	"context"
	"strings"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/sql"
)

// blamed are the faults of the n-th statement that its result shows. A mode that no SET
// chose is not blamed for a result of the right form (the lab, or an init file, chose it),
// and of several clauses that are too many only those without which the result is another.
func (d *diagnosis) blamed(ctx context.Context, faults []fault, list []*answer, n int) ([]fault, error) {
	var out []fault
	rows := d.step.Kind == labs.KindTable || d.step.Kind == labs.KindChangelog
	for _, x := range faults {
		if x.code == "LG-SQL-014" && x.line == 0 && rows && d.res.hasOp == d.want.streaming {
			continue
		}
		if len(faults) > 1 {
			idle, err := d.idle(ctx, x.code, list, n)
			if err != nil {
				return nil, err
			}
			if idle {
				continue
			}
		}
		out = append(out, x)
	}
	return out, nil
}

// idle reports that the statement gives the same without its only clause of a fault.
func (d *diagnosis) idle(ctx context.Context, code string, list []*answer, n int) (bool, error) {
	without, ok := withoutClause(list[n], code)
	if !ok {
		return false, nil
	}
	var script strings.Builder
	for _, a := range list[:n] {
		script.WriteString(ended(a.text))
	}
	script.WriteString(ended(without))
	l := &learner{s: d.s, step: d.step, text: script.String(), style: d.learner.style}
	again, err := l.answers(ctx)
	if err != nil || len(again) == 0 || firstError(again) != nil {
		return false, err
	}
	return d.s.gives(ctx, again[len(again)-1], d.res, d.out.name)
}

// withoutClause is a statement without the WHERE, HAVING or DISTINCT that the code is
// about; false when it has none or several.
func withoutClause(a *answer, code string) (string, bool) {
	var cuts []splice
	for q := queryOf(a.stmt); q != nil; {
		sel, ok := q.Body.(*sql.Select)
		if !ok {
			break
		}
		switch {
		case code == "LG-SQL-001" && sel.Where != nil:
			cuts = append(cuts, over(sel.Where, "TRUE"))
		case code == "LG-SQL-018" && sel.Having != nil:
			cuts = append(cuts, over(sel.Having, "TRUE"))
		case code == "LG-SQL-010" && sel.Distinct:
			cuts = append(cuts, splice{})
			for _, w := range sql.Words(a.text) {
				if w.Text == "DISTINCT" && !w.Quoted && w.Offset >= sel.At().Start.Offset {
					cuts[len(cuts)-1] = splice{w.Offset, w.Offset + len(w.Text), ""}
					break
				}
			}
		}
		q = nil
		if inner, ok := sel.From.(*sql.Derived); ok {
			q = inner.Query
		}
	}
	if len(cuts) != 1 {
		return "", false
	}
	without := edited(a.text, cuts...)
	return without, without != a.text
}
