//go:build unix

package grade

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/labgrade/labgrade/report"
)

// hostile builds submissions that are made to stop, fool or harm their grader. Most can
// not be kept as files: links, pipes, a sparse terabyte.
type hostile struct {
	name string
	// make changes a right submission in dir.
	make func(dir string) error
	// outcome is that of the whole submission; reason is in its reason or, where the step
	// stream has the fault, in that step's findings.
	outcome report.Outcome
	reason  string
}

func hostiles() []hostile {
	stream := func(f func(name string) error) func(string) error {
		return func(dir string) error {
			name := filepath.Join(dir, "stream.out")
			old, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if err := os.Remove(name); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, "old"), old, 0o644); err != nil {
				return err
			}
			return f(name)
		}
	}
	text := func(s string) func(string) error {
		return stream(func(name string) error { return os.WriteFile(name, []byte(s), 0o644) })
	}
	edited := func(f func([]byte) []byte) func(string) error {
		return func(dir string) error {
			name := filepath.Join(dir, "stream.out")
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			return os.WriteFile(name, f(b), 0o644)
		}
	}
	return []hostile{
		{"link-out", stream(func(n string) error { return os.Symlink("/etc/passwd", n) }), report.Ungradable, "link"},
		{"link-loop", stream(func(n string) error { return os.Symlink("stream.out", n) }), report.Ungradable, "link"},
		{"link-up", stream(func(n string) error { return os.Symlink("../good/stream.out", n) }), report.Ungradable, "link"},
		{"link-inside", stream(func(n string) error { return os.Symlink("old", n) }), report.Pass, ""},
		{"pipe", stream(func(n string) error { return syscall.Mkfifo(n, 0o644) }), report.Ungradable, "named pipe"},
		{"device", stream(func(n string) error { return os.Symlink("/dev/zero", n) }), report.Ungradable, "link"},
		{"socket", stream(func(n string) error {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: n, Net: "unix"})
			if err != nil {
				return err
			}
			l.SetUnlinkOnClose(false)
			return l.Close()
		}), report.Ungradable, "socket"},
		{"folder", stream(func(n string) error { return os.Mkdir(n, 0o755) }), report.Ungradable, "folder"},
		{"terabyte", stream(func(n string) error {
			if err := os.WriteFile(n, nil, 0o644); err != nil {
				return err
			}
			return os.Truncate(n, 1<<40)
		}), report.Ungradable, "bytes"},
		{"long-line", text(strings.Repeat("x", 3<<20)), report.Ungradable, "line"},
		{"many-lines", text(strings.Repeat("\n", 2<<20)), report.Ungradable, "lines"},
		{"nul", text("a\x00b"), report.Ungradable, "NUL"},
		{"utf-16", edited(func(b []byte) []byte {
			out := []byte{0xff, 0xfe}
			for _, u := range utf16.Encode([]rune(string(b))) {
				out = append(out, byte(u), byte(u>>8))
			}
			return out
		}), report.Pass, ""},
		{"invalid-utf-8", edited(func(b []byte) []byte { return bytes.Replace(b, []byte("u03"), []byte("\xff\xfe3"), 1) }), report.Fail, ""},
		{"million-columns", text("+" + strings.Repeat("-+", 400_000) + "\n|" + strings.Repeat(" |", 400_000) + "\n"), report.Fail, ""},
		{"escapes", edited(func(b []byte) []byte { return bytes.Replace(b, []byte("u03"), []byte("\x1b]0;x\x07\u202e"), 1) }), report.Fail, ""},
		{"deep-json", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "report.json"), []byte(`{"users":`+strings.Repeat("[", 500_000)), 0o644)
		}, report.Fail, ""},
		{"deep-sql", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "stream.sql"), []byte("SELECT "+strings.Repeat("(", 200_000)+"1;"), 0o644)
		}, report.Pass, ""},
		{"many-files", func(dir string) error {
			for i := range 300 {
				if err := os.WriteFile(filepath.Join(dir, "changelog", fmt.Sprintf("x%d", i)), nil, 0o644); err != nil {
					return err
				}
			}
			return nil
		}, report.Ungradable, "too many files"},
		{"deep-folders", func(dir string) error {
			return os.MkdirAll(filepath.Join(dir, "changelog", strings.Repeat("d/", 40)), 0o755)
		}, report.Ungradable, "nested too deep"},
	}
}

// TestHostileClass grades them all in one class, with a right submission among them: each
// ends in its outcome, within the bounds, and the right one is right.
func TestHostileClass(t *testing.T) {
	dir, err := os.MkdirTemp("", "h") // short: the name of a socket has at most 100 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	right := os.DirFS(recorded + "right-120/submission")
	put(t, filepath.Join(dir, "good"), right, nil)
	want := map[string]hostile{"good": {outcome: report.Pass}, "bomb": {outcome: report.Ungradable, reason: "packed bytes become"}}
	for _, h := range hostiles() {
		d := filepath.Join(dir, h.name)
		put(t, d, right, nil)
		if err := h.make(d); err != nil {
			t.Fatal(h.name, err)
		}
		want[h.name] = h
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	f, err := z.Create("stream.out")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(f, zeros{}, 20<<20); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bomb.zip"), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	o := options(t)
	o.Limits.FileBytes, o.Limits.LineBytes, o.Limits.Lines, o.Limits.Files = 64<<20, 2<<20, 1<<20, 200
	begin := time.Now()
	res := runClass(t, o, dir)
	if d := time.Since(begin); d > 30*time.Second {
		t.Errorf("it took %s", d)
	}
	if len(res.Submissions) != len(want) {
		t.Errorf("%d submissions, want %d", len(res.Submissions), len(want))
	}
	for _, s := range res.Submissions {
		w, ok := want[s.ID]
		if !ok || s.Outcome != w.outcome {
			t.Errorf("%s: outcome %s, want %s (%s)", s.ID, s.Outcome, w.outcome, s.Reason)
		}
		said := s.Reason
		for _, c := range s.Checks {
			for _, f := range c.Findings {
				said += " " + f.Message
			}
		}
		if !strings.Contains(said, w.reason) {
			t.Errorf("%s: it says %q, want %q", s.ID, said, w.reason)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
