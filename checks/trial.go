package checks

import (
	"context"
	"errors"
	"fmt"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// Trial is something wrong with what a step expects. Path says where in the lab file,
// inside the step: "query", "plans[1].query".
type Trial struct {
	Path    string
	Message string
	// Advice marks what works, but is probably not meant.
	Advice bool
}

// Try runs everything that a step expects and says what is wrong with it.
func (g *Grader) Try(ctx context.Context, step *labs.Step) ([]Trial, error) {
	t := &trial{g: g, step: step, s: &submission{g: g}}
	var err error
	switch step.Kind {
	case labs.KindTable, labs.KindChangelog, labs.KindSink, labs.KindPrint:
		err = t.rows(ctx)
	case labs.KindRefusal:
		err = t.refusal(ctx)
	case labs.KindPlan:
		err = t.plans(ctx)
	case labs.KindReport:
		err = t.numbers(ctx)
	}
	return t.list, err
}

type trial struct {
	g    *Grader
	s    *submission
	step *labs.Step
	list []Trial
}

func (t *trial) fault(path, format string, args ...any) {
	t.list = append(t.list, Trial{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (t *trial) advice(path, format string, args ...any) {
	t.list = append(t.list, Trial{Path: path, Message: fmt.Sprintf(format, args...), Advice: true})
}

// said is what Flink, or the engine, says about a statement.
func said(err error) string {
	if unsupported.Is(err) {
		return "labgrade's engine cannot run it exactly as Flink does: " + err.Error()
	}
	return "Flink refuses it: " + firstLine(err.Error())
}

// answers runs a script of the lab. A statement before the last one that fails is a fault
// of the tables or of the setup.
func (t *trial) answers(ctx context.Context, path, last string) (*answer, error) {
	before := labScript(t.g.lab, t.step)
	list, err := t.g.execute(ctx, before+ended(last), styleOf(t.step), forTruth, nil)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		t.fault(path, "there is no statement")
		return nil, nil
	}
	a := list[len(list)-1]
	if f := firstError(list); f != nil && f.line <= lineCount(before) {
		t.fault("setup", "the statement %q: %s", brief(f.text), said(f.err))
		return nil, nil
	}
	return a, nil
}

func lineCount(s string) int {
	n := 0
	for _, c := range s {
		if c == '\n' {
			n++
		}
	}
	return n
}

// brief is the beginning of a statement on one line.
func brief(text string) string {
	var b []rune
	blank := true
	for _, c := range text {
		if c == '\n' || c == ' ' || c == '\t' {
			if !blank {
				b = append(b, ' ')
			}
			blank = true
			continue
		}
		blank = false
		b = append(b, c)
		if len(b) > 60 {
			return string(b) + "..."
		}
	}
	return string(b)
}

func (t *trial) rows(ctx context.Context) error {
	a, err := t.answers(ctx, "query", t.step.Query)
	if a == nil || err != nil {
		return err
	}
	switch {
	case a.err != nil:
		t.fault("query", "%s", said(a.err))
		return nil
	case !a.isRows:
		t.fault("query", "the last statement is neither a query nor an INSERT")
		return nil
	}
	isInsert := a.sink != ""
	if wants := t.step.Kind == labs.KindSink || t.step.Kind == labs.KindPrint; isInsert != wants {
		if wants {
			t.fault("query", "a step of kind %s needs an INSERT", t.step.Kind)
		} else {
			t.fault("query", "a step of kind %s needs a query, not an INSERT", t.step.Kind)
		}
	}
	for i, k := range t.step.Key {
		if columnIndexes(a.columns, []string{k}) == nil {
			t.fault(fmt.Sprintf("key[%d]", i), "the result has no column %q; it has %v", k, a.columns)
		}
	}
	if t.step.Kind == labs.KindTable && a.streaming {
		t.advice("kind", "kind table is for batch results: mode: batch is missing, or kind: changelog is meant")
	}
	if t.step.Kind == labs.KindChangelog && !a.streaming {
		t.fault("mode", "a changelog needs mode: streaming")
	}
	if n, err := a.count(ctx); err != nil {
		t.fault("query", "%s", said(err))
	} else if n.total() == 0 {
		t.advice("query", "the result has no rows on the lab's data")
	}
	if t.step.Compare == labs.CompareExact && a.streaming && len(t.g.reads(t.step)) > 1 {
		t.advice("compare", "the query reads several sources, which Flink takes in no single order: compare: merge accepts every order")
	}
	return nil
}

func (t *trial) refusal(ctx context.Context) error {
	a, err := t.answers(ctx, "query", t.step.Query)
	if a == nil || err != nil {
		return err
	}
	var fe *flinkerr.Error
	switch {
	case a.err == nil:
		t.fault("query", "Flink does not refuse it")
	case !errors.As(a.err, &fe):
		t.fault("query", "the step is about a refusal of Flink, but: %s", said(a.err))
	}
	return nil
}

func (t *trial) plans(ctx context.Context) error {
	for i, p := range t.step.Plans {
		path := fmt.Sprintf("plans[%d].query", i)
		a, err := t.answers(ctx, path, "EXPLAIN CHANGELOG_MODE "+p.Query)
		if err != nil {
			return err
		}
		switch {
		case a == nil:
		case a.err != nil:
			t.fault(path, "%s", said(a.err))
		case a.shape == nil:
			t.fault(path, "it has no plan")
		default:
			for node := range p.Accept {
				if a.shape.find(node) == nil {
					t.advice(fmt.Sprintf("plans[%d].accept", i), "the plan has no node %s", node)
				}
			}
		}
	}
	return nil
}

func (t *trial) numbers(ctx context.Context) error {
	for i := range t.step.Numbers {
		n := &t.step.Numbers[i]
		if _, err := t.s.trueNumber(ctx, n); err != nil {
			path := fmt.Sprintf("numbers[%d].value", i)
			if n.Query != "" {
				path = fmt.Sprintf("numbers[%d].query", i)
			}
			t.fault(path, "%s", firstLine(err.Error()))
		}
	}
	return nil
}

// ResultOf runs the query of a step over the data of source. refused is what Flink, or
// the engine, says against it. Rows are given up to a bound.
func ResultOf(ctx context.Context, lab *labs.Lab, step *labs.Step, source Source) (rows [][]string, columns []string, refused, err error) {
	g := New(lab, source, Reference())
	s := &submission{g: g}
	a, err := s.labAnswer(ctx, labScript(lab, step)+ended(step.Query), styleOf(step))
	if err != nil || a.err != nil {
		return nil, nil, a.failure(), err
	}
	f := a.feed(ctx)
	defer f.close()
	for len(rows) < keepRows {
		r, ok := f.next()
		if !ok {
			break
		}
		cells := make([]string, len(r.cells))
		for i, c := range r.cells {
			cells[i] = string(c)
		}
		rows = append(rows, cells)
	}
	if f.err() != nil && oursOnly(f.err()) == nil {
		return nil, nil, errors.New(said(f.err())), nil
	}
	return rows, a.columns, nil, f.err()
}

// failure is why there is no result, in words.
func (a *answer) failure() error {
	if a == nil || a.err == nil {
		return nil
	}
	return errors.New(said(a.err))
}
