package checks

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/replay"
	"github.com/labgrade/labgrade/report"
)

// Number is a number of a report and its true value.
type Number struct {
	Name  string
	Value int64
}

// Numbers computes the true numbers of a report step.
func (g *Grader) Numbers(ctx context.Context, step *labs.Step) ([]Number, error) {
	s := &submission{g: g}
	values, err := s.numbers(ctx, step)
	if err != nil {
		return nil, err
	}
	out := make([]Number, len(values))
	for i, v := range values {
		out[i] = Number{step.Numbers[i].Name, v}
	}
	return out, nil
}

// numbers computes the true values, in the order of the step.
func (s *submission) numbers(ctx context.Context, step *labs.Step) ([]int64, error) {
	out := make([]int64, len(step.Numbers))
	for i := range step.Numbers {
		n := &step.Numbers[i]
		v, err := s.trueNumber(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("the lab's number %s: %w", n.Name, err)
		}
		out[i] = v
	}
	return out, nil
}

func (s *submission) trueNumber(ctx context.Context, n *labs.Number) (int64, error) {
	if n.Query != "" {
		return s.queriedNumber(ctx, n.Query)
	}
	x, err := labs.ParseExpr(n.Value)
	if err != nil {
		return 0, err
	}
	return x.Eval(func(c labs.Call) (int64, error) { return s.call(ctx, c) })
}

// queriedNumber is the first column of the first row of a batch query.
func (s *submission) queriedNumber(ctx context.Context, query string) (int64, error) {
	a, err := s.labAnswer(ctx, labScript(s.g.lab, &labs.Step{Mode: "batch"})+ended(query), styleTable)
	if err != nil {
		return 0, err
	}
	if a.err != nil {
		return 0, a.err
	}
	f := a.feed(ctx)
	defer f.close()
	r, ok := f.next()
	if !ok || len(r.cells) == 0 {
		if f.err() != nil {
			return 0, f.err()
		}
		return 0, fmt.Errorf("its query gives no row")
	}
	return integer(r.cells[0])
}

func integer(cell []byte) (int64, error) {
	v, err := strconv.ParseInt(string(cell), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no integer", cell)
	}
	return v, nil
}

// stepNamed finds a step of the lab.
func (g *Grader) stepNamed(id string) *labs.Step {
	for i := range g.lab.Steps {
		if g.lab.Steps[i].ID == id {
			return &g.lab.Steps[i]
		}
	}
	return nil
}

// styleOf is how the values of a step's result are written.
func styleOf(step *labs.Step) cellStyle {
	switch step.Kind {
	case labs.KindSink:
		return styleSink
	case labs.KindPrint:
		return stylePrint
	}
	return styleTable
}

// call computes a call over the expected result of a step.
func (s *submission) call(ctx context.Context, c labs.Call) (int64, error) {
	of := s.g.stepNamed(c.Step)
	if of == nil {
		return 0, fmt.Errorf("there is no step %s", c.Step)
	}
	a, err := s.labAnswer(ctx, s.g.script(of)+ended(of.Query), styleOf(of))
	if err != nil {
		return 0, err
	}
	if a.err != nil {
		return 0, a.err
	}
	if c.Func == "count" && len(c.Where) == 0 {
		counts, err := a.count(ctx)
		return counts.of(c.Kinds), err
	}
	e, err := newEvaluation(c, of, a.columns)
	if err != nil {
		return 0, err
	}
	f := a.feed(ctx)
	defer f.close()
	for {
		r, ok := f.next()
		if !ok {
			break
		}
		if err := e.row(r); err != nil {
			return 0, err
		}
	}
	return e.result(), f.err()
}

// evaluation computes a call row by row.
type evaluation struct {
	call   labs.Call
	column int
	where  []int

	n, sum, low, high int64
	distinct          map[string]bool
	log               *replay.Replayer
}

func newEvaluation(c labs.Call, of *labs.Step, columns []string) (*evaluation, error) {
	e := &evaluation{call: c, distinct: map[string]bool{}}
	find := func(name string) (int, error) {
		if at := slices.Index(columns, name); at >= 0 {
			return at, nil
		}
		return 0, fmt.Errorf("the result of step %s has no column %s", of.ID, name)
	}
	var err error
	if c.Column != "" {
		if e.column, err = find(c.Column); err != nil {
			return nil, err
		}
	}
	for _, w := range c.Where {
		at, err := find(w.Column)
		if err != nil {
			return nil, err
		}
		e.where = append(e.where, at)
	}
	if c.Func == "final" {
		e.log = replay.New(replay.Options{Key: columnIndexes(columns, of.Key)})
	}
	return e, nil
}

func (e *evaluation) row(r *row) error {
	if e.log != nil {
		e.log.Add(replay.Change{Kind: r.kind, Cells: r.cells})
		return nil
	}
	if len(e.call.Kinds) > 0 && !slices.Contains(e.call.Kinds, r.kind) || !e.fits(r.cells) {
		return nil
	}
	e.n++
	switch e.call.Func {
	case "distinct":
		e.distinct[string(r.cells[e.column])] = true
	case "sum", "min", "max":
		v, err := integer(r.cells[e.column])
		if err != nil {
			return err
		}
		e.sum += v
		if e.n == 1 || v < e.low {
			e.low = v
		}
		if e.n == 1 || v > e.high {
			e.high = v
		}
	}
	return nil
}

func (e *evaluation) fits(cells [][]byte) bool {
	for i, at := range e.where {
		if string(cells[at]) != e.call.Where[i].Text {
			return false
		}
	}
	return true
}

func (e *evaluation) result() int64 {
	switch e.call.Func {
	case "final":
		var n int64
		for r := range e.log.Finish().Table.Rows() {
			if e.fits(r.Cells) {
				n += int64(r.Count)
			}
		}
		return n
	case "distinct":
		return int64(len(e.distinct))
	case "sum":
		return e.sum
	case "min":
		return e.low
	case "max":
		return e.high
	}
	return e.n
}

// ownNumber computes a number from the learner's own outputs, when they were read and
// are wrong.
func (s *submission) ownNumber(n labs.Number) (int64, bool, error) {
	if n.Query != "" {
		return 0, false, nil
	}
	x, err := labs.ParseExpr(n.Value)
	if err != nil {
		return 0, false, err
	}
	known := true
	wrong := false
	v, err := x.Eval(func(c labs.Call) (int64, error) {
		saved := s.saved[c.Step]
		if saved == nil || c.Func != "count" || len(c.Where) > 0 {
			known = false // of a learner's own file only the rows by kind are known
			return 0, nil
		}
		wrong = wrong || s.outcome[c.Step] == report.Fail
		return saved.counts.of(c.Kinds), nil
	})
	return v, known && wrong, err
}

// withBefore is the number's value with the update-before rows counted, too.
func (s *submission) withBefore(n labs.Number) int64 {
	return s.variant(n, func(k []changelog.RowKind) []changelog.RowKind {
		if len(k) > 0 && !slices.Contains(k, changelog.UpdateBefore) && slices.Contains(k, changelog.UpdateAfter) {
			return nil
		}
		return k
	})
}

// withoutBefore is its value without them.
func (s *submission) withoutBefore(n labs.Number) int64 {
	return s.variant(n, func(k []changelog.RowKind) []changelog.RowKind {
		if len(k) == 0 {
			return []changelog.RowKind{changelog.Insert, changelog.UpdateAfter, changelog.Delete}
		}
		return k
	})
}

// variant evaluates a number with other kinds counted; -1 when it cannot.
func (s *submission) variant(n labs.Number, f func([]changelog.RowKind) []changelog.RowKind) int64 {
	x, err := labs.ParseExpr(n.Value)
	if n.Query != "" || err != nil {
		return -1
	}
	v, err := x.Eval(func(c labs.Call) (int64, error) {
		if c.Func == "final" {
			return 0, fmt.Errorf("the rows of final have no kinds")
		}
		c.Kinds = f(c.Kinds)
		return s.call(context.Background(), c)
	})
	if err != nil {
		return -1
	}
	return v
}
