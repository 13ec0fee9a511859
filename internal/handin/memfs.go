package handin

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/labgrade/labgrade/internal/intake"
)

// memFS is a small submission in memory.
type memFS struct{ nodes map[string]*memNode }

// memNode is a file, a folder, or the reason why there is neither.
type memNode struct {
	name     string
	mode     fs.FileMode
	data     []byte
	problem  *intake.Problem
	children []*memNode
}

func newMemFS() *memFS {
	return &memFS{map[string]*memNode{".": {name: ".", mode: fs.ModeDir | 0o555}}}
}

func (m *memFS) has(name string) bool { return m.nodes[name] != nil }

func (m *memFS) put(name string, data []byte, mode fs.FileMode) {
	m.add(name, &memNode{data: data, mode: mode | 0o444})
}

func (m *memFS) refuse(name string, p *intake.Problem) {
	m.add(name, &memNode{problem: p, mode: 0o444})
}

func (m *memFS) mkdir(name string) *memNode {
	if n := m.nodes[name]; n != nil {
		return n
	}
	return m.add(name, &memNode{mode: fs.ModeDir | 0o555})
}

func (m *memFS) add(name string, n *memNode) *memNode {
	n.name = path.Base(name)
	m.nodes[name] = n
	parent := m.mkdir(path.Dir(name))
	parent.children = append(parent.children, n)
	return n
}

// data is the content of all files.
func (m *memFS) data() map[string][]byte {
	out := map[string][]byte{}
	for name, n := range m.nodes {
		if n.problem == nil && n.mode&fs.ModeDir == 0 {
			out[name] = n.data
		}
	}
	return out
}

func (m *memFS) find(op, name string) (*memNode, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	n := m.nodes[name]
	switch {
	case n == nil:
		return nil, &intake.Problem{Code: intake.Missing, Path: name, Reason: "there is no such file", Err: fs.ErrNotExist}
	case n.problem != nil:
		return nil, n.problem
	}
	return n, nil
}

// Open implements fs.FS.
func (m *memFS) Open(name string) (fs.File, error) {
	n, err := m.find("open", name)
	if err != nil {
		return nil, err
	}
	return &memFile{Reader: bytes.NewReader(n.data), n: n}, nil
}

// Stat implements fs.StatFS.
func (m *memFS) Stat(name string) (fs.FileInfo, error) {
	n, err := m.find("stat", name)
	if err != nil {
		return nil, err
	}
	return memInfo{n}, nil
}

// ReadDir implements fs.ReadDirFS.
func (m *memFS) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := m.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if n.mode&fs.ModeDir == 0 {
		return nil, &intake.Problem{Code: intake.NotAFolder, Path: name, Reason: "this is a file, not a folder"}
	}
	return n.entries(), nil
}

func (n *memNode) entries() []fs.DirEntry {
	out := make([]fs.DirEntry, len(n.children))
	for i, c := range n.children {
		out[i] = fs.FileInfoToDirEntry(memInfo{c})
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}

type memFile struct {
	*bytes.Reader
	n  *memNode
	at int
}

func (f *memFile) Close() error               { return nil }
func (f *memFile) Stat() (fs.FileInfo, error) { return memInfo{f.n}, nil }

func (f *memFile) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := f.n.entries()
	rest = rest[min(f.at, len(rest)):]
	if n > 0 {
		if len(rest) == 0 {
			return nil, io.EOF
		}
		rest = rest[:min(n, len(rest))]
	}
	f.at += len(rest)
	return rest, nil
}

type memInfo struct{ n *memNode }

func (i memInfo) Name() string       { return i.n.name }
func (i memInfo) Size() int64        { return int64(len(i.n.data)) }
func (i memInfo) Mode() fs.FileMode  { return i.n.mode }
func (i memInfo) ModTime() time.Time { return time.Time{} }
func (i memInfo) IsDir() bool        { return i.n.mode.IsDir() }
func (i memInfo) Sys() any           { return nil }
