package labs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Wrong is a submission that a lab keeps, with the findings that it must get.
// Only what differs from the solution is stored.
type Wrong struct {
	Name string
	// Says is the mistake in words.
	Says string
	// Codes are exactly the codes above note level that checking must find.
	Codes []string
	// FS is the whole submission.
	FS fs.FS
}

// expectation is expect.yaml.
type expectation struct {
	Says  string   `yaml:"says"`
	Codes []string `yaml:"codes"`
	// Remove lists files of the solution that the submission does not have.
	Remove []string `yaml:"remove"`
}

// expectFile stands in each folder of a wrong submission.
const expectFile = "expect.yaml"

// Solution is the lab's right submission.
func (l *Lab) Solution() (fs.FS, error) {
	if _, err := fs.Stat(l.FS, "solution"); err != nil {
		return nil, fmt.Errorf("the lab %s has no solution: %w", l.ID, err)
	}
	return fs.Sub(l.FS, "solution")
}

// Wrongs loads the wrong submissions of the lab, by name.
func (l *Lab) Wrongs() ([]Wrong, error) { return l.overlays("wrong") }

// Rights loads other right submissions of the lab, by name: they must get no finding
// above the level of a note, so that their Codes are empty.
func (l *Lab) Rights() ([]Wrong, error) { return l.overlays("right") }

func (l *Lab) overlays(root string) ([]Wrong, error) {
	entries, err := fs.ReadDir(l.FS, root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	solution, err := l.Solution()
	if err != nil {
		return nil, err
	}
	var out []Wrong
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		dir := path.Join(root, e.Name())
		text, err := fs.ReadFile(l.FS, path.Join(dir, expectFile))
		if err != nil {
			return nil, err
		}
		var x expectation
		dec := yaml.NewDecoder(bytes.NewReader(text))
		dec.KnownFields(true)
		if err := dec.Decode(&x); err != nil {
			return nil, fmt.Errorf("%s/%s: %w", dir, expectFile, err)
		}
		if (root == "right") != (len(x.Codes) == 0) {
			return nil, fmt.Errorf("%s/%s: a wrong submission has codes, a right one has none", dir, expectFile)
		}
		upper, err := fs.Sub(l.FS, dir)
		if err != nil {
			return nil, err
		}
		out = append(out, Wrong{Name: e.Name(), Says: x.Says, Codes: x.Codes, FS: &overlay{upper, solution, x.Remove}})
	}
	return out, nil
}

// overlay is the solution with some files replaced or removed. A folder of the upper
// part replaces the whole folder of the lower one.
type overlay struct {
	upper, lower fs.FS
	removed      []string
}

// part says which part holds a name; nil for neither.
func (o *overlay) part(name string) fs.FS {
	first, _, _ := strings.Cut(name, "/")
	if slices.Contains(o.removed, first) || slices.Contains(o.removed, name) || name == expectFile {
		return nil
	}
	if i, err := fs.Stat(o.upper, first); err == nil && (i.IsDir() || first == name) {
		return o.upper
	}
	return o.lower
}

func (o *overlay) Open(name string) (fs.File, error) {
	p := o.part(name)
	if name == "." {
		p = o.lower
	}
	if p == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return p.Open(name)
}

func (o *overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	if name != "." {
		p := o.part(name)
		if p == nil {
			return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
		}
		return fs.ReadDir(p, name)
	}
	byName := map[string]fs.DirEntry{}
	for _, p := range []fs.FS{o.lower, o.upper} {
		entries, err := fs.ReadDir(p, ".")
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if o.part(e.Name()) != nil {
				byName[e.Name()] = e
			}
		}
	}
	out := make([]fs.DirEntry, 0, len(byName))
	for _, e := range byName {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}
