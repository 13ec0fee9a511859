package handin

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/labgrade/labgrade/internal/archive"
	"github.com/labgrade/labgrade/internal/intake"
)

const (
	// maxNested bounds archives in archives, beyond the one that holds the class.
	maxNested = 3
	// maxSteps bounds the folders and archives between a submission's name and its files.
	maxSteps = 8
)

// settled is where a submission's files lie.
type settled struct {
	dir   dir
	notes []string
	chain []dir // to close, in order of opening
}

func (s *settled) close() {
	for i := len(s.chain) - 1; i >= 0; i-- {
		s.chain[i].close()
	}
}

// settle goes down from a submission's outermost folder to the one with its files: through
// folders that hold nothing but one folder, and archives that hold everything.
func (s *Submission) settle() (*settled, *intake.Problem) {
	if s.Problem != nil {
		return nil, s.Problem
	}
	d, err := s.open()
	if err != nil {
		return nil, asProblem(s.Path, err)
	}
	out := &settled{dir: d, chain: []dir{d}}
	nested := 0
	at := ""
	for range maxSteps {
		if p := out.dir.problem(); p != nil {
			out.close()
			return nil, p
		}
		entries, err := out.dir.entries()
		if err != nil {
			out.close()
			return nil, asProblem(s.Path, err)
		}
		if n := unused(out.dir); n > 0 {
			out.notes = append(out.notes, leftBehind)
		}
		if s.set.isSubmission(entries) {
			return out, nil
		}
		next, isPack, p := s.next(out.dir, entries)
		if p != nil {
			out.close()
			return nil, p
		}
		if next == "" {
			return out, nil
		}
		at = path.Join(at, next)
		var inner dir
		if isPack {
			if nested++; nested > maxNested {
				out.close()
				return nil, &intake.Problem{Code: intake.TooNested, Path: at, Reason: "archives are nested too deep here", Hint: "pack the files themselves"}
			}
			inner, err = s.set.openArchive(out.dir, next, at)
		} else {
			inner, err = out.dir.sub(next)
		}
		if err != nil {
			out.close()
			return nil, asProblem(at, err)
		}
		out.dir, out.chain = inner, append(out.chain, inner)
		out.notes = append(out.notes, "the files lie in "+at)
	}
	out.close()
	return nil, &intake.Problem{Code: intake.TooNested, Path: at, Reason: "folders are nested too deep here"}
}

// next is the one folder or archive in which the files must be; "" when there is none.
func (s *Submission) next(d dir, entries []fs.DirEntry) (name string, isPack bool, p *intake.Problem) {
	var folders, packs []string
	for _, e := range entries {
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			folders = append(folders, e.Name())
		case e.Type().IsRegular() && archive.HasArchiveName(e.Name()):
			packs = append(packs, e.Name())
		}
	}
	if len(folders) == 1 && len(packs) == 0 {
		return folders[0], false, nil
	}
	// Of several folders the only one that looks like a submission.
	found := ""
	for _, f := range folders {
		inner, err := d.sub(f)
		if err != nil {
			continue
		}
		list, err := inner.entries()
		inner.close()
		if err == nil && s.set.isSubmission(list) {
			if found != "" {
				return "", false, &intake.Problem{Code: intake.DuplicateName, Path: s.Path, Reason: fmt.Sprintf("two folders hold a submission, %s and %s; which is meant cannot be told", found, f), Hint: "keep one of the two"}
			}
			found = f
		}
	}
	switch {
	case found != "":
		return found, false, nil
	case len(packs) == 1:
		return packs[0], true, nil
	case len(packs) > 1:
		return "", false, &intake.Problem{Code: intake.DuplicateName, Path: s.Path, Reason: fmt.Sprintf("there are %d archives (%s); which is meant cannot be told", len(packs), some(packs)), Hint: "keep the one that counts"}
	}
	return "", false, nil
}

// unused is the number of entries that were passed over, told once.
func unused(d dir) int {
	switch x := d.(type) {
	case *diskDir:
		n := *x.unused
		*x.unused = 0
		return n
	case *packDir:
		if x.own != nil {
			return x.a.Junk()
		}
	}
	return 0
}

func asProblem(name string, err error) *intake.Problem {
	var p *intake.Problem
	if errors.As(err, &p) {
		return p
	}
	if errors.Is(err, fs.ErrNotExist) {
		return &intake.Problem{Code: intake.Missing, Path: name, Reason: "there is no such file", Err: err}
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &intake.Problem{Code: intake.Unreadable, Path: name, Reason: err.Error(), Err: err}
}
