// Package intake reads submissions, which are hostile until proven otherwise: only
// regular files inside the folder are opened, and sizes, lines and numbers of files
// are bounded. What is refused is a *Problem with a reason for people; it makes a
// submission ungradable, never wrong.
package intake

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Limits bound what is read. A limit of 0 does not bound.
type Limits struct {
	// FileBytes and TotalBytes bound one file and all files of a folder.
	FileBytes, TotalBytes int64
	// Lines bounds the lines of a file, LineBytes the bytes of a line.
	Lines, LineBytes int64
	// Files bounds the entries of all folders read, Depth folders in folders.
	Files, Depth int
}

// DefaultLimits let through far more than a large lab makes: the log of 1,000,000
// clicks has 2,000,000 lines and 130 MB.
func DefaultLimits() Limits {
	return Limits{FileBytes: 1 << 30, TotalBytes: 4 << 30, Lines: 50_000_000, LineBytes: 16 << 20, Files: 10_000, Depth: 16}
}

// Code names a kind of problem.
type Code string

// The problems.
const (
	Missing      Code = "missing"        // there is no such file
	NotRegular   Code = "not-regular"    // a pipe, device, socket or folder in a file's place
	NotAFolder   Code = "not-a-folder"   // a file in a folder's place
	LinkOut      Code = "link-out"       // a link that leads out of the folder, or nowhere
	Unreadable   Code = "unreadable"     // no permission, or a fault of the disk
	TooLarge     Code = "too-large"      // over FileBytes or TotalBytes
	TooManyLines Code = "too-many-lines" // over Lines
	LongLine     Code = "long-line"      // over LineBytes
	TooManyFiles Code = "too-many-files" // over Files
	TooDeep      Code = "too-deep"       // over Depth
	NULBytes     Code = "nul-bytes"      // no text: NUL bytes

	// Of archives.
	NoArchive     Code = "no-archive"     // not an archive that is read here
	Damaged       Code = "damaged"        // an archive that is cut off or broken
	Encrypted     Code = "encrypted"      // an archive with a password
	UnsafeName    Code = "unsafe-name"    // a name that leads out of the archive
	DuplicateName Code = "duplicate-name" // two entries of one name, or that differ in case alone
	LinkInside    Code = "link-inside"    // a link, pipe or device in an archive
	Bomb          Code = "bomb"           // a little data that become very much
	TooNested     Code = "too-nested"     // archives in archives in archives
	TimeOut       Code = "time-out"       // grading took longer than it may
	OutOfMemory   Code = "out-of-memory"  // grading needed more memory than it may
)

// Problem says why something cannot be read.
type Problem struct {
	Code Code
	// Path is the name as the submission has it: make it safe before showing it.
	Path string
	// Line is 0 when the whole file is meant.
	Line   int64
	Reason string
	Hint   string
	Err    error
}

// Error is "path:line: reason".
func (p *Problem) Error() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Reason)
	}
	return p.Path + ": " + p.Reason
}

// Unwrap returns the system's own error.
func (p *Problem) Unwrap() error { return p.Err }

// Refused tells those who do not know this package whether simply nothing is there, and
// otherwise why it cannot be read.
func (p *Problem) Refused() (missing bool, reason string) { return p.Code == Missing, p.Reason }

// IsMissing reports that the file is simply not there.
func IsMissing(err error) bool {
	var p *Problem
	return errors.As(err, &p) && p.Code == Missing
}

// systemProblem explains an error of the operating system.
func systemProblem(path string, err error) *Problem {
	var known *Problem
	if errors.As(err, &known) {
		return known // of another reader below
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Problem{Code: Missing, Path: path, Reason: "there is no such file", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &Problem{Code: Unreadable, Path: path, Reason: "permission denied", Hint: "make the file readable: chmod u+r", Err: err}
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return &Problem{Code: Unreadable, Path: path, Reason: pe.Err.Error(), Err: err}
	}
	return &Problem{Code: Unreadable, Path: path, Reason: err.Error(), Err: err}
}

// notRegular explains what stands in a file's place; nil for a regular file.
func notRegular(path string, m fs.FileMode) *Problem {
	if m.IsRegular() {
		return nil
	}
	p := &Problem{Code: NotRegular, Path: path, Hint: "put a plain file there"}
	switch {
	case m.IsDir():
		p.Reason = "this is a folder, not a file"
	case m&os.ModeNamedPipe != 0:
		p.Reason = "this is a named pipe, not a file"
	case m&os.ModeSocket != 0:
		p.Reason = "this is a socket, not a file"
	case m&os.ModeDevice != 0:
		p.Reason = "this is a device, not a file"
	default:
		p.Reason = "this is no regular file"
	}
	return p
}
