package client

import (
	"io"
	"io/fs"
)

// Files is the outside world of tables. Paths are absolute and slash-separated, as
// written in a table's options without the scheme and after mapping.
type Files interface {
	// Open opens a file for reading.
	Open(path string) (fs.File, error)
	// ReadDir lists a folder.
	ReadDir(path string) ([]fs.DirEntry, error)
	// Create makes a file, and the folders above it.
	Create(path string) (io.WriteCloser, error)
	// MkdirAll makes a folder and those above it.
	MkdirAll(path string) error
	// RemoveAll removes a file or a folder with all in it.
	RemoveAll(path string) error
}

// noFiles is a world without files.
type noFiles struct{}

func (noFiles) Open(path string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}
func (noFiles) ReadDir(path string) ([]fs.DirEntry, error) {
	return nil, &fs.PathError{Op: "readdir", Path: path, Err: fs.ErrNotExist}
}
func (noFiles) Create(path string) (io.WriteCloser, error) {
	return nil, &fs.PathError{Op: "create", Path: path, Err: fs.ErrPermission}
}
func (noFiles) MkdirAll(path string) error {
	return &fs.PathError{Op: "mkdir", Path: path, Err: fs.ErrPermission}
}
func (noFiles) RemoveAll(path string) error {
	return &fs.PathError{Op: "remove", Path: path, Err: fs.ErrPermission}
}
