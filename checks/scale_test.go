package checks

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/labgrade/labgrade/fixtures"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/reference/client"
	"github.com/labgrade/labgrade/report"
)

// BenchmarkMillionClicks grades a submission of 1,000,000 clicks of 2,000 users: logs of
// 2 and 4 million rows. It reports the time as a ratio to that of sha256sum over the
// same files, in the same run, and the most memory that was in use.
func BenchmarkMillionClicks(b *testing.B) {
	lab := dynamicLab(b)
	dir := b.TempDir()
	source := filepath.Join(dir, "dynamic_clicks.csv")
	f, err := os.Create(source)
	if err != nil {
		b.Fatal(err)
	}
	clicks := fixtures.Clicks{Rows: 1_000_000, Users: 2000, Seed: 1}
	if err := clicks.Write(f); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	g := New(lab, func(string) (fs.File, error) { return os.Open(source) }, Reference())
	sub := filepath.Join(dir, "submission")
	files := writeSubmission(b, g, lab, source, sub)
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		hash := sha256sum(b, append(files, source))
		stop := make(chan struct{})
		peak := watchMemory(stop)
		b.StartTimer()
		begin := time.Now()
		fresh := New(lab, func(string) (fs.File, error) { return os.Open(source) }, Reference())
		checks, err := fresh.Check(context.Background(), os.DirFS(sub), nil)
		took := time.Since(begin)
		b.StopTimer()
		close(stop)
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range checks {
			if c.Outcome != report.Pass {
				b.Fatalf("%s is %s: %+v", c.ID, c.Outcome, c.Findings)
			}
		}
		b.ReportMetric(took.Seconds()/hash.Seconds(), "x-sha256sum")
		b.ReportMetric(float64(<-peak)/(1<<20), "peak-MB")
	}
}

// writeSubmission runs the lab's solution over the source and saves what it prints.
func writeSubmission(b *testing.B, g *Grader, lab *labs.Lab, source, dir string) []string {
	solution, err := lab.Solution()
	if err != nil {
		b.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	var files []string
	for i := range lab.Steps {
		step := &lab.Steps[i]
		if step.Kind == labs.KindReport {
			numbers, err := g.Numbers(context.Background(), step)
			if err != nil {
				b.Fatal(err)
			}
			text := "{"
			for i, n := range numbers {
				if i > 0 {
					text += ","
				}
				text += fmt.Sprintf("%q: %d", n.Name, n.Value)
			}
			if err := os.WriteFile(filepath.Join(dir, step.File), []byte(text+"}\n"), 0o644); err != nil {
				b.Fatal(err)
			}
			continue
		}
		text, err := fs.ReadFile(solution, step.SQL)
		if err != nil {
			b.Fatal(err)
		}
		name := filepath.Join(dir, step.Out)
		out, err := os.Create(name)
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, name)
		w := &diskFiles{source: source, home: lab.Folder, dir: dir, made: &files}
		_ = client.New(client.Options{Out: out, Echo: client.EchoClient, Files: w}).RunFile(string(text)) // refusals are wanted
		if err := out.Close(); err != nil {
			b.Fatal(err)
		}
	}
	return files
}

// diskFiles writes sinks to disk.
type diskFiles struct {
	clientRun
	source, home, dir string
	made              *[]string
}

func (d *diskFiles) Open(string) (fs.File, error) { return os.Open(d.source) }
func (d *diskFiles) Create(p string) (io.WriteCloser, error) {
	rel, err := filepath.Rel(d.home, p)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(d.dir, rel)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, err
	}
	*d.made = append(*d.made, name)
	return os.Create(name)
}

// sha256sum takes the time of the tool over the files.
func sha256sum(b *testing.B, files []string) time.Duration {
	tool, err := exec.LookPath("sha256sum")
	if err != nil {
		b.Skip("there is no sha256sum to compare with")
	}
	begin := time.Now()
	if out, err := exec.Command(tool, files...).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return time.Since(begin)
}

// watchMemory samples the memory that the process has from the system, less what it
// gave back; the largest sample comes when stop is closed.
func watchMemory(stop <-chan struct{}) <-chan uint64 {
	out := make(chan uint64, 1)
	go func() {
		var peak uint64
		var m runtime.MemStats
		for {
			runtime.ReadMemStats(&m)
			peak = max(peak, m.Sys-m.HeapReleased)
			select {
			case <-stop:
				out <- peak
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	return out
}

// BenchmarkLab grades the lab's own solution again and again, as a class does.
func BenchmarkLab(b *testing.B) {
	lab := dynamicLab(b)
	solution, err := lab.Solution()
	if err != nil {
		b.Fatal(err)
	}
	g := shippedGrader(lab)
	for range b.N {
		if _, err := g.Check(context.Background(), solution, nil); err != nil {
			b.Fatal(err)
		}
	}
}
