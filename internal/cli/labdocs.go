package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/internal/authoring"
	"github.com/labgrade/labgrade/internal/term"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

func langFlag() cli.Flag {
	return &cli.StringFlag{Name: "lang", Usage: "`LANGUAGE` of the texts, such as zh (README.zh.md)"}
}

func labDocsCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "docs",
		Usage:     "print the task with a table of its steps, files and points, as Markdown",
		ArgsUsage: "LAB",
		Flags:     []cli.Flag{labsFlag(), langFlag(), viewerFlag("learner")},
		Action: func(c *cli.Context) error {
			lab, _, err := oneLab(c)
			if err != nil {
				return err
			}
			viewer, err := viewerOf(s, c.String("as"))
			if err != nil {
				return err
			}
			text, err := taskOf(lab, c.String("lang"), viewer)
			if err != nil {
				return err
			}
			_, err = s.Out.Write(text)
			return err
		},
	}
}

// taskOf is the task of a lab as a viewer reads it.
func taskOf(lab *labs.Lab, lang string, viewer checks.Viewer) ([]byte, error) {
	text, err := authoring.Task(lab, lang, viewer.Visible(lab))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Usagef("the lab %s has no task in the language %q; there are: %s", lab.ID, lang, strings.Join(append([]string{"its own"}, authoring.Languages(lab)...), ", "))
	}
	return text, err
}

func labPreviewCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "preview",
		Usage:     "show what a learner, or the staff, sees of a lab: the task, and the answer to each wrong submission",
		ArgsUsage: "LAB",
		Flags: []cli.Flag{labsFlag(), langFlag(), viewerFlag("learner"),
			&cli.StringSliceFlag{Name: "wrong", Usage: "only the wrong submission `NAME` (may be repeated)"}},
		Action: func(c *cli.Context) error { return preview(c, s) },
	}
}

func preview(c *cli.Context, s Streams) error {
	lab, _, err := oneLab(c)
	if err != nil {
		return err
	}
	viewer, err := viewerOf(s, c.String("as"))
	if err != nil {
		return err
	}
	only := c.StringSlice("wrong")
	if len(only) == 0 {
		text, err := taskOf(lab, c.String("lang"), viewer)
		if err != nil {
			return err
		}
		if _, err := s.Out.Write(text); err != nil {
			return err
		}
	}
	wrongs, err := lab.Wrongs()
	if err != nil {
		return brokenLab(err)
	}
	g := authoring.Grader(lab)
	shown := 0
	for _, w := range wrongs {
		if len(only) > 0 && !slices.Contains(only, w.Name) {
			continue
		}
		shown++
		checks, err := g.CheckFor(c.Context, w.FS, nil, viewer)
		if err != nil {
			return err
		}
		r := &report.Result{Lab: report.Lab{ID: lab.ID, Title: lab.TitleIn(c.String("lang"))}, Checks: checks, Submission: report.Submission{Root: "wrong/" + w.Name}}
		r.Total()
		fmt.Fprintf(s.Out, "\n--- wrong/%s: %s\n\n", w.Name, term.Safe(w.Says))
		if err := report.Text(s.Out, r, report.Style{Safe: term.Safe}, report.Normal); err != nil {
			return err
		}
	}
	if shown < len(only) {
		return Usagef("the lab %s has no such wrong submission", lab.ID)
	}
	return nil
}

func labHintCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "hint",
		Usage:     "give the first hint of a step, or the first N with --more N",
		ArgsUsage: "LAB STEP",
		Flags: []cli.Flag{labsFlag(), langFlag(),
			&cli.IntFlag{Name: "more", Aliases: []string{"n"}, Usage: "show `N` hints", Value: 1}},
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return Usagef("lab hint needs the lab and the step\nSee: labgrade lab show LAB")
			}
			lab, err := openLab(c, c.Args().First())
			if err != nil {
				return err
			}
			viewer, err := viewerOf(s, "learner")
			if err != nil {
				return err
			}
			ids, err := stepIDs(lab, viewer, []string{c.Args().Get(1)})
			if err != nil {
				return err
			}
			step := &lab.Steps[slices.IndexFunc(lab.Steps, func(x labs.Step) bool { return x.ID == ids[0] })]
			hints := lab.In(c.String("lang"), step).Hints
			if len(hints) == 0 {
				return Usagef("the step %s of the lab %s has no hints", step.ID, lab.ID)
			}
			n := max(1, min(c.Int("more"), len(hints)))
			for i, h := range hints[:n] {
				fmt.Fprintf(s.Out, "%d. %s\n", i+1, term.Safe(strings.TrimSpace(h)))
			}
			if n < len(hints) {
				fmt.Fprintf(s.Out, "%s left: --more %d\n", plural(len(hints)-n, "hint"), n+1)
			}
			return nil
		},
	}
}

func labExportCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write what learners get into a folder: task, starter and data; never the solution",
		ArgsUsage: "LAB",
		Flags: []cli.Flag{labsFlag(),
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`DIR` to write into; it must be empty or new"},
			&cli.BoolFlag{Name: "no-data", Usage: "leave the source data out (each learner gets his own)"}},
		Action: func(c *cli.Context) error { return exportLab(c, s) },
	}
}

func exportLab(c *cli.Context, s Streams) error {
	lab, _, err := oneLab(c)
	if err != nil {
		return err
	}
	if c.String("out") == "" {
		return Usagef("lab export needs --out DIR\nSee: labgrade lab export --help")
	}
	viewer, err := viewerOf(s, "learner")
	if err != nil {
		return err
	}
	files, err := authoring.Handout(lab, viewer.Visible(lab), !c.Bool("no-data"))
	if err != nil {
		return Failf(ExitInternal, "%w", err)
	}
	dir, err := newFolder(c.String("out"))
	if err != nil {
		return err
	}
	n := 0
	write := func(name string, data []byte) error {
		n++
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		return os.WriteFile(full, data, 0o644)
	}
	for _, lang := range append([]string{""}, authoring.Languages(lab)...) {
		text, err := taskOf(lab, lang, viewer)
		if err != nil {
			return err
		}
		name := "README.md"
		if lang != "" {
			name = "README." + lang + ".md"
		}
		if err := write(name, text); err != nil {
			return err
		}
	}
	for to, from := range files {
		data, err := fs.ReadFile(lab.FS, from)
		if err != nil {
			return Failf(ExitInternal, "%w", err)
		}
		if err := write(to, data); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.Err, "wrote %s into %s\n", plural(n, "file"), dir)
	return nil
}
