package authoring

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/labs"
)

// Task is the task of a lab in a language, as Markdown: its README and a table of the
// named steps with files, points and due dates. lang "" is the
// lab's own language. The error is a fs.ErrNotExist when the lab has no such text.
func Task(lab *labs.Lab, lang string, steps []string) ([]byte, error) {
	name := "README.md"
	if lang != "" {
		name = "README." + lang + ".md"
	}
	text, err := fs.ReadFile(lab.FS, name)
	if errors.Is(err, fs.ErrNotExist) && lang == "" {
		text, err = []byte("# "+lab.Title+"\n"), nil
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Write(bytes.TrimRight(text, "\n"))
	b.WriteString("\n\n")
	w := wordsOf(lang)
	fmt.Fprintf(&b, "## %s\n\n", w.heading)
	fmt.Fprintf(&b, "| %s | %s | %s | %s |", w.step, w.title, w.files, w.points)
	due := slices.ContainsFunc(lab.Steps, func(s labs.Step) bool { return cmp.Or(s.Due, lab.Due) != "" })
	rule := "\n|---|---|---|---:|"
	if due {
		fmt.Fprintf(&b, " %s |", w.due)
		rule += "---|"
	}
	b.WriteString(rule + "\n")
	total := 0.0
	for i := range lab.Steps {
		s := &lab.Steps[i]
		if !slices.Contains(steps, s.ID) {
			continue
		}
		t := lab.In(lang, s)
		total += s.Points
		fmt.Fprintf(&b, "| %s | %s | %s | %g |", s.ID, cell(t.Title), fileList(s), s.Points)
		if due {
			fmt.Fprintf(&b, " %s |", cmp.Or(s.Due, lab.Due))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "| | | | **%g** |", total)
	if due {
		b.WriteString(" |")
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// cell is a text inside of a Markdown table.
func cell(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "|", `\|`), "\n", " ") }

// tableWords are the words of the table of steps.
type tableWords struct{ heading, step, title, files, points, due string }

func wordsOf(lang string) tableWords {
	switch base, _, _ := strings.Cut(lang, "-"); base {
	case "zh":
		return tableWords{"步骤与分数", "步骤", "任务", "文件", "分数", "截止时间"}
	case "ko":
		return tableWords{"단계와 점수", "단계", "과제", "파일", "점수", "마감"}
	case "ja":
		return tableWords{"ステップと点数", "ステップ", "課題", "ファイル", "点数", "締切"}
	case "de":
		return tableWords{"Schritte und Punkte", "Schritt", "Aufgabe", "Dateien", "Punkte", "Abgabe"}
	}
	return tableWords{"Steps and points", "step", "task", "files", "points", "due"}
}

// Languages lists the languages of a lab's tasks besides its own.
func Languages(lab *labs.Lab) []string {
	names, err := fs.Glob(lab.FS, "README.*.md")
	if err != nil {
		return nil
	}
	var out []string
	for _, n := range names {
		out = append(out, strings.TrimSuffix(strings.TrimPrefix(n, "README."), ".md"))
	}
	return out
}

// Handout lists the files of a lab that learners get: the task in all languages, the
// starter, and the data with data. Never the solution, other submissions, the discussion
// or the lab file, and no starter of a step that is not among those that are named. Each
// comes with the name that it has for learners.
func Handout(lab *labs.Lab, steps []string, data bool) (map[string]string, error) {
	hidden := map[string]bool{}
	for _, see := range []bool{false, true} {
		for i := range lab.Steps {
			s := &lab.Steps[i]
			if slices.Contains(steps, s.ID) == see {
				// A file that a visible step has, too, is not hidden.
				for _, f := range []string{s.SQL, s.Out, s.File} {
					hidden[f] = !see
				}
			}
		}
	}

	out := map[string]string{}
	add := func(root, to string) error {
		err := fs.WalkDir(lab.FS, root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			known := strings.TrimPrefix(path.Join(to, strings.TrimPrefix(name, root)), "/")
			if !hidden[known] {
				out[known] = name
			}
			return nil
		})
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	if err := add("starter", ""); err != nil {
		return nil, err
	}
	if data {
		for i := range lab.Tables {
			if err := add("data/"+lab.Tables[i].File, "data/"+lab.Tables[i].File); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
