//go:build linux

package cli

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/labgrade/labgrade/labs"
)

// TestExportGradescope unpacks the zip as Gradescope does and lets its scripts grade: a
// right submission, one in a folder of its own, and an empty one.
func TestExportGradescope(t *testing.T) {
	dir := t.TempDir()
	// This test's own program is labgrade when it is called so (TestMain).
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	lab, err := labs.Open("dynamic")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "autograder.zip")
	var b bytes.Buffer
	if err := writeGradescope(&b, lab, program); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	var one, two bytes.Buffer
	for _, w := range []*bytes.Buffer{&one, &two} {
		if err := writeGradescope(w, lab, []byte("a program")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("the zip is another each time")
	}
	top := filepath.Join(dir, "autograder")
	names := unpack(t, file, filepath.Join(top, "source"))
	if want := []string{"lab/data/dynamic_clicks.csv", "lab/lab.yaml", "labgrade", "run_autograder", "setup.sh"}; !slices.Equal(names, want) {
		t.Errorf("the zip holds %v", names)
	}
	for _, script := range []string{"setup.sh", "run_autograder"} {
		if out, err := exec.Command("bash", "-n", filepath.Join(top, "source", script)).CombinedOutput(); err != nil {
			t.Errorf("%s: %v %s", script, err, out)
		}
	}
	grade := func(name, submission string) (*gradescopeScore, error) {
		os.RemoveAll(filepath.Join(top, "submission"))
		target := filepath.Join(top, "submission", name)
		if err := os.MkdirAll(target, 0o755); err != nil {
			t.Fatal(err)
		}
		if submission != "" {
			if err := os.CopyFS(target, os.DirFS(submission)); err != nil {
				t.Fatal(err)
			}
		}
		run := exec.Command(filepath.Join(top, "source", "run_autograder"))
		run.Env = append(os.Environ(), "AUTOGRADER="+top)
		if out, err := run.CombinedOutput(); err != nil {
			t.Logf("%s", out)
			return nil, err
		}
		b, err := os.ReadFile(filepath.Join(top, "results", "results.json"))
		if err != nil {
			return nil, err
		}
		var g gradescopeScore
		return &g, json.Unmarshal(b, &g)
	}
	for _, c := range []struct {
		name, folder, submission string
		score                    float64
	}{
		{"right", ".", rightSubmission, 8},
		{"in a folder", "my work", rightSubmission, 8},
		{"empty", ".", "", 0},
	} {
		g, err := grade(c.folder, c.submission)
		if err != nil || g.Score != c.score || len(g.Tests) != 8 {
			t.Errorf("%s: %+v, %v", c.name, g, err)
		}
	}
	// A lab that is broken is no zero for the learner.
	if err := os.WriteFile(filepath.Join(top, "source", "lab", "lab.yaml"), []byte("lab: x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if g, err := grade(".", rightSubmission); err == nil {
		t.Errorf("a broken lab gives %+v", g)
	}
}

type gradescopeScore struct {
	Score float64
	Tests []struct{ Name string }
}

// unpack unpacks a zip and lists its files.
func unpack(t *testing.T, file, dir string) []string {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
		p := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, b, f.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(names)
	return names
}

func TestExportRefusesOtherPrograms(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"export gradescope dynamic -o x.zip --binary export_test.go", "is no program for Linux on amd64"},
		{"export gradescope dynamic -o x.zip --binary nowhere", "cannot be read"},
		{"export gradescope dynamic", "-o FILE.zip"},
		{"export gradescope", "the lab's name"},
	} {
		var out, errs bytes.Buffer
		code := Main(strings.Fields(c.args), Streams{In: &bytes.Buffer{}, Out: &out, Err: &errs, Getenv: func(string) string { return "" }})
		if code != ExitUsage || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s: exit %d, %s", c.args, code, errs.String())
		}
	}
}

// TestExportTakesStaticPrograms: the head of a program for Linux on amd64 that asks for no
// loader is enough, one for another machine is not.
func TestExportTakesStaticPrograms(t *testing.T) {
	head := make([]byte, 64)
	copy(head, "\x7fELF\x02\x01\x01")
	head[16], head[18], head[20], head[52], head[54] = 2, 62, 1, 64, 56 // ET_EXEC, EM_X86_64, EV_CURRENT, sizes
	for _, c := range []struct {
		machine byte
		code    int
	}{{62, ExitOK}, {183, ExitUsage}} {
		head[18] = c.machine
		dir := t.TempDir()
		program := filepath.Join(dir, "labgrade")
		if err := os.WriteFile(program, head, 0o755); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		code := Main([]string{"export", "gradescope", "dynamic", "-o", filepath.Join(dir, "a.zip"), "--binary", program}, Streams{In: &bytes.Buffer{}, Out: &out, Err: &errs, Getenv: func(string) string { return "" }})
		if code != c.code {
			t.Errorf("machine %d: exit %d, %s", c.machine, code, errs.String())
		}
	}
}
