//go:build unix

package intake

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func code(err error) Code {
	var p *Problem
	if errors.As(err, &p) {
		return p.Code
	}
	if err != nil {
		return Code("plain error: " + err.Error())
	}
	return ""
}

// submission makes a folder with one of everything.
func submission(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sub")
	outside := filepath.Join(filepath.Dir(dir), "secret.txt")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(dir, "folder.out"), 0o755))
	must(os.MkdirAll(filepath.Join(dir, "changelog", "deep"), 0o755))
	must(os.WriteFile(outside, []byte("secret"), 0o644))
	must(os.WriteFile(filepath.Join(dir, "stream.out"), []byte("a\nb\n"), 0o644))
	must(os.WriteFile(filepath.Join(dir, "changelog", "part"), []byte("x\n"), 0o644))
	must(os.WriteFile(filepath.Join(dir, "nul.out"), []byte("a\nb\x00c"), 0o644))
	must(os.WriteFile(filepath.Join(dir, "utf16.out"), []byte("\xff\xfea\x00\n\x00"), 0o644))
	must(os.Symlink("stream.out", filepath.Join(dir, "inside.out")))
	must(os.Symlink(outside, filepath.Join(dir, "absolute.out")))
	must(os.Symlink("../secret.txt", filepath.Join(dir, "out.out")))
	must(os.Symlink("..", filepath.Join(dir, "up")))
	must(os.Symlink("loop.out", filepath.Join(dir, "loop.out")))
	must(os.Symlink("/dev/zero", filepath.Join(dir, "zero.out")))
	must(syscall.Mkfifo(filepath.Join(dir, "fifo.out"), 0o644))
	l, err := net.Listen("unix", filepath.Join(dir, "socket.out"))
	if err != nil {
		t.Log("no socket:", err)
	} else {
		t.Cleanup(func() { l.Close() })
	}
	return dir
}

func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Fatal("it hangs")
	}
}

func TestFolderOpen(t *testing.T) {
	dir := submission(t)
	f, err := Open(dir, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, c := range []struct {
		name string
		code Code
		text string
	}{
		{"stream.out", "", "a\nb\n"},
		{"inside.out", "", "a\nb\n"},
		{"changelog/part", "", "x\n"},
		{"utf16.out", "", "\xff\xfea\x00\n\x00"},
		{"none.out", Missing, ""},
		{"folder.out", NotRegular, ""},
		{"fifo.out", NotRegular, ""},
		{"socket.out", NotRegular, ""},
		{"absolute.out", LinkOut, ""},
		{"out.out", LinkOut, ""},
		{"up/secret.txt", LinkOut, ""},
		{"loop.out", LinkOut, ""},
		{"zero.out", LinkOut, ""},
		{"../secret.txt", LinkOut, ""},
		{"/etc/passwd", LinkOut, ""},
		{"nul.out", NULBytes, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			within(t, func() {
				g, err := f.Open(c.name)
				var text []byte
				if err == nil {
					text, err = io.ReadAll(g)
					g.Close()
				}
				if code(err) != c.code || err == nil && string(text) != c.text {
					t.Errorf("%q, %v", text, err)
				}
			})
		})
	}
}

func TestFS(t *testing.T) {
	dir := submission(t)
	f, err := Open(dir, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	within(t, func() {
		var names []string
		err := fs.WalkDir(f.FS(), "changelog", func(name string, d fs.DirEntry, err error) error {
			names = append(names, name)
			return err
		})
		if got := strings.Join(names, " "); err != nil || got != "changelog changelog/deep changelog/part" {
			t.Errorf("%s, %v", got, err)
		}
		for _, name := range []string{"up", "fifo.out", "zero.out"} {
			if _, err := f.FS().Open(name); err == nil {
				t.Errorf("%s opens", name)
			}
		}
	})
}

func TestLimits(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("large", strings.Repeat("x\n", 1000))
	write("long", "a\n"+strings.Repeat("y", 600)+"\n")
	if err := os.MkdirAll(filepath.Join(dir, "many", "a", "b", "c"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		write(fmt.Sprintf("many/%d", i), "")
	}
	for _, c := range []struct {
		name   string
		file   string
		limits Limits
		code   Code
		line   int64
	}{
		{"within", "large", Limits{FileBytes: 2000, Lines: 1000, LineBytes: 1}, "", 0},
		{"bytes", "large", Limits{FileBytes: 1999}, TooLarge, 0},
		{"total", "large", Limits{TotalBytes: 1999}, TooLarge, 0},
		{"lines", "large", Limits{Lines: 999}, TooManyLines, 0},
		{"line", "long", Limits{LineBytes: 599}, LongLine, 2},
		{"line that fits", "long", Limits{LineBytes: 600}, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Open(dir, c.limits)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			g, err := f.Open(c.file)
			if err == nil {
				_, err = io.Copy(io.Discard, struct{ io.Reader }{g})
				g.Close()
			}
			if code(err) != c.code {
				t.Errorf("%v", err)
			}
			var p *Problem
			if errors.As(err, &p) && p.Line != c.line {
				t.Errorf("line %d", p.Line)
			}
		})
	}
	for _, c := range []struct {
		name   string
		limits Limits
		code   Code
	}{{"files", Limits{Files: 10}, TooManyFiles}, {"depth", Limits{Depth: 2}, TooDeep}, {"enough", Limits{Files: 20, Depth: 4}, ""}} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Open(dir, c.limits)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			err = fs.WalkDir(f.FS(), "many", func(_ string, _ fs.DirEntry, err error) error { return err })
			if code(err) != c.code {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestOpenFile(t *testing.T) {
	dir := submission(t)
	for _, c := range []struct {
		name string
		code Code
	}{{"stream.out", ""}, {"absolute.out", ""}, {"fifo.out", NotRegular}, {"folder.out", NotRegular}, {"zero.out", NotRegular}, {"none", Missing}} {
		within(t, func() {
			f, err := OpenFile(filepath.Join(dir, c.name), DefaultLimits())
			if code(err) != c.code {
				t.Errorf("%s: %v", c.name, err)
			}
			if err == nil {
				f.Close()
			}
		})
	}
	if _, err := Open(filepath.Join(dir, "stream.out"), Limits{}); code(err) != NotAFolder {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(dir, "nowhere"), Limits{}); !IsMissing(err) {
		t.Error(err)
	}
}

// endless is a line without end; read counts what was taken of it.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.read += int64(len(p))
	return len(p), nil
}

// TestGigabyteLine: of a line of 1 GiB no more is read than may be.
func TestGigabyteLine(t *testing.T) {
	var e endless
	_, err := io.Copy(io.Discard, struct{ io.Reader }{Reader(io.LimitReader(&e, 1<<30), "stream.out", DefaultLimits())})
	if code(err) != LongLine || e.read > DefaultLimits().LineBytes+1<<20 {
		t.Errorf("%v after %d bytes", err, e.read)
	}
}
