package checks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/replay"
	"github.com/labgrade/labgrade/report"
)

// diagnosis finds out why a saved result is not the expected one.
type diagnosis struct {
	s       *submission
	step    *labs.Step
	want    *answer
	res     *savedResult
	out     *savedOutput
	learner *learner
	v       *verdict

	// saved are the rows with their cells in the order of the expected columns; nil when
	// columns are missing. key are the expected columns that tell whose row it is.
	saved []row
	key   []int
	// whole is the expected log when want and saved are windows of larger ones, which
	// begin at the row from.
	whole *answer
	from  int
	// unexplained is the first row that no merge of the inputs explains (compare merge).
	unexplained *nearest
}

// run tries the explanations from the surest to the vaguest: the learner's own SQL, the
// wrong runtime mode, models of mistakes, damage to the file, and at last the first
// difference alone.
func (d *diagnosis) run(ctx context.Context) error {
	d.key = columnIndexes(d.want.columns, d.step.Key)
	if idx := indexByName(d.want.columns, d.res.columns); idx != nil {
		d.saved = projectAll(d.res.rows, idx)
	}
	if d.s.g.brief {
		d.v.add(d.code("LG-TABLE-008", "LG-STREAM-015"), d.firstDifference(ctx))
		return nil
	}
	if err := d.compareWithNearest(ctx); err != nil {
		return err
	}
	for _, try := range []func(context.Context) (bool, error){d.tooShort, d.ownSQL, d.mixedUp, d.wrongMode, d.cancelled,
		d.shorterSource, d.model, d.otherStep, d.likelySQL, d.columns, d.damaged} {
		found, err := try(ctx)
		if err != nil {
			return err
		}
		if found {
			return nil
		}
	}
	d.different(ctx)
	return nil
}

// code picks between the codes of a table and of a log.
func (d *diagnosis) code(table, stream string) string {
	if d.step.Kind == labs.KindTable {
		return table
	}
	return stream
}

// ownSQL: the output is what the learner's SQL gives, so the fault is in the SQL.
func (d *diagnosis) ownSQL(ctx context.Context) (bool, error) {
	list, err := d.learner.answers(ctx)
	if err != nil {
		return false, err
	}
	for n, a := range list {
		ok, err := d.s.gives(ctx, a, d.res, d.out.name)
		if err != nil {
			return false, err
		}
		if ok {
			return true, d.sqlFault(ctx, list, n)
		}
	}
	return false, nil
}

// sqlFault names what is wrong with the n-th statement, whose result the output is.
func (d *diagnosis) sqlFault(ctx context.Context, list []*answer, n int) error {
	var failed error
	faults := changingFaults(d.s.g.lab, d.step, d.step.Query, list, n, func(query string) bool {
		a, err := d.instead(ctx, query)
		if err != nil {
			failed = err
		}
		if a == nil || !a.isRows || failed != nil {
			return false
		}
		same, err := sameAnswer(ctx, a, d.want, d.step)
		return same && err == nil
	})
	if failed != nil {
		return failed
	}
	faults, err := d.blamed(ctx, faults, list, n)
	if err != nil {
		return err
	}
	if !onlyColumns(faults) {
		columns, err := d.columnFaults(ctx, list[n].line)
		if err != nil {
			return err
		}
		if columns != nil {
			faults = columns
		}
	}
	if d.learner.otherPath != "" && len(faults) == 0 {
		faults = append(faults, fault{code: "LG-SQL-017", line: list[n].line, says: "the source table reads another file"})
	}
	where := "The output is what " + d.step.SQL + " gives"
	if len(faults) == 0 {
		f := d.firstDifference(ctx)
		f.File, f.Line = d.step.SQL, list[n].line
		f.Message = where + ", but the query is not the one of the task."
		d.v.add("LG-SQL-031", f)
		return nil
	}
	for i, x := range faults {
		f := report.Finding{}
		if i == 0 {
			f = d.firstDifference(ctx)
		}
		code := d.rowCode(x.code)
		if f.Line > 0 {
			f.More = append(f.More, fmt.Sprintf("first difference: %s:%d", f.File, f.Line))
		}
		f.File, f.Line = d.step.SQL, x.line
		f.Message = where + ": " + x.says + "."
		d.v.add(code, f)
	}
	return nil
}

// rowCode replaces the codes of two settings by those that teach about their rows.
func (d *diagnosis) rowCode(code string) string {
	switch {
	case code == "LG-SQL-015" && d.step.Kind != labs.KindTable:
		return "LG-STREAM-003"
	case code == "LG-SQL-014" && d.step.Kind != labs.KindSink:
		return d.code("LG-TABLE-001", "LG-STREAM-001")
	}
	return code
}

// wrongMode: an op column is missing, or should not be there.
func (d *diagnosis) wrongMode(ctx context.Context) (bool, error) {
	if d.res.hasOp == d.want.streaming {
		return false, nil
	}
	f := report.Finding{File: d.out.name, Line: d.res.block.FirstLine}
	if d.want.streaming {
		f.Message = fmt.Sprintf("%s shows a batch result (%s without an op column), not a changelog.", d.out.name, plural(int(d.res.counts.total()), "row"))
		f.Expected = fmt.Sprintf("a changelog of %s", d.wantRows())
	} else {
		f.Message = fmt.Sprintf("%s shows a changelog (%s with an op column), not the result of a batch.", d.out.name, plural(int(d.res.counts.total()), "row"))
		f.Expected = fmt.Sprintf("a table of %s", d.wantRows())
	}
	d.v.add(d.code("LG-TABLE-001", "LG-STREAM-001"), f)
	return true, nil
}

func (d *diagnosis) wantRows() string {
	if !d.want.stored {
		return "many rows"
	}
	return plural(int(d.want.counts.total()), "row")
}

// tooShort: the log of a job that runs on is right as far as it goes, but was saved too early.
func (d *diagnosis) tooShort(context.Context) (bool, error) {
	c := d.res.cmp
	if c == nil || !c.short {
		return false, nil
	}
	d.v.add("LG-STREAM-017", report.Finding{File: d.out.name, Line: d.res.block.LastLine,
		Message:  fmt.Sprintf("The log is right, but has only %s.", plural(c.n, "row")),
		Expected: fmt.Sprintf("at least %s", plural(c.atLeast, "row"))})
	return true, nil
}

// cancelled: the run was stopped, and up to there the log is right.
func (d *diagnosis) cancelled(ctx context.Context) (bool, error) {
	if !d.out.stopped(d.res) || d.step.Compare == labs.ComparePrefix {
		return false, nil
	}
	f := report.Finding{File: d.out.name, Line: d.res.block.LastLine,
		Message:  fmt.Sprintf("The run was stopped after %s.", plural(int(d.res.counts.total()), "row")),
		Expected: d.wantRows()}
	d.v.add("LG-RUN-014", f)
	return true, nil
}

// model looks for a setting, other data or another query that gives exactly the saved
// result.
func (d *diagnosis) model(ctx context.Context) (bool, error) {
	for _, m := range d.models(ctx) {
		a, err := d.s.g.modelAnswer(ctx, m, d.learner.style, d.want.stored)
		if errors.Is(err, errTooLarge) {
			continue
		}
		if err != nil {
			return false, err
		}
		ok, err := d.s.gives(ctx, a, d.res, d.out.name)
		if errors.Is(err, errTooLarge) {
			continue
		}
		if err != nil {
			return false, err
		}
		if ok {
			f := d.firstDifference(ctx)
			f.Message = "The output is exactly what comes out when " + m.says + "."
			d.v.add(m.code, f)
			return true, nil
		}
	}
	return false, nil
}

// likelySQL: the engine refuses to run the learner's SQL, so that nothing can be proved,
// but the query is not the one of the task.
func (d *diagnosis) likelySQL(ctx context.Context) (bool, error) {
	l := d.learner
	if l.unusable == "" || len(l.list) == 0 {
		return false, nil
	}
	n := len(l.list) - 1
	if !unsupported.Is(l.list[n].err) {
		return false, nil
	}
	for _, x := range sqlFaults(d.s.g.lab, d.step, d.step.Query, l.list, n) {
		if x.code == "LG-SQL-016" {
			continue // the rows themselves show whether several subtasks wrote them
		}
		f := d.firstDifference(ctx)
		if f.Line > 0 {
			f.More = append(f.More, fmt.Sprintf("first difference: %s:%d", f.File, f.Line))
		}
		f.File, f.Line = d.step.SQL, x.line
		f.Message = "The query in " + d.step.SQL + " is not the one of the task: " + x.says + "."
		d.v.add(d.rowCode(x.code), f)
		return true, nil
	}
	return false, nil
}

// columns: some are missing, or have other names.
func (d *diagnosis) columns(ctx context.Context) (bool, error) {
	if d.saved != nil {
		return false, nil
	}
	missing := d.res.cmp.missing
	f := report.Finding{File: d.out.name, Line: d.res.block.HeaderLine,
		Expected: "columns " + strings.Join(d.want.columns, ", "),
		Actual:   "columns " + strings.Join(d.res.columns, ", ")}
	code := d.code("LG-TABLE-006", "LG-STREAM-002")
	if len(d.res.columns) == len(d.want.columns) {
		byPlace := d.want
		renamed := *byPlace
		renamed.columns = d.res.columns
		ok, err := d.s.gives(ctx, &renamed, d.res, d.out.name)
		if err != nil {
			return false, err
		}
		if ok {
			var pairs []string
			for i, w := range d.want.columns {
				if d.res.columns[i] != w {
					pairs = append(pairs, fmt.Sprintf("%s should be %s", d.res.columns[i], w))
				}
			}
			f.Message = "The rows are right, but a column has another name: " + strings.Join(pairs, ", ") + "."
			d.v.add("LG-SQL-012", f)
			return true, nil
		}
	}
	f.Message = fmt.Sprintf("The result has no column %s.", strings.Join(missing, ", "))
	d.v.add(code, f)
	return true, nil
}

// different: nothing explains the result; the first difference is all there is to say,
// and whether it looks like a true result of other data.
func (d *diagnosis) different(ctx context.Context) {
	f := d.firstDifference(ctx)
	switch {
	case d.learner.otherPath != "":
		f.Message = "The result is not that of the lab's source: the source table in " + d.step.SQL + " reads another file."
		d.v.add("LG-DATA-001", f)
	case d.unexplained != nil && 2*d.unexplained.at >= len(d.saved):
		d.noMerge(ctx) // too much of it is right to be of other data
	case d.otherData():
		f.Message = "The result fits together, but not to the lab's source: it was made from other data."
		d.v.add("LG-DATA-001", f)
	case d.unexplained != nil:
		d.noMerge(ctx)
	default:
		f.Message = "The result is not the expected one, and no usual mistake explains it."
		d.v.add(d.code("LG-TABLE-008", "LG-STREAM-015"), f)
	}
}

// otherData reports a result that is whole and consistent, but differs nearly everywhere:
// a log that can be replayed, or a table in which most rows differ in every value.
func (d *diagnosis) otherData() bool {
	if len(d.saved) < 3 || !d.want.stored || d.res.overflow || len(sqlFaultsOf(d)) > 0 {
		return false
	}
	if d.want.streaming {
		key := d.key
		if d.res.cutCells {
			key = nil // keys that are cut may look alike
		}
		p := replay.New(replay.Options{Key: key})
		for i := range d.saved {
			p.Add(replay.Change{Kind: d.saved[i].kind, Cells: d.saved[i].cells})
		}
		return p.Finish().OK()
	}
	b := compareBags(d.want.rows, d.saved, d.key)
	if len(b.twice) > 0 || len(d.want.columns)-len(d.key) < 2 {
		return false
	}
	all := len(b.extra)
	for _, p := range b.pairs {
		w, s := &d.want.rows[p[0]], &d.saved[p[1]]
		every := true
		for c := range w.cells {
			if !slices.Contains(d.key, c) {
				every = every && !bytes.Equal(w.cells[c], s.cells[c])
			}
		}
		if every {
			all++
		}
	}
	return 2*all > len(d.saved)
}

// sqlFaultsOf are the differences between the learner's last query and the lab's; none
// when there is no SQL to compare.
func sqlFaultsOf(d *diagnosis) []fault {
	list := d.learner.list
	for n := len(list) - 1; n >= 0; n-- {
		if queryOf(list[n].stmt) != nil {
			return sqlFaults(d.s.g.lab, d.step, d.step.Query, list, n)
		}
	}
	return nil
}
