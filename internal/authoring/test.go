package authoring

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

// Tested is what came out when a lab was tried.
type Tested struct {
	// Faults are what is wrong: the lab must not be used before they are mended.
	Faults []string
	// Unproved names steps, plans, numbers and facts that no mistake exercises; Unseen
	// mistakes that the data do not show.
	Unproved, Unseen []string
	// Wrong, Right and Mutants are how many submissions of each sort were graded; Same
	// is how many mutants give what is right.
	Wrong, Right, Mutants, Same int
	// Codes are the different codes that the wrong submissions got.
	Codes []string
}

// tester tries one lab.
type tester struct {
	lab *labs.Lab
	g   *checks.Grader
	out *Tested
	// unseen are mistakes that make no difference, unseenIn the steps in which.
	unseen   []string
	unseenIn map[string][]string
	found    map[string]bool // steps, and "step\x00part" of their parts, that a mistake hit
}

// Test grades what a lab keeps and what is made of it by machine: the solution must get
// all points, the starter must not, each wrong submission exactly its codes, each other
// right one nothing, and each mutant must fail.
func Test(ctx context.Context, lab *labs.Lab) (*Tested, error) {
	t := &tester{lab: lab, g: Grader(lab), out: &Tested{}, found: map[string]bool{}}
	solution, err := lab.Solution()
	if err != nil {
		t.fault("%v", err)
		return t.out, nil
	}
	ok, err := t.solution(ctx, solution)
	if err != nil || !ok {
		return t.out, err
	}
	for _, f := range []func(context.Context) error{t.starter, t.kept} {
		if err := f(ctx); err != nil {
			return t.out, err
		}
	}
	brief := t.g.Brief()
	for i := range lab.Steps {
		if err := t.mutants(ctx, brief, solution, &lab.Steps[i]); err != nil {
			return t.out, err
		}
	}
	t.unproved()
	for _, s := range t.unseen {
		t.out.Unseen = append(t.out.Unseen, strings.Join(t.unseenIn[s], ", ")+": "+s)
	}
	slices.Sort(t.out.Codes)
	return t.out, nil
}

func (t *tester) fault(format string, args ...any) {
	t.out.Faults = append(t.out.Faults, fmt.Sprintf(format, args...))
}

func (t *tester) check(ctx context.Context, files fs.FS) ([]report.Check, error) {
	return t.g.CheckFor(ctx, files, nil, checks.Viewer{Staff: true})
}

// solution gets all points and nothing above a note.
func (t *tester) solution(ctx context.Context, files fs.FS) (bool, error) {
	got, err := t.check(ctx, files)
	if err != nil {
		return false, err
	}
	ok := true
	for _, c := range got {
		if c.Outcome != report.Pass || heavy(&c) {
			ok = false
			t.fault("solution: the step %s is %s, not right%s", c.ID, c.Outcome, findings(&c))
		}
	}
	return ok, nil
}

// starter is not right yet, and no fault of the lab.
func (t *tester) starter(ctx context.Context) error {
	if !exists(t.lab, "starter") {
		return nil
	}
	files, err := fs.Sub(t.lab.FS, "starter")
	if err != nil {
		return err
	}
	got, err := t.check(ctx, files)
	if err != nil {
		return err
	}
	passed := 0
	for _, c := range got {
		switch c.Outcome {
		case report.Errored:
			t.fault("starter: the step %s is an error of the lab%s", c.ID, findings(&c))
		case report.Pass:
			passed++
		}
	}
	if passed == len(got) {
		t.fault("starter: it gets all points without any work")
	}
	return nil
}

// kept are the wrong and right submissions that the lab keeps.
func (t *tester) kept(ctx context.Context) error {
	rights, err := t.lab.Rights()
	if err != nil {
		t.fault("%v", err)
	}
	for _, r := range rights {
		got, err := t.check(ctx, r.FS)
		if err != nil {
			return err
		}
		t.out.Right++
		for _, c := range got {
			if c.Outcome != report.Pass || heavy(&c) {
				t.fault("right/%s: the step %s is %s%s", r.Name, c.ID, c.Outcome, findings(&c))
			}
		}
	}
	wrongs, err := t.lab.Wrongs()
	if err != nil {
		t.fault("%v", err)
	}
	for _, w := range wrongs {
		got, err := t.check(ctx, w.FS)
		if err != nil {
			return err
		}
		t.out.Wrong++
		want := slices.Sorted(slices.Values(w.Codes))
		have := codesOf(got)
		if !slices.Equal(want, have) {
			text := ""
			for i := range got {
				text += findings(&got[i])
			}
			t.fault("wrong/%s: it gets %s, not %s%s", w.Name, listed(have), listed(want), text)
		}
		t.hit(got)
		for _, c := range have {
			if !slices.Contains(t.out.Codes, c) {
				t.out.Codes = append(t.out.Codes, c)
			}
		}
	}
	return nil
}

// hit notes what the findings are about.
func (t *tester) hit(got []report.Check) {
	for i := range got {
		for _, f := range got[i].Findings {
			if f.Severity == report.Note {
				continue
			}
			t.found[got[i].ID] = true
			t.found[got[i].ID+"\x00"+f.Key] = true
			t.found[got[i].ID+"\x00"+f.Expected] = true
		}
	}
}

// mutants of a step must all fail.
func (t *tester) mutants(ctx context.Context, g *checks.Grader, solution fs.FS, step *labs.Step) error {
	list, err := t.g.Mutants(ctx, solution, step)
	if err != nil {
		return err
	}
	var same []string
	for _, m := range list {
		if m.Same {
			same = append(same, m.Says)
			continue
		}
		ok, err := g.Accepts(ctx, m.Files, step)
		if err != nil {
			t.fault("%s: mutant %q: %v", step.ID, m.Says, err)
			continue
		}
		t.out.Mutants++
		if ok {
			t.fault("%s: nobody notices when %s", step.ID, m.Says)
			continue
		}
		t.found[step.ID] = true
		for _, n := range step.Numbers {
			if strings.HasPrefix(m.Says, n.Name+" ") {
				t.found[step.ID+"\x00"+n.Name] = true
			}
		}
		for _, p := range step.Plans {
			if strings.HasPrefix(m.Says, fmt.Sprintf("plan %q", p.Name)) {
				t.found[step.ID+"\x00"+p.Name] = true
			}
		}
	}
	t.out.Same += len(same)
	for _, s := range same {
		if !slices.Contains(t.unseen, s) {
			t.unseen = append(t.unseen, s)
		}
		if t.unseenIn == nil {
			t.unseenIn = map[string][]string{}
		}
		if !slices.Contains(t.unseenIn[s], step.ID) {
			t.unseenIn[s] = append(t.unseenIn[s], step.ID)
		}
	}
	return nil
}

// unproved names what no mistake has hit.
func (t *tester) unproved() {
	add := func(format string, args ...any) {
		t.out.Unproved = append(t.out.Unproved, fmt.Sprintf(format, args...))
	}
	for i := range t.lab.Steps {
		s := &t.lab.Steps[i]
		if !t.found[s.ID] {
			add("the step %s", s.ID)
			continue
		}
		for _, n := range s.Numbers {
			if !t.found[s.ID+"\x00"+n.Name] {
				add("the number %s of the step %s", n.Name, s.ID)
			}
		}
		for _, p := range s.Plans {
			if !t.found[s.ID+"\x00"+p.Name] {
				add("the plan %q of the step %s", p.Name, s.ID)
			}
		}
		for k := range s.Facts {
			if !t.found[s.ID+"\x00"+s.Facts[k].Text()] {
				add("the fact \"%s\" of the step %s", s.Facts[k].Text(), s.ID)
			}
		}
	}
}

func heavy(c *report.Check) bool {
	w := c.Worst()
	return w != "" && w != report.Note
}

func codesOf(list []report.Check) []string {
	r := report.Result{Checks: list}
	return slices.Sorted(slices.Values(r.Codes()))
}

func listed(codes []string) string {
	if len(codes) == 0 {
		return "no code"
	}
	return strings.Join(codes, ", ")
}

// findings are the findings of a check above notes, one an indented line.
func findings(c *report.Check) string {
	s := ""
	for _, f := range c.Findings {
		if f.Severity == report.Note {
			continue
		}
		s += fmt.Sprintf("\n  %s: %s %s %s", c.ID, f.Place(), f.Code, f.Message)
	}
	return s
}
