package reference

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
)

// Overlay reads below and keeps what is written in memory, where it can be read again: by
// later statements and by Written.
func Overlay(below Files) *Memory {
	return &Memory{below: below, files: map[string]*bytes.Buffer{}, dirs: map[string]bool{}}
}

// Memory is the file system of Overlay.
type Memory struct {
	below Files
	files map[string]*bytes.Buffer
	// dirs are folders that were made; a batch sink leaves an empty one.
	dirs map[string]bool
	gone []string
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
	if m.isDir(p) {
		return &memoryFile{Reader: bytes.NewReader(nil), info: memoryInfo{path.Base(p), 0, true}}, nil
	}
	if m.removed(p) {
		return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
	}
	return m.below.Open(p)
}

// isDir tells whether p was made as a folder or holds written files.
func (m *Memory) isDir(p string) bool {
	if m.dirs[p] {
		return true
	}
	for w := range m.files {
		if under(w, p) {
			return true
		}
	}
	return false
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
		name, _, isDir := strings.Cut(rest, "/")
		seen[name] = fs.FileInfoToDirEntry(memoryInfo{name, int64(b.Len()), isDir})
	}
	if len(seen) == 0 && !m.dirs[p] {
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

// MkdirAll makes a folder.
func (m *Memory) MkdirAll(p string) error {
	m.dirs[path.Clean(p)] = true
	return nil
}

// RemoveAll hides what is below and drops what was written.
func (m *Memory) RemoveAll(p string) error {
	p = path.Clean(p)
	for w := range m.files {
		if under(w, p) {
			delete(m.files, w)
		}
	}
	for d := range m.dirs {
		if under(d, p) {
			delete(m.dirs, d)
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
