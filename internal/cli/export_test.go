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
)

// TestExportGradescope unpacks the zip as Gradescope does and lets its scripts grade: a
// right submission, one in a folder of its own, and an empty one.
func TestExportGradescope(t *testing.T) {
	if testing.Short() {
		t.Skip("builds labgrade")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "labgrade")
	build := exec.Command("go", "build", "-o", binary, "../../cmd/labgrade")
	build.Env = append(build.Environ(), "CGO_ENABLED=0", "GOARCH=amd64")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := filepath.Join(dir, "autograder.zip")
	export := func() []byte {
		var out, errs bytes.Buffer
		if code := Main([]string{"export", "gradescope", "dynamic", "-o", file, "--binary", binary}, Streams{In: &bytes.Buffer{}, Out: &out, Err: &errs, Getenv: os.Getenv}); code != ExitOK {
			t.Fatalf("exit %d, %s", code, errs.String())
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if !bytes.Equal(export(), export()) {
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
