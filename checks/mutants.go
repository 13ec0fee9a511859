package checks

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/report"
)

// Mutant is a right submission with one mistake in one step, made by machine.
type Mutant struct {
	Step string
	// Says is the mistake in words.
	Says string
	// Files is the whole submission; nil when Same.
	Files fs.FS
	// Same: on these data the mistake gives exactly what is right, so that no check can
	// notice it.
	Same bool
}

// Changed lists the files in which the mutant differs from the submission it was made
// from, sorted.
func (m *Mutant) Changed() []string {
	o, ok := m.Files.(*overlaid)
	if !ok {
		return nil
	}
	return slices.Sorted(maps.Keys(o.files))
}

// Mutants makes usual mistakes in the queries and files of a step of a right submission.
// Mistakes that Flink refuses, or the engine cannot run, are left out.
func (g *Grader) Mutants(ctx context.Context, base fs.FS, step *labs.Step) ([]Mutant, error) {
	m := &mutants{g: g, base: base, step: step, s: &submission{g: g, files: base, saved: map[string]*savedCounts{}, outcome: map[string]report.Outcome{}}}
	var err error
	switch step.Kind {
	case labs.KindTable, labs.KindChangelog, labs.KindPrint, labs.KindSink:
		err = m.queries(ctx)
	case labs.KindPlan:
		err = m.plans(ctx)
	}
	if err != nil {
		return nil, err
	}
	if step.Judge != labs.JudgeSQL {
		if err := m.files(ctx); err != nil {
			return nil, err
		}
	}
	return m.list, nil
}

// Brief makes a grader that says whether a step is right, but not why it is not.
func (g *Grader) Brief() *Grader {
	b := New(g.lab, g.source, g.engine)
	b.brief = true
	return b
}

// Accepts reports whether a step of a submission is right.
func (g *Grader) Accepts(ctx context.Context, files fs.FS, step *labs.Step) (bool, error) {
	got, err := g.CheckFor(ctx, files, []string{step.ID}, Viewer{Staff: true})
	if err != nil || len(got) != 1 {
		return false, err
	}
	if f := got[0].Findings; got[0].Outcome == report.Errored && len(f) > 0 {
		return false, errors.New(f[len(f)-1].Message)
	}
	return got[0].Outcome == report.Pass, nil
}

type mutants struct {
	g    *Grader
	s    *submission
	base fs.FS
	step *labs.Step
	list []Mutant
}

func (m *mutants) add(says string, files map[string][]byte, folder string) {
	m.list = append(m.list, Mutant{Step: m.step.ID, Says: says, Files: &overlaid{base: m.base, files: files, folder: folder}})
}

// queries makes mistakes in the step's query and in the views that it uses.
func (m *mutants) queries(ctx context.Context) error {
	lab, step := m.g.lab, m.step
	want, err := m.s.labAnswer(ctx, labScript(lab, step)+ended(step.Query), styleOf(step))
	if err != nil {
		return err
	}
	type script struct{ says, text string }
	var scripts []script
	for _, x := range append(mutations(lab, step, step.Query), variations(step.Query)...) {
		scripts = append(scripts, script{x.says, labScript(lab, step) + ended(x.text)})
	}
	for _, st := range statementsOf(step.Setup) {
		if !strings.HasPrefix(strings.ToUpper(st.text), "CREATE VIEW") && !strings.HasPrefix(strings.ToUpper(st.text), "CREATE TEMPORARY VIEW") {
			continue
		}
		for _, x := range append(mutations(lab, step, st.text), variations(st.text)...) {
			changed := *step
			changed.Setup = strings.Replace(step.Setup, st.text, x.text, 1)
			scripts = append(scripts, script{x.says, labScript(lab, &changed) + ended(step.Query)})
		}
	}
	seen := map[string]bool{}
	for _, x := range scripts {
		if seen[x.text] {
			continue
		}
		seen[x.text] = true
		if strings.Contains(x.says, "MAX(DISTINCT ") || strings.Contains(x.says, "MIN(DISTINCT ") {
			continue // the same on any data
		}
		answers, err := m.g.execute(ctx, x.text, styleOf(step), forModel, nil)
		if err != nil {
			return err
		}
		if len(answers) == 0 || answers[len(answers)-1].err != nil {
			continue
		}
		a := answers[len(answers)-1]
		same, err := m.sameResult(ctx, a, want)
		if err != nil {
			return err
		}
		if same {
			m.list = append(m.list, Mutant{Step: step.ID, Says: x.says, Same: true})
			continue
		}
		if err := m.written(ctx, x.says, x.text); err != nil {
			return err
		}
	}
	return nil
}

// sameResult compares as strictly as the check does.
func (m *mutants) sameResult(ctx context.Context, a, want *answer) (bool, error) {
	step := *m.step
	if step.Compare == labs.CompareMerge || step.Kind == labs.KindSink && step.Mode == "batch" {
		step.Compare = labs.CompareMultiset
	}
	if step.Kind == labs.KindSink && a.columns != nil && len(a.columns) == len(want.columns) {
		b := *a
		b.byPlace = true
		a = &b
	}
	return sameAnswer(ctx, a, want, &step)
}

// written is the submission of somebody who runs a script.
func (m *mutants) written(ctx context.Context, says, script string) error {
	step := m.step
	files := map[string][]byte{}
	if step.SQL != "" {
		files[step.SQL] = []byte(script)
	}
	if step.Judge == labs.JudgeSQL {
		m.add(says, files, "")
		return nil
	}
	engine, ok := m.g.engine.(Transcriber)
	if !ok {
		return errors.New("the engine writes no transcripts")
	}
	w, err := engine.Transcribe(ctx, script, &graderFiles{g: m.g})
	if unsupported.Is(err) || errors.Is(err, ErrTooMuch) {
		return nil
	}
	if err != nil {
		return err
	}
	switch step.Kind {
	case labs.KindPrint:
		files[step.Out] = w.Print
	case labs.KindSink:
		for name, data := range sinkFolder(w.Files, m.g.lab, step, step.Folder) {
			files[name] = data
		}
		if step.Out != "" {
			files[step.Out] = w.Client
		}
		m.add(says, files, step.Folder)
		return nil
	default:
		files[step.Out] = w.Client
	}
	m.add(says, files, "")
	return nil
}
