package handin

import (
	"errors"
	"io"
	"io/fs"
	"path"

	"github.com/labgrade/labgrade/internal/archive"
	"github.com/labgrade/labgrade/internal/intake"
)

// dir is a folder of submissions, or of one submission, wherever it lies.
type dir interface {
	// entries are sorted by name and without what systems leave behind.
	entries() ([]fs.DirEntry, error)
	// sub opens a folder as that of one submission.
	sub(name string) (dir, error)
	// raw opens a file of any kind.
	raw(name string) (*rawFile, error)
	fs() fs.FS
	// problem is what makes it unsafe to grade anything of this folder.
	problem() *intake.Problem
	close()
}

// rawFile is an open file that can be read anywhere.
type rawFile struct {
	io.ReaderAt
	size  int64
	close func()
}

// limits are those of one submission and of the archives that it comes in.
type limits struct {
	one  intake.Limits
	many intake.Limits // of folders of submissions
	pack archive.Limits
}

func newLimits(one intake.Limits) limits {
	many := one
	many.Files, many.TotalBytes, many.FileBytes = archive.DefaultLimits().Files, 0, 0
	pack := archive.DefaultLimits()
	pack.FileBytes, pack.TotalBytes, pack.Files, pack.Depth = one.FileBytes, one.TotalBytes, one.Files, one.Depth
	return limits{one: one, many: many, pack: pack}
}

// diskDir is a folder of the disk.
type diskDir struct {
	f *intake.Folder
	l *limits
	// unused is the number of entries that were passed over.
	unused *int
}

func openDisk(name string, one bool, l *limits) (*diskDir, error) {
	lim := l.many
	if one {
		lim = l.one
	}
	f, err := intake.Open(name, lim)
	if err != nil {
		return nil, err
	}
	return &diskDir{f, l, new(int)}, nil
}

func (d *diskDir) entries() ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(d.f.FS(), ".")
	if err != nil {
		return nil, err
	}
	out := make([]fs.DirEntry, 0, len(all))
	for _, e := range all {
		if archive.Junk(e.Name()) {
			*d.unused++
			continue
		}
		if e.Type()&fs.ModeSymlink != 0 {
			// What a link leads to, as far as it stays inside; else the link itself.
			if i, err := fs.Stat(d.f.FS(), e.Name()); err == nil && i.IsDir() {
				e = fs.FileInfoToDirEntry(renamed{i, e.Name()})
			}
		}
		out = append(out, e)
	}
	return out, nil
}

type renamed struct {
	fs.FileInfo
	name string
}

func (r renamed) Name() string { return r.name }

func (d *diskDir) sub(name string) (dir, error) {
	f, err := d.f.Sub(name, d.l.one)
	if err != nil {
		return nil, err
	}
	return &diskDir{f, d.l, new(int)}, nil
}

func (d *diskDir) raw(name string) (*rawFile, error) {
	f, err := d.f.OpenRaw(name)
	if err != nil {
		return nil, err
	}
	i, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &rawFile{f, i.Size(), func() { f.Close() }}, nil
}

func (d *diskDir) fs() fs.FS                { return d.f.FS() }
func (d *diskDir) problem() *intake.Problem { return nil }
func (d *diskDir) close()                   { d.f.Close() }

// packDir is a folder of an archive.
type packDir struct {
	a   *archive.Archive
	at  string
	l   *limits
	own *rawFile // of the whole archive, nil for a folder that shares it
}

// openPack opens an archive and takes over the file.
func openPack(name string, r *rawFile, pack archive.Limits, l *limits) (*packDir, error) {
	a, err := archive.Open(name, r, r.size, pack)
	if err != nil {
		r.close()
		return nil, err
	}
	return &packDir{a: a, at: ".", l: l, own: r}, nil
}

func (d *packDir) entries() ([]fs.DirEntry, error) { return fs.ReadDir(d.a.FS(), d.at) }

func (d *packDir) sub(name string) (dir, error) {
	at := path.Join(d.at, name)
	i, err := fs.Stat(d.a.FS(), at)
	if err != nil {
		return nil, err
	}
	if !i.IsDir() {
		return nil, &intake.Problem{Code: intake.NotAFolder, Path: name, Reason: "this is a file, not a folder"}
	}
	return &packDir{a: d.a, at: at, l: d.l}, nil
}

func (d *packDir) raw(name string) (*rawFile, error) {
	f, err := d.a.FS().Open(path.Join(d.at, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := archive.Spool(f, d.l.one.FileBytes, d.l.pack.MemoryBytes)
	if err != nil {
		var p *intake.Problem
		if errors.As(err, &p) {
			return nil, p
		}
		return nil, &intake.Problem{Code: intake.TooLarge, Path: name, Reason: "the archive in the archive cannot be unpacked: " + err.Error(), Err: err}
	}
	return &rawFile{s, s.Size(), func() { s.Close() }}, nil
}

func (d *packDir) fs() fs.FS {
	if d.at == "." {
		return d.a.FS()
	}
	sub, err := fs.Sub(d.a.FS(), d.at)
	if err != nil {
		return d.a.FS()
	}
	return sub
}

func (d *packDir) problem() *intake.Problem { return d.a.Problem(d.at) }

func (d *packDir) close() {
	if d.own != nil {
		d.a.Close()
		d.own.close()
	}
}

// flatDir is the files of one person in a folder that holds the files of all: a platform
// has put the person's name before the names of the files.
type flatDir struct {
	in    dir
	names map[string]string // the file's own name to the name in the folder
	order []string
}

func (d *flatDir) entries() ([]fs.DirEntry, error) {
	var out []fs.DirEntry
	for _, name := range d.order {
		i, err := fs.Stat(d.in.fs(), d.names[name])
		if err != nil {
			return nil, err
		}
		out = append(out, fs.FileInfoToDirEntry(renamed{i, name}))
	}
	return out, nil
}

func (d *flatDir) sub(name string) (dir, error) {
	return nil, &intake.Problem{Code: intake.Missing, Path: name, Reason: "there is no such folder", Err: fs.ErrNotExist}
}

func (d *flatDir) raw(name string) (*rawFile, error) { return d.in.raw(d.names[name]) }
func (d *flatDir) fs() fs.FS                         { return flatFS{d} }
func (d *flatDir) problem() *intake.Problem          { return nil }
func (d *flatDir) close()                            {}

type flatFS struct{ d *flatDir }

func (f flatFS) Open(name string) (fs.File, error) {
	real, ok := f.d.names[name]
	if !ok {
		return nil, &intake.Problem{Code: intake.Missing, Path: name, Reason: "there is no such file", Err: fs.ErrNotExist}
	}
	return f.d.in.fs().Open(real)
}

func (f flatFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if name != "." {
		return nil, &intake.Problem{Code: intake.Missing, Path: name, Reason: "there is no such folder", Err: fs.ErrNotExist}
	}
	return f.d.entries()
}
