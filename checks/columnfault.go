package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/sql"
)

// columnFaults proves that the columns of the result are all that is wrong with the
// learner's query: its rows are the expected ones under other names, or what comes out
// when some columns of the lab's query are left out. Other differences of the SQL then
// change nothing, and blaming them would hide the fault. nil when this is not so.
func (d *diagnosis) columnFaults(ctx context.Context, line int) ([]fault, error) {
	want, got := d.want.columns, d.res.columns
	if slices.Equal(want, got) || d.step.Kind == labs.KindPrint {
		return nil, nil
	}
	if len(want) == len(got) {
		renamed := *d.want
		renamed.columns = got
		ok, err := d.s.gives(ctx, &renamed, d.res, d.out.name)
		if err != nil || !ok {
			return nil, err
		}
		var out []fault
		for i, w := range want {
			switch {
			case got[i] == w:
			case strings.HasPrefix(got[i], "EXPR$"):
				out = append(out, fault{code: "LG-SQL-012", line: line, says: fmt.Sprintf("a column has no name (Flink calls it %s), the task calls it %s", got[i], w)})
			default:
				out = append(out, fault{code: "LG-SQL-012", line: line, says: fmt.Sprintf("a column is called %s, the task calls it %s", got[i], w)})
			}
		}
		return out, nil
	}
	a, err := d.projected(ctx)
	if err != nil || a == nil {
		return nil, err
	}
	if ok, err := d.s.gives(ctx, a, d.res, d.out.name); err != nil || !ok {
		return nil, err
	}
	var out []fault
	for _, w := range want {
		if !slices.Contains(got, w) {
			out = append(out, fault{code: "LG-SQL-013", line: line, says: fmt.Sprintf("the column %s is missing", w)})
		}
	}
	return out, nil
}

// projected is the result of the lab's query with the saved columns only; nil when these
// are not some of the lab's, or the engine does not run it.
func (d *diagnosis) projected(ctx context.Context) (*answer, error) {
	list := statementsOf(d.step.Query)
	if len(list) != 1 || len(d.res.columns) == 0 || len(d.res.columns) >= len(d.want.columns) {
		return nil, nil
	}
	if _, ok := list[0].stmt.(*sql.QueryStmt); !ok {
		return nil, nil
	}
	var names []string
	for _, c := range d.res.columns {
		if !slices.Contains(d.want.columns, c) {
			return nil, nil
		}
		names = append(names, "`"+strings.ReplaceAll(c, "`", "``")+"`")
	}
	return d.instead(ctx, "SELECT "+strings.Join(names, ", ")+" FROM ("+strings.TrimRight(strings.TrimSpace(list[0].text), ";")+")")
}

// instead is the answer to another query in the place of the lab's; nil when the engine
// does not run it.
func (d *diagnosis) instead(ctx context.Context, query string) (*answer, error) {
	a, err := d.s.labAnswer(ctx, d.s.g.script(d.step)+ended(query), d.learner.style)
	if err = oursOnly(err); err != nil {
		return nil, err
	}
	if a == nil || a.err != nil {
		return nil, nil
	}
	return a, nil
}

// onlyColumns reports faults that are all about names of columns and missing ones; that op
// names a column in TO_CHANGELOG says more than the name itself.
func onlyColumns(faults []fault) bool {
	for _, f := range faults {
		if f.code != "LG-SQL-012" && f.code != "LG-SQL-013" && f.code != "LG-SQL-027" {
			return false
		}
	}
	return len(faults) > 0
}
