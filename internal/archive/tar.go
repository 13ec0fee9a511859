package archive

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/labgrade/labgrade/internal/intake"
)

// readTar notes where each file lies, so that files can be read in any order without
// holding any of them.
func (a *Archive) readTar(r io.ReaderAt, size int64) error {
	section := io.NewSectionReader(r, 0, size)
	t := tar.NewReader(section)
	var total int64
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return damaged(a.name, err)
		}
		if p := a.tooMany(); p != nil {
			return p
		}
		at, err := section.Seek(0, io.SeekCurrent)
		if err != nil {
			return damaged(a.name, err)
		}
		wrong := wrongTar(h)
		if wrong == nil && h.Typeflag != tar.TypeDir {
			if h.Size < 0 || at+h.Size > size {
				return &intake.Problem{Code: intake.Damaged, Path: a.name, Reason: "the archive is cut off", Hint: "pack the folder again"}
			}
			if total += h.Size; a.limits.TotalBytes > 0 && total > a.limits.TotalBytes {
				return a.bomb(fmt.Sprintf("its files have more than %d bytes", a.limits.TotalBytes))
			}
		}
		length := h.Size
		a.add(h.Name, h.Typeflag == tar.TypeDir, length, func() (io.ReadCloser, error) {
			return io.NopCloser(io.NewSectionReader(r, at, length)), nil
		}, wrong)
	}
}

// wrongTar says what is wrong with an entry, nil for nothing. A sparse file claims
// more than lies in the archive, and no tool makes one of saved text.
func wrongTar(h *tar.Header) *intake.Problem {
	switch h.Typeflag {
	case tar.TypeSymlink, tar.TypeLink:
		return link(h.Name)
	case tar.TypeGNUSparse:
		return sparse(h.Name)
	case tar.TypeReg, tar.TypeDir:
	default:
		return &intake.Problem{Code: intake.LinkInside, Path: show(h.Name), Reason: "the archive has an entry that is no file and no folder"}
	}
	for k := range h.PAXRecords {
		if strings.HasPrefix(k, "GNU.sparse.") {
			return sparse(h.Name)
		}
	}
	return nil
}

func sparse(name string) *intake.Problem {
	return &intake.Problem{Code: intake.Bomb, Path: show(name), Reason: "the archive has a sparse file, which claims more than it holds"}
}

// readGzip unpacks a .tar.gz and reads the tar.
func (a *Archive) readGzip(r io.ReaderAt, size int64) error {
	z, err := gzip.NewReader(io.NewSectionReader(r, 0, size))
	if err != nil {
		return damaged(a.name, err)
	}
	most := a.limits.TotalBytes
	if a.limits.Ratio > 0 {
		if byRatio := max(ratioFloor, size*a.limits.Ratio); most <= 0 || byRatio < most {
			most = byRatio
		}
	}
	s, err := Spool(z, most, a.limits.MemoryBytes)
	var over *overError
	switch {
	case errors.As(err, &over):
		return a.bomb(fmt.Sprintf("its %d bytes become more than %d", size, over.max))
	case err != nil:
		return damaged(a.name, err)
	}
	a.release = s.Close
	head := make([]byte, min(s.Size(), HeadBytes))
	if _, err := s.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return damaged(a.name, err)
	}
	if f, _ := Sniff(head); f != Tar {
		return &intake.Problem{Code: intake.NoArchive, Path: a.name, Reason: "this is a packed file, but no tar archive", Hint: "hand it in as a .zip or a .tar.gz"}
	}
	return a.readTar(s, s.Size())
}
