package labs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"go.yaml.in/yaml/v3"
)

// LockName is the name of the file with the agreement with a real Flink.
const LockName = "lab.lock"

// Lock says how far a lab's expectations agree with outputs recorded on a real Flink.
type Lock struct {
	// Lab is the digest of the lab and its data that was compared.
	Lab string `yaml:"lab"`
	// Flink is the version that the outputs were recorded on, Date when they were
	// compared (a day, UTC), Tool the version of labgrade.
	Flink string       `yaml:"flink"`
	Date  string       `yaml:"date"`
	Tool  string       `yaml:"tool"`
	Data  []LockedFile `yaml:"data"`
	Steps []LockedStep `yaml:"steps"`
}

// LockedStep is the agreement of one step.
type LockedStep struct {
	ID string `yaml:"id"`
	// Agrees: the recorded outputs are right by the lab's own check.
	Agrees bool `yaml:"agrees"`
	// Why names the finding codes where they do not agree.
	Why   []string     `yaml:"why,omitempty"`
	Files []LockedFile `yaml:"files,omitempty"`
}

// LockedFile is a file and its digest.
type LockedFile struct {
	Name   string `yaml:"name"`
	Digest string `yaml:"digest"`
}

// Text is the file.
func (l *Lock) Text() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# Agreement with outputs of a real Flink, written by: labgrade lab calibrate\n")
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(l); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}

// Lock reads the lab's lock; nil without one.
func (l *Lab) Lock() (*Lock, error) {
	text, err := fs.ReadFile(l.FS, LockName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out Lock
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&out); err != nil {
		return nil, fmt.Errorf("%s: %w", LockName, err)
	}
	return &out, nil
}

// Stale reports that the lab or its data have changed since the lock was written.
func (l *Lock) Stale(lab *Lab) bool { return l.Lab != lab.Digest }
