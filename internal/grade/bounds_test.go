package grade

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/internal/handin"
	"github.com/labgrade/labgrade/internal/journal"
	"github.com/labgrade/labgrade/report"
)

// slow is an engine that never ends for the SQL of one submission.
type slow struct {
	checks.Engine
	mark string
	eat  bool // memory instead of time
}

func (s slow) Execute(ctx context.Context, script string, f checks.Files, h checks.Handler) error {
	if !strings.Contains(script, s.mark) {
		return s.Engine.Execute(ctx, script, f, h)
	}
	var held [][]byte
	for ctx.Err() == nil {
		if s.eat {
			held = append(held, make([]byte, 4<<20))
			held[len(held)-1][0] = 1
		}
		time.Sleep(time.Millisecond)
	}
	return ctx.Err()
}

// TestBounds: a submission that needs too much time or memory is given up with its reason,
// and the others are graded as ever.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		eat          bool
		set          func(*Options)
	}{
		{"time", "takes longer than 300ms", false, func(o *Options) { o.Time = 300 * time.Millisecond }},
		{"memory", "needs more than 64 MB", true, func(o *Options) { o.MemoryEach = 64 << 20 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			right := os.DirFS(recorded + "right-one-user/submission")
			put(t, filepath.Join(dir, "right"), right, nil)
			put(t, filepath.Join(dir, "greedy"), right, func(name string, b []byte) []byte {
				if name == "stream.sql" {
					return []byte("SELECT 'greedy';\n")
				}
				return bytes.ReplaceAll(b, []byte("| +U"), []byte("| -D"))
			})
			o := options(t)
			o.Data = sameData(recorded + "right-one-user/dynamic_clicks.csv")
			runClass(t, o, filepath.Join(dir, "right")) // what is compiled and read once is not counted
			o.Engine = slow{checks.Reference(), "greedy", c.eat}
			c.set(&o)
			res := runClass(t, o, dir)
			for _, s := range res.Submissions {
				switch s.ID {
				case "right":
					if s.Outcome != report.Pass {
						t.Errorf("right: %s %s", s.Outcome, s.Reason)
					}
				case "greedy":
					if s.Outcome != report.Ungradable || !strings.Contains(s.Reason, c.reason) {
						t.Errorf("greedy: %s %q", s.Outcome, s.Reason)
					}
				}
			}
		})
	}
}

// faulty panics for the SQL of one submission.
type faulty struct{ checks.Engine }

func (f faulty) Execute(ctx context.Context, script string, files checks.Files, h checks.Handler) error {
	if strings.Contains(script, "trouble") {
		panic("a fault of ours")
	}
	return f.Engine.Execute(ctx, script, files, h)
}

// TestFaultOfOurs: a panic is the outcome error, never a failure, and is tried again.
func TestFaultOfOurs(t *testing.T) {
	dir := t.TempDir()
	right := os.DirFS(recorded + "right-one-user/submission")
	put(t, filepath.Join(dir, "right"), right, nil)
	put(t, filepath.Join(dir, "trouble"), right, func(name string, b []byte) []byte {
		if name == "stream.sql" {
			return []byte("SELECT 'trouble';\n")
		}
		return bytes.ReplaceAll(b, []byte("| +U"), []byte("| -D"))
	})
	j, err := journal.Open(filepath.Join(t.TempDir(), "j"))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close(false)
	o := options(t)
	o.Data, o.Engine, o.Journal = sameData(recorded+"right-one-user/dynamic_clicks.csv"), faulty{checks.Reference()}, j
	got := outcomes(runClass(t, o, dir))
	if want := map[string]report.Outcome{"right": report.Pass, "trouble": report.Errored}; !cmp.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if j.Len() != 1 {
		t.Errorf("the journal has %d records, want that of the right one", j.Len())
	}
}

// TestInterrupted: a run that is interrupted ends with the context's error.
func TestInterrupted(t *testing.T) {
	o := options(t)
	set, err := handin.Find([]string{classOf(t, 2)}, handin.WantOf(o.Lab), o.Limits)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	ctx, cancel := context.WithCancel(context.Background())
	o.Progress = func(Progress) { cancel() }
	if _, err := Run(ctx, set, o); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}
