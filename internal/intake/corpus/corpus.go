// Package corpus builds hostile submissions for tests: what cannot be stored in a
// repository (pipes, devices, links out, sparse terabytes, bombs, names that no system
// should write). Each says what must become of it. It is no part of labgrade itself.
package corpus

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Outcome is what must become of a submission.
type Outcome string

// The outcomes. Refused: the whole submission, or the step, cannot be graded, and a reason
// is given. Wrong: it is graded and wrong. Right: it is strange but right.
const (
	Right   Outcome = "right"
	Wrong   Outcome = "wrong"
	Refused Outcome = "refused"
)

// Folder is a hostile folder. It begins as a copy of a right submission.
type Folder struct {
	Name string
	// Step is the step that the harm is done to.
	Step string
	// Harm changes the folder dir. An error that says "not here" (ErrNotHere) skips the case.
	Harm func(dir string) error
	Want Outcome
	// Why must be in what is said about it; empty for anything.
	Why string
}

// Archive is a hostile archive of one submission.
type Archive struct {
	// Name is the file's name.
	Name  string
	Build func(right fs.FS) ([]byte, error)
	Want  Outcome
	Why   string
}

// ErrNotHere: the system or its user cannot make this.
type ErrNotHere struct{ Err error }

func (e ErrNotHere) Error() string { return "not here: " + e.Err.Error() }

// Copy copies a submission into dir.
func Copy(dir string, right fs.FS) error { return os.CopyFS(dir, right) }

// in is a path in dir whose old content is gone.
func in(dir, name string) (string, error) {
	p := filepath.Join(dir, filepath.FromSlash(name))
	return p, os.RemoveAll(p)
}

// replace writes a file in the place of another.
func replace(name string, data func() []byte) func(dir string) error {
	return func(dir string) error {
		p, err := in(dir, name)
		if err != nil {
			return err
		}
		return os.WriteFile(p, data(), 0o644)
	}
}

// change edits a file.
func change(name string, edit func([]byte) []byte) func(dir string) error {
	return func(dir string) error {
		p := filepath.Join(dir, filepath.FromSlash(name))
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		return os.WriteFile(p, edit(b), 0o644)
	}
}
