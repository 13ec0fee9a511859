// Package reference is the engine's face: it runs Flink SQL scripts and tells what Flink
// 2.3 would answer - as the sql-client's text, and as typed events with rows, plans and errors.
//
//	s := reference.NewSession(reference.Options{
//		Files:  reference.ReadOnly(os.DirFS("data"), reference.Mapping{{From: "/opt/lab/fixtures/data", To: "."}}),
//		Events: reference.Events{Row: func(...) error { ... }},
//	})
//	err := s.Run(script, true)
//
// What the engine cannot answer exactly is refused: the error is then an *unsupported.Error
// (see IsUnsupported), never a guess. The package reads no files and asks no clock by itself.
package reference

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/labgrade/labgrade/reference/client"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// The session and what it is made of; see package client.
type (
	Session = client.Session
	Options = client.Options
	Events  = client.Events
	Result  = client.Result
	Files   = client.Files
	Echo    = client.Echo
)

// The kinds of echo.
const (
	EchoFull   = client.EchoFull
	EchoNone   = client.EchoNone
	EchoClient = client.EchoClient
)

// ErrFailed says that a statement failed as it would in Flink.
var ErrFailed = client.ErrFailed

// NewSession begins a session.
func NewSession(o Options) *Session { return client.New(o) }

// IsUnsupported tells a refusal of the engine from an error of Flink's.
func IsUnsupported(err error) bool { return unsupported.Is(err) }

// Mapping redirects paths: one at or below From is read at or below To.
type Mapping []struct{ From, To string }

// Apply maps a path.
func (m Mapping) Apply(p string) string {
	for _, r := range m {
		from := strings.TrimSuffix(r.From, "/")
		if p == from || strings.HasPrefix(p, from+"/") {
			return path.Join(r.To, p[len(from):])
		}
	}
	return p
}

// ReadOnly shows a file system to a session. Absolute paths are taken from its root after
// mapping. What sinks write is dropped.
func ReadOnly(fsys fs.FS, m Mapping) Files { return &readOnly{fsys, m} }

type readOnly struct {
	fsys fs.FS
	m    Mapping
}

func (f *readOnly) name(p string) string {
	p = strings.TrimPrefix(path.Clean(f.m.Apply(p)), "/")
	if p == "" {
		return "."
	}
	return p
}

func (f *readOnly) Open(p string) (fs.File, error)          { return f.fsys.Open(f.name(p)) }
func (f *readOnly) ReadDir(p string) ([]fs.DirEntry, error) { return fs.ReadDir(f.fsys, f.name(p)) }
func (f *readOnly) Create(string) (io.WriteCloser, error)   { return dropped{}, nil }
func (f *readOnly) MkdirAll(string) error                   { return nil }
func (f *readOnly) RemoveAll(string) error                  { return nil }

type dropped struct{}

func (dropped) Write(b []byte) (int, error) { return len(b), nil }
func (dropped) Close() error                { return nil }

// Overlay reads below and keeps what is written in memory, where it can be read again: by
// later statements and by Written.
func Overlay(below Files) *Memory { return &Memory{below: below, files: map[string]*bytes.Buffer{}} }

// Memory is the file system of Overlay.
type Memory struct {
	below Files
	files map[string]*bytes.Buffer
	gone  []string
}

// Written returns the files that were written, by path.
func (m *Memory) Written() map[string][]byte {
	out := make(map[string][]byte, len(m.files))
	for p, b := range m.files {
		out[p] = b.Bytes()
	}
	return out
}

func under(p, dir string) bool {
	return p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}

func (m *Memory) removed(p string) bool {
	for _, g := range m.gone {
		if under(p, g) {
			return true
		}
	}
	return false
}

// Open opens a written file, a folder of written files, or what is below.
func (m *Memory) Open(p string) (fs.File, error) {
	p = path.Clean(p)
	if b, ok := m.files[p]; ok {
		return &memoryFile{Reader: bytes.NewReader(b.Bytes()), info: memoryInfo{path.Base(p), int64(b.Len()), false}}, nil
	}
	for w := range m.files {
		if under(w, p) {
			return &memoryFile{Reader: bytes.NewReader(nil), info: memoryInfo{path.Base(p), 0, true}}, nil
		}
	}
	if m.removed(p) {
		return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
	}
	return m.below.Open(p)
}

// ReadDir lists written files together with what is below.
func (m *Memory) ReadDir(p string) ([]fs.DirEntry, error) {
	p = path.Clean(p)
	seen := map[string]fs.DirEntry{}
	if !m.removed(p) {
		if entries, err := m.below.ReadDir(p); err == nil {
			for _, e := range entries {
				seen[e.Name()] = e
			}
		}
	}
	for w, b := range m.files {
		if !under(w, p) || w == p {
			continue
		}
		rest := strings.TrimPrefix(w[len(p):], "/")
		name, deeper, isDir := strings.Cut(rest, "/")
		_ = deeper
		seen[name] = fs.FileInfoToDirEntry(memoryInfo{name, int64(b.Len()), isDir})
	}
	if len(seen) == 0 {
		return nil, &fs.PathError{Op: "readdir", Path: p, Err: fs.ErrNotExist}
	}
	var out []fs.DirEntry
	for _, e := range seen {
		out = append(out, e)
	}
	return out, nil
}

// Create makes a file in memory.
func (m *Memory) Create(p string) (io.WriteCloser, error) {
	b := &bytes.Buffer{}
	m.files[path.Clean(p)] = b
	return memoryWriter{b}, nil
}

// MkdirAll does nothing: folders are where files are.
func (m *Memory) MkdirAll(string) error { return nil }

// RemoveAll hides what is below and drops what was written.
func (m *Memory) RemoveAll(p string) error {
	p = path.Clean(p)
	for w := range m.files {
		if under(w, p) {
			delete(m.files, w)
		}
	}
	m.gone = append(m.gone, p)
	return nil
}

type memoryWriter struct{ *bytes.Buffer }

func (memoryWriter) Close() error { return nil }

type memoryFile struct {
	*bytes.Reader
	info memoryInfo
}

func (f *memoryFile) Close() error               { return nil }
func (f *memoryFile) Stat() (fs.FileInfo, error) { return f.info, nil }

type memoryInfo struct {
	name string
	size int64
	dir  bool
}

func (i memoryInfo) Name() string       { return i.name }
func (i memoryInfo) Size() int64        { return i.size }
func (i memoryInfo) ModTime() time.Time { return time.Time{} }
func (i memoryInfo) IsDir() bool        { return i.dir }
func (i memoryInfo) Sys() any           { return nil }
func (i memoryInfo) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}
