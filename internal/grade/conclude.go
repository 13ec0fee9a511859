package grade

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/internal/alike"
	"github.com/labgrade/labgrade/internal/handin"
	"github.com/labgrade/labgrade/internal/intake"
	"github.com/labgrade/labgrade/internal/roster"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/reference/client"
	"github.com/labgrade/labgrade/report"
	"github.com/labgrade/labgrade/report/class"
)

// named says whose a submission is.
func (r *run) named(s *handin.Submission) class.Submission {
	out := class.Submission{ID: s.ID(), Name: s.Name(), Path: s.Path}
	out.Person.CanvasID, out.Person.MoodleID, out.Person.Email = s.Who.CanvasID, s.Who.MoodleID, s.Who.Email
	if r.o.Roster == nil {
		return out
	}
	p := r.o.Roster.Find(s.Who)
	if p == nil {
		out.Notes = append(out.Notes, "nobody on the roster fits this name")
		return out
	}
	if out.Person.CanvasID != "" && p.CanvasID == "" {
		p = &roster.Person{ID: p.ID, Name: p.Name, Email: p.Email, Login: p.Login, Section: p.Section, MoodleID: p.MoodleID, CanvasID: out.Person.CanvasID}
	}
	if out.Person.MoodleID != "" && p.MoodleID == "" {
		p = &roster.Person{ID: p.ID, Name: p.Name, Email: p.Email, Login: p.Login, Section: p.Section, MoodleID: out.Person.MoodleID, CanvasID: p.CanvasID}
	}
	out.ID, out.Name, out.Person = p.ID, p.Name, person(p)
	return out
}

func person(p *roster.Person) class.Person {
	return class.Person{Email: p.Email, Login: p.Login, Section: p.Section, CanvasID: p.CanvasID, MoodleID: p.MoodleID}
}

// conclude makes the result of the class.
func (r *run) conclude(ctx context.Context) (*class.Result, error) {
	out := &class.Result{
		Tool:       r.o.Tool,
		Lab:        report.Lab{ID: r.o.Lab.ID, Title: r.o.Lab.Title, Version: r.o.Lab.Version, Digest: r.o.Lab.Digest},
		PerStudent: r.shared == nil,
		Notes:      r.set.Notes,
	}
	if r.shared != nil {
		out.Sources = r.shared.sources
	}
	for i := range r.o.Lab.Steps {
		if s := &r.o.Lab.Steps[i]; r.wanted(s.ID) {
			hidden := !slices.Contains(r.o.Learner.Visible(r.o.Lab), s.ID)
			out.Steps = append(out.Steps, class.Step{ID: s.ID, Title: s.Title, Max: s.Points, Hidden: hidden})
		}
	}
	missing := r.missing()
	if r.shared == nil {
		if err := r.fits(ctx, missing); err != nil {
			return nil, err
		}
	}
	r.twice()
	var prints []alike.Print
	for i := range r.results {
		out.Submissions = append(out.Submissions, r.results[i].sub)
		if r.results[i].print.Path != "" {
			prints = append(prints, r.results[i].print)
		}
	}
	for _, p := range missing {
		out.Submissions = append(out.Submissions, class.Submission{ID: p.ID, Name: p.Name, Person: person(p), Outcome: class.Missing, Score: report.Score{Max: r.max()}})
	}
	out.Alike = alike.Groups(prints)
	out.Total()
	return out, nil
}

// missing are those on the roster who handed nothing in.
func (r *run) missing() []*roster.Person {
	if r.o.Roster == nil {
		return nil
	}
	there := map[string]bool{}
	for i := range r.results {
		there[r.results[i].sub.ID] = true
	}
	var out []*roster.Person
	for i := range r.o.Roster.People {
		if p := &r.o.Roster.People[i]; !there[p.ID] {
			out = append(out, p)
		}
	}
	return out
}

// twice notes submissions of one person.
func (r *run) twice() {
	byID := map[string][]int{}
	for i := range r.results {
		id := r.results[i].sub.ID
		byID[id] = append(byID[id], i)
	}
	for _, list := range byID {
		if len(list) < 2 {
			continue
		}
		for _, i := range list {
			s := &r.results[i].sub
			var others []string
			for _, j := range list {
				if j != i {
					others = append(others, r.results[j].sub.Path)
				}
			}
			s.Notes = append(s.Notes, "the same person handed in "+strings.Join(others, ", "))
		}
	}
}

// maxFits bounds the people that are named for one output.
const maxFits = 5

// fits finds outputs that are right for somebody else's data.
func (r *run) fits(ctx context.Context, missing []*roster.Person) error {
	whose := map[string][]string{} // step and print to ids
	note := func(id string, truth checks.Prints) {
		for step, p := range truth {
			k := step + " " + p
			if !slices.Contains(whose[k], id) {
				whose[k] = append(whose[k], id)
			}
		}
	}
	for i := range r.results {
		note(r.results[i].sub.ID, r.results[i].truth)
	}
	for _, p := range missing {
		d, err := r.open(p.ID)
		if err != nil {
			continue // no data were made for them
		}
		truth, err := d.grader.Prints(ctx)
		if err != nil {
			return err
		}
		note(p.ID, truth)
	}
	for i := range r.results {
		x := &r.results[i]
		steps := map[string][]string{}
		for j := range r.o.Lab.Steps {
			step := r.o.Lab.Steps[j].ID
			saved := x.saved[step]
			if saved == "" || saved == x.truth[step] {
				continue
			}
			for _, id := range whose[step+" "+saved] {
				steps[id] = append(steps[id], step)
			}
		}
		for id, list := range steps {
			x.sub.Fits = append(x.sub.Fits, class.Fit{ID: id, Steps: list})
		}
		slices.SortFunc(x.sub.Fits, func(a, b class.Fit) int {
			if len(a.Steps) != len(b.Steps) {
				return len(b.Steps) - len(a.Steps)
			}
			return strings.Compare(a.ID, b.ID)
		})
		x.sub.Fits = x.sub.Fits[:min(len(x.sub.Fits), maxFits)]
	}
	return nil
}

// engineFiles notes sink files that labgrade's engine wrote, not Flink.
func engineFiles(names []string) []string {
	for _, n := range names {
		if id := parse.PartUUID(path.Base(n)); id != "" && client.IsOwnID(id) {
			return []string{n + " was written by labgrade's engine, not by Flink"}
		}
	}
	return nil
}

// starter is what the lab gives to learners, nil without any.
func starter(l *labs.Lab) fs.FS {
	if _, err := fs.Stat(l.FS, "starter"); err != nil {
		return nil
	}
	s, err := fs.Sub(l.FS, "starter")
	if err != nil {
		return nil
	}
	return s
}

// sentence says in one sentence why a submission cannot be graded.
func sentence(p *intake.Problem) string {
	s := p.Reason
	if s != "" {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	if p.Path != "" {
		s = fmt.Sprintf("%s: %s", p.Path, s)
	}
	if p.Hint != "" {
		s += "; " + p.Hint
	}
	return s + "."
}

// place is the innermost function of labgrade on a stack, for the one who reports a fault.
func place(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	seen := false
	for _, l := range lines {
		if strings.HasPrefix(l, "panic(") {
			seen = true
			continue
		}
		if seen && strings.Contains(l, "labgrade/") && !strings.HasPrefix(l, "\t") {
			name, _, _ := strings.Cut(l[strings.LastIndexByte(l, '/')+1:], "(")
			return " (" + name + ")"
		}
	}
	return ""
}
