package checks

import (
	"bytes"
	"io"
	"io/fs"
	"strings"
	"time"
)

// memFile is data in memory as a file.
type memFile struct {
	*bytes.Reader
	size int64
}

// Memory is data in memory as a source file.
func Memory(b []byte) fs.File { return newMemFile(b) }

func newMemFile(b []byte) *memFile { return &memFile{bytes.NewReader(b), int64(len(b))} }

func (f *memFile) Close() error               { return nil }
func (f *memFile) Stat() (fs.FileInfo, error) { return memInfo{f.size}, nil }

type memInfo struct{ size int64 }

func (i memInfo) Name() string       { return "data.csv" }
func (i memInfo) Size() int64        { return i.size }
func (i memInfo) Mode() fs.FileMode  { return 0o444 }
func (i memInfo) ModTime() time.Time { return time.Time{} }
func (i memInfo) IsDir() bool        { return false }
func (i memInfo) Sys() any           { return nil }

// prefixedFile is a file with a text before it.
type prefixedFile struct {
	io.Reader
	f    fs.File
	size int64
}

func newPrefixedFile(text string, f fs.File) (*prefixedFile, error) {
	i, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return &prefixedFile{io.MultiReader(strings.NewReader(text), f), f, i.Size() + int64(len(text))}, nil
}

func (p *prefixedFile) Close() error               { return p.f.Close() }
func (p *prefixedFile) Stat() (fs.FileInfo, error) { return memInfo{p.size}, nil }

// memEntry is a file or folder in memory as an entry of a folder.
type memEntry struct {
	name string
	dir  bool
	size int64
}

func (e memEntry) Name() string { return e.name }
func (e memEntry) IsDir() bool  { return e.dir }
func (e memEntry) Type() fs.FileMode {
	if e.dir {
		return fs.ModeDir
	}
	return 0
}
func (e memEntry) Info() (fs.FileInfo, error) { return entryInfo{e}, nil }

type entryInfo struct{ memEntry }

func (i entryInfo) Size() int64        { return i.size }
func (i entryInfo) Mode() fs.FileMode  { return i.Type() | 0o444 }
func (i entryInfo) ModTime() time.Time { return time.Time{} }
func (i entryInfo) Sys() any           { return nil }

// memDir is an open folder in memory.
type memDir struct {
	list []fs.DirEntry
	name string
}

func (d *memDir) Stat() (fs.FileInfo, error) {
	return entryInfo{memEntry{name: d.name, dir: true}}, nil
}
func (d *memDir) Read([]byte) (int, error) { return 0, fs.ErrInvalid }
func (d *memDir) Close() error             { return nil }

func (d *memDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 || n > len(d.list) {
		n = len(d.list)
	}
	out := d.list[:n]
	d.list = d.list[n:]
	return out, nil
}
