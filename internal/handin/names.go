package handin

import (
	"regexp"
	"strings"

	"github.com/labgrade/labgrade/internal/archive"
	"github.com/labgrade/labgrade/internal/roster"
)

// Canvas names a file "leeann_12345_67890_batch.out", with LATE after the name of a late
// one, and puts "-1" before the ending of a file that was handed in again.
// Moodle names a folder "Ann Lee_123456_assignsubmission_file_", and a file in a zip
// without folders the same with the file's name behind it.
type patterns struct{ canvas, moodle, again *regexp.Regexp }

func newPatterns() patterns {
	return patterns{
		canvas: regexp.MustCompile(`^([^_]+)_(?:LATE_)?(\d+)_(\d+)_(.+)$`),
		moodle: regexp.MustCompile(`^(.+)_(\d+)_assignsubmission_(file|onlinetext)_?(.*)$`),
		again:  regexp.MustCompile(`^(.+)-\d+(\.[^.]+)$`),
	}
}

// named is an entry of a folder of submissions as its platform named it.
type named struct {
	who roster.Name
	// group is the same for all files of one person; file is the file's own name, "" for
	// a folder or archive that is the whole submission.
	group, file string
	online      bool // Moodle's text field, not a file
}

// read takes the name of an entry apart.
func (p *patterns) read(entry string) named {
	whole := archive.TrimExt(entry)
	if m := p.moodle.FindStringSubmatch(entry); m != nil {
		person := m[1]
		return named{who: roster.Name{Whole: whole, Person: person, MoodleID: m[2]}, group: m[1] + "_" + m[2], file: m[4], online: m[3] == "onlinetext"}
	}
	if m := p.canvas.FindStringSubmatch(entry); m != nil {
		return named{who: roster.Name{Whole: whole, Person: m[1], CanvasID: m[2]}, group: m[1] + "_" + m[2], file: m[4]}
	}
	return named{who: roster.Name{Whole: whole, Person: whole}}
}

// own is the name that a file had before Canvas marked it as handed in again, if the lab
// asks for that one.
func (p *patterns) own(file string, w *Want) string {
	if w.has(file) {
		return file
	}
	if m := p.again.FindStringSubmatch(file); m != nil && w.has(m[1]+m[2]) {
		return m[1] + m[2]
	}
	return file
}

// id names somebody who is on no roster.
func id(n roster.Name) string {
	for _, s := range []string{n.ID, n.Email, n.CanvasID, n.MoodleID, n.Whole} {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	return "?"
}

// name is the name of somebody who is on no roster, where the platform says it.
func name(n roster.Name) string {
	if n.CanvasID != "" || n.MoodleID != "" || n.ID != "" || n.Email != "" {
		return n.Person
	}
	return ""
}
