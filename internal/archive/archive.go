// Package archive reads zip and tar archives (plain or gzip) as file systems. An archive
// is hostile until proven otherwise: nothing is ever unpacked onto the disk under a name
// that the archive chose, and names, links, sizes and counts are judged before anything is
// read. What is wrong with one entry is a problem at its folder, so that it touches the
// one submission that it belongs to and no other.
//
// Errors and problems are *intake.Problem values.
package archive

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/labgrade/labgrade/internal/intake"
)

// Limits bound an archive. A limit of 0 does not bound.
type Limits struct {
	// FileBytes bounds one entry, TotalBytes all entries, both unpacked.
	FileBytes, TotalBytes int64
	// Files bounds the entries, Depth folders in folders.
	Files, Depth int
	// Ratio bounds how many bytes one packed byte may become. Text of a lab is packed to a
	// twentieth; only what is larger than ratioFloor unpacked is judged by it.
	Ratio int64
	// MemoryBytes is what unpacked archives may hold in memory; what is larger goes into a
	// temporary file without a name.
	MemoryBytes int64
}

const ratioFloor = 16 << 20

// DefaultLimits are the limits of an archive of submissions; a single submission has
// those of intake as well.
func DefaultLimits() Limits {
	return Limits{FileBytes: 1 << 30, TotalBytes: 16 << 30, Files: 1_000_000, Depth: 32, Ratio: 200, MemoryBytes: 8 << 20}
}

// Format is a kind of archive.
type Format string

// The formats that are read.
const (
	None Format = ""
	Zip  Format = "zip"
	Tar  Format = "tar"
	Gzip Format = "gzip"
)

// HeadBytes is how much of a file Sniff wants to see.
const HeadBytes = 512

// Sniff tells the format by the first bytes of a file, whatever its name says. The second
// result names a format that is not read ("rar"); the first is None then.
func Sniff(head []byte) (f Format, unread string) {
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return Zip, ""
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return Gzip, ""
	case len(head) >= 262 && string(head[257:262]) == "ustar":
		return Tar, ""
	}
	for _, x := range []struct{ magic, name string }{
		{"Rar!\x1a\x07", "rar"}, {"7z\xbc\xaf\x27\x1c", "7z"}, {"\xfd7zXZ\x00", "xz"}, {"BZh", "bzip2"}, {"\x28\xb5\x2f\xfd", "zstd"},
	} {
		if bytes.HasPrefix(head, []byte(x.magic)) {
			return None, x.name
		}
	}
	return None, ""
}

// HasArchiveName reports whether a file name says that it is an archive, read here or not.
func HasArchiveName(name string) bool { return TrimExt(name) != name }

// TrimExt is the name without the endings of archives.
func TrimExt(name string) string {
	lower := strings.ToLower(name)
	for _, ext := range []string{".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tgz", ".tbz2", ".txz", ".zip", ".tar", ".rar", ".7z"} {
		if len(name) > len(ext) && strings.HasSuffix(lower, ext) {
			return name[:len(name)-len(ext)]
		}
	}
	return name
}

// Archive is an open archive.
type Archive struct {
	name   string
	limits Limits
	root   *node
	count  int
	junk   int
	// release frees what was unpacked on the way.
	release func() error
}

// Open reads the directory of an archive, which r must keep available. The error says
// that the whole archive cannot be read.
func Open(name string, r io.ReaderAt, size int64, l Limits) (*Archive, error) {
	head := make([]byte, min(size, HeadBytes))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, &intake.Problem{Code: intake.Unreadable, Path: name, Reason: "it cannot be read: " + err.Error(), Err: err}
	}
	a := &Archive{name: name, limits: l, root: newFolder("."), release: func() error { return nil }}
	format, unread := Sniff(head)
	var err error
	switch {
	case format == Zip:
		err = a.readZip(r, size)
	case format == Tar:
		err = a.readTar(r, size)
	case format == Gzip:
		err = a.readGzip(r, size)
	case unread != "":
		err = &intake.Problem{Code: intake.NoArchive, Path: name, Reason: unread + " archives are not read", Hint: "hand it in as a .zip or a .tar.gz"}
	case size == 0:
		err = &intake.Problem{Code: intake.Damaged, Path: name, Reason: "the file is empty"}
	default:
		err = &intake.Problem{Code: intake.NoArchive, Path: name, Reason: "this is no zip and no tar archive", Hint: "hand it in as a .zip or a .tar.gz"}
	}
	if err != nil {
		a.Close()
		return nil, err
	}
	a.root.finish()
	return a, nil
}

// Close releases temporary files. The underlying reader is the caller's.
func (a *Archive) Close() error { return a.release() }

// Junk is the number of entries that were passed over (Junk).
func (a *Archive) Junk() int { return a.junk }

// Problem is what makes the folder dir of the archive unsafe to grade, at or below it; nil
// without anything. Entries are looked at in the order of their names.
func (a *Archive) Problem(dir string) *intake.Problem {
	n := a.root.find(dir)
	if n == nil {
		return nil
	}
	return n.firstProblem()
}

// Loose lists what is wrong with entries that lie in no folder: names that lead out of the
// archive from its top.
func (a *Archive) Loose() []*intake.Problem { return a.root.problems }

// FS is the archive as a file system.
func (a *Archive) FS() fs.FS { return archiveFS{a} }

// Junk reports names that systems leave behind: __MACOSX, ._x, .DS_Store, Thumbs.db,
// desktop.ini. They are nobody's work.
func Junk(name string) bool {
	switch strings.ToLower(name) {
	case "__macosx", ".ds_store", "thumbs.db", "desktop.ini", ".appledouble", ".spotlight-v100", ".trashes":
		return true
	}
	return strings.HasPrefix(name, "._")
}

// tooMany bounds the entries.
func (a *Archive) tooMany() *intake.Problem {
	if a.count++; a.limits.Files > 0 && a.count > a.limits.Files {
		return &intake.Problem{Code: intake.TooManyFiles, Path: a.name, Reason: fmt.Sprintf("the archive has more than %d entries", a.limits.Files), Hint: "leave only what the lab asks for"}
	}
	return nil
}
