package checks

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

// Why says where one row of a saved log comes from.
type Why struct {
	Step string `json:"step"`
	File string `json:"file"`
	Line int    `json:"line"`
	// N counts the rows of the result from 1.
	N int `json:"row"`
	// Row is the saved row in words, Expected the one that belongs there; Right says
	// that they are the same.
	Row      string `json:"saved"`
	Expected string `json:"expected,omitempty"`
	Right    bool   `json:"right"`
	Key      string `json:"key,omitempty"`
	// Trigger is the source row that was read when the expected row was emitted;
	// Source are all source rows of the key up to there.
	Trigger *report.SourceRow  `json:"trigger,omitempty"`
	Source  []report.SourceRow `json:"source_rows,omitempty"`
}

// Why explains the row at a line of a step's saved output. The error says why it cannot.
func (g *Grader) Why(ctx context.Context, files fs.FS, step *labs.Step, line int) (*Why, error) {
	if step.Kind != labs.KindChangelog && step.Kind != labs.KindTable {
		return nil, fmt.Errorf("the step %s has no rows to explain", step.ID)
	}
	s := &submission{g: g, files: files, saved: map[string]*savedCounts{}, outcome: map[string]report.Outcome{}}
	want, err := s.labAnswer(ctx, labScript(g.lab, step)+ended(step.Query), styleTable)
	if err != nil {
		return nil, err
	}
	if want.err != nil {
		return nil, want.err
	}
	out, bad, err := s.readOutput(ctx, step.Out, nil, step)
	if err != nil {
		return nil, err
	}
	if bad != nil {
		if bad.missing {
			return nil, fmt.Errorf("%s is missing", step.Out)
		}
		return nil, fmt.Errorf("%s cannot be read: %s", step.Out, bad.reason)
	}
	for _, r := range out.results {
		for i := range r.rows {
			if r.rows[i].line == line {
				return s.why(ctx, step, want, out, r, i)
			}
		}
	}
	return nil, fmt.Errorf("line %d of %s is no row of a result", line, step.Out)
}

func (s *submission) why(ctx context.Context, step *labs.Step, want *answer, out *savedOutput, r *savedResult, i int) (*Why, error) {
	idx := indexByName(want.columns, r.columns)
	if idx == nil {
		return nil, fmt.Errorf("the result has not the columns of the task")
	}
	d := &diagnosis{s: s, step: step, want: want, res: r, out: out, key: columnIndexes(want.columns, step.Key), saved: projectAll(r.rows, idx)}
	saved := &d.saved[i]
	w := &Why{Step: step.ID, File: out.name, Line: saved.line, N: i + 1, Row: words(saved, want.columns, r.hasOp), Key: keyWords(saved, want.columns, d.key)}
	at := -1
	if !want.stored {
		return nil, fmt.Errorf("the result is too large to explain single rows")
	}
	if want.streaming {
		if i < len(want.rows) {
			at = i
		}
	} else {
		for j := range want.rows {
			if want.rows[j].text(d.key) == saved.text(d.key) {
				at = j
			}
		}
	}
	if at < 0 {
		return w, nil
	}
	e := &want.rows[at]
	w.Expected = words(e, want.columns, want.streaming)
	w.Right = e.equal(saved)
	w.Key = keyWords(e, want.columns, d.key)
	w.Source = d.sourceRows(ctx, at)
	if want.streaming {
		causes, err := s.lineage(ctx, step, at)
		if err != nil {
			return nil, err
		}
		if !e.kind.Adds() && len(causes) > 1 {
			// The row that takes the value back did not make it.
			causes = slices.DeleteFunc(causes, func(c Cause) bool { return c == e.cause })
		}
		if len(causes) > 0 {
			w.Source = s.g.sourceRows(causes)
		}
	}
	if e.cause.Line > 0 {
		if t := s.g.sourceRows([]Cause{e.cause}); len(t) == 1 {
			w.Trigger = &t[0]
		}
	}
	return w, nil
}
