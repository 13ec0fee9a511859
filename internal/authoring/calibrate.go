package authoring

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

// Calibrate grades outputs that were recorded on a real Flink over the given data, and
// says step by step how far they agree with what the lab expects. Steps whose outputs were
// not recorded are left out; it is an error if that is all of them.
func Calibrate(ctx context.Context, lab *labs.Lab, open checks.Source, recorded fs.FS) (*labs.Lock, []report.Check, error) {
	lock := &labs.Lock{Lab: lab.Digest, Flink: lab.Flink}
	for i := range lab.Tables {
		f, err := open(lab.Tables[i].Name)
		if err != nil {
			return nil, nil, err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return nil, nil, err
		}
		lock.Data = append(lock.Data, labs.LockedFile{Name: lab.Tables[i].File, Digest: "sha256:" + hex.EncodeToString(h.Sum(nil))})
	}
	var only []string
	for i := range lab.Steps {
		s := &lab.Steps[i]
		files, err := recordedFiles(recorded, s)
		if err != nil {
			return nil, nil, err
		}
		if len(files) == 0 {
			continue
		}
		only = append(only, s.ID)
		lock.Steps = append(lock.Steps, labs.LockedStep{ID: s.ID, Files: files})
	}
	if len(only) == 0 {
		return nil, nil, fmt.Errorf("there is no output of any step of the lab %s in this folder", lab.ID)
	}
	got, err := checks.New(lab, open, checks.Reference()).CheckFor(ctx, recorded, only, checks.Viewer{Staff: true})
	if err != nil {
		return nil, nil, err
	}
	for _, c := range got {
		at := slices.IndexFunc(lock.Steps, func(s labs.LockedStep) bool { return s.ID == c.ID })
		if at < 0 {
			continue
		}
		s := &lock.Steps[at]
		s.Agrees = c.Outcome == report.Pass && !heavy(&c)
		if !s.Agrees {
			s.Why = codesOf([]report.Check{c})
		}
	}
	return lock, got, nil
}

// recordedFiles are the outputs of a step that are there, with their digests. A step
// whose SQL is judged has no output of its own: a real run of it is judged elsewhere.
func recordedFiles(recorded fs.FS, s *labs.Step) ([]labs.LockedFile, error) {
	if s.Judge == labs.JudgeSQL || s.Kind == labs.KindFacts {
		return nil, nil
	}
	var out []labs.LockedFile
	add := func(name string) error {
		b, err := fs.ReadFile(recorded, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		sum := sha256.Sum256(b)
		out = append(out, labs.LockedFile{Name: name, Digest: "sha256:" + hex.EncodeToString(sum[:])})
		return nil
	}
	for _, name := range []string{s.Out, s.File} {
		if name == "" {
			continue
		}
		if err := add(name); err != nil {
			return nil, err
		}
	}
	if s.Folder == "" {
		return out, nil
	}
	err := fs.WalkDir(recorded, s.Folder, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return fs.SkipAll
		}
		if err != nil || d.IsDir() {
			return err
		}
		if base := d.Name(); strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
			return nil
		}
		return add(name)
	})
	return out, err
}
