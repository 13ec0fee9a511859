package checks

import (
	"context"
	"fmt"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/replay"
	"github.com/labgrade/labgrade/report"
)

// checkRows judges the result of a query: a batch table or the log of a stream.
func (s *submission) checkRows(ctx context.Context, step *labs.Step, v *verdict) error {
	style := styleOf(step)
	want, err := s.labAnswer(ctx, s.g.script(step)+ended(step.Query), style)
	if err != nil {
		return err
	}
	if want.err != nil {
		return fmt.Errorf("the lab's own query of step %s fails: %w", step.ID, want.err)
	}
	out, bad, err := s.readOutput(ctx, step.Out, want, step)
	if err != nil {
		return err
	}
	if bad != nil {
		v.unreadable(step.Out, bad)
		return nil
	}
	v.fileNotes(out)
	text, noSQL := s.readSQL(step.SQL)
	v.noteSQL(step.SQL, noSQL)
	l := &learner{s: s, step: step, text: text, out: out, style: style}

	for _, r := range out.results {
		ok, err := s.isRight(ctx, r, want, step)
		if err != nil {
			return err
		}
		if ok {
			s.keep(step, r.counts, r.hasOp)
			v.facts = rowFacts(r)
			v.cutNote(out, r.block)
			if r.unproved {
				v.add("LG-STREAM-019", report.Finding{File: out.name, Message: "The log was compared by the table that it leads to."})
			}
			return s.checkStale(ctx, l, want, v)
		}
	}
	if notRun(out, v) {
		return nil
	}
	r := chooseResult(out, want)
	if r != nil {
		s.keep(step, r.counts, r.hasOp)
	}
	if failedRun(out, r) {
		return s.runError(ctx, l, v)
	}
	if r == nil {
		s.noResult(out, v, step)
		return nil
	}
	v.facts = rowFacts(r)
	d := &diagnosis{s: s, step: step, want: want, res: r, out: out, learner: l, v: v}
	return d.run(ctx)
}

// isRight finishes the comparison that was made while the file was read.
func (s *submission) isRight(ctx context.Context, r *savedResult, want *answer, step *labs.Step) (bool, error) {
	c := r.cmp
	if c.equal && step.Compare != labs.CompareFinal && step.Compare != labs.CompareMerge {
		return true, nil
	}
	if c.wrongOp || c.columns == nil || r.overflow || !want.stored {
		return false, nil
	}
	saved := projectAll(r.rows, c.columns)
	switch {
	case step.Compare == labs.CompareMerge:
		is, known, err := s.isMerge(ctx, saved, want, c.key, -1)
		r.unproved = !known
		return is, err
	case step.Compare == labs.CompareFinal:
		d := compareBags(replayed(want.rows, c.key), replayed(saved, c.key), c.key)
		return d.equal(), nil
	case step.Compare == labs.CompareMultiset && r.cutCells:
		d := compareBags(want.rows, saved, c.key)
		return d.equal(), nil
	}
	return false, nil
}

// projectAll brings saved cells into the order of the expected columns.
func projectAll(rows []row, columns []int) []row {
	c := comparison{columns: columns}
	out := make([]row, len(rows))
	for i := range rows {
		c.cells = make([][]byte, len(columns))
		out[i] = *c.project(&rows[i])
	}
	return out
}

// replayed is the table that a log leaves.
func replayed(rows []row, key []int) []row {
	p := replay.New(replay.Options{Key: key})
	for i := range rows {
		p.Add(replay.Change{Line: rows[i].line, Kind: rows[i].kind, Cells: rows[i].cells})
	}
	var out []row
	for t := range p.Finish().Table.Rows() {
		r := row{cells: t.Cells, line: t.Line}
		for range t.Count {
			out = append(out, r.clone())
		}
	}
	return out
}

// rowFacts is one line about a result.
func rowFacts(r *savedResult) string {
	n := int(r.counts.total())
	if !r.hasOp {
		return plural(n, "row")
	}
	f := plural(n, "row") + ": " + plural(int(r.counts[0]), "insert") + ", " + plural(int(r.counts[2]), "update")
	if r.counts[3] > 0 {
		f += ", " + plural(int(r.counts[3]), "delete")
	}
	return f
}

// chooseResult picks the result that is most likely meant: the last one that has the
// columns and is of the right kind, or as near to it as there is.
func chooseResult(out *savedOutput, want *answer) *savedResult {
	var best *savedResult
	rank := -1
	for _, r := range out.results {
		n := 0
		if r.block.What != parse.WhatQuery && !r.hasOp && len(r.cmp.missing) == len(want.columns) {
			continue // SHOW or DESCRIBE
		}
		n += 4 * (len(want.columns) - len(r.cmp.missing))
		if r.hasOp == want.streaming {
			n += 2
		}
		if len(r.columns) == len(want.columns) {
			n++
		}
		if n >= rank {
			best, rank = r, n
		}
	}
	return best
}

// failedRun reports whether an error is the answer: there is no result, or the chosen
// one ends in an error.
func failedRun(out *savedOutput, r *savedResult) bool {
	errs := out.errors()
	if len(errs) == 0 {
		return false
	}
	if r == nil {
		return true
	}
	if r.block.Footer != nil || r.block.Closed {
		return false
	}
	for _, e := range errs {
		if e.FirstLine >= r.block.LastLine {
			return true
		}
	}
	return false
}

// noResult says that the file has no result at all.
func (s *submission) noResult(out *savedOutput, v *verdict, step *labs.Step) {
	if !out.hasText {
		v.ungradable = true
		v.add("LG-FILE-005", report.Finding{File: out.name, Message: fmt.Sprintf("%s holds no output of the SQL client.", out.name)})
		return
	}
	if plans := out.plans(); len(plans) > 0 {
		v.add("LG-FILE-004", report.Finding{File: out.name, Line: plans[0].FirstLine,
			Message: fmt.Sprintf("%s holds a plan, not the rows of the query: the query was explained, not run.", out.name)})
		return
	}
	v.add("LG-FILE-004", report.Finding{File: out.name, Line: lastLine(out),
		Message: fmt.Sprintf("%s ends without the result of a query.", out.name)})
}

func lastLine(out *savedOutput) int {
	if n := len(out.blocks); n > 0 {
		return out.blocks[n-1].LastLine
	}
	return 0
}

// checkStale looks whether the .sql file next to a right output is the one that made it.
func (s *submission) checkStale(ctx context.Context, l *learner, want *answer, v *verdict) error {
	if l.text == "" || !want.stored {
		return nil // a second run over large data is not worth a remark
	}
	answers, err := l.answers(ctx)
	if err != nil {
		return err
	}
	if l.unusable != "" {
		v.add("LG-FILE-008", report.Finding{File: l.step.SQL, Line: l.unusableLine, Message: fmt.Sprintf("%s was not used: %s.", l.step.SQL, l.unusable)})
		return nil
	}
	var last *answer
	for _, a := range answers {
		if !a.isRows || a.err != nil {
			continue
		}
		same, err := sameAnswer(ctx, a, want, l.step)
		if err != nil {
			return err
		}
		if same {
			return nil
		}
		last = a
	}
	if last != nil {
		v.add("LG-FILE-009", report.Finding{File: l.step.SQL, Line: last.line,
			Message: fmt.Sprintf("%s is right, but the query in %s gives another result.", l.step.Out, l.step.SQL)})
	}
	return nil
}
