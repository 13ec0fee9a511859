//go:build unix

package handin

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/labgrade/labgrade/internal/intake"
)

// TestHostileFolders: links, pipes and unreadable files on the disk.
func TestHostileFolders(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := onDisk(t, join(work("ann"), work("bo"), work("cy")))
	for _, err := range []error{
		os.Symlink(filepath.Dir(secret), filepath.Join(dir, "out")),
		os.Symlink("nowhere", filepath.Join(dir, "loose")),
		os.Symlink("ann", filepath.Join(dir, "inside")),
		os.Remove(filepath.Join(dir, "bo/a.out")),
		os.Symlink(secret, filepath.Join(dir, "bo/a.out")),
		os.Remove(filepath.Join(dir, "cy/a.out")),
		syscall.Mkfifo(filepath.Join(dir, "cy/a.out"), 0o644),
		syscall.Mkfifo(filepath.Join(dir, "cy/sink/part-2"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]*Submission{}
	for _, s := range find(t, dir).Submissions {
		got[s.ID()] = s
	}
	for _, id := range []string{"out", "loose"} {
		if s := got[id]; s == nil || s.Problem == nil || s.Problem.Code != intake.LinkOut {
			t.Errorf("%s: %+v", id, s)
		}
	}
	code := func(id, file string) intake.Code {
		c, p := got[id].Open(1 << 20)
		if p != nil {
			return p.Code
		}
		defer c.Close()
		_, err := fs.ReadFile(c.FS, file)
		if err == nil {
			return ""
		}
		return asProblem(file, err).Code
	}
	for _, c := range []struct {
		id, file string
		code     intake.Code
	}{
		{"inside", "a.out", ""}, {"ann", "a.out", ""}, {"bo", "a.out", intake.LinkOut}, {"bo", "a.sql", ""},
		{"cy", "a.out", intake.NotRegular}, {"cy", "a.sql", ""}, {"ann", "report.json", intake.Missing},
	} {
		if got := code(c.id, c.file); got != c.code {
			t.Errorf("%s/%s: %q, want %q", c.id, c.file, got, c.code)
		}
	}
	c, p := got["cy"].Open(1 << 20)
	if p != nil {
		t.Fatal(p)
	}
	defer c.Close()
	entries, err := fs.ReadDir(c.FS, "sink")
	if err != nil || len(entries) != 2 || entries[1].Type().IsRegular() {
		t.Errorf("the pipe among the sink's files: %v %v", entries, err)
	}
}
