// Package handin finds submissions in what an instructor got: folders, archives, and
// archives of archives as Moodle, Canvas and Gradescope hand them out. It says whose each
// is, and reads the files that the lab asks for within bounds. Submissions are opened one
// by one, when they are graded; a broken one is a *intake.Problem and touches no other.
package handin

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/labs"
)

// Want is what a lab asks for.
type Want struct {
	// Files and Folders are paths inside a submission.
	Files, Folders []string
	// first are the first parts of those paths, in lower case.
	first map[string]bool
}

// WantOf lists what the lab asks for.
func WantOf(lab *labs.Lab) *Want {
	w := &Want{first: map[string]bool{}}
	seen := map[string]bool{}
	add := func(list *[]string, name string) {
		if name == "" || seen[name] {
			return
		}
		seen[name] = true
		*list = append(*list, name)
		first, _, _ := strings.Cut(name, "/")
		w.first[strings.ToLower(first)] = true
	}
	for i := range lab.Steps {
		s := &lab.Steps[i]
		add(&w.Files, s.SQL)
		add(&w.Files, s.Out)
		add(&w.Files, s.File)
		add(&w.Folders, s.Folder)
	}
	return w
}

// has reports whether the lab asks for something of that name at the top of a submission.
// Case does not count here: a file Batch.out still shows where a submission begins.
func (w *Want) has(name string) bool { return w.first[strings.ToLower(name)] }

// Inside names the only folder in dir that holds files of the lab, where dir itself holds
// none: an archive unpacked into a folder of its own. It is "" in all other cases; links
// are not followed.
func (w *Want) Inside(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	found := ""
	for _, e := range entries {
		if w.has(e.Name()) {
			return ""
		}
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		inner, err := os.ReadDir(filepath.Join(dir, e.Name()))
		if err != nil || !slices.ContainsFunc(inner, func(x fs.DirEntry) bool { return w.has(x.Name()) }) {
			continue
		}
		if found != "" {
			return ""
		}
		found = e.Name()
	}
	return found
}
