package intake

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
)

// Folder is a submission's folder. Nothing outside it can be reached through it.
type Folder struct {
	root   *os.Root
	dir    string
	limits Limits

	mu      sync.Mutex
	bytes   int64 // read so far from all files
	entries int
}

// Open opens the folder dir; dir itself may be a link. The error is a *Problem.
func Open(dir string, l Limits) (*Folder, error) {
	i, err := os.Stat(dir)
	if err != nil {
		p := systemProblem(dir, err)
		if p.Code == Missing {
			p.Reason = "there is no such folder"
		}
		return nil, p
	}
	if !i.IsDir() {
		return nil, &Problem{Code: NotAFolder, Path: dir, Reason: "this is a file, not a folder"}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, systemProblem(dir, err)
	}
	return &Folder{root: root, dir: dir, limits: l}, nil
}

// Close releases the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Dir is the folder's name as given to Open.
func (f *Folder) Dir() string { return f.dir }

// stat finds what name is, following links inside the folder only.
func (f *Folder) stat(name string) (fs.FileInfo, *Problem) {
	i, err := f.root.Lstat(name)
	if err != nil {
		return nil, f.problem(name, err)
	}
	if i.Mode()&fs.ModeSymlink == 0 {
		return i, nil
	}
	if i, err = f.root.Stat(name); err != nil {
		return nil, &Problem{Code: LinkOut, Path: name, Reason: "this is a link that leads out of the folder or to nothing", Hint: "put the file itself into the folder", Err: err}
	}
	return i, nil
}

// problem explains an error; a link out in the middle of a path shows as "path escapes".
func (f *Folder) problem(name string, err error) *Problem {
	if strings.Contains(err.Error(), "escapes from parent") {
		return &Problem{Code: LinkOut, Path: name, Reason: "this path leads out of the folder", Hint: "put the file itself into the folder", Err: err}
	}
	return systemProblem(name, err)
}

// Open opens a regular file; name is relative, with slashes. The error is a *Problem.
// Reading gives a *Problem as well when a limit is passed.
func (f *Folder) Open(name string) (*File, error) {
	if !fs.ValidPath(name) {
		return nil, &Problem{Code: LinkOut, Path: name, Reason: "this is no path inside the folder"}
	}
	i, p := f.stat(name)
	if p != nil {
		return nil, p
	}
	if p := notRegular(name, i.Mode()); p != nil {
		return nil, p
	}
	// A pipe put there since would block an ordinary open for ever.
	file, err := f.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, f.problem(name, err)
	}
	j, err := file.Stat()
	if err == nil && !os.SameFile(i, j) {
		err = errors.New("the file was exchanged while it was opened")
	}
	if err != nil {
		file.Close()
		return nil, systemProblem(name, err)
	}
	if p := f.limits.tooLarge(name, j.Size()); p != nil {
		file.Close()
		return nil, p
	}
	return &File{f: file, guard: guard{r: file, name: name, limits: f.limits, folder: f}, info: j}, nil
}

// OpenRaw opens a regular file of any kind, such as an archive: only its size is bounded.
// The error is a *Problem.
func (f *Folder) OpenRaw(name string) (*os.File, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	return file.f, nil
}

// Sub opens a folder inside the folder, with limits of its own. A link is followed only
// when it stays inside. The error is a *Problem.
func (f *Folder) Sub(name string, l Limits) (*Folder, error) {
	i, p := f.stat(name)
	if p != nil {
		return nil, p
	}
	if !i.IsDir() {
		return nil, &Problem{Code: NotAFolder, Path: name, Reason: "this is a file, not a folder"}
	}
	root, err := f.root.OpenRoot(name)
	if err != nil {
		return nil, f.problem(name, err)
	}
	return &Folder{root: root, dir: path.Join(f.dir, name), limits: l}, nil
}

// Exists reports whether there is anything of that name.
func (f *Folder) Exists(name string) bool {
	_, err := f.root.Lstat(name)
	return err == nil
}

// FS is the folder as a file system for packages that read several files. Its errors
// are *Problem values.
func (f *Folder) FS() fs.FS { return folderFS{f} }

type folderFS struct{ f *Folder }

// Open implements fs.FS.
func (s folderFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	i, p := s.f.stat(name)
	if p != nil {
		return nil, p
	}
	if !i.IsDir() {
		return s.f.Open(name)
	}
	d, err := s.f.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, s.f.problem(name, err)
	}
	return &dirFile{File: d, f: s.f, name: name}, nil
}

// dirFile is an open folder inside the folder.
type dirFile struct {
	*os.File
	f    *Folder
	name string
}

// Read says that a folder is no file.
func (d *dirFile) Read([]byte) (int, error) { return 0, notRegular(d.name, fs.ModeDir) }

// ReadDir implements fs.ReadDirFile and counts entries.
func (d *dirFile) ReadDir(n int) ([]fs.DirEntry, error) {
	if max := d.f.limits.Depth; max > 0 && d.name != "." && strings.Count(path.Clean(d.name), "/")+1 > max {
		return nil, &Problem{Code: TooDeep, Path: d.name, Reason: "folders are nested too deep here"}
	}
	chunk := n
	if max := d.f.limits.Files; max > 0 && n <= 0 {
		chunk = max + 1 // never the names of a million files at once
	}
	var all []fs.DirEntry
	for {
		e, err := d.File.ReadDir(chunk)
		all = append(all, e...)
		d.f.mu.Lock()
		d.f.entries += len(e)
		count := d.f.entries
		d.f.mu.Unlock()
		if max := d.f.limits.Files; max > 0 && count > max {
			return nil, &Problem{Code: TooManyFiles, Path: d.name, Reason: "there are too many files", Hint: "leave only what the lab asks for"}
		}
		if n > 0 || err != nil || chunk <= 0 {
			if n <= 0 && errors.Is(err, io.EOF) {
				err = nil
			}
			return all, err
		}
	}
}
