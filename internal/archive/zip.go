package archive

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

	"github.com/labgrade/labgrade/internal/intake"
)

// encryptedFlag is bit 0 of a zip entry's flags.
const encryptedFlag = 1

func (a *Archive) readZip(r io.ReaderAt, size int64) error {
	z, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return damaged(a.name, err)
	}
	var packed, unpacked uint64
	for _, f := range z.File {
		if p := a.tooMany(); p != nil {
			return p
		}
		packed += min(f.CompressedSize64, math.MaxUint64/4)
		unpacked += min(f.UncompressedSize64, math.MaxUint64/4)
		if packed > math.MaxUint64/4 || unpacked > math.MaxUint64/4 {
			return a.bomb("its entries claim sizes that no archive has")
		}
	}
	// Entries that share their packed data are the trick of the largest bombs.
	if packed > uint64(size) {
		return a.bomb("its entries overlap")
	}
	if max := a.limits.TotalBytes; max > 0 && unpacked > uint64(max) {
		return a.bomb(fmt.Sprintf("its %d bytes become %d; at most %d are read", size, unpacked, max))
	}
	for _, f := range z.File {
		a.add(f.Name, f.FileInfo().IsDir(), int64(f.UncompressedSize64), f.Open, a.wrongZip(f))
	}
	return nil
}

// wrongZip says what is wrong with an entry, nil for nothing.
func (a *Archive) wrongZip(f *zip.File) *intake.Problem {
	switch m := f.Mode(); {
	case m&fs.ModeSymlink != 0:
		return link(f.Name)
	case !m.IsRegular() && !m.IsDir():
		return &intake.Problem{Code: intake.LinkInside, Path: show(f.Name), Reason: "the archive has an entry that is no file and no folder"}
	case f.Flags&encryptedFlag != 0:
		return &intake.Problem{Code: intake.Encrypted, Path: show(f.Name), Reason: "the archive has a password", Hint: "pack it without one"}
	}
	if f.UncompressedSize64 > ratioFloor && a.limits.Ratio > 0 && f.UncompressedSize64/uint64(a.limits.Ratio) > f.CompressedSize64 {
		return &intake.Problem{Code: intake.Bomb, Path: show(f.Name), Reason: fmt.Sprintf("%d packed bytes become %d", f.CompressedSize64, f.UncompressedSize64)}
	}
	return nil
}

func (a *Archive) bomb(reason string) *intake.Problem {
	return &intake.Problem{Code: intake.Bomb, Path: a.name, Reason: "the archive is refused: " + reason}
}

func link(name string) *intake.Problem {
	return &intake.Problem{Code: intake.LinkInside, Path: show(name), Reason: "the archive has a link; links are not followed", Hint: "pack the file itself"}
}
