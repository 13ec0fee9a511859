package handin

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/internal/archive"
	"github.com/labgrade/labgrade/internal/intake"
	"github.com/labgrade/labgrade/internal/roster"
)

// Submission is one submission that was found. It is opened with Open.
type Submission struct {
	// Path is where it was found, with slashes, from the path that was named.
	Path string
	Who  roster.Name
	// Problem says why it cannot be opened at all.
	Problem *intake.Problem
	open    func() (dir, error)
	set     *Set
}

// ID and Name say whose it is by the platform's names alone, without a roster.
func (s *Submission) ID() string   { return id(s.Who) }
func (s *Submission) Name() string { return name(s.Who) }

// Set is all submissions that were found, sorted by path. Close it when all are graded.
type Set struct {
	Submissions []*Submission
	// Notes say what was passed over.
	Notes []string

	want   *Want
	limits limits
	names  patterns
	opened []dir
	passed int
}

// Find looks for submissions at paths of the disk. The error is one of usage: a path that
// is not there. l bounds each submission.
func Find(paths []string, want *Want, l intake.Limits) (*Set, error) {
	s := &Set{want: want, limits: newLimits(l), names: newPatterns()}
	seen := map[string]bool{}
	for _, p := range paths {
		if seen[filepath.Clean(p)] {
			continue
		}
		seen[filepath.Clean(p)] = true
		if err := s.path(p, len(paths) == 1); err != nil {
			s.Close()
			return nil, err
		}
	}
	if s.passed > 0 {
		s.Notes = append(s.Notes, leftBehind)
	}
	slices.Sort(s.Notes)
	slices.SortStableFunc(s.Submissions, func(a, b *Submission) int { return strings.Compare(a.Path, b.Path) })
	return s, nil
}

// leftBehind is the note on junk. It has no number, which depends on the packing.
const leftBehind = "passed over what systems leave behind (__MACOSX, ._*, .DS_Store, ...)"

// Close closes folders and archives of submissions.
func (s *Set) Close() {
	for _, d := range s.opened {
		d.close()
	}
	s.opened = nil
}

func (s *Set) path(p string, only bool) error {
	i, err := os.Stat(p)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", p, err)
	}
	shown := filepath.ToSlash(filepath.Clean(p))
	if i.IsDir() {
		d, err := openDisk(p, false, &s.limits)
		if err != nil {
			s.broken(shown, err)
			return nil
		}
		s.opened = append(s.opened, d)
		s.collect(d, shown, only, func() (dir, error) { return openDisk(p, true, &s.limits) })
		s.passed += *d.unused
		return nil
	}
	pack := archive.DefaultLimits()
	open := func(l archive.Limits) (dir, error) {
		f, err := intake.OpenRaw(p)
		if err != nil {
			return nil, err
		}
		i, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		return openPack(shown, &rawFile{f, i.Size(), func() { f.Close() }}, l, &s.limits)
	}
	d, err := open(pack)
	if err != nil {
		s.broken(shown, err)
		return nil
	}
	s.opened = append(s.opened, d)
	s.collect(d, shown, only, func() (dir, error) { return open(s.limits.pack) })
	a := d.(*packDir).a
	s.passed += a.Junk()
	for _, p := range a.Loose() {
		s.Notes = append(s.Notes, fmt.Sprintf("%s: %s: %s", shown, p.Path, p.Reason))
	}
	return nil
}

// broken adds a submission that cannot be opened.
func (s *Set) broken(p string, err error) {
	base := path.Base(p)
	s.Submissions = append(s.Submissions, &Submission{Path: p, Who: s.names.read(base).who, Problem: asProblem(p, err), set: s})
}

func (s *Set) add(p string, who roster.Name, open func() (dir, error)) {
	s.Submissions = append(s.Submissions, &Submission{Path: p, Who: who, open: open, set: s})
}

// collect finds the submissions in a folder. whole opens the folder as one submission.
// only tells that nothing else was named: then a folder with one folder is a class of one,
// else it is a submission in a folder of its own.
func (s *Set) collect(d dir, p string, only bool, whole func() (dir, error)) {
	entries, err := d.entries()
	if err != nil {
		s.broken(p, err)
		return
	}
	if s.isSubmission(entries) {
		s.add(p, s.names.read(base(p)).who, whole)
		return
	}
	var parts []fs.DirEntry
	metadata := false
	for _, e := range entries {
		metadata = metadata || e.Name() == metadataName
		if s.isPart(e) {
			parts = append(parts, e)
		}
	}
	if len(parts) == 0 || len(parts) == 1 && !only && !metadata {
		s.add(p, s.names.read(base(p)).who, whole)
		return
	}
	if len(parts) == 1 && parts[0].IsDir() && !metadata {
		// The one folder around a class ("assignment_1_export").
		if inner, err := d.sub(parts[0].Name()); err == nil {
			if s.isClass(inner) {
				s.opened = append(s.opened, inner)
				s.collect(inner, path.Join(p, parts[0].Name()), true, whole)
				return
			}
			inner.close()
		}
	}
	s.parts(d, p, entries)
}

// base is the last part of a path; of "." that of the folder's real name.
func base(p string) string {
	if b := path.Base(p); b != "." && b != ".." && b != "/" {
		return b
	}
	if abs, err := filepath.Abs(p); err == nil {
		return filepath.Base(abs)
	}
	return p
}

func (s *Set) isSubmission(entries []fs.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return s.want.has(e.Name()) })
}

// isPart reports an entry of a class that is or belongs to a submission.
func (s *Set) isPart(e fs.DirEntry) bool {
	if strings.HasPrefix(e.Name(), ".") {
		return false
	}
	return e.IsDir() || e.Type()&fs.ModeSymlink != 0 || archive.HasArchiveName(e.Name()) || s.names.read(e.Name()).group != ""
}

// isClass reports a folder that holds several submissions rather than being one.
func (s *Set) isClass(d dir) bool {
	entries, err := d.entries()
	if err != nil || s.isSubmission(entries) {
		return false
	}
	n := 0
	for _, e := range entries {
		if e.Name() == metadataName {
			return true
		}
		if s.isPart(e) {
			n++
		}
	}
	return n > 1
}

// parts adds the submissions of a class.
func (s *Set) parts(d dir, p string, entries []fs.DirEntry) {
	people := s.metadata(d)
	groups := map[string]*flatDir{}
	who := map[string]roster.Name{}
	var order []string
	var passed []string
	for _, e := range entries {
		name := e.Name()
		full := path.Join(p, name)
		n := s.names.read(name)
		switch {
		case !s.isPart(e) || n.online && n.file != "":
			if name != metadataName {
				passed = append(passed, name)
			}
		case e.IsDir():
			if n.online {
				passed = append(passed, name)
				continue
			}
			open := func() (dir, error) { return d.sub(name) }
			if len(people[name]) == 0 {
				s.add(full, n.who, open)
			}
			for _, person := range people[name] {
				s.add(full, person, open)
			}
		case n.group != "" && n.file != "":
			g := groups[n.group]
			if g == nil {
				g = &flatDir{in: d, names: map[string]string{}}
				groups[n.group], who[n.group] = g, n.who
				order = append(order, n.group)
			}
			own := s.names.own(n.file, s.want)
			if g.names[own] == "" {
				g.order = append(g.order, own)
			}
			g.names[own] = name // the last of several is the newest
		case e.Type()&fs.ModeSymlink != 0:
			s.Submissions = append(s.Submissions, &Submission{Path: full, Who: n.who, set: s,
				Problem: &intake.Problem{Code: intake.LinkOut, Path: full, Reason: "this is a link that leads out of the folder or to nothing", Hint: "put the submission itself into the folder"}})
		default:
			s.add(full, n.who, func() (dir, error) { return s.openArchive(d, name, full) })
		}
	}
	for _, name := range order {
		g := groups[name]
		slices.Sort(g.order)
		whose := who[name]
		whose.Whole = name
		p := path.Join(p, name)
		if len(g.order) == 1 {
			p = path.Join(path.Dir(p), g.names[g.order[0]])
		}
		s.add(p, whose, func() (dir, error) { return g, nil })
	}
	if len(passed) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s: passed over %s", p, some(passed)))
	}
}

// some lists a few names.
func some(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// openArchive opens an archive in a folder.
func (s *Set) openArchive(d dir, name, shown string) (dir, error) {
	r, err := d.raw(name)
	if err != nil {
		return nil, err
	}
	return openPack(shown, r, s.limits.pack, &s.limits)
}
