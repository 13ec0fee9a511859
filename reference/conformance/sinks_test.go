package conformance

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

// insertsRefused finds the reason why an INSERT of the case was not run.
func insertsRefused(out outputs) string {
	for _, a := range out["stream.txt"] {
		if a.unsupported != "" {
			return a.unsupported
		}
	}
	return ""
}

// judgePrint compares the lines of print sinks.
func judgePrint(out outputs, r *runner, want string) []verdict {
	v := verdict{stmt: "print", want: want, got: strings.Join(r.printed, "\n") + "\n", outcome: isWrong}
	if reason := insertsRefused(out); reason != "" {
		v.outcome, v.reason = isUnsupported, reason
	} else if v.got == v.want {
		v.outcome = exact
	}
	return []verdict{v}
}

var partID = regexp.MustCompile(`(part-|inprogress\.)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// judgeSink compares the files that filesystem sinks wrote; the id in a part's name is random.
func judgeSink(out outputs, r *runner) []verdict {
	want := tree(filepath.Join(r.c.dir, "sink"))
	if want == "" {
		return nil
	}
	v := verdict{stmt: "sink files", want: want, got: tree(r.disk.out), outcome: isWrong}
	if reason := insertsRefused(out); reason != "" {
		v.outcome, v.reason = isUnsupported, reason
	} else if v.got == v.want {
		v.outcome = exact
	}
	return []verdict{v}
}

// tree is the text of all files below a folder.
func tree(dir string) string {
	var parts []string
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error { // a missing folder is an empty tree
		if err != nil {
			return nil
		}
		rel, _ := filepath.Rel(dir, p)
		rel = partID.ReplaceAllString(rel, "${1}ID")
		if d.IsDir() {
			return nil
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return nil
		}
		parts = append(parts, "== "+rel+"\n"+string(b))
		return nil
	})
	sort.Strings(parts)
	return strings.Join(parts, "")
}
