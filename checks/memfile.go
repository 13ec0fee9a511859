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
