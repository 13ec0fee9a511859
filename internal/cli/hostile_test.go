//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/labgrade/labgrade/internal/intake/corpus"
	"github.com/labgrade/labgrade/report"
	"github.com/labgrade/labgrade/report/class"
)

const rightSubmission = "../../fixtures/recorded/labs/dynamic/right-120/submission"

// mostTime is what any hostile submission may cost on a slow and busy machine; it is well
// below the minute of --time-limit.
const mostTime = 50 * time.Second

// runWithin runs labgrade in this process and fails when it does not come back.
func runWithin(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	done := make(chan int, 1)
	go func() {
		done <- Main(args, Streams{In: &bytes.Buffer{}, Out: &o, Err: &e, Getenv: func(string) string { return "" }})
	}()
	select {
	case code = <-done:
	case <-time.After(mostTime):
		t.Fatalf("labgrade %s does not end", strings.Join(args, " "))
	}
	return o.String(), e.String(), code
}

// skipShort leaves the corpus to the full run: one submission after the other shows the race
// detector nothing (the command line library shares flags between calls, so that they cannot
// run side by side).
func skipShort(t *testing.T) {
	if testing.Short() {
		t.Skip("grades about 80 hostile submissions")
	}
}

// checked says what became of a step.
func checked(o report.Outcome) corpus.Outcome {
	switch o {
	case report.Pass:
		return corpus.Right
	case report.Fail:
		return corpus.Wrong
	case report.Ungradable:
		return corpus.Refused
	}
	return corpus.Outcome(o)
}

// TestHostileFolders: each ends in the right outcome, soon, and is never our own error;
// the other steps of the same folder are graded as ever.
func TestHostileFolders(t *testing.T) {
	skipShort(t)
	for _, c := range corpus.Folders() {
		t.Run(c.Name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "s")
			if err := corpus.Copy(dir, os.DirFS(rightSubmission)); err != nil {
				t.Fatal(err)
			}
			var here corpus.ErrNotHere
			if err := c.Harm(dir); errors.As(err, &here) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			out, errs, _ := runWithin(t, "check", "dynamic", dir, "--step", "batch", "--step", c.Step, "--json")
			if len(out) > 200_000 {
				t.Errorf("labgrade prints %d bytes", len(out))
			}
			var r report.Result
			if err := json.Unmarshal([]byte(out), &r); err != nil {
				t.Fatalf("%v: %s%s", err, out, errs)
			}
			for _, step := range r.Checks {
				want := corpus.Right
				if step.ID == c.Step {
					want = c.Want
				}
				if got := checked(step.Outcome); got != want {
					t.Errorf("%s is %s, want %s: %+v", step.ID, got, want, step.Findings)
				}
				if step.ID == c.Step && c.Why != "" && (len(step.Findings) == 0 || !strings.Contains(step.Findings[0].Message, c.Why)) {
					t.Errorf("it is said: %+v", step.Findings)
				}
			}
		})
	}
}

// TestHostileArchives: each ends in the right outcome, soon, nothing is written anywhere,
// and the right submission beside it is graded as ever.
func TestHostileArchives(t *testing.T) {
	skipShort(t)
	right := os.DirFS(rightSubmission)
	for _, c := range corpus.Archives() {
		t.Run(c.Name, func(t *testing.T) {
			top := t.TempDir()
			dir := filepath.Join(top, "a", "class")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := corpus.Copy(filepath.Join(dir, "zz-neighbour"), right); err != nil {
				t.Fatal(err)
			}
			b, err := c.Build(right)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, c.Name), b, 0o644); err != nil {
				t.Fatal(err)
			}
			out, errs, _ := runWithin(t, "grade", "dynamic", dir, "--no-journal", "--json")
			var r class.Result
			if err := json.Unmarshal([]byte(out), &r); err != nil {
				t.Fatalf("%v: %s%s", err, out, errs)
			}
			if len(r.Submissions) != 2 {
				t.Fatalf("%d submissions: %s", len(r.Submissions), out)
			}
			s, neighbour := r.Submissions[0], r.Submissions[1]
			if neighbour.Outcome != report.Pass {
				t.Errorf("the neighbour is %s", neighbour.Outcome)
			}
			said := s.Reason
			for _, x := range s.Checks {
				for _, f := range x.Findings {
					said += "\n" + f.Message
				}
			}
			if got := checked(s.Outcome); got != c.Want || !strings.Contains(said, c.Why) {
				t.Errorf("it is %s, want %s: %s", got, c.Want, said)
			}
			if strings.ContainsAny(out, "\x1b\u202e") {
				t.Error("the output holds control characters")
			}
			var found []string
			if err := filepath.WalkDir(top, func(p string, _ os.DirEntry, err error) error {
				if strings.Contains(p, "evil") {
					found = append(found, p)
				}
				return err
			}); err != nil || found != nil {
				t.Errorf("%v, %v", found, err)
			}
		})
	}
}
