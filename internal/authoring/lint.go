package authoring

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/checks/codes"
	"github.com/labgrade/labgrade/labs"
)

// Lint runs what the lab expects on its own data and looks for what is missing in its
// folder. Problems come in the order of the lab file, those of the folder behind them.
func Lint(ctx context.Context, lab *labs.Lab) ([]Problem, error) {
	l := &linter{lab: lab}
	g := Grader(lab)
	for i := range lab.Tables {
		if f := lab.Tables[i].File; !exists(lab, "data", f) {
			l.at(Error, fmt.Sprintf("tables[%d].file", i), "the lab has no file data/%s", f)
		}
	}
	if len(l.list) > 0 {
		return l.list, nil // nothing can be run
	}
	for i := range lab.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := &lab.Steps[i]
		found, err := g.Try(ctx, s)
		if err != nil {
			return nil, err
		}
		for _, t := range found {
			w := Error
			if t.Advice {
				w = Warning
			}
			l.at(w, fmt.Sprintf("steps[%d].%s", i, t.Path), "step %s: %s", s.ID, t.Message)
		}
		l.words(i, s)
	}
	l.folder()
	return l.list, nil
}

type linter struct {
	lab  *labs.Lab
	list []Problem
}

func (l *linter) at(w Weight, place, format string, args ...any) {
	line, column := l.lab.Place(place)
	l.list = append(l.list, Problem{w, labs.FileName, line, column, fmt.Sprintf(format, args...)})
}

func (l *linter) file(w Weight, name, format string, args ...any) {
	l.list = append(l.list, Problem{Weight: w, File: name, Message: fmt.Sprintf(format, args...)})
}

// words are what a learner reads about a step, and its codes.
func (l *linter) words(i int, s *labs.Step) {
	at := fmt.Sprintf("steps[%d]", i)
	if s.Title == "" {
		l.at(Warning, at, "step %s has no title", s.ID)
	}
	if s.Points == 0 {
		l.at(Warning, at, "step %s gives no points", s.ID)
	}
	if s.Next == "" {
		l.at(Warning, at, "step %s does not say what to do when it is not right (next)", s.ID)
	}
	for k, m := range s.Mistakes {
		if _, ok := codes.Find(m.Code); !ok {
			l.at(Error, fmt.Sprintf("%s.mistakes[%d].code", at, k), "there is no code %q (labgrade explain lists them)", m.Code)
		}
	}
}

// folder looks at the files beside the lab file.
func (l *linter) folder() {
	lab := l.lab
	if !exists(lab, "README.md") {
		l.file(Warning, "README.md", "the task is missing")
	}
	for lang := range lab.Texts {
		if name := "README." + lang + ".md"; !exists(lab, name) {
			l.file(Warning, name, "lab.yaml has texts in this language, but the task is missing")
		}
	}
	if !exists(lab, "solution") {
		l.file(Error, "solution", "the solution is missing")
	} else {
		for i := range lab.Steps {
			s := &lab.Steps[i]
			for _, f := range []string{s.SQL, s.Out, s.Folder, s.File} {
				if f != "" && !exists(lab, "solution", f) {
					l.file(Error, path.Join("solution", f), "the solution lacks this file of the step %s (labgrade lab solve makes it)", s.ID)
				}
			}
		}
	}
	if !exists(lab, "starter") {
		l.file(Warning, "starter", "learners have nothing to begin with")
	}
	wrongs, err := lab.Wrongs()
	if err != nil {
		l.file(Error, "wrong", "%v", err)
	}
	for _, w := range wrongs {
		for _, c := range w.Codes {
			if _, ok := codes.Find(c); !ok {
				l.file(Error, path.Join("wrong", w.Name, "expect.yaml"), "there is no code %q", c)
			}
		}
		if w.Says == "" {
			l.file(Warning, path.Join("wrong", w.Name, "expect.yaml"), "it does not say what the mistake is (says)")
		}
	}
	if len(wrongs) == 0 {
		l.file(Warning, "wrong", "there is no wrong submission to test the checks with")
	}
	if _, err := lab.Rights(); err != nil {
		l.file(Error, "right", "%v", err)
	}
	lock, err := lab.Lock()
	switch {
	case err != nil:
		l.file(Error, labs.LockName, "%v", err)
	case lock != nil && lock.Stale(lab):
		l.file(Warning, labs.LockName, "the lab has changed since it was compared with a real Flink (labgrade lab calibrate)")
	case lock != nil:
		for _, s := range lock.Steps {
			if !s.Agrees {
				l.file(Warning, labs.LockName, "the step %s does not agree with Flink %s", s.ID, lock.Flink)
			}
		}
	}
	l.unused()
}

// unused finds data files that no table reads.
func (l *linter) unused() {
	entries, err := fs.ReadDir(l.lab.FS, "data")
	if err != nil {
		return
	}
	for _, e := range entries {
		used := slices.ContainsFunc(l.lab.Tables, func(t labs.Table) bool { return t.File == e.Name() })
		if !used && !strings.HasPrefix(e.Name(), ".") {
			l.file(Warning, "data/"+e.Name(), "no table reads this file")
		}
	}
}
