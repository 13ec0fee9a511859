package checks

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

// Source opens the data of a source table.
type Source func(table string) (fs.File, error)

// Grader judges submissions of one lab over one set of source data. It may be used
// from several goroutines.
type Grader struct {
	lab    *labs.Lab
	source Source
	engine Engine

	mu     sync.Mutex
	memory [3]*memory // by purpose

	scripts kept[*labs.Step, string]
	mutants kept[stepText, []mutation]
	columns kept[string, []string] // of a sink, by the learner's statements

	// brief: only whether a result is right is wanted, not why it is wrong.
	brief bool
}

// New makes a grader. source gives the true data; a learner's copy never serves as truth.
func New(lab *labs.Lab, source Source, engine Engine) *Grader {
	return &Grader{lab: lab, source: source, engine: engine, memory: newMemories()}
}

// Lab is the lab that the grader judges.
func (g *Grader) Lab() *labs.Lab { return g.lab }

// Check is CheckFor a learner before any date: what the lab hides stays hidden.
func (g *Grader) Check(ctx context.Context, files fs.FS, only []string) ([]report.Check, error) {
	return g.CheckFor(ctx, files, only, Viewer{})
}

// CheckFor judges the submission in files for a viewer; only names the steps to judge,
// nil means all. Steps that are hidden from the viewer are neither judged nor named. What
// is wrong with a submission is in the findings; the error is the context's. A fault of
// the lab or of labgrade is the outcome Errored of a check.
func (g *Grader) CheckFor(ctx context.Context, files fs.FS, only []string, viewer Viewer) ([]report.Check, error) {
	s := &submission{g: g, files: files, viewer: viewer, saved: map[string]*savedCounts{}, outcome: map[string]report.Outcome{}}
	var steps []*labs.Step
	for i := range g.lab.Steps {
		step := &g.lab.Steps[i]
		if !viewer.sees(g.lab, step) {
			continue
		}
		if only == nil || slices.Contains(only, step.ID) || neededBy(g.lab, step.ID, only) {
			steps = append(steps, step)
		}
	}
	results := make([]report.Check, len(steps))
	// Steps that look at no other step run side by side; the others follow in order.
	var wg sync.WaitGroup
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, step := range steps {
		if dependent(step) {
			continue
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			room <- struct{}{}
			defer func() { <-room }()
			results[i] = s.result(ctx, step)
		}()
	}
	wg.Wait()
	for i, step := range steps {
		if dependent(step) {
			results[i] = s.result(ctx, step)
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var out []report.Check
	for i, step := range steps {
		if only == nil || slices.Contains(only, step.ID) {
			out = append(out, results[i])
		}
	}
	return out, nil
}

// dependent reports a step whose judgement needs that of others.
func dependent(step *labs.Step) bool { return step.Kind == labs.KindReport || len(step.Needs) > 0 }

// result judges a step; a fault of ours is the outcome Errored.
func (s *submission) result(ctx context.Context, step *labs.Step) report.Check {
	c, err := s.guarded(ctx, step)
	if err != nil {
		c.Outcome, c.Points = report.Errored, 0
		c.Findings = append(c.Findings, report.Finding{Code: codeInternal, Severity: report.Error, Message: err.Error()})
	}
	shorten(&c)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outcome[step.ID] = c.Outcome
	return c
}

// guarded judges a step and turns a panic into an error, since one submission must not
// end the grading of the others.
func (s *submission) guarded(ctx context.Context, step *labs.Step) (c report.Check, err error) {
	defer func() {
		if r := recover(); r != nil {
			c = report.Check{ID: step.ID, Title: step.Title, Max: step.Points, Needs: step.Needs}
			err = fmt.Errorf("labgrade failed here: %v", r)
		}
	}()
	return s.judge(ctx, step)
}

// codeInternal marks faults of the lab or of labgrade. It is never a learner's failure.
const codeInternal = "LG-INTERNAL-001"

// neededBy reports whether one of the steps needs id, directly or not.
func neededBy(lab *labs.Lab, id string, only []string) bool {
	for i := range lab.Steps {
		s := &lab.Steps[i]
		if slices.Contains(s.Needs, id) && (slices.Contains(only, s.ID) || neededBy(lab, s.ID, only)) {
			return true
		}
	}
	return false
}

// submission is one folder while it is judged.
type submission struct {
	g      *Grader
	files  fs.FS
	viewer Viewer
	// before stands before a learner's SQL when it is run.
	before string

	mu      sync.Mutex
	saved   map[string]*savedCounts
	outcome map[string]report.Outcome
}

// keep remembers what a learner's own file of a step holds.
func (s *submission) keep(step *labs.Step, counts kindCounts, hasOp bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved[step.ID] = &savedCounts{counts: counts, hasOp: hasOp}
}

// savedCounts is what a learner's own file of a step holds, for the report.
type savedCounts struct {
	counts kindCounts
	hasOp  bool
}

// verdict collects what is found about one step.
type verdict struct {
	step       *labs.Step
	findings   []report.Finding
	ungradable bool
	facts      string
}

func (s *submission) judge(ctx context.Context, step *labs.Step) (report.Check, error) {
	c := report.Check{ID: step.ID, Title: step.Title, Max: step.Points, Needs: step.Needs}
	for _, n := range step.Needs {
		o, judged := s.outcome[n]
		if !judged && s.hides(n) {
			continue
		}
		if o != report.Pass {
			c.Outcome = report.Skip
			c.Next = fmt.Sprintf("Get the step %s right first.", n)
			return c, nil
		}
	}
	v := &verdict{step: step}
	var err error
	if step.Judge == labs.JudgeSQL {
		err = s.judgeSQL(ctx, step, v)
	} else {
		err = s.judgeKind(ctx, step, v)
	}
	if len(step.Facts) > 0 && step.Kind != labs.KindFacts {
		if text, bad := s.readSQL(step.SQL); bad == nil {
			s.facts(step, text, v)
		}
	}
	v.oncePerWatermark()
	c.Facts = v.facts
	c.Findings = v.findings
	switch {
	case v.ungradable:
		c.Outcome = report.Ungradable
	case c.Worst() == report.Error:
		c.Outcome = report.Fail
	default:
		c.Outcome = report.Pass
		c.Points = c.Max
	}
	if c.Outcome != report.Pass {
		c.Next = step.Next
	}
	if !s.viewer.Staff {
		disclose(&c, s.g.lab.Disclosed(step, s.viewer.Now))
	}
	return c, err
}

// judgeKind judges a step by the check of its kind.
func (s *submission) judgeKind(ctx context.Context, step *labs.Step, v *verdict) error {
	switch step.Kind {
	case labs.KindTable, labs.KindChangelog, labs.KindPrint:
		return s.checkRows(ctx, step, v)
	case labs.KindSink:
		return s.checkSink(ctx, step, v)
	case labs.KindPlan:
		return s.checkPlans(ctx, step, v)
	case labs.KindRefusal:
		return s.checkRefusal(ctx, step, v)
	case labs.KindReport:
		return s.checkReport(ctx, step, v)
	case labs.KindFacts:
		return s.checkFacts(ctx, step, v)
	}
	return fmt.Errorf("the lab asks for checks of the unknown kind %q", step.Kind)
}

// isLabFile reports whether a path of a learner's SQL means the source file of a table.
func (g *Grader) isLabFile(p string) (table string, ok bool) {
	base := path.Base(strings.ReplaceAll(p, `\`, "/"))
	for _, t := range g.lab.Tables {
		if t.File == base {
			return t.Name, true
		}
	}
	return "", false
}
