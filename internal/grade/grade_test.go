package grade

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/internal/handin"
	"github.com/labgrade/labgrade/internal/intake"
	"github.com/labgrade/labgrade/internal/journal"
	"github.com/labgrade/labgrade/internal/roster"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
	"github.com/labgrade/labgrade/report/class"
)

const recorded = "../../fixtures/recorded/labs/dynamic/"

// sameData are one file for all; ownData a file for each.
type sameData string

func (sameData) PerStudent() bool { return false }
func (d sameData) Open(string) (checks.Source, []report.Source, error) {
	return sourceOf(string(d))
}

type ownData map[string]string

func (ownData) PerStudent() bool { return true }
func (d ownData) Open(id string) (checks.Source, []report.Source, error) {
	if d[id] == "" {
		return nil, nil, fmt.Errorf("no data for %s", id)
	}
	return sourceOf(d[id])
}

func sourceOf(name string) (checks.Source, []report.Source, error) {
	b, err := os.ReadFile(name)
	sum := sha256.Sum256(b)
	return func(string) (fs.File, error) { return os.Open(name) }, []report.Source{{Table: "clicks", Path: "clicks.csv", Digest: "sha256:" + hex.EncodeToString(sum[:])}}, err
}

func dynamic(t testing.TB) *labs.Lab {
	t.Helper()
	l, err := labs.Open("dynamic")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func options(t testing.TB) Options {
	return Options{
		Lab: dynamic(t), Tool: report.Tool{Name: "labgrade", Version: "test", Flink: "2.3.0"}, Viewer: checks.Viewer{Staff: true},
		Engine: checks.Reference(), Data: sameData(recorded + "right-120/dynamic_clicks.csv"), Limits: intake.DefaultLimits(),
		Workers: 2, Memory: 256 << 20, MemoryEach: 1 << 30, Time: time.Minute,
	}
}

// put writes the files of a submission.
func put(t testing.TB, dir string, files fs.FS, change func(name string, b []byte) []byte) {
	t.Helper()
	err := fs.WalkDir(files, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(files, p)
		if err != nil {
			return err
		}
		if change != nil {
			b = change(p, b)
		}
		name := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return os.WriteFile(name, b, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// classOf writes a mixed class: right ones, wrong ones of the lab, broken ones.
func classOf(t testing.TB, wrongs int) string {
	t.Helper()
	dir := t.TempDir()
	right := os.DirFS(recorded + "right-120/submission")
	put(t, filepath.Join(dir, "right"), right, nil)
	put(t, filepath.Join(dir, "copy"), right, nil)
	put(t, filepath.Join(dir, "comment"), right, func(name string, b []byte) []byte {
		if strings.HasSuffix(name, ".sql") {
			return append([]byte("-- by myself\n"), b...)
		}
		return b
	})
	list, err := dynamic(t).Wrongs()
	if err != nil {
		t.Fatal(err)
	}
	for i := range wrongs {
		w := list[i*len(list)/wrongs]
		put(t, filepath.Join(dir, "wrong-"+w.Name), w.FS, nil)
	}
	if err := os.WriteFile(filepath.Join(dir, "broken.zip"), []byte("PK\x03\x04 no"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func runClass(t testing.TB, o Options, paths ...string) *class.Result {
	t.Helper()
	set, err := handin.Find(paths, handin.WantOf(o.Lab), o.Limits)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	r, err := Run(context.Background(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func jsonOf(t testing.TB, r *class.Result) string {
	t.Helper()
	b, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func outcomes(r *class.Result) map[string]report.Outcome {
	out := map[string]report.Outcome{}
	for _, s := range r.Submissions {
		out[s.ID] = s.Outcome
	}
	return out
}

// TestSameBytes: order, workers, memory, and a journal that is there already in part do
// not show in the result.
func TestSameBytes(t *testing.T) {
	dir := classOf(t, 24)
	var want string
	r := rand.New(rand.NewPCG(1, 2))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		workers int
		memory  int64
	}{{1, 0}, {2, 256 << 20}, {5, 1 << 20}, {16, 64 << 20}} {
		o := options(t)
		o.Workers, o.Memory = c.workers, c.memory
		var paths []string
		for _, e := range entries {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
		r.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
		if i > 1 {
			j, err := journal.Open(filepath.Join(t.TempDir(), "j"))
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close(false)
			o.Journal = j
			runClass(t, o, paths[:len(paths)/2]...)
		}
		got := jsonOf(t, runClass(t, o, paths...))
		if want == "" {
			want = got
		}
		if got != want {
			t.Fatalf("%d workers, %d bytes: another result\n%s", c.workers, c.memory, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
		}
	}
}

// TestOutcomes: every submission has the outcome that it would have alone, whatever the
// others are.
func TestOutcomes(t *testing.T) {
	o := options(t)
	dir := classOf(t, 12)
	res := runClass(t, o, dir)
	got := outcomes(res)
	source, _, err := o.Data.Open("")
	if err != nil {
		t.Fatal(err)
	}
	g := checks.New(o.Lab, source, checks.Reference())
	for id, want := range map[string]report.Outcome{"right": report.Pass, "copy": report.Pass, "comment": report.Pass, "broken": report.Ungradable, "empty": report.Ungradable} {
		if got[id] != want {
			t.Errorf("%s: %s, want %s", id, got[id], want)
		}
	}
	for _, s := range res.Submissions {
		if strings.HasPrefix(s.ID, "wrong-") {
			alone := report.Result{}
			var err error
			if alone.Checks, err = g.CheckFor(context.Background(), os.DirFS(filepath.Join(dir, s.ID)), nil, o.Viewer); err != nil {
				t.Fatal(err)
			}
			alone.Total()
			if d := cmp.Diff(alone.Checks, s.Checks); d != "" || alone.Outcome != s.Outcome || alone.Score != s.Score {
				t.Errorf("%s is graded otherwise than alone:\n%s", s.ID, d)
			}
		}
		if s.ID == "broken" && (s.Reason == "" || len(s.Checks) > 0 || s.Score.Max != 8 || s.Digest != "") {
			t.Errorf("broken: %+v", s)
		}
	}
}

// counting counts how often the engine runs.
type counting struct {
	checks.Engine
	n *atomic.Int64
}

func (c counting) Execute(ctx context.Context, script string, f checks.Files, h checks.Handler) error {
	c.n.Add(1)
	return c.Engine.Execute(ctx, script, f, h)
}

// TestJournal: nothing is graded twice, and a changed submission alone is graded again.
func TestJournal(t *testing.T) {
	dir := classOf(t, 6)
	name := filepath.Join(t.TempDir(), "j")
	grade := func() (*class.Result, Progress, int64) {
		j, err := journal.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close(true)
		var runs atomic.Int64
		var last Progress
		o := options(t)
		o.Journal, o.Engine = j, counting{checks.Reference(), &runs}
		o.Progress = func(p Progress) { last = p }
		return runClass(t, o, dir), last, runs.Load()
	}
	first, p, _ := grade()
	if p.Done != p.Total || p.Reused != 0 {
		t.Errorf("the first run: %+v", p)
	}
	second, p, runs := grade()
	if jsonOf(t, first) != jsonOf(t, second) || runs != 0 || p.Reused == 0 {
		t.Errorf("the second run ran the engine %d times, %+v\n%s", runs, p, cmp.Diff(first, second))
	}
	reused := p.Reused
	out := filepath.Join(dir, "comment", "stream.out")
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(out, bytes.Replace(b, []byte("u03"), []byte("u99"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	third, p, _ := grade()
	if p.Reused != reused-1 {
		t.Errorf("after one change %d were in the journal, before %d", p.Reused, reused)
	}
	a := class.Compare(third, first)
	if len(a.Changes) != 1 || a.Changes[0].ID != "comment" || a.Changes[0].What != "outcome" || !cmp.Equal(a.Changes[0].Broken, []string{"stream"}) {
		t.Errorf("the comparison: %+v", a)
	}
}

// TestOwnData: with data for each student the right answer of one is wrong for another,
// and the report says whose it is; who handed nothing in is looked at, too.
func TestOwnData(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "01"), os.DirFS(recorded+"right-120/submission"), nil)
	put(t, filepath.Join(dir, "02"), os.DirFS(recorded+"right-120/submission"), nil)
	put(t, filepath.Join(dir, "03"), os.DirFS(recorded+"right-one-user/submission"), nil)
	put(t, filepath.Join(dir, "05"), os.DirFS(recorded+"right-120/submission"), nil)
	people, err := roster.Read(strings.NewReader("id,name\n01,Ann\n02,Bo\n03,Cy\n04,Di\n05,Ed\n"))
	if err != nil {
		t.Fatal(err)
	}
	o := options(t)
	o.Roster = people
	o.Data = ownData{"01": recorded + "right-120/dynamic_clicks.csv", "02": recorded + "right-one-click/dynamic_clicks.csv", "03": recorded + "right-empty/dynamic_clicks.csv", "04": recorded + "right-one-user/dynamic_clicks.csv"}
	res := runClass(t, o, dir)
	if !res.PerStudent || len(res.Sources) > 0 {
		t.Errorf("sources %v", res.Sources)
	}
	got := outcomes(res)
	if want := map[string]report.Outcome{"01": report.Pass, "02": report.Fail, "03": report.Fail, "04": class.Missing, "05": report.Errored}; !cmp.Equal(got, want) {
		t.Errorf("outcomes %v", got)
	}
	all := []string{"batch", "stream", "nested"}
	for id, want := range map[string][]class.Fit{"01": nil, "02": {{ID: "01", Steps: all}}, "03": {{ID: "04", Steps: all}}} {
		for _, s := range res.Submissions {
			if s.ID == id && !cmp.Equal(s.Fits, want) {
				t.Errorf("%s fits %v, want %v", id, s.Fits, want)
			}
			if s.ID == id && (len(s.Sources) != 1 || s.Digest == "") {
				t.Errorf("%s: sources %v, digest %q", id, s.Sources, s.Digest)
			}
		}
	}
}
