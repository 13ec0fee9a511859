package handin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/internal/intake"
)

// maxCopies bounds the CSV files at the top of a submission that are read: a check looks
// whether a wrong output was made from one of them, never takes one for the truth.
const maxCopies = 3

// Content is what a submission holds of what the lab asks for.
type Content struct {
	// FS has these files. Its errors are *intake.Problem values.
	FS fs.FS
	// Digest is "sha256:" and the hash of the names and contents of these files. It does
	// not depend on the folder or archive that they came in.
	Digest string
	// Bytes is their size.
	Bytes int64
	// Notes say how the files were found.
	Notes []string

	files map[string][]byte
	close func()
}

// File is the content of a small file, nil when it is not there, cannot be read, or the
// submission is too large to be held in memory.
func (c *Content) File(name string) []byte { return c.files[name] }

// Names lists the files, sorted.
func (c *Content) Names() []string {
	var out []string
	for n := range c.files {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// Close frees what the content holds.
func (c *Content) Close() { c.close() }

// Open reads the submission: into memory while it has at most memory bytes, else only to
// compute its digest. The error says why the whole submission cannot be graded; a single
// file that cannot be read is a matter for the checks.
func (s *Submission) Open(memory int64) (*Content, *intake.Problem) {
	at, p := s.settle()
	if p != nil {
		return nil, p
	}
	l := &loader{fsys: at.dir.fs(), limits: s.set.limits.one, memory: memory, mem: newMemFS()}
	if p := l.load(s.set.want); p != nil {
		at.close()
		return nil, p
	}
	c := &Content{Digest: l.digest(), Bytes: l.bytes, Notes: at.notes, close: at.close}
	if l.tooLarge {
		c.FS = guardedFS{at.dir.fs(), s.set.limits.one}
		return c, nil
	}
	c.FS, c.files = l.mem, l.mem.data()
	at.close()
	c.close = func() {}
	return c, nil
}

// loader reads the files of a submission.
type loader struct {
	fsys     fs.FS
	limits   intake.Limits
	memory   int64
	mem      *memFS
	lines    []string
	bytes    int64
	count    int
	tooLarge bool
}

func (l *loader) load(w *Want) *intake.Problem {
	for _, f := range w.Files {
		if p := l.file(f); p != nil {
			return p
		}
	}
	for _, f := range w.Folders {
		if p := l.folder(f, 0); p != nil {
			return p
		}
	}
	return l.copies()
}

// digest hashes the list of files, which is sorted so that the order of reading is not seen.
func (l *loader) digest() string {
	slices.Sort(l.lines)
	sum := sha256.Sum256([]byte(strings.Join(l.lines, "\n")))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// file reads a file. What is wrong with it alone stays with it.
func (l *loader) file(name string) *intake.Problem {
	if l.mem.has(name) {
		return nil
	}
	f, err := l.fsys.Open(name)
	if err != nil {
		l.refused(name, err)
		return nil
	}
	defer f.Close()
	i, err := f.Stat()
	if err != nil {
		l.refused(name, err)
		return nil
	}
	if i.IsDir() {
		l.refused(name, &intake.Problem{Code: intake.NotRegular, Path: name, Reason: "this is a folder, not a file", Hint: "put a plain file there"})
		return nil
	}
	if p := l.counted(name); p != nil {
		return p
	}
	if l.bytes+i.Size() > l.memory {
		l.tooLarge = true
	}
	h := sha256.New()
	r := intake.Reader(f, name, l.limits)
	var keep bytes.Buffer
	var n int64
	if l.tooLarge {
		n, err = io.Copy(h, r)
	} else {
		keep.Grow(int(min(i.Size(), l.memory)) + bytes.MinRead)
		n, err = keep.ReadFrom(io.LimitReader(r, l.memory-l.bytes+1))
		h.Write(keep.Bytes())
		if err == nil && n > l.memory-l.bytes {
			// It grew while it was read, or its size was a lie.
			l.tooLarge = true
			var rest int64
			rest, err = io.Copy(h, r)
			n += rest
		}
	}
	l.bytes += n
	if max := l.limits.TotalBytes; max > 0 && l.bytes > max {
		return &intake.Problem{Code: intake.TooLarge, Path: name, Reason: fmt.Sprintf("the files have more than %d bytes together", max)}
	}
	if err != nil {
		l.refused(name, err)
		return nil
	}
	if !l.tooLarge {
		l.mem.put(name, keep.Bytes(), 0)
	}
	l.lines = append(l.lines, name+"\x00"+hex.EncodeToString(h.Sum(nil)))
	return nil
}

// refused remembers why a file cannot be read. A missing one leaves no trace.
func (l *loader) refused(name string, err error) {
	p := asProblem(name, err)
	if p.Code == intake.Missing {
		return
	}
	l.mem.refuse(name, p)
	// The reason is shown to the learner, so that equal digests must mean equal reasons.
	l.lines = append(l.lines, fmt.Sprintf("%s\x00!%s %d %s", name, p.Code, p.Line, p.Reason))
}

func (l *loader) counted(name string) *intake.Problem {
	if l.count++; l.limits.Files > 0 && l.count > l.limits.Files {
		return &intake.Problem{Code: intake.TooManyFiles, Path: name, Reason: "there are too many files", Hint: "leave only what the lab asks for"}
	}
	return nil
}

// folder reads all files of a folder and of those in it.
func (l *loader) folder(name string, depth int) *intake.Problem {
	f, err := l.fsys.Open(name)
	if err != nil {
		l.refused(name, err)
		return nil
	}
	i, err := f.Stat()
	f.Close()
	if err != nil {
		l.refused(name, err)
		return nil
	}
	if !i.IsDir() {
		return l.file(name)
	}
	if l.limits.Depth > 0 && depth > l.limits.Depth {
		return &intake.Problem{Code: intake.TooDeep, Path: name, Reason: "folders are nested too deep here"}
	}
	entries, err := fs.ReadDir(l.fsys, name)
	if err != nil {
		l.refused(name, err)
		var p *intake.Problem
		if errors.As(err, &p) && (p.Code == intake.TooManyFiles || p.Code == intake.TooDeep) {
			return p
		}
		return nil
	}
	l.mem.mkdir(name)
	l.lines = append(l.lines, name+"/") // an empty folder is something else than none
	for _, e := range entries {
		full := path.Join(name, e.Name())
		var p *intake.Problem
		switch {
		case e.IsDir():
			if p = l.counted(full); p == nil {
				p = l.folder(full, depth+1)
			}
		case e.Type().IsRegular():
			p = l.file(full)
		default:
			// A link or a pipe among a sink's files is never opened, only named.
			l.mem.put(full, nil, e.Type())
			l.lines = append(l.lines, full+"\x00!"+string(intake.NotRegular))
		}
		if p != nil {
			return p
		}
	}
	return nil
}

// copies reads the CSV files at the top.
func (l *loader) copies() *intake.Problem {
	entries, err := fs.ReadDir(l.fsys, ".")
	if err != nil {
		return nil
	}
	n := 0
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasSuffix(strings.ToLower(e.Name()), ".csv") {
			continue
		}
		if n++; n > maxCopies {
			break
		}
		if p := l.file(e.Name()); p != nil {
			return p
		}
	}
	return nil
}

// guardedFS reads the files of a large submission each time anew, within the limits.
type guardedFS struct {
	fs.FS
	limits intake.Limits
}

func (g guardedFS) Open(name string) (fs.File, error) {
	f, err := g.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if i, err := f.Stat(); err != nil || i.IsDir() {
		return f, err
	}
	return &guardedFile{f, intake.Reader(f, name, g.limits)}, nil
}

type guardedFile struct {
	fs.File
	r io.Reader
}

func (f *guardedFile) Read(p []byte) (int, error) { return f.r.Read(p) }
