package cli

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// osFiles is the machine's file system as tables see it.
type osFiles struct{ maps []pathMap }

// pathMap redirects paths at and below from.
type pathMap struct{ from, to string }

func (f osFiles) real(path string) string {
	for _, m := range f.maps {
		if path == m.from || strings.HasPrefix(path, m.from+"/") {
			return m.to + filepath.FromSlash(path[len(m.from):])
		}
	}
	return filepath.FromSlash(path)
}

func (f osFiles) Open(path string) (fs.File, error)          { return os.Open(f.real(path)) }
func (f osFiles) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(f.real(path)) }
func (f osFiles) MkdirAll(path string) error                 { return os.MkdirAll(f.real(path), 0o777) }
func (f osFiles) RemoveAll(path string) error                { return os.RemoveAll(f.real(path)) }

func (f osFiles) Create(path string) (io.WriteCloser, error) {
	p := f.real(path)
	if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
		return nil, err
	}
	return os.Create(p)
}
