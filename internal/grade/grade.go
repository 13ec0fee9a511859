// Package grade grades a class: it opens submissions one after another on a few workers,
// judges each within bounds of time and memory, and keeps what it found in a journal.
//
// One submission cannot stop, slow down for ever, or change the result of another: what
// goes wrong with one is its own outcome, Ungradable where the submission is the cause and
// Errored where labgrade is. The result does not depend on the order or the workers.
package grade

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/internal/alike"
	"github.com/labgrade/labgrade/internal/handin"
	"github.com/labgrade/labgrade/internal/intake"
	"github.com/labgrade/labgrade/internal/journal"
	"github.com/labgrade/labgrade/internal/roster"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/reference/client"
	"github.com/labgrade/labgrade/report"
	"github.com/labgrade/labgrade/report/class"
)

// Options say how to grade.
type Options struct {
	Lab  *labs.Lab
	Tool report.Tool
	// Steps are the steps to grade, nil for all.
	Steps []string
	// Viewer is who reads the result; Learner is a learner of today, from whom the steps that
	// are marked Hidden must be kept.
	Viewer, Learner checks.Viewer
	// Engine answers SQL.
	Engine checks.Engine
	// Data gives the source data.
	Data Data
	// Limits bound what is read of a submission.
	Limits intake.Limits
	// Roster is nil without one.
	Roster *roster.Roster
	// Workers is how many submissions are graded at a time, at least 1.
	Workers int
	// Memory bounds in bytes what the submissions that are being graded may need together;
	// MemoryEach what a single one may. Time bounds the grading of one.
	Memory, MemoryEach int64
	Time               time.Duration
	// Salt is part of the keys of the journal: it must change when labgrade does.
	Salt string
	// Journal is nil without one.
	Journal *journal.Journal
	// Progress, where set, is told about each submission that is finished. Calls do not overlap.
	Progress func(Progress)
}

// Progress is how far the grading is.
type Progress struct {
	Done, Total int
	// Reused counts those of Done that the journal had.
	Reused  int
	Path    string
	Outcome report.Outcome
}

// record is what the journal keeps of a submission: all that grading found out, and
// nothing about whose it is.
type record struct {
	Checks []report.Check `json:"checks"`
	// Truth and Saved tell whose data an output was made from; only with data for each.
	Truth checks.Prints `json:"truth,omitempty"`
	Saved checks.Prints `json:"saved,omitempty"`
}

// class of submissions while it is graded.
type run struct {
	o       Options
	set     *handin.Set
	budget  *budget
	shared  *data // nil with data for each
	reader  *alike.Reader
	results []result

	mu     sync.Mutex
	flying map[string]*flight
	done   int
	reused int
}

// result is a graded submission, with what is compared with others.
type result struct {
	sub          class.Submission
	print        alike.Print
	truth, saved checks.Prints
}

// flight is a grading that others with the same key wait for.
type flight struct {
	done chan struct{}
	rec  *record
}

// Run grades the submissions of set. The error is the context's, or a fault of the lab's
// data that nobody's submission can be blamed for.
func Run(ctx context.Context, set *handin.Set, o Options) (*class.Result, error) {
	r := &run{o: o, set: set, budget: newBudget(o.Memory, o.MemoryEach), results: make([]result, len(set.Submissions)), flying: map[string]*flight{}}
	solution, _ := o.Lab.Solution() // a lab without one has nothing to take out
	r.reader = alike.NewReader(client.IsOwnID, solution, starter(o.Lab))
	if !o.Data.PerStudent() {
		d, err := r.open("")
		if err != nil {
			return nil, err
		}
		r.shared = d
	}
	stop := r.budget.watch()
	defer stop()
	next := make(chan int)
	var wg sync.WaitGroup
	for range max(1, min(o.Workers, len(set.Submissions))) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				r.results[i] = r.one(ctx, set.Submissions[i])
				r.tell(&r.results[i].sub)
			}
		}()
	}
	for i := range set.Submissions {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return r.conclude(ctx)
}

func (r *run) tell(s *class.Submission) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if r.o.Progress != nil {
		r.o.Progress(Progress{Done: r.done, Total: len(r.results), Reused: r.reused, Path: s.Path, Outcome: s.Outcome})
	}
}

// one grades a submission, whatever happens.
func (r *run) one(ctx context.Context, s *handin.Submission) (out result) {
	out.sub = r.named(s)
	defer func() {
		if x := recover(); x != nil {
			r.fail(&out.sub, report.Errored, fmt.Sprintf("labgrade failed here: %v%s", x, place(debug.Stack())))
		}
	}()
	content, p := s.Open(r.budget.load())
	if p != nil {
		r.fail(&out.sub, report.Ungradable, sentence(p))
		return out
	}
	defer content.Close()
	out.sub.Digest, out.sub.Notes = content.Digest, append(out.sub.Notes, content.Notes...)
	out.sub.Notes = append(out.sub.Notes, engineFiles(content.Names())...)
	out.print = r.reader.Print(out.sub.ID, s.Path, content.Names(), content.File)
	d := r.shared
	if d == nil {
		var err error
		if d, err = r.open(out.sub.ID); err != nil {
			r.fail(&out.sub, report.Errored, fmt.Sprintf("The source data are not there: %v.", err))
			return out
		}
		out.sub.Sources = d.sources
	}
	rec, err := r.graded(ctx, d, content)
	if err != nil {
		r.refused(&out.sub, err)
		return out
	}
	total := report.Result{Checks: rec.Checks}
	total.Total()
	out.sub.Checks, out.sub.Outcome, out.sub.Score = rec.Checks, total.Outcome, total.Score
	out.truth, out.saved = rec.Truth, rec.Saved
	return out
}

// refused explains why grading ended without a result.
func (r *run) refused(s *class.Submission, err error) {
	var m *memoryError
	switch {
	case errors.As(err, &m):
		r.fail(s, report.Ungradable, fmt.Sprintf("Grading it needs more than %d MB of memory.", m.most>>20))
	case errors.Is(err, context.DeadlineExceeded):
		r.fail(s, report.Ungradable, fmt.Sprintf("Grading it takes longer than %s.", r.o.Time))
	default:
		r.fail(s, report.Errored, "labgrade failed here: "+err.Error())
	}
}

// graded finds the record of a submission: in the journal, from another submission with
// the same files and data, or by grading it.
func (r *run) graded(ctx context.Context, d *data, c *handin.Content) (*record, error) {
	key := r.key(d, c)
	for {
		r.mu.Lock()
		f := r.flying[key]
		if f == nil {
			f = &flight{done: make(chan struct{})}
			r.flying[key] = f
			r.mu.Unlock()
			defer close(f.done)
			rec, err := r.compute(ctx, key, d, c)
			if err != nil {
				r.mu.Lock()
				delete(r.flying, key) // the next one tries for itself
				r.mu.Unlock()
				return nil, err
			}
			f.rec = rec
			return rec, nil
		}
		r.mu.Unlock()
		select {
		case <-f.done:
			if f.rec != nil {
				return f.rec, nil
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// key says all that a record depends on.
func (r *run) key(d *data, c *handin.Content) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n%+v\n", r.o.Salt, r.o.Lab.Digest, strings.Join(r.o.Steps, ","), r.o.Limits)
	if !r.o.Viewer.Staff {
		for i := range r.o.Lab.Steps {
			fmt.Fprintln(h, r.o.Lab.Disclosed(&r.o.Lab.Steps[i], r.o.Viewer.Now))
		}
	}
	for _, s := range d.sources {
		fmt.Fprintf(h, "%s %s\n", s.Table, s.Digest)
	}
	fmt.Fprintln(h, r.shared == nil, c.Digest)
	return hex.EncodeToString(h.Sum(nil)[:20])
}

func (r *run) compute(ctx context.Context, key string, d *data, c *handin.Content) (*record, error) {
	kept := &record{}
	if r.o.Journal != nil && r.o.Journal.Get(key, kept) {
		r.mu.Lock()
		r.reused++
		r.mu.Unlock()
		return kept, nil
	}
	rec, err := r.bounded(ctx, c.Bytes, func(ctx context.Context) (*record, error) { return r.judge(ctx, d, c) })
	if err != nil {
		return nil, err
	}
	if r.o.Journal != nil && !errored(rec.Checks) {
		if err := r.o.Journal.Put(key, rec); err != nil {
			return nil, fmt.Errorf("the journal cannot be written: %w", err)
		}
	}
	return rec, nil
}

// errored records are not kept: a fault of ours is tried again.
func errored(list []report.Check) bool {
	for _, c := range list {
		if c.Outcome == report.Errored {
			return true
		}
	}
	return false
}

func (r *run) judge(ctx context.Context, d *data, c *handin.Content) (*record, error) {
	rec := &record{}
	var err error
	if rec.Checks, err = d.grader.CheckFor(ctx, c.FS, r.o.Steps, r.o.Viewer); err != nil {
		return nil, err
	}
	if r.shared == nil {
		if rec.Truth, err = d.grader.Prints(ctx); err != nil {
			return nil, err
		}
		if rec.Saved, err = d.grader.SavedPrints(ctx, c.FS); err != nil {
			return nil, err
		}
	}
	return rec, nil
}

func (r *run) fail(s *class.Submission, o report.Outcome, reason string) {
	s.Outcome, s.Reason = o, reason
	s.Checks, s.Score = nil, report.Score{Max: r.max()}
}

func (r *run) max() float64 {
	total := 0.0
	for i := range r.o.Lab.Steps {
		if s := &r.o.Lab.Steps[i]; r.wanted(s.ID) {
			total += s.Points
		}
	}
	return total
}

func (r *run) wanted(step string) bool {
	return slices.Contains(r.o.Viewer.Visible(r.o.Lab), step) && (r.o.Steps == nil || slices.Contains(r.o.Steps, step))
}
