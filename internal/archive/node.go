package archive

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labgrade/labgrade/internal/intake"
)

// node is a file or folder of an archive.
type node struct {
	name     string
	folder   bool
	size     int64
	open     func() (io.ReadCloser, error)
	children map[string]*node
	sorted   []*node
	// explicit: the archive has an entry for it, not only for something below it.
	explicit bool
	problems []*intake.Problem
}

func newFolder(name string) *node {
	return &node{name: name, folder: true, children: map[string]*node{}}
}

// add puts an entry into the tree. What is wrong with it becomes a problem of the deepest
// folder of its name that is safe.
func (a *Archive) add(name string, folder bool, size int64, open func() (io.ReadCloser, error), wrong *intake.Problem) {
	parts, bad := split(name)
	for _, p := range parts {
		if Junk(p) {
			a.junk++
			return
		}
	}
	n := a.root
	if bad != nil {
		for _, p := range parts {
			n = n.child(p, true)
			if !n.folder {
				break
			}
		}
		n.problems = append(n.problems, bad)
		return
	}
	if len(parts) == 0 {
		return // the archive's own folder
	}
	if a.limits.Depth > 0 && len(parts) > a.limits.Depth {
		for _, p := range parts[:a.limits.Depth] {
			n = n.child(p, true)
		}
		n.problems = append(n.problems, &intake.Problem{Code: intake.TooDeep, Path: show(name), Reason: "folders are nested too deep here"})
		return
	}
	for _, p := range parts[:len(parts)-1] {
		n = n.child(p, true)
		if !n.folder {
			n.problems = append(n.problems, &intake.Problem{Code: intake.DuplicateName, Path: path.Join(parts...), Reason: "the archive has a file and a folder of one name"})
			return
		}
	}
	last := parts[len(parts)-1]
	if wrong != nil {
		n.problems = append(n.problems, wrong)
		return
	}
	old := n.children[last]
	leaf := n.child(last, folder)
	switch {
	case leaf.folder != folder:
		n.problems = append(n.problems, &intake.Problem{Code: intake.DuplicateName, Path: path.Join(parts...), Reason: "the archive has a file and a folder of one name"})
	case old != nil && old.explicit && !folder:
		n.problems = append(n.problems, &intake.Problem{Code: intake.DuplicateName, Path: path.Join(parts...), Reason: "the archive has two files of this name; which is meant cannot be told", Hint: "pack the folder again, into a new archive"})
	}
	leaf.explicit = true
	if !leaf.folder {
		leaf.size, leaf.open = size, open
	}
}

// child finds or makes a child.
func (n *node) child(name string, folder bool) *node {
	c := n.children[name]
	if c == nil {
		c = &node{name: name, folder: folder}
		if folder {
			c.children = map[string]*node{}
		}
		n.children[name] = c
	}
	return c
}

// finish sorts the tree and finds names that differ in case alone: on many systems they
// would be one file, so which one is meant cannot be told.
func (n *node) finish() {
	seen := map[string]string{}
	for _, c := range n.children {
		n.sorted = append(n.sorted, c)
	}
	slices.SortFunc(n.sorted, func(a, b *node) int { return strings.Compare(a.name, b.name) })
	for _, c := range n.sorted {
		fold := strings.ToLower(c.name)
		if first, ok := seen[fold]; ok {
			p := &intake.Problem{Code: intake.DuplicateName, Path: c.name, Reason: fmt.Sprintf("the names %s and %s differ in upper and lower case alone; which is meant cannot be told", first, c.name), Hint: "keep one of the two"}
			n.problems = append(n.problems, p)
		}
		seen[fold] = c.name
		if c.folder {
			c.finish()
		}
	}
}

func (n *node) firstProblem() *intake.Problem {
	if len(n.problems) > 0 {
		return n.problems[0]
	}
	for _, c := range n.sorted {
		if p := c.firstProblem(); p != nil {
			return p
		}
	}
	return nil
}

func (n *node) find(name string) *node {
	if name == "." {
		return n
	}
	for _, p := range strings.Split(name, "/") {
		if n = n.children[p]; n == nil {
			return nil
		}
	}
	return n
}

// split takes a name apart. With a problem the parts are those before the first that is
// unsafe. Old tools of Windows write backslashes, which are taken for slashes.
func split(name string) ([]string, *intake.Problem) {
	unsafe := func(reason string) *intake.Problem {
		return &intake.Problem{Code: intake.UnsafeName, Path: show(name), Reason: reason, Hint: "pack the folder again, from inside"}
	}
	s := strings.ReplaceAll(name, `\`, "/")
	if strings.HasPrefix(s, "/") || len(s) > 1 && s[1] == ':' {
		return nil, unsafe("the archive has an absolute path")
	}
	var parts []string
	for _, p := range strings.Split(s, "/") {
		switch {
		case p == "" || p == ".":
		case p == "..":
			return parts, unsafe("the archive has a path that leads out of it")
		case strings.ContainsFunc(p, func(r rune) bool { return r < 0x20 || r == 0x7f }):
			return parts, unsafe("the archive has a name with control characters")
		default:
			parts = append(parts, validUTF8(p))
		}
	}
	return parts, nil
}

// validUTF8 writes bytes of another encoding as %XX, since names of files must be UTF-8.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, "%%%02X", s[i])
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// show bounds a name for messages.
func show(name string) string {
	name = validUTF8(name)
	if len(name) <= 200 {
		return name
	}
	return strings.ToValidUTF8(name[:200], "") + "..."
}

// archiveFS implements fs.FS, fs.ReadDirFS and fs.StatFS.
type archiveFS struct{ a *Archive }

func (f archiveFS) node(op, name string) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	n := f.a.root.find(name)
	if n == nil {
		return nil, &intake.Problem{Code: intake.Missing, Path: name, Reason: "there is no such file", Err: fs.ErrNotExist}
	}
	return n, nil
}

func (f archiveFS) Open(name string) (fs.File, error) {
	n, err := f.node("open", name)
	if err != nil {
		return nil, err
	}
	if n.folder {
		return &openFolder{node: n}, nil
	}
	if max := f.a.limits.FileBytes; max > 0 && n.size > max {
		return nil, &intake.Problem{Code: intake.TooLarge, Path: name, Reason: fmt.Sprintf("the file has %d bytes; at most %d are read", n.size, max), Hint: "raise --max-bytes if it is meant"}
	}
	r, err := n.open()
	if err != nil {
		return nil, damaged(name, err)
	}
	return &openFile{node: n, r: r, path: name}, nil
}

func (f archiveFS) Stat(name string) (fs.FileInfo, error) {
	n, err := f.node("stat", name)
	if err != nil {
		return nil, err
	}
	return info{n}, nil
}

func (f archiveFS) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := f.node("readdir", name)
	if err != nil {
		return nil, err
	}
	if !n.folder {
		return nil, &intake.Problem{Code: intake.NotAFolder, Path: name, Reason: "this is a file, not a folder"}
	}
	return n.entries(), nil
}

func (n *node) entries() []fs.DirEntry {
	out := make([]fs.DirEntry, len(n.sorted))
	for i, c := range n.sorted {
		out[i] = fs.FileInfoToDirEntry(info{c})
	}
	return out
}

type openFile struct {
	node *node
	r    io.ReadCloser
	path string
	read int64
}

func (f *openFile) Stat() (fs.FileInfo, error) { return info{f.node}, nil }
func (f *openFile) Close() error               { return f.r.Close() }

// Read ends with a problem where the entry holds more than it said, or is damaged.
func (f *openFile) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if f.read += int64(n); f.read > f.node.size {
		return 0, &intake.Problem{Code: intake.Bomb, Path: f.path, Reason: "the entry holds more than the archive says"}
	}
	if err != nil && err != io.EOF {
		err = damaged(f.path, err)
	}
	return n, err
}

type openFolder struct {
	node *node
	at   int
}

func (f *openFolder) Stat() (fs.FileInfo, error) { return info{f.node}, nil }
func (f *openFolder) Close() error               { return nil }
func (f *openFolder) Read([]byte) (int, error) {
	return 0, &intake.Problem{Code: intake.NotRegular, Path: f.node.name, Reason: "this is a folder, not a file"}
}

func (f *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := f.node.entries()[f.at:]
	if n > 0 {
		if len(rest) == 0 {
			return nil, io.EOF
		}
		rest = rest[:min(n, len(rest))]
	}
	f.at += len(rest)
	return rest, nil
}

type info struct{ n *node }

func (i info) Name() string       { return i.n.name }
func (i info) Size() int64        { return i.n.size }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.n.folder }
func (i info) Sys() any           { return nil }
func (i info) Mode() fs.FileMode {
	if i.n.folder {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// damaged explains an error of unpacking.
func damaged(name string, err error) *intake.Problem {
	return &intake.Problem{Code: intake.Damaged, Path: name, Reason: "the archive is damaged: " + err.Error(), Hint: "pack the folder again", Err: err}
}
